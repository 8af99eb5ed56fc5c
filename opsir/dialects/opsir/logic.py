"""Comparisons, logic, bits and selection: one class an op, each a row of facts.

Owns names, rules and algebraic traits; behaviour lives in evaluate and the body emitter.
"""

from __future__ import annotations

from xdsl.irdl import irdl_op_definition

from opsir.dialects.opsir.base import BinaryOp, TernaryOp, UnaryOp
from opsir.promotion import OP_RULES


@irdl_op_definition
class EqOp(BinaryOp):
    """Equal; exact between integers of any signedness."""

    name = "opsir.eq"
    rule = OP_RULES["eq"]
    commutative = True


@irdl_op_definition
class NeOp(BinaryOp):
    """Not equal; true where an operand is NaN."""

    name = "opsir.ne"
    rule = OP_RULES["ne"]
    commutative = True


@irdl_op_definition
class LtOp(BinaryOp):
    """Less; false where an operand is NaN."""

    name = "opsir.lt"
    rule = OP_RULES["lt"]


@irdl_op_definition
class LeOp(BinaryOp):
    """Less or equal; false where an operand is NaN."""

    name = "opsir.le"
    rule = OP_RULES["le"]


@irdl_op_definition
class GtOp(BinaryOp):
    """Greater; false where an operand is NaN."""

    name = "opsir.gt"
    rule = OP_RULES["gt"]


@irdl_op_definition
class GeOp(BinaryOp):
    """Greater or equal; false where an operand is NaN."""

    name = "opsir.ge"
    rule = OP_RULES["ge"]


@irdl_op_definition
class LogicalAndOp(BinaryOp):
    """Both operands are true."""

    name = "opsir.logical_and"
    rule = OP_RULES["logical_and"]
    commutative = True


@irdl_op_definition
class LogicalOrOp(BinaryOp):
    """At least one operand is true."""

    name = "opsir.logical_or"
    rule = OP_RULES["logical_or"]
    commutative = True


@irdl_op_definition
class LogicalXorOp(BinaryOp):
    """Exactly one operand is true."""

    name = "opsir.logical_xor"
    rule = OP_RULES["logical_xor"]
    commutative = True


@irdl_op_definition
class LogicalNotOp(UnaryOp):
    """The operand is false."""

    name = "opsir.logical_not"
    rule = OP_RULES["logical_not"]
    involution = True


@irdl_op_definition
class BitwiseAndOp(BinaryOp):
    """Bits set in both operands."""

    name = "opsir.bitwise_and"
    rule = OP_RULES["bitwise_and"]
    commutative = True
    identity = -1


@irdl_op_definition
class BitwiseOrOp(BinaryOp):
    """Bits set in either operand."""

    name = "opsir.bitwise_or"
    rule = OP_RULES["bitwise_or"]
    commutative = True
    identity = 0


@irdl_op_definition
class BitwiseXorOp(BinaryOp):
    """Bits set in exactly one operand."""

    name = "opsir.bitwise_xor"
    rule = OP_RULES["bitwise_xor"]
    commutative = True
    identity = 0


@irdl_op_definition
class BitwiseNotOp(UnaryOp):
    """All bits inverted; of a bool, logical not."""

    name = "opsir.bitwise_not"
    rule = OP_RULES["bitwise_not"]
    involution = True


@irdl_op_definition
class ShiftLeftOp(BinaryOp):
    """``lhs << rhs``; 0 for a count that is negative or at least the width."""

    name = "opsir.shift_left"
    rule = OP_RULES["shift_left"]
    identity = 0


@irdl_op_definition
class ShiftRightOp(BinaryOp):
    """``lhs >> rhs``; past the width 0, or -1 for a negative ``lhs``."""

    name = "opsir.shift_right"
    rule = OP_RULES["shift_right"]
    identity = 0


@irdl_op_definition
class WhereOp(TernaryOp):
    """``second`` where ``first`` is true, else ``third``; keeps the bits of what it selects."""

    name = "opsir.where"
    rule = OP_RULES["where"]


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
