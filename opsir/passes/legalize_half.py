"""The pass ``legalize-half``: arithmetic on f16 and bf16 is carried out in f32.

Owns where the roundings of 16-bit floats stand. Knows no target: a machine with 16-bit arithmetic
would leave the pass out.
"""

from __future__ import annotations

from dataclasses import dataclass

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import Block, Operation, SSAValue
from xdsl.passes import ModulePass

from opsir.diagnostics import fail
from opsir.dialects import editing
from opsir.dialects.opsir import BroadcastOp, CastOp, ElementwiseOp
from opsir.dialects.opsir.types import dtype_of, element_of, type_of, with_element
from opsir.dtypes import F32, DType

_MOVES = "neg abs copysign positive where signbit isnan isinf isfinite"
MOVES = frozenset(_MOVES.split())
"""Ops that look at bits or move them, and so never leave 16 bits: a NaN keeps its bits."""

EXACT = MOVES | {"nextafter", "fma"}
"""Ops that are done in 16 bits; an fma in f32 would round twice."""

FORMS = ("rounded", "wide")


@dataclass(frozen=True)
class LegalizeHalfPass(ModulePass):
    """Compute f16 and bf16 ops in f32 and round each result back.

    Before::

        %s = opsir.add %x, %y : (f16, f16) -> f16
        %r = opsir.mul %s, %s : (f16, f16) -> f16

    After::

        %a = opsir.cast %x : f16 to f32
        %b = opsir.cast %y : f16 to f32
        %c = opsir.add %a, %b : (f32, f32) -> f32
        %s = opsir.cast %c : f32 to f16
        %d = opsir.cast %s : f16 to f32
        %e = opsir.mul %d, %d : (f32, f32) -> f32
        %r = opsir.cast %e : f32 to f16

    With ``intermediates=wide`` the two casts in the middle are left out: a value is rounded where
    it leaves the block (a yield, a return) or where the program casts it.

    Requires: promote-types. Ensures: 16-bit floats occur in casts and in the ops that move bits
    only (neg, abs, where, ...), in nextafter and, when rounded, in fma. Leaves alone, when
    rounded, the functions that ``expand-math`` widens to f64: through f32 they would round twice.
    """

    name = "legalize-half"

    intermediates: str = "rounded"
    """"rounded": bit for bit as op by op; "wide": f32 within a block, rounded at its end."""

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        if self.intermediates not in FORMS:
            given = self.intermediates
            fail(f"legalize-half: intermediates is one of {', '.join(FORMS)}, got '{given}'")
        wide = self.intermediates == "wide"
        for block in editing.blocks_of(op):
            (_Wide(block) if wide else _Rounded(block)).run()


class _Rounded:
    """Each op on its own: widen the operands, compute, round the result."""

    def __init__(self, block: Block) -> None:
        self.block = block
        self.widened: dict[SSAValue, SSAValue] = {}

    def run(self) -> None:
        for op in list(self.block.ops):
            if isinstance(op, ElementwiseOp) and _touches_half(op) and not self._stays(op):
                self._legalize(op)

    def _stays(self, op: ElementwiseOp) -> bool:
        return op.expensive or op.short_name() in EXACT

    def _legalize(self, op: ElementwiseOp) -> None:
        wide = _in_f32(op, [self._widen(operand, op) for operand in op.operands])
        half = half_of(op.result)
        if half is None:
            editing.replace_by_op(op, wide)
            return
        editing.insert_before(wide, op)
        editing.replace_by_op(op, CastOp.of(wide.result, half, like=op))

    def _widen(self, value: SSAValue, user: Operation) -> SSAValue:
        if half_of(value) is None:
            return value
        known = self.widened.get(value)
        if known is None:
            cast = CastOp.of(value, F32, like=user)
            editing.insert_before(cast, user)
            known = self.widened[value] = cast.result
        return known


class _Wide(_Rounded):
    """Keep what ops compute in f32 and round it only for users that must have 16 bits."""

    def __init__(self, block: Block) -> None:
        super().__init__(block)
        self.computed: dict[SSAValue, SSAValue] = {}
        """16-bit results that are still to be rounded, with their f32 value."""
        self.rounded: dict[SSAValue, SSAValue] = {}

    def run(self) -> None:
        replaced: list[Operation] = []
        for op in list(self.block.ops):
            if isinstance(op, ElementwiseOp) and _touches_half(op) and not self._stays(op):
                self._compute(op)
                replaced.append(op)
            elif isinstance(op, BroadcastOp) and op.operand in self.computed:
                self._broadcast(op)
                replaced.append(op)
            elif isinstance(op, CastOp) and op.operand in self.computed:
                op.operands[0] = self.computed[op.operand]
            else:
                for index, operand in enumerate(op.operands):
                    if operand in self.computed:
                        op.operands[index] = self._round(operand)
        for op in reversed(replaced):
            self.block.erase_op(op)

    def _stays(self, op: ElementwiseOp) -> bool:
        """A bit is moved as it is unless it was computed here."""
        name = op.short_name()
        moved = name in MOVES and not any(operand in self.computed for operand in op.operands)
        return moved or name == "nextafter"

    def _compute(self, op: ElementwiseOp) -> None:
        wide = _in_f32(op, [self._widen(operand, op) for operand in op.operands])
        editing.insert_before(wide, op)
        if half_of(op.result) is None:
            op.result.replace_all_uses_with(wide.result)
        else:
            self.computed[op.result] = wide.result

    def _broadcast(self, op: BroadcastOp) -> None:
        target = with_element(op.result.type, type_of(F32))
        axes = None if op.axes is None else op.axis_map()
        wide = BroadcastOp.of(self.computed[op.operand], target, axes=axes, like=op)
        editing.insert_before(wide, op)
        self.computed[op.result] = wide.result

    def _widen(self, value: SSAValue, user: Operation) -> SSAValue:
        return self.computed.get(value) or super()._widen(value, user)

    def _round(self, value: SSAValue) -> SSAValue:
        """The 16-bit form of a computed value, right behind it so that all users can share it."""
        known = self.rounded.get(value)
        if known is None:
            half, wide = half_of(value), self.computed[value]
            assert half is not None
            producer = wide.owner
            assert isinstance(producer, Operation)
            cast = CastOp.of(wide, half, like=producer)
            editing.insert_after(cast, producer)
            cast.result.name_hint = value.name_hint
            known = self.rounded[value] = cast.result
        return known


def half_of(value: SSAValue) -> DType | None:
    """The dtype of a value of f16 or bf16, None for all others."""
    dtype = dtype_of(element_of(value.type))
    return dtype if dtype is not None and dtype.is_half else None


def _touches_half(op: Operation) -> bool:
    return any(half_of(value) is not None for value in (*op.operands, *op.results))


def _in_f32(op: ElementwiseOp, operands: list[SSAValue]) -> ElementwiseOp:
    """``op`` on widened operands, not yet in a block."""
    element = element_of(op.result.type) if half_of(op.result) is None else type_of(F32)
    return type(op).of(operands, with_element(op.result.type, element), like=op)
