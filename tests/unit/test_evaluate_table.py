"""Rows of the semantics that NumPy leaves open or decides otherwise, value by value."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from opsir.dtypes import ALL, BF16, BOOL, F16, F32, F64, I8, I32, U8, DType
from opsir.evaluate import evaluate

Array = np.ndarray[Any, np.dtype[Any]]
Values = Callable[[DType], Array]

FLOATS = [dtype for dtype in ALL if dtype.is_float]
INF, NAN = math.inf, math.nan


def check(op: str, dtype: DType, *rows: tuple[float, ...]) -> None:
    """Each row holds operands and the result; signs of zeros count."""
    *operands, expected = (np.array(column, np.float64) for column in zip(*rows))
    got = evaluate(op, [column.astype(dtype.numpy) for column in operands], dtype)
    wide = got.astype(np.float64)
    np.testing.assert_array_equal(wide, expected, err_msg=f"{op} {dtype}")
    plain = ~np.isnan(expected)
    np.testing.assert_array_equal(np.signbit(wide)[plain], np.signbit(expected)[plain])


@pytest.mark.parametrize("dtype", FLOATS, ids=str)
def test_minimum_and_maximum(dtype: DType) -> None:
    zeros = ((0.0, -0.0), (-0.0, 0.0))
    check("minimum", dtype, *((x, y, -0.0) for x, y in zeros), (NAN, 1, NAN), (1, NAN, NAN))
    check("maximum", dtype, *((x, y, 0.0) for x, y in zeros), (NAN, 1, NAN), (1, NAN, NAN))
    check("fmin", dtype, *((x, y, -0.0) for x, y in zeros), (NAN, 1, 1), (1, NAN, 1))
    check("fmax", dtype, *((x, y, 0.0) for x, y in zeros), (NAN, 1, 1), (NAN, NAN, NAN))
    check("relu", dtype, (-0.0, 0.0), (-1, 0.0), (2, 2), (NAN, NAN), (-INF, 0.0), (INF, INF))


@pytest.mark.parametrize("dtype", FLOATS, ids=str)
def test_clip(dtype: DType) -> None:
    check("clip", dtype, (NAN, -1, 2, NAN), (5, -1, 2, 2), (-5, -1, 2, -1), (1, NAN, 2, NAN))
    check("clip", dtype, (1, 0, NAN, NAN), (1, 3, 2, 2), (-0.0, 0.0, 1, 0.0), (0.0, -1, -0.0, -0.0))


@pytest.mark.parametrize("dtype", FLOATS, ids=str)
def test_whole_numbers(dtype: DType) -> None:
    check("round", dtype, (0.5, 1), (-0.5, -1), (2.5, 3), (-2.5, -3), (1.25, 1), (-0.25, -0.0))
    below = float(np.nextafter(dtype.numpy.type(0.5), dtype.numpy.type(0)))
    check("round", dtype, (below, 0), (-below, -0.0), (INF, INF), (NAN, NAN), (-0.0, -0.0))
    check("rint", dtype, (0.5, 0), (1.5, 2), (2.5, 2), (-0.5, -0.0), (-1.5, -2))
    whole = 2.0 ** (dtype.mantissa - 1) + 1
    check("round", dtype, (whole, whole), (-whole, -whole), (whole / 2, (whole + 1) / 2))


@pytest.mark.parametrize("dtype", FLOATS, ids=str)
def test_sign_heaviside_and_neighbours(dtype: DType) -> None:
    check("sign", dtype, (-0.0, 0.0), (0.0, 0.0), (-INF, -1), (3, 1), (NAN, NAN))
    check("heaviside", dtype, (-0.0, 0.5, 0.5), (0, NAN, NAN), (-1, NAN, 0), (NAN, 1, NAN))
    tiny = 2.0 ** (3 - (1 << (dtype.exponent - 1)) - dtype.mantissa)
    top = 2.0 ** ((1 << (dtype.exponent - 1)) - 1) * (2 - 2.0 ** (1 - dtype.mantissa))
    check("nextafter", dtype, (0.0, 1, tiny), (0.0, -1, -tiny), (-0.0, INF, tiny))
    check("nextafter", dtype, (tiny, 0.0, 0.0), (-tiny, 0.0, -0.0), (0.0, -0.0, -0.0))
    check("nextafter", dtype, (top, INF, INF), (-INF, 0, -top), (1, NAN, NAN), (NAN, 1, NAN))
    above = 1 + 2.0 ** (1 - dtype.mantissa)
    check("nextafter", dtype, (1, 2, above), (-1, -2, -above), (above, -INF, 1), (3, 3, 3))


@pytest.mark.parametrize("dtype", FLOATS, ids=str)
def test_quotients(dtype: DType) -> None:
    check("div_floor", dtype, (-1, INF, -1), (1, INF, 0), (-1, -INF, 0.0), (-0.0, 1, -0.0))
    check("div_floor", dtype, (7, -2, -4), (INF, 1, NAN), (1, -0.0, -INF), (0, 0, NAN))
    check("div_trunc", dtype, (-1, INF, -0.0), (7, -2, -3), (-7, 2, -3), (0.5, -1, -0.0))
    check("mod", dtype, (-1, INF, INF), (7, -2, -1), (-4, 2, 0.0), (4, -2, -0.0), (1, 0, NAN))
    check("rem", dtype, (-1, INF, -1), (7, -2, 1), (-4, 2, -0.0), (INF, 2, NAN), (1, 0, NAN))


@pytest.mark.parametrize("dtype", FLOATS, ids=str)
def test_moves_keep_the_bits_of_a_nan(dtype: DType) -> None:
    unsigned = np.dtype(f"u{dtype.itemsize}")
    sign, infinity = 1 << (dtype.bits - 1), ((1 << dtype.exponent) - 1) << (dtype.mantissa - 1)
    payload = infinity | 1 << (dtype.mantissa - 2) | 5
    x = np.array([payload, payload | sign, infinity | 1], unsigned).view(dtype.numpy)

    def patterns(op: str, *operands: Array) -> list[int]:
        return evaluate(op, operands, dtype).view(unsigned).tolist()

    plain = x.view(unsigned).tolist()
    assert patterns("positive", x) == patterns("cast", x) == plain
    assert patterns("neg", x) == [bits ^ sign for bits in plain]
    assert patterns("abs", x) == [bits & ~sign for bits in plain]
    assert patterns("copysign", x, -abs(np.ones(3)).astype(dtype.numpy)) == [
        bits | sign for bits in plain
    ]
    assert patterns("where", np.array([True]), x, x[:1]) == plain


def test_shifts_past_the_width() -> None:
    x, count = np.array([-5, 5, -5, 5], np.int8), np.array([8, 100, -1, -128], np.int8)
    assert evaluate("shift_left", [x, count], I8).tolist() == [0, 0, 0, 0]
    assert evaluate("shift_right", [x, count], I8).tolist() == [-1, 0, -1, 0]
    large = np.array([255, 255], np.uint8)
    assert evaluate("shift_right", [large, np.array([7, 8], np.uint8)], U8).tolist() == [1, 0]


def test_bool_arithmetic() -> None:
    x, y = np.array([False, False, True, True]), np.array([False, True, False, True])
    assert evaluate("add", [x, y], BOOL).tolist() == [False, True, True, True]
    assert evaluate("mul", [x, y], BOOL).tolist() == [False, False, False, True]
    assert evaluate("minimum", [x, y], BOOL).tolist() == [False, False, False, True]
    assert evaluate("bitwise_not", [x], BOOL).tolist() == [True, True, False, False]
    assert evaluate("lt", [x, y], BOOL).tolist() == [False, True, False, False]


def test_halves_round_after_every_op() -> None:
    x = np.arange(24, dtype=np.float32) / np.float32(10)
    z = np.where(np.arange(24) % 5 == 0, 0.5, -0.5).astype(np.float32)
    halves = [evaluate("cast", [value], F16) for value in (z, x)]
    total = evaluate("cast", [evaluate("add", halves, F16)], F32)
    assert np.add.reduce(total, dtype=np.float64).astype(np.float32) == np.float32(20.59961)


def test_a_multiply_and_an_add_stay_two_roundings() -> None:
    a, b = np.float32(2396747), np.float32(7)
    product = evaluate("mul", [a, b], F32)
    assert evaluate("sub", [product, evaluate("mul", [a, b], F32)], F32) == 0
    assert evaluate("fma", [a, b, -product], F32) == 1


def test_integer_overflow_wraps_when_folded() -> None:
    assert evaluate("add", [np.int32(2147483647), np.int32(1000)], I32) == -2147482649
    assert evaluate("abs", [np.int8(-128)], I8) == -128
    assert evaluate("div", [np.float64(1), np.float64(-0.0)], F64) == -INF
    assert evaluate("add", [BF16.numpy.type(256), BF16.numpy.type(1)], BF16) == 256
