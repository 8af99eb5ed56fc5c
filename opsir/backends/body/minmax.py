"""Minimum and maximum, with their relatives fmin, fmax, clip and relu.

Owns the treatment of NaN and of signed zeros: a NaN wins over every number (loses in fmin and
fmax), and -0 is less than +0.
"""

from __future__ import annotations

from collections.abc import Sequence

from llvmlite import ir

from opsir.backends.body.context import BodyContext, known_bits, pattern
from opsir.backends.body.instructions import (
    Row,
    Rows,
    as_bits,
    element_of,
    from_bits,
    greater,
    integer,
    intrinsic,
    is_nan,
    lesser,
    rows,
)
from opsir.dtypes import DType


def _minimum(ctx: BodyContext, args: Sequence[ir.Value], dtype: DType) -> ir.Value:
    if dtype.is_logical:
        return ctx.builder.and_(args[0], args[1])
    if not dtype.is_float:
        return intrinsic(ctx, "llvm.smin" if dtype.is_signed else "llvm.umin", *args)
    if ctx.machine.has_minimum:
        return intrinsic(ctx, "llvm.minimum", *args)
    return _against_literal(ctx, "<", args, dtype) or _minimum_of_floats(ctx, *args)


def _maximum(ctx: BodyContext, args: Sequence[ir.Value], dtype: DType) -> ir.Value:
    if dtype.is_logical:
        return ctx.builder.or_(args[0], args[1])
    if not dtype.is_float:
        return intrinsic(ctx, "llvm.smax" if dtype.is_signed else "llvm.umax", *args)
    if ctx.machine.has_minimum:
        return intrinsic(ctx, "llvm.maximum", *args)
    return _against_literal(ctx, ">", args, dtype) or _maximum_of_floats(ctx, *args)


def _minimum_of_floats(ctx: BodyContext, x: ir.Value, y: ir.Value) -> ir.Value:
    """MINPS in both orders, which differ for zeros and NaN only, combined by "or".

    So -0 wins over +0, and a NaN remains one.
    """
    first, second = as_bits(ctx, lesser(ctx, x, y)), as_bits(ctx, lesser(ctx, y, x))
    return from_bits(ctx, ctx.builder.or_(first, second), element_of(x))


def _maximum_of_floats(ctx: BodyContext, x: ir.Value, y: ir.Value) -> ir.Value:
    """MAXPS in both orders, combined by "and", where +0 wins; a NaN is put back by its mask."""
    first, second = as_bits(ctx, greater(ctx, x, y)), as_bits(ctx, greater(ctx, y, x))
    unordered = ctx.builder.sext(ctx.builder.fcmp_unordered("uno", x, y), first.type)
    chosen = ctx.builder.or_(ctx.builder.and_(first, second), unordered)
    return from_bits(ctx, chosen, element_of(x))


def _against_literal(
    ctx: BodyContext, order: str, args: Sequence[ir.Value], dtype: DType
) -> ir.Value | None:
    """Minimum ("<") or maximum (">") with a literal that is no NaN; None if neither is one.

    "literal beats x" leaves an x that is a NaN or an equal zero.  Where the literal is the zero
    that has to win, the test is "x beats literal", and true for a NaN.
    """
    sign = 1 << (dtype.bits - 1)
    infinity = ((1 << dtype.exponent) - 1) << (dtype.mantissa - 1)
    for literal, x in (args[::-1], args):
        bits = known_bits(ctx, literal)
        if bits is None or bits & (sign - 1) > infinity:
            continue
        if bits == (sign if order == "<" else 0):
            beats = ctx.builder.fcmp_unordered(order, x, literal)
            return ctx.builder.select(beats, x, literal)
        return lesser(ctx, literal, x) if order == "<" else greater(ctx, literal, x)
    return None


def _clip(ctx: BodyContext, args: Sequence[ir.Value], dtype: DType) -> ir.Value:
    x, low, high = args
    return _minimum(ctx, (_maximum(ctx, (x, low), dtype), high), dtype)


def _ignoring_nan(pick: Row) -> Row:
    """Each operand stands in for the other where that is a NaN, so that none meets one alone."""

    def emit(ctx: BodyContext, args: Sequence[ir.Value], dtype: DType) -> ir.Value:
        x, y = args
        left = ctx.builder.select(is_nan(ctx, x), y, x)
        right = ctx.builder.select(is_nan(ctx, y), x, y)
        return pick(ctx, (left, right), dtype)

    return emit


def _relu(ctx: BodyContext, args: Sequence[ir.Value], dtype: DType) -> ir.Value:
    """maximum(x, 0): a float stays where it is greater or a NaN, else it becomes +0."""
    (x,) = args
    if dtype.is_float:
        zero = pattern(ctx, element_of(x), 0)
        return ctx.builder.select(ctx.builder.fcmp_unordered(">", x, zero), x, zero)
    return intrinsic(ctx, "llvm.smax", x, integer(ctx, x, 0)) if dtype.is_signed else x


ROWS: Rows = {
    **rows("buif", minimum=_minimum, maximum=_maximum, clip=_clip, relu=_relu),
    **rows("bui", fmin=_minimum, fmax=_maximum),
    **rows("f", fmin=_ignoring_nan(_minimum), fmax=_ignoring_nan(_maximum)),
}
