"""The few instruction idioms that the op families share.

Owns intrinsic declarations, selections that become one minimum or maximum instruction, bit-pattern
views of floats and calls made lane by lane. Knows no op and no dtype rule.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from llvmlite import ir

from opsir.backends.body.context import (
    DOUBLE,
    FLOAT,
    I32,
    I64,
    BodyContext,
    pattern,
)
from opsir.dtypes import DType

Row = Callable[[BodyContext, Sequence[ir.Value], DType], ir.Value]
"""Emits one op: the context, the operands, and the dtype that the last operand has."""

Rows = dict[tuple[str, str], Row]
"""(op name, kind) to the row that emits it."""


def rows(kinds: str, **ops: Row) -> Rows:
    """One table entry for every named op on each of ``kinds``."""
    return {(name, kind): row for name, row in ops.items() for kind in kinds}


_PATTERN_OF: dict[str, ir.IntType] = {str(FLOAT): I32, str(DOUBLE): I64}


def element_of(value: ir.Value) -> ir.Type:
    """The element type of a scalar or vector."""
    return value.type.element if isinstance(value.type, ir.VectorType) else value.type


def intrinsic(ctx: BodyContext, name: str, *operands: ir.Value) -> ir.Value:
    """Call the LLVM intrinsic ``name`` (``llvm.sqrt``), overloaded on its first operand's type."""
    overload = operands[0].type
    element = element_of(operands[0])
    lanes = f"v{ctx.lanes}" if ctx.lanes > 1 else ""
    full = f"{name}.{lanes}{element.intrinsic_name}"
    return ctx.builder.call(declare(ctx, full, overload, [x.type for x in operands]), operands)


def declare(
    ctx: BodyContext, name: str, result: ir.Type, operands: Sequence[ir.Type]
) -> ir.Function:
    """The external function ``name``, declared once per module."""
    module = ctx.builder.module
    known = module.globals.get(name)
    if known is None:
        known = ir.Function(module, ir.FunctionType(result, operands), name)
    return known


def as_bits(ctx: BodyContext, value: ir.Value) -> ir.Value:
    """A float's bit pattern; an integer (and so an f16 or bf16) is one already."""
    integer = _PATTERN_OF.get(str(element_of(value)))
    return ctx.builder.bitcast(value, ctx.vector(integer)) if integer else value


def from_bits(ctx: BodyContext, bits: ir.Value, element: ir.Type) -> ir.Value:
    """The float of element type ``element`` with this bit pattern."""
    if element_of(bits) == element:
        return bits
    return ctx.builder.bitcast(bits, ctx.vector(element))


def greater(ctx: BodyContext, x: ir.Value, y: ir.Value) -> ir.Value:
    """``x > y ? x : y`` on floats: ``y`` where either is a NaN. One instruction on x86."""
    return ctx.builder.select(ctx.builder.fcmp_ordered(">", x, y), x, y)


def lesser(ctx: BodyContext, x: ir.Value, y: ir.Value) -> ir.Value:
    """``x < y ? x : y`` on floats: ``y`` where either is a NaN. One instruction on x86."""
    return ctx.builder.select(ctx.builder.fcmp_ordered("<", x, y), x, y)


def magnitude(ctx: BodyContext, x: ir.Value) -> ir.Value:
    """A ``float`` or ``double`` without its sign."""
    return intrinsic(ctx, "llvm.fabs", x)


def is_nan(ctx: BodyContext, x: ir.Value) -> ir.Value:
    """Whether a ``float`` or ``double`` is a NaN."""
    return ctx.builder.fcmp_unordered("uno", x, x)


def integer(ctx: BodyContext, like: ir.Value, value: int) -> ir.Value:
    """The constant ``value``, modulo its width, of the type of the integer ``like``."""
    element = element_of(like)
    assert isinstance(element, ir.IntType)
    return pattern(ctx, element, value & ((1 << element.width) - 1))


def invert(ctx: BodyContext, x: ir.Value) -> ir.Value:
    """Every bit of an integer or ``i1`` flipped."""
    return ctx.builder.xor(x, integer(ctx, x, -1))


def call_by_lane(ctx: BodyContext, function: ir.Function, operands: Sequence[ir.Value]) -> ir.Value:
    """Call a scalar function on each lane of ``operands``, lane 0 first."""
    builder = ctx.builder
    if ctx.lanes == 1:
        return builder.call(function, operands)
    result: ir.Value = ir.Constant(
        ir.VectorType(function.function_type.return_type, ctx.lanes), ir.Undefined
    )
    for lane in range(ctx.lanes):
        index = ir.Constant(I32, lane)
        value = builder.call(function, [builder.extract_element(x, index) for x in operands])
        result = builder.insert_element(result, value, index)
    return result
