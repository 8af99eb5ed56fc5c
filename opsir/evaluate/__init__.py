"""The one typed semantics of every elementwise op, on NumPy arrays and scalars.

Owns what each op means, in :func:`evaluate`, :func:`cast` and :func:`evaluate_flags`; constant
folding and the reference back end are built on it. Knows no IR and shares no code with emitters.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from opsir.dtypes import DType
from opsir.evaluate import (
    arithmetic,
    bitwise,
    comparison,
    division,
    floats,
    functions,
    multiply_add,
    powers,
)
from opsir.evaluate.conversion import convert
from opsir.evaluate.patterns import Array, Rule, row

Value = Array | np.generic
"""An array of any shape, or a NumPy scalar (ml_dtypes' bfloat16 is one too)."""


def _identity(x: Array) -> Array:
    return x


_RULES: dict[str, Rule] = {
    "cast": _identity,
    **arithmetic.RULES,
    **division.RULES,
    **powers.RULES,
    **multiply_add.RULES,
    **comparison.RULES,
    **bitwise.RULES,
    **floats.RULES,
    **functions.RULES,
}

SUPPORTED: frozenset[str] = frozenset(_RULES)
"""Names of the ops that :func:`evaluate` knows."""

_DIVIDING = frozenset({"div_floor", "div_trunc", "mod", "rem"})


def evaluate(name: str, operands: Sequence[Value], result: DType) -> Any:
    """Apply the op ``name`` to operands that have their compute dtypes already.

    Shapes broadcast as in NumPy.  The value has dtype ``result.numpy``; it is a NumPy scalar when
    every operand is one, else a new array.  No input raises or warns: what is undefined elsewhere
    has a value here (integers wrap, division by zero gives 0, see :func:`evaluate_flags`).
    ``name`` must be in :data:`SUPPORTED`.
    """
    shape, flat = _flatten(operands)
    with np.errstate(all="ignore"):
        value = convert(_RULES[name](*flat), result)
    if all(isinstance(operand, np.generic) for operand in operands):
        return value[0]
    return (value.copy() if any(value is x for x in flat) else value).reshape(shape)


def cast(x: Value, to: DType) -> Any:
    """Convert ``x`` to ``to``: wraps, saturates (NaN gives 0) or rounds once to nearest even."""
    return evaluate("cast", (x,), to)


def evaluate_flags(name: str, operands: Sequence[Value]) -> frozenset[str]:
    """The conditions that the op reports beside its value, over all elements.

    "divide": an integer division, remainder or reciprocal by zero.  "negative_power": an integer
    power with a negative exponent.  An empty result reports nothing.
    """
    flagged = name in _DIVIDING or name in ("reciprocal", "pow")
    if not flagged or row(np.asarray(operands[-1])).is_float:
        return frozenset()
    _, flat = _flatten(operands)
    last = flat[-1]
    if name == "pow":
        return frozenset({"negative_power"}) if np.any(last < 0) else frozenset()
    return frozenset({"divide"}) if np.any(last == 0) else frozenset()


def _flatten(operands: Sequence[Value]) -> tuple[tuple[int, ...], list[Array]]:
    """The common shape, and each operand broadcast to it as a flat contiguous array."""
    arrays: list[Array] = [np.asarray(operand) for operand in operands]
    shape = np.broadcast_shapes(*(array.shape for array in arrays))
    flat = [np.broadcast_to(array, shape).reshape(-1) for array in arrays]
    return shape, [_normal(np.ascontiguousarray(array)) for array in flat]


def _normal(x: Array) -> Array:
    """A bool byte that is neither 0 nor 1 counts as 1."""
    return np.not_equal(x.view(np.uint8), 0) if x.dtype == np.bool_ else x
