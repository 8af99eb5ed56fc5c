"""Promotion against NumPy: every op, every combination of dtypes and Python numbers."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from importlib import import_module
from itertools import product
from typing import Any

import numpy as np
import pytest

from opsir.dtypes import (
    ALL,
    BF16,
    BOOL,
    F16,
    F32,
    F64,
    I8,
    I16,
    I32,
    I64,
    U8,
    U16,
    U32,
    U64,
    DType,
    from_numpy,
)
from opsir.promotion import (
    NUMPY_NAME,
    OP_RULES,
    Operand,
    PromotionError,
    Resolution,
    RuleSet,
    Weak,
    resolve,
)

NUMPY_DTYPES = tuple(d for d in ALL if d is not BF16)
WITH_WEAK: tuple[Operand, ...] = (*NUMPY_DTYPES, Weak.INT, Weak.FLOAT)
PYTHON_TYPE: dict[Weak, type] = {Weak.INT: int, Weak.FLOAT: float}
RULE_SETS: tuple[RuleSet, ...] = ("numpy", "c")
ARITY = {"fma": 3, "relu": 1}


def ufunc_of(op: str) -> np.ufunc:
    name = NUMPY_NAME[op]
    # np.clip is a Python function around the ufunc of the same name.
    module = import_module("numpy._core.umath") if name == "clip" else np
    return getattr(module, name)


def arity(op: str) -> int:
    return ARITY.get(op) or (3 if op == "where" else ufunc_of(op).nin)


def given(operand: Operand) -> Any:
    return PYTHON_TYPE[operand] if isinstance(operand, Weak) else operand.numpy


def numpy_resolves(ufunc: np.ufunc, operands: Sequence[Operand]) -> Resolution | None:
    """What NumPy's own table says, or None where it raises."""
    try:
        found = ufunc.resolve_dtypes((*map(given, operands), None))
    except TypeError:
        return None
    # NumPy compares two Python integers as objects; here they are i64 as everywhere else.
    rows = [I64 if dtype == np.object_ else from_numpy(dtype) for dtype in found]
    casts = tuple(row for row in rows if row is not None)
    assert len(casts) == len(found), found
    return Resolution(casts[:-1], casts[-1])


def opsir_resolves(
    op: str,
    operands: Sequence[Operand],
    rules: RuleSet = "numpy",
    default_float: DType | None = None,
) -> Resolution | None:
    try:
        return resolve(OP_RULES[op], operands, rules, default_float, op)
    except PromotionError:
        return None


def result(op: str, *operands: Operand, rules: RuleSet = "numpy") -> DType | None:
    found = opsir_resolves(op, operands, rules)
    return None if found is None else found.result


def mismatches(op: str, choices: Sequence[Operand], count: int) -> Iterator[str]:
    ufunc = ufunc_of(op)
    for operands in product(choices, repeat=count):
        expected = numpy_resolves(ufunc, operands)
        if OP_RULES[op].operands == "bool":
            # NumPy tests each operand against 0 in its own dtype, which is what a cast to bool
            # does: only the result can differ.
            expected = expected and Resolution((BOOL,) * count, expected.result)
        found = opsir_resolves(op, operands)
        if found != expected:
            yield f"{op}{operands}: NumPy {expected}, opsir {found}"


SAME_ARITY = sorted(op for op in OP_RULES if op not in {"where", "fma", "relu"})


@pytest.mark.parametrize("op", SAME_ARITY)
def test_numpy_rules_equal_numpys_table(op: str) -> None:
    assert list(mismatches(op, WITH_WEAK, arity(op))) == []


def test_relu_has_the_diagonal_of_maximum() -> None:
    for operand in WITH_WEAK:
        expected = numpy_resolves(np.maximum, (operand, operand))
        assert expected is not None
        assert opsir_resolves("relu", (operand,)) == Resolution(
            expected.operands[:1], expected.result
        )


def test_fma_is_hypot_of_three() -> None:
    def widest_float(operands: Sequence[Operand]) -> DType:
        pairs = (numpy_resolves(np.hypot, pair) for pair in product(operands, repeat=2))
        return max((pair.result for pair in pairs if pair), key=lambda d: d.bits)

    for a, b in product(NUMPY_DTYPES, repeat=2):
        assert opsir_resolves("fma", (a, b, b)) == Resolution(
            (widest_float((a, b)),) * 3, widest_float((a, b))
        )
    assert result("fma", U16, I16, F32) is F32


