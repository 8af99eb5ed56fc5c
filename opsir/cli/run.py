"""The command ``opsir-run``: run a function of IR text on arrays from files or made at random.

Owns the arguments and what is printed. Arguments are read before anything heavy is imported.
"""

from __future__ import annotations

import argparse
import sys
import time
import warnings
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

from opsir.cli.report import EXIT_ERROR, guarded, read_source
from opsir.diagnostics import fail

if TYPE_CHECKING:
    from opsir.cli.inputs import Array
    from opsir.runtime.program import IrProgram

TOOL = "opsir-run"
BACKENDS = ("cpu", "reference")
_TIMED_SECONDS = 0.2


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare every argument of ``opsir-run``."""
    parser.add_argument("file", help="IR text; '-' reads the input")
    parser.add_argument("--entry", metavar="NAME", help="the function; default: the only one")
    parser.add_argument(
        "--input",
        action="append",
        default=[],
        metavar="FILE.npy|NUMBER",
        help="the next argument: an array from a file, or a number for a scalar",
    )
    parser.add_argument("--random", type=int, metavar="SEED", help="make the arguments at random")
    parser.add_argument(
        "--shape",
        action="append",
        default=[],
        metavar="ARGUMENT:4x1",
        help="with --random: the sizes of an argument that leaves them open",
    )
    parser.add_argument(
        "--output",
        action="append",
        default=[],
        metavar="FILE.npy",
        help="where to save the next result",
    )
    parser.add_argument("--backend", choices=BACKENDS, default="cpu", help="default: cpu")
    parser.add_argument(
        "--check", action="store_true", help="run the reference back end too and compare all bits"
    )
    parser.add_argument(
        "--debug",
        action="store_true",
        help="print the IR after every pass; run in guarded memory and check every address",
    )
    parser.add_argument("--time", action="store_true", help="print how long a call takes")
    parser.add_argument("--print", action="store_true", help="print the results")


def main(argv: Sequence[str] | None = None) -> int:
    """Run the command and return its exit status; usage errors leave by SystemExit(2)."""
    parser = argparse.ArgumentParser(TOOL, description="Run a function of IR text on arrays.")
    add_arguments(parser)
    args = parser.parse_args(argv)
    if args.random is None and args.shape:
        parser.error("--shape goes with --random")
    if args.random is not None and args.input:
        parser.error("the arguments come from --random or from --input, not from both")
    if args.random is not None and args.random < 0:
        parser.error("--random takes a seed of at least 0")
    sources: dict[str, str] = {}
    return guarded(TOOL, sources, lambda: _Run(args, sources).execute())


class _Run:
    """One run of ``opsir-run``; ``sources`` receives the text, so that errors can show a line."""

    def __init__(self, args: argparse.Namespace, sources: dict[str, str]) -> None:
        from opsir.frontends import limits

        self._args = args
        self._name = "<stdin>" if args.file == "-" else args.file
        raw = read_source(args.file, limits.MAX_SOURCE_BYTES)
        self._text = sources[self._name] = limits.decode(raw, self._name)

    def execute(self) -> int:
        arguments = self._arguments()
        results = self._run(self._args.backend, arguments)
        self._show(results)
        if not self._args.check:
            return 0
        other = self._run("cpu" if self._args.backend == "reference" else "reference", arguments)
        from opsir.cli.comparison import compare

        verdicts = [compare(one, two) for one, two in zip(results, other, strict=True)]
        for index, verdict in enumerate(verdicts):
            print(f"result {index}: {verdict}")
        return 0 if all(verdict.is_equal for verdict in verdicts) else EXIT_ERROR

    def _arguments(self) -> list[Any]:
        from opsir.backends.cpu.program import find_function
        from opsir.cli import inputs
        from opsir.frontends.text import parse_module

        function = find_function(parse_module(self._text, self._name), self._args.entry)
        declared = inputs.declared_arguments(function)
        if self._args.random is not None:
            shapes = inputs.parse_shapes(self._args.shape)
            return inputs.random_arguments(declared, shapes, self._args.random)
        given: list[str] = self._args.input
        if len(given) != len(declared):
            types = ", ".join(str(a.type) for a in declared)
            fail(f"the function takes {len(declared)} arguments ({types}), got {len(given)}")
        return [inputs.read_argument(text, a) for text, a in zip(given, declared, strict=True)]

    def _run(self, backend: str, arguments: list[Any]) -> list[Array]:
        """Results of one back end. Warnings about integer division become one line each."""
        import numpy as np

        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            run = self._cpu if backend == "cpu" else self._reference
            results = [np.asarray(result) for result in run(arguments)]
        for warning in caught:
            print(f"{TOOL}: warning: {warning.message}", file=sys.stderr)
        return results

    def _cpu(self, arguments: list[Any]) -> Sequence[Any]:
        from opsir.decorator import compile

        started = time.perf_counter()
        debug: bool = self._args.debug
        program = compile(self._text, self._args.entry, filename=self._name, debug=debug)
        compiled = time.perf_counter() - started
        if debug:
            _print_stages(program)
        results = program(*arguments)
        if debug:
            print(f"// checked: {program.checked}\n")
        if self._args.time:
            seconds, count = _best(lambda: program(*arguments))
            print(
                f"compiled in {compiled * 1e3:.1f} ms; "
                f"a call takes {seconds * 1e6:.1f} us (best of {count})"
            )
        return results if isinstance(results, tuple) else (results,)

    def _reference(self, arguments: list[Any]) -> Sequence[Any]:
        from opsir import abi, pipeline
        from opsir.backends.reference.interpreter import run
        from opsir.frontends.text import make_context, parse_module
        from opsir.runtime.reporting import report

        context = make_context()
        module = parse_module(self._text, self._name, context=context)
        # What the other passes do is part of what is checked, so they do not run here.
        pipeline.run(context, module, until="infer-shapes")
        outcome = run(module, arguments, self._args.entry)
        report(sum(abi.FLAGS[kind] for kind in outcome.flags), "warn")
        return outcome.results

    def _show(self, results: list[Array]) -> None:

        if len(self._args.output) > len(results):
            fail(f"{len(self._args.output)} times --output for {len(results)} results")
        for index, result in enumerate(results):
            if self._args.print:
                print(f"result {index}: {result.dtype} {list(result.shape)}\n{result}")
            if index < len(self._args.output):
                path = self._args.output[index]
                _save(path, result)


def _save(path: str, result: Array) -> None:
    """Write an array to exactly this path: NumPy itself would append ``.npy``."""
    import numpy as np

    try:
        with open(path, "wb") as file:
            np.save(file, result)
    except OSError as error:
        fail(f"cannot write {path}: {error.strerror or error}")
    except ValueError:
        fail(f"cannot write {path!r}: not a path")


def _print_stages(program: IrProgram) -> None:
    for stage in program.stages:
        print(f"// IR after {stage}:\n{program.ir(stage)}\n")
    print(f"// plan:\n{program.plan()}\n")


def _best(call: Callable[[], object]) -> tuple[float, int]:
    """Shortest of as many calls as fit a fraction of a second, in seconds, and their number."""
    times: list[float] = []
    while sum(times) < _TIMED_SECONDS and len(times) < 10_000:
        started = time.perf_counter()
        call()
        times.append(time.perf_counter() - started)
    return min(times), len(times)


if __name__ == "__main__":
    sys.exit(main())
