"""The two innermost axes of a space taken as one: which operands walk on without a break.

Owns how each trajectory behaves over that pair of axes, as facts about spaces. Knows no IR and no
target; decides nothing.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal

from opsir.extent import ZERO, Extent
from opsir.trajectory import Space, Trajectory

PairKind = Literal["fixed", "flat", "row", "column", "other"]
"""Over the pair (rows, elements of a row) an address stays; moves on evenly; repeats every row;
holds during each row; or moves in another way."""


def pair_kind(extents: Sequence[Extent], move: Trajectory) -> PairKind:
    """How a trajectory over at least two axes walks the two innermost."""
    *_, outer, inner = move.strides
    if inner == ZERO:
        return "fixed" if outer == ZERO else "column"
    if outer == ZERO:
        return "row"
    return "flat" if outer == extents[-1] * inner else "other"


def pair_kinds(space: Space) -> tuple[PairKind, ...]:
    """``pair_kind`` of each trajectory of a space of at least two axes."""
    return tuple(pair_kind(space.extents, move) for move in space.trajectories)


def flattened(space: Space, kinds: Sequence[PairKind], itemsizes: Sequence[int]) -> Space:
    """The space with the pair as one axis, every operand but the fixed ones moving evenly.

    Flat operands move as they do; the others as dense copies of ``itemsizes`` bytes an element
    would. The extent of the new axis is a symbol of its own: it goes block by block.
    """
    extents = (*space.extents[:-2], Extent.symbol("flat"))
    moves: list[Trajectory] = []
    for move, kind, size in zip(space.trajectories, kinds, itemsizes, strict=True):
        inner = move.strides[-1] if kind in ("flat", "fixed") else Extent(size)
        moves.append(Trajectory(move.start, (*move.strides[:-2], inner)))
    return Space(extents, tuple(moves))
