"""The fused region: a group of elementwise ops that becomes one loop nest.

Owns what may be in a group. Why ops are grouped is a pass's business.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Self, cast

from xdsl.dialects.builtin import (
    TensorType,
)
from xdsl.ir import Attribute, Block, Operation, Region, SSAValue
from xdsl.irdl import (
    IRDLOperation,
    irdl_op_definition,
    region_def,
    traits_def,
    var_operand_def,
    var_result_def,
)
from xdsl.parser import Parser
from xdsl.printer import Printer
from xdsl.traits import IsolatedFromAbove, IsTerminator, Pure
from xdsl.utils.exceptions import VerifyException

from opsir.dialects.opsir.base import ElementwiseOp
from opsir.dialects.opsir.broadcast import BroadcastOp
from opsir.dialects.opsir.cast import CastOp
from opsir.dialects.opsir.literal import ScalarOp
from opsir.dialects.opsir.shapes import shape_text
from opsir.dialects.opsir.types import (
    AnyTensor,
)
from opsir.dialects.opsir.views import CopyOp


@irdl_op_definition
class YieldOp(IRDLOperation):
    """Ends a fused region: ``opsir.yield %x, %y : tensor<4xf32>, tensor<4xf32>``."""

    name = "opsir.yield"
    values = var_operand_def()
    traits = traits_def(IsTerminator())

    assembly_format = "attr-dict ($values^ `:` type($values))?"

    def verify_(self) -> None:
        if not isinstance(self.parent_op(), FusedOp):
            raise VerifyException("ends the region of opsir.fused only")


@irdl_op_definition
class FusedOp(IRDLOperation):
    """A group of elementwise ops that becomes one loop nest; several results are allowed.

    The region sees the operands as its block arguments, of the same types, and nothing else.
    All results have one shape.
    """

    name = "opsir.fused"
    inputs = var_operand_def()
    outputs = var_result_def()
    body = region_def("single_block")
    traits = traits_def(Pure(), IsolatedFromAbove())

    @classmethod
    def of(
        cls,
        inputs: Sequence[SSAValue],
        results: Sequence[Attribute],
        body: Region,
        *,
        like: Operation | None = None,
    ) -> Self:
        return cls.create(
            operands=inputs,
            result_types=results,
            regions=[body],
            location=like.location if like is not None else None,
        )

    @property
    def block(self) -> Block:
        return self.body.block

    def verify_(self) -> None:
        inside = tuple(a.type for a in self.block.args)
        outside = tuple(o.type for o in self.inputs)
        if inside != outside:
            raise VerifyException(
                f"the region's arguments must have the operands' types ({_types(outside)}), "
                f"got ({_types(inside)})"
            )
        if not self.outputs:
            raise VerifyException("a fused group yields at least one value")
        for op in self.block.ops:
            if op is not self.block.last_op and not isinstance(op, _IN_GROUP):
                raise VerifyException(f"'{op.name}' cannot be part of a fused group")
        last = self.block.last_op
        if not isinstance(last, YieldOp):
            raise VerifyException("the region must end in opsir.yield")
        yielded = tuple(v.type for v in last.values)
        declared = tuple(r.type for r in self.outputs)
        if yielded != declared:
            raise VerifyException(
                f"yields ({_types(yielded)}), but the results are ({_types(declared)})"
            )
        shapes = {
            cast("AnyTensor", t).get_shape() if isinstance(t, TensorType) else () for t in declared
        }
        if len(shapes) > 1:
            raise VerifyException(
                "all results of a group have one shape, got "
                + " and ".join(sorted(map(shape_text, shapes)))
            )

    def print(self, printer: Printer) -> None:
        with printer.in_parens():
            printer.print_list(self.inputs, printer.print_ssa_value)
        printer.print_op_attributes(self.attributes)
        printer.print_string(" : ")
        printer.print_operation_type(self)
        printer.print_string(" ")
        printer.print_region(self.body)

    @classmethod
    def parse(cls, parser: Parser) -> Self:
        position = parser.pos
        names = parser.parse_comma_separated_list(
            parser.Delimiter.PAREN, parser.parse_unresolved_operand
        )
        attributes = parser.parse_optional_attr_dict()
        parser.parse_punctuation(":")
        signature = parser.parse_function_type()
        operands = parser.resolve_operands(names, signature.inputs.data, position)
        op = cls.of(operands, signature.outputs.data, parser.parse_region())
        op.attributes.update(attributes)
        return op


_IN_GROUP: tuple[type[Operation], ...] = (
    ElementwiseOp,
    BroadcastOp,
    CastOp,
    CopyOp,
    ScalarOp,
)
"""What a fused region may hold besides its terminator."""


def _types(types: Sequence[Attribute]) -> str:
    return ", ".join(map(str, types))
