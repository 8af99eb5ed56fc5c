"""Where an axis is cut between threads, as a function of generated code.

Owns the arithmetic that puts cuts where a result's cache lines begin. Knows no kernel.
"""

from __future__ import annotations

from llvmlite import ir

from opsir.backends.body.context import I1, I64

NAME = "opsir.cut"

LINE_SHIFT = 6
"""A cache line is 64 bytes: two threads that write into one would pass it to and fro."""
LINES = 8
"""Cuts lie at line starts where a share has so many of them; long rows are cut between rows."""


def cut_function(module: ir.Module) -> ir.Function:
    """``i64 opsir.cut(i64 address, i64 stride, i64 extent, i64 number, i64 shares)``.

    The position on an axis of ``extent`` elements where share ``number`` of ``shares`` begins, 0
    for the first and ``extent`` for the one behind the last. The result that is written lies at
    ``address`` and moves by ``stride`` bytes.
    """
    known = module.globals.get(NAME)
    if isinstance(known, ir.Function):
        return known
    function = ir.Function(module, ir.FunctionType(I64, [I64] * 5), NAME)
    function.linkage = "internal"
    function.attributes.add("nounwind")
    names = ("address", "stride", "extent", "number", "shares")
    for argument, name in zip(function.args, names, strict=True):
        argument.name = name
    _emit(ir.IRBuilder(function.append_basic_block("entry")), *function.args)
    return function


def _emit(
    b: ir.IRBuilder,
    address: ir.Value,
    stride: ir.Value,
    extent: ir.Value,
    number: ir.Value,
    shares: ir.Value,
) -> None:
    """``stride`` is ``odd << low``; lines begin every ``1 << shift`` elements from ``first`` on.

    An odd number ``o`` has the inverse ``o * (2 - o * o)`` modulo 64.
    """
    zeros = b.cttz(stride, I1(0))
    low = b.select(b.icmp_unsigned("<", zeros, I64(LINE_SHIFT)), zeros, I64(LINE_SHIFT))
    shift = b.sub(I64(LINE_SHIFT), low)
    odd = b.ashr(stride, low)
    inverse = b.mul(odd, b.sub(I64(2), b.mul(odd, odd)))
    mask = b.sub(b.shl(I64(1), shift), I64(1))
    first = b.and_(b.mul(b.ashr(b.neg(address), low), inverse), mask)
    lines = b.ashr(b.sub(extent, first), shift)
    enough = b.icmp_signed(">=", lines, b.mul(shares, I64(LINES)))
    shift, first = (b.select(enough, value, I64(0)) for value in (shift, first))
    units = b.ashr(b.sub(extent, first), shift)
    inside = b.add(first, b.shl(b.udiv(b.mul(units, number), shares), shift))
    position = b.select(b.icmp_unsigned("==", number, shares), extent, inside)
    b.ret(b.select(b.icmp_unsigned("==", number, I64(0)), I64(0), position))
