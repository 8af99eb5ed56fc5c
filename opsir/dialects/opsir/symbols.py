"""Symbols in tensor types: the sizes that they name, and types written in terms of other symbols.

Owns the way between a tensor type and a shape under inference. Knows no op and no pass.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import cast

from xdsl.dialects.builtin import TensorType
from xdsl.ir import Attribute

from opsir.dialects.opsir.layout import Layout, LayoutAttr
from opsir.dialects.opsir.types import DYNAMIC, AnyTensor, layout_of
from opsir.extent import ZERO, Extent
from opsir.sizes import Axis, Mismatch, Shape, Size, Source, constant


class Symbols:
    """The size that each symbol of one function stands for."""

    def __init__(self, types: Iterable[Attribute]) -> None:
        """``types`` are those in which no fresh symbol may appear."""
        self.sizes: dict[str, Size] = {}
        self._taken = {symbol for type in types for symbol in symbols_of(type)}

    def argument_shape(self, number: int, tensor: AnyTensor) -> Shape:
        """The shape of argument ``number``; dynamic axes without a name get ``s<number>_<axis>``.

        Raises Mismatch where the type names more or fewer sizes than it has dynamic axes.
        """
        layout = layout_of(tensor)
        named = list(layout.sizes) if layout else []
        dynamic = [axis for axis, size in enumerate(tensor.get_shape()) if size == DYNAMIC]
        if named and len(named) != len(dynamic):
            raise Mismatch(f"{tensor} must name as many sizes as it has dynamic axes")
        names = {a: n.symbols[0] for a, n in zip(dynamic, named, strict=False)}
        axes: list[Axis] = []
        for axis, value in enumerate(tensor.get_shape()):
            source = (number, axis)
            if value == DYNAMIC:
                symbol = names.get(axis) or self._fresh(source)
                size = self.sizes.setdefault(symbol, Size(symbol, None, source))
            else:
                size = Size("", value, source)
            axes.append(Axis(size, origin=source))
        return tuple(axes)

    def stated_shape(
        self, type: Attribute, lent: Mapping[int, Axis], *, may_introduce: bool = False
    ) -> Shape:
        """The shape that the type of a value states.

        A dynamic axis without a name has the size that ``lent`` gives it. Raises Mismatch for what
        neither says, and for names that are no argument's, unless they ``may_introduce`` one: the
        array that receives a function's result may be larger than what is computed.
        """
        if not isinstance(type, TensorType):
            raise Mismatch(f"{type}, whose shape nothing decides")
        tensor = cast("AnyTensor", type)
        layout = layout_of(tensor)
        named = iter(layout.sizes if layout else ())
        axes: list[Axis] = []
        for axis, value in enumerate(tensor.get_shape()):
            if value != DYNAMIC:
                axes.append(constant(value))
            elif (name := next(named, None)) is not None:
                axes.append(Axis(self._known(name.symbols[0], type, may_introduce)))
            elif axis in lent:
                axes.append(lent[axis])
            else:
                raise Mismatch(f"{type}, whose size on axis {axis} nothing decides")
        return tuple(axes)

    def _known(self, symbol: str, type: Attribute, may_introduce: bool) -> Size:
        known = self.sizes.get(symbol)
        if known is not None:
            return known
        if not may_introduce:
            raise Mismatch(f"{type}, but '{symbol}' is no size of an argument")
        return self.sizes.setdefault(symbol, Size(symbol, None))

    def renamed(self) -> dict[str, Extent]:
        """The symbols that turned out to be another symbol or a constant."""
        found = {name: size.extent() for name, size in self.sizes.items()}
        return {name: extent for name, extent in found.items() if extent.symbols != (name,)}

    def _fresh(self, source: Source) -> str:
        return self.fresh(f"s{source[0]}_{source[1]}")

    def fresh(self, name: str) -> str:
        """``name``, or one like it that is not taken."""
        while name in self._taken:
            name += "_"
        self._taken.add(name)
        return name


def symbols_of(type: Attribute) -> set[str]:
    """Every symbol in the layout of a tensor type."""
    layout = layout_of(cast("AnyTensor", type)) if isinstance(type, TensorType) else None
    if layout is None:
        return set()
    extents = (*layout.sizes, *(layout.strides or ()), layout.start)
    return {symbol for extent in extents for symbol in extent.symbols}


def extents_of_shape(shape: Shape) -> tuple[Extent, ...]:
    """One extent per axis, as known so far."""
    return tuple(axis.size.extent() for axis in shape)


def with_memory_order(type: AnyTensor, given: Layout, renamed: Mapping[str, Extent]) -> AnyTensor:
    """``type`` with strides, start and order as ``given`` states them, in terms of new symbols."""
    if given.strides is None and given.start == ZERO and given.order is None:
        return type
    strides, sizes = given.strides, layout_of(type)
    if strides is not None and renamed:
        strides = tuple(_substitute(stride, renamed) for stride in strides)
    start = _substitute(given.start, renamed)
    encoding = LayoutAttr(Layout(sizes.sizes if sizes else (), strides, start, given.order))
    return TensorType(type.element_type, type.shape, encoding)


def _substitute(extent: Extent, renamed: Mapping[str, Extent]) -> Extent:
    product = Extent(extent.coefficient)
    for symbol in extent.symbols:
        product = product * renamed.get(symbol, Extent(1, (symbol,)))
    return product
