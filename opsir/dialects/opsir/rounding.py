"""Rounding, predicates and float manipulation: one class an op, each a row of facts.

Owns names, rules and algebraic traits; behaviour lives in evaluate and the body emitter.
"""

from __future__ import annotations

from xdsl.irdl import irdl_op_definition

from opsir.dialects.opsir.base import BinaryOp, UnaryOp
from opsir.promotion import OP_RULES


@irdl_op_definition
class FloorOp(UnaryOp):
    """Largest integer not above the operand; integers pass through."""

    name = "opsir.floor"
    rule = OP_RULES["floor"]
    idempotent = True


@irdl_op_definition
class CeilOp(UnaryOp):
    """Smallest integer not below the operand; integers pass through."""

    name = "opsir.ceil"
    rule = OP_RULES["ceil"]
    idempotent = True


@irdl_op_definition
class TruncOp(UnaryOp):
    """The operand rounded toward zero; integers pass through."""

    name = "opsir.trunc"
    rule = OP_RULES["trunc"]
    idempotent = True


@irdl_op_definition
class RintOp(UnaryOp):
    """Nearest integer, ties to even."""

    name = "opsir.rint"
    rule = OP_RULES["rint"]
    idempotent = True


@irdl_op_definition
class RoundOp(UnaryOp):
    """Nearest integer, ties away from zero."""

    name = "opsir.round"
    rule = OP_RULES["round"]
    idempotent = True


@irdl_op_definition
class IsnanOp(UnaryOp):
    """True for a NaN."""

    name = "opsir.isnan"
    rule = OP_RULES["isnan"]


@irdl_op_definition
class IsinfOp(UnaryOp):
    """True for either infinity."""

    name = "opsir.isinf"
    rule = OP_RULES["isinf"]


@irdl_op_definition
class IsfiniteOp(UnaryOp):
    """True for neither infinity nor NaN."""

    name = "opsir.isfinite"
    rule = OP_RULES["isfinite"]


@irdl_op_definition
class SignbitOp(UnaryOp):
    """The sign bit, of zeros and NaNs too."""

    name = "opsir.signbit"
    rule = OP_RULES["signbit"]


@irdl_op_definition
class CopysignOp(BinaryOp):
    """Magnitude of ``lhs``, sign bit of ``rhs``."""

    name = "opsir.copysign"
    rule = OP_RULES["copysign"]


@irdl_op_definition
class HypotOp(BinaryOp):
    """``sqrt(lhs**2 + rhs**2)`` without overflow on the way."""

    name = "opsir.hypot"
    rule = OP_RULES["hypot"]
    commutative = True
    expensive = True
    foldable = False


@irdl_op_definition
class HeavisideOp(BinaryOp):
    """0 below zero, 1 above, ``rhs`` at zero; NaN stays NaN."""

    name = "opsir.heaviside"
    rule = OP_RULES["heaviside"]


@irdl_op_definition
class NextafterOp(BinaryOp):
    """The next float after ``lhs`` toward ``rhs``."""

    name = "opsir.nextafter"
    rule = OP_RULES["nextafter"]


ROUNDING_OPS = (
    FloorOp,
    CeilOp,
    TruncOp,
    RintOp,
    RoundOp,
    IsnanOp,
    IsinfOp,
    IsfiniteOp,
    SignbitOp,
    CopysignOp,
    HypotOp,
    HeavisideOp,
    NextafterOp,
)
