"""One kernel function for every signature that differs in run-time values only.

Owns which extents and strides become arguments of a kernel's function, so that kernels of different
functions and layouts are the same code. Emits nothing.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from opsir.dialects.nest import KernelOp
from opsir.dialects.nest.packing import packed_elements
from opsir.dialects.opsir.base import ElementwiseOp
from opsir.dialects.opsir.types import dtype_of, element_of
from opsir.extent import ZERO, Extent
from opsir.trajectory import Space, Trajectory


@dataclass(frozen=True, slots=True)
class General:
    """A space over symbols of its own, and what each symbol stands for in the kernel's terms."""

    space: Space
    values: Mapping[Extent, Extent]


def generalised(kernel: KernelOp) -> General:
    """The kernel's space with every extent and stride that need not be known made a symbol.

    What stays known: how the innermost axis moves where that is one element forward, backward or
    not at all; and strides of 0 where the body has an op that is too expensive to be repeated
    along an axis that does not move its operands. A kernel with a size known at compile time is
    left as it is: it is made for that size.
    """
    space = kernel.space
    if any(extent.coefficient != 1 or extent.is_constant for extent in space.extents):
        return General(space, {})
    values = {Extent.symbol(f"n{axis}"): extent for axis, extent in enumerate(space.extents)}
    extents = tuple(values)
    hoists = any(isinstance(op, ElementwiseOp) and op.expensive for op in kernel.block.ops)
    moves: list[Trajectory] = []
    for number, (move, size) in enumerate(zip(space.trajectories, _itemsizes(kernel), strict=True)):
        strides = list(move.strides)
        for axis, stride in enumerate(strides):
            inner = axis == len(strides) - 1
            if (inner and stride in (ZERO, Extent(size), Extent(-size))) or (
                hoists and stride == ZERO
            ):
                continue
            strides[axis] = Extent.symbol(f"s{number}_{axis}")
            values[strides[axis]] = stride
        moves.append(Trajectory(move.start, tuple(strides)))
    return General(Space(extents, tuple(moves)), values)


@dataclass(frozen=True, slots=True)
class FreeAxis:
    """An axis over part of which a kernel's function can run."""

    place: int
    """Which of the extents and strides that the function takes is its extent."""
    part_shift: int = 0
    """A part has at least about ``1 << part_shift`` positions, half of that for sure."""


LONG_ROW_SHIFT = 11
"""Rows of so many elements are never joined with the next ones, nor is half of one."""


def free_axes(kernel: KernelOp, general: General) -> tuple[FreeAxis | None, ...]:
    """Per axis how it can be run in parts.

    None for an axis whose extent is known, a multiple of something, or a value on which anything
    else depends. Where a kernel may join short rows it does so if whole rows follow each other, so
    parts of rows must be long.
    """
    arguments = symbolic_extents(general.space)
    extents = general.space.extents
    moves = general.space.trajectories
    used = [*extents, *(stride for move in moves for stride in move.strides)]
    found: list[FreeAxis | None] = []
    for axis, extent in enumerate(extents):
        joins = packed_elements(kernel) is not None and axis == len(extents) - 1 > 0
        is_free = extent.symbols and extent.coefficient == 1 and used.count(extent) == 1
        part = LONG_ROW_SHIFT if joins else 0
        found.append(FreeAxis(arguments.index(extent), part) if is_free else None)
    return tuple(found)


def symbolic_extents(space: Space) -> tuple[Extent, ...]:
    """The distinct extents and strides that are not known at compile time."""
    used = [*space.extents, *(s for t in space.trajectories for s in t.strides)]
    return tuple(dict.fromkeys(e for e in used if not e.is_constant))


def _itemsizes(kernel: KernelOp) -> list[int]:
    """Bytes per element of each trajectory: of the tensor operands, then of the results."""
    types = [kernel.inputs[i].type for i in kernel.tensor_inputs]
    types += [output.type for output in kernel.outputs]
    dtypes = [dtype_of(element_of(t)) for t in types]
    return [dtype.itemsize for dtype in dtypes if dtype is not None]
