"""xDSL's driver with opsir's dialects, passes, targets and errors.

Owns how the parts of a file run through passes to output, and what each flag of ``opsir-opt``
does. Knows no single pass or target.
"""

from __future__ import annotations

import argparse
import dataclasses
import re
import sys
import time
from collections.abc import Iterator, Sequence
from contextlib import suppress
from functools import partial
from io import StringIO

from xdsl.dialects.builtin import ModuleOp
from xdsl.passes import ModulePass, PassPipeline
from xdsl.printer import Printer
from xdsl.utils.exceptions import ArgSpecParseError, DiagnosticException
from xdsl.utils.target import Target
from xdsl.xdsl_opt_main import xDSLOptMain

from opsir.backends import TARGETS
from opsir.cli import expectations, options
from opsir.cli.arguments import TOOL, add_arguments
from opsir.cli.report import EXIT_ERROR, InternalError, print_error, read_source, write_output
from opsir.diagnostics import Location, OpsirError, OpsirOverflowError, fail
from opsir.dialects.locations import location_of
from opsir.frontends import limits
from opsir.frontends.text import make_context, parse_module
from opsir.frontends.verifier import verify
from opsir.passes import PASSES, stages
from opsir.registry import load

_SEPARATOR = re.compile(r"^// -----.*$", re.MULTILINE)
_NOTHING = re.compile(r"(\s|//[^\n]*)*")

_XDSL_PASSES = {
    "cse": "xdsl.transforms.common_subexpression_elimination:CommonSubexpressionElimination",
    "dce": "xdsl.transforms.dead_code_elimination:DeadCodeElimination",
}


@dataclasses.dataclass(frozen=True)
class Part:
    """One piece of the input, and the line number of its first line."""

    text: str
    first_line: int


class OptDriver(xDSLOptMain):
    """One run of ``opsir-opt``.

    ``sources`` receives the text of each file that is read, so that errors can show their line.
    """

    def __init__(self, arguments: Sequence[str], sources: dict[str, str]) -> None:
        self._sources = sources
        self.status = 0
        with suppress(ArgSpecParseError):  # xDSL has a look at the target; it is read below.
            super().__init__("Run opsir's passes and back ends on IR.", arguments)
        self._target = self._make_target()

    def register_all_dialects(self) -> None:
        self.ctx = make_context()

    def register_all_frontends(self) -> None:
        """IR text is the only input, whatever the file is called."""

    def register_all_passes(self) -> None:
        for name, entry in {**PASSES, **_XDSL_PASSES}.items():
            self.register_pass(name, partial(load, entry))

    def register_all_targets(self) -> None:
        for name, entry in {"mlir": "xdsl.targets.mlir:MLIRTarget", **TARGETS}.items():
            self.available_targets[name] = partial(load, entry)

    def register_all_arguments(self, arg_parser: argparse.ArgumentParser) -> None:
        add_arguments(arg_parser)
        arg_parser.set_defaults(frontend=None, disable_verify=False)

    def setup_pipeline(self) -> None:
        passes = options.make_passes(self.args.passes, self.available_passes, self.args.target_cpu)
        self.pipeline = PassPipeline(tuple(passes), _Observer(self.args))

    def _make_target(self) -> Target:
        settings: dict[str, object] = {}
        if self.args.target == "mlir":
            settings = {
                "print_generic_format": self.args.print_op_generic,
                "print_properties_as_attributes": self.args.print_no_properties,
                "print_debuginfo": self.args.print_debuginfo,
                "syntax_highlight": self.args.syntax_highlight,
            }
        elif self.args.target_cpu is not None:
            settings = {"cpu": self.args.target_cpu}
        return options.make_target(self.args.target, self.available_targets, settings)

    def run(self) -> None:
        """Process every part and set ``status``; an OpsirError for the first that fails."""
        name = "<stdin>" if self.args.input_file == "-" else self.args.input_file
        raw = read_source(self.args.input_file, limits.MAX_SOURCE_BYTES)
        source = self._sources[name] = limits.decode(raw, name)
        parts = _split(source) if self.args.split_input_file else [Part(source, 1)]
        if self.args.expect_errors or self.args.verify_diagnostics:
            judge = self._expect_error if self.args.expect_errors else self._compare_error
            self.status = EXIT_ERROR if sum([judge(part, name) for part in parts]) else 0
            return
        output = StringIO()
        try:
            for index, part in enumerate(parts):
                output.write("// -----\n" if index else "")
                output.write(self._process(part, name))
        finally:
            if self.args.output_file is None:
                write_output(None, output.getvalue())
        if self.args.output_file is not None:
            write_output(self.args.output_file, output.getvalue())

    def _process(self, part: Part, name: str) -> str:
        """The output for one part. Raises OpsirError where the input is at fault."""
        module = parse_module(
            part.text,
            name,
            context=self.ctx,
            first_line=part.first_line,
            implicit_module=not self.args.no_implicit_module,
        )
        output = StringIO()
        try:
            self.pipeline.apply(self.ctx, module)
            self._target.emit(self.ctx, module, output)
        except DiagnosticException as error:
            fail(str(error), _place_of(module))
        except OpsirOverflowError as error:
            # Sizes are multiplied below the IR, where no place is known: the program is near.
            fail(error.detail, error.location or _place_of(module), type(error))
        return output.getvalue()

    def _error_of(self, part: Part, name: str) -> OpsirError | None:
        try:
            self._process(part, name)
        except OpsirError as error:
            return error
        return None

    def _expect_error(self, part: Part, name: str) -> bool:
        """Print the error of a part; true if there is none, which is then reported as one."""
        error = self._error_of(part, name)
        if error is not None:
            print_error(TOOL, error, self._sources, sys.stdout)
            return False
        missing = OpsirError("expected an error in this part, got none", _start_of(part, name))
        print_error(TOOL, missing, self._sources, sys.stderr)
        return True

    def _compare_error(self, part: Part, name: str) -> bool:
        """True if the error of a part is not the one that its comments announce."""
        wrong = expectations.compare(part.text, part.first_line, name, self._error_of(part, name))
        for error in wrong:
            print_error(TOOL, error, self._sources, sys.stderr)
        return bool(wrong)


