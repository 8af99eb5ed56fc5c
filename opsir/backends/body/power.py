"""Integer powers by squaring, wrapping, one function per type and module.

Owns the loop over the exponent's bits, which lives in a function of its own so that a kernel's body
stays one block, and the meaning of a negative exponent. Powers of floats are the C library's.
"""

from __future__ import annotations

from collections.abc import Sequence

from llvmlite import ir

from opsir.backends.body.context import BodyContext, known_bits
from opsir.backends.body.instructions import Rows, integer, rows
from opsir.dtypes import DType


def _pow(ctx: BodyContext, args: Sequence[ir.Value], dtype: DType) -> ir.Value:
    """A negative exponent is flagged and gives 0, for base 1 and -1 the exact power.

    Those bases depend on the exponent's lowest bit only.
    """
    base, exponent = args
    builder = ctx.builder
    literal = known_bits(ctx, exponent)
    if literal is not None and literal <= dtype.max:
        return _power_by_literal(ctx, base, literal)
    function = _power_function(ctx, base.type)
    if not dtype.is_signed:
        return builder.call(function, [base, exponent])
    negative = builder.icmp_signed("<", exponent, integer(ctx, exponent, 0))
    if ctx.flags is not None:
        ctx.flags.raise_if("negative_power", negative)
    lowest = builder.and_(exponent, integer(ctx, exponent, 1))
    power = builder.call(function, [base, builder.select(negative, lowest, exponent)])
    unit = builder.or_(
        builder.icmp_unsigned("==", base, integer(ctx, base, 1)),
        builder.icmp_unsigned("==", base, integer(ctx, base, -1)),
    )
    vanishes = builder.select(unit, integer(ctx, negative, 0), negative)
    return builder.select(vanishes, integer(ctx, power, 0), power)


def _power_by_literal(ctx: BodyContext, base: ir.Value, exponent: int) -> ir.Value:
    """Squares and products in the order of the exponent's bits, lowest first."""
    power: ir.Value | None = None
    while exponent:
        if exponent & 1:
            power = base if power is None else ctx.builder.mul(power, base)
        exponent >>= 1
        if exponent:
            base = ctx.builder.mul(base, base)
    return integer(ctx, base, 1) if power is None else power


def _power_function(ctx: BodyContext, value: ir.Type) -> ir.Function:
    """The module's function (base, unsigned exponent) -> power on this type."""
    module = ctx.builder.module
    name = f"opsir.pow.{value}".translate({ord(c): None for c in "<> "})
    known = module.globals.get(name)
    if known is not None:
        return known
    function = ir.Function(module, ir.FunctionType(value, [value, value]), name)
    function.linkage = "internal"
    function.attributes.add("nounwind")
    _square_and_multiply(ctx, function)
    return function


def _square_and_multiply(ctx: BodyContext, function: ir.Function) -> None:
    """The function's code: a loop until every lane's exponent has become 0."""
    entry, loop, leave = (function.append_basic_block(n) for n in ("entry", "loop", "leave"))
    ir.IRBuilder(entry).branch(loop)
    builder = ir.IRBuilder(loop)
    value = function.args[0].type
    power, base, exponent = (builder.phi(value) for _ in range(3))
    one, zero = integer(ctx, power, 1), integer(ctx, power, 0)
    set_bit = builder.icmp_unsigned("!=", builder.and_(exponent, one), zero)
    raised = builder.select(set_bit, builder.mul(power, base), power)
    squared, rest = builder.mul(base, base), builder.lshr(exponent, one)
    steps = ((power, one, raised), (base, function.args[0], squared))
    for phi, first, following in (*steps, (exponent, function.args[1], rest)):
        phi.add_incoming(first, entry)
        phi.add_incoming(following, loop)
    width = value.width if ctx.lanes == 1 else value.count * value.element.width
    joined = builder.bitcast(rest, ir.IntType(width))
    builder.cbranch(builder.icmp_unsigned("!=", joined, joined.type(0)), loop, leave)
    ir.IRBuilder(leave).ret(raised)


ROWS: Rows = rows("ui", pow=_pow)
