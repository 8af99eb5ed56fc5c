"""The view ops: other axes for the same elements, and the copy that is asked for by name.

Owns their form and text. What a view does to sizes and strides lies in ``opsir.view``; knows no
pass.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Self, cast

from xdsl.dialects.builtin import TensorType, UnrankedTensorType
from xdsl.ir import Attribute, Operation, SSAValue
from xdsl.irdl import (
    IRDLOperation,
    irdl_op_definition,
    operand_def,
    opt_prop_def,
    prop_def,
    result_def,
    traits_def,
)
from xdsl.parser import Parser
from xdsl.printer import Printer
from xdsl.traits import Pure
from xdsl.utils.exceptions import VerifyException

from opsir.diagnostics import OpsirError
from opsir.dialects.opsir.shapes import DYNAMIC, MAX_RANK
from opsir.dialects.opsir.types import AnyTensor, element_of, is_tensor, layout_of
from opsir.dialects.opsir.view_text import (
    SizeBindingAttr,
    ViewAttr,
    parse_binding,
    parse_rule,
)
from opsir.extent import Extent
from opsir.view import Reshape, ViewRule
from opsir.view_symbols import SizeBinding, sizes_of


class ViewOp(IRDLOperation):
    """Another tensor made of elements of the operand; nothing is computed and nothing is copied.

    Before ``fold-views`` a view may be one of any value. Afterwards it is one of an argument, of a
    result of a kernel, or of another view, and the strides of its type are those in memory.
    """

    operand = operand_def()
    view = opt_prop_def(ViewAttr)
    result = result_def()
    traits = traits_def(Pure())

    @classmethod
    def kind(cls) -> str:
        """The op's name without the dialect: the kind of view."""
        return cls.name.removeprefix("opsir.")

    @property
    def rule(self) -> ViewRule:
        """What the view does, apart from its operand."""
        assert self.view is not None
        return self.view.data

    def verify_(self) -> None:
        operand, result = self.operand.type, self.result.type
        if not is_tensor(operand) or not is_tensor(result):
            raise VerifyException(f"expected tensors, got {operand} and {result}")
        if element_of(operand) != element_of(result):
            raise VerifyException(
                f"keeps the element type {element_of(operand)}, got a result of {result}"
            )
        if not isinstance(self, ReshapeOp) and (self.view is None or self.rule.kind != self.kind()):
            raise VerifyException(f"needs a view of kind {self.kind()}, got {self.view}")
        if isinstance(operand, TensorType) and isinstance(result, TensorType):
            self._verify_sizes(cast("AnyTensor", operand), cast("AnyTensor", result))

    def _verify_sizes(self, operand: AnyTensor, result: AnyTensor) -> None:
        sizes = enumerate(operand.get_shape())
        extents = [Extent(1, (f"_{a}",)) if n == DYNAMIC else Extent(n) for a, n in sizes]
        try:
            found = sizes_of(self.rule, extents)
        except OpsirError as error:
            raise VerifyException(error.detail) from error
        if len(found) > MAX_RANK:
            raise VerifyException(f"rank {len(found)} is above the limit of {MAX_RANK}")
        declared = result.get_shape()
        known = [f is None or not f.is_constant or f.value == n for f, n in zip(found, declared)]
        if len(found) != len(declared) or not all(known):
            shown = ",".join("?" if f is None or f.symbols else str(f) for f in found)
            raise VerifyException(f"declared result {result} is not of the view's shape [{shown}]")

    def print(self, printer: Printer) -> None:
        printer.print_string(" ")
        printer.print_ssa_value(self.operand)
        if self.view is not None:
            printer.print_string(f" {self.rule}")
        printer.print_op_attributes(self.attributes)
        printer.print_string(" : ")
        printer.print_attribute(self.operand.type)
        printer.print_string(" to ")
        printer.print_attribute(self.result.type)

    @classmethod
    def parse(cls, parser: Parser) -> Self:
        name = parser.parse_unresolved_operand()
        properties: dict[str, Attribute] = {}
        if cls.kind() != Reshape.kind:
            properties["view"] = ViewAttr(parse_rule(parser, cls.kind()))
        attributes = parser.parse_optional_attr_dict()
        parser.parse_punctuation(":")
        source = parser.parse_type()
        parser.parse_characters("to")
        target = parser.parse_type()
        return cls.create(
            operands=[parser.resolve_operand(name, source)],
            properties=properties,
            attributes=attributes,
            result_types=[target],
        )


@irdl_op_definition
class PermuteOp(ViewOp):
    """Axes in another order: result axis ``k`` is operand axis ``order[k]``.

    ``%t = opsir.permute %a [1, 0] : tensor<2x3xf32> to tensor<3x2xf32>``
    """

    name = "opsir.permute"


@irdl_op_definition
class SliceOp(ViewOp):
    """Basic indexing, one item per axis: a slice as in Python, or an index, which drops the axis.

    ``%s = opsir.slice %a [1:, ::-2, 0] : tensor<4x8x3xf32> to tensor<3x4xf32>``
    """

    name = "opsir.slice"


@irdl_op_definition
class FlipOp(ViewOp):
    """The axes named run backward: ``%r = opsir.flip %a [1] : tensor<2x3xf32> to ...``."""

    name = "opsir.flip"


@irdl_op_definition
class ExpandDimsOp(ViewOp):
    """New axes of size 1, at these positions of the result.

    ``%c = opsir.expand_dims %a [1] : tensor<4xf32> to tensor<4x1xf32>``
    """

    name = "opsir.expand_dims"


