from __future__ import annotations

from typing import Any

import numpy as np
from xdsl.dialects.builtin import FileLineColLoc, ModuleOp

import opsir
from opsir.argument import Argument, View
from opsir.dtypes import F32, F64
from opsir.frontends.build import build_module
from opsir.frontends.options import JitOptions
from opsir.frontends.records import OutSpec, Program
from opsir.frontends.text import parse_module
from opsir.signature import WEAK_FLOAT, signature_of
from tests.unit.frontend import FLOAT, MATRIX, SCALAR, VECTOR, traced

DENSE = View(0, (3, 4), (16, 4), F32)
ROW = View(0, (4,), (4,), F32)


def built(
    program: Program, *inputs: View | Argument, outs: tuple[View, ...] = (), **options: Any
) -> ModuleOp:
    signature = signature_of(
        inputs, outs, ("disjoint",) * len(outs), l1=1 << 15, last_level=1 << 25
    )
    return build_module(program, signature.tensor_types(), JitOptions.of(**options))


def body(module: ModuleOp) -> list[str]:
    """The lines of the one function, without indentation and closing brackets."""
    lines = [line.strip() for line in str(module).splitlines()]
    return [line for line in lines if line not in ("builtin.module {", "}")]


def test_a_function_as_ir() -> None:
    def f(a: Any, b: Any, s: Any) -> Any:
        return np.exp(a * s) + b

    matrix = "tensor<?x?xf32, #opsir.layout<sizes [s0_0, s0_1]>>"
    row = "tensor<?xf32, #opsir.layout<sizes [s0_1]>>"
    any_tensor = "tensor<*x!opsir.infer>"
    module = built(traced(f, MATRIX, VECTOR, FLOAT), DENSE, ROW, WEAK_FLOAT)
    assert body(module) == [
        f"func.func @f(%a: {matrix}, %b: {row}, %s: !opsir.weak<float>) -> {any_tensor} {{",
        f"%0 = opsir.mul %a, %s : ({matrix}, !opsir.weak<float>) -> {any_tensor}",
        f"%1 = opsir.exp %0 : ({any_tensor}) -> {any_tensor}",
        f"%2 = opsir.add %1, %b : ({any_tensor}, {row}) -> {any_tensor}",
        f"func.return %2 : {any_tensor}",
    ]
    module.verify()
    assert str(parse_module(str(module))) == str(module)


def test_every_op_and_the_function_have_a_place() -> None:
    def f(x: Any) -> Any:
        y = x.astype(np.float64)
        return np.where(y > 0, y, 2)

    module = built(traced(f), DENSE)
    first = f.__code__.co_firstlineno
    lines: list[int] = []
    for op in module.walk():
        if op is not module:
            assert isinstance(op.location, FileLineColLoc)
            assert op.location.filename.data == __file__
            lines.append(op.location.line.data - first)
    assert lines == [0, 1, 2, 2, 2, 2, 0]


def test_literals_are_written_where_they_are_used() -> None:
    program = traced(lambda x: x * 0.5 + 2 - np.float32(3) + np.float32(np.inf))
    text = body(built(program, DENSE))
    assert [line.partition("= ")[2] for line in text if "scalar" in line] == [
        "opsir.scalar 0.5 : !opsir.weak<float>",
        "opsir.scalar 2 : !opsir.weak<int>",
        "opsir.scalar 3.0 : f32",
        "opsir.scalar 0x7F800000 : f32",
    ]


def test_strides_are_written_unless_dense() -> None:
    def types(view: View) -> str:
        return body(built(traced(lambda x: x), view))[0]

    assert "strides" not in types(DENSE)
    assert "strides" not in types(View(0, (1, 4), (999, 4), F32))
    assert "strides [4, s0_0*4]" in types(View(0, (3, 4), (4, 12), F32))
    assert "strides [t0_0, -4]" in types(View(0, (3, 4), (32, -4), F32))
    assert "strides [0, 4]" in types(View(0, (3, 4), (0, 4), F32))


def test_scalars_rank_0_and_hidden_arguments() -> None:
    weights = np.ones(4, np.float32)

    def f(x: Any, s: Any) -> Any:
        return x * s + weights, s * 2

    module = built(traced(f, MATRIX, SCALAR), DENSE, Argument("scalar", F32), ROW)
    head = body(module)[0]
    assert "%s: f32" in head
    assert "%hidden0: tensor<?xf32" in head
    assert head.endswith("-> (tensor<*x!opsir.infer>, !opsir.infer) {")
    module.verify()


def test_out_casts_and_broadcasts_in_its_layout() -> None:
    program = traced(lambda x: x + 1, outs=(OutSpec(F64, 3),))
    out = View(0, (2, 3, 4), (8, 16, 48), F64)
    module = built(program, DENSE, outs=(out,))
    cast, broadcast = body(module)[3:5]
    assert cast == (
        '%2 = opsir.cast %1 {casting = "same_kind"} : tensor<*x!opsir.infer> to tensor<*xf64>'
    )
    assert broadcast == (
        "%3 = opsir.broadcast %2 : tensor<*xf64> to tensor<?x?x?xf64, "
        "#opsir.layout<sizes [s1_0, s0_0, s0_1], strides [8, s1_0*8, s0_0*s1_0*8]>>"
    )
    module.verify()


def test_out_of_a_scalar_and_of_rank_0() -> None:
    filled = built(traced(lambda x: np.float32(2), outs=(OutSpec(F32, 1),)), DENSE, outs=(ROW,))
    assert "opsir.broadcast %0 : f32 to tensor<?xf32" in body(filled)[2]
    rank_0 = View(0, (), (), F32)
    stored = built(traced(lambda x: np.float32(2), outs=(OutSpec(F32, 0),)), DENSE, outs=(rank_0,))
    assert body(stored)[-1] == "func.return %0 : f32"


def test_stated_shapes_use_the_symbols_of_arguments() -> None:
    def f(x: Any, v: Any) -> Any:
        return np.broadcast_to(v, (2, *x.shape)), opsir.align(v, 0, 2), (x + v).shape[1] + v

    module = built(traced(f, MATRIX, VECTOR), DENSE, ROW, Argument("weak_int", None))
    text = body(module)
    assert "tensor<2x?x?xf32, #opsir.layout<sizes [s0_0, s0_1]>>" in text[1]
    assert "opsir.broadcast %v axes [0] : " in text[2]
    assert "to tensor<?x1xf32, #opsir.layout<sizes [s0_1]>>" in text[2]
    module.verify()


def test_a_contract_is_an_attribute() -> None:
    program = traced(lambda x: x, contract="(n,c)->(n,c)")
    module = built(program, DENSE, contract="(n,c)->(n,c)")
    assert 'attributes {opsir.contract = "(n,c)->(n,c)"}' in str(module)


def test_names_are_made_legal() -> None:
    program = traced(lambda x: x)
    assert "func.func @lambda(" in str(built(program, DENSE))

    def naïve(x: Any) -> Any:
        return x

    assert "func.func @na_ve(" in str(built(traced(naïve), DENSE))
