"""The operations under test: every elementwise op with every combination of dtypes it takes.

Owns the enumeration. A new op class or dtype row appears here by itself.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from itertools import product
from typing import Any

import numpy as np

from opsir.dialects.opsir import ELEMENTWISE_OPS
from opsir.dtypes import ALL, DType
from opsir.frontends.numpy_api import UFUNCS
from opsir.promotion import OP_RULES, Operand, PromotionError, Resolution, resolve

_UFUNC_OF: dict[str, np.ufunc] = {op: ufunc for ufunc, op in UFUNCS.items()}
_NUMPY_FUNCTIONS: dict[str, Any] = {"where": np.where, "clip": np.clip}

ARITY: dict[str, int] = {op.short_name(): op.arity for op in ELEMENTWISE_OPS}
"""Op name to its number of operands."""


@dataclass(frozen=True, slots=True)
class Case:
    """One op on operands of given dtypes; the name ``cast`` converts to ``target``."""

    op: str
    dtypes: tuple[DType, ...]
    target: DType | None = None

    def __str__(self) -> str:
        arrow = f"->{self.target}" if self.target else ""
        return f"{self.op}({', '.join(d.name for d in self.dtypes)}){arrow}"


def resolution(op: str, operands: Sequence[Operand]) -> Resolution | None:
    """The dtypes that an op computes with under rules ``numpy``; None where it refuses."""
    try:
        return resolve(OP_RULES[op], operands, op=op)
    except PromotionError:
        return None


def numpy_function(op: str) -> Any:
    """NumPy's function for an op, or None where it has none."""
    return _UFUNC_OF.get(op) or _NUMPY_FUNCTIONS.get(op)


def public_name(op: str) -> str:
    """The name under which ``opsir`` offers an op: NumPy's where NumPy has it."""
    function = numpy_function(op)
    return function.__name__ if function is not None else op


@cache
def operations() -> tuple[Case, ...]:
    """Every legal case but the casts.

    Unary and binary ops see all combinations of dtypes, ternary ones the 169 in which any two
    positions take all pairs.
    """
    return tuple(
        Case(op, dtypes)
        for op, arity in ARITY.items()
        for dtypes in _combinations(arity)
        if resolution(op, dtypes) is not None
    )


def _combinations(arity: int) -> Iterator[tuple[DType, ...]]:
    if arity < 3:
        yield from product(ALL, repeat=arity)
        return
    for i, j in product(range(len(ALL)), repeat=2):
        yield ALL[i], ALL[j], ALL[(i + j) % len(ALL)]


@cache
def casts() -> tuple[Case, ...]:
    """All 169."""
    return tuple(Case("cast", (source,), target) for source, target in product(ALL, ALL))
