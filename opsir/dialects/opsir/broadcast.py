"""The broadcast op: repeat a value along new axes and axes of size 1.

Owns the axis map. Copies nothing and knows no memory.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from typing import Self, cast

from xdsl.dialects.builtin import (
    DenseArrayBase,
    IntegerType,
    UnrankedTensorType,
    i64,
)
from xdsl.interfaces import HasFolderInterface
from xdsl.ir import Attribute, Operation, SSAValue
from xdsl.irdl import (
    IRDLOperation,
    irdl_op_definition,
    operand_def,
    opt_prop_def,
    result_def,
    traits_def,
)
from xdsl.parser import Parser
from xdsl.printer import Printer
from xdsl.traits import Pure
from xdsl.utils.exceptions import VerifyException

from opsir.dialects.opsir.shapes import DYNAMIC, MAX_RANK, shape_text
from opsir.dialects.opsir.types import (
    AnyTensor,
    element_of,
    is_tensor,
)


@irdl_op_definition
class BroadcastOp(IRDLOperation, HasFolderInterface):
    """Repeat a value along new axes and axes of size 1; nothing is copied.

    ``%r = opsir.broadcast %v : tensor<3xf32> to tensor<2x3xf32>`` aligns on the right;
    ``opsir.broadcast %v axes [1] : tensor<3xf32> to tensor<2x3x4x4xf32>`` ties operand axis i to
    result axis ``axes[i]``. A scalar operand fills the result.
    """

    name = "opsir.broadcast"
    operand = operand_def()
    axes = opt_prop_def(DenseArrayBase[IntegerType])
    result = result_def()
    traits = traits_def(Pure())

    @classmethod
    def of(
        cls,
        operand: SSAValue,
        result: Attribute,
        *,
        axes: Sequence[int] | None = None,
        like: Operation | None = None,
    ) -> Self:
        """Broadcast ``operand`` to the type ``result``; ``like`` supplies the location."""
        properties: dict[str, Attribute] = {}
        if axes is not None:
            properties["axes"] = DenseArrayBase.from_list(i64, list(axes))
        return cls.create(
            operands=[operand],
            properties=properties,
            result_types=[result],
            location=like.location if like is not None else None,
        )

    def axis_map(self) -> tuple[int, ...]:
        """For each operand axis the result axis it becomes; only when both ranks are known."""
        if self.axes is not None:
            return tuple(int(a) for a in self.axes.iter_values())
        if not is_tensor(self.operand.type):
            return ()
        rank = cast("AnyTensor", self.operand.type).get_num_dims()
        offset = cast("AnyTensor", self.result.type).get_num_dims() - rank
        return tuple(range(offset, offset + rank))

    def verify_(self) -> None:
        operand, result = self.operand.type, self.result.type
        if not is_tensor(result):
            raise VerifyException(f"expected a tensor as result, got {result}")
        if element_of(operand) != element_of(result):
            raise VerifyException(
                f"keeps the element type {element_of(operand)}, got a result of {result}"
            )
        if not isinstance(operand, UnrankedTensorType) and not isinstance(
            result, UnrankedTensorType
        ):
            self._verify_axes(
                cast("AnyTensor", operand).get_shape() if is_tensor(operand) else (),
                cast("AnyTensor", result).get_shape(),
            )

    def _verify_axes(self, source: tuple[int, ...], target: tuple[int, ...]) -> None:
        if len(target) > MAX_RANK:
            raise VerifyException(f"rank {len(target)} is above the limit of {MAX_RANK}")
        if len(source) > len(target):
            raise VerifyException(
                f"cannot broadcast shape {shape_text(source)} to the lower rank "
                f"{shape_text(target)}"
            )
        axes = self.axis_map()
        rising = all(a < b for a, b in pairwise(axes))
        if len(axes) != len(source) or not rising or not all(0 <= a < len(target) for a in axes):
            raise VerifyException(
                f"axes {list(axes)} must name one result axis, in rising order below "
                f"{len(target)}, for each of the {len(source)} operand axes"
            )
        for axis, size in zip(axes, source, strict=True):
            if size != 1 and size != target[axis] and DYNAMIC not in (size, target[axis]):
                raise VerifyException(
                    f"shape {shape_text(source)} does not broadcast to {shape_text(target)}: "
                    f"axis {axis} has size {size}, expected 1 or {target[axis]}"
                )

    def fold(self) -> Sequence[SSAValue | Attribute] | None:
        return [self.operand] if self.operand.type == self.result.type else None

    def print(self, printer: Printer) -> None:
        printer.print_string(" ")
        printer.print_ssa_value(self.operand)
        if self.axes is not None:
            printer.print_string(" axes [" + ", ".join(map(str, self.axis_map())) + "]")
        printer.print_op_attributes(self.attributes)
        printer.print_string(" : ")
        printer.print_attribute(self.operand.type)
        printer.print_string(" to ")
        printer.print_attribute(self.result.type)

    @classmethod
    def parse(cls, parser: Parser) -> Self:
        name = parser.parse_unresolved_operand()
        axes: list[int] | None = None
        if parser.parse_optional_keyword("axes"):
            axes = parser.parse_comma_separated_list(
                parser.Delimiter.SQUARE,
                lambda: parser.parse_integer(allow_boolean=False, allow_negative=False),
            )
            if any(a >= MAX_RANK for a in axes):
                parser.raise_error(f"an axis is below the rank limit of {MAX_RANK}")
        attributes = parser.parse_optional_attr_dict()
        parser.parse_punctuation(":")
        source = parser.parse_type()
        parser.parse_characters("to")
        target = parser.parse_type()
        op = cls.of(parser.resolve_operand(name, source), target, axes=axes)
        op.attributes.update(attributes)
        return op
