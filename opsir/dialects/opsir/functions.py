"""Transcendental functions and activations: one class an op, each a row of facts.

None of them folds: their digits belong to the accuracy tier, so only their expansion does.
"""

from __future__ import annotations

from xdsl.irdl import irdl_op_definition

from opsir.dialects.opsir.base import BinaryOp, UnaryOp
from opsir.promotion import OP_RULES


@irdl_op_definition
class ExpOp(UnaryOp):
    """e to the power of the operand."""

    name = "opsir.exp"
    rule = OP_RULES["exp"]
    expensive = True
    foldable = False


@irdl_op_definition
class Exp2Op(UnaryOp):
    """2 to the power of the operand."""

    name = "opsir.exp2"
    rule = OP_RULES["exp2"]
    expensive = True
    foldable = False


@irdl_op_definition
class Expm1Op(UnaryOp):
    """``exp(operand) - 1`` without cancellation."""

    name = "opsir.expm1"
    rule = OP_RULES["expm1"]
    expensive = True
    foldable = False


@irdl_op_definition
class LogOp(UnaryOp):
    """Natural logarithm."""

    name = "opsir.log"
    rule = OP_RULES["log"]
    expensive = True
    foldable = False


@irdl_op_definition
class Log2Op(UnaryOp):
    """Logarithm to base 2."""

    name = "opsir.log2"
    rule = OP_RULES["log2"]
    expensive = True
    foldable = False


@irdl_op_definition
class Log10Op(UnaryOp):
    """Logarithm to base 10."""

    name = "opsir.log10"
    rule = OP_RULES["log10"]
    expensive = True
    foldable = False


@irdl_op_definition
class Log1pOp(UnaryOp):
    """``log(1 + operand)`` without cancellation."""

    name = "opsir.log1p"
    rule = OP_RULES["log1p"]
    expensive = True
    foldable = False


@irdl_op_definition
class SinOp(UnaryOp):
    """Sine of an angle in radians."""

    name = "opsir.sin"
    rule = OP_RULES["sin"]
    expensive = True
    foldable = False


@irdl_op_definition
class CosOp(UnaryOp):
    """Cosine of an angle in radians."""

    name = "opsir.cos"
    rule = OP_RULES["cos"]
    expensive = True
    foldable = False


@irdl_op_definition
class TanOp(UnaryOp):
    """Tangent of an angle in radians."""

    name = "opsir.tan"
    rule = OP_RULES["tan"]
    expensive = True
    foldable = False


@irdl_op_definition
class AsinOp(UnaryOp):
    """Inverse sine, in radians."""

    name = "opsir.asin"
    rule = OP_RULES["asin"]
    expensive = True
    foldable = False


@irdl_op_definition
class AcosOp(UnaryOp):
    """Inverse cosine, in radians."""

    name = "opsir.acos"
    rule = OP_RULES["acos"]
    expensive = True
    foldable = False


@irdl_op_definition
class AtanOp(UnaryOp):
    """Inverse tangent, in radians."""

    name = "opsir.atan"
    rule = OP_RULES["atan"]
    expensive = True
    foldable = False


@irdl_op_definition
class Atan2Op(BinaryOp):
    """Angle of the point (x = ``rhs``, y = ``lhs``), in radians."""

    name = "opsir.atan2"
    rule = OP_RULES["atan2"]
    expensive = True
    foldable = False


@irdl_op_definition
class SinhOp(UnaryOp):
    """Hyperbolic sine."""

    name = "opsir.sinh"
    rule = OP_RULES["sinh"]
    expensive = True
    foldable = False


@irdl_op_definition
class CoshOp(UnaryOp):
    """Hyperbolic cosine."""

    name = "opsir.cosh"
    rule = OP_RULES["cosh"]
    expensive = True
    foldable = False


@irdl_op_definition
class TanhOp(UnaryOp):
    """Hyperbolic tangent."""

    name = "opsir.tanh"
    rule = OP_RULES["tanh"]
    expensive = True
    foldable = False


@irdl_op_definition
class AsinhOp(UnaryOp):
    """Inverse hyperbolic sine."""

    name = "opsir.asinh"
    rule = OP_RULES["asinh"]
    expensive = True
    foldable = False


@irdl_op_definition
class AcoshOp(UnaryOp):
    """Inverse hyperbolic cosine."""

    name = "opsir.acosh"
    rule = OP_RULES["acosh"]
    expensive = True
    foldable = False


@irdl_op_definition
class AtanhOp(UnaryOp):
    """Inverse hyperbolic tangent."""

    name = "opsir.atanh"
    rule = OP_RULES["atanh"]
    expensive = True
    foldable = False


@irdl_op_definition
class CbrtOp(UnaryOp):
    """Cube root."""

    name = "opsir.cbrt"
    rule = OP_RULES["cbrt"]
    expensive = True
    foldable = False


@irdl_op_definition
class ErfOp(UnaryOp):
    """Error function."""

    name = "opsir.erf"
    rule = OP_RULES["erf"]
    expensive = True
    foldable = False


@irdl_op_definition
class ErfcOp(UnaryOp):
    """Complementary error function."""

    name = "opsir.erfc"
    rule = OP_RULES["erfc"]
    expensive = True
    foldable = False


@irdl_op_definition
class SigmoidOp(UnaryOp):
    """``1 / (1 + exp(-x))``."""

    name = "opsir.sigmoid"
    rule = OP_RULES["sigmoid"]
    expensive = True
    foldable = False


@irdl_op_definition
class SoftplusOp(UnaryOp):
    """``log(1 + exp(x))``."""

    name = "opsir.softplus"
    rule = OP_RULES["softplus"]
    expensive = True
    foldable = False


@irdl_op_definition
class ReluOp(UnaryOp):
    """``maximum(operand, 0)``."""

    name = "opsir.relu"
    rule = OP_RULES["relu"]
    idempotent = True


@irdl_op_definition
class SiluOp(UnaryOp):
    """``x * sigmoid(x)``."""

    name = "opsir.silu"
    rule = OP_RULES["silu"]
    expensive = True
    foldable = False


@irdl_op_definition
class GeluOp(UnaryOp):
    """``x * erfc(-x / sqrt(2)) / 2``."""

    name = "opsir.gelu"
    rule = OP_RULES["gelu"]
    expensive = True
    foldable = False


@irdl_op_definition
class GeluTanhOp(UnaryOp):
    """``x / 2 * (1 + tanh(sqrt(2 / pi) * (x + 0.044715 * x**3)))``."""

    name = "opsir.gelu_tanh"
    rule = OP_RULES["gelu_tanh"]
    expensive = True
    foldable = False


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
