"""Comparisons, selection, and the minimum and maximum family.

Owns everything that is decided by order. Values are moved, never recomputed, so a chosen NaN or
zero keeps its bits. Integers of different signedness are compared by value.
"""

from __future__ import annotations

import numpy as np

from opsir.evaluate.patterns import Array, Rule, is_float, is_nan, is_negative, row, widen


def _less(x: Array, y: Array) -> Array:
    kinds = row(x).kind + row(y).kind
    if kinds == "iu":
        return (x < 0) | (x.astype(np.uint64) < y)
    if kinds == "ui":
        return (y > 0) & (x < y.astype(np.uint64))
    return np.less(widen(x), widen(y))


def _equal(x: Array, y: Array) -> Array:
    kinds = row(x).kind + row(y).kind
    if kinds == "iu":
        return (x >= 0) & (x.astype(np.uint64) == y)
    if kinds == "ui":
        return _equal(y, x)
    return np.equal(widen(x), widen(y))


def _not_equal(x: Array, y: Array) -> Array:
    return ~_equal(x, y)


def _less_equal(x: Array, y: Array) -> Array:
    return _less(x, y) | _equal(x, y)


def _greater(x: Array, y: Array) -> Array:
    return _less(y, x)


def _greater_equal(x: Array, y: Array) -> Array:
    return _less_equal(y, x)


def _where(condition: Array, x: Array, y: Array) -> Array:
    return np.where(condition, x, y)


def _precedes(x: Array, y: Array) -> Array:
    """Less-than in the order that puts -0 before +0; false where either is a NaN."""
    if not is_float(x):
        return np.less(x, y)
    return _less(x, y) | (_equal(x, y) & is_negative(x) & ~is_negative(y))


def _minimum(x: Array, y: Array) -> Array:
    return np.where(_precedes(x, y) | is_nan(x), x, y)


def _maximum(x: Array, y: Array) -> Array:
    return np.where(_precedes(y, x) | is_nan(x), x, y)


def _fmin(x: Array, y: Array) -> Array:
    return np.where(_precedes(x, y) | is_nan(y), x, y)


def _fmax(x: Array, y: Array) -> Array:
    return np.where(_precedes(y, x) | is_nan(y), x, y)


def _clip(x: Array, low: Array, high: Array) -> Array:
    return _minimum(_maximum(x, low), high)


def _relu(x: Array) -> Array:
    return _maximum(x, np.zeros_like(x))


RULES: dict[str, Rule] = {
    "eq": _equal,
    "ne": _not_equal,
    "lt": _less,
    "le": _less_equal,
    "gt": _greater,
    "ge": _greater_equal,
    "where": _where,
    "minimum": _minimum,
    "maximum": _maximum,
    "fmin": _fmin,
    "fmax": _fmax,
    "clip": _clip,
    "relu": _relu,
}
