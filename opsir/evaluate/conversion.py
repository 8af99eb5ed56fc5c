"""The 169 casts: wrap, saturate, round once to nearest even.

Owns the only code that rounds to a narrower dtype. Knows no op. Nothing here relies on a library's
own conversion where that may round twice (64-bit integers and f64 to bf16 pass through f32 there)
or is undefined (floats outside the range of an integer).
"""

from __future__ import annotations

from typing import Any

import numpy as np

from opsir.dtypes import BF16, DType
from opsir.evaluate.patterns import Array, bits_of, row, to_f64, widen


def convert(x: Array, to: DType) -> Array:
    """Cast a flat array to ``to``; the same array when it has that dtype already."""
    source = row(x)
    if source is to:
        return x
    if to.is_logical:
        return np.not_equal(widen(x), 0)
    if not to.is_float:
        return _saturate(to_f64(x), to) if source.is_float else x.astype(to.numpy)
    if to.mantissa == 53:
        return to_f64(x)
    if source.bits == 64 and not source.is_float:
        return narrow(_integer_to_odd(x), to)
    return narrow(to_f64(x), to)


def narrow(x: Array, to: DType) -> Array:
    """Round f64 values once, to nearest even, to a float dtype of at most 32 bits.

    Values are scaled so that one unit is the last place of the target, subnormals included, then
    rounded to integers: both scalings are exact.
    """
    largest_exponent = 1 << (to.exponent - 1)
    _, exponent = np.frexp(x)
    unit = np.maximum(exponent - to.mantissa, 3 - largest_exponent - to.mantissa)
    rounded = np.ldexp(np.rint(np.ldexp(x, -unit)), unit)
    overflows = np.abs(rounded) >= np.ldexp(1.0, largest_exponent)
    rounded = np.where(overflows, np.copysign(np.inf, x), rounded)
    if to is not BF16:
        return rounded.astype(to.numpy)
    high = rounded.astype(np.float32).view(np.uint32) >> np.uint32(16)
    return high.astype(np.uint16).view(to.numpy)


def step_to_odd(nearest: Array, error: Array) -> Array:
    """Round the exact sum ``nearest + error`` to odd, given its f64 rounding to nearest.

    The result keeps every bit that a later rounding to 51 bits or fewer looks at: where the sum is
    no f64, it is that one of its two f64 neighbours whose last bit is 1.
    """
    inexact = np.isfinite(nearest) & (error != 0) & ~np.isnan(error)
    is_even = (bits_of(nearest) & np.uint64(1)) == 0
    towards = np.copysign(np.inf, error)
    return np.where(inexact & is_even, np.nextafter(nearest, towards), nearest)


def _integer_to_odd(x: Array) -> Array:
    """64-bit integers as f64, rounded to odd at bit 11 of the magnitude."""
    negative = x < 0
    magnitude = np.where(negative, np.negative(x), x).astype(np.uint64)
    low = np.uint64((1 << 11) - 1)
    sticky = ((magnitude & low) != 0).astype(np.uint64) << np.uint64(11)
    odd = np.where(magnitude >> np.uint64(53) != 0, (magnitude & ~low) | sticky, magnitude)
    value = odd.astype(np.float64)
    return np.where(negative, -value, value)


def _saturate(x: Array, to: DType) -> Array:
    """Truncate f64 values to an integer dtype: the nearest bound out of range, 0 for a NaN."""
    whole = np.trunc(x)
    bound = float(to.max + 1)  # A power of two, unlike the largest value itself.
    above, below = whole >= bound, whole < float(to.min)
    inside = np.where(above | below | np.isnan(whole), 0.0, whole)
    wide: np.dtype[Any] = np.dtype(np.int64 if to.kind == "i" else np.uint64)
    value = inside.astype(wide).astype(to.numpy)
    value[above] = to.max
    value[below] = to.min
    return value
