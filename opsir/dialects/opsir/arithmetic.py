"""Arithmetic, minimum and maximum: one class an op, each a row of facts.

Owns names, rules and algebraic traits; behaviour lives in evaluate and the body emitter.
"""

from __future__ import annotations

from opsir.dialects.opsir.base import BinaryOp, TernaryOp, UnaryOp, elementwise


@elementwise(commutative=True, identity=0, float_identity=-0.0)
class AddOp(BinaryOp):
    """``lhs + rhs``; integers wrap, bools are or-ed."""

    name = "opsir.add"


@elementwise(identity=0, float_identity=0.0)
class SubOp(BinaryOp):
    """``lhs - rhs``; integers wrap."""

    name = "opsir.sub"


@elementwise(commutative=True, identity=1, float_identity=1.0)
class MulOp(BinaryOp):
    """``lhs * rhs``; integers wrap, bools are and-ed."""

    name = "opsir.mul"


@elementwise(float_identity=1.0)
class DivOp(BinaryOp):
    """True division; integers are divided as floats."""

    name = "opsir.div"


@elementwise(identity=1, flags=True)
class DivTruncOp(BinaryOp):
    """Quotient rounded toward zero, as C divides integers; by 0 it is 0 and raises the flag."""

    name = "opsir.div_trunc"


@elementwise(identity=1, flags=True)
class DivFloorOp(BinaryOp):
    """Quotient rounded down, as Python divides; an integer by 0 is 0 and raises the flag."""

    name = "opsir.div_floor"


@elementwise(flags=True)
class RemOp(BinaryOp):
    """Remainder with the sign of ``lhs``; the partner of div_trunc, exact for floats."""

    name = "opsir.rem"


@elementwise(flags=True)
class ModOp(BinaryOp):
    """Remainder with the sign of ``rhs``; the partner of div_floor."""

    name = "opsir.mod"


@elementwise(expensive=True, flags=True)
class PowOp(BinaryOp):
    """``lhs`` to the power ``rhs``; integers wrap and a negative exponent raises the flag."""

    name = "opsir.pow"


@elementwise(involution=True)
class NegOp(UnaryOp):
    """``-operand``; the smallest integer wraps to itself, a NaN keeps its bits."""

    name = "opsir.neg"


@elementwise(idempotent=True)
class AbsOp(UnaryOp):
    """Magnitude; the smallest integer wraps to itself."""

    name = "opsir.abs"


@elementwise()
class SignOp(UnaryOp):
    """-1, 0 or 1; NaN stays NaN and both zeros give +0."""

    name = "opsir.sign"


@elementwise()
class PositiveOp(UnaryOp):
    """The operand itself."""

    name = "opsir.positive"


@elementwise()
class SquareOp(UnaryOp):
    """``operand * operand``."""

    name = "opsir.square"


@elementwise()
class SqrtOp(UnaryOp):
    """Square root, correctly rounded."""

    name = "opsir.sqrt"


@elementwise(expensive=True, foldable=False)
class RsqrtOp(UnaryOp):
    """One over the square root."""

    name = "opsir.rsqrt"


@elementwise(flags=True)
class ReciprocalOp(UnaryOp):
    """``1 / operand``; of an integer truncated, of integer 0 it is 0 and raises the flag."""

    name = "opsir.reciprocal"


@elementwise()
class FmaOp(TernaryOp):
    """``first * second + third`` with a single rounding; never formed silently."""

    name = "opsir.fma"


@elementwise(commutative=True)
class MinimumOp(BinaryOp):
    """The smaller operand; a NaN on either side wins and -0 is less than +0."""

    name = "opsir.minimum"


@elementwise(commutative=True)
class MaximumOp(BinaryOp):
    """The larger operand; a NaN on either side wins and -0 is less than +0."""

    name = "opsir.maximum"


@elementwise(commutative=True)
class FminOp(BinaryOp):
    """The smaller operand; the other one wins over a NaN."""

    name = "opsir.fmin"


@elementwise(commutative=True)
class FmaxOp(BinaryOp):
    """The larger operand; the other one wins over a NaN."""

    name = "opsir.fmax"


@elementwise()
class ClipOp(TernaryOp):
    """``minimum(maximum(first, second), third)``."""

    name = "opsir.clip"


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
