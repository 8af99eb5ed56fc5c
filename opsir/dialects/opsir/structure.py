"""Ops that move values without computing: broadcast, cast, dim, size checks and the fused region.

Owns how shapes and dtypes change in IR. Knows no pass.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from typing import Self, cast

from xdsl.dialects.builtin import (
    ArrayAttr,
    DenseArrayBase,
    IntegerAttr,
    IntegerType,
    StringAttr,
    TensorType,
    UnrankedTensorType,
    i64,
)
from xdsl.interfaces import HasFolderInterface
from xdsl.ir import Attribute, Block, Operation, Region, SSAValue
from xdsl.irdl import (
    IRDLOperation,
    irdl_op_definition,
    operand_def,
    opt_prop_def,
    prop_def,
    region_def,
    result_def,
    traits_def,
    var_operand_def,
    var_result_def,
)
from xdsl.parser import Parser
from xdsl.printer import Printer
from xdsl.traits import IsolatedFromAbove, IsTerminator, Pure
from xdsl.utils.exceptions import VerifyException

from opsir.casts import can_cast, is_exact
from opsir.dialects.opsir.base import INFER, ElementwiseOp, ScalarOp, constant_value
from opsir.dialects.opsir.shapes import DYNAMIC, MAX_RANK, shape_text
from opsir.dialects.opsir.types import (
    AnyTensor,
    WeakType,
    dtype_of,
    element_of,
    is_tensor,
    number,
    type_of,
    with_element,
)
from opsir.dtypes import DType
from opsir.evaluate import cast as evaluate_cast


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


@irdl_op_definition
class CastOp(IRDLOperation, HasFolderInterface):
    """Convert elements to another dtype: ``%y = opsir.cast %x : tensor<4xf32> to tensor<4xi8>``.

    Floats to integers truncate and saturate, NaN gives 0; integers wrap; floats round once. With
    ``{casting = "same_kind"}`` the conversion is checked once ``promote-types`` knows the dtypes.
    """

    name = "opsir.cast"
    operand = operand_def()
    casting = opt_prop_def(StringAttr)
    result = result_def()
    traits = traits_def(Pure())

    @classmethod
    def of(
        cls,
        operand: SSAValue,
        dtype: DType,
        *,
        like: Operation | None = None,
        casting: str | None = None,
    ) -> Self:
        """Cast ``operand`` to ``dtype``; ``like`` supplies the location."""
        properties: dict[str, Attribute] = {}
        if casting is not None:
            properties["casting"] = StringAttr(casting)
        return cls.create(
            operands=[operand],
            properties=properties,
            result_types=[with_element(operand.type, type_of(dtype))],
            location=like.location if like is not None else None,
        )

    def verify_(self) -> None:
        source, target = self.operand.type, self.result.type
        if dtype_of(element_of(target)) is None:
            raise VerifyException(f"expected a result of a known dtype, got {target}")
        element = element_of(source)
        known = dtype_of(element) is not None or element == INFER
        if not known and not (isinstance(element, WeakType) and not is_tensor(source)):
            raise VerifyException(f"cannot cast from {source}")
        if is_tensor(source) != is_tensor(target) or (
            isinstance(source, TensorType)
            and isinstance(target, TensorType)
            and cast("AnyTensor", source).get_shape() != cast("AnyTensor", target).get_shape()
        ):
            raise VerifyException(f"keeps the shape of {source}, got a result {target}")
        self._verify_casting()

    def _verify_casting(self) -> None:
        if self.casting is None:
            return
        if self.casting.data not in ("same_kind", "safe"):
            raise VerifyException(f'casting is "same_kind" or "safe", got "{self.casting.data}"')
        source, target = (
            dtype_of(element_of(self.operand.type)),
            dtype_of(element_of(self.result.type)),
        )
        if source and target and not can_cast(source, target, self.casting.data):
            raise VerifyException(
                f"cannot cast {source} to {target} under casting {self.casting.data}"
            )

    def fold(self) -> Sequence[SSAValue | Attribute] | None:
        if self.operand.type == self.result.type:
            return [self.operand]
        inner = self.operand.owner
        source = dtype_of(element_of(self.operand.type))
        if isinstance(inner, CastOp) and inner.operand.type == self.result.type and source:
            origin = dtype_of(element_of(inner.operand.type))
            # There and back is the identity only where every value survives the way there.
            if origin is not None and is_exact(origin, source) and not origin.is_float:
                return [inner.operand]
        value, target = constant_value(self.operand), dtype_of(self.result.type)
        if value is None or target is None:
            return None
        converted = evaluate_cast(value, target)
        return None if converted != converted else [number(converted, target)]

    def print(self, printer: Printer) -> None:
        printer.print_string(" ")
        printer.print_ssa_value(self.operand)
        shown = dict(self.attributes)
        if self.casting is not None:
            shown["casting"] = self.casting
        printer.print_op_attributes(shown)
        printer.print_string(" : ")
        printer.print_attribute(self.operand.type)
        printer.print_string(" to ")
        printer.print_attribute(self.result.type)

    @classmethod
    def parse(cls, parser: Parser) -> Self:
        name = parser.parse_unresolved_operand()
        attributes = parser.parse_optional_attr_dict()
        parser.parse_punctuation(":")
        source = parser.parse_type()
        parser.parse_characters("to")
        target = parser.parse_type()
        casting = attributes.pop("casting", None)
        if casting is not None and not isinstance(casting, StringAttr):
            parser.raise_error('casting is a string, "same_kind" or "safe"')
        return cls.create(
            operands=[parser.resolve_operand(name, source)],
            properties={} if casting is None else {"casting": casting},
            attributes=attributes,
            result_types=[target],
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


_IN_GROUP: tuple[type[Operation], ...] = (ElementwiseOp, BroadcastOp, CastOp, ScalarOp)
"""What a fused region may hold besides its terminator."""


def _types(types: Sequence[Attribute]) -> str:
    return ", ".join(map(str, types))


STRUCTURE_OPS = (BroadcastOp, CastOp, DimOp, RequireEqualOp, YieldOp, FusedOp)
