"""The pass ``order-axes``: the loop order follows memory, not the order the axes were written in.

Owns when a permutation is worth it. What an order does to addresses lies in ``opsir.trajectory``.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import SSAValue
from xdsl.passes import ModulePass

from opsir.dialects.nest import KernelOp
from opsir.dialects.opsir import ElementwiseOp
from opsir.extent import ONE, ZERO


@dataclass(frozen=True)
class OrderAxesPass(ModulePass):
    """Permute the axes of each kernel so that the smallest steps are innermost.

    Before::

        nest.kernel extents [n, 8] ins(%a : T along [4, n*4]) outs(T along [4, n*4]) {...}

    After::

        nest.kernel extents [8, n] ins(%a : T along [n*4, 4]) outs(T along [n*4, 4]) {...}

    Results decide first, then operands in their order; only steps whose order is proven count,
    the rest keeps the order in which it was written. An order that would evaluate an expensive op
    more often than the written one is refused.

    Requires: lower-to-nest. Ensures: the same addresses, each as often, in another order.
    """

    name = "order-axes"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        for kernel in op.walk():
            if isinstance(kernel, KernelOp):
                _order(kernel)


def _order(kernel: KernelOp) -> None:
    space = kernel.space
    order = space.order(kernel.output_indices)
    if order != tuple(range(len(order))) and may_permute(kernel, order) is None:
        kernel.set_space(space.permute(order), [(axis,) for axis in order])


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
