"""The literal op: a number of known or weak type, written so that its bits survive the text.

Owns how literals are read and printed. Knows no other op.
"""

from __future__ import annotations

from typing import Any

from xdsl.ir import Attribute, Operation, SSAValue
from xdsl.irdl import IRDLOperation, irdl_op_definition, opt_prop_def, result_def, traits_def
from xdsl.parser import Parser
from xdsl.printer import Printer
from xdsl.traits import ConstantLike, Pure
from xdsl.utils.exceptions import VerifyException

from opsir.dialects.opsir.types import (
    NumberAttr,
    WeakType,
    dtype_of,
    number,
    number_value,
    type_of,
)
from opsir.dtypes import DType


@irdl_op_definition
class ScalarOp(IRDLOperation):
    """A literal: ``%c = opsir.scalar 0.5 : f32``; its type may be weak.

    Non-finite floats are written as their bit pattern: ``opsir.scalar 0x7F800000 : f32``.
    """

    name = "opsir.scalar"
    value = opt_prop_def(NumberAttr)
    result = result_def()
    traits = traits_def(Pure(), ConstantLike())

    @classmethod
    def get_constant_value(cls, op: Operation) -> Attribute | None:
        return op.value if isinstance(op, ScalarOp) else None

    @classmethod
    def literal(cls, value: NumberAttr, type: Attribute, like: Operation | None = None) -> ScalarOp:
        """A literal from its canonical text and scalar type."""
        location = like.location if like is not None else None
        return cls.create(properties={"value": value}, result_types=[type], location=location)

    @classmethod
    def make(cls, value: Any, dtype: DType, like: Operation | None = None) -> ScalarOp:
        """A literal of ``dtype`` holding ``value``, rounded once."""
        return cls.literal(number(value, dtype), type_of(dtype), like)

    def scalar_kind(self) -> DType | Any:
        """The literal's dtype, or "int" / "float" for a weak one."""
        kind = self.result.type
        return kind.data if isinstance(kind, WeakType) else dtype_of(kind)

    def python_value(self) -> Any:
        """The literal as a NumPy scalar (a Python number for a weak one)."""
        assert self.value is not None
        return number_value(self.value, self.scalar_kind())

    def verify_(self) -> None:
        kind = self.scalar_kind()
        if kind is None:
            given = self.result.type
            raise VerifyException(f"a literal has a scalar dtype or !opsir.weak, got {given}")
        if self.value is None:
            raise VerifyException("a literal needs a value")
        try:
            canonical = number(self.python_value(), kind)
        except (ValueError, OverflowError) as error:
            raise VerifyException(f"{self.value.data} is no literal of type {kind}") from error
        if canonical != self.value:
            raise VerifyException(
                f"literal {self.value.data} of type {kind} is written {canonical.data}"
            )

    def print(self, printer: Printer) -> None:
        assert self.value is not None
        printer.print_string(f" {self.value.data}")
        printer.print_op_attributes(self.attributes)
        printer.print_string(" : ")
        printer.print_attribute(self.result.type)

    @classmethod
    def parse(cls, parser: Parser) -> ScalarOp:
        start = parser.pos
        boolean = parser.parse_optional_boolean()
        raw = boolean if boolean is not None else parser.parse_number()
        text = parser.lexer.input.slice(start, parser.pos) or ""
        attributes = parser.parse_optional_attr_dict()
        parser.parse_punctuation(":")
        type = parser.parse_type()
        kind = type.data if isinstance(type, WeakType) else dtype_of(type)
        if kind is None:
            parser.raise_error(f"a literal has a scalar dtype or !opsir.weak, got {type}")
        value = _read_literal(parser, raw, text.strip(), kind)
        op = cls.literal(value, type)
        op.attributes.update(attributes)
        return op


def _read_literal(parser: Parser, raw: bool | int | float, text: str, kind: Any) -> NumberAttr:
    is_float = kind == "float" or (isinstance(kind, DType) and kind.is_float)
    if isinstance(raw, bool) or (isinstance(kind, DType) and kind.is_logical):
        if not (isinstance(raw, bool) and isinstance(kind, DType) and kind.is_logical):
            parser.raise_error(f"{text} is no literal of type {kind}")
        return number(raw, kind)
    if is_float and isinstance(raw, int) and "0x" in text.lower():
        width = 64 if kind == "float" else kind.bits
        if raw < 0 or raw >> width:
            parser.raise_error(f"{text} does not fit the {width} bits of {kind}")
        return number(number_value(NumberAttr(f"0x{raw:X}"), kind), kind)
    if not is_float and isinstance(raw, float):
        parser.raise_error(f"{text} is no integer, type {kind} needs one")
    if isinstance(kind, DType) and kind.is_integer and not kind.min <= raw <= kind.max:
        parser.raise_error(f"{text} does not fit {kind} ({kind.min} .. {kind.max})")
    try:
        return number(raw, kind)
    except OverflowError:
        parser.raise_error(f"{text} is too large for {kind}")


def constant_value(value: SSAValue) -> Any | None:
    """The NumPy scalar that a value always holds, or None if it is not a literal of a dtype."""
    owner = value.owner
    if isinstance(owner, ScalarOp) and not isinstance(owner.result.type, WeakType):
        return owner.python_value()
    return None
