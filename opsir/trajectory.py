"""Iteration spaces: extents, and how each operand's address moves along each axis in bytes.

Owns what may be done to a space without changing the addresses visited: dropping, merging,
permuting and splitting axes, each a pure method. Knows no IR, no dtype and no target; axes are
outermost first everywhere.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import product

from opsir.collision import collides
from opsir.diagnostics import OpsirOverflowError, fail
from opsir.extent import ONE, ZERO, Extent, as_extent, checked_int64, compare_magnitude
from opsir.memory_order import openness

Groups = tuple[tuple[int, ...], ...]
"""Per new axis the old axes it stands for, outermost first."""


@dataclass(frozen=True, slots=True)
class Trajectory:
    """A start offset and one stride per axis, in bytes; 0 is a broadcast, negative is allowed."""

    start: Extent
    strides: tuple[Extent, ...]

    @classmethod
    def of(cls, *strides: Extent | int | str, start: Extent | int | str = 0) -> Trajectory:
        """Build from constants, texts or Extents."""
        return cls(as_extent(start), tuple(map(as_extent, strides)))

    def is_injective(self, extents: Sequence[Extent], itemsize: int = 1) -> bool | None:
        """Whether no byte is touched by two iterations, each touching ``itemsize`` bytes.

        Constants are decided exactly within a fixed amount of work. Symbolic ones are proven by a
        chain in which each step clears all that the smaller ones reach, size symbols being at
        least 1. None is undecided.
        """
        axes = [(e, s) for e, s in zip(extents, self.strides, strict=True) if e != ONE]
        if any(e == ZERO for e, _ in axes):
            return True
        if any(s == ZERO and e.is_constant for e, s in axes):
            return False
        if all(e.is_constant and s.is_constant for e, s in axes):
            meets = collides([e.value for e, _ in axes], [s.value for _, s in axes], itemsize)
            return None if meets is None else not meets
        return True if _is_chain(axes, itemsize) else None

    def byte_range(
        self, extents: Sequence[Extent], env: Mapping[str, int], itemsize: int = 1
    ) -> tuple[int, int]:
        """The half-open range ``[low, end)`` of byte offsets touched under ``env``.

        ``low == end`` if there is no iteration. Raises OpsirOverflowError if an offset does not
        fit a signed 64-bit integer.
        """
        low = high = self.start.evaluate(env)
        counts = [extent.evaluate(env) for extent in extents]
        if any(count <= 0 for count in counts):
            return low, low
        for count, stride in zip(counts, self.strides, strict=True):
            span = (count - 1) * stride.evaluate(env)
            low, high = low + min(span, 0), high + max(span, 0)
        return (
            checked_int64(low, "the lowest byte offset"),
            checked_int64(high + itemsize, "the highest byte offset"),
        )


@dataclass(frozen=True, slots=True)
class Space:
    """Extents shared by all trajectories, outermost axis first.

    A space without axes runs once; one with a zero extent never runs.
    """

    extents: tuple[Extent, ...]
    trajectories: tuple[Trajectory, ...]

    def __post_init__(self) -> None:
        for index, trajectory in enumerate(self.trajectories):
            if len(trajectory.strides) != len(self.extents):
                fail(
                    f"trajectory {index} has {len(trajectory.strides)} strides "
                    f"for {len(self.extents)} extents: expected one per axis"
                )

    @property
    def size_symbols(self) -> frozenset[str]:
        """Symbols of the extents: at least 1 wherever an iteration exists."""
        return frozenset(name for extent in self.extents for name in extent.symbols)

    def drop_ones(self) -> tuple[Space, Groups]:
        """Leave out axes of extent 1, whatever their strides."""
        groups = tuple((axis,) for axis, extent in enumerate(self.extents) if extent != ONE)
        return self._select(tuple(group[0] for group in groups)), groups

    def coalesce(self) -> tuple[Space, Groups]:
        """Drop axes of extent 1, then merge every adjacent pair that is one axis to all operands.

        Two axes merge when each trajectory's outer stride is the inner extent times the inner
        stride. A merged extent that would need more than 64 bits keeps its axes apart.
        """
        space, singles = self.drop_ones()
        extents: list[Extent] = []
        groups: list[tuple[int, ...]] = []
        for axis, extent in enumerate(space.extents):
            merged = extents[-1].times(extent) if axis and space._merges(axis - 1) else None
            if merged is None:
                extents.append(extent)
                groups.append(singles[axis])
            else:
                extents[-1] = merged
                groups[-1] += singles[axis]
        # A merged axis moves by its innermost member's stride.
        kept = self._select(tuple(group[-1] for group in groups))
        return Space(tuple(extents), kept.trajectories), tuple(groups)

    def permute(self, order: Sequence[int]) -> Space:
        """New axis ``k`` is old axis ``order[k]``; the addresses visited stay the same multiset."""
        if sorted(order) != list(range(len(self.extents))):
            fail(f"{list(order)} is not an order of {len(self.extents)} axes")
        return self._select(tuple(order))

    def order(
        self, outputs: Sequence[int], chains: Sequence[Sequence[Extent]] = ()
    ) -> tuple[int, ...]:
        """The axis order that follows memory, for ``permute``: largest step outermost.

        ``outputs`` are the indices of the trajectories that decide first; the others follow in
        their order. A zero stride and an axis of extent 1 say nothing. What counts is what the
        monomials prove, else a chain: strides known to be in order of descending magnitude, else
        that a stride with a symbol which is no size is taken to exceed one made of sizes alone.
        What stays open keeps its order, so the result is stable and idempotent.
        """
        leading = [self.trajectories[index] for index in outputs]
        others = [t for i, t in enumerate(self.trajectories) if i not in set(outputs)]
        ranked = (*leading, *others)
        rest, order = list(range(len(self.extents))), list[int]()
        while rest:
            free = (a for a in rest if not any(self._outranks(b, a, ranked, chains) for b in rest))
            axis = next(free, rest[0])
            rest.remove(axis)
            order.append(axis)
        return tuple(order)

    def refuses_tile(self, axis: int, size: int) -> str | None:
        """Why ``tile`` can't split this axis, or None if it can."""
        if not 0 <= axis < len(self.extents):
            return f"axis {axis} is not one of {len(self.extents)} axes"
        if size < 1:
            return f"tile size {size} is not positive"
        if self.extents[axis].divided(size) is None:
            return f"extent '{self.extents[axis]}' is not known to be a multiple of {size}"
        return None

    def tile(self, axis: int, size: int) -> Space:
        """Split an axis into whole tiles: (extent / size, size), visiting the same sequence."""
        reason = self.refuses_tile(axis, size)
        count = None if reason else self.extents[axis].divided(size)
        if count is None:
            fail(f"cannot tile: {reason}")
        extents = (*self.extents[:axis], count, Extent(size), *self.extents[axis + 1 :])
        return Space(extents, tuple(_tiled(t, axis, size) for t in self.trajectories))

    def enumerate(self, env: Mapping[str, int] | None = None) -> Iterator[tuple[int, ...]]:
        """The byte offset of every trajectory at each iteration, in iteration order."""
        bound = env or {}
        counts = [extent.evaluate(bound) for extent in self.extents]
        starts = [t.start.evaluate(bound) for t in self.trajectories]
        strides = [[s.evaluate(bound) for s in t.strides] for t in self.trajectories]
        for index in product(*map(range, counts)):
            yield tuple(
                start + sum(i * step for i, step in zip(index, steps, strict=True))
                for start, steps in zip(starts, strides, strict=True)
            )

    def bind(self, env: Mapping[str, int]) -> Space:
        """The same space with every symbol replaced by its value."""
        bound = tuple(
            Trajectory.of(*(s.evaluate(env) for s in t.strides), start=t.start.evaluate(env))
            for t in self.trajectories
        )
        return Space(tuple(Extent(e.evaluate(env)) for e in self.extents), bound)

    def _select(self, axes: tuple[int, ...]) -> Space:
        trajectories = (
            Trajectory(t.start, tuple(t.strides[axis] for axis in axes)) for t in self.trajectories
        )
        return Space(tuple(self.extents[axis] for axis in axes), tuple(trajectories))

    def _merges(self, outer: int) -> bool:
        """Whether axis ``outer`` and the next one are one axis to every trajectory."""
        extent = self.extents[outer + 1]
        return all(
            t.strides[outer] == extent.times(t.strides[outer + 1]) for t in self.trajectories
        )

    def _outranks(
        self,
        a: int,
        b: int,
        ranked: Sequence[Trajectory],
        chains: Sequence[Sequence[Extent]],
    ) -> bool:
        """Whether axis ``a`` is known to belong outside axis ``b``: the first verdict counts."""
        if ONE in (self.extents[a], self.extents[b]):
            return False
        for trajectory in ranked:
            left, right = trajectory.strides[a], trajectory.strides[b]
            if ZERO in (left, right):
                continue
            verdict = compare_magnitude(left, right, self.size_symbols)
            if verdict is None:
                verdict = _chain_verdict(left, right, chains)
                verdict = verdict or openness(left, right, self.size_symbols)
            if verdict:
                return verdict > 0
        return False


