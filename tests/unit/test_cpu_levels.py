"""Where values are computed: once per iteration of the innermost loop on which they depend."""

from __future__ import annotations

import re

import numpy as np
import pytest
from xdsl.ir import Operation

from opsir.backends.cpu.codegen import CodegenOptions
from opsir.backends.cpu.levels import Loop, levels_of, loops_of
from opsir.backends.cpu.target import emit_llvm
from opsir.dialects.nest import KernelOp
from opsir.frontends.text import parse_module
from opsir.machine import X86_64_V3
from tests.unit.native import call, compile_text

NEST = """
func.func @f(%x : tensor<6x5x37xf64>, %r : tensor<37xf64>, %c : tensor<5xf64>, %p : tensor<6xf64>,
             %s : f64) -> tensor<6x5x37xf64> {
  %z = nest.kernel extents [6, 5, 37]
      ins(%x : tensor<6x5x37xf64> along [1480, 296, 8], %r : tensor<37xf64> along [0, 0, 8],
          %c : tensor<5xf64> along [0, 8, 0], %p : tensor<6xf64> along [8, 0, 0], %s : f64)
      outs(tensor<6x5x37xf64> along [1480, 296, 8]) attributes {lanes = 4 : i64 TILE} {
  ^bb0(%a : f64, %b : f64, %d : f64, %e : f64, %f : f64):
    %two = opsir.scalar 2.0 : f64
    %g = opsir.mul %f, %two : (f64, f64) -> f64
    %h = opsir.exp %e : (f64) -> f64
    %i = opsir.log %d : (f64) -> f64
    %j = opsir.sin %b : (f64) -> f64
    %k = opsir.add %h, %i : (f64, f64) -> f64
    %l = opsir.mul %j, %k : (f64, f64) -> f64
    %m = opsir.add %a, %g : (f64, f64) -> f64
    %n = opsir.sub %l, %m : (f64, f64) -> f64
    nest.yield %n : f64
  }
  func.return %z : tensor<6x5x37xf64>
}"""


def kernel_of(text: str) -> KernelOp:
    return next(op for op in parse_module(text).walk() if isinstance(op, KernelOp))


def names(ops: list[Operation]) -> list[str]:
    return [op.name.removeprefix("opsir.") for op in ops]


def test_levels() -> None:
    kernel = kernel_of(NEST.replace("TILE", ""))
    levels = levels_of(kernel)
    assert loops_of(kernel, kernel.space) == (Loop(0), Loop(1), Loop(2))
    assert [levels.of[a] for a in kernel.block.args] == [3, 3, 2, 1, 0]
    assert [names(levels.ops_at(kernel, level)) for level in range(4)] == [
        ["scalar", "mul"],
        ["exp"],
        ["log", "add"],
        ["sin", "mul", "add", "sub"],
    ]


def test_tiled_loops_and_their_levels() -> None:
    kernel = kernel_of(NEST.replace("TILE", ", tile = 8 : i64"))
    outer = (Loop(1, 8, is_outer=True), Loop(2, 8, is_outer=True))
    assert loops_of(kernel, kernel.space) == (Loop(0), *outer, Loop(1, 8), Loop(2, 8))
    levels = levels_of(kernel)
    assert [levels.of[a] for a in kernel.block.args] == [5, 5, 4, 1, 0]


def test_an_axis_of_extent_one_holds_nothing_back() -> None:
    kernel = kernel_of("""
        func.func @f(%x : tensor<1x4xi8>, %c : tensor<1xi8>) -> tensor<1x4xi8> {
          %z = nest.kernel extents [4, 1]
              ins(%x : tensor<1x4xi8> along [1, 4], %c : tensor<1xi8> along [0, 1])
              outs(tensor<1x4xi8> along [1, 4]) {
          ^bb0(%a : i8, %b : i8):
            %d = opsir.mul %b, %b : (i8, i8) -> i8
            %e = opsir.add %a, %d : (i8, i8) -> i8
            nest.yield %e : i8
          }
          func.return %z : tensor<1x4xi8>
        }""")
    levels = levels_of(kernel)
    assert [names(levels.ops_at(kernel, level)) for level in range(3)] == [["mul"], ["add"], []]


@pytest.mark.parametrize("tile", ["", ", tile = 4 : i64", ", tile = 64 : i64"])
def test_hoisted_values_are_right(tile: str) -> None:
    rng = np.random.default_rng(0)
    x, r, c, p = (rng.random(s) + 0.5 for s in ((6, 5, 37), 37, 5, 6))
    out = np.zeros((6, 5, 37))
    assert call(compile_text(NEST.replace("TILE", tile)), [x, r, c, p, 0.25], [out]) == 0
    wanted = np.sin(r) * (np.exp(p)[:, None, None] + np.log(c)[:, None]) - (x + 0.5)
    np.testing.assert_allclose(out, wanted, rtol=1e-12)


def test_calls_stand_in_the_loop_they_belong_to() -> None:
    text = emit_llvm(parse_module(NEST.replace("TILE", "")), options=CodegenOptions(X86_64_V3))
    blocks = re.split(r"^(\w[\w.]*|\"[^\"]*\"):$", text.split("define i32")[0], flags=re.MULTILINE)
    calls = {
        name: re.findall(r"call double @\"(exp|log|sin)\"", body)
        for name, body in zip(blocks[1::2], blocks[2::2], strict=True)
    }
    assert {name: set(found) for name, found in calls.items() if found} == {
        "axis0": {"exp"},
        "axis1": {"log"},
        "vector": {"sin"},
        "vector.end": {"sin"},
    }
    assert len(calls["vector"]) == 4


def test_a_short_known_loop_is_written_out() -> None:
    text = """
        func.func @f(%x : tensor<9x3xi32>, %r : tensor<3xi32>) -> tensor<9x3xi32> {
          %z = nest.kernel extents [9, 3] ins(%x : tensor<9x3xi32> along [12, 4],
                                              %r : tensor<3xi32> along [0, 4])
              outs(tensor<9x3xi32> along [12, 4]) attributes {lanes = 8 : i64} {
          ^bb0(%a : i32, %b : i32):
            %c = opsir.add %a, %b : (i32, i32) -> i32
            nest.yield %c : i32
          }
          func.return %z : tensor<9x3xi32>
        }"""
    assert " x i32>" not in emit_llvm(parse_module(text))
    x, r = np.arange(27, dtype=np.int32).reshape(9, 3), np.array([1, 20, 300], np.int32)
    out = np.zeros_like(x)
    call(compile_text(text), [x, r], [out])
    np.testing.assert_array_equal(out, x + r)
