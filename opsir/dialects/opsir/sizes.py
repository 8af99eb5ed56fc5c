"""Ops about sizes known at run time: asking for one, and requiring two to agree.

Knows no broadcast rule: ``infer-shapes`` decides what must agree.
"""

from __future__ import annotations

from typing import Self, cast

from xdsl.dialects.builtin import (
    ArrayAttr,
    IntegerAttr,
    TensorType,
    UnrankedTensorType,
    i64,
)
from xdsl.ir import Operation, SSAValue
from xdsl.irdl import (
    IRDLOperation,
    irdl_op_definition,
    operand_def,
    prop_def,
    result_def,
    traits_def,
)
from xdsl.parser import Parser
from xdsl.printer import Printer
from xdsl.traits import Pure
from xdsl.utils.exceptions import VerifyException

from opsir.dialects.opsir.shapes import MAX_RANK
from opsir.dialects.opsir.types import (
    AnyTensor,
)


@irdl_op_definition
class DimOp(IRDLOperation):
    """The size of one axis as an i64 scalar: ``%n = opsir.dim %a, 0 : tensor<?x4xf32>``."""

    name = "opsir.dim"
    operand = operand_def()
    axis = prop_def(IntegerAttr)
    result = result_def(i64)
    traits = traits_def(Pure())

    @classmethod
    def of(cls, operand: SSAValue, axis: int, *, like: Operation | None = None) -> Self:
        return cls.create(
            operands=[operand],
            properties={"axis": IntegerAttr(axis, i64)},
            result_types=[i64],
            location=like.location if like is not None else None,
        )

    def verify_(self) -> None:
        tensor = self.operand.type
        if isinstance(tensor, UnrankedTensorType):
            return
        if not isinstance(tensor, TensorType):
            raise VerifyException(f"expected a tensor, got {tensor}")
        rank, axis = cast("AnyTensor", tensor).get_num_dims(), self.axis.value.data
        if not 0 <= axis < rank:
            raise VerifyException(f"axis {axis} is outside 0 .. {rank - 1} of {tensor}")

    def print(self, printer: Printer) -> None:
        printer.print_string(" ")
        printer.print_ssa_value(self.operand)
        printer.print_string(f", {self.axis.value.data}")
        printer.print_op_attributes(self.attributes)
        printer.print_string(" : ")
        printer.print_attribute(self.operand.type)

    @classmethod
    def parse(cls, parser: Parser) -> Self:
        name = parser.parse_unresolved_operand()
        parser.parse_punctuation(",")
        axis = parser.parse_integer(allow_boolean=False, allow_negative=False)
        if axis >= MAX_RANK:
            parser.raise_error(f"axis {axis} is above the rank limit of {MAX_RANK}")
        attributes = parser.parse_optional_attr_dict()
        parser.parse_punctuation(":")
        op = cls.of(parser.resolve_operand(name, parser.parse_type()), axis)
        op.attributes.update(attributes)
        return op


@irdl_op_definition
class RequireEqualOp(IRDLOperation):
    """A broadcast needs two run-time sizes to agree; checked once per call, at function entry.

    ``opsir.require_equal %a[0], %b[1] : tensor<?xf32>, tensor<4x?xf32>``
    """

    name = "opsir.require_equal"
    lhs = operand_def()
    rhs = operand_def()
    axes = prop_def(ArrayAttr[IntegerAttr])

    @classmethod
    def of(
        cls,
        lhs: SSAValue,
        lhs_axis: int,
        rhs: SSAValue,
        rhs_axis: int,
        *,
        like: Operation | None = None,
    ) -> Self:
        axes = ArrayAttr([IntegerAttr(lhs_axis, i64), IntegerAttr(rhs_axis, i64)])
        return cls.create(
            operands=[lhs, rhs],
            properties={"axes": axes},
            location=like.location if like is not None else None,
        )

    def axis_pair(self) -> tuple[int, int]:
        """The axis of each operand."""
        first, second = self.axes.data
        return first.value.data, second.value.data

    def verify_(self) -> None:
        if len(self.axes.data) != 2:
            raise VerifyException(f"names one axis of each operand, got {len(self.axes.data)}")
        for operand, axis in zip(self.operands, self.axis_pair(), strict=True):
            tensor = operand.type
            if not isinstance(tensor, TensorType):
                raise VerifyException(f"expected a tensor of known rank, got {tensor}")
            rank = cast("AnyTensor", tensor).get_num_dims()
            if not 0 <= axis < rank:
                raise VerifyException(f"axis {axis} is outside 0 .. {rank - 1} of {tensor}")

    def print(self, printer: Printer) -> None:
        printer.print_string(" ")
        for index, (operand, axis) in enumerate(zip(self.operands, self.axis_pair(), strict=True)):
            printer.print_string(", " if index else "")
            printer.print_ssa_value(operand)
            printer.print_string(f"[{axis}]")
        printer.print_op_attributes(self.attributes)
        printer.print_string(" : ")
        printer.print_list([o.type for o in self.operands], printer.print_attribute)

    @classmethod
    def parse(cls, parser: Parser) -> Self:
        lhs = parser.parse_unresolved_operand()
        lhs_axis = _parse_axis(parser)
        parser.parse_punctuation(",")
        rhs = parser.parse_unresolved_operand()
        rhs_axis = _parse_axis(parser)
        attributes = parser.parse_optional_attr_dict()
        parser.parse_punctuation(":")
        lhs_type = parser.parse_type()
        parser.parse_punctuation(",")
        rhs_type = parser.parse_type()
        op = cls.of(
            parser.resolve_operand(lhs, lhs_type),
            lhs_axis,
            parser.resolve_operand(rhs, rhs_type),
            rhs_axis,
        )
        op.attributes.update(attributes)
        return op


def _parse_axis(parser: Parser) -> int:
    with parser.in_square_brackets():
        axis = parser.parse_integer(allow_boolean=False, allow_negative=False)
    if axis >= MAX_RANK:
        parser.raise_error(f"axis {axis} is above the rank limit of {MAX_RANK}")
    return axis
