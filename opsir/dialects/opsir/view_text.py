"""How views are written in IR: ``[1, 0]``, ``[1:, ::-1, 0]``, ``[0, 1] offset 1``.

Owns the text of each kind of view. Knows no op; what a view does lies in ``opsir.view``.
"""

from __future__ import annotations

from collections.abc import Callable

from xdsl.ir import Data
from xdsl.irdl import irdl_attr_definition
from xdsl.parser import AttrParser
from xdsl.printer import Printer

from opsir.dialects.opsir.layout import parse_extent
from opsir.dialects.opsir.shapes import MAX_RANK
from opsir.extent import Extent, fits_int64
from opsir.view import (
    Diagonal,
    ExpandDims,
    Flip,
    Permute,
    Reshape,
    Slice,
    Span,
    Squeeze,
    ViewRule,
)
from opsir.view_symbols import SizeBinding


@irdl_attr_definition
class ViewAttr(Data[ViewRule]):
    """``#opsir.view<permute [1, 0]>``: a view apart from what it is applied to."""

    name = "opsir.view"

    @classmethod
    def parse_parameter(cls, parser: AttrParser) -> ViewRule:
        with parser.in_angle_brackets():
            return parse_named_rule(parser)

    def print_parameter(self, printer: Printer) -> None:
        with printer.in_angle_brackets():
            printer.print_string(f"{self.data.kind} {self.data}")


@irdl_attr_definition
class SizeBindingAttr(Data[SizeBinding]):
    """``#opsir.size_binding<[v] = slice [1:] of [n]>``: the sizes that a view has."""

    name = "opsir.size_binding"

    @classmethod
    def parse_parameter(cls, parser: AttrParser) -> SizeBinding:
        with parser.in_angle_brackets():
            return parse_binding(parser)

    def print_parameter(self, printer: Printer) -> None:
        with printer.in_angle_brackets():
            printer.print_string(str(self.data))


def parse_named_rule(parser: AttrParser) -> ViewRule:
    """Read ``permute [1, 0]``."""
    kind = parser.parse_keyword_in(tuple(_RULES), ": a kind of view")
    return parse_rule(parser, kind)


def parse_rule(parser: AttrParser, kind: str) -> ViewRule:
    """Read what follows the name of a kind of view."""
    return _RULES[kind](parser)


def parse_binding(parser: AttrParser) -> SizeBinding:
    """Read ``[v] = slice [1:] of [n]``."""
    result = _extents(parser)
    parser.parse_punctuation("=")
    rule = parse_named_rule(parser)
    parser.parse_keyword("of")
    return SizeBinding(rule, _extents(parser), result)


def _extents(parser: AttrParser) -> tuple[Extent, ...]:
    square = parser.Delimiter.SQUARE
    return tuple(parser.parse_comma_separated_list(square, lambda: parse_extent(parser)))


def _axes(parser: AttrParser) -> tuple[int, ...]:
    axes = parser.parse_comma_separated_list(
        parser.Delimiter.SQUARE,
        lambda: parser.parse_integer(allow_boolean=False, allow_negative=False),
    )
    if any(axis >= MAX_RANK for axis in axes):
        parser.raise_error(f"an axis is below the rank limit of {MAX_RANK}")
    return tuple(axes)


def _integer(parser: AttrParser) -> int | None:
    value = parser.parse_optional_integer(allow_boolean=False)
    if value is not None and not fits_int64(value):
        parser.raise_error("a position needs more than 64 bits")
    return value


def _item(parser: AttrParser) -> Span | int:
    start = _integer(parser)
    if parser.parse_optional_punctuation(":") is None:
        if start is None:
            parser.raise_error("expected an index or a slice such as 1:, ::-1 or 2:8:3")
        return start
    stop = _integer(parser)
    if parser.parse_optional_punctuation(":") is None:
        return Span(start, stop)
    step = _integer(parser)
    return Span(start, stop, 1 if step is None else step)


def _slice(parser: AttrParser) -> Slice:
    square = parser.Delimiter.SQUARE
    return Slice(tuple(parser.parse_comma_separated_list(square, lambda: _item(parser))))


def _diagonal(parser: AttrParser) -> Diagonal:
    axes = _axes(parser)
    if len(axes) != 2:
        parser.raise_error(f"a diagonal runs along two axes, got {len(axes)}")
    parser.parse_keyword("offset")
    offset = _integer(parser)
    if offset is None:
        parser.raise_error("expected the offset of the diagonal")
    return Diagonal(offset, (axes[0], axes[1]))


_RULES: dict[str, Callable[[AttrParser], ViewRule]] = {
    "permute": lambda parser: Permute(_axes(parser)),
    "slice": _slice,
    "flip": lambda parser: Flip(_axes(parser)),
    "expand_dims": lambda parser: ExpandDims(_axes(parser)),
    "squeeze": lambda parser: Squeeze(_axes(parser)),
    "diagonal": _diagonal,
    "reshape": lambda parser: Reshape(_extents(parser)),
}
