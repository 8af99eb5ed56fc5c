"""Ops on the parts of a float: rounding to whole numbers, classes, signs and neighbours.

Owns the ops that are exact by nature. Integers and bool are whole, finite and no NaN, so they pass
through.
"""

from __future__ import annotations

import numpy as np

from opsir.evaluate.patterns import (
    Array,
    Rule,
    bits_of,
    is_float,
    is_nan,
    is_negative,
    sign_bit,
    widen,
)


def _floor(x: Array) -> Array:
    return np.floor(widen(x)) if is_float(x) else x


def _ceil(x: Array) -> Array:
    return np.ceil(widen(x)) if is_float(x) else x


def _trunc(x: Array) -> Array:
    return np.trunc(widen(x)) if is_float(x) else x


def _rint(x: Array) -> Array:
    return np.rint(widen(x)) if is_float(x) else x


def _round(x: Array) -> Array:
    """To the nearest whole number, halves away from zero."""
    if not is_float(x):
        return x
    wide = widen(x)
    whole = np.trunc(wide)
    away = np.abs(wide - whole) >= 0.5
    return np.where(away, whole + np.copysign(np.ones_like(wide), wide), whole)


def _isnan(x: Array) -> Array:
    return is_nan(x)


def _isinf(x: Array) -> Array:
    return np.isinf(widen(x))


def _isfinite(x: Array) -> Array:
    return np.isfinite(widen(x))


def _signbit(x: Array) -> Array:
    return is_negative(x) if is_float(x) else np.less(x, 0)


def _copysign(x: Array, y: Array) -> Array:
    sign = sign_bit(x)
    return ((bits_of(x) & ~sign) | (bits_of(y) & sign)).view(x.dtype)


def _heaviside(x: Array, at_zero: Array) -> Array:
    """0 below zero, 1 above, ``at_zero`` at both zeros; a NaN stays."""
    wide = widen(x)
    step = np.where(wide == 0, widen(at_zero), (wide > 0).astype(wide.dtype))
    return np.where(np.isnan(wide), wide, step)


def _nextafter(x: Array, y: Array) -> Array:
    """The neighbour of ``x`` in the direction of ``y``; ``y`` itself where they are equal."""
    bits, sign = bits_of(x), sign_bit(x)
    one = np.ones_like(bits)
    from_zero = (bits_of(y) & sign) | one
    outwards = (widen(y) > widen(x)) == ~is_negative(x)
    moved = np.where(outwards, bits + one, bits - one)
    moved = np.where(widen(x) == 0, from_zero, moved).view(x.dtype)
    moved = np.where(widen(x) == widen(y), y, moved)
    return np.where(is_nan(x), x, np.where(is_nan(y), y, moved))


RULES: dict[str, Rule] = {
    "floor": _floor,
    "ceil": _ceil,
    "trunc": _trunc,
    "rint": _rint,
    "round": _round,
    "isnan": _isnan,
    "isinf": _isinf,
    "isfinite": _isfinite,
    "signbit": _signbit,
    "copysign": _copysign,
    "heaviside": _heaviside,
    "nextafter": _nextafter,
}
