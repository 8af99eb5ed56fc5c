"""Transcendental functions and activations: one class an op, each a row of facts.

None of them folds: their digits belong to the accuracy tier, so only their expansion does.
"""

from __future__ import annotations

from opsir.dialects.opsir.base import BinaryOp, UnaryOp, elementwise


@elementwise(expensive=True, foldable=False)
class ExpOp(UnaryOp):
    """e to the power of the operand."""

    name = "opsir.exp"


@elementwise(expensive=True, foldable=False)
class Exp2Op(UnaryOp):
    """2 to the power of the operand."""

    name = "opsir.exp2"


@elementwise(expensive=True, foldable=False)
class Expm1Op(UnaryOp):
    """``exp(operand) - 1`` without cancellation."""

    name = "opsir.expm1"


@elementwise(expensive=True, foldable=False)
class LogOp(UnaryOp):
    """Natural logarithm."""

    name = "opsir.log"


@elementwise(expensive=True, foldable=False)
class Log2Op(UnaryOp):
    """Logarithm to base 2."""

    name = "opsir.log2"


@elementwise(expensive=True, foldable=False)
class Log10Op(UnaryOp):
    """Logarithm to base 10."""

    name = "opsir.log10"


@elementwise(expensive=True, foldable=False)
class Log1pOp(UnaryOp):
    """``log(1 + operand)`` without cancellation."""

    name = "opsir.log1p"


@elementwise(expensive=True, foldable=False)
class SinOp(UnaryOp):
    """Sine of an angle in radians."""

    name = "opsir.sin"


@elementwise(expensive=True, foldable=False)
class CosOp(UnaryOp):
    """Cosine of an angle in radians."""

    name = "opsir.cos"


@elementwise(expensive=True, foldable=False)
class TanOp(UnaryOp):
    """Tangent of an angle in radians."""

    name = "opsir.tan"


@elementwise(expensive=True, foldable=False)
class AsinOp(UnaryOp):
    """Inverse sine, in radians."""

    name = "opsir.asin"


@elementwise(expensive=True, foldable=False)
class AcosOp(UnaryOp):
    """Inverse cosine, in radians."""

    name = "opsir.acos"


@elementwise(expensive=True, foldable=False)
class AtanOp(UnaryOp):
    """Inverse tangent, in radians."""

    name = "opsir.atan"


@elementwise(expensive=True, foldable=False)
class Atan2Op(BinaryOp):
    """Angle of the point (x = ``rhs``, y = ``lhs``), in radians."""

    name = "opsir.atan2"


@elementwise(expensive=True, foldable=False)
class SinhOp(UnaryOp):
    """Hyperbolic sine."""

    name = "opsir.sinh"


@elementwise(expensive=True, foldable=False)
class CoshOp(UnaryOp):
    """Hyperbolic cosine."""

    name = "opsir.cosh"


@elementwise(expensive=True, foldable=False)
class TanhOp(UnaryOp):
    """Hyperbolic tangent."""

    name = "opsir.tanh"


@elementwise(expensive=True, foldable=False)
class AsinhOp(UnaryOp):
    """Inverse hyperbolic sine."""

    name = "opsir.asinh"


@elementwise(expensive=True, foldable=False)
class AcoshOp(UnaryOp):
    """Inverse hyperbolic cosine."""

    name = "opsir.acosh"


@elementwise(expensive=True, foldable=False)
class AtanhOp(UnaryOp):
    """Inverse hyperbolic tangent."""

    name = "opsir.atanh"


@elementwise(expensive=True, foldable=False)
class CbrtOp(UnaryOp):
    """Cube root."""

    name = "opsir.cbrt"


@elementwise(expensive=True, foldable=False)
class ErfOp(UnaryOp):
    """Error function."""

    name = "opsir.erf"


@elementwise(expensive=True, foldable=False)
class ErfcOp(UnaryOp):
    """Complementary error function."""

    name = "opsir.erfc"


@elementwise(expensive=True, foldable=False)
class SigmoidOp(UnaryOp):
    """``1 / (1 + exp(-x))``."""

    name = "opsir.sigmoid"


@elementwise(expensive=True, foldable=False)
class SoftplusOp(UnaryOp):
    """``log(1 + exp(x))``."""

    name = "opsir.softplus"


@elementwise(idempotent=True)
class ReluOp(UnaryOp):
    """``maximum(operand, 0)``."""

    name = "opsir.relu"


@elementwise(expensive=True, foldable=False)
class SiluOp(UnaryOp):
    """``x * sigmoid(x)``."""

    name = "opsir.silu"


@elementwise(expensive=True, foldable=False)
class GeluOp(UnaryOp):
    """``x * erfc(-x / sqrt(2)) / 2``."""

    name = "opsir.gelu"


@elementwise(expensive=True, foldable=False)
class GeluTanhOp(UnaryOp):
    """``x / 2 * (1 + tanh(sqrt(2 / pi) * (x + 0.044715 * x**3)))``."""

    name = "opsir.gelu_tanh"


FUNCTION_OPS = (
    ExpOp,
    Exp2Op,
    Expm1Op,
    LogOp,
    Log2Op,
    Log10Op,
    Log1pOp,
    SinOp,
    CosOp,
    TanOp,
    AsinOp,
    AcosOp,
    AtanOp,
    Atan2Op,
    SinhOp,
    CoshOp,
    TanhOp,
    AsinhOp,
    AcoshOp,
    AtanhOp,
    CbrtOp,
    ErfOp,
    ErfcOp,
    SigmoidOp,
    SoftplusOp,
    ReluOp,
    SiluOp,
    GeluOp,
    GeluTanhOp,
)
