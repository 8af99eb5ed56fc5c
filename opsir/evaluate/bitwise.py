"""Logical ops on bool, bitwise ops on bool and integers, and shifts by any count.

Owns what happens past the width: a shift whose count is negative or not less than the width moves
every bit out. Knows no floats.
"""

from __future__ import annotations

import numpy as np

from opsir.evaluate.patterns import Array, Rule, row


def _and(x: Array, y: Array) -> Array:
    return np.bitwise_and(x, y)


def _or(x: Array, y: Array) -> Array:
    return np.bitwise_or(x, y)


def _xor(x: Array, y: Array) -> Array:
    return np.bitwise_xor(x, y)


def _not(x: Array) -> Array:
    return np.invert(x)


def _in_range(count: Array) -> Array:
    return (count >= 0) & (count < row(count).bits)


def _shift_left(x: Array, count: Array) -> Array:
    valid = _in_range(count)
    shifted = np.left_shift(x, np.where(valid, count, np.zeros_like(count)))
    return np.where(valid, shifted, np.zeros_like(x))


def _shift_right(x: Array, count: Array) -> Array:
    """An arithmetic shift for signed integers: past the width only the sign is left, 0 or -1."""
    last = np.full_like(count, row(count).bits - 1)
    valid = _in_range(count)
    shifted = np.right_shift(x, np.where(valid, count, last))
    return shifted if row(x).is_signed else np.where(valid, shifted, np.zeros_like(x))


RULES: dict[str, Rule] = {
    "logical_and": _and,
    "logical_or": _or,
    "logical_xor": _xor,
    "logical_not": _not,
    "bitwise_and": _and,
    "bitwise_or": _or,
    "bitwise_xor": _xor,
    "bitwise_not": _not,
    "shift_left": _shift_left,
    "shift_right": _shift_right,
}
