"""Overlap decisions against the bytes that views really touch, and against NumPy."""

from __future__ import annotations

from itertools import product
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.lib.stride_tricks import as_strided

from opsir.collision import collides, meets
from opsir.dtypes import F32, F64, I16, U8, from_numpy
from opsir.runtime.overlap import byte_extent, relation, self_overlaps
from opsir.signature import View


def view_of(array: np.ndarray[Any, Any]) -> View:
    dtype = from_numpy(array.dtype)
    assert dtype is not None
    return View(array.__array_interface__["data"][0], array.shape, array.strides, dtype)


def elements(view: View) -> list[int]:
    """The address of every element in index order."""
    return [
        view.pointer + sum(i * s for i, s in zip(index, view.strides))
        for index in product(*map(range, view.shape))
    ]


def touched(view: View) -> list[int]:
    return [address + byte for address in elements(view) for byte in range(view.itemsize)]


@st.composite
def views(draw: st.DrawFn) -> View:
    dtype = draw(st.sampled_from([U8, I16, F32, F64]))
    rank = draw(st.integers(0, 3))
    shape = draw(st.lists(st.sampled_from([3, 2, 4, 1, 5, 0]), min_size=rank, max_size=rank))
    steps = st.one_of(
        st.sampled_from([0, 1, 4, 8, 12, 16, 20, 40, -4, -8, -24]), st.integers(-30, 30)
    )
    strides = draw(st.lists(steps, min_size=rank, max_size=rank))
    return View(draw(st.integers(200, 280)), tuple(shape), tuple(strides), dtype)


@given(views())
def test_byte_extent_is_exact(view: View) -> None:
    low, end = byte_extent(view)
    octets = touched(view)
    assert (low, end) == ((min(octets), max(octets) + 1) if octets else (view.pointer,) * 2)


@settings(max_examples=400)
@given(views())
def test_self_overlap_is_exact(view: View) -> None:
    octets = touched(view)
    assert self_overlaps(view) == (len(octets) != len(set(octets)))


@settings(max_examples=400)
@given(views(), views())
def test_relation_is_exact(a: View, b: View) -> None:
    found = relation(a, b)
    assert relation(b, a) == found
    meeting = not set(touched(a)).isdisjoint(touched(b))
    assert (found == "disjoint") == (not meeting)
    if found == "identical":
        assert (elements(a), a.itemsize, a.shape) == (elements(b), b.itemsize, b.shape)


@given(views())
def test_a_view_is_identical_to_itself(view: View) -> None:
    assert relation(view, view) == ("disjoint" if 0 in view.shape else "identical")


@settings(max_examples=300)
@given(
    st.lists(st.tuples(st.integers(1, 4), st.integers(-12, 12)), max_size=3),
    st.lists(st.tuples(st.integers(1, 4), st.integers(-12, 12)), max_size=3),
    st.integers(-60, 60),
    st.integers(0, 5),
)
def test_meeting_is_exact(
    a: list[tuple[int, int]], b: list[tuple[int, int]], low: int, width: int
) -> None:
    def reached(walk: list[tuple[int, int]]) -> set[int]:
        return {
            sum(i * s for i, (_, s) in zip(index, walk))
            for index in product(*(range(e) for e, _ in walk))
        }

    high = low + width
    expected = any(low <= x - y <= high for x in reached(a) for y in reached(b))
    assert meets(a, b, low, high) is expected


D = np.arange(60, dtype=np.float32)
M = D.reshape(6, 10)


@pytest.mark.parametrize(
    ("a", "b", "expected"),
    [
        (D, D, "identical"),
        (D[1:], D[:-1], "overlapping"),
        (D, D[::-1], "overlapping"),
        (D[:30], D[30:], "disjoint"),
        (D[::2], D[1::2], "disjoint"),
        (D[::2], D[::2], "identical"),
        (D[::2], D[::3], "overlapping"),
        (M[:, 0], M[:, 1], "disjoint"),
        (M[:, :5], M[:, 5:], "disjoint"),
        (M[:, :6], M[:, 5:], "overlapping"),
        (M[::2, :7], M[1::2, 3:], "disjoint"),
        (M[:3, :5], M[3:, :5], "disjoint"),
        (M[:, :5], M[::-1, 5:], "disjoint"),
        (M, M.T, "overlapping"),
        (M[:1], M[:1], "identical"),
        (M[:0], M, "disjoint"),
        (M, M.view(np.int32), "identical"),
        (M, M.view(np.int16)[:, ::2], "overlapping"),
        (M, M[:, :, None], "overlapping"),
        (M.view(np.uint8)[:, 2::4], M.view(np.uint8)[:, 3::4], "disjoint"),
    ],
)
def test_relations(a: np.ndarray[Any, Any], b: np.ndarray[Any, Any], expected: str) -> None:
    assert relation(view_of(a), view_of(b)) == expected
    assert (expected == "disjoint") == (not np.shares_memory(a, b))


