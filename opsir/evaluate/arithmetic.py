"""Sums, products, quotients, roots and signs on every dtype.

Owns the arithmetic ops whose float form is one IEEE operation. Halves are computed in f32, from
where one rounding back is exact for these ops; integers wrap; bool adds as "or" and multiplies as
"and".
"""

from __future__ import annotations

import numpy as np

from opsir.evaluate.patterns import Array, Rule, bits_of, is_float, row, sign_bit, widen


def _add(x: Array, y: Array) -> Array:
    return np.add(widen(x), widen(y))


def _sub(x: Array, y: Array) -> Array:
    return np.subtract(widen(x), widen(y))


def _mul(x: Array, y: Array) -> Array:
    return np.multiply(widen(x), widen(y))


def _div(x: Array, y: Array) -> Array:
    return np.true_divide(widen(x), widen(y))


def _square(x: Array) -> Array:
    return _mul(x, x)


def _reciprocal(x: Array) -> Array:
    """1/x; integers truncate, so that only 1 and -1 are not sent to 0."""
    if is_float(x):
        wide = widen(x)
        return np.true_divide(np.ones_like(wide), wide)
    unit = (x == 1) | ((x == -1) if row(x).is_signed else False)
    return np.where(unit, x, np.zeros_like(x))


def _sqrt(x: Array) -> Array:
    return np.sqrt(widen(x))


def _neg(x: Array) -> Array:
    return (bits_of(x) ^ sign_bit(x)).view(x.dtype) if is_float(x) else np.negative(x)


def _abs(x: Array) -> Array:
    return (bits_of(x) & ~sign_bit(x)).view(x.dtype) if is_float(x) else np.abs(x)


def _positive(x: Array) -> Array:
    return x


def _sign(x: Array) -> Array:
    """-1, 0 or 1; both zeros give +0 and a NaN stays a NaN."""
    if not is_float(x):
        return np.sign(x)
    wide = widen(x)
    sign = (wide > 0).astype(wide.dtype) - (wide < 0).astype(wide.dtype)
    return np.where(np.isnan(wide), wide, sign)


RULES: dict[str, Rule] = {
    "add": _add,
    "sub": _sub,
    "mul": _mul,
    "div": _div,
    "square": _square,
    "reciprocal": _reciprocal,
    "sqrt": _sqrt,
    "neg": _neg,
    "abs": _abs,
    "positive": _positive,
    "sign": _sign,
}
