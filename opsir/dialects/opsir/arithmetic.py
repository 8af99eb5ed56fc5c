"""Arithmetic, minimum and maximum: one class an op, each a row of facts.

Owns names, rules and algebraic traits; behaviour lives in evaluate and the body emitter.
"""

from __future__ import annotations

from xdsl.irdl import irdl_op_definition

from opsir.dialects.opsir.base import BinaryOp, TernaryOp, UnaryOp
from opsir.promotion import OP_RULES


@irdl_op_definition
class AddOp(BinaryOp):
    """``lhs + rhs``; integers wrap, bools are or-ed."""

    name = "opsir.add"
    rule = OP_RULES["add"]
    commutative = True
    identity = 0
    float_identity = -0.0


@irdl_op_definition
class SubOp(BinaryOp):
    """``lhs - rhs``; integers wrap."""

    name = "opsir.sub"
    rule = OP_RULES["sub"]
    identity = 0
    float_identity = 0.0


@irdl_op_definition
class MulOp(BinaryOp):
    """``lhs * rhs``; integers wrap, bools are and-ed."""

    name = "opsir.mul"
    rule = OP_RULES["mul"]
    commutative = True
    identity = 1
    float_identity = 1.0


@irdl_op_definition
class DivOp(BinaryOp):
    """True division; integers are divided as floats."""

    name = "opsir.div"
    rule = OP_RULES["div"]
    float_identity = 1.0


@irdl_op_definition
class DivTruncOp(BinaryOp):
    """Quotient rounded toward zero, as C divides integers; by 0 it is 0 and raises the flag."""

    name = "opsir.div_trunc"
    rule = OP_RULES["div_trunc"]
    identity = 1
    flags = True


@irdl_op_definition
class DivFloorOp(BinaryOp):
    """Quotient rounded down, as Python divides; an integer by 0 is 0 and raises the flag."""

    name = "opsir.div_floor"
    rule = OP_RULES["div_floor"]
    identity = 1
    flags = True


@irdl_op_definition
class RemOp(BinaryOp):
    """Remainder with the sign of ``lhs``; the partner of div_trunc, exact for floats."""

    name = "opsir.rem"
    rule = OP_RULES["rem"]
    flags = True


@irdl_op_definition
class ModOp(BinaryOp):
    """Remainder with the sign of ``rhs``; the partner of div_floor."""

    name = "opsir.mod"
    rule = OP_RULES["mod"]
    flags = True


@irdl_op_definition
class PowOp(BinaryOp):
    """``lhs`` to the power ``rhs``; integers wrap and a negative exponent raises the flag."""

    name = "opsir.pow"
    rule = OP_RULES["pow"]
    expensive = True
    flags = True


@irdl_op_definition
class NegOp(UnaryOp):
    """``-operand``; the smallest integer wraps to itself, a NaN keeps its bits."""

    name = "opsir.neg"
    rule = OP_RULES["neg"]
    involution = True


@irdl_op_definition
class AbsOp(UnaryOp):
    """Magnitude; the smallest integer wraps to itself."""

    name = "opsir.abs"
    rule = OP_RULES["abs"]
    idempotent = True


@irdl_op_definition
class SignOp(UnaryOp):
    """-1, 0 or 1; NaN stays NaN and both zeros give +0."""

    name = "opsir.sign"
    rule = OP_RULES["sign"]


@irdl_op_definition
class PositiveOp(UnaryOp):
    """The operand itself."""

    name = "opsir.positive"
    rule = OP_RULES["positive"]


@irdl_op_definition
class SquareOp(UnaryOp):
    """``operand * operand``."""

    name = "opsir.square"
    rule = OP_RULES["square"]


@irdl_op_definition
class SqrtOp(UnaryOp):
    """Square root, correctly rounded."""

    name = "opsir.sqrt"
    rule = OP_RULES["sqrt"]


@irdl_op_definition
class RsqrtOp(UnaryOp):
    """One over the square root."""

    name = "opsir.rsqrt"
    rule = OP_RULES["rsqrt"]
    expensive = True
    foldable = False


@irdl_op_definition
class ReciprocalOp(UnaryOp):
    """``1 / operand``; of an integer truncated, of integer 0 it is 0 and raises the flag."""

    name = "opsir.reciprocal"
    rule = OP_RULES["reciprocal"]
    flags = True


@irdl_op_definition
class FmaOp(TernaryOp):
    """``first * second + third`` with a single rounding; never formed silently."""

    name = "opsir.fma"
    rule = OP_RULES["fma"]


@irdl_op_definition
class MinimumOp(BinaryOp):
    """The smaller operand; a NaN on either side wins and -0 is less than +0."""

    name = "opsir.minimum"
    rule = OP_RULES["minimum"]
    commutative = True


@irdl_op_definition
class MaximumOp(BinaryOp):
    """The larger operand; a NaN on either side wins and -0 is less than +0."""

    name = "opsir.maximum"
    rule = OP_RULES["maximum"]
    commutative = True


@irdl_op_definition
class FminOp(BinaryOp):
    """The smaller operand; the other one wins over a NaN."""

    name = "opsir.fmin"
    rule = OP_RULES["fmin"]
    commutative = True


@irdl_op_definition
class FmaxOp(BinaryOp):
    """The larger operand; the other one wins over a NaN."""

    name = "opsir.fmax"
    rule = OP_RULES["fmax"]
    commutative = True


@irdl_op_definition
class ClipOp(TernaryOp):
    """``minimum(maximum(first, second), third)``."""

    name = "opsir.clip"
    rule = OP_RULES["clip"]


ARITHMETIC_OPS = (
    AddOp,
    SubOp,
    MulOp,
    DivOp,
    DivTruncOp,
    DivFloorOp,
    RemOp,
    ModOp,
    PowOp,
    NegOp,
    AbsOp,
    SignOp,
    PositiveOp,
    SquareOp,
    SqrtOp,
    RsqrtOp,
    ReciprocalOp,
    FmaOp,
    MinimumOp,
    MaximumOp,
    FminOp,
    FmaxOp,
    ClipOp,
)
