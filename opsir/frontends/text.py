"""The guarded front door for IR text: limits first, then a parser whose ops know their place.

Owns the path from characters to a verified module and the promise that whatever is wrong with the
text arrives as one located OpsirError. Knows no pass and no back end.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from functools import partial
from typing import NoReturn

from xdsl.context import Context
from xdsl.dialects.builtin import IntegerType, ModuleOp, UnknownLoc
from xdsl.ir import Attribute, AttributeInvT, Operation, SSAValue, TypeAttribute
from xdsl.parser import Parser, UnresolvedOperand
from xdsl.utils.exceptions import (
    MultipleSpansParseError,
    ParseError,
    UnregisteredConstructException,
    VerifyException,
)
from xdsl.utils.lexer import Input, Span
from xdsl.utils.mlir_lexer import MLIRToken, MLIRTokenKind

from opsir.diagnostics import Location, OpsirError, fail
from opsir.dialects import DIALECTS
from opsir.dialects.locations import location_attribute
from opsir.frontends import limits
from opsir.frontends.verifier import verify
from opsir.registry import load

MAX_EXTENT = (1 << 63) - 1
MAX_INTEGER_BITS = 1024
MAX_ALIAS_EXPANSION = 4096
"""How many brackets and names one alias may stand for once the aliases in it are expanded."""

_LEAKS = (
    ValueError,
    KeyError,
    IndexError,
    TypeError,
    AssertionError,
    NotImplementedError,
    OverflowError,
    RecursionError,
    VerifyException,
    UnregisteredConstructException,
)
"""What xDSL's parser and attribute constructors raise on malformed text besides ParseError."""

_CLEARER = {
    "in block definition": "expected an operation or '}'",
    "Could not parse entire input": "expected an operation",
}
"""Messages of xDSL's parser that do not say what it looked for."""


def make_context(*, allow_unregistered: bool = False) -> Context:
    """A context that knows the dialects of opsir and loads each when text first names it."""
    context = Context(allow_unregistered=allow_unregistered)
    for name, place in DIALECTS.items():
        context.register_dialect(name, partial(load, place))
    return context


def parse_module(
    source: str | bytes,
    filename: str = "<text>",
    *,
    context: Context | None = None,
    first_line: int = 1,
    implicit_module: bool = True,
    verified: bool = True,
) -> ModuleOp:
    """The module that ``source`` denotes, verified, each op carrying its place in ``filename``.

    ``first_line`` is the line number of the first line, for text cut out of a longer file. With
    ``implicit_module`` a file of bare functions gets a module around it. Raises OpsirError with a
    location for text that is too large, malformed or does not verify.
    """
    text = "\n" * (first_line - 1) + limits.decode(source, filename)
    limits.check(text, filename)
    parser = _start(context or make_context(), text, filename)
    start = parser.here()
    try:
        module = parser.parse_module(implicit_module)
    except MultipleSpansParseError as error:
        earlier = error.refs[0][0].get_location()
        _fail_syntax(error, parser.place_of(error), f"; {error.ref_text} {earlier}")
    except ParseError as error:
        if parser.forward_ssa_references and "used but not defined" in error.msg:
            parser.fail_undefined()
        _fail_syntax(error, parser.place_of(error))
    except OpsirError as error:
        fail(error.detail, error.location or parser.here(), type(error))
    except RecursionError:
        fail("nested too deeply to parse", parser.here())
    except _LEAKS as error:
        fail(f"malformed IR: {error or type(error).__name__}", parser.here())
    if isinstance(module.location, UnknownLoc):
        module.location = location_attribute(start)
    if verified:
        verify(module)
    return module


def _start(context: Context, text: str, filename: str) -> _LocatingParser:
    """The parser reads its first token when it is made, so that may fail already."""
    try:
        return _LocatingParser(context, text, filename)
    except ParseError as error:
        place = error.span.get_location()
        _fail_syntax(error, Location(place.file, place.line, place.col))


def _fail_syntax(error: ParseError, place: Location, note: str = "") -> NoReturn:
    message = error.msg.strip().rstrip(".!")
    message = _CLEARER.get(message, message[:1].lower() + message[1:])
    fail(message + note, place)


