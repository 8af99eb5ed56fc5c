"""Functions of the C math library, called in f64 one lane at a time.

Owns the list of symbols that generated code may leave undefined, and how one is called so that LLVM
neither folds it nor swaps it for another.
"""

from __future__ import annotations

from collections.abc import Sequence

from llvmlite import ir

from opsir.backends.body.context import DOUBLE, FLOAT, BodyContext, floating
from opsir.backends.body.instructions import Row, Rows, call_by_lane, declare, element_of, rows
from opsir.dtypes import F32, DType

_UNARY = (
    *("exp", "exp2", "expm1", "log", "log2", "log10", "log1p", "cbrt", "erf", "erfc"),
    *("sin", "cos", "tan", "asin", "acos", "atan"),
    *("sinh", "cosh", "tanh", "asinh", "acosh", "atanh"),
)
_BINARY = ("atan2", "hypot", "pow")

LIBM: frozenset[str] = frozenset({*_UNARY, *_BINARY, "fma", "fmod"})
"""The only external symbols of generated code: C functions from doubles to a double."""


def call(ctx: BodyContext, name: str, args: Sequence[ir.Value], dtype: DType) -> ir.Value:
    """Apply the C function ``name`` to operands of f32 or f64; an f32 result is rounded once."""
    doubles = [ctx.builder.fpext(x, ctx.vector(DOUBLE)) for x in args] if dtype is F32 else args
    value = call_by_lane(ctx, _declared(ctx, name, len(args)), doubles)
    return ctx.builder.fptrunc(value, ctx.vector(FLOAT)) if dtype is F32 else value


def _declared(ctx: BodyContext, name: str, arity: int) -> ir.Function:
    function = declare(ctx, name, DOUBLE, [DOUBLE] * arity)
    # Else pow(2.0, x) would become exp2(x), whose bits may differ.
    function.attributes.add("nobuiltin")
    function.attributes.add("nounwind")
    return function


def _row(name: str) -> Row:
    def emit(ctx: BodyContext, args: Sequence[ir.Value], dtype: DType) -> ir.Value:
        return call(ctx, name, args, dtype)

    return emit


def _pow(ctx: BodyContext, args: Sequence[ir.Value], dtype: DType) -> ir.Value:
    """C's ``pow``; as a square or a reciprocal it is rounded as the product or quotient is."""
    base, exponent = args
    value = call(ctx, "pow", args, dtype)
    one, two = (floating(ctx, element_of(base), number) for number in (1.0, 2.0))
    inverse = ctx.builder.fcmp_ordered("==", exponent, ctx.builder.fneg(one))
    square = ctx.builder.fcmp_ordered("==", exponent, two)
    value = ctx.builder.select(inverse, ctx.builder.fdiv(one, base), value)
    return ctx.builder.select(square, ctx.builder.fmul(base, base), value)


ROWS: Rows = rows("f", **{name: _row(name) for name in (*_UNARY, *_BINARY)}) | rows("f", pow=_pow)
