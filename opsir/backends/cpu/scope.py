"""Values at one place of a loop nest: those computed here, and those that come from outside.

Owns how a scalar from an outer level is seen by vector code. Knows no loop and no memory.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any, cast

from llvmlite import ir
from xdsl.ir import Operation, SSAValue

from opsir.backends.body import emit, emit_cast
from opsir.backends.body.context import BodyContext, constant, splat
from opsir.backends.cpu.program import element_dtype
from opsir.diagnostics import OpsirError
from opsir.dialects.locations import fail_at
from opsir.dialects.opsir.base import ElementwiseOp
from opsir.dialects.opsir.cast import CastOp
from opsir.dialects.opsir.literal import ScalarOp
from opsir.dtypes import DType

Literals = Mapping[SSAValue, tuple[Any, DType]]
"""Values known at compile time: never in a register of their own."""


@dataclass(slots=True)
class Scope:
    """Where ops are emitted over ``ctx.lanes`` lanes.

    A value of an outer scope is one scalar; it must be imported before the loop that uses it.
    """

    ctx: BodyContext
    literals: Literals
    outer: Scope | None = None
    values: dict[SSAValue, ir.Value] = field(default_factory=dict[SSAValue, ir.Value])

    def copy(self) -> Scope:
        """The same values so far; what is emitted in one is not seen in the other."""
        return Scope(self.ctx, self.literals, self.outer, dict(self.values))

    def get(self, value: SSAValue) -> ir.Value:
        """The register that holds ``value`` in every lane of this scope."""
        literal = self.literals.get(value)
        if literal is not None:
            return constant(self.ctx, literal[1], literal[0])
        found = self.values.get(value)
        if found is None:
            assert self.outer is not None
            found = self.values[value] = splat(self.ctx, self.outer.get(value))
        return found

    def import_all(self, values: Iterable[SSAValue]) -> None:
        """Bring values of outer scopes in at the builder's place, in front of a loop."""
        for value in values:
            self.get(value)

    def compute(self, op: Operation) -> None:
        """Emit one op of a kernel's body, unless it is a literal."""
        if isinstance(op, ScalarOp):
            return
        try:
            self.values[op.results[0]] = self._emit(op)
        except OpsirError as error:
            fail_at(op, error.detail, type(error))

    def _emit(self, op: Operation) -> ir.Value:
        operands = [self.get(operand) for operand in op.operands]
        dtypes = [element_dtype(operand) for operand in op.operands]
        result = element_dtype(op.results[0])
        if isinstance(op, CastOp):
            return emit_cast(self.ctx, operands[0], dtypes[0], result)
        name = cast("ElementwiseOp", op).short_name()
        return emit(self.ctx, name, operands, dtypes, result)
