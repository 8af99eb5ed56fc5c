"""Functions computed in f64: the C library's, and the activations composed from them.

Owns the route of a float function: operands to f64, one f64 value per element, which the caller
rounds once to the result dtype. Knows no accuracy tiers.
"""

from __future__ import annotations

from functools import partial

import numpy as np

from opsir.dtypes import F64
from opsir.evaluate import arithmetic, comparison, libm, multiply_add
from opsir.evaluate.composites import COMPOSITES, EXACT_POWERS, POWERS, Step
from opsir.evaluate.patterns import Array, Rule, row, to_f64


def _library(name: str, *operands: Array) -> Array:
    return libm.call(name, *(to_f64(operand) for operand in operands))


_LIBRARY: dict[str, Rule] = {name: partial(_library, name) for name in libm.UNARY | libm.BINARY}

_PRIMITIVES: dict[str, Rule] = {
    **arithmetic.RULES,
    **comparison.RULES,
    **multiply_add.RULES,
    **_LIBRARY,
}


def _composite(steps: tuple[Step, ...], x: Array) -> Array:
    """Run the steps on f64 arrays; the value of the last one."""
    values: dict[str, Array] = {"x": to_f64(x)}

    def argument(name: str | float) -> Array:
        return values[name] if isinstance(name, str) else np.full(x.shape, name, np.float64)

    for step in steps:
        values[step.result] = _PRIMITIVES[step.op](*map(argument, step.args))
    return values[steps[-1].result]


def power_of_floats(x: Array, y: Array) -> Array:
    """C's ``pow``, save for the small integer exponents that are products and quotients."""
    value = _library("pow", x, y)
    for exponent in EXACT_POWERS if row(x) is F64 else POWERS:
        chosen = y == exponent
        if np.any(chosen):
            value = np.where(chosen, _composite(POWERS[exponent], x), value)
    return value


RULES: dict[str, Rule] = {
    **{name: rule for name, rule in _LIBRARY.items() if name != "pow"},
    **{name: partial(_composite, steps) for name, steps in COMPOSITES.items()},
}
