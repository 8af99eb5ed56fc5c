"""Casts between all pairs of dtypes in generated code: saturation, NaN, and one rounding."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
import pytest

from opsir.dtypes import ALL, BF16, BOOL, F16, F32, F64, DType
from opsir.machine import Machine
from tests.unit.scalar_ops import RUNNABLE, Array, Case, Values, check, compile_cases, lanes_of

PORTABLE = replace(
    RUNNABLE[-1], name="portable", has_long_conversion=True, has_half_conversion=False
)
"""Takes the routes of other machines; LLVM makes up for what this one does not have."""


def float_values() -> Array:
    """Doubles around every bound of an integer dtype and every midpoint of the narrow floats."""
    powers = np.array([2.0**n for n in (7, 8, 15, 16, 24, 31, 32, 53, 63, 64)])
    bounds = np.concatenate([powers + d for d in (0, 0.5, 1, -1, -0.5, 1.5)])
    singles = np.float32(bounds)
    bounds = np.concatenate([bounds, np.nextafter(singles, np.float32(0)).astype(np.float64)])
    generator = np.random.default_rng(5)
    bits = generator.integers(0, 0x7C00, 3000, dtype=np.uint16)
    f16 = np.concatenate([bits, [0, 1, 0x3FF, 0x400, 0x7BFF]]).astype(np.uint16)
    below, above = f16.view(np.float16).astype(np.float64), (f16 + 1).astype(np.uint16)
    middle16 = (below + np.minimum(above.view(np.float16).astype(np.float64), 65536)) / 2
    bits = generator.integers(0, 0x7F80, 3000, dtype=np.uint32) << 16 | 0x8000
    middle_bf16 = bits.view(np.float32).astype(np.float64)
    size = generator.standard_normal(3000) * 2.0 ** generator.integers(-30, 70, 3000)
    plain = np.concatenate([bounds, middle16, middle_bf16, size])
    near = np.concatenate([np.nextafter(plain, -np.inf), plain, np.nextafter(plain, np.inf)])
    return np.concatenate([near, -near])


def integer_values() -> Array:
    """Bit patterns of every length, with the tail of a tie and its neighbours."""
    generator = np.random.default_rng(6)
    bits = generator.integers(0, 1 << 64, 4000, dtype=np.uint64)
    bits >>= generator.integers(0, 64, 4000, dtype=np.uint64)
    shift = generator.integers(0, 64, 4000, dtype=np.uint64)
    ties = (bits >> shift) << shift
    both = np.concatenate([bits, ties, ties + np.uint64(1), ties - np.uint64(1)])
    return np.concatenate([both, ~both])


def inputs(dtype: DType, special: Values, random: Values) -> list[Array]:
    parts = [special(dtype), random(dtype)]
    if dtype.is_float:
        with np.errstate(over="ignore", invalid="ignore"):
            parts.append(float_values().astype(dtype.numpy))
    elif dtype.is_integer:
        parts.append(integer_values().astype(dtype.numpy))
    return [np.concatenate(parts)]


@pytest.mark.parametrize("source", ALL, ids=str)
@pytest.mark.parametrize("machine", [*RUNNABLE, PORTABLE], ids=lambda machine: machine.name)
def test_from(
    machine: Machine, source: DType, special_values: Values, random_values: Values
) -> None:
    cases = [
        Case("cast", (source,), to, lanes)
        for to in ALL
        for lanes in lanes_of(machine, (source, to))
    ]
    check(machine, cases, lambda _: inputs(source, special_values, random_values))


@pytest.mark.parametrize("to", [F32, F64, BOOL])
@pytest.mark.parametrize("source", [F16, BF16])
@pytest.mark.parametrize("machine", RUNNABLE, ids=lambda machine: machine.name)
def test_every_half(machine: Machine, source: DType, to: DType) -> None:
    every = np.arange(1 << 16).astype(np.uint16).view(source.numpy)
    check(machine, [Case("cast", (source,), to, 8)], lambda _: [every])


def test_f64_to_f16_as_in_the_field() -> None:
    x = [1, 0.1, 65504, 65519.99, 65520, 1e-8, 5.960464477539063e-08, 1 + 2**-11 + 2**-40, -0.0]
    expected = ["3c00", "2e66", "7bff", "7bff", "7c00", "0000", "0001", "3c01", "8000"]
    for machine in RUNNABLE:
        cases = [Case("cast", (F64,), F16, lanes) for lanes in (1, 8)]
        library = compile_cases(machine, cases)
        for case in cases:
            got, _ = library(case, [np.array(x)])
            assert [f"{bits:04x}" for bits in got.view(np.uint16)] == expected


def saturated(value: float, dtype: DType) -> int:
    if math.isnan(value):
        return 0
    if math.isinf(value):
        return dtype.max if value > 0 else dtype.min
    return min(max(int(value), dtype.min), dtype.max)


def test_no_lane_or_tail_differs_where_a_float_does_not_fit() -> None:
    values = [-1.5, -300, 300.7, 70000, 5e9, 1e20, np.nan, np.inf, -np.inf]
    integers = [dtype for dtype in ALL if dtype.is_integer]
    cases = [Case("cast", (s,), to, n) for s in (F32, F64) for to in integers for n in (1, 16)]
    library = compile_cases(RUNNABLE[-1], cases)
    for case in cases:
        for value in values:
            x = np.full(67, value, case.operands[0].numpy)
            expected = saturated(float(x[0]), case.result)
            assert set(library(case, [x])[0].tolist()) == {expected}, case.symbol
