"""Sums, products, signs and roots on bool, integers, f32 and f64.

Owns the rows that are one or two instructions. Integers wrap; no float instruction carries a
fast-math flag, so none is contracted, reassociated or dropped.
"""

from __future__ import annotations

from collections.abc import Sequence

from llvmlite import ir

from opsir.backends.body.context import BodyContext, floating, pattern
from opsir.backends.body.instructions import (
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


def _add(ctx: BodyContext, args: Sequence[ir.Value], dtype: DType) -> ir.Value:
    return ctx.builder.fadd(*args) if dtype.is_float else ctx.builder.add(*args)


def _sub(ctx: BodyContext, args: Sequence[ir.Value], dtype: DType) -> ir.Value:
    return ctx.builder.fsub(*args) if dtype.is_float else ctx.builder.sub(*args)


def _mul(ctx: BodyContext, args: Sequence[ir.Value], dtype: DType) -> ir.Value:
    return ctx.builder.fmul(*args) if dtype.is_float else ctx.builder.mul(*args)


def _any(ctx: BodyContext, args: Sequence[ir.Value], dtype: DType) -> ir.Value:
    return ctx.builder.or_(*args)


def _all(ctx: BodyContext, args: Sequence[ir.Value], dtype: DType) -> ir.Value:
    return ctx.builder.and_(*args)


def _div(ctx: BodyContext, args: Sequence[ir.Value], dtype: DType) -> ir.Value:
    return ctx.builder.fdiv(*args)


def _sqrt(ctx: BodyContext, args: Sequence[ir.Value], dtype: DType) -> ir.Value:
    return intrinsic(ctx, "llvm.sqrt", args[0])


def _positive(ctx: BodyContext, args: Sequence[ir.Value], dtype: DType) -> ir.Value:
    return args[0]


def _square(ctx: BodyContext, args: Sequence[ir.Value], dtype: DType) -> ir.Value:
    return _mul(ctx, (args[0], args[0]), dtype)


def _neg(ctx: BodyContext, args: Sequence[ir.Value], dtype: DType) -> ir.Value:
    """Floats by their sign bit, which leaves a NaN's other bits alone."""
    bits = as_bits(ctx, args[0])
    if not dtype.is_float:
        return ctx.builder.sub(integer(ctx, bits, 0), bits)
    flipped = ctx.builder.xor(bits, integer(ctx, bits, 1 << (dtype.bits - 1)))
    return from_bits(ctx, flipped, element_of(args[0]))


def _abs(ctx: BodyContext, args: Sequence[ir.Value], dtype: DType) -> ir.Value:
    """Floats by their sign bit; the most negative integer wraps to itself."""
    bits = as_bits(ctx, args[0])
    if not dtype.is_float:
        return intrinsic(ctx, "llvm.abs", bits, ir.Constant(ir.IntType(1), 0))
    cleared = ctx.builder.and_(bits, integer(ctx, bits, (1 << (dtype.bits - 1)) - 1))
    return from_bits(ctx, cleared, element_of(args[0]))


def _sign_of_integer(ctx: BodyContext, args: Sequence[ir.Value], dtype: DType) -> ir.Value:
    """The value itself clamped to -1, 0, 1."""
    one = integer(ctx, args[0], 1)
    if not dtype.is_signed:
        return intrinsic(ctx, "llvm.umin", args[0], one)
    below = intrinsic(ctx, "llvm.smin", args[0], one)
    return intrinsic(ctx, "llvm.smax", below, integer(ctx, args[0], -1))


def _sign_of_float(ctx: BodyContext, args: Sequence[ir.Value], dtype: DType) -> ir.Value:
    """A signed 1; +0 for both zeros; a NaN stays."""
    (x,) = args
    element = element_of(x)
    zero = pattern(ctx, element, 0)
    one = intrinsic(ctx, "llvm.copysign", floating(ctx, element, 1.0), x)
    signed = ctx.builder.select(ctx.builder.fcmp_ordered("==", x, zero), zero, one)
    return ctx.builder.select(is_nan(ctx, x), x, signed)


def _reciprocal_of_float(ctx: BodyContext, args: Sequence[ir.Value], dtype: DType) -> ir.Value:
    return ctx.builder.fdiv(floating(ctx, element_of(args[0]), 1.0), args[0])


def _reciprocal_of_integer(ctx: BodyContext, args: Sequence[ir.Value], dtype: DType) -> ir.Value:
    """trunc(1/x): only 1 and -1 have one that is not 0. The reciprocal of 0 is flagged."""
    (x,) = args
    builder = ctx.builder
    if ctx.flags is not None:
        ctx.flags.raise_if("divide", builder.icmp_unsigned("==", x, integer(ctx, x, 0)))
    unit = builder.icmp_unsigned("==", x, integer(ctx, x, 1))
    if dtype.is_signed:
        unit = builder.or_(unit, builder.icmp_unsigned("==", x, integer(ctx, x, -1)))
    return builder.select(unit, x, integer(ctx, x, 0))


ROWS: Rows = {
    **rows("b", add=_any, mul=_all, abs=_positive),
    **rows("uif", add=_add, sub=_sub, mul=_mul, square=_square),
    **rows("uifh", positive=_positive, neg=_neg),
    **rows("u", abs=_positive),
    **rows("ifh", abs=_abs),
    **rows("ui", sign=_sign_of_integer, reciprocal=_reciprocal_of_integer),
    **rows("f", sign=_sign_of_float, reciprocal=_reciprocal_of_float, div=_div, sqrt=_sqrt),
}
