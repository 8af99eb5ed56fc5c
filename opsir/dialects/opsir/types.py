"""Types and attributes of the ``opsir`` dialect, and the bridge between them and the dtype table.

Owns how an element type, a weak number, a layout and a literal are written in IR. Knows no op.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from math import isfinite
from typing import Any, Literal, TypeAlias, cast

import numpy as np
from xdsl.dialects.builtin import (
    BFloat16Type,
    Float16Type,
    Float32Type,
    Float64Type,
    IntegerType,
    NoneAttr,
    Signedness,
    TensorType,
    UnrankedTensorType,
)
from xdsl.ir import Attribute, Data, ParametrizedAttribute, TypeAttribute
from xdsl.irdl import irdl_attr_definition
from xdsl.parser import AttrParser
from xdsl.printer import Printer

from opsir import dtypes
from opsir.dialects.opsir.shapes import DYNAMIC
from opsir.dtypes import DType
from opsir.extent import Extent
from opsir.weak import nearest

WeakKind = Literal["int", "float"]


@irdl_attr_definition
class WeakType(Data[str], TypeAttribute):
    """``!opsir.weak<int>`` or ``!opsir.weak<float>``: a Python number that has no dtype yet.

    Legal up to ``promote-types``, which gives it the dtype that its uses decide.
    """

    name = "opsir.weak"

    @classmethod
    def parse_parameter(cls, parser: AttrParser) -> str:
        with parser.in_angle_brackets():
            return parser.parse_keyword_in(("int", "float"), ": a weak number is int or float")

    def print_parameter(self, printer: Printer) -> None:
        with printer.in_angle_brackets():
            printer.print_string(self.data)


@irdl_attr_definition
class InferType(ParametrizedAttribute, TypeAttribute):
    """``!opsir.infer``: an element type that ``promote-types`` has not decided yet."""

    name = "opsir.infer"


@dataclass(frozen=True, slots=True)
class Layout:
    """Where the elements of a tensor lie, relative to its base address.

    ``sizes`` holds one symbol for each dynamic axis, in order. ``strides`` are bytes per step of
    each axis, outermost axis first; ``start`` is the byte offset of element 0.
    """

    sizes: tuple[Extent, ...]
    strides: tuple[Extent, ...] | None = None
    start: Extent = Extent(0)


def parse_extent(parser: AttrParser) -> Extent:
    """``4``, ``n``, ``n*m*-4``: a product of symbols and at most one integer."""
    text = ""
    while True:
        name = parser.parse_optional_identifier()
        text += name if name is not None else str(parser.parse_integer(allow_boolean=False))
        if parser.parse_optional_punctuation("*") is None:
            return Extent.parse(text)
        text += "*"


@irdl_attr_definition
class LayoutAttr(Data[Layout]):
    """``#opsir.layout<sizes [n, m], strides [m*4, 4], start 0>``; default parts are left out.

    ``sizes`` names the dynamic axes only. Without ``strides`` the tensor is dense and row-major.
    """

    name = "opsir.layout"

    @classmethod
    def parse_parameter(cls, parser: AttrParser) -> Layout:
        sizes: list[Extent] = []
        strides: list[Extent] | None = None
        start = Extent(0)

        def part() -> None:
            nonlocal sizes, strides, start
            word = parser.parse_keyword_in(("sizes", "strides", "start"), ": in #opsir.layout")
            if word == "start":
                start = parse_extent(parser)
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
        return Layout(tuple(sizes), None if strides is None else tuple(strides), start)

    def print_parameter(self, printer: Printer) -> None:
        layout = self.data
        parts: list[str] = []
        if layout.sizes:
            parts.append(f"sizes [{', '.join(map(str, layout.sizes))}]")
        if layout.strides is not None:
            parts.append(f"strides [{', '.join(map(str, layout.strides))}]")
        if layout.start != Extent(0):
            parts.append(f"start {layout.start}")
        with printer.in_angle_brackets():
            printer.print_string(", ".join(parts))


@irdl_attr_definition
class NumberAttr(Data[str]):
    """A literal as canonical text, so that equality means equal bits and NaN equals itself.

    Bools are ``true`` and ``false``; integers decimal; finite floats the shortest decimal that
    reads back to the same bits; infinities and NaNs the bit pattern in hexadecimal.
    """

    name = "opsir.number"

    @classmethod
    def parse_parameter(cls, parser: AttrParser) -> str:
        with parser.in_angle_brackets():
            return parser.parse_str_literal()

    def print_parameter(self, printer: Printer) -> None:
        with printer.in_angle_brackets():
            printer.print_string_literal(self.data)


AnyTensor: TypeAlias = TensorType[Attribute]
AnyUnranked: TypeAlias = UnrankedTensorType[Attribute]

_TYPES: dict[str, Attribute] = {
    "bool": IntegerType(1),
    "f16": Float16Type(),
    "bf16": BFloat16Type(),
    "f32": Float32Type(),
    "f64": Float64Type(),
    **{f"i{b}": IntegerType(b) for b in (8, 16, 32, 64)},
    **{f"u{b}": IntegerType(b, Signedness.UNSIGNED) for b in (8, 16, 32, 64)},
}
_DTYPES: dict[Attribute, DType] = {_TYPES[d.name]: d for d in dtypes.ALL}


def type_of(dtype: DType) -> Attribute:
    """The builtin scalar type that stands for ``dtype`` in IR."""
    return _TYPES[dtype.name]


def dtype_of(attribute: Attribute) -> DType | None:
    """The dtype that a scalar type stands for; None for weak, undecided and foreign types."""
    return _DTYPES.get(attribute)


def element_of(attribute: Attribute) -> Attribute:
    """The element type of a tensor type; a scalar type is its own element type."""
    if isinstance(attribute, TensorType | UnrankedTensorType):
        return cast("AnyTensor | AnyUnranked", attribute).element_type
    return attribute


def is_tensor(attribute: Attribute) -> bool:
    """Whether a type is a tensor, of known rank or not."""
    return isinstance(attribute, TensorType | UnrankedTensorType)


@lru_cache(maxsize=4096)
def with_element(attribute: Attribute, element: Attribute) -> Attribute:
    """The same kind of type (scalar, shape, layout-free) with another element type."""
    if isinstance(attribute, TensorType):
        tensor = cast("AnyTensor", attribute)
        return TensorType(element, tensor.shape.data, sizes_only(tensor))
    if isinstance(attribute, UnrankedTensorType):
        return UnrankedTensorType(element)
    return element


def sizes_only(tensor: AnyTensor) -> Attribute:
    """The encoding that keeps the names of the dynamic axes and nothing of the memory order."""
    layout = layout_of(tensor)
    return LayoutAttr(Layout(layout.sizes)) if layout and layout.sizes else NoneAttr()


def layout_of(tensor: AnyTensor) -> Layout | None:
    """The layout written on a tensor type, or None where it carries no encoding."""
    encoding = tensor.encoding
    return encoding.data if isinstance(encoding, LayoutAttr) else None


def extents_of(tensor: AnyTensor) -> tuple[Extent, ...] | None:
    """One extent per axis, outermost first; None while a dynamic axis has no name."""
    layout = layout_of(tensor)
    names = iter(layout.sizes if layout else ())
    extents: list[Extent] = []
    for size in tensor.get_shape():
        if size != DYNAMIC:
            extents.append(Extent(size))
        elif (name := next(names, None)) is not None:
            extents.append(name)
        else:
            return None
    return tuple(extents)


def dense_strides(extents: Sequence[Extent], itemsize: int) -> tuple[Extent, ...]:
    """Row-major byte strides: the last axis steps by ``itemsize`` bytes."""
    strides = [Extent(itemsize)]
    for extent in reversed(extents[1:]):
        strides.append(strides[-1] * extent)
    return tuple(reversed(strides[: len(extents)]))


def strides_of(tensor: AnyTensor) -> tuple[Extent, ...] | None:
    """Byte strides, outermost axis first; dense row-major where the layout names none."""
    layout = layout_of(tensor)
    if layout is not None and layout.strides is not None:
        return layout.strides
    extents, dtype = extents_of(tensor), dtype_of(tensor.element_type)
    if extents is None or dtype is None:
        return None
    return dense_strides(extents, dtype.itemsize)


def tensor_type(
    element: Attribute,
    extents: Sequence[Extent],
    strides: Sequence[Extent] | None = None,
) -> AnyTensor:
    """A tensor type from extents (constants or symbols) and, unless dense, byte strides."""
    return _tensor_type(element, tuple(extents), None if strides is None else tuple(strides))


@lru_cache(maxsize=4096)  # Making a type costs xDSL some fifty microseconds.
def _tensor_type(
    element: Attribute, extents: tuple[Extent, ...], strides: tuple[Extent, ...] | None
) -> AnyTensor:
    shape = [e.value if e.is_constant else DYNAMIC for e in extents]
    names = tuple(e for e in extents if not e.is_constant)
    encoding: Attribute = NoneAttr()
    if names or strides is not None:
        encoding = LayoutAttr(Layout(names, strides))
    return TensorType(element, shape, encoding)


def number(value: Any, dtype: DType | WeakKind) -> NumberAttr:
    """The literal for ``value``, rounded once to ``dtype`` where it is a float dtype."""
    if dtype == "int":
        return NumberAttr(str(int(value)))
    row = dtypes.F64 if isinstance(dtype, str) else dtype
    if row.is_logical:
        return NumberAttr("true" if value else "false")
    if row.is_integer:
        return NumberAttr(str(int(value)))
    exact = value if isinstance(value, row.numpy.type) else nearest(value, row)
    if isfinite(float(exact)):
        return NumberAttr(_shortest(exact))
    bits = int(np.asarray(exact).view(f"u{row.itemsize}")[()])
    return NumberAttr(f"0x{bits:0{row.bits // 4}X}")


def _shortest(value: Any) -> str:
    """Shortest decimal of a finite float, with the point that IR text asks of every float."""
    digits, e, exponent = str(value).partition("e")
    return digits + ("" if "." in digits else ".0") + e + exponent


def number_value(literal: NumberAttr, dtype: DType | WeakKind) -> Any:
    """The NumPy scalar (or Python number, for a weak literal) that a literal denotes."""
    text = literal.data
    if dtype == "int":
        return int(text)
    row = dtypes.F64 if isinstance(dtype, str) else dtype
    if row.is_logical:
        return np.bool_(text == "true")
    if row.is_integer:
        return row.numpy.type(int(text))
    if text.startswith("0x"):
        bits = np.asarray(int(text, 16), f"u{row.itemsize}")
        value = bits.view(row.numpy)[()]
    else:
        value = nearest(float(text), row)
    return float(value) if isinstance(dtype, str) else value