@irdl_op_definition
class SqueezeOp(ViewOp):
    """Axes of size 1 are dropped: ``%s = opsir.squeeze %a [0] : tensor<1x4xf32> to ...``."""

    name = "opsir.squeeze"


@irdl_op_definition
class DiagonalOp(ViewOp):
    """The diagonal along two axes, which becomes the last axis.

    ``%d = opsir.diagonal %a [0, 1] offset 1 : tensor<4x4xf32> to tensor<3xf32>``
    """

    name = "opsir.diagonal"


@irdl_op_definition
class ReshapeOp(ViewOp):
    """The same elements in row-major order under the sizes of the result's type.

    ``%r = opsir.reshape %a : tensor<?x4xf32> to tensor<?xf32>``: one size may be left open. Where
    the operand's strides allow no view, ``fold-views`` puts an ``opsir.copy`` in front.
    """

    name = "opsir.reshape"

    @property
    def rule(self) -> ViewRule:
        result = cast("AnyTensor", self.result.type)
        layout = layout_of(result)
        names = iter(layout.sizes if layout else ())
        return Reshape(
            tuple(
                Extent(n) if n != DYNAMIC else next(names, Extent(-1)) for n in result.get_shape()
            )
        )


VIEW_OPS: tuple[type[ViewOp], ...] = (
    PermuteOp,
    SliceOp,
    FlipOp,
    ExpandDimsOp,
    SqueezeOp,
    DiagonalOp,
    ReshapeOp,
)

BY_KIND: dict[str, type[ViewOp]] = {op.kind(): op for op in VIEW_OPS}


def view_op(
    rule: ViewRule, operand: SSAValue, result: Attribute, *, like: Operation | None = None
) -> ViewOp:
    """The op that applies ``rule``; ``like`` supplies the location."""
    properties: dict[str, Attribute] = {}
    if not isinstance(rule, Reshape):
        properties["view"] = ViewAttr(rule)
    return BY_KIND[rule.kind].create(
        operands=[operand],
        properties=properties,
        result_types=[result],
        location=like.location if like is not None else None,
    )


@irdl_op_definition
class CopyOp(IRDLOperation):
    """The same values in memory of their own, dense and row-major: a kernel that moves them.

    ``%c = opsir.copy %a : tensor<4x8xf32> to tensor<4x8xf32>``: what one asked for, or what a
    reshape needs whose operand has other strides.
    """

    name = "opsir.copy"
    operand = operand_def()
    result = result_def()
    traits = traits_def(Pure())

    @classmethod
    def of(cls, operand: SSAValue, result: Attribute, *, like: Operation | None = None) -> Self:
        location = like.location if like is not None else None
        return cls.create(operands=[operand], result_types=[result], location=location)

    def verify_(self) -> None:
        operand, result = self.operand.type, self.result.type
        if not is_tensor(operand) or not is_tensor(result):
            raise VerifyException(f"expected tensors, got {operand} and {result}")
        if element_of(operand) != element_of(result):
            raise VerifyException(f"keeps the element type {element_of(operand)}, got {result}")
        shapes = [
            cast("AnyTensor", t).get_shape()
            for t in (operand, result)
            if not isinstance(t, UnrankedTensorType)
        ]
        if len(set(shapes)) > 1:
            raise VerifyException(f"keeps the shape of {operand}, got a result of {result}")

    def print(self, printer: Printer) -> None:
        printer.print_string(" ")
        printer.print_ssa_value(self.operand)
        printer.print_op_attributes(self.attributes)
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
        op = cls.of(parser.resolve_operand(name, source), parser.parse_type())
        op.attributes.update(attributes)
        return op


@irdl_op_definition
class BindSizesOp(IRDLOperation):
    """The sizes of a view, found or compared at function entry.

    ``opsir.bind_sizes [v, 3] = slice [1:, :, 0] of [n, 3, m]``: a symbol of the left side that no
    argument's size binds gets its value here; any other size is compared, and so are the
    positions that the view names with the sizes they belong to.
    """

    name = "opsir.bind_sizes"
    binding_attr = prop_def(SizeBindingAttr, prop_name="binding")

    @classmethod
    def of(
        cls,
        rule: ViewRule,
        operand: Sequence[Extent],
        result: Sequence[Extent],
        *,
        like: Operation | None = None,
    ) -> Self:
        binding = SizeBinding(rule, tuple(operand), tuple(result))
        return cls.create(
            properties={"binding": SizeBindingAttr(binding)},
            location=like.location if like is not None else None,
        )

    @property
    def binding(self) -> SizeBinding:
        return self.binding_attr.data

    def verify_(self) -> None:
        binding = self.binding
        try:
            found = sizes_of(binding.view, binding.operand)
        except OpsirError as error:
            raise VerifyException(error.detail) from error
        if len(found) != len(binding.result):
            raise VerifyException(
                f"gives {len(binding.result)} sizes for a view of {len(found)} axes"
            )

    def print(self, printer: Printer) -> None:
        printer.print_string(f" {self.binding}")
        printer.print_op_attributes(self.attributes)

    @classmethod
    def parse(cls, parser: Parser) -> Self:
        attr = SizeBindingAttr(parse_binding(parser))
        attributes = parser.parse_optional_attr_dict()
        return cls.create(properties={"binding": attr}, attributes=attributes)
