"""Types and attributes of the ``opsir`` dialect, and the bridge between them and the dtype table.

Owns how an element type, a weak number, a layout and a literal are written in IR. Knows no op.
"""

from __future__ import annotations

from collections.abc import Sequence
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
from opsir.dialects.opsir.layout import Layout, LayoutAttr
from opsir.dialects.opsir.shapes import DYNAMIC
from opsir.dtypes import DType
from opsir.extent import Extent
from opsir.memory_order import AxisOrder, order_of
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


def axis_order_of(tensor: AnyTensor) -> AxisOrder | None:
    """The order of the axes in memory as far as the type tells; None while a size has no name."""
    extents, strides, layout = extents_of(tensor), strides_of(tensor), layout_of(tensor)
    if extents is None or strides is None:
        return None
    return order_of(extents, strides, layout.order if layout is not None else None)


def layout_problem(attribute: Attribute) -> str | None:
    """Why the layout written on a tensor type does not fit its rank; None where it does."""
    if not isinstance(attribute, TensorType):
        return None
    tensor = cast("AnyTensor", attribute)
    layout, rank = layout_of(tensor), tensor.get_num_dims()
    if layout is None:
        return None
    if layout.strides is not None and len(layout.strides) != rank:
        return f"{tensor} has {len(layout.strides)} strides for {rank} axes"
    if layout.order is not None and any(axis >= rank for axis in layout.order):
        return f"{tensor} orders axis {max(layout.order)}, but its last one is {rank - 1}"
    return None


def tensor_type(
    element: Attribute,
    extents: Sequence[Extent],
    strides: Sequence[Extent] | None = None,
    order: AxisOrder | None = None,
) -> AnyTensor:
    """A tensor type from extents (constants or symbols) and, unless dense, byte strides.

    ``order`` is that of the axes in memory, where the strides do not tell it.
    """
    steps = None if strides is None else tuple(strides)
    return _tensor_type(element, tuple(extents), steps, order)


@lru_cache(maxsize=4096)  # Making a type costs xDSL some fifty microseconds.
def _tensor_type(
    element: Attribute,
    extents: tuple[Extent, ...],
    strides: tuple[Extent, ...] | None,
    order: AxisOrder | None,
) -> AnyTensor:
    shape = [e.value if e.is_constant else DYNAMIC for e in extents]
    names = tuple(e for e in extents if not e.is_constant)
    encoding: Attribute = NoneAttr()
    if names or strides is not None or order is not None:
        encoding = LayoutAttr(Layout(names, strides, order=order))
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
