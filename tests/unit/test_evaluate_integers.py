"""Integer ops on all pairs of bytes, and at the edges of every width, against Python's integers."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from opsir.dtypes import ALL, F32, I8, I32, I64, U8, DType
from opsir.evaluate import evaluate, evaluate_flags

Array = np.ndarray[Any, np.dtype[Any]]
Values = Callable[[DType], Array]

INTEGERS = [dtype for dtype in ALL if dtype.is_integer]


def wrap(value: int, dtype: DType) -> int:
    low = value & ((1 << dtype.bits) - 1)
    return low - (1 << dtype.bits) if low > dtype.max else low


def truncate(x: int, y: int) -> int:
    quotient = abs(x) // abs(y)
    return quotient if (x < 0) == (y < 0) else -quotient


def power(x: int, y: int) -> int:
    if y >= 0:
        return pow(x, y, 1 << 64)
    return {1: 1, -1: 1 if y % 2 == 0 else -1}.get(x, 0)


def shift_right(x: int, count: int, bits: int) -> int:
    return x >> count if 0 <= count < bits else min(0, x >> bits)


ORACLES: dict[str, Callable[[int, int, int], int]] = {
    "add": lambda x, y, _: x + y,
    "sub": lambda x, y, _: x - y,
    "mul": lambda x, y, _: x * y,
    "div_floor": lambda x, y, _: x // y if y else 0,
    "mod": lambda x, y, _: x % y if y else 0,
    "div_trunc": lambda x, y, _: truncate(x, y) if y else 0,
    "rem": lambda x, y, _: x - truncate(x, y) * y if y else 0,
    "pow": lambda x, y, _: power(x, y),
    "shift_left": lambda x, y, bits: x << y if 0 <= y < bits else 0,
    "shift_right": shift_right,
}


def check(op: str, dtype: DType, x: Array, y: Array) -> None:
    oracle = ORACLES[op]
    got = evaluate(op, [x, y], dtype)
    assert got.dtype == dtype.numpy
    expected = [wrap(oracle(a, b, dtype.bits), dtype) for a, b in zip(x.tolist(), y.tolist())]
    np.testing.assert_array_equal(got, np.array(expected, dtype.numpy))


@pytest.mark.parametrize("op", ORACLES)
@pytest.mark.parametrize("dtype", [I8, U8], ids=str)
def test_all_pairs_of_bytes(op: str, dtype: DType) -> None:
    every = np.arange(dtype.min, dtype.max + 1).astype(dtype.numpy)
    x, y = np.meshgrid(every, every)
    check(op, dtype, x.ravel(), y.ravel())


@pytest.mark.parametrize("op", ORACLES)
@pytest.mark.parametrize("dtype", INTEGERS, ids=str)
def test_special_and_random_pairs(
    op: str, dtype: DType, special_values: Values, random_values: Values
) -> None:
    x, y = np.meshgrid(special_values(dtype), special_values(dtype))
    random = random_values(dtype)[:200]
    check(
        op,
        dtype,
        np.concatenate([x.ravel(), random]),
        np.concatenate([y.ravel(), random[::-1]]),
    )


@pytest.mark.parametrize("dtype", INTEGERS, ids=str)
def test_unary(dtype: DType, special_values: Values) -> None:
    x = special_values(dtype)
    for op, oracle in {
        "neg": lambda v: -v,
        "abs": abs,
        "square": lambda v: v * v,
        "sign": lambda v: (v > 0) - (v < 0),
        "relu": lambda v: max(v, 0),
        "reciprocal": lambda v: v if v in (1, -1) else 0,
        "bitwise_not": lambda v: ~v,
        "positive": lambda v: v,
        "floor": lambda v: v,
        "round": lambda v: v,
    }.items():
        expected = [wrap(oracle(v), dtype) for v in x.tolist()]
        np.testing.assert_array_equal(evaluate(op, [x], dtype), np.array(expected, dtype.numpy))


def test_division_that_traps_in_hardware() -> None:
    x = np.array([-(2**31), -(2**31), 7, -7, 5, 0], np.int32)
    y = np.array([-1, 2, 0, 0, -3, 0], np.int32)
    assert evaluate("div_floor", [x, y], I32).tolist() == [-(2**31), -(2**30), 0, 0, -2, 0]
    assert evaluate("mod", [x, y], I32).tolist() == [0, 0, 0, 0, -1, 0]
    assert evaluate("div_trunc", [x, y], I32).tolist() == [-(2**31), -(2**30), 0, 0, -1, 0]
    assert evaluate("rem", [x, y], I32).tolist() == [0, 0, 0, 0, 2, 0]


def test_flags() -> None:
    one, zero = np.array([1, 1]), np.array([0, 1])
    for op in ("div_floor", "div_trunc", "mod", "rem"):
        assert evaluate_flags(op, [one, zero]) == {"divide"}
        assert evaluate_flags(op, [zero, one]) == set()
        assert evaluate_flags(op, [one.astype(np.float64), zero.astype(np.float64)]) == set()
        assert evaluate_flags(op, [one[:0], np.int64(0)]) == set()
    assert evaluate_flags("reciprocal", [zero]) == {"divide"}
    assert evaluate_flags("pow", [one, np.int64(-1)]) == {"negative_power"}
    assert evaluate_flags("pow", [one, zero]) == set()
    assert evaluate_flags("div", [np.float32(1), np.float32(0)]) == set()
    assert evaluate_flags("add", [zero, zero]) == set()


def test_negative_powers_have_a_value() -> None:
    base = np.array([1, -1, -1, 0, 2, -3])
    exponent = np.array([-3, -3, -2, -1, -1, -2])
    assert evaluate("pow", [base, exponent], I64).tolist() == [1, -1, 1, 0, 0, 0]


def test_an_integer_result_is_rounded_once_when_it_becomes_a_float() -> None:
    got = evaluate("add", [np.int64(2**53), np.int64(1)], F32)
    assert got == np.float32(2**53)
