"""Shifts of integers by a count that may be anything.

Owns counts that are negative or not below the width, for which a machine's shift is undefined.
"""

from __future__ import annotations

from collections.abc import Sequence

from llvmlite import ir

from opsir.backends.body.context import BodyContext
from opsir.backends.body.instructions import Rows, integer, intrinsic, rows
from opsir.dtypes import DType


def _shift_left(ctx: BodyContext, args: Sequence[ir.Value], dtype: DType) -> ir.Value:
    return _or_nothing(ctx, ctx.builder.shl(*args), args[1], dtype)


def _shift_right(ctx: BodyContext, args: Sequence[ir.Value], dtype: DType) -> ir.Value:
    """A signed value is shifted by width - 1 at most, which leaves its sign in every bit."""
    x, count = args
    if not dtype.is_signed:
        return _or_nothing(ctx, ctx.builder.lshr(x, count), count, dtype)
    bounded = intrinsic(ctx, "llvm.umin", count, integer(ctx, count, dtype.bits - 1))
    return ctx.builder.ashr(x, bounded)


def _or_nothing(ctx: BodyContext, shifted: ir.Value, count: ir.Value, dtype: DType) -> ir.Value:
    """``shifted``, or 0 unless 0 <= count < width; a negative count is a large unsigned one."""
    inside = ctx.builder.icmp_unsigned("<", count, integer(ctx, count, dtype.bits))
    return ctx.builder.select(inside, shifted, integer(ctx, shifted, 0))


ROWS: Rows = rows("ui", shift_left=_shift_left, shift_right=_shift_right)
