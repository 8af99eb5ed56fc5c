"""Every op of the body emitter, on every dtype and lane count, against the typed semantics."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
import pytest

from opsir.backends.body import TABLE, kind_of
from opsir.dtypes import ALL, BF16, BOOL, F16, F32, F64, I8, I16, I32, I64, U8, U16, U64, DType
from opsir.machine import Machine
from opsir.promotion import OP_RULES
from tests.unit.scalar_ops import (
    RUNNABLE,
    Array,
    Case,
    Values,
    check,
    compile_cases,
    lanes_of,
    mismatches,
)

BINARY = {
    *("add", "sub", "mul", "div", "div_trunc", "div_floor", "rem", "mod", "pow"),
    *("minimum", "maximum", "fmin", "fmax", "eq", "ne", "lt", "le", "gt", "ge"),
    *("logical_and", "logical_or", "logical_xor", "bitwise_and", "bitwise_or", "bitwise_xor"),
    *("shift_left", "shift_right", "copysign", "hypot", "heaviside", "nextafter", "atan2"),
}
TERNARY = {"fma", "clip", "where"}
OPS = sorted({name for name, _ in TABLE})


def arity(name: str) -> int:
    return 3 if name in TERNARY else 2 if name in BINARY else 1


def operand_dtypes(name: str) -> list[tuple[DType, ...]]:
    """All combinations that the table has."""
    same = [(dtype,) * arity(name) for dtype in ALL]
    if name == "where":
        same = [(BOOL, dtype, dtype) for dtype in ALL]
    if OP_RULES[name].operands == "exact":
        same += [(I64, U64), (U64, I64)]
    return [dtypes for dtypes in same if (name, kind_of(name, dtypes)) in TABLE]


def cases_of(machine: Machine, name: str) -> list[Case]:
    cases: list[Case] = []
    for dtypes in operand_dtypes(name):
        result = BOOL if OP_RULES[name].result == "bool" else dtypes[-1]
        cases += [Case(name, dtypes, result, n) for n in lanes_of(machine, (*dtypes, result))]
    return cases


def all_together(values: Sequence[Array]) -> list[Array]:
    """Every combination of one element from each array; three long ones are thinned out."""
    step = 3 if len(values) > 2 else 1
    thin = [x[::step] if x.size > 20 else x for x in values]
    grid = np.meshgrid(*(np.arange(x.size) for x in thin), indexing="ij")
    return [x[index.ravel()] for x, index in zip(thin, grid, strict=True)]


def inputs(case: Case, special: Values, random: Values) -> list[Array]:
    """All combinations of special values, then random bits."""
    combined = all_together([special(dtype) for dtype in case.operands])
    shifted = [np.roll(random(dtype), 17 * i) for i, dtype in enumerate(case.operands)]
    return [np.concatenate(pair) for pair in zip(combined, shifted, strict=True)]


@pytest.mark.parametrize("name", OPS)
@pytest.mark.parametrize("machine", RUNNABLE, ids=lambda machine: machine.name)
def test_values_and_flags(
    machine: Machine, name: str, special_values: Values, random_values: Values
) -> None:
    check(machine, cases_of(machine, name), lambda c: inputs(c, special_values, random_values))


PORTABLE = replace(RUNNABLE[-1], name="portable", has_minimum=True, has_fma=False)
"""Takes the routes of other machines; LLVM makes up for what this one does not have."""


@pytest.mark.parametrize("name", ["minimum", "maximum", "fmin", "fmax", "clip", "fma"])
def test_routes_of_other_machines(name: str, special_values: Values, random_values: Values) -> None:
    cases = cases_of(PORTABLE, name)
    check(PORTABLE, cases, lambda case: inputs(case, special_values, random_values))


def test_the_table_has_every_op() -> None:
    """All but those that are rewritten into others before code is generated."""
    expanded = {"rsqrt", "sigmoid", "softplus", "silu", "gelu", "gelu_tanh"}
    assert set(OPS) == set(OP_RULES) - expanded


def test_a_difference_would_be_seen(special_values: Values) -> None:
    """The harness itself: two ops that differ in a zero's sign or in one NaN only."""
    x, y = all_together([special_values(F32)] * 2)
    add = Case("minimum", (F32, F32), F32, 4)
    got, _ = compile_cases(RUNNABLE[0], [add])(add, [x, y])
    assert mismatches(add, [x, y], got) == []
    assert mismatches(Case("fmin", (F32, F32), F32, 4), [x, y], got) != []
    assert mismatches(add, [x, y], np.where(got == 0, np.float32(0), got)) != []


