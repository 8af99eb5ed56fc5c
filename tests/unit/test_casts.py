"""Casting levels against NumPy, and exactness against the values themselves."""

from __future__ import annotations

from fractions import Fraction
from itertools import product
from typing import Any, Literal

import ml_dtypes
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from opsir.casts import can_cast, cast_class, is_exact
from opsir.dtypes import ALL, BF16, BOOL, F16, F32, F64, I8, I16, I64, U8, U16, U64, DType

NUMPY_DTYPES = tuple(d for d in ALL if d is not BF16)


@pytest.mark.parametrize("casting", ["safe", "same_kind"])
def test_can_cast_equals_numpy(casting: Literal["safe", "same_kind"]) -> None:
    for src, dst in product(NUMPY_DTYPES, repeat=2):
        expected = np.can_cast(src.numpy, dst.numpy, casting)
        assert can_cast(src, dst, casting) == expected, (src, dst)


def test_bf16_is_a_float_like_the_others() -> None:
    assert {d for d in ALL if can_cast(d, BF16, "safe")} == {BOOL, U8, I8, BF16}
    assert {d for d in ALL if can_cast(BF16, d, "safe")} == {BF16, F32, F64}
    assert all(can_cast(d, BF16, "same_kind") for d in ALL)
    assert {d for d in ALL if can_cast(BF16, d, "same_kind")} == {F16, BF16, F32, F64}


def test_bf16_differs_from_ml_dtypes_where_stated() -> None:
    differing = {
        (src, dst, casting)
        for src, dst in product(ALL, repeat=2)
        for casting in ("safe", "same_kind")
        if can_cast(src, dst, casting) != np.can_cast(src.numpy, dst.numpy, casting)
    }
    assert differing == {(BF16, F16, "same_kind")}


def finite_limits(dtype: DType) -> tuple[Fraction, Fraction]:
    """Largest and smallest positive value of a float dtype, by ml_dtypes' account."""
    info: Any = ml_dtypes.finfo(dtype.numpy)
    return Fraction(float(info.max)), Fraction(float(info.smallest_subnormal))


def fits(value: Fraction, dtype: DType) -> bool:
    """Whether ``dtype`` has this very value, from its definition alone."""
    if not dtype.is_float:
        return value.denominator == 1 and dtype.min <= value <= dtype.max
    largest, smallest = finite_limits(dtype)
    if abs(value) > largest or value % smallest:
        return False
    digits = abs(value.numerator)
    return not digits or digits.bit_length() - (digits & -digits).bit_length() < dtype.mantissa


def hardest_values(dtype: DType) -> list[Fraction]:
    """Values of ``dtype`` of which at least one is lost by every cast that loses any."""
    if not dtype.is_float:
        return [Fraction(v) for v in (dtype.min, dtype.min + 1, dtype.max - 1, dtype.max)]
    largest, smallest = finite_limits(dtype)
    odd = Fraction(2**dtype.mantissa - 1, 2 ** (dtype.mantissa - 1))
    return [largest, -largest, smallest, -smallest, odd, Fraction(1, 2)]


def test_is_exact_agrees_with_the_extreme_values() -> None:
    for src, dst in product(ALL, repeat=2):
        kept = all(fits(value, dst) for value in hardest_values(src))
        assert is_exact(src, dst) == kept, (src, dst)


EXACT_FROM_16_BITS = [
    (src, dst)
    for src, dst in product((BOOL, U8, I8, U16, I16, F16, BF16), ALL)
    if is_exact(src, dst)
]


@pytest.mark.parametrize(("src", "dst"), EXACT_FROM_16_BITS)
def test_exact_casts_return_every_value(src: DType, dst: DType) -> None:
    count = 2 if src is BOOL else 1 << src.bits
    values = np.arange(count, dtype=f"u{src.itemsize}").view(src.numpy)
    with np.errstate(all="ignore"):
        back = values.astype(dst.numpy).astype(src.numpy)
        same = (back == values) | ((back != back) & (values != values))
    assert same.all()


INTEGERS = tuple(d for d in ALL if d.is_integer)


@given(st.sampled_from(INTEGERS), st.sampled_from(ALL), st.data())
def test_exact_integer_casts_keep_any_value(src: DType, dst: DType, data: st.DataObject) -> None:
    value = data.draw(st.integers(src.min, src.max))
    if is_exact(src, dst):
        assert fits(Fraction(value), dst)


@given(st.floats(width=32, allow_nan=False, allow_infinity=False))
def test_f32_is_kept_by_f64(value: float) -> None:
    assert is_exact(F32, F64)
    assert fits(Fraction(value), F32)
    assert fits(Fraction(value), F64)


def test_cast_classes() -> None:
    assert cast_class(F16, F16) == "identity"
    assert cast_class(BOOL, BOOL) == "identity"
    assert cast_class(F64, BOOL) == cast_class(I8, BOOL) == "to_bool"
    assert cast_class(BOOL, BF16) == cast_class(U8, I16) == cast_class(BF16, F32) == "widen"
    assert cast_class(I8, U64) == cast_class(U64, I8) == cast_class(U64, I64) == "wrap"
    assert cast_class(F32, I64) == cast_class(BF16, U8) == "saturate"
    assert cast_class(I64, F64) == cast_class(F16, BF16) == cast_class(F64, F32) == "round"


def test_cast_classes_partition_the_169_casts() -> None:
    classes = [cast_class(src, dst) for src, dst in product(ALL, repeat=2)]
    counts = {name: classes.count(name) for name in set(classes)}
    assert counts == {
        "identity": 13,
        "to_bool": 12,
        "widen": 49,
        "wrap": 38,
        "saturate": 32,
        "round": 25,
    }
