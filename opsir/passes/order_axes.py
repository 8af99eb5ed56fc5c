"""The pass ``order-axes``: the loop order follows memory, not the order the axes were written in.

Owns when a permutation is worth it. What an order does to addresses lies in ``opsir.trajectory``.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import cast

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp, TensorType
from xdsl.dialects.func import FuncOp
from xdsl.ir import SSAValue
from xdsl.passes import ModulePass

from opsir.dialects import editing
from opsir.dialects.nest import KernelOp
from opsir.dialects.opsir import ElementwiseOp
from opsir.dialects.opsir.types import (
    AnyTensor,
    axis_order_of,
    dtype_of,
    element_of,
    strides_of,
)
from opsir.extent import ONE, ZERO, Extent
from opsir.memory_order import AxisOrder


@dataclass(frozen=True)
class OrderAxesPass(ModulePass):
    """Permute the axes of each kernel so that the smallest steps are innermost.

    Before::

        nest.kernel extents [n, 8] ins(%a : T along [4, n*4]) outs(T along [4, n*4]) {...}

    After::

        nest.kernel extents [8, n] ins(%a : T along [n*4, 4]) outs(T along [n*4, 4]) {...}

    Results decide first, then operands in their order, each where it moves along both of two axes.
    What counts is the order that steps have as products of sizes, else the one that the types of
    arguments state (``order`` in ``#opsir.layout``), else that a pitch exceeds a product of sizes.
    Equal steps and those of which nothing is known keep the order as written.

    Where an operand steps over elements along the innermost axis but is dense along another one,
    as ``a.T`` in ``a.T + b``, that axis comes second: each of its cache lines is used up by the
    two innermost loops, which are also what a tile spans. Axes that would merge stay together.

    An order that would evaluate an expensive op more often than the written one is refused.

    Requires: lower-to-nest. Ensures: the same addresses, each as often, in another order.
    """

    name = "order-axes"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        for function in editing.functions_of(op):
            chains = _stated_chains(function)
            for kernel in function.walk():
                if isinstance(kernel, KernelOp):
                    _order(kernel, chains)


def _stated_chains(function: FuncOp) -> list[tuple[Extent, ...]]:
    """Per tensor argument and result its strides in the order that its type tells."""
    types = [*function.function_type.inputs.data, *function.function_type.outputs.data]
    chains: list[tuple[Extent, ...]] = []
    for type in types:
        if isinstance(type, TensorType):
            tensor = cast("AnyTensor", type)
            order, strides = axis_order_of(tensor), strides_of(tensor)
            if order is not None and strides is not None:
                chains.append(tuple(strides[axis] for axis in order))
    return chains


def _order(kernel: KernelOp, chains: Sequence[Sequence[Extent]]) -> None:
    space = kernel.space
    order = space.order(kernel.output_indices, chains)
    for wanted in (with_lines_inside(kernel, order), order):
        if wanted == tuple(range(len(wanted))):
            return
        if may_permute(kernel, wanted) is None:
            kernel.set_space(space.permute(wanted), [(axis,) for axis in wanted])
            return


def with_lines_inside(kernel: KernelOp, order: AxisOrder) -> AxisOrder:
    """``order`` with the axis second from inside along which an operand fills cache lines.

    The first operand counts that moves by one element along some axis and by more along the
    innermost one.
    """
    _, groups = kernel.space.permute(order).coalesce()
    if len(groups) < 3:
        return order
    inner = order[groups[-1][-1]]
    for index in kernel.tensor_inputs:
        move = kernel.input_trajectory(index)
        assert move is not None
        if move.strides[inner] == ZERO or _is_unit(kernel, index, inner):
            continue
        dense = next((g for g in groups[:-1] if _is_unit(kernel, index, order[g[-1]])), None)
        if dense is not None:
            moved = {order[axis] for axis in dense}
            last = {order[axis] for axis in groups[-1]}
            outer = [axis for axis in order if axis not in moved | last]
            return (*outer, *(order[a] for a in dense), *(order[a] for a in groups[-1]))
    return order


def _is_unit(kernel: KernelOp, index: int, axis: int) -> bool:
    """Whether operand ``index`` moves by one element, forward or backward, along ``axis``."""
    move, dtype = kernel.input_trajectory(index), dtype_of(element_of(kernel.inputs[index].type))
    assert move is not None
    assert dtype is not None
    return move.strides[axis] in (Extent(dtype.itemsize), Extent(-dtype.itemsize))


def may_permute(kernel: KernelOp, order: Sequence[int]) -> str | None:
    """Why running the axes in ``order`` would repeat expensive work, or None if it would not."""
    extents = kernel.extents.data
    many = {axis for axis, extent in enumerate(extents) if extent != ONE}
    for op, varying in expensive_axes(kernel).items():
        before = _runs(range(len(extents)), varying, many)
        after = _runs(order, varying, many)
        if after - before:
            return f"'{op.name}' would also run along axis {min(after - before)}"
    return None


def _runs(order: Sequence[int], varying: set[int], many: set[int]) -> set[int]:
    """The axes along which an op is evaluated: all that enclose the innermost it depends on."""
    depth = max((place for place, axis in enumerate(order) if axis in varying), default=-1)
    return {axis for axis in order[: depth + 1] if axis in many}


def expensive_axes(kernel: KernelOp) -> dict[ElementwiseOp, set[int]]:
    """The expensive ops of a kernel's body, each with the axes on which its value depends."""
    axes: dict[SSAValue, set[int]] = {}
    for index, argument in enumerate(kernel.block.args):
        move = kernel.input_trajectory(index)
        steps = () if move is None else move.strides
        axes[argument] = {axis for axis, step in enumerate(steps) if step != ZERO}
    found: dict[ElementwiseOp, set[int]] = {}
    for op in kernel.block.ops:
        varying = set[int]().union(*(axes[o] for o in op.operands))
        for result in op.results:
            axes[result] = varying
        if isinstance(op, ElementwiseOp) and op.expensive:
            found[op] = varying
    return found
