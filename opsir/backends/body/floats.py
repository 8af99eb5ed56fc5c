"""Ops on the parts of a float: rounding to whole numbers, classes, signs and neighbours.

Owns the rows that are exact by nature. On bool and integers, which are whole, finite and no NaN,
they pass the value through or give a constant.
"""

from __future__ import annotations

from collections.abc import Sequence

from llvmlite import ir

from opsir.backends.body import half
from opsir.backends.body.context import I1, BodyContext, floating, pattern
from opsir.backends.body.instructions import (
    Row,
    Rows,
    as_bits,
    element_of,
    from_bits,
    integer,
    intrinsic,
    is_nan,
    rows,
)
from opsir.dtypes import DType


def _rounding(name: str) -> Row:
    def emit(ctx: BodyContext, args: Sequence[ir.Value], dtype: DType) -> ir.Value:
        return intrinsic(ctx, name, args[0])

    return emit


def _whole(ctx: BodyContext, args: Sequence[ir.Value], dtype: DType) -> ir.Value:
    return args[0]


def _never(ctx: BodyContext, args: Sequence[ir.Value], dtype: DType) -> ir.Value:
    return pattern(ctx, I1, 0)


def _always(ctx: BodyContext, args: Sequence[ir.Value], dtype: DType) -> ir.Value:
    return pattern(ctx, I1, 1)


def _against_infinity(comparison: str) -> Row:
    """The magnitude's bit pattern compared with that of infinity: NaNs are above it."""

    def emit(ctx: BodyContext, args: Sequence[ir.Value], dtype: DType) -> ir.Value:
        bits = as_bits(ctx, args[0])
        size = ctx.builder.and_(bits, integer(ctx, bits, (1 << (dtype.bits - 1)) - 1))
        infinity = ((1 << dtype.exponent) - 1) << (dtype.mantissa - 1)
        return ctx.builder.icmp_signed(comparison, size, integer(ctx, size, infinity))

    return emit


def _isnan(ctx: BodyContext, args: Sequence[ir.Value], dtype: DType) -> ir.Value:
    return is_nan(ctx, args[0])


def _is_negative(ctx: BodyContext, args: Sequence[ir.Value], dtype: DType) -> ir.Value:
    """The sign bit, also of a zero or NaN; of an integer, whether it is below 0."""
    bits = as_bits(ctx, args[0])
    return ctx.builder.icmp_signed("<", bits, integer(ctx, bits, 0))


def _copysign(ctx: BodyContext, args: Sequence[ir.Value], dtype: DType) -> ir.Value:
    builder = ctx.builder
    size, sign = as_bits(ctx, args[0]), as_bits(ctx, args[1])
    mask = 1 << (dtype.bits - 1)
    size = builder.and_(size, integer(ctx, size, mask - 1))
    sign = builder.and_(sign, integer(ctx, sign, mask))
    return from_bits(ctx, builder.or_(size, sign), element_of(args[0]))


def _heaviside(ctx: BodyContext, args: Sequence[ir.Value], dtype: DType) -> ir.Value:
    """0 below zero, 1 above, the second operand at both zeros; a NaN stays."""
    builder = ctx.builder
    x, at_zero = args
    element = element_of(x)
    zero = pattern(ctx, element, 0)
    step = builder.select(builder.fcmp_ordered(">", x, zero), floating(ctx, element, 1.0), zero)
    step = builder.select(builder.fcmp_ordered("==", x, zero), at_zero, step)
    return builder.select(is_nan(ctx, x), x, step)


def _nextafter(ctx: BodyContext, args: Sequence[ir.Value], dtype: DType) -> ir.Value:
    """The neighbour of x towards y, as bit patterns: one more away from zero, one less towards it.

    Equal operands give y, a NaN is passed on, and both zeros have the smallest subnormal with y's
    sign as neighbour.
    """
    builder = ctx.builder
    x, y = (half.widen(ctx, arg, dtype) if dtype.is_half else arg for arg in args)
    bits, other = as_bits(ctx, args[0]), as_bits(ctx, args[1])
    zero = pattern(ctx, element_of(x), 0)
    negative = builder.icmp_signed("<", bits, integer(ctx, bits, 0))
    outwards = builder.xor(builder.fcmp_ordered(">", y, x), negative)
    step = builder.select(outwards, integer(ctx, bits, 1), integer(ctx, bits, -1))
    moved = builder.add(bits, step)
    smallest = builder.or_(
        builder.and_(other, integer(ctx, bits, 1 << (dtype.bits - 1))), integer(ctx, bits, 1)
    )
    moved = builder.select(builder.fcmp_ordered("==", x, zero), smallest, moved)
    takes_y = builder.or_(builder.fcmp_ordered("==", x, y), is_nan(ctx, y))
    moved = builder.select(takes_y, other, moved)
    result = ctx.builder.select(is_nan(ctx, x), bits, moved)
    return from_bits(ctx, result, element_of(args[0]))


ROWS: Rows = {
    **rows(
        "f",
        floor=_rounding("llvm.floor"),
        ceil=_rounding("llvm.ceil"),
        trunc=_rounding("llvm.trunc"),
        rint=_rounding("llvm.roundeven"),
        round=_rounding("llvm.round"),
        heaviside=_heaviside,
        isnan=_isnan,
    ),
    **rows("bui", floor=_whole, ceil=_whole, trunc=_whole, rint=_whole, round=_whole),
    **rows("bui", isnan=_never, isinf=_never, isfinite=_always),
    **rows("fh", isinf=_against_infinity("=="), isfinite=_against_infinity("<")),
    **rows("h", isnan=_against_infinity(">")),
    **rows("bu", signbit=_never),
    **rows("ifh", signbit=_is_negative),
    **rows("fh", copysign=_copysign, nextafter=_nextafter),
}
