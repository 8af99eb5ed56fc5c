"""The pass ``expand-ops``: ops that are defined by other ops are written as those.

Owns the definitions that hold bit for bit. Knows no target: functions that need a library or a
polynomial are ``expand-math``'s.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import Operation, SSAValue
from xdsl.passes import ModulePass

from opsir.dialects import editing
from opsir.dialects.opsir import BY_NAME, ElementwiseOp, ScalarOp


@dataclass(frozen=True)
class ExpandOpsPass(ModulePass):
    """Rewrite ``square``, ``reciprocal`` of floats, ``relu`` and ``clip`` into simpler ops.

    Before::

        %r = opsir.clip %x, %lo, %hi : (f32, f32, f32) -> f32
        %s = opsir.square %r : (f32) -> f32

    After::

        %m = opsir.maximum %x, %lo : (f32, f32) -> f32
        %r = opsir.minimum %m, %hi : (f32, f32) -> f32
        %s = opsir.mul %r, %r : (f32, f32) -> f32

    These are definitions, not approximations: no bit changes. What follows (legalize-half, the
    emitters of all targets) then has fewer ops to get right. Works on tensors and scalars.

    Requires: promote-types. Ensures: none of these ops is left, save ``reciprocal`` of integers,
    which has an error flag of its own.
    """

    name = "expand-ops"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        for block in editing.blocks_of(op):
            for inner in list(block.ops):
                expansion = _EXPANSIONS.get(inner.name)
                if expansion is not None and isinstance(inner, ElementwiseOp):
                    expansion(inner)


def _square(op: ElementwiseOp) -> None:
    (x,) = op.operands
    _finish(op, "mul", (x, x))


def _relu(op: ElementwiseOp) -> None:
    (x,) = op.operands
    _finish(op, "maximum", (x, _literal(op, 0)))


def _reciprocal(op: ElementwiseOp) -> None:
    (x,) = op.operands
    if op.result_dtype().is_float:
        _finish(op, "div", (_literal(op, 1), x))


def _clip(op: ElementwiseOp) -> None:
    x, low, high = op.operands
    raised = BY_NAME["maximum"].of((x, low), like=op)
    editing.insert_before(raised, op)
    _finish(op, "minimum", (raised.result, high))


_EXPANSIONS: dict[str, Callable[[ElementwiseOp], None]] = {
    "opsir.square": _square,
    "opsir.relu": _relu,
    "opsir.reciprocal": _reciprocal,
    "opsir.clip": _clip,
}


def _finish(op: Operation, name: str, operands: tuple[SSAValue, ...]) -> None:
    editing.replace_by_op(op, BY_NAME[name].of(operands, op.results[0].type, like=op))


def _literal(op: ElementwiseOp, value: int) -> SSAValue:
    literal = ScalarOp.make(value, op.result_dtype(), like=op)
    editing.insert_before(literal, op)
    return literal.result
