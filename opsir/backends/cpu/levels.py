"""Which loops a kernel has, and how deep inside them each value is computed.

Owns the placement rule: a value is computed at the level of the innermost loop on which it
depends, once per iteration of that loop. Emits nothing.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from xdsl.ir import Operation, SSAValue

from opsir.dialects.nest import KernelOp
from opsir.extent import ONE, ZERO, Extent
from opsir.trajectory import Space, Trajectory


@dataclass(frozen=True, slots=True)
class Loop:
    """One loop of a nest.

    A whole loop runs along an axis from 0 to its extent. With tiles two loops run along one axis:
    the outer one from tile to tile, ``tile`` elements at a time, the inner one within a tile.
    """

    axis: int
    tile: int | None = None
    is_outer: bool = False
    """Whether it steps from tile to tile and leaves all addresses to the loop within."""


def loops_of(kernel: KernelOp, space: Space) -> tuple[Loop, ...]:
    """The loops of a kernel over ``space``, outermost first: one per axis, two if it is tiled.

    Tiles are over the two innermost axes. An axis that no tile can split is not tiled.
    """
    rank = len(space.extents)
    size = kernel.tile
    if size is None or rank < 2:
        return tuple(Loop(axis) for axis in range(rank))
    row, column = rank - 2, rank - 1
    return (
        *(Loop(axis) for axis in range(row)),
        Loop(row, size, is_outer=True),
        Loop(column, size, is_outer=True),
        Loop(row, size),
        Loop(column, size),
    )


def moves_along(trajectory: Trajectory, extents: Sequence[Extent], axis: int) -> bool:
    """Whether the address changes along an axis."""
    return trajectory.strides[axis] != ZERO and extents[axis] != ONE


@dataclass(frozen=True, slots=True)
class Levels:
    """The level of every value of a kernel's body.

    Level 0 is outside all loops, level ``k`` inside the first ``k``.
    """

    loops: tuple[Loop, ...]
    of: Mapping[SSAValue, int]
    """Level of each operand of the body and of each op's result."""

    @property
    def innermost(self) -> int:
        """The level inside all loops."""
        return len(self.loops)

    def ops_at(self, kernel: KernelOp, level: int) -> list[Operation]:
        """The ops of the body computed at ``level``, in program order."""
        return [o for o in kernel.block.ops if o.results and self.of[o.results[0]] == level]


def levels_of(kernel: KernelOp, space: Space | None = None) -> Levels:
    """Place every value of a kernel's body; ``space`` stands for the kernel's own where given."""
    over = space or kernel.space
    loops = loops_of(kernel, over)
    depth = {loop.axis: level for level, loop in enumerate(loops, 1) if not loop.is_outer}
    of: dict[SSAValue, int] = dict.fromkeys(kernel.block.args, 0)
    for index, move in zip(kernel.tensor_inputs, over.trajectories, strict=False):
        axes = [a for a in depth if moves_along(move, over.extents, a)]
        of[kernel.block.args[index]] = max((depth[axis] for axis in axes), default=0)
    for op in kernel.block.ops:
        level = max((of[operand] for operand in op.operands), default=0)
        of.update(dict.fromkeys(op.results, level))
    return Levels(loops, of)
