"""The layout written on a tensor type: where its elements lie relative to its base address.

Owns the attribute and its text. Knows no type: what a layout means for a shape lies in ``types``.
"""

from __future__ import annotations

from dataclasses import dataclass

from xdsl.ir import Data
from xdsl.irdl import irdl_attr_definition
from xdsl.parser import AttrParser
from xdsl.printer import Printer

from opsir.extent import Extent
from opsir.memory_order import AxisOrder


@dataclass(frozen=True, slots=True)
class Layout:
    """Where the elements of a tensor lie, relative to its base address.

    ``sizes`` holds one symbol for each dynamic axis, in order. ``strides`` are bytes per step of
    each axis, outermost axis first; ``start`` is the byte offset of element 0. ``order`` lists
    axes by descending |stride| where the strides alone do not tell; equal ones go by axis number.
    """

    sizes: tuple[Extent, ...]
    strides: tuple[Extent, ...] | None = None
    start: Extent = Extent(0)
    order: AxisOrder | None = None


def parse_extent(parser: AttrParser) -> Extent:
    """``4``, ``n``, ``n*m*-4``: a product of symbols and at most one integer."""
    text = ""
    while True:
        name = parser.parse_optional_identifier()
        text += name if name is not None else str(parser.parse_integer(allow_boolean=False))
        if parser.parse_optional_punctuation("*") is None:
            return Extent.parse(text)
        text += "*"


def _parse_order(parser: AttrParser) -> AxisOrder:
    axes = parser.parse_comma_separated_list(
        parser.Delimiter.SQUARE,
        lambda: parser.parse_integer(allow_boolean=False, allow_negative=False),
    )
    if len(set(axes)) != len(axes):
        parser.raise_error(f"order in #opsir.layout names each axis at most once, got {axes}")
    return tuple(axes)


@irdl_attr_definition
class LayoutAttr(Data[Layout]):
    """``#opsir.layout<sizes [n, m], strides [s, 4], start 0, order [0, 1]>``.

    Default parts are left out. ``sizes`` names the dynamic axes only. Without ``strides`` the
    tensor is dense and row-major. ``order`` says which axes take the larger steps.
    """

    name = "opsir.layout"

    @classmethod
    def parse_parameter(cls, parser: AttrParser) -> Layout:
        sizes: list[Extent] = []
        strides: list[Extent] | None = None
        start = Extent(0)
        order: AxisOrder | None = None

        def part() -> None:
            nonlocal sizes, strides, start, order
            words = ("sizes", "strides", "start", "order")
            word = parser.parse_keyword_in(words, ": in #opsir.layout")
            if word == "start":
                start = parse_extent(parser)
                return
            if word == "order":
                order = _parse_order(parser)
                return
            values = parser.parse_comma_separated_list(
                parser.Delimiter.SQUARE, lambda: parse_extent(parser)
            )
            if word == "sizes":
                sizes = values
            else:
                strides = values

        parser.parse_comma_separated_list(parser.Delimiter.ANGLE, part)
        for size in sizes:
            if len(size.symbols) != 1 or size.coefficient != 1:
                parser.raise_error(f"a size in #opsir.layout is one symbol, got {size}")
        return Layout(tuple(sizes), None if strides is None else tuple(strides), start, order)

    def print_parameter(self, printer: Printer) -> None:
        layout = self.data
        parts: list[str] = []
        if layout.sizes:
            parts.append(f"sizes [{', '.join(map(str, layout.sizes))}]")
        if layout.strides is not None:
            parts.append(f"strides [{', '.join(map(str, layout.strides))}]")
        if layout.start != Extent(0):
            parts.append(f"start {layout.start}")
        if layout.order is not None:
            parts.append(f"order {list(layout.order)}")
        with printer.in_angle_brackets():
            printer.print_string(", ".join(parts))