def _chain_verdict(a: Extent, b: Extent, chains: Sequence[Sequence[Extent]]) -> int:
    """1 if a chain lists ``a`` before ``b``, -1 for the reverse, 0 if none has both.

    A constant factor, as a slice with a step brings, is taken to change nothing.
    """
    for chain in chains:
        names = [stride.symbols for stride in chain]
        if a.symbols != b.symbols and a.symbols in names and b.symbols in names:
            return 1 if names.index(a.symbols) < names.index(b.symbols) else -1
    return 0


def _tiled(trajectory: Trajectory, axis: int, size: int) -> Trajectory:
    stride = trajectory.strides[axis]
    outer = stride.times(Extent(size))
    if outer is None:
        fail(f"stride '{stride}' times {size} is beyond 64 bits", error=OpsirOverflowError)
    before, after = trajectory.strides[:axis], trajectory.strides[axis + 1 :]
    return Trajectory(trajectory.start, (*before, outer, stride, *after))


def _is_chain(axes: Sequence[tuple[Extent, Extent]], itemsize: int) -> bool:
    """Whether, from the smallest stride up, each clears all bytes that lie inside it."""
    positive = frozenset(name for extent, _ in axes for name in extent.symbols)
    rest, covered = list(axes), Extent(itemsize)
    while rest:
        least = next((a for a in rest if all(_clears(b[1], a[1], positive) for b in rest)), None)
        if least is None or not _clears(least[1], covered, positive):
            return False
        grown = least[0].times(least[1])
        if grown is None:
            return False
        rest.remove(least)
        covered = grown
    return True


def _clears(stride: Extent, covered: Extent, positive: frozenset[str]) -> bool:
    verdict = compare_magnitude(stride, covered, positive)
    return verdict is not None and verdict >= 0
