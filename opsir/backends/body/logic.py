"""Comparisons, logic on bools and selection.

Owns the rows that are decided by order or truth. Comparisons are ordered (``ne`` unordered), and
integers of different signedness compare by value.
"""

from __future__ import annotations

from collections.abc import Sequence

from llvmlite import ir

from opsir.backends.body.context import BodyContext
from opsir.backends.body.instructions import Row, Rows, integer, invert, rows
from opsir.dtypes import DType

_PREDICATES: dict[str, str] = {
    "eq": "==",
    "ne": "!=",
    "lt": "<",
    "le": "<=",
    "gt": ">",
    "ge": ">=",
}
_MIRRORED: dict[str, str] = {"==": "==", "!=": "!=", "<": ">", "<=": ">=", ">": "<", ">=": "<="}


def _compare(predicate: str) -> Row:
    """Operands of one dtype."""

    def emit(ctx: BodyContext, args: Sequence[ir.Value], dtype: DType) -> ir.Value:
        builder = ctx.builder
        if not dtype.is_float:
            compare = builder.icmp_signed if dtype.is_signed else builder.icmp_unsigned
        elif predicate == "!=":
            compare = builder.fcmp_unordered
        else:
            compare = builder.fcmp_ordered
        return compare(predicate, args[0], args[1])

    return emit


def _compare_by_value(predicate: str, signed: int) -> Row:
    """Operands i64 and u64: number ``signed`` is the signed one.

    A negative value is below every unsigned one; any other compares as if it were unsigned.
    """

    def emit(ctx: BodyContext, args: Sequence[ir.Value], dtype: DType) -> ir.Value:
        builder = ctx.builder
        x, y = args[signed], args[1 - signed]
        order = _MIRRORED[predicate] if signed else predicate
        negative = builder.icmp_signed("<", x, integer(ctx, x, 0))
        unsigned = builder.icmp_unsigned(order, x, y)
        if order in ("<", "<=", "!="):
            return builder.or_(unsigned, negative)
        return builder.and_(unsigned, invert(ctx, negative))

    return emit


def _bool_compare(predicate: str) -> Row:
    """Bools ordered false before true, by logic: one of two operands is inverted at most."""

    def emit(ctx: BodyContext, args: Sequence[ir.Value], dtype: DType) -> ir.Value:
        builder = ctx.builder
        x, y = args if predicate[0] != ">" else (args[1], args[0])
        if predicate == "==":
            return invert(ctx, builder.xor(x, y))
        if predicate == "!=":
            return builder.xor(x, y)
        combine = builder.or_ if predicate.endswith("=") else builder.and_
        return combine(invert(ctx, x), y)

    return emit


def _and(ctx: BodyContext, args: Sequence[ir.Value], dtype: DType) -> ir.Value:
    return ctx.builder.and_(*args)


def _or(ctx: BodyContext, args: Sequence[ir.Value], dtype: DType) -> ir.Value:
    return ctx.builder.or_(*args)


def _xor(ctx: BodyContext, args: Sequence[ir.Value], dtype: DType) -> ir.Value:
    return ctx.builder.xor(*args)


def _not(ctx: BodyContext, args: Sequence[ir.Value], dtype: DType) -> ir.Value:
    return invert(ctx, args[0])


def _where(ctx: BodyContext, args: Sequence[ir.Value], dtype: DType) -> ir.Value:
    condition, x, y = args
    return ctx.builder.select(condition, x, y)


ROWS: Rows = {
    **rows("buifh", where=_where),
    **rows("b", logical_and=_and, logical_or=_or, logical_xor=_xor, logical_not=_not),
    **rows("bui", bitwise_and=_and, bitwise_or=_or, bitwise_xor=_xor, bitwise_not=_not),
}
for _name, _predicate in _PREDICATES.items():
    ROWS.update(rows("uif", **{_name: _compare(_predicate)}))
    ROWS[_name, "b"] = _bool_compare(_predicate)
    ROWS[_name, "iu"] = _compare_by_value(_predicate, signed=0)
    ROWS[_name, "ui"] = _compare_by_value(_predicate, signed=1)
