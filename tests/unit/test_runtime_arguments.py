from __future__ import annotations

from typing import Any

import ml_dtypes
import numpy as np
import pytest

from opsir import dtypes
from opsir.diagnostics import OpsirTypeError
from opsir.runtime.arguments import given
from opsir.signature import WEAK_FLOAT, WEAK_INT, View, scalar


@pytest.mark.parametrize("dtype", dtypes.ALL, ids=repr)
def test_arrays_and_scalars_keep_their_dtype(dtype: dtypes.DType) -> None:
    array = np.zeros((2, 3), dtype.numpy)
    facts = given(array).facts
    assert isinstance(facts, View)
    assert (facts.dtype, facts.shape, facts.strides) == (dtype, array.shape, array.strides)
    assert given(array[0, 0]).facts == scalar(dtype)


@pytest.mark.parametrize(
    ("value", "facts"),
    [
        (1, WEAK_INT),
        (10**30, WEAK_INT),
        (1.0, WEAK_FLOAT),
        (True, scalar(dtypes.BOOL)),
        (np.float64(1.0), scalar(dtypes.F64)),  # a subclass of float
        (np.longlong(1), scalar(dtypes.I64)),
    ],
)
def test_numbers(value: Any, facts: Any) -> None:
    assert given(value).facts == facts


def test_strict_numbers_are_64_bits_wide() -> None:
    assert given(1, strict=True).facts == scalar(dtypes.I64)
    assert given(1.0, strict=True).facts == scalar(dtypes.F64)
    with pytest.raises(OpsirTypeError, match="x: 9223372036854775808 does not fit i64"):
        given(1 << 63, "x", strict=True)


@pytest.mark.parametrize(
    ("value", "expected"),
    [([1, 2], np.int64), ([1.0, 2], np.float64), ([True], np.bool_), ([[1], [2]], np.int64)],
)
def test_sequences_are_what_numpy_makes_of_them(value: Any, expected: Any) -> None:
    array = given(value).value
    assert array.dtype == expected
    assert np.array_equal(array, value)


@pytest.mark.parametrize(
    ("value", "message"),
    [
        (np.zeros(2, ">f4"), "x has dtype >f4, whose bytes are swapped; convert it with"),
        (np.zeros(2, complex), "x has dtype complex128, which opsir does not compute with"),
        (np.complex64(1), "x has dtype complex64"),
        (np.array(["a"], np.dtypes.StringDType()), "x has dtype StringDType()"),
        (np.zeros(2, "i4,f4"), "which opsir does not compute with; allowed are bool, u8"),
        (np.ma.array([1.0], mask=[True]), "x is a masked array"),
        (np.array([None]), "x has dtype object"),
        (np.zeros(2, "datetime64[s]"), r"x has dtype datetime64\[s\]"),
        ("text", "x is a str; allowed are arrays, numbers and sequences"),
        (None, "x is a NoneType"),
        ([[1], [1, 2]], "x: setting an array element with a sequence"),
        (np.zeros(2, ml_dtypes.float8_e5m2), "x has dtype float8_e5m2"),
        (np.zeros(2, ml_dtypes.int4), "x has dtype int4"),
    ],
)
def test_everything_else_is_refused(value: Any, message: str) -> None:
    with pytest.raises(OpsirTypeError, match=message):
        given(value, "x")


def test_a_plain_subclass_is_read_as_an_array() -> None:
    class Plain(np.ndarray[Any, Any]):
        pass

    array = np.arange(3.0).view(Plain)
    assert type(given(array).value) is np.ndarray
