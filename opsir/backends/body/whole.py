"""Conversions between integers and floats.

Owns saturation, NaN and the one rounding of both directions, with vector sequences for 64-bit
integers on machines that convert those only one at a time.
"""

from __future__ import annotations

from llvmlite import ir

from opsir.backends.body import half
from opsir.backends.body.context import (
    DOUBLE,
    FLOAT,
    I32,
    I64,
    BodyContext,
    floating,
    pattern,
    scalar_type,
)
from opsir.backends.body.instructions import (
    as_bits,
    element_of,
    from_bits,
    greater,
    integer,
    intrinsic,
    lesser,
)
from opsir.dtypes import F16, F32, DType

_TWO_52 = 0x433 << 52
_TWO_84 = 0x453 << 52
"""Patterns of 2**52 and 2**84, whose units in the last place are 1 and 2**32."""


def to_float(ctx: BodyContext, x: ir.Value, source: DType, to: DType) -> ir.Value:
    """An integer of dtype ``source``, rounded once to the float dtype ``to``."""
    if to.is_half and source.bits > 16:
        if to is F16:
            return half.narrow(ctx, _f16_magnitudes(ctx, x, source), to)
        return half.narrow_double(ctx, _to_sticky_f64(ctx, x, source), to)
    if to.is_half:
        return half.narrow(ctx, _to_f32(ctx, x, source), to)
    return _to_f32(ctx, x, source) if to is F32 else _to_f64(ctx, x, source)


def _f16_magnitudes(ctx: BodyContext, x: ir.Value, source: DType) -> ir.Value:
    """A wide integer as ``float``, exact up to 2**16 and clamped there: f16 infinity by then."""
    prefix = "s" if source.is_signed else "u"
    x = intrinsic(ctx, f"llvm.{prefix}min", x, integer(ctx, x, 1 << 16))
    if source.is_signed:
        x = intrinsic(ctx, "llvm.smax", x, integer(ctx, x, -(1 << 16)))
    if source.bits == 64:  # LLVM would see through a truncation, and convert 64 bits lane by lane
        return ctx.builder.fptrunc(_to_f64(ctx, x, source), ctx.vector(FLOAT))
    return ctx.builder.sitofp(x, ctx.vector(FLOAT))


def _to_f32(ctx: BodyContext, x: ir.Value, source: DType) -> ir.Value:
    if source.bits == 64 and ctx.lanes > 1 and not ctx.machine.has_long_conversion:
        return ctx.builder.fptrunc(_to_sticky_f64(ctx, x, source), ctx.vector(FLOAT))
    return _convert(ctx, x, source, FLOAT)


def _to_f64(ctx: BodyContext, x: ir.Value, source: DType) -> ir.Value:
    if source.bits == 64 and ctx.lanes > 1 and not ctx.machine.has_long_conversion:
        return _long_to_f64(ctx, x, source)
    return _convert(ctx, x, source, DOUBLE)


def _convert(ctx: BodyContext, x: ir.Value, source: DType, to: ir.Type) -> ir.Value:
    """By one instruction; narrow integers through i32, which every machine converts."""
    builder, target = ctx.builder, ctx.vector(to)
    if source.bits < 32:
        extend = builder.sext if source.is_signed else builder.zext
        return builder.sitofp(extend(x, ctx.vector(I32)), target)
    return builder.sitofp(x, target) if source.is_signed else builder.uitofp(x, target)


def _long_to_f64(ctx: BodyContext, x: ir.Value, source: DType) -> ir.Value:
    """A 64-bit integer by its halves, each put into a double by its bits; their sum rounds once.

    The low half becomes 2**52 + low, the high one 2**84 + high * 2**32, in which a signed high
    half is biased by 2**31.
    """
    builder = ctx.builder
    low_mask = pattern(ctx, I64, 0xFFFFFFFF)
    low = builder.or_(builder.and_(x, low_mask), pattern(ctx, I64, _TWO_52))
    bias = 1 << 31 if source.is_signed else 0
    high = builder.lshr(x, pattern(ctx, I64, 32))
    high = builder.xor(high, pattern(ctx, I64, _TWO_84 | bias))
    offsets = floating(ctx, DOUBLE, float(2**84 + 2**52 + (bias << 32)))
    return builder.fadd(
        builder.fsub(from_bits(ctx, high, DOUBLE), offsets), from_bits(ctx, low, DOUBLE)
    )


