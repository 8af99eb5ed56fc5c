"""The type of a view of memory: its sizes, and where its elements lie.

Owns what a type says of the strides and of their order. Knows no op and no pass.
"""

from __future__ import annotations

from collections.abc import Sequence

from opsir.dialects.opsir.types import (
    AnyTensor,
    axis_order_of,
    dense_strides,
    dtype_of,
    tensor_type,
)
from opsir.extent import ONE, Extent
from opsir.memory_order import AxisOrder, order_of
from opsir.view import Reshape, ViewRule, origins


def memory_type(
    rule: ViewRule, operand: AnyTensor, sizes: Sequence[Extent], strides: Sequence[Extent]
) -> AnyTensor:
    """The type of ``rule`` of an ``operand``; dense row-major strides go without saying.

    The order of the axes is stated where the operand's type tells it and the strides do not.
    """
    element, dtype = operand.element_type, dtype_of(operand.element_type)
    assert dtype is not None
    dense = dense_strides(sizes, dtype.itemsize)
    if all(s == d for n, s, d in zip(sizes, strides, dense, strict=True) if n != ONE):
        return tensor_type(element, sizes)
    order = _axis_order(rule, operand)
    stated = None if order == order_of(sizes, strides) else order
    return tensor_type(element, sizes, strides, stated)


def _axis_order(rule: ViewRule, operand: AnyTensor) -> AxisOrder | None:
    """The order of the result's axes, where each steps as far as one of the operand's."""
    outside = axis_order_of(operand)
    if isinstance(rule, Reshape) or outside is None:
        return None
    parts = origins(rule, operand.get_num_dims())
    if any(len(p) > 1 or abs(o.step) != 1 for p in parts for o in p):
        return None
    places = {p[0].axis: axis for axis, p in enumerate(parts) if p}
    return tuple(places[axis] for axis in outside if axis in places)
