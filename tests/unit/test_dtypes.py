"""The table of element types, row against row and against NumPy's and ml_dtypes' accounts."""

from __future__ import annotations

from typing import Any

import ml_dtypes
import numpy as np
import pytest

from opsir.dtypes import (
    ALL,
    BF16,
    BOOL,
    BY_MLIR,
    BY_NAME,
    F16,
    F32,
    F64,
    I64,
    U64,
    DType,
    from_numpy,
)

FLOATS = tuple(d for d in ALL if d.is_float)
WHOLE = tuple(d for d in ALL if not d.is_float)


def test_names_are_distinct_and_found() -> None:
    assert len(ALL) == 13
    assert [BY_NAME[d.name] for d in ALL] == list(ALL)
    assert [BY_MLIR[d.mlir] for d in ALL] == list(ALL)
    assert len(BY_NAME) == len(BY_MLIR) == 13
    assert [repr(d) for d in ALL] == [d.name for d in ALL]


@pytest.mark.parametrize("dtype", ALL)
def test_numpy_dtype_has_the_same_size_and_comes_back(dtype: DType) -> None:
    assert dtype.numpy.itemsize == dtype.itemsize
    assert dtype.itemsize * 8 == dtype.bits
    assert from_numpy(dtype.numpy) is dtype


@pytest.mark.parametrize("dtype", ALL)
def test_each_dtype_is_of_one_kind(dtype: DType) -> None:
    assert [dtype.is_logical, dtype.is_integer, dtype.is_float].count(True) == 1
    assert dtype.is_signed == (dtype.kind in "if")
    assert dtype.is_half == (dtype in (F16, BF16))


@pytest.mark.parametrize("dtype", WHOLE)
def test_integer_limits(dtype: DType) -> None:
    if dtype is BOOL:
        assert (dtype.min, dtype.max) == (0, 1)
        return
    info = np.iinfo(dtype.numpy)
    assert (dtype.min, dtype.max) == (info.min, info.max)


@pytest.mark.parametrize("dtype", FLOATS)
def test_float_format(dtype: DType) -> None:
    info: Any = ml_dtypes.finfo(dtype.numpy)
    assert dtype.mantissa == info.nmant + 1
    assert dtype.exponent == info.iexp
    assert dtype.mantissa + dtype.exponent == dtype.bits


def test_compute_and_accumulate_are_at_least_as_wide() -> None:
    for dtype in ALL:
        assert dtype.compute.kind == dtype.kind
        assert dtype.compute.bits >= dtype.bits
        assert dtype.accumulate.bits >= dtype.bits
        assert dtype.compute.is_half is False
    assert {d.accumulate for d in WHOLE} == {I64, U64}
    assert F16.compute is BF16.compute is F32
    assert F64.accumulate is F64


@pytest.mark.parametrize("code", ["l", "q", "L", "Q", "i", "I", "p", "P"])
def test_every_native_integer_has_a_row(code: str) -> None:
    dtype = np.dtype(code)
    row = from_numpy(dtype)
    assert row is not None
    assert (row.kind, row.itemsize) == (dtype.kind, dtype.itemsize)


@pytest.mark.parametrize("code", [">i4", ">f8", "c8", "c16", "U3", "O", "M8[s]", "i4,f4", "g"])
def test_other_dtypes_have_no_row(code: str) -> None:
    assert from_numpy(np.dtype(code)) is None
