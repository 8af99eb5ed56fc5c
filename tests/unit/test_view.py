from __future__ import annotations

from collections.abc import Iterator
from itertools import permutations, product
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from opsir.diagnostics import OpsirIndexError, OpsirValueError
from opsir.extent import Extent
from opsir.view import (
    Diagonal,
    ExpandDims,
    Flip,
    Permute,
    Reshape,
    Slice,
    Span,
    Squeeze,
    ViewRule,
    composed,
    is_identity,
    place,
    shape_of,
)

Array = np.ndarray[Any, Any]


def numpy_view(view: ViewRule, array: Array) -> Array:
    """What NumPy makes of the same view."""
    match view:
        case Permute(order):
            return np.transpose(array, order)
        case Slice(items):
            return array[tuple(slice(*item) if isinstance(item, Span) else item for item in items)]
        case Flip(axes):
            return np.flip(array, axes)
        case ExpandDims(axes):
            return np.expand_dims(array, axes)
        case Squeeze(axes):
            return np.squeeze(array, axes)
        case Diagonal(offset, axes):
            return np.diagonal(array, offset, *axes)
        case Reshape(sizes):
            return np.reshape(array, [size.value for size in sizes], copy=False)


def assert_same_view(view: ViewRule, array: Array) -> None:
    expected = numpy_view(view, array)
    found = place(view, array.shape, array.strides, array.itemsize)
    assert found is not None
    start, strides = found
    assert shape_of(view, array.shape) == expected.shape
    if expected.size:
        assert start == expected.ctypes.data - array.ctypes.data
        moving = [n > 1 for n in expected.shape]
        pairs = zip(moving, strides, expected.strides, strict=True)
        assert all(mine == theirs for moves, mine, theirs in pairs if moves)


def spans(size: int) -> Iterator[Span | int]:
    bounds = [None, *range(-size - 1, size + 2)]
    for start, stop, step in product(bounds, bounds, (-3, -2, -1, 1, 2, 3)):
        yield Span(start, stop, step)
    yield from range(-size, size)


@pytest.mark.parametrize("size", range(5))
def test_every_slice_of_a_short_axis(size: int) -> None:
    array = np.arange(size * 3, dtype=np.int16).reshape(3, size)[:, ::-1]
    for item in spans(size):
        assert_same_view(Slice((Span(), item)), array)


def test_every_permutation_flip_and_new_axis() -> None:
    array = np.zeros((2, 3, 4, 5), np.float32)[:, ::2]
    for order in permutations(range(4)):
        assert_same_view(Permute(order), array)
    for picks in product((False, True), repeat=4):
        axes = tuple(axis for axis, picked in enumerate(picks) if picked)
        assert_same_view(Flip(axes), array)
        rising = tuple(2 * axis for axis in axes if 2 * axis < 4 + len(axes))
        assert_same_view(ExpandDims(rising[:1]), array)


def test_squeeze() -> None:
    assert_same_view(Squeeze((0, 2)), np.zeros((1, 4, 1, 3)))
    with pytest.raises(OpsirValueError, match="cannot squeeze axis 1 of size 4: expected 1"):
        shape_of(Squeeze((1,)), (1, 4))


@pytest.mark.parametrize("shape", [(3, 3), (2, 5), (5, 2), (1, 4), (0, 3)])
def test_every_diagonal(shape: tuple[int, int]) -> None:
    array = np.zeros((shape[0], 2, shape[1]), np.int8)
    for offset in range(-6, 7):
        for axes in ((0, 2), (2, 0), (0, 1), (1, 2)):
            assert_same_view(Diagonal(offset, axes), array)


def reshapes(draw: st.DrawFn, count: int) -> list[int]:
    sizes: list[int] = []
    while count > 1 and len(sizes) < 4:
        factor = draw(st.sampled_from([n for n in range(1, count + 1) if count % n == 0]))
        sizes.append(factor)
        count //= factor
    return [*sizes, count] if draw(st.booleans()) else [count, *sizes]


