"""The price of an iteration: bytes moved, and ops by what they take."""

from __future__ import annotations

import pytest
from xdsl.dialects.func import FuncOp

from opsir.backends.cpu.work import CALL, DIVISION, STRIDED, WHOLE_DIVISION, iteration_work
from opsir.dialects.nest import KernelOp
from opsir.frontends.text import parse_module

KIND = "tensor<?x?x{}, #opsir.layout<sizes [n, m], strides [p, q]>>"


def kernel(body: str, moves: str, dtype: str = "f32", extents: str = "n, m") -> KernelOp:
    """A kernel over two operands ``%a`` and ``%b`` that yields ``%c``; ``moves`` one per tensor."""
    x, y, z = moves.split("; ")
    text = f"""
func.func @f(%x : {KIND.format(dtype)}, %y : {KIND.format(dtype)}) -> {KIND.format(dtype)} {{
  %z = nest.kernel extents [{extents}]
      ins(%x : {KIND.format(dtype)} along [{x}], %y : {KIND.format(dtype)} along [{y}])
      outs({KIND.format(dtype)} along [{z}]) {{
  ^bb0(%a : {dtype}, %b : {dtype}):
    {body}
    nest.yield %c : {dtype}
  }}
  func.return %z : {KIND.format(dtype)}
}}"""
    (function,) = parse_module(text).ops
    assert isinstance(function, FuncOp)
    return next(op for op in function.walk() if isinstance(op, KernelOp))


def one(name: str, dtype: str = "f32") -> str:
    return f"%c = opsir.{name} %a, %b : ({dtype}, {dtype}) -> {dtype}"


@pytest.mark.parametrize(
    ("moves", "price"),
    [
        ("p, 4; p, 4; p, 4", 3 * 4),
        ("p, 4; 0, 4; p, -4", 3 * 4),
        ("p, 4; p, 0; p, 4", 2 * 4),
        ("p, q; p, 4; p, 4", STRIDED + 2 * 4),
        ("p, q; p, q; p, q", 3 * STRIDED),
    ],
)
def test_bytes_moved_along_the_innermost_axis(moves: str, price: int) -> None:
    assert iteration_work(kernel(one("add"), moves)) == price + 1


@pytest.mark.parametrize(
    ("name", "dtype", "price"),
    [
        ("mul", "f64", 1),
        ("div", "f64", DIVISION),
        ("div_floor", "i64", WHOLE_DIVISION),
        ("mod", "f64", WHOLE_DIVISION),
        ("hypot", "f64", CALL),
    ],
)
def test_ops_by_what_they_take(name: str, dtype: str, price: int) -> None:
    assert iteration_work(kernel(one(name, dtype), "p, 8; p, 8; p, 8", dtype)) == 3 * 8 + price


def test_what_is_computed_once_a_row_is_left_out() -> None:
    body = """%e = opsir.exp %b : (f32) -> f32
    %c = opsir.add %a, %e : (f32, f32) -> f32"""
    assert iteration_work(kernel(body, "p, 4; p, 0; p, 4")) == 2 * 4 + 1
    assert iteration_work(kernel(body, "p, 4; p, 4; p, 4")) == 3 * 4 + 1 + CALL
