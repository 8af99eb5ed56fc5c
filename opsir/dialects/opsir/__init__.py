"""The ``opsir`` dialect: whole-array elementwise programs, and the scalar ops of kernel bodies.

This file is its table of contents; ops live beside it by family.
"""

from __future__ import annotations

from xdsl.dialect_interfaces.constant_materialization import ConstantMaterializationInterface
from xdsl.ir import Attribute, Dialect, Operation

from opsir.dialects.opsir.arithmetic import ARITHMETIC_OPS
from opsir.dialects.opsir.base import ElementwiseOp
from opsir.dialects.opsir.broadcast import BroadcastOp
from opsir.dialects.opsir.cast import CastOp
from opsir.dialects.opsir.functions import FUNCTION_OPS
from opsir.dialects.opsir.fused import FusedOp, YieldOp
from opsir.dialects.opsir.layout import LayoutAttr
from opsir.dialects.opsir.literal import ScalarOp
from opsir.dialects.opsir.logic import LOGIC_OPS
from opsir.dialects.opsir.rounding import ROUNDING_OPS
from opsir.dialects.opsir.sizes import DimOp, RequireEqualOp
from opsir.dialects.opsir.types import InferType, NumberAttr, WeakType
from opsir.dialects.opsir.view_text import SizeBindingAttr, ViewAttr
from opsir.dialects.opsir.views import VIEW_OPS, BindSizesOp, CopyOp, ViewOp

__all__ = [
    "BY_NAME",
    "ELEMENTWISE_OPS",
    "BindSizesOp",
    "BroadcastOp",
    "CastOp",
    "CopyOp",
    "DimOp",
    "ElementwiseOp",
    "FusedOp",
    "InferType",
    "LayoutAttr",
    "NumberAttr",
    "Opsir",
    "RequireEqualOp",
    "ScalarOp",
    "ViewOp",
    "WeakType",
    "YieldOp",
]

ELEMENTWISE_OPS: tuple[type[ElementwiseOp], ...] = (
    *ARITHMETIC_OPS,
    *LOGIC_OPS,
    *ROUNDING_OPS,
    *FUNCTION_OPS,
)
"""Every elementwise op, in the order used by generated tables."""

BY_NAME: dict[str, type[ElementwiseOp]] = {op.short_name(): op for op in ELEMENTWISE_OPS}


class _Constants(ConstantMaterializationInterface):
    """Lets xDSL's folder write a folded result as ``opsir.scalar``."""

    def materialize_constant(self, value: Attribute, type: Attribute) -> Operation | None:
        return ScalarOp.literal(value, type) if isinstance(value, NumberAttr) else None


Opsir = Dialect(
    "opsir",
    [
        ScalarOp,
        BroadcastOp,
        CastOp,
        DimOp,
        RequireEqualOp,
        FusedOp,
        YieldOp,
        BindSizesOp,
        CopyOp,
        *VIEW_OPS,
        *ELEMENTWISE_OPS,
    ],
    [WeakType, InferType, LayoutAttr, NumberAttr, SizeBindingAttr, ViewAttr],
    [_Constants()],
)
