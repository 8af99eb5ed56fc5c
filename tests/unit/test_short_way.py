"""A call of known geometry takes the short way, and only where nothing else has changed."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import opsir
from opsir import OpsirError, OpsirOverflowError, OpsirValueError
from opsir.runtime import addresses, jit
from opsir.runtime.buffers import COUNTS


class Watched:
    """A jitted function that counts the calls that went the long way."""

    def __init__(self, function: Any, **options: Any) -> None:
        self.jitted: Any = opsir.jit(**options)(function)
        self.long = 0
        inner = self.jitted._call

        def call(*args: Any) -> Any:
            self.long += 1
            return inner(*args)

        self.jitted._call = call

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        return self.jitted(*args, **kwargs)


def add(a: Any, b: Any) -> Any:
    return a + b


A = np.arange(12, dtype=np.float32).reshape(3, 4)


def test_equal_geometry_goes_the_short_way_and_other_does_not() -> None:
    f = Watched(add)
    for factor in (1, 2, 3):
        assert np.array_equal(f(factor * A, A), factor * A + A)
    assert f.long == 1
    for other in (A[::-1], A.astype(np.float64), A[:2], A[:, :1], A.astype(np.int16)):
        rest = A[:2] if len(other) == 2 else A
        assert np.array_equal(f(other, rest), other + rest)
        assert np.array_equal(f(other, rest), other + rest)
    assert f.long == 6


def test_results_are_new_each_time() -> None:
    f = Watched(add)
    first = f(A, A)
    second = f(A, A)
    second[:] = 0
    assert np.array_equal(first, A + A)
    assert f.long == 1


def test_scalars_are_read_each_time() -> None:
    f = Watched(add)
    bytes_ = np.arange(5, dtype=np.uint8)
    for number in (1, 7, 250):
        assert np.array_equal(f(bytes_, number), bytes_ + np.uint8(number))
    assert f.long == 1
    for number in (256, -1):
        with pytest.raises(OpsirOverflowError, match="does not fit u8"):
            f(bytes_, number)
    for number in (np.float32(0.5), np.float32(8)):
        assert np.array_equal(f(A, number), A + number)
    for number in (0.25, 1e300):
        with np.errstate(over="ignore"):
            assert np.array_equal(f(A, number), A + number)
    for flag in (True, False):
        assert np.array_equal(f(A, flag), A + flag)
    strict = Watched(add, scalars="strict")
    for number in (0.1, 3):
        assert strict(A, number).dtype == np.float64
        assert np.array_equal(strict(A, number), A + np.asarray(number))


def test_several_results_and_results_of_rank_0() -> None:
    f = Watched(lambda a, b: (a + b, a * b))
    for _ in range(2):
        both = f(A, A)
        assert type(both) is tuple
        assert np.array_equal(both[0], A + A)
        assert np.array_equal(both[1], A * A)
        assert type(f(np.float32(2), np.float32(3))[1]) is np.float32
    assert f.long == 2


def test_unaligned_arrays_go_the_long_way() -> None:
    f = Watched(add)
    raw = np.zeros(17, np.uint8)
    aligned, shifted = raw[:16].view(np.float32), raw[1:].view(np.float32)
    assert addresses.address_of(aligned) % 4 == 0
    for _ in range(2):
        f(aligned, aligned)
    assert f.long == 1
    for _ in range(2):
        assert np.array_equal(f(shifted, aligned), shifted + aligned)
    assert f.long == 3


def test_errors_and_warnings_come_each_time() -> None:
    f = Watched(lambda a, b: a // b)
    zero = np.zeros(3, np.int32)
    for _ in range(3):
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            f(zero, zero)
        assert [w.category for w in caught] == [RuntimeWarning]
        assert caught[0].filename == __file__
    assert f.long == 1
    with pytest.raises(OpsirError):
        f(zero, "no")


def test_out_is_checked_each_time() -> None:
    f = Watched(add)
    out = np.empty_like(A)
    for _ in range(2):
        assert f(A, A, out=out) is out
        assert f(A, A, out=(out,)) is out
    assert f.long == 1
    frozen = np.empty_like(A)
    frozen.flags.writeable = False
    with pytest.raises(OpsirValueError, match="out= is read-only"):
        f(A, A, out=frozen)
    with pytest.raises(OpsirError, match="out= takes NumPy arrays"):
        f(A, A, out=[1])


def test_captured_arrays_are_read_each_time() -> None:
    captured = A.copy()
    f = Watched(lambda a: a + captured)
    for _ in range(3):
        assert np.array_equal(f(A), A + captured)
        captured += 1


def test_in_place_calls_allocate_nothing() -> None:
    f = Watched(add)
    x = A.copy()
    f(x, A, out=x)
    COUNTS.reset()
    f(x, A, out=x)
    assert (COUNTS.calls, COUNTS.outputs, COUNTS.temporaries) == (1, 0, 0)
    assert np.array_equal(x, 3 * A)


STARTS = st.integers(0, 6)


@given(st.lists(st.tuples(STARTS, STARTS, STARTS, st.sampled_from([1, -1])), max_size=12))
def test_any_overlap_of_equal_geometry(calls: list[tuple[int, int, int, int]]) -> None:
    """The same sizes and strides at other places of one buffer: aliasing differs each time."""
    memory = np.arange(20, dtype=np.float64)
    f = Watched(lambda a, b: a - 2 * b)
    for a, b, c, step in calls:
        left, right = memory[a : a + 8], memory[b : b + 8][::step]
        out = memory[c : c + 8]
        expected = left - 2 * right
        f(left, right, out=out)
        assert np.array_equal(out, expected)


def test_many_geometries_keep_a_bounded_number() -> None:
    f = Watched(add)
    for size in range(2, jit.PREPARED + 20):
        x = np.ones(size, np.int8)
        assert f(x, x).sum() == 2 * size
    assert len(f.jitted._prepared) <= jit.PREPARED
    f.jitted.cache_clear()
    assert f.jitted._prepared == {}


def test_addresses_by_layout_are_those_of_the_interface(monkeypatch: pytest.MonkeyPatch) -> None:
    for array in (A, A.T, A[1:, ::2], np.empty(0), np.array(3), np.ma.masked_array(A)):
        assert addresses.address_of(array) == addresses.by_interface(array)
    monkeypatch.setattr(addresses, "_FIRST_FIELD", addresses._FIRST_FIELD + 8)
    assert addresses.chosen() is addresses.by_interface
    monkeypatch.setattr("sys.implementation.name", "other")
    assert addresses.chosen() is addresses.by_interface
