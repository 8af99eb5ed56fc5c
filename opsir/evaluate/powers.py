"""pow: by squaring on integers, C's function on floats.

Owns what a power means for each kind, negative integer exponents included. Floats follow C99 for
every special value, whatever the exponent's layout.
"""

from __future__ import annotations

import numpy as np

from opsir.evaluate.functions import power_of_floats
from opsir.evaluate.patterns import Array, Rule, is_float, row


def _pow(x: Array, y: Array) -> Array:
    if is_float(x):
        return power_of_floats(x, y)
    return _power_of_integers(x, y)


def _power_of_integers(x: Array, y: Array) -> Array:
    """x**y by squaring, wrapping; a negative exponent gives trunc(x**y), and 0 for base 0."""
    signed = row(x).is_signed
    negative = (y < 0) if signed else np.zeros(y.shape, np.bool_)
    exponent = np.where(negative, np.zeros_like(y), y)
    power, base = np.ones_like(x), x
    while np.any(exponent != 0):
        power = np.where((exponent & 1) != 0, power * base, power)
        base = base * base
        exponent = exponent >> 1
    if not signed:
        return power
    alternating = np.where((y & 1) != 0, x, np.ones_like(x))
    inverse = np.where((x == 1) | (x == -1), alternating, np.zeros_like(x))
    return np.where(negative, inverse, power)


RULES: dict[str, Rule] = {"pow": _pow}
