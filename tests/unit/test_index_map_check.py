"""The comparison of a nest with the plain formula against brute force."""

from __future__ import annotations

from itertools import product

import pytest
from hypothesis import given
from hypothesis import strategies as st

from opsir.abi import Buffer, KernelFacts, OperandFacts
from opsir.dtypes import U8
from opsir.extent import Extent
from opsir.runtime import index_map
from opsir.runtime.index_map import compare
from opsir.trajectory import Space, Trajectory

READ, WRITTEN = Buffer("argument", 0), Buffer("result", 0)


def kernel(space: Space) -> KernelFacts:
    read, written = space.trajectories
    return KernelFacts(
        space.extents,
        (
            OperandFacts(READ, U8, read, is_written=False),
            OperandFacts(WRITTEN, U8, written, is_written=True),
        ),
    )


@st.composite
def spaces(draw: st.DrawFn) -> Space:
    """A read of any strides and a write of distinct addresses, dense or padded, either way."""
    extents = draw(st.lists(st.integers(1, 4), max_size=4))
    steps, reach = [0] * len(extents), 1
    for axis in draw(st.permutations(range(len(extents)))):
        steps[axis] = reach * draw(st.sampled_from([1, -1]))
        reach *= extents[axis] + draw(st.integers(0, 1))
    reads = [draw(st.integers(-9, 9)) for _ in extents]
    moves = Trajectory.of(*reads, start=draw(st.integers(0, 5))), Trajectory.of(*steps)
    return Space(tuple(map(Extent, extents)), moves)


@given(spaces(), st.data(), st.booleans())
def test_other_orders_and_merged_axes_are_the_same(
    space: Space, data: st.DataObject, sampled: bool
) -> None:
    axes = data.draw(st.permutations(range(len(space.extents))))
    other = space.permute(axes).coalesce()[0]
    limit = index_map.MAX_ENUMERATED
    try:
        index_map.MAX_ENUMERATED = 0 if sampled else limit
        compared = compare(kernel(space), kernel(other), {})
    finally:
        index_map.MAX_ENUMERATED = limit
    assert compared.difference is None
    assert sampled or compared.looked_at == compared.iterations
    assert compared.looked_at > 0


@given(spaces(), st.integers(0, 1), st.integers(0, 3), st.sampled_from([-3, -1, 1, 2]))
def test_any_other_stride_is_found_exactly(space: Space, which: int, axis: int, by: int) -> None:
    moves = list(space.trajectories)
    strides = list(moves[which].strides)
    if axis >= len(strides):
        moves[which] = Trajectory.of(*strides, start=moves[which].start.value + by)
    else:
        strides[axis] = Extent(strides[axis].value + by)
        moves[which] = Trajectory(moves[which].start, tuple(strides))
    other = Space(space.extents, tuple(moves))
    same = sorted(space.enumerate()) == sorted(other.enumerate())
    found = compare(kernel(space), kernel(other), {}).difference
    assert (found is None) == same
    if found is not None and found.found is not None:
        plain = dict(zip(product(*(range(e.value) for e in space.extents)), space.enumerate()))
        assert plain[found.at][found.operand] == found.expected != found.found


@pytest.mark.parametrize(("plain", "running"), [(6, 5), (6, 7), (6, 0), (0, 6), (0, 0)])
def test_iterations_that_are_missing_or_too_many(plain: int, running: int) -> None:
    one, two = (Space((Extent(n),), (Trajectory.of(1), Trajectory.of(1))) for n in (plain, running))
    found = compare(kernel(one), kernel(two), {}).difference
    assert (found is None) == (plain == running or plain == 0)
    if found is not None:
        assert (found.at, found.found) == ((5,), None)


def test_large_nests_that_interleave_are_not_judged() -> None:
    moves = Trajectory.of(0, 0), Trajectory.of(2, (1 << 40) + 1)
    space = Space((Extent(1 << 40), Extent(2)), moves)
    assert compare(kernel(space), kernel(space), {}) == (None, 0, 1 << 41)
