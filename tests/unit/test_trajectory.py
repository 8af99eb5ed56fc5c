"""Iteration spaces against enumeration: rewrites keep the addresses, in order or as a multiset."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from itertools import permutations

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from opsir.diagnostics import OpsirOverflowError, OpsirValueError
from opsir.extent import Extent, as_extent
from opsir.trajectory import Space, Trajectory

Value = int | str


def space(extents: Sequence[Value], *strides: Sequence[Value]) -> Space:
    return Space(tuple(map(as_extent, extents)), tuple(Trajectory.of(*s) for s in strides))


def broadcast(shape: Sequence[int], onto: Sequence[int], itemsize: int = 4) -> list[int]:
    """Byte strides of a dense array of ``shape`` along the axes of ``onto``."""
    strides: list[int] = []
    step = itemsize
    for size in reversed(shape):
        strides.append(0 if size == 1 else step)
        step *= size
    return [0] * (len(onto) - len(shape)) + strides[::-1]


@st.composite
def spaces(draw: st.DrawFn) -> Space:
    """Small spaces in which neighbouring axes often, but not always, merge."""
    rank = draw(st.integers(0, 4))
    extents = draw(st.lists(st.integers(0, 4), min_size=rank, max_size=rank))
    trajectories: list[Trajectory] = []
    for _ in range(draw(st.integers(1, 3))):
        strides: list[int] = []
        step = draw(st.sampled_from([-8, -4, 0, 4]))
        for extent in reversed(extents):
            strides.append(step)
            step *= extent
            if draw(st.integers(0, 3)) == 0:
                step = draw(st.sampled_from([-16, 0, 4, 12, 24]))
        trajectories.append(Trajectory.of(*reversed(strides), start=draw(st.integers(-9, 9))))
    return Space(tuple(map(as_extent, extents)), tuple(trajectories))


@st.composite
def symbolic_spaces(draw: st.DrawFn) -> tuple[Space, dict[str, int]]:
    """Spaces over symbols with values: sizes, products of sizes, and free strides."""
    rank = draw(st.integers(1, 4))
    names = [draw(st.sampled_from(["n", "m", "k", "2", "1"])) for _ in range(rank)]
    extents = [as_extent(name) for name in names]
    trajectories: list[Trajectory] = []
    for number in range(draw(st.integers(1, 3))):
        strides: list[Extent] = []
        step = as_extent(draw(st.sampled_from([4, 0, "u", -4])))
        for axis, extent in enumerate(reversed(extents)):
            strides.append(step)
            step *= extent
            if draw(st.integers(0, 3)) == 0:
                step = as_extent(draw(st.sampled_from([0, 4, f"t{number}{axis}", "u"])))
        trajectories.append(Trajectory(as_extent(0), tuple(reversed(strides))))
    made = Space(tuple(extents), tuple(trajectories))
    used = {name for t in trajectories for s in t.strides for name in s.symbols}
    env = {name: draw(st.integers(-40, 40)) for name in sorted(used)}
    env |= {name: draw(st.integers(1, 4)) for name in ("n", "m", "k")}
    return made, env


@given(spaces())
def test_dropping_and_merging_keep_the_sequence(original: Space) -> None:
    sequence = list(original.enumerate())
    for rewritten, groups in (original.drop_ones(), original.coalesce()):
        assert list(rewritten.enumerate()) == sequence
        assert len(groups) == len(rewritten.extents)
        kept = [axis for group in groups for axis in group]
        ones = [axis for axis, e in enumerate(original.extents) if e == Extent(1)]
        assert sorted(kept + ones) == list(range(len(original.extents)))


@given(symbolic_spaces())
def test_symbolic_rewrites_hold_for_every_value(case: tuple[Space, dict[str, int]]) -> None:
    original, env = case
    sequence = list(original.enumerate(env))
    assert list(original.coalesce()[0].enumerate(env)) == sequence
    assert list(original.bind(env).enumerate()) == sequence
    order = original.order([0])
    assert Counter(original.permute(order).enumerate(env)) == Counter(sequence)


@given(spaces())
def test_merging_is_complete_and_idempotent(original: Space) -> None:
    merged, _ = original.coalesce()
    again, groups = merged.coalesce()
    assert again == merged
    assert groups == tuple((axis,) for axis in range(len(merged.extents)))
    pairs = range(len(merged.extents) - 1)
    for axis in pairs:
        inner = merged.extents[axis + 1].value
        assert any(
            t.strides[axis].value != inner * t.strides[axis + 1].value for t in merged.trajectories
        )


@given(spaces())
def test_permuting_keeps_the_multiset(original: Space) -> None:
    for order in list(permutations(range(len(original.extents))))[:6]:
        permuted = original.permute(order)
        assert Counter(permuted.enumerate()) == Counter(original.enumerate())


@given(spaces(), st.data())
def test_tiling_keeps_the_sequence(original: Space, data: st.DataObject) -> None:
    assume(original.extents)
    axis = data.draw(st.integers(0, len(original.extents) - 1))
    size = data.draw(st.integers(1, 4))
    if original.refuses_tile(axis, size) is None:
        assert list(original.tile(axis, size).enumerate()) == list(original.enumerate())
    else:
        with pytest.raises(OpsirValueError, match="cannot tile"):
            original.tile(axis, size)


@given(spaces())
def test_constant_orders_are_stable_sorts(original: Space) -> None:
    """With one trajectory and no zero stride the order is the sort by descending |stride|."""
    lone = Space(original.extents, original.trajectories[:1])
    strides = [abs(s.value) for s in lone.trajectories[0].strides]
    assume(0 not in strides and Extent(1) not in lone.extents)
    assert list(lone.order([0])) == sorted(range(len(strides)), key=lambda a: -strides[a])


@given(st.one_of(spaces(), symbolic_spaces().map(lambda case: case[0])))
def test_ordering_is_idempotent(original: Space) -> None:
    ordered = original.permute(original.order([len(original.trajectories) - 1]))
    outputs = [len(original.trajectories) - 1]
    assert ordered.order(outputs) == tuple(range(len(original.extents)))


class TestPlans:
    """Plans worked out by hand."""

    @pytest.mark.parametrize(
        ("b", "counts", "a_steps", "b_steps"),
        [
            ([1, 1, 5], [6, 5], [20, 4], [0, 4]),
            ([2, 3, 1], [6, 5], [20, 4], [4, 0]),
            ([1, 3, 5], [2, 15], [60, 4], [0, 4]),
            ([2, 1, 1], [2, 15], [60, 4], [4, 0]),
            ([1, 3, 1], [2, 3, 5], [60, 20, 4], [0, 4, 0]),
            ([2, 3, 5], [30], [4], [4]),
            ([5], [6, 5], [20, 4], [0, 4]),
        ],
    )
    def test_golden_plans(
        self, b: list[int], counts: list[int], a_steps: list[int], b_steps: list[int]
    ) -> None:
        shape = [2, 3, 5]
        full = broadcast(shape, shape)
        merged, _ = space(shape, full, broadcast(b, shape), full).coalesce()
        assert merged == space(counts, a_steps, b_steps, a_steps)

    def test_both_sides_expanding_merges_nothing(self) -> None:
        shape = [4, 2, 3, 5]
        original = space(
            shape, broadcast([1, 2, 1, 5], shape), broadcast([4, 1, 3, 1], shape), [120, 60, 20, 4]
        )
        assert original.coalesce()[0] == original

    def test_leading_ones_expand_to_one_axis(self) -> None:
        shape = [128, 128, 128, 4096]
        operand, result = broadcast([1, 1, 1, 4096], shape), broadcast(shape, shape)
        merged, groups = space(shape, operand, result).coalesce()
        assert merged == space([2097152, 4096], [0, 4], [16384, 4])
        assert groups == ((0, 1, 2), (3,))

    def test_padded_rows_stay_apart(self) -> None:
        padded = space([3, 4], [20, 4], [16, 4])
        assert padded.coalesce()[0] == padded
        symbolic = space(["n", "m"], ["p", 4], ["m*4", 4])
        assert symbolic.coalesce()[0] == symbolic

    def test_unknown_sizes_merge_to_one_axis(self) -> None:
        dense = ["m*k*4", "k*4", 4]
        merged, _ = space(["n", "m", "k"], dense, dense, dense).coalesce()
        assert merged == space(["n*m*k"], [4], [4], [4])

    def test_row_and_matrix_stay_two_axes(self) -> None:
        original = space(["n", "m"], ["m*4", 4], [0, 4], ["m*4", 4])
        assert original.coalesce()[0] == original

    def test_reversed_axes_merge(self) -> None:
        merged, _ = space([3, 4], [-16, -4], [16, 4]).coalesce()
        assert merged == space([12], [-4], [4])
        apart = space([3, 4], [-16, 4], [16, 4])
        assert apart.coalesce()[0] == apart

    def test_axes_of_one_drop_whatever_their_strides(self) -> None:
        merged, groups = space([1, 3, 1, 4], [7, 16, -9, 4], [0, 16, 999, 4]).coalesce()
        assert merged == space([12], [4], [4])
        assert groups == ((1, 3),)

    def test_no_axes_run_once_and_zero_extents_never(self) -> None:
        empty, _ = space([1, 1], [4, 4]).coalesce()
        assert empty.extents == ()
        assert list(empty.enumerate()) == [(0,)]
        assert list(space([3, 0], [4, 4]).enumerate()) == []

    def test_a_product_beyond_64_bits_keeps_axes_apart(self) -> None:
        huge = space([1 << 40, 1 << 40], [0, 0])
        assert huge.coalesce()[0] == huge

    def test_more_than_32_bits_merge(self) -> None:
        merged, _ = space([1 << 20, 1 << 20], [1 << 22, 4]).coalesce()
        assert merged == space([1 << 40], [4])


class TestOrder:
    def test_outputs_decide_before_inputs(self) -> None:
        both = space([3, 4], [16, 4], [4, 12])
        assert both.order([1]) == (1, 0)
        assert both.order([0]) == (0, 1)
        assert both.order([]) == (0, 1)

    def test_sizes_are_at_least_one(self) -> None:
        assert space(["n", "m"], [4, "n*4"]).order([0]) == (1, 0)
        assert space(["n", "m"], ["m*4", 4]).order([0]) == (0, 1)

    def test_unrelated_strides_keep_the_written_order(self) -> None:
        assert space(["n", "m"], ["s", "t"]).order([0]) == (0, 1)
        assert space(["n", "m", "k"], ["s", "t", "n*4"]).order([0]) == (0, 1, 2)

    def test_a_pitch_goes_outside_what_is_dense(self) -> None:
        assert space(["n", "m"], [4, "t"]).order([0]) == (1, 0)
        assert space(["n", "m", "k"], [4, "t", "n*4"]).order([0]) == (1, 2, 0)

    def test_chains_decide_what_monomials_leave_open(self) -> None:
        open_strides = space(["n", "m"], ["s", "t"])
        chain = [Extent.parse("t"), Extent.parse("s")]
        assert open_strides.order([0], [chain]) == (1, 0)
        assert open_strides.order([0], [chain[::-1]]) == (0, 1)

    def test_what_the_output_leaves_open_an_input_decides(self) -> None:
        assert space(["n", "m"], [4, "n*4"], ["s", "t"]).order([1]) == (1, 0)

    def test_magnitude_counts_not_sign(self) -> None:
        assert space([3, 4], [4, -12]).order([0]) == (1, 0)

    def test_broadcasts_and_single_positions_say_nothing(self) -> None:
        assert space([3, 4], [0, 4], [12, 48]).order([0]) == (1, 0)
        assert space([3, 1, 4], [4, 4, 12]).order([0]) == (1, 2, 0)

    def test_ties_keep_the_written_order(self) -> None:
        assert space([3, 4], [8, -8]).order([0]) == (0, 1)


@pytest.mark.parametrize("order", [(0,), (0, 0), (1, 2), (0, 1, 2)])
def test_a_wrong_order_is_refused(order: tuple[int, ...]) -> None:
    with pytest.raises(OpsirValueError, match="not an order of 2 axes"):
        space([2, 3], [4, 8]).permute(order)


def test_stride_counts_are_checked() -> None:
    with pytest.raises(OpsirValueError, match="trajectory 1 has 1 strides for 2 extents"):
        space([2, 3], [4, 8], [4])


def test_symbolic_tiles() -> None:
    tiled = space(["n*8", 5], [20, 4]).tile(0, 4)
    assert tiled == space(["n*2", 4, 5], [80, 20, 4])
    original = space(["n"], [4])
    assert original.refuses_tile(0, 2) == "extent 'n' is not known to be a multiple of 2"
    assert original.refuses_tile(1, 2) == "axis 1 is not one of 1 axes"
    assert original.refuses_tile(0, 0) == "tile size 0 is not positive"
    with pytest.raises(OpsirOverflowError):
        space([4], [1 << 62]).tile(0, 4)


@given(spaces(), st.integers(1, 6))
def test_constant_injectivity_is_exact(original: Space, itemsize: int) -> None:
    for index, trajectory in enumerate(original.trajectories):
        touched = [
            address[index] + byte for address in original.enumerate() for byte in range(itemsize)
        ]
        expected = len(touched) == len(set(touched))
        assert trajectory.is_injective(original.extents, itemsize) is expected


@given(symbolic_spaces(), st.integers(1, 6))
def test_symbolic_injectivity_never_errs(case: tuple[Space, dict[str, int]], itemsize: int) -> None:
    original, env = case
    for trajectory in original.trajectories:
        verdict = trajectory.is_injective(original.extents, itemsize)
        bound = Space(original.extents, (trajectory,)).bind(env)
        exact = bound.trajectories[0].is_injective(bound.extents, itemsize)
        assert verdict is None or verdict is exact or (verdict is False and 0 in env.values())


@pytest.mark.parametrize(
    ("extents", "strides", "verdict"),
    [
        (["n", "m"], ["m*4", 4], True),
        (["n", "m", "k"], ["k*4", "n*k*4", 4], True),
        (["n", "m"], ["m*-4", 4], True),
        (["n", "m"], ["m*2", 4], None),
        (["n", "m"], ["t", 4], None),
        (["n", 3], [4, 0], False),
        (["n", "m"], [4, 0], None),
        (["n", 0], [4, 0], True),
        ([4, 3], [4, 4], False),
        ([3, 4], [4, 12], True),
        ([2, 3, 5], [12, 4, 24], True),
        ([], [], True),
    ],
)
def test_injectivity(extents: list[Value], strides: list[Value], verdict: bool | None) -> None:
    known = tuple(map(as_extent, extents))
    assert Trajectory.of(*strides).is_injective(known, 4) is verdict


@given(spaces(), st.integers(1, 8))
def test_byte_range_is_what_is_touched(original: Space, itemsize: int) -> None:
    for index, trajectory in enumerate(original.trajectories):
        low, end = trajectory.byte_range(original.extents, {}, itemsize)
        addresses = [address[index] for address in original.enumerate()]
        if addresses:
            assert (low, end) == (min(addresses), max(addresses) + itemsize)
        else:
            assert low == end


def test_byte_range_beyond_64_bits_is_an_error() -> None:
    extents = (Extent.parse("n"),)
    trajectory = Trajectory.of(4)
    assert trajectory.byte_range(extents, {"n": 2**31 + 16}, 4) == (0, 4 * (2**31 + 16))
    assert trajectory.byte_range(extents, {"n": 1 << 61}, 3) == (0, (1 << 63) - 1)
    with pytest.raises(OpsirOverflowError, match="highest byte offset"):
        trajectory.byte_range(extents, {"n": 1 << 61}, 4)
    with pytest.raises(OpsirOverflowError, match="lowest byte offset"):
        Trajectory.of(-4, start=-8).byte_range(extents, {"n": 1 << 61})
