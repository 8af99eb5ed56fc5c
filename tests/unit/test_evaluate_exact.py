"""Casts, fma, half arithmetic and float division against exact rational arithmetic."""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable
from fractions import Fraction
from typing import Any

import numpy as np
import pytest

from opsir.dtypes import ALL, BF16, F16, F32, F64, I32, U8, DType
from opsir.evaluate import cast, evaluate

Array = np.ndarray[Any, np.dtype[Any]]
Values = Callable[[DType], Array]

FLOATS = [F16, BF16, F32, F64]


def nearest(value: Fraction, dtype: DType) -> float:
    """The one correct rounding to nearest even, without the sign of a zero."""
    if value == 0:
        return 0.0
    size, emax = abs(value), (1 << (dtype.exponent - 1)) - 1
    exponent = size.numerator.bit_length() - size.denominator.bit_length()
    exponent -= size < Fraction(2) ** exponent
    unit = Fraction(2) ** (max(exponent, 1 - emax) - dtype.mantissa + 1)
    rounded = round(size / unit) * unit
    result = math.inf if rounded >= Fraction(2) ** (emax + 1) else float(rounded)
    return result if value > 0 else -result


def numbers(x: Array) -> list[float]:
    """Elements as Python floats, exactly."""
    return [float(element) for element in x]


def exact(value: float) -> Fraction:
    return Fraction(value)


def check(got: Array, expected: list[float], context: object = "") -> None:
    """Equal values; any NaN equals any other, and zeros are not told apart."""
    np.testing.assert_array_equal(numbers(got), expected, err_msg=str(context))


def converted(value: Any, source: DType, to: DType) -> float | int:
    """One cast of a Python number by the book."""
    if to.is_logical:
        return int(value != 0)
    if source.is_float and not math.isfinite(value):
        if to.is_float:
            return value
        return 0 if math.isnan(value) else (to.max if value > 0 else to.min)
    if to.is_float:
        return nearest(Fraction(value), to)
    if source.is_float:
        return min(max(int(value), to.min), to.max)
    return (int(value) - to.min) % (1 << to.bits) + to.min


@pytest.mark.parametrize("to", ALL, ids=str)
@pytest.mark.parametrize("source", ALL, ids=str)
def test_all_casts(source: DType, to: DType, special_values: Values, random_values: Values) -> None:
    x = np.concatenate([special_values(source), random_values(source)[:60]])
    got = cast(x, to)
    assert got.dtype == to.numpy
    values: list[Any] = numbers(x) if source.is_float else x.tolist()
    expected = [converted(value, source, to) for value in values]
    if to.is_float:
        check(got, [float(value) for value in expected])
    else:
        assert got.tolist() == expected


