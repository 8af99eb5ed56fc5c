"""Conversion of a value between any two dtypes.

Owns the choice of route: which pairs go through f32 or f64, and that no route rounds twice.
"""

from __future__ import annotations

from llvmlite import ir

from opsir.backends.body import half, whole
from opsir.backends.body.context import (
    DOUBLE,
    FLOAT,
    BodyContext,
    constant,
    pattern,
    scalar_type,
)
from opsir.backends.body.instructions import as_bits, element_of, integer
from opsir.dtypes import BOOL, F32, F64, DType


def emit_cast(ctx: BodyContext, value: ir.Value, source: DType, to: DType) -> ir.Value:
    """``value`` of dtype ``source`` as ``to``; between equal dtypes it is returned as it is.

    Integers wrap, floats round once to nearest even, float to integer truncates and saturates with
    0 for a NaN, and everything that is not zero is true.
    """
    if source is to:
        return value
    if to is BOOL:
        return _to_bool(ctx, value, source)
    if source is BOOL:
        return _from_bool(ctx, value, to)
    if source.is_float:
        wide = half.widen(ctx, value, source) if source.is_half else value
        return _between_floats(ctx, wide, to) if to.is_float else whole.from_float(ctx, wide, to)
    if to.is_float:
        return whole.to_float(ctx, value, source, to)
    return _between_integers(ctx, value, source, to)


def _to_bool(ctx: BodyContext, value: ir.Value, source: DType) -> ir.Value:
    """Whether ``value`` is not zero; a NaN is not."""
    if source.is_float and not source.is_half:
        return ctx.builder.fcmp_unordered("!=", value, pattern(ctx, element_of(value), 0))
    bits = as_bits(ctx, value)
    if source.is_half:
        bits = ctx.builder.and_(bits, integer(ctx, bits, 0x7FFF))
    return ctx.builder.icmp_unsigned("!=", bits, integer(ctx, bits, 0))


def _from_bool(ctx: BodyContext, value: ir.Value, to: DType) -> ir.Value:
    if not to.is_float:
        return ctx.builder.zext(value, ctx.vector(scalar_type(to)))
    return ctx.builder.select(value, constant(ctx, to, 1), constant(ctx, to, 0))


def _between_integers(ctx: BodyContext, value: ir.Value, source: DType, to: DType) -> ir.Value:
    target = ctx.vector(scalar_type(to))
    if to.bits <= source.bits:
        return ctx.builder.trunc(value, target)
    extend = ctx.builder.sext if source.is_signed else ctx.builder.zext
    return extend(value, target)


def _between_floats(ctx: BodyContext, value: ir.Value, to: DType) -> ir.Value:
    """A ``float`` or ``double`` as ``to``."""
    if to.is_half:
        narrow = half.narrow if element_of(value) == FLOAT else half.narrow_double
        return narrow(ctx, value, to)
    if to is F32:
        return ctx.builder.fptrunc(value, ctx.vector(FLOAT))
    assert to is F64
    return ctx.builder.fpext(value, ctx.vector(DOUBLE))
