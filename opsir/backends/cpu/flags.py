"""Error flags of a kernel: accumulated in registers over all lanes, reported once at its end.

Owns where a raised flag is kept while loops run. Knows no op.
"""

from __future__ import annotations

from dataclasses import dataclass, field

from llvmlite import ir

from opsir.abi import FLAGS
from opsir.backends.body.context import I1, I32


@dataclass(slots=True)
class Accumulators:
    """Implements the body emitter's ``FlagSink``.

    A mask is kept at the width of the elements that were compared, so that a loop pays one vector
    OR per raise. Memory slots at the top of the function become registers in ``mem2reg``.
    """

    builder: ir.IRBuilder
    entry: ir.Block
    slots: dict[tuple[str, ir.Type], ir.Value] = field(
        default_factory=dict[tuple[str, ir.Type], ir.Value]
    )

    def raise_if(self, kind: str, mask: ir.Value) -> None:
        """Note that flag ``kind`` is raised wherever ``mask`` is true."""
        kept = _kept_type(mask)
        slot = self._slot(kind, kept)
        wide = mask if kept == mask.type else self.builder.sext(mask, kept)
        self.builder.store(self.builder.or_(self.builder.load(slot, typ=kept), wide), slot)

    def collect(self) -> ir.Value:
        """The flags raised so far, as the i32 that a kernel returns."""
        result: ir.Value = I32(0)
        for (kind, kept), slot in self.slots.items():
            raised = self._any(self.builder.load(slot, typ=kept))
            bit = self.builder.select(raised, I32(FLAGS[kind]), I32(0))
            result = self.builder.or_(result, bit)
        return result

    def _slot(self, kind: str, kept: ir.Type) -> ir.Value:
        slot = self.slots.get((kind, kept))
        if slot is None:
            with self.builder.goto_block(self.entry):
                slot = self.builder.alloca(kept, name=f"raised.{kind}")
                self.builder.store(ir.Constant(kept, None), slot)
            self.slots[kind, kept] = slot
        return slot

    def _any(self, kept: ir.Value) -> ir.Value:
        """Whether any lane is set: the whole vector is compared as one integer."""
        bits = kept
        if isinstance(kept.type, ir.VectorType):
            whole = ir.IntType(kept.type.count * kept.type.element.width)
            bits = self.builder.bitcast(kept, whole)
        return bits if bits.type == I1 else self.builder.icmp_unsigned("!=", bits, bits.type(0))


def _kept_type(mask: ir.Value) -> ir.Type:
    if not isinstance(mask.type, ir.VectorType):
        return mask.type
    width = _compared_width(mask)
    return ir.VectorType(ir.IntType(width), mask.type.count) if width else mask.type


def _compared_width(value: ir.Value) -> int | None:
    """Bits per element of the first comparison that a mask derives from; None for a constant."""
    if not isinstance(value, ir.Instruction):
        return None
    if isinstance(value, ir.CompareInstr):
        element = value.operands[0].type.element
        return element.width if isinstance(element, ir.IntType) else None
    widths = (_compared_width(o) for o in value.operands if o.type == value.type)
    return next((width for width in widths if width), None)
