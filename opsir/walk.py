"""The walk of a kernel through memory: every step's coordinates, byte offsets and what moved.

Owns the plain address formula, ``start + sum(i_axis * stride_axis)``, against which anything that
computes addresses can be held. Touches no memory.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from itertools import product
from typing import Literal

from opsir.trajectory import Space, Trajectory

Motion = Literal["start", "moved", "held", "wrapped"]
"""What an operand's address did since the step before: stepped on, stayed, or went back to where
an axis began that it had walked along, without stepping on along the axis that did."""


@dataclass(frozen=True, slots=True)
class Step:
    """One iteration: its coordinates, and per trajectory the byte offset and what it did."""

    coordinates: tuple[int, ...]
    offsets: tuple[int, ...]
    motions: tuple[Motion, ...]


def walk(space: Space, env: Mapping[str, int] | None = None) -> Iterator[Step]:
    """All iterations of a space in order, none where an extent is 0.

    ``env`` holds the value of every symbol; an OpsirValueError where one is missing.
    """
    bound = space.bind(env or {})
    extents = [extent.value for extent in bound.extents]
    before: tuple[int, ...] | None = None
    for index in product(*map(range, extents)):
        advanced = _advanced(before, index)
        yield Step(
            index,
            tuple(_offset(move, index) for move in bound.trajectories),
            tuple(_motion(move, extents, advanced) for move in bound.trajectories),
        )
        before = index


def _offset(move: Trajectory, index: tuple[int, ...]) -> int:
    steps = zip(index, move.strides, strict=True)
    return move.start.value + sum(place * stride.value for place, stride in steps)


def _advanced(before: tuple[int, ...] | None, index: tuple[int, ...]) -> int | None:
    """The axis whose coordinate grew; None for the first step."""
    if before is None:
        return None
    return next(axis for axis, (a, b) in enumerate(zip(before, index, strict=True)) if a != b)


def _motion(move: Trajectory, extents: list[int], advanced: int | None) -> Motion:
    if advanced is None:
        return "start"
    moving = [stride.value != 0 for stride in move.strides]
    if moving[advanced]:
        return "moved"
    again = any(moving[axis] and extents[axis] > 1 for axis in range(advanced + 1, len(extents)))
    return "wrapped" if again else "held"
