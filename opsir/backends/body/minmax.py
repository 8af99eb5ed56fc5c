"""Minimum and maximum, with their relatives fmin, fmax, clip and relu.

Owns the treatment of NaN and of signed zeros: a NaN wins over every number (loses in fmin and
fmax), and -0 is less than +0.
"""

from __future__ import annotations

from collections.abc import Sequence

from llvmlite import ir

from opsir.backends.body.context import BodyContext, pattern
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


def _bitwise(ctx: BodyContext, operator: str, x: ir.Value, y: ir.Value) -> ir.Value:
    combine = ctx.builder.or_ if operator == "or" else ctx.builder.and_
    return from_bits(ctx, combine(as_bits(ctx, x), as_bits(ctx, y)), element_of(x))


def _minimum_of_floats(ctx: BodyContext, x: ir.Value, y: ir.Value) -> ir.Value:
    """On x86 MINPS in both orders, which differ for zeros and NaN only, combined by "or".

    That makes -0 of two zeros that differ, and leaves every NaN one.
    """
    if ctx.machine.arch != "x86_64":
        return intrinsic(ctx, "llvm.minimum", x, y)
    return _bitwise(ctx, "or", lesser(ctx, x, y), lesser(ctx, y, x))


def _maximum_of_floats(ctx: BodyContext, x: ir.Value, y: ir.Value) -> ir.Value:
    """On x86 MAXPS in both orders, combined by "and"; a NaN is put back by its mask."""
    if ctx.machine.arch != "x86_64":
        return intrinsic(ctx, "llvm.maximum", x, y)
    both = _bitwise(ctx, "and", greater(ctx, x, y), greater(ctx, y, x))
    bits = as_bits(ctx, both)
    unordered = ctx.builder.sext(ctx.builder.fcmp_unordered("uno", x, y), bits.type)
    return from_bits(ctx, ctx.builder.or_(bits, unordered), element_of(x))


def _of_integers(ctx: BodyContext, name: str, args: Sequence[ir.Value], dtype: DType) -> ir.Value:
    return intrinsic(ctx, f"llvm.{'s' if dtype.is_signed else 'u'}{name}", *args)


def _minimum(ctx: BodyContext, args: Sequence[ir.Value], dtype: DType) -> ir.Value:
    if dtype.is_logical:
        return ctx.builder.and_(args[0], args[1])
    if dtype.is_float:
        return _minimum_of_floats(ctx, args[0], args[1])
    return _of_integers(ctx, "min", args, dtype)


def _maximum(ctx: BodyContext, args: Sequence[ir.Value], dtype: DType) -> ir.Value:
    if dtype.is_logical:
        return ctx.builder.or_(args[0], args[1])
    if dtype.is_float:
        return _maximum_of_floats(ctx, args[0], args[1])
    return _of_integers(ctx, "max", args, dtype)


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
    """maximum(x, 0): the value where it is greater or a NaN, else +0."""
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
