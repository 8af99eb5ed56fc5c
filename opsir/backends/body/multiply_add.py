"""fma: a*b + c with one rounding, on floats of every width.

Owns the exact sequences for machines and dtypes that have no instruction for it.  The product of
two narrow floats is exact in a wider type; the sum is rounded to odd there, from where rounding
once more to a type with at least two bits less gives what rounding the exact sum would give.
"""

from __future__ import annotations

from collections.abc import Sequence

from llvmlite import ir

from opsir.backends.body import half, libm
from opsir.backends.body.context import DOUBLE, FLOAT, BodyContext
from opsir.backends.body.instructions import (
    Rows,
    as_bits,
    element_of,
    from_bits,
    integer,
    intrinsic,
    rows,
)
from opsir.dtypes import F16, F32, DType


def _fma(ctx: BodyContext, args: Sequence[ir.Value], dtype: DType) -> ir.Value:
    if ctx.machine.has_fma:
        return intrinsic(ctx, "llvm.fma", *args)
    if dtype is not F32:
        return libm.call(ctx, "fma", args, dtype)
    wide = [ctx.builder.fpext(arg, ctx.vector(DOUBLE)) for arg in args]
    return ctx.builder.fptrunc(_odd_multiply_add(ctx, wide), ctx.vector(FLOAT))


def _fma_of_halves(ctx: BodyContext, args: Sequence[ir.Value], dtype: DType) -> ir.Value:
    """f16 products of 22 bits fit into f32; bf16 has the exponents of f32 and needs f64."""
    wide = [half.widen(ctx, arg, dtype) for arg in args]
    if dtype is F16:
        return half.narrow(ctx, _odd_multiply_add(ctx, wide), dtype)
    wide = [ctx.builder.fpext(arg, ctx.vector(DOUBLE)) for arg in wide]
    return half.narrow_double(ctx, _odd_multiply_add(ctx, wide), dtype)


def _odd_multiply_add(ctx: BodyContext, args: Sequence[ir.Value]) -> ir.Value:
    """a*b + c, whose product is exact, rounded to odd.

    The error of the sum is itself exact.  A sum that is not exact and even moves to its neighbour
    on the side of the error, which is odd.
    """
    builder = ctx.builder
    a, b, c = args
    product = builder.fmul(a, b)
    total = builder.fadd(product, c)
    part = builder.fsub(total, product)
    error = builder.fadd(builder.fsub(product, builder.fsub(total, part)), builder.fsub(c, part))
    bits, error_bits = as_bits(ctx, total), as_bits(ctx, error)
    zero = from_bits(ctx, integer(ctx, bits, 0), element_of(total))
    inexact = builder.fcmp_ordered("!=", error, zero)  # not so for a NaN, as infinities leave
    opposed = builder.icmp_signed("<", builder.xor(bits, error_bits), integer(ctx, bits, 0))
    below = builder.sext(builder.and_(inexact, opposed), bits.type)
    odd = builder.zext(inexact, bits.type)
    return from_bits(ctx, builder.or_(builder.add(bits, below), odd), element_of(total))


ROWS: Rows = {**rows("f", fma=_fma), **rows("h", fma=_fma_of_halves)}
