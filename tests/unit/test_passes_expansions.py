"""expand-ops, expand-math and legalize-half: the same bits, fewer kinds of ops."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from xdsl.dialects.builtin import ModuleOp

import opsir
from opsir import dtypes, promotion
from opsir.diagnostics import OpsirValueError
from opsir.dialects.opsir import ELEMENTWISE_OPS, CastOp, ElementwiseOp
from opsir.dtypes import DType
from opsir.passes.canonicalize import CanonicalizePass
from opsir.passes.expand_math import ExpandMathPass
from opsir.passes.expand_ops import ExpandOpsPass
from opsir.passes.infer_shapes import InferShapesPass
from opsir.passes.legalize_half import EXACT, LegalizeHalfPass
from opsir.passes.promote_types import PromoteTypesPass
from opsir.promotion import PromotionError
from tests.unit.conftest import special_values
from tests.unit.programs import (
    after,
    apply,
    call,
    function_of,
    parse,
    programs,
    same,
    sample_inputs,
)

PASSES = [ExpandOpsPass(), ExpandMathPass(), LegalizeHalfPass()]
ROUNDED_OPS = """
    add sub mul div maximum lt where neg abs sqrt exp rsqrt square fma clip cast"""
WIDENED_OPS = """
    add sub mul div maximum lt where neg abs sqrt exp square fma nextafter"""


def one_op(op: type[ElementwiseOp], dtype: DType) -> ModuleOp | None:
    """A function of one op on tensors of ``dtype``; None where it takes no such operands."""
    try:
        typed = promotion.resolve(op.rule, [dtype] * op.arity)
    except PromotionError:
        return None
    names = [f"%x{index}" for index in range(op.arity)]
    types = [f"tensor<?x{d.mlir}>" for d in typed.operands]
    if dtype not in typed.operands:
        return None
    arguments = ", ".join(f"{n}: {t}" for n, t in zip(names, types, strict=True))
    result = f"tensor<?x{typed.result.mlir}>"
    line = f"%r = {op.name} {', '.join(names)} : ({', '.join(types)}) -> {result}"
    text = f"func.func @f({arguments}) -> {result} {{\n{line}\nfunc.return %r : {result}\n}}"
    return parse(text)


def crossed(module: ModuleOp, count: int) -> list[Any]:
    """Values of interest for each argument, in every combination while that is not too many."""
    found: list[Any] = []
    repeat = 1
    for index, inputs in enumerate(sample_inputs(module, 1)):
        values = special_values(dtypes.from_numpy(inputs.dtype) or dtypes.F64)
        found.append(np.resize(np.repeat(values, repeat), count))
        repeat *= len(values) if index == 0 else 7
    return found


def elementwise_of(module: ModuleOp) -> list[ElementwiseOp]:
    return [op for op in function_of(module).body.block.ops if isinstance(op, ElementwiseOp)]


@pytest.mark.parametrize("op", ELEMENTWISE_OPS, ids=lambda op: op.short_name())
def test_every_op_keeps_its_bits(op: type[ElementwiseOp]) -> None:
    """Each pass alone and all three in both orders, on every dtype that the op takes."""
    orders = [[step] for step in PASSES] + [PASSES, [PASSES[0], PASSES[2], PASSES[1]]]
    for dtype in dtypes.ALL:
        module = one_op(op, dtype)
        if module is None:
            continue
        inputs = crossed(module, 60 if op.expensive else 400)
        wanted = call(module, *inputs)
        for order in orders:
            expanded = apply(module.clone(), *order)
            assert same(wanted, call(expanded, *inputs)), (dtype, order)
            once = str(expanded)
            assert str(apply(expanded, *order)) == once


@pytest.mark.parametrize("op", ELEMENTWISE_OPS, ids=lambda op: op.short_name())
def test_what_is_left_is_what_the_emitters_take(op: type[ElementwiseOp]) -> None:
    for dtype in (dtypes.F16, dtypes.BF16, dtypes.F32, dtypes.F64, dtypes.I32):
        module = one_op(op, dtype)
        if module is None:
            continue
        for left in elementwise_of(apply(module, *PASSES)):
            operands = left.operand_dtypes() or ()
            name = left.short_name()
            assert name not in ("square", "relu", "clip", "rsqrt", "sigmoid", "gelu")
            if any(d.is_half for d in operands):
                assert name in EXACT
            if left.expensive and any(d.is_float for d in operands):
                assert set(operands) == {dtypes.F64}


@settings(max_examples=60, deadline=None)
@given(
    program=programs(
        [
            "add",
            "sub",
            "mul",
            "div",
            "maximum",
            "lt",
            "where",
            "neg",
            "abs",
            "sqrt",
            "exp",
            "rsqrt",
            "square",
            "fma",
            "clip",
            "cast",
        ],
        [dtypes.F16, dtypes.BF16, dtypes.F32, dtypes.I8],
    )
)
def test_random_programs_keep_their_bits(program: str) -> None:
    try:
        module = after(program, PromoteTypesPass(), InferShapesPass(), CanonicalizePass())
    except PromotionError:
        return
    inputs = sample_inputs(module)
    before = call(module, *inputs)
    assert same(before, call(apply(module, *PASSES, CanonicalizePass()), *inputs))


WIDE = LegalizeHalfPass(intermediates="wide")


@settings(max_examples=60, deadline=None)
@given(
    program=programs(
        [
            "add",
            "sub",
            "mul",
            "div",
            "maximum",
            "lt",
            "where",
            "neg",
            "abs",
            "sqrt",
            "exp",
            "square",
            "fma",
            "nextafter",
        ],
        [dtypes.F16, dtypes.BF16],
    )
)
def test_wide_programs_verify_and_are_a_fixed_point(program: str) -> None:
    try:
        module = after(program, PromoteTypesPass(), InferShapesPass(), CanonicalizePass(), WIDE)
    except PromotionError:
        return
    once = str(module)
    assert str(apply(module, WIDE)) == once


def test_wide_intermediates_round_where_a_value_leaves() -> None:
    t = "tensor<4xf16>"
    text = f"""func.func @f(%x: {t}, %y: {t}) -> ({t}, {t}) {{
      %s = opsir.add %x, %y : ({t}, {t}) -> {t}
      %e = opsir.exp %s : ({t}) -> {t}
      %d = opsir.sub %e, %x : ({t}, {t}) -> {t}
      %n = opsir.neg %d : ({t}) -> {t}
      func.return %n, %s : {t}, {t}
    }}"""
    module = after(text, WIDE, ExpandMathPass())
    rng = np.random.default_rng(1)
    x, y = (rng.uniform(-2, 2, 4).astype(np.float16) for _ in range(2))
    s = x.astype(np.float32) + y.astype(np.float32)
    e = np.exp(s.astype(np.float64)).astype(np.float32)
    wanted = [(-(e - x.astype(np.float32))).astype(np.float16), s.astype(np.float16)]
    assert same(call(module, x, y), wanted)
    rounds = [
        op
        for op in function_of(module).body.block.ops
        if isinstance(op, CastOp) and "xf16" in str(op.result.type)
    ]
    assert len(rounds) == 2
    assert not any(d.is_half for op in elementwise_of(module) for d in op.operand_dtypes() or ())


def test_the_pipeline_keeps_functions_wide_too() -> None:
    """legalize-half runs before expand-math, which would round each function's result."""

    def chain(a: Any, b: Any) -> Any:
        return np.exp(a) * b - np.exp(a)

    rng = np.random.default_rng(2)
    a, b = (rng.uniform(-3, 3, 1000).astype(np.float16) for _ in range(2))
    power = np.exp(a.astype(np.float64)).astype(np.float32)
    wanted = (power * b.astype(np.float32) - power).astype(np.float16)
    assert same([opsir.jit(intermediates="wide")(chain)(a, b)], [wanted])


def test_wide_intermediates_leave_moved_bits_alone() -> None:
    t = "tensor<4xf16>"
    text = f"""func.func @f(%x: {t}) -> {t} {{
      %n = opsir.neg %x : ({t}) -> {t}
      func.return %n : {t}
    }}"""
    assert str(after(text, WIDE)) == str(parse(text))


def test_an_unknown_form_is_refused() -> None:
    with pytest.raises(OpsirValueError, match="intermediates is one of rounded, wide, got 'x'"):
        after("func.func @f() {\nfunc.return\n}", LegalizeHalfPass(intermediates="x"))
