"""The arguments of ``opsir-opt``, under the names that xDSL's driver gives them.

Owns names and help texts, and imports nothing heavy, so that help and mistakes cost nothing.
"""

from __future__ import annotations

import argparse

from opsir.backends import TARGETS
from opsir.passes import PASSES

TOOL = "opsir-opt"
DEFAULT_PIPELINE = "opsir-default"
"""Stands in a pass list for the passes that the JIT runs."""

_FLAGS = {
    "--split-input-file": "process the parts between '// -----' lines one by one",
    "--expect-errors": "succeed only if every part fails; print the errors",
    "--verify-diagnostics": "succeed only if the errors are those that the comments "
    "'// expected-error {{text}}' (or 'expected-error@+1') name",
    "--print-between-passes": "print the IR between each pass",
    "--time-passes": "print how long each pass took, on standard error",
    "--print-op-generic": "print operations in the generic form",
    "--print-no-properties": "print properties as attributes",
    "--print-debuginfo": "print source locations",
    "--syntax-highlight": "colour the output",
    "--allow-unregistered-dialect": "accept operations and attributes of unknown dialects",
    "--no-implicit-module": "want one top-level module instead of making one",
}


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare every argument of ``opsir-opt``; the names are those of xDSL's driver."""
    passes = ", ".join([*PASSES, "cse", "dce", DEFAULT_PIPELINE])
    parser.add_argument("input_file", nargs="?", default="-", help="IR text; '-' reads the input")
    parser.add_argument(
        "-p",
        "--passes",
        default="",
        help=f"comma-separated passes, with options as 'name{{key=value}}': {passes}",
    )
    targets = ", ".join(["mlir", *TARGETS])
    parser.add_argument("-t", "--target", default="mlir", help=f"what to print: {targets}")
    parser.add_argument("--target-cpu", help="the CPU that code is made for; default: this one")
    parser.add_argument("-o", "--output-file", help="where to print; default: standard output")
    for flag, text in _FLAGS.items():
        parser.add_argument(flag, action="store_true", help=text)
    parser.add_argument("-v", "--version", action=_Version, nargs=0, help="print the version")


class _Version(argparse.Action):
    """``--version``, which looks the number up only when asked: that takes a while."""

    def __call__(self, parser: argparse.ArgumentParser, *_: object) -> None:
        from importlib.metadata import version

        parser.exit(message=f"{TOOL} {version('opsir')}\n")