class _LocatingParser(Parser):
    """xDSL's parser, giving every op the place of its first token unless ``loc(...)`` names one."""

    def __init__(self, context: Context, text: str, filename: str) -> None:
        self._lines = [0, *(m.end() for m in re.finditer("\n", text))]
        self._filename = filename
        self._alias_sizes: dict[str, tuple[int, int]] = {}
        self._first_uses: dict[str, int] = {}
        self._op_start = 0
        self._previous = Span(0, 0, Input(text, filename))
        super().__init__(context, text, filename)

    def here(self) -> Location:
        """The place of the token that comes next."""
        return self._place(self.pos)

    def place_of(self, error: ParseError) -> Location:
        """Where to report an error: behind the last token rather than at one on a later line.

        Much of what is wrong with an op shows only once its last token has been read.
        """
        start, end = error.span.start, self._previous.end
        if 0 < end <= start == self.pos and "\n" in self.lexer.input.content[end:start]:
            return self._place(end)
        return self._place(start)

    def fail_undefined(self) -> NoReturn:
        """Report the first use of a value that no operation defines."""
        start, name = min((self._first_uses[n], n) for n in self.forward_ssa_references)
        fail(f"%{name} is used but not defined", self._place(start))

    def _place(self, start: int) -> Location:
        line = bisect_right(self._lines, start)
        return Location(self._filename, line, start - self._lines[line - 1] + 1)

    def _consume_token(self, expected_kind: MLIRTokenKind | None = None) -> MLIRToken:
        token = super()._consume_token(expected_kind)
        self._previous = token.span
        return token

    def _parse_extended_type_or_attribute(  # pyright: ignore[reportIncompatibleMethodOverride]
        self, attr_or_dialect_name: str, is_type: bool
    ) -> Attribute:
        """Report an unknown type at its name; xDSL reports it at whatever comes next."""
        name = self._previous.start
        try:
            return super()._parse_extended_type_or_attribute(attr_or_dialect_name, is_type)
        except ParseError as error:
            if error.msg.endswith("not registered") or error.msg.startswith("undefined symbol"):
                self.raise_error(error.msg, name)
            raise

    def resolve_operand(
        self, operand: UnresolvedOperand, type: AttributeInvT
    ) -> SSAValue[AttributeInvT]:
        self._first_uses.setdefault(operand.operand_name, operand.span.start)
        return super().resolve_operand(operand, type)

    def parse_operation(self) -> Operation:
        location, self._op_start = self.here(), self.pos
        op = super().parse_operation()
        if isinstance(op.location, UnknownLoc):
            op.location = location_attribute(location)
        return op

    def parse_dimension_list(self) -> list[int]:
        start = self.pos
        sizes = super().parse_dimension_list()
        if len(sizes) > limits.MAX_RANK:
            self.raise_error(
                f"rank {len(sizes)} is above the limit of {limits.MAX_RANK}", start, self.pos
            )
        for size in sizes:
            if size > MAX_EXTENT:
                self.raise_error(f"size {size} does not fit 64 bits", start, self.pos)
        return sizes

    def _parse_optional_integer_or_float_type(self) -> TypeAttribute | None:
        """Bound the width: xDSL computes the range of a type, numbers of that many bits."""
        start = self.pos
        found = super()._parse_optional_integer_or_float_type()
        if isinstance(found, IntegerType) and found.width.data > MAX_INTEGER_BITS:
            self.raise_error(
                f"an integer type of {found.width.data} bits is above the limit of "
                f"{MAX_INTEGER_BITS}",
                start,
                self.pos,
            )
        return found

    def _get_op_by_name(self, name: str) -> type[Operation]:
        found = self.ctx.get_optional_op(name, dialect_stack=self._parser_state.dialect_stack)
        if found is None:
            known = ", ".join(self.ctx.registered_dialect_names)
            self.raise_error(f"no operation '{name}' in the dialects {known}", self._op_start)
        return found

    def _parse_alias_def(self) -> None:
        """Bound what an alias expands to: ten lines of aliases can denote a terabyte."""
        name, start = self._current_token, self.pos
        super()._parse_alias_def()
        body = self.lexer.input.content[start : self.pos].partition("=")[2]
        depth, nesting, size = 0, 0, 1
        for token in re.finditer(r"[!#][\w$.-]+|[(\[{<]|(?<!-)[)\]}>]", body):
            inner_depth, inner_size = self._alias_sizes.get(token[0], (0, 1))
            size += inner_size
            nesting = max(nesting, depth + inner_depth)
            depth += {"(": 1, "[": 1, "{": 1, "<": 1}.get(token[0], -1 if len(token[0]) == 1 else 0)
            nesting = max(nesting, depth)
        if nesting > limits.MAX_NESTING or size > MAX_ALIAS_EXPANSION:
            self.raise_error(
                f"alias {name.text} stands for {size} parts nested {nesting} deep; "
                f"the limits are {MAX_ALIAS_EXPANSION} and {limits.MAX_NESTING}",
                name.span,
            )
        self._alias_sizes[name.text] = (nesting, size)

    def _parse_file_metadata_dictionary(self) -> None:
        self.raise_error("file metadata ({-# ... #-}) is not part of opsir's IR")
