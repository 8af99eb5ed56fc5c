"""Binding Python numbers to dtypes: exact rounding by fractions, exact ranges; literals as text."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from opsir import dtypes
from opsir.diagnostics import OpsirOverflowError
from opsir.dialects.opsir.types import NumberAttr, number, number_value
from opsir.dtypes import DType
from opsir.weak import Role, bind, nearest
from tests.unit.conftest import special_values
from tests.unit.programs import bits

FLOATS = [d for d in dtypes.ALL if d.is_float]


def rounded(value: int | float, dtype: DType) -> float:
    """The nearest value of ``dtype``, ties to even, computed with fractions."""
    exact = Fraction(value)
    power = exact.numerator.bit_length() - exact.denominator.bit_length()
    power += 0 if abs(exact) >= Fraction(2) ** power else -1
    smallest = 2 - (1 << (dtype.exponent - 1))
    unit = Fraction(2) ** (max(power, smallest) - dtype.mantissa + 1)
    nearest = round(exact / unit) * unit
    bound = Fraction(2) ** (1 << (dtype.exponent - 1))
    if abs(nearest) >= bound:
        return float("inf") if value > 0 else float("-inf")
    return float(nearest)


@given(
    value=st.integers(-(2**200), 2**200) | st.floats(allow_nan=False, allow_infinity=False),
    dtype=st.sampled_from(FLOATS),
)
def test_numbers_are_rounded_once(value: int | float, dtype: DType) -> None:
    found = nearest(value, dtype)
    assert found.dtype == dtype.numpy
    assert float(found) == (rounded(value, dtype) if value else 0.0)


@pytest.mark.parametrize("dtype", FLOATS, ids=str)
def test_integers_between_two_floats_do_not_round_twice(dtype: DType) -> None:
    """Just above a tie: dropping the last bit first would make it a tie."""
    for extra in (1, 2**20):
        value = ((1 << dtype.mantissa) + 1 << 80) + extra
        assert float(nearest(value, dtype)) == rounded(value, dtype)


@pytest.mark.parametrize("dtype", FLOATS, ids=str)
def test_integers_beyond_f64_are_refused(dtype: DType) -> None:
    with pytest.raises(OpsirOverflowError, match="of 1329 bits is too large for a float"):
        bind(10**400, "convert", dtype)


def test_roles() -> None:
    i8 = dtypes.I8
    beside = {-129: (-128, False, True, False), 128: (127, True, False, False)}
    for number_, (end, above, below, within) in {**beside, 5: (5, False, False, True)}.items():
        assert bind(number_, "clamp", i8) == end
        roles: tuple[Role, ...] = ("above", "below", "within")
        found = [bind(number_, role, i8) for role in roles]
        assert found == [above, below, within]
        assert all(type(flag) is np.bool_ for flag in found)
    assert bind(-129, "lower", i8) == -128
    assert bind(128, "upper", i8) == 127
    beyond: list[tuple[int, Role]] = [(128, "lower"), (-129, "upper"), (-129, "convert")]
    for value, role in beyond:
        with pytest.raises(OpsirOverflowError, match=rf"{value} does not fit i8 \(-128 \.\. 127\)"):
            bind(value, role, i8)
    assert bind(0.5, "convert", dtypes.BOOL) == np.True_


@pytest.mark.parametrize("dtype", dtypes.ALL, ids=str)
def test_literals_read_back_to_the_same_bits(dtype: DType) -> None:
    values = special_values(dtype)
    if dtype.is_half:
        values = np.arange(1 << 16, dtype=np.uint16).view(dtype.numpy)
    for value in values:
        text = number(value, dtype)
        again = number_value(text, dtype)
        assert again.tobytes() == value.tobytes()
        assert number(again, dtype) == text
    assert bits(number_value(NumberAttr(number(0.1, "float").data), "float")) == bits(0.1)
