"""canonicalize: same bits before and after, and a fixed point after one run."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings

from opsir import dtypes
from opsir.dtypes import DType
from opsir.passes.canonicalize import CanonicalizePass
from opsir.passes.infer_shapes import InferShapesPass
from opsir.passes.promote_types import PromoteTypesPass
from opsir.promotion import PromotionError
from tests.unit.conftest import special_values
from tests.unit.programs import (
    after,
    apply,
    bits,
    call,
    function_of,
    parse,
    programs,
    same,
    sample_inputs,
)


def ops_of(text: str) -> list[str]:
    """What is left of the body of one function, op names in order."""
    module = after(text, CanonicalizePass())
    once = str(module)
    assert str(apply(module, CanonicalizePass())) == once
    return [op.name.removeprefix("opsir.") for op in function_of(module).body.block.ops][:-1]


def unary(body: str, kind: str, result: str) -> str:
    return f"func.func @f(%x: {kind}) -> {result} {{\n{body}\nfunc.return %r : {result}\n}}"


@pytest.mark.parametrize("source", dtypes.ALL, ids=str)
def test_chains_of_casts_keep_their_value(source: DType) -> None:
    """All 169 pairs after each source dtype, on every value of interest."""
    kind = f"tensor<?x{source.mlir}>"
    for middle in dtypes.ALL:
        lines, results, kinds = list[str](), list[str](), list[str]()
        for index, target in enumerate(dtypes.ALL):
            between, final = f"tensor<?x{middle.mlir}>", f"tensor<?x{target.mlir}>"
            lines.append(f"%m{index} = opsir.cast %x : {kind} to {between}")
            lines.append(f"%r{index} = opsir.cast %m{index} : {between} to {final}")
            results.append(f"%r{index}")
            kinds.append(final)
        outputs = ", ".join(kinds)
        body = "\n".join([*lines, f"func.return {', '.join(results)} : {outputs}"])
        module = parse(f"func.func @f(%x: {kind}) -> ({outputs}) {{\n{body}\n}}")
        values = special_values(source)
        before = call(module, values)
        assert same(before, call(apply(module, CanonicalizePass()), values)), middle


def test_a_rounding_is_never_dropped() -> None:
    body = """%h = opsir.cast %x : tensor<4xf32> to tensor<4xf16>
      %r = opsir.cast %h : tensor<4xf16> to tensor<4xf32>"""
    assert ops_of(unary(body, "tensor<4xf32>", "tensor<4xf32>")) == ["cast", "cast"]
    body = """%w = opsir.cast %x : tensor<4xf16> to tensor<4xf64>
      %r = opsir.cast %w : tensor<4xf64> to tensor<4xf16>"""
    assert ops_of(unary(body, "tensor<4xf16>", "tensor<4xf16>")) == []


@pytest.mark.parametrize(
    ("body", "left"),
    [
        ("%z = opsir.scalar 0.0 : f32\n%r = opsir.add %x, %z : ({t}, f32) -> {t}", 2),
        ("%z = opsir.scalar -0.0 : f32\n%r = opsir.add %x, %z : ({t}, f32) -> {t}", 0),
        ("%z = opsir.scalar 0.0 : f32\n%r = opsir.sub %x, %z : ({t}, f32) -> {t}", 0),
        ("%z = opsir.scalar 0.0 : f32\n%r = opsir.mul %x, %z : ({t}, f32) -> {t}", 2),
        ("%z = opsir.scalar 1.0 : f32\n%r = opsir.mul %z, %x : (f32, {t}) -> {t}", 0),
        ("%n = opsir.neg %x : ({t}) -> {t}\n%r = opsir.neg %n : ({t}) -> {t}", 0),
        ("%n = opsir.abs %x : ({t}) -> {t}\n%r = opsir.abs %n : ({t}) -> {t}", 1),
        ("%n = opsir.floor %x : ({t}) -> {t}\n%r = opsir.floor %n : ({t}) -> {t}", 1),
        ("%n = opsir.exp %x : ({t}) -> {t}\n%r = opsir.positive %x : ({t}) -> {t}", 0),
        ("%r = opsir.maximum %x, %x : ({t}, {t}) -> {t}", 0),
        (
            "%c = opsir.isnan %x : ({t}) -> {b}\n"
            "%r = opsir.where %c, %x, %x : ({b}, {t}, {t}) -> {t}",
            0,
        ),
        (
            "%c = opsir.scalar true : i1\n%n = opsir.exp %x : ({t}) -> {t}\n"
            "%r = opsir.where %c, %x, %n : (i1, {t}, {t}) -> {t}",
            0,
        ),
        (
            "%u = opsir.mul %x, %x : ({t}, {t}) -> {t}\n%n = opsir.neg %x : ({t}) -> {t}\n"
            "%v = opsir.mul %n, %x : ({t}, {t}) -> {t}\n%w = opsir.mul %x, %n : ({t}, {t}) -> {t}\n"
            "%r = opsir.sub %v, %w : ({t}, {t}) -> {t}",
            3,
        ),
        (
            "%u = opsir.exp %x : ({t}) -> {t}\n%v = opsir.exp %x : ({t}) -> {t}\n"
            "%r = opsir.add %u, %v : ({t}, {t}) -> {t}",
            2,
        ),
    ],
)
def test_identities(body: str, left: int) -> None:
    body = body.format(t="tensor<4xf32>", b="tensor<4xi1>")
    assert len(ops_of(unary(body, "tensor<4xf32>", "tensor<4xf32>"))) == left


@pytest.mark.parametrize("name", ["abs", "floor", "ceil", "trunc", "round"])
def test_whole_numbers_are_rounded_already(name: str) -> None:
    for kind, left in (("ui8", 0), ("i1", 0), ("i8", 1 if name == "abs" else 0), ("f32", 1)):
        t = f"tensor<4x{kind}>"
        assert len(ops_of(unary(f"%r = opsir.{name} %x : ({t}) -> {t}", t, t))) == left


def test_no_nan_and_no_function_is_folded() -> None:
    nan = "%z = opsir.scalar 0.0 : f32\n%r = opsir.div %z, %z : (f32, f32) -> f32"
    assert ops_of(unary(nan, "f32", "f32")) == ["scalar", "div"]
    exp = "%z = opsir.scalar 0.0 : f32\n%r = opsir.exp %z : (f32) -> f32"
    assert ops_of(unary(exp, "f32", "f32")) == ["scalar", "exp"]
    three = """%a = opsir.scalar 1 : i32\n%b = opsir.scalar 2 : i32
      %r = opsir.add %a, %b : (i32, i32) -> i32"""
    assert ops_of(unary(three, "i32", "i32")) == ["scalar"]


def test_broadcasts_compose() -> None:
    body = """%a = opsir.broadcast %x axes [1] : tensor<3xf32> to tensor<2x3x1xf32>
      %r = opsir.broadcast %a axes [0, 2, 3] : tensor<2x3x1xf32> to tensor<2x5x3x4xf32>"""
    text = unary(body, "tensor<3xf32>", "tensor<2x5x3x4xf32>")
    module = after(text, CanonicalizePass())
    assert "broadcast %x axes [2]" in str(module)
    x = np.arange(3, dtype=np.float32)
    assert bits(call(module, x)[0]) == bits(call(parse(text), x)[0])
    aligned = """%a = opsir.broadcast %x : tensor<3xf32> to tensor<2x3xf32>
      %r = opsir.broadcast %a : tensor<2x3xf32> to tensor<4x2x3xf32>"""
    module = after(unary(aligned, "tensor<3xf32>", "tensor<4x2x3xf32>"), CanonicalizePass())
    assert "broadcast %x : tensor<3xf32> to tensor<4x2x3xf32>" in str(module)


def test_memory_order_does_not_hide_an_identity_but_is_not_lost() -> None:
    strided = "tensor<4xf32, #opsir.layout<strides [8]>>"
    used = f"""%p = opsir.positive %x : ({strided}) -> tensor<4xf32>
      %r = opsir.exp %p : (tensor<4xf32>) -> tensor<4xf32>"""
    assert ops_of(unary(used, strided, "tensor<4xf32>")) == ["exp"]
    returned = f"%r = opsir.positive %x : ({strided}) -> tensor<4xf32>"
    assert ops_of(unary(returned, strided, "tensor<4xf32>")) == ["positive"]


def test_groups_are_simplified_inside_and_dropped_when_unused() -> None:
    t = "tensor<4xf32>"
    body = f"""%g = opsir.fused(%x) : ({t}) -> {t} {{
      ^bb0(%a: {t}):
        %u = opsir.exp %a : ({t}) -> {t}
        opsir.yield %u : {t}
      }}
      %r = opsir.fused(%x) : ({t}) -> {t} {{
      ^bb0(%a: {t}):
        %u = opsir.exp %a : ({t}) -> {t}
        %v = opsir.exp %a : ({t}) -> {t}
        %w = opsir.neg %a : ({t}) -> {t}
        %s = opsir.add %u, %v : ({t}, {t}) -> {t}
        opsir.yield %s : {t}
      }}"""
    text = unary(body, t, t)
    assert ops_of(text) == ["fused"]
    assert str(after(text, CanonicalizePass())).count("opsir.exp") == 1


OPS = (
    "add sub mul maximum minimum eq lt where neg abs floor cast positive logical_and div_floor clip"
)


@settings(max_examples=100, deadline=None)
@given(program=programs(OPS.split(), [d for d in dtypes.ALL if not d.is_logical]))
def test_random_programs_keep_their_bits(program: str) -> None:
    try:
        module = after(program, PromoteTypesPass(), InferShapesPass())
    except PromotionError:
        return
    inputs = sample_inputs(module)
    before = call(module, *inputs)
    once = str(apply(module, CanonicalizePass()))
    assert same(before, call(module, *inputs))
    assert str(apply(module, CanonicalizePass())) == once
