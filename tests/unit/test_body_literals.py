"""Ops whose last operands are literals, for which some rows have shorter code."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from opsir.dtypes import ALL, F32, F64, DType
from opsir.machine import Machine
from tests.unit.scalar_ops import RUNNABLE, Case, Values, check


def literal(dtype: DType, value: float) -> Any:
    return np.array(value).astype(dtype.numpy)[()]


@pytest.mark.parametrize("dtype", [d for d in ALL if d.is_integer], ids=str)
@pytest.mark.parametrize("name", ["div_floor", "div_trunc", "mod", "rem", "pow", "shift_right"])
def test_integers(name: str, dtype: DType, special_values: Values, random_values: Values) -> None:
    values = {0, 1, 2, 7, 10, dtype.max, dtype.min, *((-1, -3) if dtype.is_signed else ())}
    cases = [Case(name, (dtype, dtype), dtype, 8, (literal(dtype, v),)) for v in values]
    x = np.concatenate([special_values(dtype), random_values(dtype)])
    check(RUNNABLE[-1], cases, lambda _: [x])


@pytest.mark.parametrize("dtype", [F32, F64], ids=str)
@pytest.mark.parametrize("machine", RUNNABLE, ids=lambda machine: machine.name)
def test_minima(
    machine: Machine, dtype: DType, special_values: Values, random_values: Values
) -> None:
    x = np.concatenate([special_values(dtype), random_values(dtype)])
    values = [literal(dtype, v) for v in (0.0, -0.0, 1.5, -2.0, np.inf, -np.inf, np.nan)]
    cases = [
        Case(name, (dtype, dtype), dtype, 8, (value,))
        for name in ("minimum", "maximum", "fmin", "fmax")
        for value in values
    ]
    bounds = [(0.0, 1.0), (-0.0, 0.0), (1.0, -1.0), (np.nan, 1.0)]
    cases += [
        Case("clip", (dtype,) * 3, dtype, 8, (literal(dtype, low), literal(dtype, high)))
        for low, high in bounds
    ]
    check(machine, cases, lambda _: [x])
