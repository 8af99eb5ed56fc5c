"""Whether a kernel goes to the addresses of the plain formula: start + sum(index * stride).

Owns the comparison of two loop nests over the same operands, one as it was written, one axis per
axis of the value, and one as it runs. Knows no array and runs nothing.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from math import prod
from typing import Any, NamedTuple

import numpy as np

from opsir.abi import KernelFacts

Offsets = np.ndarray[Any, np.dtype[np.int64]]

MAX_ENUMERATED = 1 << 18
"""Iterations up to which all are compared; of more, samples."""
_SAMPLES = 1 << 12


class Difference(NamedTuple):
    """Where two nests part: the operand, the index in the plain one, and both byte offsets."""

    operand: int
    at: tuple[int, ...]
    expected: int
    found: int | None
    """None where the iteration does not exist."""


class Compared(NamedTuple):
    """The first difference, and how many of how many iterations were looked at."""

    difference: Difference | None
    looked_at: int
    iterations: int


class _Nest(NamedTuple):
    """Extents, and per operand a start and one stride per axis, as numbers."""

    extents: tuple[int, ...]
    moves: list[tuple[int, tuple[int, ...]]]

    def offsets(self, index: Sequence[Offsets]) -> list[Offsets]:
        """The byte offsets of each operand at some iterations, given as one array per axis."""
        count = len(index[0]) if index else 1
        zero = np.zeros(count, np.int64)
        return [
            zero + start + sum((i * s for i, s in zip(index, strides, strict=True)), zero)
            for start, strides in self.moves
        ]


def compare(plain: KernelFacts, running: KernelFacts, env: Mapping[str, int]) -> Compared:
    """Compare all operands of both nests for the given values of the symbols.

    Both have the same operands in the same order. Iterations are matched by where they write the
    first result, which no two of them share.
    """
    written = next(i for i, operand in enumerate(plain.operands) if operand.is_written)
    one, two = _bound(plain, env), _bound(running, env)
    iterations = prod(one.extents)
    if iterations <= 0:
        return Compared(None, 0, 0)  # Nothing is read or written, whatever the other nest says.
    if prod(two.extents) <= 0:
        return _unequal(written, one)
    index = _unravel(_chosen(iterations), one.extents)
    wanted = one.offsets(index)
    place = _match(two, written, wanted[written], whole=iterations <= MAX_ENUMERATED)
    if place is None:
        return Compared(None, 0, iterations)
    found = two.offsets(place)
    bad = found[written] != wanted[written]
    for operand in range(len(wanted)):
        wrong = np.flatnonzero(bad | (found[operand] != wanted[operand]))
        if len(wrong):
            k = int(wrong[0])
            at = tuple(int(axis[k]) for axis in index)
            seen = None if bad[k] else int(found[operand][k])
            number = written if bad[k] else operand
            expected = int(wanted[number][k])
            return Compared(Difference(number, at, expected, seen), len(bad), iterations)
    if iterations != prod(two.extents):
        return _unequal(written, one)
    return Compared(None, len(bad), iterations)


def _unequal(written: int, plain: _Nest) -> Compared:
    """The nests have different numbers of iterations: the last of the plain one stands for it."""
    last = tuple(n - 1 for n in plain.extents)
    offset = int(plain.offsets([np.array([i]) for i in last])[written][0])
    return Compared(Difference(written, last, offset, None), 0, prod(plain.extents))


def _chosen(iterations: int) -> Offsets:
    """All iterations by number, or samples that hold the first and the last."""
    if iterations <= MAX_ENUMERATED:
        return np.arange(iterations, dtype=np.int64)
    drawn = np.random.default_rng(0).integers(0, iterations, _SAMPLES, np.int64)
    return np.concatenate([drawn, np.array([0, iterations - 1], np.int64)])


def _bound(kernel: KernelFacts, env: Mapping[str, int]) -> _Nest:
    moves = [o.trajectory for o in kernel.operands]
    return _Nest(
        tuple(e.evaluate(env) for e in kernel.extents),
        [(m.start.evaluate(env), tuple(s.evaluate(env) for s in m.strides)) for m in moves],
    )


def _unravel(flat: Offsets, extents: Sequence[int]) -> list[Offsets]:
    index: list[Offsets] = []
    for extent in reversed(extents):
        index.append(flat % extent)
        flat = flat // extent
    return index[::-1]


def _match(nest: _Nest, written: int, offsets: Offsets, *, whole: bool) -> list[Offsets] | None:
    """The iterations that write at the given offsets, any others for offsets that none writes at.

    Without the ``whole`` nest at hand only layouts can be searched in which each stride clears
    what the smaller ones reach; None for those that interleave.
    """
    if whole and prod(nest.extents) <= MAX_ENUMERATED:
        every = nest.offsets(_unravel(np.arange(prod(nest.extents)), nest.extents))[written]
        order = np.argsort(every)
        place = np.searchsorted(every[order], offsets)
        return _unravel(order[np.minimum(place, len(order) - 1)], nest.extents)
    start, strides = nest.moves[written]
    spans = [(n - 1) * s for n, s in zip(nest.extents, strides, strict=True)]
    rest, reach = offsets - start - sum(min(0, s) for s in spans), 0
    axes = sorted((a for a, n in enumerate(nest.extents) if n > 1), key=lambda a: abs(strides[a]))
    for axis in axes:
        if abs(strides[axis]) <= reach:
            return None
        reach += abs(spans[axis])
    index: list[Offsets] = [np.zeros_like(offsets) for _ in strides]
    for axis in reversed(axes):
        extent, stride = nest.extents[axis], strides[axis]
        steps = np.clip(rest // abs(stride), 0, extent - 1)
        rest = rest - steps * abs(stride)
        index[axis] = steps if stride > 0 else extent - 1 - steps
    return index
