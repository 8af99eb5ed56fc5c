"""Whether two iterations of a strided walk touch a common byte, decided on plain integers.

Owns the bounded search behind every injectivity question. Knows nothing of arrays or IR; all
arithmetic is on Python integers, so nothing can overflow.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import accumulate
from math import gcd

MAX_WORK = 20_000
"""Candidate steps tried before the search gives up: about ten milliseconds."""


def collides(
    extents: Sequence[int], strides: Sequence[int], width: int, max_work: int = MAX_WORK
) -> bool | None:
    """Whether two different index tuples lie closer together than ``width`` bytes.

    ``extents`` are counts, ``strides`` bytes of either sign. Exact; None if ``max_work`` candidate
    steps did not settle it, which takes three or more axes that interleave irregularly.
    """
    if 0 in extents:
        return False
    axes = sorted((abs(s), e - 1) for e, s in zip(extents, strides, strict=True) if e > 1)
    if not axes:
        return False
    if axes[0][0] == 0:
        return True
    unit = gcd(*(stride for stride, _ in axes))
    # Every distance is a multiple of the unit, so only whole units count.
    search = _Search([(s // unit, span) for s, span in axes], (width - 1) // unit, max_work)
    if search.is_chain():
        return False
    return search.run(len(axes), 0, moved=False)


class _Search:
    """Depth-first search for a non-zero difference of index tuples with a distance <= ``slack``.

    Axes are (stride, largest index), smallest stride first; the search fixes the largest stride
    first and follows only sums that the remaining axes can still bring back.
    """

    def __init__(self, axes: list[tuple[int, int]], slack: int, max_work: int) -> None:
        self.axes = axes
        self.slack = slack
        self.work = max_work
        self.reach = list(accumulate((s * span for s, span in axes), initial=slack))
        self.units = list(accumulate((s for s, _ in axes), gcd, initial=0))
        self.dead: set[tuple[int, int]] = set()

    def is_chain(self) -> bool:
        """Each stride clears all that the smaller ones reach: nothing can meet."""
        return all(s > reach for (s, _), reach in zip(self.axes, self.reach, strict=False))

    def run(self, level: int, distance: int, *, moved: bool) -> bool | None:
        """Whether axes below ``level`` can close ``distance``; None once the work is used up."""
        if level == 0:
            return moved
        if (level, distance) in self.dead or not self._divides(level, distance):
            return False
        stride, span = self.axes[level - 1]
        reach = self.reach[level - 1]
        low = max(-span, -((reach + distance) // stride))
        high = min(span, (reach - distance) // stride)
        if not moved:
            low = 0  # a difference and its negative collide alike
        if level == 1:
            return high >= (low if moved else 1)
        return self._try(range(low, high + 1), level, distance, moved)

    def _try(self, steps: range, level: int, distance: int, moved: bool) -> bool | None:
        stride = self.axes[level - 1][0]
        for step in steps:
            self.work -= 1
            if self.work < 0:
                return None
            found = self.run(level - 1, distance + step * stride, moved=moved or step != 0)
            if found is not False:
                return found
        if moved:
            self.dead.add((level, distance))
        return False

    def _divides(self, level: int, distance: int) -> bool:
        """Whether a multiple of the remaining strides' gcd lies within reach of ``distance``."""
        return (distance + self.slack) % self.units[level] <= 2 * self.slack