@pytest.mark.parametrize("name", ["neg", "abs", "copysign", "positive", "where", "nextafter"])
@pytest.mark.parametrize("machine", RUNNABLE, ids=lambda machine: machine.name)
def test_moved_nans_keep_their_bits(machine: Machine, name: str, random_values: Values) -> None:
    """Quiet and signalling ones, of both signs."""
    cases = [c for c in cases_of(machine, name) if c.result.is_float]
    library = compile_cases(machine, cases)
    for case in cases:
        dtype = case.result
        unsigned = np.dtype(f"u{dtype.itemsize}")
        infinity = unsigned.type(((1 << dtype.exponent) - 1) << (dtype.mantissa - 1))
        operands = [random_values(d) for d in case.operands]
        noise = operands[-1].view(unsigned) | infinity
        nans = np.where(
            noise & ~(infinity | unsigned.type(1 << (dtype.bits - 1))), noise, noise | 1
        )
        operands = [x if x.dtype == np.bool_ else nans.view(dtype.numpy) for x in operands]
        got, _ = library(case, operands)
        sign = unsigned.type(1 << (dtype.bits - 1))
        kept = {"neg": nans ^ sign, "abs": nans & ~sign}.get(name, nans)
        assert np.array_equal(got.view(unsigned), kept), case.symbol


@pytest.mark.parametrize("dtype", [I8, U8])
@pytest.mark.parametrize("name", ["div_floor", "div_trunc", "mod", "rem", "pow"])
def test_every_pair_of_bytes(name: str, dtype: DType) -> None:
    x, y = all_together([np.arange(256, dtype=np.uint8).view(dtype.numpy)] * 2)
    machine = RUNNABLE[-1]
    check(machine, [Case(name, (dtype, dtype), dtype, 32)], lambda _: [x, y])


@pytest.mark.parametrize("dtype", [I16, U16, I32, I64])
@pytest.mark.parametrize("name", ["div_floor", "mod"])
def test_quotients_next_to_a_whole_number(name: str, dtype: DType) -> None:
    """Where x is q*y or next to it, there a rounded quotient would be wrong first."""
    generator = np.random.default_rng(2)
    unsigned = np.dtype(f"u{dtype.itemsize}")
    bits = generator.integers(0, 1 << dtype.bits, (2, 100_000), dtype=unsigned)
    widths = generator.integers(0, dtype.bits, (2, 100_000), dtype=unsigned)
    q, y = (bits >> widths).view(dtype.numpy)
    near = generator.integers(-1, 2, q.size).astype(dtype.numpy)
    check(RUNNABLE[-1], [Case(name, (dtype, dtype), dtype, 8)], lambda _: [q * y + near, y])


def test_integer_division_by_zero_and_of_the_least_number() -> None:
    a = np.array([-(2**31), -(2**31), 7, -7, 5, 0], np.int32)
    b = np.array([-1, 2, 0, 0, -3, 0], np.int32)
    cases = [Case(name, (I32, I32), I32, n) for name in ("div_floor", "mod") for n in (1, 8)]
    library = compile_cases(RUNNABLE[-1], cases)
    for case in cases:
        got, flags = library(case, [a, b])
        quotients = [-(2**31), -(2**30), 0, 0, -2, 0]
        assert got.tolist() == (quotients if case.name == "div_floor" else [0, 0, 0, 0, -1, 0])
        assert flags == {"divide"}
        assert library(case, [a[:2], b[:2]])[1] == set()


def test_minimum_keeps_a_nan_of_either_side() -> None:
    x = np.resize(np.array([np.nan, 1, np.nan, 3]), 37)
    y = np.resize(np.array([2, np.nan, np.nan, 1]), 37)
    cases = [Case(name, (F64, F64), F64, n) for name in ("minimum", "maximum") for n in (1, 4)]
    library = compile_cases(RUNNABLE[-1], cases)
    for case in cases:
        got, _ = library(case, [x, y])
        expected = [np.nan, np.nan, np.nan, 1 if case.name == "minimum" else 3]
        np.testing.assert_array_equal(got, np.resize(np.array(expected), 37))


def test_fma_rounds_once() -> None:
    """Values that a sum in f32, or for bf16 in f64, would round twice."""
    for dtype, values, expected in (
        (F16, (1 + 2**-10, 0.5 - 2**-11, 1025.0), 1025.0),
        (BF16, (1.5, 1 + 2**-7, -(2.0**-100)), 1.5078125),
    ):
        case = Case("fma", (dtype,) * 3, dtype, 8)
        for machine in RUNNABLE:
            operands = [np.full(8, value).astype(dtype.numpy) for value in values]
            got, _ = compile_cases(machine, [case])(case, operands)
            assert got.astype(np.float64).tolist() == [expected] * 8