def _to_sticky_f64(ctx: BodyContext, x: ir.Value, source: DType) -> ir.Value:
    """An integer as a double from which rounding to 24 bits or fewer gives what x would give.

    Beyond 2**53 the lowest 11 bits are replaced by one bit that says whether any of them was set,
    which keeps every comparison with a midpoint and makes the conversion exact.
    """
    if source.bits < 64:
        return _convert(ctx, x, source, DOUBLE)
    builder = ctx.builder
    rest = builder.and_(x, integer(ctx, x, 0x7FF))
    sticky = builder.and_(builder.add(rest, integer(ctx, x, 0x7FF)), integer(ctx, x, 0x800))
    jammed = builder.and_(builder.or_(x, sticky), integer(ctx, x, -0x800))
    offset, bound = (1 << 53, 1 << 54) if source.is_signed else (0, 1 << 53)
    shifted = builder.add(x, integer(ctx, x, offset)) if offset else x
    large = builder.icmp_unsigned(">", shifted, integer(ctx, x, bound))
    return _to_f64(ctx, builder.select(large, jammed, x), source)


def from_float(ctx: BodyContext, x: ir.Value, to: DType) -> ir.Value:
    """A ``float`` or ``double`` truncated to integer dtype ``to``; saturates, a NaN gives 0."""
    builder = ctx.builder
    element = element_of(x)
    precision = 24 if element == FLOAT else 53
    inside = x
    # An unsigned minimum of 0 takes care of a NaN, but LLVM turns it into an instruction that
    # passes signalling ones on where there is one.
    if to.is_signed or ctx.machine.has_minimum:
        zero = pattern(ctx, element, 0)
        inside = builder.select(builder.fcmp_ordered("ord", x, x), x, zero)
    inside = greater(ctx, inside, floating(ctx, element, float(to.min)))
    exact_bound = to.bits < precision
    bound = float(to.max) if exact_bound else _below(to.max + 1, precision)
    inside = lesser(ctx, inside, floating(ctx, element, bound))
    whole = _truncate(ctx, inside, to)
    if exact_bound:
        return whole
    beyond = builder.fcmp_ordered(">=", x, floating(ctx, element, float(to.max + 1)))
    return builder.select(beyond, integer(ctx, whole, to.max), whole)


def _below(power: int, precision: int) -> float:
    """The largest float of ``precision`` bits below a power of two."""
    return float(power - (power >> precision))


def _truncate(ctx: BodyContext, x: ir.Value, to: DType) -> ir.Value:
    """A float that is in the range of ``to`` already."""
    builder, target = ctx.builder, ctx.vector(scalar_type(to))
    if to.bits < 32:
        return builder.trunc(builder.fptosi(x, ctx.vector(I32)), target)
    if to.bits == 64 and ctx.lanes > 1 and not ctx.machine.has_long_conversion:
        wide = x if element_of(x) == DOUBLE else builder.fpext(x, ctx.vector(DOUBLE))
        return _f64_to_long(ctx, wide)
    return builder.fptosi(x, target) if to.is_signed else builder.fptoui(x, target)


def _f64_to_long(ctx: BodyContext, x: ir.Value) -> ir.Value:
    """A double in -2**63..2**64 by its halves, each read off the bits of a sum with 2**52.

    The high half, which may be negative, is shifted into place, so only its low 32 bits count.
    """
    builder = ctx.builder
    whole = intrinsic(ctx, "llvm.trunc", x)
    scaled = builder.fmul(whole, floating(ctx, DOUBLE, 2.0**-32))
    high = intrinsic(ctx, "llvm.floor", scaled)
    low = builder.fsub(whole, builder.fmul(high, floating(ctx, DOUBLE, 2.0**32)))
    high_bits = as_bits(ctx, builder.fadd(high, floating(ctx, DOUBLE, 1.5 * 2.0**52)))
    low_bits = as_bits(ctx, builder.fadd(low, floating(ctx, DOUBLE, 2.0**52)))
    upper = builder.shl(high_bits, pattern(ctx, I64, 32))
    return builder.or_(upper, builder.xor(low_bits, pattern(ctx, I64, _TWO_52)))
