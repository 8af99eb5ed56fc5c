"""Floats as bit patterns: views, masks, and the exact widening of narrow floats.

Owns how a float array is taken apart into sign, exponent and fraction bits. Knows no op and never
rounds.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from opsir.dtypes import BF16, DType, from_numpy

Array = np.ndarray[Any, np.dtype[Any]]
"""One flat array of any of the thirteen dtypes; all operands of a rule have equal length."""

Rule = Callable[..., Array]
"""One op on flat arrays of its compute dtypes.

The value may be in a wider dtype than the op's result; one cast to the result dtype, which rounds
at most once, completes the op.
"""

_UNSIGNED: dict[int, np.dtype[Any]] = {
    16: np.dtype(np.uint16),
    32: np.dtype(np.uint32),
    64: np.dtype(np.uint64),
}


def row(x: Array) -> DType:
    """The dtype row of an array."""
    found = from_numpy(x.dtype)
    assert found is not None, f"{x.dtype} has no row in the dtype table"
    return found


def is_float(x: Array) -> bool:
    """True for all four float dtypes; NumPy itself does not count bf16 among the floats."""
    return row(x).is_float


def bits_of(x: Array) -> Array:
    """The bit patterns of a contiguous float array as unsigned integers of its width, a view."""
    return x.view(_UNSIGNED[row(x).bits])


def sign_bit(x: Array) -> Array:
    """The mask of the sign bit in the patterns of ``x``, one element of their dtype."""
    unsigned = _UNSIGNED[row(x).bits]
    return np.asarray(1 << (row(x).bits - 1), unsigned)


def is_negative(x: Array) -> Array:
    """Whether the sign bit of each float is set, zeros and NaNs included."""
    return (bits_of(x) & sign_bit(x)) != 0


def widen(x: Array) -> Array:
    """f16 and bf16 exactly as f32; every other array as it is."""
    dtype = row(x)
    if dtype is BF16:
        return (x.view(np.uint16).astype(np.uint32) << 16).view(np.float32)
    return x.astype(np.float32) if dtype.is_half else x


def to_f64(x: Array) -> Array:
    """Any array as f64; exact for all but 64-bit integers, which round once to nearest even."""
    return widen(x).astype(np.float64)


def is_nan(x: Array) -> Array:
    """Whether each element is a NaN; false throughout for bool and integers."""
    return np.isnan(widen(x)) if is_float(x) else np.zeros(x.shape, np.bool_)
