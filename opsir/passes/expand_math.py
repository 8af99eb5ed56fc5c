"""The pass ``expand-math``: functions are computed in f64 and rounded once.

Owns which ops count as functions and writes the definitions of ``opsir.evaluate.composites`` as
ops. Knows no target and no accuracy tier beyond the C library's.
"""

from __future__ import annotations

from dataclasses import dataclass

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import SSAValue
from xdsl.passes import ModulePass

from opsir.dialects import editing
from opsir.dialects.opsir import BY_NAME, CastOp, ElementwiseOp, ScalarOp
from opsir.dialects.opsir.literal import constant_value
from opsir.dialects.opsir.types import type_of, with_element
from opsir.dtypes import BOOL, F64
from opsir.evaluate.composites import COMPOSITES, EXACT_POWERS, POWERS, Step
from opsir.promotion import OP_RULES


@dataclass(frozen=True)
class ExpandMathPass(ModulePass):
    """Widen functions of f16, bf16 and f32 to f64, and write activations as f64 steps.

    Before::

        %r = opsir.exp %x : (f32) -> f32
        %s = opsir.rsqrt %r : (f32) -> f32

    After::

        %a = opsir.cast %x : f32 to f64
        %b = opsir.exp %a : (f64) -> f64
        %r = opsir.cast %b : f64 to f32
        %c = opsir.cast %r : f32 to f64
        %d = opsir.sqrt %c : (f64) -> f64
        %one = opsir.scalar 1.0 : f64
        %e = opsir.div %one, %d : (f64, f64) -> f64
        %s = opsir.cast %e : f64 to f32

    Functions are the float ops marked ``expensive``: exp, log, sin, pow, hypot, erf, the
    activations and their like. Each rounds once, from f64 to its result; the reference computes
    the very same steps. A power with a literal exponent from -4 to 4 is products and a division
    of f64; of f64 itself only where those round once. Works on tensors and scalars.

    Requires: promote-types; for wide intermediates also ``legalize-half``, which must come first
    to keep the results of functions of f16 and bf16 wide. Ensures: functions are of f64 alone,
    activations and rsqrt are gone. Leaves alone pow of integers and all that is exact in f32.
    """

    name = "expand-math"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        for block in editing.blocks_of(op):
            for inner in list(block.ops):
                if isinstance(inner, ElementwiseOp) and inner.expensive:
                    _expand(inner)


def _expand(op: ElementwiseOp) -> None:
    result = op.result_dtype()
    steps = COMPOSITES.get(op.short_name()) or _power_steps(op)
    if not result.is_float or (result is F64 and steps is None):
        return
    if steps is not None:
        value = _Composite(op, _in_f64(op, op.operands[0])).run(steps)
    else:
        operands = [_in_f64(op, operand) for operand in op.operands]
        function = type(op).of(operands, with_element(op.result.type, type_of(F64)), like=op)
        editing.insert_before(function, op)
        value = function.result
    if result is F64:
        editing.replace_by_value(op, value)
    else:
        editing.replace_by_op(op, CastOp.of(value, result, like=op))


def _power_steps(op: ElementwiseOp) -> tuple[Step, ...] | None:
    """The products that a power with a small literal exponent is; None for all other ops."""
    literal = constant_value(op.operands[1]) if op.short_name() == "pow" else None
    if literal is None or literal not in POWERS:
        return None
    exact = op.result_dtype() is not F64 or int(literal) in EXACT_POWERS
    return POWERS[int(literal)] if exact else None


def _in_f64(op: ElementwiseOp, operand: SSAValue) -> SSAValue:
    cast = CastOp.of(operand, F64, like=op)
    if cast.result.type == operand.type:
        cast.erase()
        return operand
    editing.insert_before(cast, op)
    return cast.result


class _Composite:
    """Writes the steps of one activation in front of the op that they replace."""

    def __init__(self, op: ElementwiseOp, x: SSAValue) -> None:
        self.op = op
        self.values: dict[str | float, SSAValue] = {"x": x}

    def run(self, steps: tuple[Step, ...]) -> SSAValue:
        for step in steps:
            dtype = BOOL if OP_RULES[step.op].result == "bool" else F64
            operands = [self._argument(argument) for argument in step.args]
            shaped = with_element(self.op.result.type, type_of(dtype))
            written = BY_NAME[step.op].of(operands, shaped, like=self.op)
            editing.insert_before(written, self.op)
            self.values[step.result] = written.result
        return self.values[steps[-1].result]

    def _argument(self, argument: str | float) -> SSAValue:
        known = self.values.get(argument)
        if known is None:
            literal = ScalarOp.make(argument, F64, like=self.op)
            editing.insert_before(literal, self.op)
            known = self.values[argument] = literal.result
        return known
