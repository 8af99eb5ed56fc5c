"""fma: a*b + c with one rounding, on floats of every width.

Owns the exact sum of a product and an addend. Narrow floats use error-free transformations in f64,
f64 itself uses whole numbers; no library's fma is trusted.
"""

from __future__ import annotations

import math

import numpy as np

from opsir.evaluate.conversion import step_to_odd
from opsir.evaluate.patterns import Array, Rule, row, to_f64


def _fma(a: Array, b: Array, c: Array) -> Array:
    """The f64 result; for narrower operands an f64 that rounds to theirs as the exact sum does."""
    x, y, z = (to_f64(operand) for operand in (a, b, c))
    if row(a).mantissa == 53:
        rounded = map(_fma_f64, x.tolist(), y.tolist(), z.tolist())
        return np.fromiter(rounded, np.float64, x.size)
    product = x * y  # Exact: twice 24 bits fit into 53, and no exponent leaves the range.
    total = product + z
    part = total - product
    error = (product - (total - part)) + (z - part)
    return step_to_odd(total, error)


def _fma_f64(a: float, b: float, c: float) -> float:
    """One correctly rounded f64 a*b + c, by the exact ratio of two whole numbers."""
    if not (math.isfinite(a) and math.isfinite(b)):
        return a * b + c
    if not math.isfinite(c):
        return c
    an, ad = a.as_integer_ratio()
    bn, bd = b.as_integer_ratio()
    cn, cd = c.as_integer_ratio()
    total = an * bn * cd + cn * ad * bd
    if total == 0:
        # Both addends are zeros, whose signs decide, or they cancel to +0.
        zeros = 0.0 in (a, b) and c == 0.0
        return math.copysign(1.0, a) * math.copysign(1.0, b) * 0.0 + c if zeros else 0.0
    try:
        return total / (ad * bd * cd)  # Python rounds the ratio of two integers once.
    except OverflowError:
        return math.inf if total > 0 else -math.inf


RULES: dict[str, Rule] = {"fma": _fma}