def _place_of(module: ModuleOp) -> Location | None:
    """Where a module starts, or its function if it has one only."""
    functions = list(module.ops)
    return location_of(functions[0] if len(functions) == 1 else module)


class _Observer:
    """Runs between passes: verifies, holds each pass against what it requires and ensures, prints.

    It prints what ``--print-between-passes`` asks for.
    """

    def __init__(self, args: argparse.Namespace) -> None:
        self._print: bool = args.print_between_passes
        self._time: bool = args.time_passes
        self._started = 0.0

    def __call__(
        self, previous: ModulePass | None, module: ModuleOp, following: ModulePass | None
    ) -> None:
        elapsed = time.perf_counter() - self._started
        if previous is not None:
            if self._time:
                print(f"{previous.name}: {elapsed * 1e3:.3f} ms", file=sys.stderr)
            try:
                verify(module)
            except OpsirError as error:
                raise InternalError(f"after {previous.name}: {error}") from error
            stages.ensure(module, previous.name)
            if self._print and following is not None:
                print(f"// IR after {previous}:")
                Printer(stream=sys.stdout).print_op(module)
                print("\n")
        if following is not None:
            stages.require(module, following.name)
        self._started = time.perf_counter()


def _split(source: str) -> list[Part]:
    """The parts between separator lines; one that holds nothing but comments is left out."""
    return [part for part in _all_parts(source) if not _NOTHING.fullmatch(part.text)]


def _all_parts(source: str) -> Iterator[Part]:
    line, start = 1, 0
    for separator in _SEPARATOR.finditer(source):
        yield Part(source[start : separator.start()], line)
        line += source.count("\n", start, separator.end())
        start = separator.end()
    yield Part(source[start:], line)


def _start_of(part: Part, name: str) -> Location:
    """The first line of a part that is neither blank nor a comment."""
    leading = _NOTHING.match(part.text)
    skipped = leading[0].count("\n") if leading is not None else 0
    return Location(name, part.first_line + skipped, 1)