@st.composite
def reshaped(draw: st.DrawFn) -> tuple[Array, list[int]]:
    shape = draw(st.lists(st.integers(1, 4), min_size=1, max_size=4))
    array = np.zeros([n * 2 for n in shape], np.int32)
    array = array[tuple(slice(None, n * k, k) for n, k in zip(shape, draw(steps(len(shape)))))]
    array = np.transpose(array, draw(st.permutations(range(len(shape)))))
    return array, reshapes(draw, array.size)


def steps(rank: int) -> st.SearchStrategy[list[int]]:
    return st.lists(st.sampled_from((1, 1, 2)), min_size=rank, max_size=rank)


@settings(max_examples=400, deadline=None)
@given(reshaped())
def test_a_reshape_is_a_view_exactly_where_numpy_has_one(case: tuple[Array, list[int]]) -> None:
    array, sizes = case
    view = Reshape(tuple(map(Extent, sizes)))
    try:
        np.reshape(array, sizes, copy=False)
    except ValueError:
        assert place(view, array.shape, array.strides, array.itemsize) is None
    else:
        assert_same_view(view, array)


def test_a_reshape_finds_the_size_left_open() -> None:
    assert shape_of(Reshape((Extent(-1), Extent(4))), (2, 6)) == (3, 4)
    assert shape_of(Reshape((Extent(-1),)), (0, 6)) == (0,)


@pytest.mark.parametrize(
    ("view", "shape", "message"),
    [
        (Permute((0, 0)), (2, 3), r"\[0, 0\] is not an order of 2 axes"),
        (Slice((Span(),)), (2, 3), r"\[:\] has 1 items for 2 axes"),
        (Slice((Span(None, None, 0),)), (2,), r"\[::0\] has a step of 0"),
        (Flip((1, 0)), (2, 3), r"axes \[1, 0\] must be in rising order below 2"),
        (ExpandDims((3,)), (2, 3), r"axes \[3\] must be in rising order below 3"),
        (Diagonal(0, (1, 1)), (2, 3), "a diagonal runs along two axes below 2"),
        (Reshape((Extent(-1), Extent(-1))), (2, 3), "only one size of .* may be left open"),
        (Reshape((Extent(-2),)), (2, 3), r"a size is at least 0, got \[-2\]"),
        (Reshape((Extent(4),)), (2, 3), r"cannot reshape \[2, 3\] of 6 elements to \[4\]"),
        (Reshape((Extent(-1), Extent(0))), (0, 3), "cannot reshape"),
    ],
)
def test_what_does_not_apply_is_refused(
    view: ViewRule, shape: tuple[int, ...], message: str
) -> None:
    with pytest.raises(OpsirValueError, match=message):
        shape_of(view, shape)


def test_a_position_outside_its_axis_is_an_index_error() -> None:
    with pytest.raises(OpsirIndexError, match="index 3 is out of bounds for axis 1 with size 3"):
        shape_of(Slice((Span(), 3)), (2, 3))


def test_views_that_compose() -> None:
    cycle = Permute((1, 2, 0))
    assert composed(cycle, cycle, 3) == Permute((2, 0, 1))
    assert composed(Permute((2, 0, 1)), cycle, 3) == Permute((0, 1, 2))
    assert composed(Flip((0, 1)), Flip((1, 2)), 3) == Flip((0, 2))
    assert composed(Squeeze((1,)), ExpandDims((1,)), 2) == Permute((0, 1))
    assert composed(Flip((0,)), cycle, 3) is None
    assert is_identity(Permute((0, 1, 2)))
    assert is_identity(Slice((Span(), Span())))
    assert not is_identity(Slice((Span(None, None, -1),)))


def test_nchw_to_nhwc() -> None:
    c, h, w = 3, 4, 5
    found = place(Permute((0, 2, 3, 1)), (2, c, h, w), (c * h * w, h * w, w, 1), 1)
    assert found == (0, (c * h * w, w, 1, h * w))
