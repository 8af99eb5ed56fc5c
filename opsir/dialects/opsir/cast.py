"""The cast op: convert elements to another dtype.

What a conversion does to a value lies in ``opsir.evaluate``.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Self, cast

from xdsl.dialects.builtin import (
    StringAttr,
    TensorType,
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

from opsir.casts import can_cast, is_exact
from opsir.dialects.opsir.base import INFER
from opsir.dialects.opsir.literal import constant_value
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
