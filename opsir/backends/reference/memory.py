"""Addresses without memory: which element of a tensor begins at each byte offset.

Owns reading and writing along trajectories on arrays of values, and the refusal of any offset at
which no element begins. Nothing here touches memory by address, so a wrong trajectory is an error
and never a wrong read.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from opsir.diagnostics import OpsirValueError
from opsir.extent import Extent
from opsir.trajectory import Trajectory

Array = np.ndarray[Any, np.dtype[Any]]


class Stray(OpsirValueError):
    """A kernel visits a byte offset at which no element begins, or visits one twice."""


@dataclass(frozen=True, slots=True)
class Walk:
    """The byte offsets that one operand visits: one array axis per loop axis."""

    offsets: Array
    """An i64 array; an axis along which the operand does not move has size 1."""
    counts: tuple[int, ...]
    """Iterations per axis."""

    @classmethod
    def along(
        cls,
        trajectory: Trajectory,
        extents: Sequence[Extent],
        env: Mapping[str, int],
        itemsize: int,
    ) -> Walk:
        """Evaluate a trajectory over non-zero extents under the values of the symbols.

        Raises OpsirOverflowError if an offset does not fit a signed 64-bit integer.
        """
        trajectory.byte_range(extents, env, itemsize)
        counts = tuple(extent.evaluate(env) for extent in extents)
        offsets = np.array(trajectory.start.evaluate(env), np.int64)
        for count, stride in zip(counts, trajectory.strides, strict=True):
            step = stride.evaluate(env)
            moves = np.arange(count if step else 1, dtype=np.int64) * step
            offsets = offsets[..., None] + moves
        return cls(offsets, counts)

    def in_full(self) -> Walk:
        """The same with one offset for every iteration."""
        return Walk(np.broadcast_to(self.offsets, self.counts), self.counts)


@dataclass(frozen=True, slots=True)
class Elements:
    """Where the elements of one tensor begin, in bytes from its base address."""

    ordered: Array
    """The offsets in ascending order, i64."""
    positions: Array
    """For each of them the row-major position of its element."""

    @classmethod
    def of(
        cls, layout: Trajectory, sizes: Sequence[Extent], env: Mapping[str, int], itemsize: int
    ) -> Elements:
        """Lay out a tensor of the given sizes; ``layout`` holds its start and byte strides."""
        shape = [size.evaluate(env) for size in sizes]
        if 0 in shape:
            nothing = np.empty(0, np.int64)
            return cls(nothing, nothing)
        offsets = Walk.along(layout, sizes, env, itemsize).in_full().offsets.reshape(-1)
        positions = np.argsort(offsets, kind="stable")
        return cls(offsets[positions], positions)

    def find(self, walk: Walk) -> Array:
        """The row-major position of the element at each offset of a walk.

        Raises Stray, without a location, for an offset at which no element begins.
        """
        wanted = walk.offsets
        last = max(self.ordered.size - 1, 0)
        place = np.minimum(np.searchsorted(self.ordered, wanted), last)
        hits = self.ordered[place] == wanted if self.ordered.size else np.zeros(wanted.shape, bool)
        if not hits.all():
            offset = int(wanted[~hits][0])
            raise Stray(f"touches byte offset {offset}, at which no element begins")
        return self.positions[place]


def gather(values: Array, elements: Elements, walk: Walk) -> Array:
    """The value that each iteration reads; axes along which nothing moves have size 1."""
    return values.reshape(-1)[elements.find(walk)]


def scatter(values: Array, elements: Elements, walk: Walk, target: Array) -> None:
    """Write one value per iteration; every element of ``target`` must be written exactly once.

    ``values`` broadcasts to the iterations; ``target`` is dense and row-major. Raises Stray.
    """
    positions = elements.find(walk.in_full())
    written = np.bincount(positions.reshape(-1), minlength=target.size)
    if np.any(written != 1):
        element = int(np.flatnonzero(written != 1)[0])
        where = [int(i) for i in np.unravel_index(element, target.shape)]
        raise Stray(f"writes element {where} of a result {int(written[element])} times")
    target.reshape(-1)[positions] = np.broadcast_to(values, positions.shape)