def test_where_equals_numpys_function() -> None:
    def sample(operand: Operand) -> Any:
        if isinstance(operand, Weak):
            return PYTHON_TYPE[operand](1)
        return np.ones(1, operand.numpy)

    condition = np.ones(1, np.bool_)
    for a, b in product(WITH_WEAK, repeat=2):
        expected = from_numpy(np.where(condition, sample(a), sample(b)).dtype)
        for chooser in (BOOL, F64, Weak.INT):
            assert expected is not None
            assert opsir_resolves("where", (chooser, a, b)) == Resolution(
                (BOOL, expected, expected), expected
            )


def test_every_op_has_a_rule_and_a_table() -> None:
    assert OP_RULES.keys() == NUMPY_NAME.keys()
    assert len(OP_RULES) == 82
    for op in OP_RULES:
        assert callable(ufunc_of(op))


BF16_MEETS = [
    (BF16, (BOOL, U8, I8, BF16, Weak.INT, Weak.FLOAT)),
    (F32, (U16, I16, F16, F32)),
    (F64, (U32, U64, I32, I64, F64)),
]


@pytest.mark.parametrize("op", ["add", "sub", "div", "mod", "minimum", "copysign"])
def test_bf16_meets_the_narrowest_float_that_holds_both(op: str) -> None:
    for expected, others in BF16_MEETS:
        for other in others:
            found = Resolution((expected, expected), expected)
            assert opsir_resolves(op, (BF16, other)) == found
            assert opsir_resolves(op, (other, BF16)) == found


def test_bf16_in_the_other_kinds_of_op() -> None:
    for op in ("exp", "neg", "floor", "square", "relu", "gelu", "rint"):
        assert opsir_resolves(op, (BF16,)) == Resolution((BF16,), BF16)
    for op in ("isnan", "signbit"):
        assert opsir_resolves(op, (BF16,)) == Resolution((BF16,), BOOL)
    assert opsir_resolves("lt", (BF16, I16)) == Resolution((F32, F32), BOOL)
    assert opsir_resolves("where", (U8, BF16, F16)) == Resolution((BOOL, F32, F32), F32)
    assert opsir_resolves("clip", (BF16, Weak.FLOAT, I8)) == Resolution((BF16,) * 3, BF16)
    assert result("bitwise_and", BF16, U8) is None
    assert result("shift_left", U8, BF16) is None


def test_integers_compare_by_value_in_both_rule_sets() -> None:
    for rules in RULE_SETS:
        for signed in (I8, I16, I32, I64):
            assert opsir_resolves("lt", (U64, signed), rules) == Resolution((U64, I64), BOOL)
            assert opsir_resolves("eq", (signed, U64), rules) == Resolution((I64, U64), BOOL)
        assert opsir_resolves("ge", (U8, I8), rules) == Resolution((I16, I16), BOOL)
        assert opsir_resolves("ne", (U64, Weak.INT), rules) == Resolution((U64, U64), BOOL)
        assert opsir_resolves("gt", (BOOL, U64), rules) == Resolution((U64, U64), BOOL)


def test_default_float_reaches_bools_and_integers_only() -> None:
    cases: list[tuple[str, tuple[Operand, ...], DType]] = [
        ("add", (I64, Weak.FLOAT), F32),
        ("add", (BOOL, Weak.FLOAT), F32),
        ("add", (Weak.INT, Weak.FLOAT), F32),
        ("clip", (I64, Weak.INT, Weak.FLOAT), F32),
        ("exp", (Weak.FLOAT,), F32),
        ("div", (I64, I64), F32),
        ("add", (F64, Weak.FLOAT), F64),
        ("add", (F16, Weak.FLOAT), F16),
        ("where", (BOOL, I64, Weak.FLOAT), F32),
        ("exp", (I64,), F64),
    ]
    for op, operands, expected in cases:
        found = opsir_resolves(op, operands, default_float=F32)
        assert found is not None
        assert (op, operands, found.result) == (op, operands, expected)


