"""The pass ``lay-out-results``: results lie in memory as NumPy's ``order="K"`` would have them.

Owns which order of axes each value would have if it were computed op by op. The rule for one op
lies in ``opsir.memory_order``; knows no kernel and no allocation.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import cast

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp, TensorType
from xdsl.dialects.func import FuncOp, ReturnOp
from xdsl.ir import Operation, SSAValue
from xdsl.passes import ModulePass

from opsir.diagnostics import fail
from opsir.dialects import editing
from opsir.dialects.locations import fail_at
from opsir.dialects.opsir import BroadcastOp, CastOp, ElementwiseOp
from opsir.dialects.opsir.types import (
    AnyTensor,
    axis_order_of,
    dtype_of,
    extents_of,
    layout_of,
    strides_of,
    tensor_type,
)
from opsir.dialects.opsir.views import CopyOp, ViewOp
from opsir.extent import ONE
from opsir.memory_order import AxisOrder, dense_in_order, keep_order
from opsir.view_symbols import order_of_view

ORDERS = ("C", "K")


@dataclass(frozen=True)
class LayOutResultsPass(ModulePass):
    """Give each result of a function the memory order that its operands agree on.

    Before, with ``order=K``, ``!f`` for ``tensor<?x?xf32, #opsir.layout<sizes [n, m], strides
    [4, n*4]>>`` and ``!c`` for the same without strides::

        %r = opsir.add %a, %b : (!f, !f) -> !c
        func.return %r : !c

    After::

        %r = opsir.add %a, %b : (!f, !f) -> !c
        %s = opsir.broadcast %r : !c to !f
        func.return %s : !f

    The rule is NumPy's, op by op: an axis goes outside one that is written before it only if every
    operand that moves along both has them so; a result is dense in that order. A broadcast and a
    cast keep the order of their operand: NumPy stores neither on its way into an op. A view shows
    the order of what it views. With ``order=C``, the default, results stay row-major. A result
    whose type states strides is left alone: it is meant for an array that lies so.

    NumPy has it otherwise where a cast of its own, ``astype``, meets an axis that repeats elements,
    which it puts innermost, and where a reshape is a view only for the sizes of a certain call.

    Requires: infer-shapes. Ensures: results whose type states strides that lie dense in some
    order, where they did not state any before. Changes no value.
    """

    name = "lay-out-results"

    order: str = "C"
    """"C" for row-major results, "K" for those of NumPy."""

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        if self.order not in ORDERS:
            fail(f"lay-out-results: order is one of {', '.join(ORDERS)}, got {self.order!r}")
        if self.order == "K":
            for function in editing.functions_of(op):
                _lay_out(function)


def _lay_out(function: FuncOp) -> None:
    last = function.body.block.last_op
    if not isinstance(last, ReturnOp):
        return
    orders: dict[SSAValue, AxisOrder] = {}
    for argument in function.body.block.args:
        if isinstance(argument.type, TensorType):
            orders[argument] = _order_of(function, cast("AnyTensor", argument.type))
    for op in function.body.block.ops:
        if (order := _result_order(op, orders)) is not None:
            orders[op.results[0]] = order
    for index, value in enumerate(last.arguments):
        if (placed := _placed(value, last, orders)) is not None:
            last.operands[index] = placed.result
    editing.update_function_type(function)


def _order_of(where: Operation, tensor: AnyTensor) -> AxisOrder:
    order = axis_order_of(tensor)
    if order is None:
        fail_at(where, f"needs named sizes, got {tensor}: run infer-shapes first")
    return order


def _result_order(op: Operation, orders: dict[SSAValue, AxisOrder]) -> AxisOrder | None:
    """How the result of ``op`` would lie; None for no tensor and for ops of other kinds."""
    if not op.results or not isinstance(op.results[0].type, TensorType):
        return None
    if isinstance(op, CastOp):
        return orders.get(op.operand)
    if isinstance(op, BroadcastOp):
        axes = op.axis_map()
        return tuple(axes[axis] for axis in orders.get(op.operand, ()))
    if isinstance(op, ViewOp | CopyOp):
        return _seen(op, orders)
    if isinstance(op, ElementwiseOp):
        return _kept(op.result, [orders[o] for o in op.operands if o in orders])
    return None


def _seen(op: ViewOp | CopyOp, orders: dict[SSAValue, AxisOrder]) -> AxisOrder | None:
    """How a view or a row-major copy lies."""
    own, order = extents_of(cast("AnyTensor", op.operand.type)), orders.get(op.operand)
    sizes = extents_of(cast("AnyTensor", op.result.type))
    if own is None or sizes is None or order is None:
        return None
    if isinstance(op, CopyOp):
        return tuple(axis for axis, size in enumerate(sizes) if size != ONE)
    return order_of_view(op.rule, own, order, sizes)


def _kept(value: SSAValue, operands: list[AxisOrder]) -> AxisOrder:
    """The axes of a new array in NumPy's order, without those of size 1."""
    shape = cast("AnyTensor", value.type).get_shape()
    return tuple(axis for axis in keep_order(len(shape), operands) if shape[axis] != 1)


def _placed(
    value: SSAValue, last: ReturnOp, orders: dict[SSAValue, AxisOrder]
) -> BroadcastOp | None:
    """A result in the order that it should lie in; None where that is how it lies."""
    order = orders.get(value)
    if order is None:
        return None
    tensor = cast("AnyTensor", value.type)
    extents, strides, layout = extents_of(tensor), strides_of(tensor), layout_of(tensor)
    dtype = dtype_of(tensor.element_type)
    if extents is None or strides is None or dtype is None:
        fail_at(last, f"needs a dtype and named sizes, got {tensor}: run infer-shapes first")
    if layout is not None and layout.strides is not None:
        return None
    wanted = dense_in_order(extents, keep_order(len(extents), [order]), dtype.itemsize)
    pairs = zip(extents, strides, wanted, strict=True)
    if all(given == stride for extent, given, stride in pairs if extent != ONE):
        return None
    owner = value.owner if isinstance(value.owner, Operation) else last
    placed = BroadcastOp.of(value, tensor_type(tensor.element_type, extents, wanted), like=owner)
    editing.insert_before(placed, last)
    return placed
