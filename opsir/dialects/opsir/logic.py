"""Comparisons, logic, bits and selection: one class an op, each a row of facts.

Owns names, rules and algebraic traits; behaviour lives in evaluate and the body emitter.
"""

from __future__ import annotations

from opsir.dialects.opsir.base import BinaryOp, TernaryOp, UnaryOp, elementwise


@elementwise(commutative=True)
class EqOp(BinaryOp):
    """Equal; exact between integers of any signedness."""

    name = "opsir.eq"


@elementwise(commutative=True)
class NeOp(BinaryOp):
    """Not equal; true where an operand is NaN."""

    name = "opsir.ne"


@elementwise()
class LtOp(BinaryOp):
    """Less; false where an operand is NaN."""

    name = "opsir.lt"


@elementwise()
class LeOp(BinaryOp):
    """Less or equal; false where an operand is NaN."""

    name = "opsir.le"


@elementwise()
class GtOp(BinaryOp):
    """Greater; false where an operand is NaN."""

    name = "opsir.gt"


@elementwise()
class GeOp(BinaryOp):
    """Greater or equal; false where an operand is NaN."""

    name = "opsir.ge"


@elementwise(commutative=True)
class LogicalAndOp(BinaryOp):
    """Both operands are true."""

    name = "opsir.logical_and"


@elementwise(commutative=True)
class LogicalOrOp(BinaryOp):
    """At least one operand is true."""

    name = "opsir.logical_or"


@elementwise(commutative=True)
class LogicalXorOp(BinaryOp):
    """Exactly one operand is true."""

    name = "opsir.logical_xor"


@elementwise(involution=True)
class LogicalNotOp(UnaryOp):
    """The operand is false."""

    name = "opsir.logical_not"


@elementwise(commutative=True, identity=-1)
class BitwiseAndOp(BinaryOp):
    """Bits set in both operands."""

    name = "opsir.bitwise_and"


@elementwise(commutative=True, identity=0)
class BitwiseOrOp(BinaryOp):
    """Bits set in either operand."""

    name = "opsir.bitwise_or"


@elementwise(commutative=True, identity=0)
class BitwiseXorOp(BinaryOp):
    """Bits set in exactly one operand."""

    name = "opsir.bitwise_xor"


@elementwise(involution=True)
class BitwiseNotOp(UnaryOp):
    """All bits inverted; of a bool, logical not."""

    name = "opsir.bitwise_not"


@elementwise(identity=0)
class ShiftLeftOp(BinaryOp):
    """``lhs << rhs``; 0 for a count that is negative or at least the width."""

    name = "opsir.shift_left"


@elementwise(identity=0)
class ShiftRightOp(BinaryOp):
    """``lhs >> rhs``; past the width 0, or -1 for a negative ``lhs``."""

    name = "opsir.shift_right"


@elementwise()
class WhereOp(TernaryOp):
    """``second`` where ``first`` is true, else ``third``; keeps the bits of what it selects."""

    name = "opsir.where"


LOGIC_OPS = (
    EqOp,
    NeOp,
    LtOp,
    LeOp,
    GtOp,
    GeOp,
    LogicalAndOp,
    LogicalOrOp,
    LogicalXorOp,
    LogicalNotOp,
    BitwiseAndOp,
    BitwiseOrOp,
    BitwiseXorOp,
    BitwiseNotOp,
    ShiftLeftOp,
    ShiftRightOp,
    WhereOp,
)