def c_meeting(a: DType, b: DType) -> DType:
    """The C rule for two dtypes that are not both bool, written out case by case."""
    if a.is_float and b.is_float:
        return a if a is b else max(a, b, key=lambda d: d.bits) if a.bits != b.bits else F32
    if a.is_float or b.is_float:
        return a if a.is_float else b
    if a.is_logical or b.is_logical:
        return b if a.is_logical else a
    if a.bits != b.bits:
        return a if a.bits > b.bits else b
    return a if a.kind == "u" else b


@pytest.mark.parametrize("op", ["add", "sub", "mod", "minimum", "bitwise_or", "shift_right"])
def test_c_rules(op: str) -> None:
    takes_bool = op not in {"add", "sub", "mod"}
    takes_float = op not in {"bitwise_or", "shift_right"}
    for a, b in product(ALL, repeat=2):
        if a is BOOL and b is BOOL:
            continue
        meeting = c_meeting(a, b)
        refused = (BOOL in (a, b) and not takes_bool) or (meeting.is_float and not takes_float)
        expected = None if refused else Resolution((meeting, meeting), meeting)
        assert opsir_resolves(op, (a, b), "c") == expected, (op, a, b)


def test_c_rules_of_single_cases() -> None:
    cases: list[tuple[str, tuple[Operand, ...], DType | None]] = [
        ("add", (I8, U8), U8),
        ("mul", (I32, F16), F16),
        ("add", (F16, BF16), F32),
        ("div", (I32, I64), F32),
        ("div", (I32, F16), F16),
        ("div_trunc", (I32, U32), U32),
        ("exp", (I64,), F32),
        ("exp", (F16,), F16),
        ("add", (I8, Weak.INT), I8),
        ("add", (I64, Weak.FLOAT), F32),
        ("clip", (U16, I16, F32), F32),
        ("fma", (F16, BF16, F16), F32),
        ("where", (I8, BOOL, BOOL), BOOL),
        ("lt", (BOOL, BOOL), BOOL),
        ("lt", (I64, F16), BOOL),
        ("bitwise_xor", (BOOL, BOOL), BOOL),
        ("logical_not", (F64,), BOOL),
        ("neg", (BOOL,), None),
        ("div", (BOOL, F32), None),
        ("pow", (BOOL, Weak.INT), None),
    ]
    for op, operands, expected in cases:
        assert (op, operands, result(op, *operands, rules="c")) == (op, operands, expected)
    assert opsir_resolves("lt", (I64, F16), "c") == Resolution((F16, F16), BOOL)


def test_all_weak_operands_become_i64_or_the_default_float() -> None:
    for rules, default in zip(RULE_SETS, (F64, F32)):
        for op in ("add", "minimum", "mod", "pow"):
            assert result(op, Weak.INT, Weak.INT, rules=rules) is I64
            assert result(op, Weak.INT, Weak.FLOAT, rules=rules) is default
        assert result("div", Weak.INT, Weak.INT, rules=rules) is default
        assert result("where", BOOL, Weak.INT, Weak.FLOAT, rules=rules) is default


def test_three_operands_are_weighed_together() -> None:
    assert result("clip", U16, I16, F32) is F32
    assert result("where", U64, I8, U8) is I16


@pytest.mark.parametrize(
    ("op", "operands", "rules", "parts"),
    [
        ("sub", (BOOL, BOOL), "numpy", ["sub ", "(bool, bool)", "'numpy'", "cast"]),
        ("add", (BOOL, U8), "c", ["add ", "(bool, u8)", "'c'", "bool is not a number"]),
        ("bitwise_and", (U64, I8), "numpy", ["(u64, i8)", "bool, unsigned, signed"]),
        ("shift_left", (U8, Weak.FLOAT), "numpy", ["(u8, Python float)", "unsigned, signed"]),
    ],
)
def test_message_says_what_was_given_and_what_is_allowed(
    op: str, operands: tuple[Operand, ...], rules: RuleSet, parts: list[str]
) -> None:
    with pytest.raises(PromotionError) as caught:
        resolve(OP_RULES[op], operands, rules, op=op)
    assert isinstance(caught.value, TypeError)
    for part in parts:
        assert part in str(caught.value)


def test_message_without_an_op_names_the_rule() -> None:
    with pytest.raises(PromotionError, match="bitwise does not take \\(f32, u32\\)"):
        resolve(OP_RULES["bitwise_or"], (F32, U32))
