"""Whether strided walks touch a common byte, decided on plain integers.

Owns the bounded search behind every question of injectivity and overlap. Knows nothing of arrays
or IR; all arithmetic is on Python integers, so nothing can overflow.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import accumulate
from math import gcd

MAX_WORK = 20_000
"""Candidate steps tried before a search gives up: about ten milliseconds."""


def collides(
    extents: Sequence[int], strides: Sequence[int], width: int, max_work: int = MAX_WORK
) -> bool | None:
    """Whether two different index tuples of one walk lie closer together than ``width`` bytes.

    ``extents`` are counts, ``strides`` bytes of either sign. Exact; None if ``max_work`` candidate
    steps did not settle it, which takes three or more axes that interleave irregularly.
    """
    if 0 in extents:
        return False
    steps = [(abs(s), e - 1) for e, s in zip(extents, strides) if e != 1]
    steps.reverse()
    if _is_chain(steps, width):
        return False
    steps.sort()
    if steps[0][0] == 0:
        return True
    if _is_chain(steps, width):
        return False
    axes = [(stride, -last, last) for stride, last in steps]
    return _Search(axes, 1 - width, width - 1, max_work).run(len(axes), 0, moved=False)


def meets(
    first: Sequence[tuple[int, int]],
    second: Sequence[tuple[int, int]],
    low: int,
    high: int,
    max_work: int = MAX_WORK,
) -> bool | None:
    """Whether two walks have positions whose difference, first minus second, is in [low, high].

    A walk is its (extent, stride) pairs, with no zero extent and from a common origin. Exact; None
    if ``max_work`` candidate steps did not settle it.
    """
    ranges: dict[int, tuple[int, int]] = {}
    signed = [(e, s) for e, s in first] + [(e, -s) for e, s in second]
    for extent, stride in signed:
        if stride and extent > 1:
            least, most = ranges.get(abs(stride), (0, 0))
            span = extent - 1 if stride > 0 else 1 - extent
            ranges[abs(stride)] = least + min(span, 0), most + max(span, 0)
    axes = _joined([(stride, *ranges[stride]) for stride in sorted(ranges)])
    return _Search(axes, low, high, max_work).run(len(axes), 0, moved=True)


_Axis = tuple[int, int, int]
"""A positive stride and the least and largest multiple of it."""


def _is_chain(steps: Sequence[tuple[int, int]], width: int) -> bool:
    """Whether each stride clears all that the smaller ones reach: then nothing can meet."""
    reach = width
    for stride, last in steps:
        if stride < reach:
            return False
        reach += stride * last
    return True


def _joined(axes: Sequence[_Axis]) -> list[_Axis]:
    """Join an axis to the one before it when together they reach an unbroken run of multiples."""
    joined: list[_Axis] = []
    for stride, least, most in axes:
        if joined:
            inner, low, high = joined[-1]
            if stride % inner == 0 and high - low + 1 >= stride // inner:
                times = stride // inner
                joined[-1] = inner, low + least * times, high + most * times
                continue
        joined.append((stride, least, most))
    return joined


class _Search:
    """Depth-first search for multiples of the strides whose sum lies in [low, high].

    The largest stride is fixed first, and only sums that the remaining axes can still bring into
    the window are followed.
    """

    def __init__(self, axes: list[_Axis], low: int, high: int, max_work: int) -> None:
        self.axes = axes
        self.low, self.high = low, high
        self.work = max_work
        self.below = list(accumulate((s * least for s, least, _ in axes), initial=0))
        self.above = list(accumulate((s * most for s, _, most in axes), initial=0))
        self.units = list(accumulate((s for s, _, _ in axes), gcd, initial=0))
        self.dead: set[tuple[int, int]] = set()

    def run(self, level: int, total: int, *, moved: bool) -> bool | None:
        """Whether axes below ``level`` can bring ``total`` into the window.

        None once the work is used up. Unless something ``moved`` before, at least one axis has to,
        and the window is symmetric: then a sum and its negative are alike.
        """
        if level == 0:
            return moved and self.low <= total <= self.high
        if (level, total) in self.dead or not self._divides(level, total):
            return False
        stride, least, most = self.axes[level - 1]
        below, above = self.below[level - 1], self.above[level - 1]
        first = max(least, -((total + above - self.low) // stride))
        last = min(most, (self.high - total - below) // stride)
        if not moved:
            first = max(first, 0)
        if level == 1:
            return last >= (first if moved else 1)
        return self._try(range(first, last + 1), level, total, moved)

    def _try(self, steps: range, level: int, total: int, moved: bool) -> bool | None:
        stride = self.axes[level - 1][0]
        for step in steps:
            self.work -= 1
            if self.work < 0:
                return None
            found = self.run(level - 1, total + step * stride, moved=moved or step != 0)
            if found is not False:
                return found
        if moved:
            self.dead.add((level, total))
        return False

    def _divides(self, level: int, total: int) -> bool:
        """Whether the window holds ``total`` plus a multiple of the remaining strides' gcd."""
        unit = self.units[level]
        return (self.high - total) // unit >= -((total - self.low) // unit)
