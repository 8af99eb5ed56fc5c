"""Division with a whole quotient, and its remainders.

Owns the ops that a plain machine instruction gets wrong: integer division by zero and of the most
negative number, floor and truncating forms, and the float algorithm with an exact remainder.
Halves are computed in f32.
"""

from __future__ import annotations

import numpy as np

from opsir.evaluate.patterns import Array, Rule, is_float, row, widen


def _floor_integers(x: Array, y: Array) -> tuple[Array, Array]:
    """Floored quotient and remainder; 0 and 0 for a zero divisor, MIN and 0 for MIN / -1."""
    zero = y == 0
    wraps = (x == row(x).min) & (y == -1) if row(x).is_signed else np.zeros(x.shape, np.bool_)
    divisor = np.where(zero | wraps, np.ones_like(y), y)
    quotient, remainder = np.floor_divide(x, divisor), np.remainder(x, divisor)
    nothing = np.zeros_like(x)
    return np.where(zero, nothing, quotient), np.where(zero, nothing, remainder)


def _truncate_integers(x: Array, y: Array) -> tuple[Array, Array]:
    """Quotient rounded towards zero and the remainder with the sign of ``x``."""
    quotient, remainder = _floor_integers(x, y)
    crossed = (remainder != 0) & ((x < 0) != (y < 0))
    return np.where(crossed, quotient + 1, quotient), np.where(crossed, remainder - y, remainder)


def _whole(quotient: Array, x: Array, y: Array) -> Array:
    """The whole number that a quotient stands for, with the sign of x/y where it is 0.

    ``quotient`` is a whole number up to the rounding errors of the division that gave it.
    """
    ratio = x / y
    floor = np.floor(quotient)
    whole = np.where(quotient - floor > 0.5, floor + 1, floor)
    whole = np.where(quotient == 0, np.copysign(np.zeros_like(ratio), ratio), whole)
    return np.where(y == 0, ratio, whole)


def _div_floor(x: Array, y: Array) -> Array:
    if not is_float(x):
        return _floor_integers(x, y)[0]
    x, y = widen(x), widen(y)
    remainder = np.fmod(x, y)
    quotient = (x - remainder) / y
    crossed = (remainder != 0) & ((y < 0) != (remainder < 0))
    return _whole(np.where(crossed, quotient - 1, quotient), x, y)


def _mod(x: Array, y: Array) -> Array:
    if not is_float(x):
        return _floor_integers(x, y)[1]
    x, y = widen(x), widen(y)
    remainder = np.fmod(x, y)
    crossed = (remainder != 0) & ((y < 0) != (remainder < 0))
    shifted = np.where(crossed, remainder + y, remainder)
    return np.where(remainder == 0, np.copysign(np.zeros_like(y), y), shifted)


def _div_trunc(x: Array, y: Array) -> Array:
    """The quotient that belongs to ``rem``: as div_floor, without the step to the floor."""
    if not is_float(x):
        return _truncate_integers(x, y)[0]
    x, y = widen(x), widen(y)
    return _whole((x - np.fmod(x, y)) / y, x, y)


def _rem(x: Array, y: Array) -> Array:
    return np.fmod(widen(x), widen(y)) if is_float(x) else _truncate_integers(x, y)[1]


RULES: dict[str, Rule] = {
    "div_floor": _div_floor,
    "div_trunc": _div_trunc,
    "mod": _mod,
    "rem": _rem,
}
