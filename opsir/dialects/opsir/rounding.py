"""Rounding, predicates and float manipulation: one class an op, each a row of facts.

Owns names, rules and algebraic traits; behaviour lives in evaluate and the body emitter.
"""

from __future__ import annotations

from opsir.dialects.opsir.base import BinaryOp, UnaryOp, elementwise


@elementwise(idempotent=True)
class FloorOp(UnaryOp):
    """Largest integer not above the operand; integers pass through."""

    name = "opsir.floor"


@elementwise(idempotent=True)
class CeilOp(UnaryOp):
    """Smallest integer not below the operand; integers pass through."""

    name = "opsir.ceil"


@elementwise(idempotent=True)
class TruncOp(UnaryOp):
    """The operand rounded toward zero; integers pass through."""

    name = "opsir.trunc"


@elementwise(idempotent=True)
class RintOp(UnaryOp):
    """Nearest integer, ties to even."""

    name = "opsir.rint"


@elementwise(idempotent=True)
class RoundOp(UnaryOp):
    """Nearest integer, ties away from zero."""

    name = "opsir.round"


@elementwise()
class IsnanOp(UnaryOp):
    """True for a NaN."""

    name = "opsir.isnan"


@elementwise()
class IsinfOp(UnaryOp):
    """True for either infinity."""

    name = "opsir.isinf"


@elementwise()
class IsfiniteOp(UnaryOp):
    """True for neither infinity nor NaN."""

    name = "opsir.isfinite"


@elementwise()
class SignbitOp(UnaryOp):
    """The sign bit, of zeros and NaNs too."""

    name = "opsir.signbit"


@elementwise()
class CopysignOp(BinaryOp):
    """Magnitude of ``lhs``, sign bit of ``rhs``."""

    name = "opsir.copysign"


@elementwise(commutative=True, expensive=True, foldable=False)
class HypotOp(BinaryOp):
    """``sqrt(lhs**2 + rhs**2)`` without overflow on the way."""

    name = "opsir.hypot"


@elementwise()
class HeavisideOp(BinaryOp):
    """0 below zero, 1 above, ``rhs`` at zero; NaN stays NaN."""

    name = "opsir.heaviside"


@elementwise()
class NextafterOp(BinaryOp):
    """The next float after ``lhs`` toward ``rhs``."""

    name = "opsir.nextafter"


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
