"""Integer division and remainders, floored and truncated; a zero divisor gives 0 and a flag.

Owns why no instruction here can trap or is undefined. Dtypes of up to 32 bits divide as floats, in
every lane at once; 64-bit integers, and all by a literal, divide by an instruction, whose divisor
is never 0 and whose quotient always fits.

With p bits of precision the float route is exact for operands of at most p - 8 bits. Let x = q*y +
r. A quotient that is no whole number is at least 1/|y| away from one, and rounding moves it by at
most |x/y| * 2**-p <= 2**-8 / |y|: never onto or across a whole number. A whole quotient is itself
representable. So floor and trunc of the rounded quotient are those of the true one. The remainder
x - q*y is computed from products and differences below 2**(p-6), all whole numbers and hence exact.
"""

from __future__ import annotations

from collections.abc import Sequence

from llvmlite import ir

from opsir.backends.body.context import (
    DOUBLE,
    FLOAT,
    BodyContext,
    floating,
    known_bits,
    scalar_type,
)
from opsir.backends.body.instructions import Row, Rows, as_bits, integer, intrinsic, rows
from opsir.backends.body.whole import to_float
from opsir.dtypes import F32, F64, DType


def _quotient(rounding: str) -> Row:
    def emit(ctx: BodyContext, args: Sequence[ir.Value], dtype: DType) -> ir.Value:
        known = _by_literal(ctx, args, dtype, rounding)
        if known:
            return known[0]
        zero = _note_zero(ctx, args[1])
        if dtype.bits == 64:
            value = _long_division(ctx, args[0], args[1], zero, dtype, rounding)[0]
        else:
            value = _read_off(ctx, _float_division(ctx, args, dtype, rounding)[0], dtype)
        return ctx.builder.select(zero, integer(ctx, value, 0), value)

    return emit


def _remainder(rounding: str) -> Row:
    def emit(ctx: BodyContext, args: Sequence[ir.Value], dtype: DType) -> ir.Value:
        known = _by_literal(ctx, args, dtype, rounding)
        if known:
            return known[1]
        zero = _note_zero(ctx, args[1])
        if dtype.bits == 64:
            return _long_division(ctx, args[0], args[1], zero, dtype, rounding)[1]
        quotient, x, y = _float_division(ctx, args, dtype, rounding)
        rest = ctx.builder.fsub(x, ctx.builder.fmul(quotient, y))
        value = _read_off(ctx, rest, dtype)
        return ctx.builder.select(zero, integer(ctx, value, 0), value)

    return emit


def _note_zero(ctx: BodyContext, y: ir.Value) -> ir.Value:
    """Where the divisor is 0; flagged."""
    zero = ctx.builder.icmp_unsigned("==", y, integer(ctx, y, 0))
    if ctx.flags is not None:
        ctx.flags.raise_if("divide", zero)
    return zero


def _float_division(
    ctx: BodyContext, args: Sequence[ir.Value], dtype: DType, rounding: str
) -> tuple[ir.Value, ir.Value, ir.Value]:
    """The whole quotient and both operands, as floats; anything where the divisor is 0."""
    wide = F32 if dtype.bits <= 16 else F64
    x, y = (to_float(ctx, arg, dtype, wide) for arg in args)
    return intrinsic(ctx, f"llvm.{rounding}", ctx.builder.fdiv(x, y)), x, y


def _read_off(ctx: BodyContext, whole: ir.Value, dtype: DType) -> ir.Value:
    """A whole number modulo the width of ``dtype``, as the low bits of a sum with a large one.

    Unlike a conversion this is defined for everything: -MIN wraps to MIN, infinities and NaNs of a
    zero divisor give bits that nobody uses.
    """
    element, precision = (FLOAT, 24) if dtype.bits <= 16 else (DOUBLE, 53)
    shifter = floating(ctx, element, 1.5 * 2.0 ** (precision - 1))
    bits = as_bits(ctx, ctx.builder.fadd(whole, shifter))
    return ctx.builder.trunc(bits, ctx.vector(scalar_type(dtype)))


def _long_division(
    ctx: BodyContext, x: ir.Value, y: ir.Value, zero: ir.Value, dtype: DType, rounding: str
) -> tuple[ir.Value, ir.Value]:
    """Quotient and remainder of 64-bit integers; by 1 where the divisor is 0 or MIN / -1 wraps."""
    builder = ctx.builder
    one, unsafe = integer(ctx, y, 1), zero
    if dtype.is_signed:
        least = builder.icmp_unsigned("==", x, integer(ctx, x, dtype.min))
        wraps = builder.and_(least, builder.icmp_unsigned("==", y, integer(ctx, y, -1)))
        unsafe = builder.or_(zero, wraps)
    return _defined_division(ctx, x, builder.select(unsafe, one, y), dtype, rounding)


def _by_literal(
    ctx: BodyContext, args: Sequence[ir.Value], dtype: DType, rounding: str
) -> tuple[ir.Value, ir.Value] | None:
    """Quotient and remainder by a literal, which LLVM turns into multiplications and shifts.

    None for 0, for -1, whose quotient may not fit, and for what is no literal.
    """
    divisor = known_bits(ctx, args[1])
    if divisor is None or divisor == 0 or (dtype.is_signed and divisor == (1 << dtype.bits) - 1):
        return None
    return _defined_division(ctx, args[0], args[1], dtype, rounding)


def _defined_division(
    ctx: BodyContext, x: ir.Value, y: ir.Value, dtype: DType, rounding: str
) -> tuple[ir.Value, ir.Value]:
    """By instructions: the divisor is not 0 and the quotient fits.

    A floored quotient is one less where the remainder is not 0 and of the other sign than ``y``.
    """
    builder = ctx.builder
    if not dtype.is_signed:
        return builder.udiv(x, y), builder.urem(x, y)
    quotient, rest = builder.sdiv(x, y), builder.srem(x, y)
    if rounding == "trunc":
        return quotient, rest
    nothing = integer(ctx, rest, 0)
    opposed = builder.icmp_signed("<", builder.xor(rest, y), nothing)
    crossed = builder.and_(opposed, builder.icmp_unsigned("!=", rest, nothing))
    step = builder.sext(crossed, quotient.type)
    return builder.add(quotient, step), builder.add(rest, builder.and_(step, y))


ROWS: Rows = rows(
    "ui",
    div_floor=_quotient("floor"),
    div_trunc=_quotient("trunc"),
    mod=_remainder("floor"),
    rem=_remainder("trunc"),
)
