"""The pass ``schedule``: how many elements each kernel computes side by side.

Owns the choice of lanes as a policy over a machine's register width. A schedule never changes a
result; an attribute written by hand is kept.
"""

from __future__ import annotations

from dataclasses import dataclass

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import Attribute, SSAValue
from xdsl.passes import ModulePass

from opsir.diagnostics import fail
from opsir.dialects.nest import KernelOp
from opsir.dialects.opsir import ElementwiseOp
from opsir.dialects.opsir.types import dtype_of, element_of
from opsir.extent import ZERO, Extent

MAX_LANES = 64
REGISTERS_PER_VALUE = 4
"""A value may take up to this many registers before the widest element narrows the vector."""
STRIDED_LANES = 8
"""Lanes where an operand is gathered element by element: more only grow the code."""


@dataclass(frozen=True)
class SchedulePass(ModulePass):
    """Choose the lanes of every kernel that has none.

    Before::

        nest.kernel extents [n] ins(%a : tensor<?xf32> along [4]) outs(...) {...}

    After, for 32-byte registers::

        nest.kernel extents [n] ins(%a : tensor<?xf32> along [4]) outs(...)
            attributes {lanes = 8 : i64} {...}

    A register full of the narrowest element that moves through memory, so that loads and stores
    are full width; fewer where the widest element of the body would then need more than four
    registers. One lane for a kernel without axes; few where a body calls a function per element.

    Requires: lower-to-nest. Ensures: every kernel has lanes, a power of two up to 64.
    """

    name = "schedule"

    vector_bytes: int = 32
    """Width of a vector register in bytes: 16, 32 or 64."""

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        if self.vector_bytes not in (16, 32, 64):
            fail(f"schedule: vector-bytes is 16, 32 or 64, got {self.vector_bytes}")
        for kernel in op.walk():
            if isinstance(kernel, KernelOp) and kernel.schedule_value("lanes") is None:
                lanes = choose_lanes(kernel, self.vector_bytes)
                kernel.set_schedule(**{**kernel.schedule, "lanes": lanes})


def choose_lanes(kernel: KernelOp, vector_bytes: int) -> int:
    """Elements computed side by side on a machine whose registers hold ``vector_bytes`` bytes."""
    if not kernel.extents.data:
        return 1
    moved = [kernel.inputs[i].type for i in kernel.tensor_inputs]
    moved += [o.type for o in kernel.outputs]
    narrowest = min(_itemsize(element_of(t)) for t in moved)
    computed = [r.type for op in kernel.block.ops for r in op.results]
    widest = max([narrowest, *(_itemsize(t) for t in computed)])
    lanes = min(vector_bytes // narrowest, REGISTERS_PER_VALUE * vector_bytes // widest, MAX_LANES)
    if _is_gathered(kernel):
        lanes = min(lanes, STRIDED_LANES)
    if _calls_per_element(kernel):
        lanes = min(lanes, vector_bytes // 8)
    return max(lanes, 1)


def _itemsize(attribute: Attribute) -> int:
    dtype = dtype_of(attribute)
    return dtype.itemsize if dtype is not None else 1


def _calls_per_element(kernel: KernelOp) -> bool:
    """Whether the innermost loop evaluates an op that calls a function lane by lane."""
    inner: dict[SSAValue, bool] = {}
    for index, argument in enumerate(kernel.block.args):
        move = kernel.input_trajectory(index)
        inner[argument] = move is not None and move.strides[-1] != ZERO
    for op in kernel.block.ops:
        varies = any(inner[o] for o in op.operands)
        if varies and isinstance(op, ElementwiseOp) and op.expensive:
            return True
        for result in op.results:
            inner[result] = varies
    return False


def _is_gathered(kernel: KernelOp) -> bool:
    """Whether the innermost axis steps over more than one element of some operand or result."""
    moves = [(kernel.input_trajectory(i), kernel.inputs[i].type) for i in kernel.tensor_inputs]
    moves += list(zip(kernel.output_trajectories, (o.type for o in kernel.outputs), strict=True))
    for move, type in moves:
        if move is None:
            continue
        size = _itemsize(element_of(type))
        if move.strides[-1] not in (Extent(0), Extent(size), Extent(-size)):
            return True
    return False
