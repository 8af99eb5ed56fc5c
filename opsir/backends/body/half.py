"""Conversions between the two 16-bit floats and f32, f64, each with one rounding.

Owns the instruction or integer sequence for every direction on every machine; none becomes a call
into a run-time library. Ties go to even, overflow to infinity, a NaN to a quiet NaN.
"""

from __future__ import annotations

from llvmlite import ir

from opsir.backends.body.context import (
    DOUBLE,
    FLOAT,
    HALF,
    I16,
    I32,
    I64,
    BodyContext,
    floating,
    pattern,
)
from opsir.backends.body.instructions import as_bits, from_bits, greater, intrinsic, lesser
from opsir.dtypes import BF16, F16, DType


def widen(ctx: BodyContext, x: ir.Value, dtype: DType) -> ir.Value:
    """An f16 or bf16 as ``float``, exactly."""
    if dtype is BF16:
        high = ctx.builder.zext(x, ctx.vector(I32))
        return from_bits(ctx, ctx.builder.shl(high, pattern(ctx, I32, 16)), FLOAT)
    if ctx.machine.has_half_conversion:
        return ctx.builder.fpext(ctx.builder.bitcast(x, ctx.vector(HALF)), ctx.vector(FLOAT))
    return _f16_to_f32(ctx, x)


def narrow(ctx: BodyContext, x: ir.Value, dtype: DType) -> ir.Value:
    """A ``float`` rounded to f16 or bf16."""
    if dtype is BF16:
        return _f32_to_bf16(ctx, x)
    if ctx.machine.has_half_conversion:
        # Where x comes from a double and only its sign is used, LLVM would skip the step by way of
        # f32 and convert with a library call: the fence, which costs no instruction, hides where
        # x comes from.
        single = intrinsic(ctx, "llvm.arithmetic.fence", x)
        return ctx.builder.bitcast(ctx.builder.fptrunc(single, ctx.vector(HALF)), ctx.vector(I16))
    return _f32_to_f16(ctx, x)


def narrow_double(ctx: BodyContext, x: ir.Value, dtype: DType) -> ir.Value:
    """A ``double`` rounded to f16 or bf16.

    It is rounded to the precision of ``dtype`` while still a double. All further steps are exact,
    or carry what is too large on to infinity.
    """
    rounded = _round_to_precision(ctx, x, dtype)
    single = ctx.builder.fptrunc(rounded, ctx.vector(FLOAT))
    if dtype is F16:
        return narrow(ctx, single, F16)
    high = ctx.builder.lshr(as_bits(ctx, single), pattern(ctx, I32, 16))
    return ctx.builder.trunc(high, ctx.vector(I16))


def _round_to_precision(ctx: BodyContext, x: ir.Value, dtype: DType) -> ir.Value:
    """A double rounded to a multiple of the spacing that ``dtype`` has around it.

    Adding 1.5 * 2**52 spacings moves the sum into a binade whose unit is one spacing, so that the
    addition itself rounds, to even in a tie; the subtraction is exact.  Spacing is measured from
    x's exponent field, and stops shrinking at the subnormals of ``dtype``.
    """
    builder = ctx.builder
    bias = (1 << (dtype.exponent - 1)) - 1
    bits = as_bits(ctx, x)
    power = from_bits(ctx, builder.and_(bits, pattern(ctx, I64, 0x7FF << 52)), DOUBLE)
    power = greater(ctx, power, floating(ctx, DOUBLE, 2.0 ** (1 - bias)))
    power = lesser(ctx, power, floating(ctx, DOUBLE, 2.0**bias))
    shifter = builder.fmul(power, floating(ctx, DOUBLE, 1.5 * 2.0 ** (53 - dtype.mantissa)))
    rounded = as_bits(ctx, builder.fsub(builder.fadd(x, shifter), shifter))
    sign = builder.and_(bits, pattern(ctx, I64, 1 << 63))  # lost where x rounds to zero
    return from_bits(ctx, builder.or_(rounded, sign), DOUBLE)


def _f32_to_bf16(ctx: BodyContext, x: ir.Value) -> ir.Value:
    """Half a unit, less one for an even neighbour, is added below the upper 16 bits."""
    builder = ctx.builder
    bits, sixteen = as_bits(ctx, x), pattern(ctx, I32, 16)
    odd = builder.and_(builder.lshr(bits, sixteen), pattern(ctx, I32, 1))
    rounded = builder.add(builder.add(bits, pattern(ctx, I32, 0x7FFF)), odd)
    quiet = builder.or_(bits, pattern(ctx, I32, 0x400000))
    kept = builder.select(builder.fcmp_unordered("uno", x, x), quiet, rounded)
    return builder.trunc(builder.lshr(kept, sixteen), ctx.vector(I16))


def _f16_to_f32(ctx: BodyContext, x: ir.Value) -> ir.Value:
    """The f16 fields, put into an f32's place, read 2**112 too small; subnormals included."""
    builder = ctx.builder
    bits = builder.zext(as_bits(ctx, x), ctx.vector(I32))
    rest = builder.and_(bits, pattern(ctx, I32, 0x7FFF))
    sign = builder.shl(builder.xor(bits, rest), pattern(ctx, I32, 16))
    tiny = from_bits(ctx, builder.shl(rest, pattern(ctx, I32, 13)), FLOAT)
    scaled = as_bits(ctx, builder.fmul(tiny, floating(ctx, FLOAT, 2.0**112)))
    special = builder.icmp_signed(">", rest, pattern(ctx, I32, 0x7BFF))
    exponent = builder.select(special, pattern(ctx, I32, 0x7F800000), pattern(ctx, I32, 0))
    return from_bits(ctx, builder.or_(builder.or_(scaled, exponent), sign), FLOAT)


def _f32_to_f16(ctx: BodyContext, x: ir.Value) -> ir.Value:
    """Normal results by integer rounding, subnormal ones by an addition that rounds."""
    builder = ctx.builder
    bits = as_bits(ctx, x)
    rest = builder.and_(bits, pattern(ctx, I32, 0x7FFFFFFF))
    sign = builder.lshr(builder.xor(bits, rest), pattern(ctx, I32, 16))
    thirteen = pattern(ctx, I32, 13)
    odd = builder.and_(builder.lshr(rest, thirteen), pattern(ctx, I32, 1))
    rebiased = builder.add(rest, pattern(ctx, I32, (0xFFF - (112 << 23)) & 0xFFFFFFFF))
    normal = builder.lshr(builder.add(rebiased, odd), thirteen)
    half = floating(ctx, FLOAT, 0.5)  # its unit is the spacing of f16 subnormals
    shifted = as_bits(ctx, builder.fadd(from_bits(ctx, rest, FLOAT), half))
    small = builder.sub(shifted, as_bits(ctx, half))
    below = builder.icmp_signed("<", rest, pattern(ctx, I32, (127 - 14) << 23))
    result = builder.select(below, small, normal)
    for bound, bits_above in ((0x477FEFFF, 0x7C00), (0x7F800000, 0x7E00)):  # 65520 - ulp, infinity
        above = builder.icmp_signed(">", rest, pattern(ctx, I32, bound))
        result = builder.select(above, pattern(ctx, I32, bits_above), result)
    return builder.trunc(builder.or_(result, sign), ctx.vector(I16))
