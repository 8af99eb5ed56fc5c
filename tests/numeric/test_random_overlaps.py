"""Random views of one buffer as operands and results: the values of operands that were copied."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.lib.stride_tricks import as_strided

import opsir
from opsir.runtime.overlap import self_overlaps
from tests.numeric.running import mismatch
from tests.numeric.values import Array
from tests.unit.test_overlap import view_of

ELEMENTS = 900
STEPS = st.sampled_from([1, -1, 2, -2, 3, 7, 0, 20, -20, 33])

one = opsir.jit(lambda a, b: a - 2 * b)
two = opsir.jit(lambda a, b: (a - b, b + 2 * a))
several = opsir.jit(lambda a, r: np.exp2(r) * a - r)
parts = opsir.jit(lambda a, r: (r - 1, a * r))


@st.composite
def placed(draw: st.DrawFn, memory: Array, shape: tuple[int, ...]) -> Array:
    """A view of ``memory`` that lies somewhere in it, with strides of any kind."""
    dense = [int(np.prod(shape[axis + 1 :])) for axis in range(len(shape))]
    steps = draw(st.one_of(st.just(dense), st.tuples(*[STEPS] * len(shape))))
    low = sum(min(0, (n - 1) * s) for n, s in zip(shape, steps))
    high = sum(max(0, (n - 1) * s) for n, s in zip(shape, steps))
    first = draw(st.integers(-low, max(-low, min(-low + 40, ELEMENTS - high - 1))))
    return as_strided(memory[first:], shape, [s * memory.itemsize for s in steps])


SHAPES = st.sampled_from(
    [(1,), (5,), (31,), (2, 9), (3, 16), (4, 3), (9, 17), (2, 3, 5), (4, 2, 8)]
)
DTYPES = st.sampled_from([np.int8, np.int16, np.float32, np.float64])


def in_bounds(*views: Array) -> bool:
    """Strides drawn for a large shape may pass the end of the buffer."""
    return all(
        sum((n - 1) * abs(s) for n, s in zip(v.shape, v.strides)) < ELEMENTS * v.itemsize
        for v in views
    )


def fresh(dtype: Any) -> Array:
    return (np.arange(ELEMENTS) % 23 - 7).astype(dtype)


@settings(max_examples=150, deadline=None)
@given(st.data())
def test_one_result_anywhere(data: st.DataObject) -> None:
    shape, memory = data.draw(SHAPES), fresh(data.draw(DTYPES))
    a, out = data.draw(placed(memory, shape)), data.draw(placed(memory, shape))
    kept = data.draw(st.integers(0, len(shape)))
    b = data.draw(placed(memory, shape[kept:]))
    if not in_bounds(a, b, out):
        return
    expected = a.copy() - 2 * b.copy()
    untouched = memory.copy()
    if self_overlaps(view_of(out)):
        with pytest.raises(ValueError, match="share memory"):
            one(a, b, out=out)
        assert np.array_equal(memory, untouched)
        return
    assert one(a, b, out=out) is out
    assert mismatch(out, expected) is None
    first = (out.ctypes.data - memory.ctypes.data) // memory.itemsize
    as_strided(untouched[first:], out.shape, out.strides)[...] = expected
    assert np.array_equal(memory, untouched)


@settings(max_examples=80, deadline=None)
@given(st.data())
def test_two_results_anywhere_in_the_arguments(data: st.DataObject) -> None:
    shape, memory = data.draw(SHAPES), fresh(data.draw(DTYPES))
    other = fresh(memory.dtype)
    a, b = data.draw(placed(memory, shape)), data.draw(placed(memory, shape))
    first, second = data.draw(placed(memory, shape)), data.draw(placed(other, shape))
    if not in_bounds(a, b, first, second) or any(
        self_overlaps(view_of(v)) for v in (first, second)
    ):
        return
    wanted = a.copy() - b.copy(), b.copy() + 2 * a.copy()
    two(a, b, out=(first, second))
    assert mismatch(first, wanted[0]) is None
    assert mismatch(second, wanted[1]) is None


@settings(max_examples=80, deadline=None)
@given(st.data())
def test_programs_of_several_kernels(data: st.DataObject) -> None:
    rows, columns = data.draw(st.sampled_from([(2, 9), (3, 16), (4, 3), (9, 17)]))
    memory = fresh(np.float64)
    a, r = data.draw(placed(memory, (rows, columns))), data.draw(placed(memory, (columns,)))
    out, row = data.draw(placed(memory, (rows, columns))), data.draw(placed(memory, (columns,)))
    if not in_bounds(a, r, out, row) or any(self_overlaps(view_of(v)) for v in (out, row)):
        return
    before = memory.copy()
    wanted = several(a.copy(), r.copy())
    several(a, r, out=out)
    assert mismatch(out, wanted) is None
    memory[...] = before
    wanted = r.copy() - 1, a.copy() * r.copy()
    parts(a, r, out=(row, np.empty((rows, columns))))
    assert mismatch(row, wanted[0]) is None
    memory[...] = before
    if np.shares_memory(row, out):
        return
    parts(a, r, out=(row, out))
    assert mismatch(row, wanted[0]) is None
    assert mismatch(out, wanted[1]) is None


@pytest.mark.parametrize("threads", [1, 2])
@pytest.mark.parametrize("size", [70_001, 600_000])
@pytest.mark.parametrize("shift", [1, 7, 64, 4096])
def test_arrays_larger_than_a_block_or_a_share(size: int, shift: int, threads: int) -> None:
    subtract = opsir.jit(threads=threads)(lambda a, b: a - b)
    add = opsir.jit(threads=threads)(lambda a, b: a + b)
    for dtype in (np.int16, np.float32):
        start = (np.arange(size) % 1021).astype(dtype)
        d = start.copy()
        subtract(d[shift:], d[:-shift], out=d[shift:])
        assert np.array_equal(d[shift:], start[shift:] - start[:-shift])
        d = start.copy()
        subtract(d[shift:], d[:-shift], out=d[:-shift])
        assert np.array_equal(d[:-shift], start[shift:] - start[:-shift])
        d = start.copy()
        add(d[::-1], d, out=d)
        assert np.array_equal(d, start[::-1] + start)
        d = start.copy()
        add(d, d, out=d)
        assert np.array_equal(d, start + start)