def test_long_integers_round_once() -> None:
    """Just past the middle of two neighbours: through f32 or f64 these would be ties."""
    for to in FLOATS:
        exponent = 62 if to is not F16 else 15
        middle = (1 << exponent) + (1 << (exponent - to.mantissa))
        for value in (middle - 1, middle, middle + 1, middle * 3 // 2 + 1):
            for signed in (value, -value):
                assert float(cast(np.int64(signed), to)) == nearest(Fraction(signed), to)
            assert float(cast(np.uint64(2 * value), to)) == nearest(Fraction(2 * value), to)


def test_doubles_round_once_to_halves() -> None:
    sixteen = [1.0, 0.1, 65504, 65519.99, 65520, 1e-8, 2.0**-24, 1 + 2**-11 + 2**-40, -0.0, np.nan]
    bits = ["3c00", "2e66", "7bff", "7bff", "7c00", "0000", "0001", "3c01", "8000", "7e00"]
    got = cast(np.array(sixteen), F16).view(np.uint16)
    assert [f"{pattern:04x}" for pattern in got.tolist()] == bits
    assert float(cast(np.float64(1 + 2**-8 + 2**-40), BF16)) == 1 + 2**-7
    assert float(cast(np.float64(1 + 2**-8), BF16)) == 1.0


@pytest.mark.parametrize("source", [F32, F64], ids=str)
def test_floats_out_of_range_saturate(source: DType) -> None:
    values = [-1.5, -300, 300.7, 70000, 5e9, 1e20, np.nan, np.inf, -np.inf]
    x = np.array(values).astype(source.numpy)
    top, bottom = 2**31 - 1, -(2**31)
    assert cast(x, I32).tolist() == [-1, -300, 300, 70000, top, top, 0, top, bottom]
    assert cast(x, U8).tolist() == [0, 0, 255, 255, 255, 255, 0, 255, 0]
    column = np.column_stack([x, x, x])[:, 1]
    assert cast(column, I32).tolist() == cast(x, I32).tolist()


def test_the_sign_of_zero_survives_casts() -> None:
    for source, to in itertools.product(FLOATS, FLOATS):
        tiny = np.array([-0.0, -1e-320 if source is F64 else -0.0]).astype(source.numpy)
        assert np.signbit(cast(tiny, to).astype(np.float64)).all()


def fused(a: float, b: float, c: float, dtype: DType) -> float:
    if not (math.isfinite(a) and math.isfinite(b)):
        return a * b + c
    if not math.isfinite(c):
        return c
    total = exact(a) * exact(b) + exact(c)
    if total == 0 and (c != 0 or (a != 0 and b != 0)):
        return 0.0  # Cancelled.
    signs = math.copysign(1, a) * math.copysign(1, b) * 0.0 + c
    return nearest(total, dtype) if total != 0 else signs


@pytest.mark.parametrize("dtype", FLOATS, ids=str)
def test_fma(dtype: DType, special_values: Values, random_values: Values) -> None:
    special, random = special_values(dtype), random_values(dtype)
    grid = np.meshgrid(special[::2], special[1::3], special[::3])
    operands = [np.concatenate([g.ravel(), np.roll(random, i)]) for i, g in enumerate(grid)]
    # Addends that nearly cancel the product, where a second rounding would show.
    with np.errstate(all="ignore"):
        product = (random * np.roll(random, 1)).astype(dtype.numpy)
    near = np.nextafter(-product, dtype.numpy.type(0))
    operands = [
        np.concatenate([x, more]) for x, more in zip(operands, (random, np.roll(random, 1), near))
    ]
    got = numbers(evaluate("fma", operands, dtype))
    for a, b, c, value in zip(*map(numbers, operands), got):
        expected = fused(a, b, c, dtype)
        same = math.isnan(value) if math.isnan(expected) else value == expected
        assert same, (a, b, c)
        if expected == 0 and exact(a) * exact(b) + exact(c) == 0:
            assert math.copysign(1, value) == math.copysign(1, expected), (a, b, c)


def test_fma_of_halves_known_to_need_one_rounding() -> None:
    f16, bf16 = F16.numpy.type, BF16.numpy.type
    got = evaluate("fma", [f16(1 + 2**-10), f16(0.5 - 2**-11), f16(1025)], F16)
    assert float(got) == 1025
    got = evaluate("fma", [bf16(1.5), bf16(1 + 2**-7), bf16(-(2.0**-100))], BF16)
    assert float(got) == 1.5078125


def test_fma_of_doubles_at_the_edges() -> None:
    tiny, top = 5e-324, 1.7976931348623157e308
    cases = [(2**-600.0, 2**-600.0, tiny, tiny), (2**-537.0, 2**-538.0, 0.0, 0.0)]
    cases += [(2**-537.0, 1.5 * 2**-538.0, 0.0, tiny), (top, 2.0, -top, top)]
    cases += [(top, 1.0, 2.0**970, math.inf), (top, 1.0, 2.0**969, top), (top, top, -top, math.inf)]
    for a, b, c, expected in cases:
        assert evaluate("fma", [np.float64(a), np.float64(b), np.float64(c)], F64) == expected


@pytest.mark.parametrize("dtype", [F16, BF16], ids=str)
def test_half_arithmetic_rounds_once(
    dtype: DType, special_values: Values, random_values: Values
) -> None:
    grid = np.meshgrid(special_values(dtype), special_values(dtype))
    random = random_values(dtype)
    with np.errstate(all="ignore"):
        small = (random.astype(np.float32) * np.float32(2.0**-9)).astype(dtype.numpy)
    x = np.concatenate([grid[0].ravel(), random, small])
    y = np.concatenate([grid[1].ravel(), np.roll(random, 1), np.roll(random, 2)])
    with np.errstate(all="ignore"):
        finite = np.isfinite(x) & np.isfinite(y) & (y != 0)
    x, y = x[finite], y[finite]
    pairs = [(exact(a), exact(b)) for a, b in zip(numbers(x), numbers(y))]
    check(evaluate("add", [x, y], dtype), [nearest(a + b, dtype) for a, b in pairs])
    check(evaluate("sub", [x, y], dtype), [nearest(a - b, dtype) for a, b in pairs])
    check(evaluate("mul", [x, y], dtype), [nearest(a * b, dtype) for a, b in pairs])
    check(evaluate("div", [x, y], dtype), [nearest(a / b, dtype) for a, b in pairs])
    check(evaluate("square", [x], dtype), [nearest(a * a, dtype) for a, _ in pairs])
    check(evaluate("reciprocal", [y], dtype), [nearest(1 / b, dtype) for _, b in pairs])


def root(value: Fraction) -> Fraction:
    """The square root to more than 100 bits, never on a tie that the true one misses."""
    scaled = value * 4**300
    floor = math.isqrt(int(scaled))
    return Fraction(2 * floor + (floor * floor != scaled), 2 << 300)


@pytest.mark.parametrize("dtype", [F16, BF16], ids=str)
def test_half_square_roots_round_once(dtype: DType) -> None:
    x = np.arange(1 << 15).astype(np.uint16)[::5].copy().view(dtype.numpy)
    with np.errstate(all="ignore"):
        x = x[np.isfinite(x)]
    roots = [root(exact(value)) for value in numbers(x)]
    check(evaluate("sqrt", [x], dtype), [nearest(r, dtype) for r in roots])


@pytest.mark.parametrize("dtype", FLOATS, ids=str)
def test_float_division_family(dtype: DType, special_values: Values, random_values: Values) -> None:
    grid = np.meshgrid(special_values(dtype), special_values(dtype))
    random = random_values(dtype)
    x = np.concatenate([grid[0].ravel(), random])
    y = np.concatenate([grid[1].ravel(), np.roll(random, 1)])
    with np.errstate(all="ignore"):
        finite = np.isfinite(x) & np.isfinite(y) & (y != 0)
    x, y = x[finite], y[finite]
    pairs = [(exact(a), exact(b)) for a, b in zip(numbers(x), numbers(y))]
    rem = [a - int(a / b) * b for a, b in pairs]
    check(evaluate("rem", [x, y], dtype), [nearest(r, dtype) for r in rem])
    if dtype not in (F16, BF16):  # Halves round the sum to f32 on its way.
        mod = [a - math.floor(a / b) * b for a, b in pairs]
        check(evaluate("mod", [x, y], dtype), [nearest(m, dtype) for m in mod])
    # Quotients with few digits are exact; longer ones carry the rounding errors of the division.
    short = np.array([abs(a / b) < 2 ** (dtype.mantissa - 2) for a, b in pairs])
    few = [pair for pair, keep in zip(pairs, short) if keep]
    floors = [float(math.floor(a / b)) for a, b in few]
    check(evaluate("div_floor", [x[short], y[short]], dtype), floors)
    wholes = [float(int(a / b)) for a, b in few]
    check(evaluate("div_trunc", [x[short], y[short]], dtype), wholes)


def test_a_zero_divisor_gives_the_ratio() -> None:
    x, y = np.array([1.0, -1.0, 0.0, 1.0]), np.array([0.0, 0.0, 0.0, -0.0])
    for op in ("div_floor", "div_trunc"):
        np.testing.assert_array_equal(
            evaluate(op, [x, y], F64), [math.inf, -math.inf, math.nan, -math.inf]
        )
    assert np.isnan(evaluate("mod", [x, y], F64)).all()