def test_strides_of_single_positions_do_not_matter() -> None:
    a = View(64, (1, 4), (16, 4), F32)
    assert relation(a, View(64, (1, 4), (-99, 4), F32)) == "identical"
    assert not self_overlaps(View(64, (1, 4), (0, 4), F32))


@pytest.mark.parametrize(
    ("shape", "strides", "expected"),
    [
        ((), (), False),
        ((3, 4), (16, 4), False),
        ((3, 4), (4, 12), False),
        ((3, 4), (4, 16), False),
        ((3, 4), (8, 4), True),
        ((3, 4), (20, 4), False),
        ((3, 4), (-16, 4), False),
        ((3, 2), (8, 12), False),
        ((4, 2), (8, 12), False),
        ((4, 3), (8, 12), True),
        ((2, 4), (0, 4), True),
        ((1, 4), (0, 4), False),
        ((0, 4), (0, 0), False),
        ((5,), (2,), True),
        ((5,), (-4,), False),
        ((2, 2, 2), (4, 8, 16), False),
        ((3, 3, 3), (20, 28, 44), False),
    ],
)
def test_self_overlap(shape: tuple[int, ...], strides: tuple[int, ...], expected: bool) -> None:
    array = as_strided(np.zeros(400, np.float32)[200:], shape, strides)
    assert self_overlaps(view_of(array)) == expected
    view = View(1 << 20, shape, strides, F32)
    octets = touched(view)
    assert (len(octets) != len(set(octets))) == expected


def test_sizes_beyond_32_bits() -> None:
    n = 2**31 + 16
    rows = View(1 << 40, (n, 3), (16, 4), F32)
    assert not self_overlaps(rows)
    assert self_overlaps(View(1 << 40, (n, 5), (16, 4), F32))
    assert byte_extent(rows) == (1 << 40, (1 << 40) + 16 * n - 4)
    assert relation(rows, View((1 << 40) + 12, (n,), (16,), F32)) == "disjoint"
    assert relation(rows, View((1 << 40) + 8, (n,), (16,), F32)) == "overlapping"
    assert relation(rows, View((1 << 40) + 16 * n, (n,), (16,), F32)) == "disjoint"


def test_undecided_searches_end_and_count_as_overlapping() -> None:
    extents = [40, 41, 43, 47, 53, 59]
    strides = [7919 * 6, 7907 * 10, 7901 * 14, 7883 * 22, 7879 * 26, 7877 * 34]
    assert collides(extents, strides, 1, max_work=3) is None
    walk = list(zip(extents, strides))
    assert meets(walk, [], 7, 7, max_work=3) in (None, False)
    assert collides([10**9, 10**9, 10**9], [10**9 + 7, 10**9 + 9, 10**9 + 21], 1) in (None, True)
    view = View(64, (10**9, 10**9, 10**9), (10**9 + 7, 10**9 + 9, 10**9 + 21), U8)
    assert self_overlaps(view)


def test_numpy_agrees_on_random_views() -> None:
    generator = np.random.default_rng(7)
    base = np.zeros((8, 9, 10), np.int16)
    for _ in range(300):
        pair: list[np.ndarray[Any, Any]] = []
        for _ in range(2):
            slices = tuple(
                slice(
                    int(generator.integers(0, n // 2)),
                    int(generator.integers(n // 2, n + 1)),
                    int(generator.integers(1, 4)),
                )
                for n in base.shape
            )
            view = base[slices]
            pair.append(view.transpose(generator.permutation(3)))
        found = relation(view_of(pair[0]), view_of(pair[1]))
        assert (found != "disjoint") == np.shares_memory(pair[0], pair[1])
