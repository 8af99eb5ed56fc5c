"""Float division with a whole quotient, and its remainders, on f32 and f64.

Owns the correction of a quotient and a sign around the exact remainder, which C's ``fmod`` gives
lane by lane in f64: a remainder of two f32 values is an f32 value too.
"""

from __future__ import annotations

from collections.abc import Sequence

from llvmlite import ir

from opsir.backends.body import libm
from opsir.backends.body.context import BodyContext, floating, pattern
from opsir.backends.body.instructions import Rows, element_of, intrinsic, rows
from opsir.dtypes import DType


def _rem(ctx: BodyContext, args: Sequence[ir.Value], dtype: DType) -> ir.Value:
    return libm.call(ctx, "fmod", args, dtype)


def _crossed(ctx: BodyContext, rest: ir.Value, y: ir.Value) -> ir.Value:
    """Where the remainder is not 0 and has the other sign than the divisor."""
    builder = ctx.builder
    zero = pattern(ctx, element_of(y), 0)
    below = builder.fcmp_ordered("<", rest, zero)
    above = builder.fcmp_ordered(">", rest, zero)
    return builder.select(builder.fcmp_ordered("<", y, zero), above, below)


def _mod(ctx: BodyContext, args: Sequence[ir.Value], dtype: DType) -> ir.Value:
    builder = ctx.builder
    y, rest = args[1], _rem(ctx, args, dtype)
    zero = pattern(ctx, element_of(y), 0)
    shifted = builder.select(_crossed(ctx, rest, y), builder.fadd(rest, y), rest)
    signed_zero = intrinsic(ctx, "llvm.copysign", zero, y)
    return builder.select(builder.fcmp_ordered("==", rest, zero), signed_zero, shifted)


def _div_floor(ctx: BodyContext, args: Sequence[ir.Value], dtype: DType) -> ir.Value:
    builder = ctx.builder
    x, y = args
    rest = _rem(ctx, args, dtype)
    quotient = builder.fdiv(builder.fsub(x, rest), y)
    one = floating(ctx, element_of(x), 1.0)
    stepped = builder.fsub(quotient, one)
    return _whole(ctx, builder.select(_crossed(ctx, rest, y), stepped, quotient), x, y)


def _div_trunc(ctx: BodyContext, args: Sequence[ir.Value], dtype: DType) -> ir.Value:
    x, y = args
    return _whole(ctx, ctx.builder.fdiv(ctx.builder.fsub(x, _rem(ctx, args, dtype)), y), x, y)


def _whole(ctx: BodyContext, quotient: ir.Value, x: ir.Value, y: ir.Value) -> ir.Value:
    """The whole number next to ``quotient``; x/y itself where y is 0, and its sign on a 0."""
    builder, element = ctx.builder, element_of(x)
    zero, one = pattern(ctx, element, 0), floating(ctx, element, 1.0)
    ratio = builder.fdiv(x, y)
    floor = intrinsic(ctx, "llvm.floor", quotient)
    past_half = builder.fcmp_ordered(
        ">", builder.fsub(quotient, floor), floating(ctx, element, 0.5)
    )
    whole = builder.select(past_half, builder.fadd(floor, one), floor)
    signed_zero = intrinsic(ctx, "llvm.copysign", zero, ratio)
    whole = builder.select(builder.fcmp_ordered("==", quotient, zero), signed_zero, whole)
    return builder.select(builder.fcmp_ordered("==", y, zero), ratio, whole)


ROWS: Rows = rows("f", div_floor=_div_floor, div_trunc=_div_trunc, mod=_mod, rem=_rem)
