"""The code itself: which symbols it needs, what runs lane by lane, how long its loops are."""

from __future__ import annotations

import re

import pytest

from opsir.backends.body import LIBM, TABLE
from opsir.backends.cpu import llvm
from opsir.dtypes import ALL, BF16, BOOL, F16, F32, F64, I16, I32, I64, U8, U16, U32, U64, DType
from opsir.machine import AARCH64, MACHINES, X86_64_V3, X86_64_V4, Machine
from tests.unit.scalar_ops import RUNNABLE, Case, lanes_of, module_text
from tests.unit.test_body_ops import cases_of

FUNCTIONS = sorted(LIBM & {name for name, _ in TABLE})
PLAIN = sorted({name for name, _ in TABLE} - LIBM)
BY_LANE = {"div_floor", "div_trunc", "mod", "rem"}
"""Ops that may leave the vector registers, for floats and 64-bit integers."""

SCALAR = re.compile(r"call|bl\b|i?div[ql]|v?pextr|v?pinsr|v?cvt\w*s[sd]2|v?cvtsi|umov|[us]div")


def casts(machine: Machine) -> list[Case]:
    return [
        Case("cast", (source,), to, lanes)
        for source in ALL
        for to in ALL
        for lanes in lanes_of(machine, (source, to))
    ]


@pytest.mark.parametrize(
    "machine", [m for m in MACHINES.values() if m not in RUNNABLE], ids=lambda machine: machine.name
)
def test_no_symbol_but_libm_is_needed(machine: Machine) -> None:
    """``object_code`` refuses any other, for one lane and for a full vector.

    The tests of values have done the same for the machines whose code runs here.
    """
    cases = [case for name in PLAIN for case in cases_of(machine, name)] + casts(machine)
    llvm.object_code(module_text(machine, cases), machine, LIBM)


@pytest.mark.parametrize("name", FUNCTIONS)
def test_a_function_calls_the_one_of_its_name(name: str) -> None:
    cases = [case for case in cases_of(X86_64_V3, name) if case.result.is_float]
    llvm.object_code(module_text(X86_64_V3, cases), X86_64_V3, frozenset({name}))


def test_no_instruction_may_change_a_value() -> None:
    """No fast-math flag, no contraction, no "cannot overflow" on any instruction."""
    cases = [case for name in PLAIN for case in cases_of(X86_64_V3, name)]
    text = module_text(X86_64_V3, cases + casts(X86_64_V3))
    assert not re.search(r"\b(fast|contract|nnan|ninf|nsz|arcp|afn|reassoc|nsw|nuw|exact)\b", text)


def hot_loop(machine: Machine, case: Case) -> list[str]:
    """The instructions from the loop's label to its back edge."""
    text = llvm.assembly(module_text(machine, [case]), machine)
    body = text.split(f"\n{case.symbol}:")[1].split(".Lfunc_end")[0]
    loop = re.search(r"^(\.LBB\w+):(.*?)^\s*(?:j\w+|b\.\w+)\s+\1$", body, re.DOTALL | re.MULTILINE)
    assert loop, body
    lines = (re.split(r"[#;]|//", line)[0].strip() for line in loop[2].splitlines())
    return [line for line in lines if line and not line.startswith(".")] + ["branch"]


@pytest.mark.parametrize("name", sorted(set(PLAIN) - {"pow"}))
@pytest.mark.parametrize("machine", [X86_64_V3, X86_64_V4, AARCH64], ids=lambda m: m.name)
def test_all_lanes_are_computed_at_once(machine: Machine, name: str) -> None:
    for case in cases_of(machine, name):
        wide = case.operands[-1]
        if case.lanes == 1 or (name in BY_LANE and (wide.is_float or wide.bits == 64)):
            continue
        found = [line for line in hot_loop(machine, case) if SCALAR.match(line)]
        assert found == [], case.symbol


@pytest.mark.parametrize("machine", [X86_64_V3, X86_64_V4], ids=lambda m: m.name)
def test_casts_convert_all_lanes_at_once(machine: Machine) -> None:
    for case in casts(machine):
        if case.lanes > 1:
            found = [line for line in hot_loop(machine, case) if SCALAR.match(line)]
            assert found == [], case.symbol


BUDGETS: list[tuple[str, tuple[DType, ...], DType, int, int]] = [
    ("add", (F32, F32), F32, 8, 1),
    ("add", (BOOL, BOOL), BOOL, 32, 3),
    ("minimum", (F32, F32), F32, 8, 4),
    ("maximum", (F32, F32), F32, 8, 6),
    ("fmin", (F64, F64), F64, 4, 8),
    ("relu", (F32,), F32, 8, 3),
    ("clip", (F32, F32, F32), F32, 8, 10),
    ("sign", (F32,), F32, 8, 7),
    ("round", (F32,), F32, 8, 5),
    ("rint", (F64,), F64, 4, 1),
    ("isnan", (F32,), BOOL, 8, 5),
    ("lt", (I64, U64), BOOL, 4, 11),
    ("where", (BOOL, F16, F16), F16, 16, 4),
    ("div_floor", (I32, I32), I32, 8, 17),
    ("mod", (I16, I16), I16, 16, 28),
    ("mod", (U8, U8), U8, 32, 54),
    ("fma", (F16, F16, F16), F16, 16, 44),
    ("fma", (F32, F32, F32), F32, 8, 3),
    ("shift_left", (I32, I32), I32, 8, 2),
    ("cast", (F32,), I32, 8, 8),
    ("cast", (F32,), U32, 8, 11),
    ("cast", (F64,), U16, 4, 5),
    ("cast", (F64,), I64, 4, 17),
    ("cast", (I64,), F64, 4, 7),
    ("cast", (U64,), F32, 4, 15),
    ("cast", (F64,), F16, 4, 10),
    ("cast", (F64,), BF16, 4, 11),
    ("cast", (F32,), BF16, 8, 11),
    ("cast", (F16,), F32, 8, 1),
    ("cast", (F32,), F16, 8, 1),
    ("cast", (U16,), F16, 8, 6),
]
"""Op, dtypes, lanes, and how many instructions of a loop at v3 may compute its value."""


@pytest.mark.parametrize(
    ("name", "operands", "result", "lanes", "most"),
    BUDGETS,
    ids=[f"{name}-{operands[-1]}-{result}" for name, operands, result, _, _ in BUDGETS],
)
def test_length(
    name: str, operands: tuple[DType, ...], result: DType, lanes: int, most: int
) -> None:
    """Beside a load, a store, an addition, a comparison and a branch."""
    loop = hot_loop(X86_64_V3, Case(name, operands, result, lanes))
    assert len(loop) - 5 <= most, loop
