"""What the RUN lines of the `.mlir` tests may say: the one table that lit and the collector share.

Every command ends in the pipe to filecheck, so no test can forget it. ``PREFIX=NAME`` after a
command makes it read the ``// NAME:`` lines instead of ``// CHECK:``.
"""

from __future__ import annotations

import re

_SPLIT = "opsir-opt %s --split-input-file"

COMMANDS: dict[str, str] = {
    # Print in the custom form, read that, and again by way of the generic form.
    "OPSIR_ROUNDTRIP": f"{_SPLIT} | opsir-opt - --split-input-file --print-op-generic "
    "| opsir-opt - --split-input-file",
    # Print in the generic form, after one way through the custom one.
    "OPSIR_GENERIC": f"{_SPLIT} | opsir-opt - --split-input-file --print-op-generic",
    # Run the passes named in parentheses.
    r"OPSIR_PASS\(([^()]*)\)": rf"{_SPLIT} -p '\1'",
    # The same, and print source locations.
    r"OPSIR_LOCATIONS\(([^()]*)\)": rf"{_SPLIT} -p '\1' --print-debuginfo",
    # Every part must fail, in the parser, the verifier or one of the passes in parentheses.
    r"OPSIR_INVALID\(([^()]*)\)": rf"{_SPLIT} -p '\1' --expect-errors",
    r"OPSIR_INVALID": f"{_SPLIT} --expect-errors",
    # What a back end prints for a CPU at the end of the whole pipeline: (target, cpu).
    r"OPSIR_EMIT\((\w+), *([\w-]+)\)": r"opsir-opt %s -p opsir-default -t \1 --target-cpu \2",
    # The same with an entry for several threads.
    r"OPSIR_THREADS\((\w+), *([\w-]+)\)": (
        r"opsir-opt %s -p opsir-default -t '\1{threaded=true}' --target-cpu \2"
    ),
}
"""Regular expression to command line; ``%s`` is the test's own file."""

SUBSTITUTIONS: list[tuple[str, str]] = [
    (rf"\b{pattern}{suffix}", command + " | filecheck %s" + option)
    for pattern, command in COMMANDS.items()
    for suffix, option in [
        (r" PREFIX=([\w-]+)", rf" --check-prefix=\{re.compile(pattern).groups + 1}"),
        ("", ""),
    ]
]
"""In the order in which they are tried: with a prefix before without, longer before shorter."""

_RUN = re.compile(r"^\s*//\s*RUN:\s*(.*?)\s*$", re.MULTILINE)


def run_lines(text: str) -> list[str]:
    """The RUN lines of a test, as written."""
    return _RUN.findall(text)


def expand(line: str) -> str | None:
    """The command that a RUN line stands for, or None if it is not one substitution."""
    for pattern, command in SUBSTITUTIONS:
        if (match := re.fullmatch(pattern, line)) is not None:
            return match.expand(command)
    return None


def prefix_of(line: str) -> str:
    """Which check lines a RUN line reads."""
    found = re.search(r" PREFIX=([\w-]+)$", line)
    return found[1] if found is not None else "CHECK"
