"""The emitter's table: one row per op and kind, and the entry that looks them up.

Owns which ops have machine code on which kinds; the key set of ``TABLE`` is that list. Knows no
target: rows ask the machine for its capabilities.
"""

from __future__ import annotations

from collections.abc import Sequence

from llvmlite import ir

from opsir.backends.body import (
    arithmetic,
    division,
    floats,
    libm,
    logic,
    minmax,
    multiply_add,
    power,
    remainder,
    shifts,
)
from opsir.backends.body.casts import emit_cast
from opsir.backends.body.context import BodyContext
from opsir.backends.body.instructions import Rows
from opsir.diagnostics import OpsirNotImplementedError, fail
from opsir.dtypes import BOOL, DType

TABLE: Rows = {
    **arithmetic.ROWS,
    **multiply_add.ROWS,
    **division.ROWS,
    **remainder.ROWS,
    **power.ROWS,
    **logic.ROWS,
    **minmax.ROWS,
    **shifts.ROWS,
    **floats.ROWS,
    **libm.ROWS,
}
"""(op name, kind) to the function that emits it.

A kind is "b", "u", "i", "f" (f32 and f64) or "h" (f16 and bf16), and "iu" or "ui" for a comparison
of integers of different signedness.  The op ``cast`` takes every kind and has no row.
"""

_TO_BOOL = frozenset({"eq", "ne", "lt", "le", "gt", "ge", "isnan", "isinf", "isfinite", "signbit"})


def kind_of(name: str, operands: Sequence[DType]) -> str:
    """The kind under which the table lists op ``name`` on operands of these dtypes."""
    last = operands[-1]
    if len(operands) == 2 and {x.kind for x in operands} == {"u", "i"}:
        return operands[0].kind + last.kind
    return "h" if last.is_half else last.kind


def emit(
    ctx: BodyContext,
    name: str,
    operands: Sequence[ir.Value],
    operand_dtypes: Sequence[DType],
    result: DType,
) -> ir.Value:
    """Emit the op ``name`` and return its value, of dtype ``result``.

    Operands are values of ``operand_dtypes``, the op's compute dtypes, of ``ctx.lanes`` lanes.  An
    op that has no row for their kind is an ``OpsirNotImplementedError``.
    """
    if name == "cast":
        return emit_cast(ctx, operands[0], operand_dtypes[0], result)
    kind = kind_of(name, operand_dtypes)
    row = TABLE.get((name, kind))
    if row is None:
        given = ", ".join(dtype.name for dtype in operand_dtypes)
        fail(f"{name} on ({given}) has no machine code", error=OpsirNotImplementedError)
    value = row(ctx, operands, operand_dtypes[-1])
    return emit_cast(ctx, value, BOOL if name in _TO_BOOL else operand_dtypes[-1], result)
