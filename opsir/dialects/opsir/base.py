"""What all elementwise ops share: form, typing rule, shape rule, text syntax, folding.

An op class adds a name, a promotion rule, algebraic traits and one line of doc. The same class
serves tensors and the scalars inside a kernel body. Knows no single op and no pass.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, ClassVar, Self, TypeVar, cast

import numpy as np
from xdsl.dialects.builtin import TensorType, UnrankedTensorType
from xdsl.interfaces import HasFolderInterface
from xdsl.ir import Attribute, Operation, SSAValue
from xdsl.irdl import (
    IRDLOperation,
    irdl_op_definition,
    operand_def,
    result_def,
    traits_def,
)
from xdsl.parser import Parser
from xdsl.printer import Printer
from xdsl.traits import Pure
from xdsl.utils.exceptions import VerifyException

from opsir import dtypes, promotion
from opsir.dialects.opsir.literal import constant_value
from opsir.dialects.opsir.shapes import broadcast_sizes
from opsir.dialects.opsir.types import (
    AnyTensor,
    InferType,
    WeakType,
    dtype_of,
    element_of,
    extents_of,
    is_tensor,
    number,
    tensor_type,
    type_of,
)
from opsir.dtypes import DType
from opsir.evaluate import SUPPORTED, evaluate
from opsir.promotion import KindRule

INFER = InferType()


class ElementwiseOp(IRDLOperation, HasFolderInterface):
    """One result computed from operands element by element.

    Before ``promote-types`` operands may mix dtypes and weak numbers (the result's element type is
    then ``!opsir.infer``); afterwards they have the dtypes in which the op computes. Before
    ``infer-shapes`` operands may have different shapes; afterwards every tensor operand has the
    shape of the result. Scalars stay scalars throughout.
    """

    traits = traits_def(Pure())

    if TYPE_CHECKING:  # Set by ``elementwise``, which documents them.
        rule: ClassVar[KindRule]
        arity: ClassVar[int]
        commutative: ClassVar[bool]
        expensive: ClassVar[bool]
        foldable: ClassVar[bool]
        flags: ClassVar[bool]
        identity: ClassVar[int | None]
        float_identity: ClassVar[float | None]
        involution: ClassVar[bool]
        idempotent: ClassVar[bool]

    result = result_def()

    @classmethod
    def short_name(cls) -> str:
        """The op's name without the dialect: the key of every table."""
        return cls.name.removeprefix("opsir.")

    @classmethod
    def of(
        cls,
        operands: Sequence[SSAValue],
        result: Attribute | None = None,
        *,
        like: Operation | None = None,
    ) -> Self:
        """Build from operands; ``result`` defaults to the inferred type.

        ``like`` is the operation this one derives from: its source location is carried over.
        """
        if result is None:
            result = cls.infer_result_type([o.type for o in operands])
        location = like.location if like is not None else None
        return cls.create(operands=operands, result_types=[result], location=location)

    @classmethod
    def infer_result_type(cls, operand_types: Sequence[Attribute]) -> Attribute:
        """The result type that the operand types determine.

        Raises VerifyException for shapes that do not fit.
        """
        element = cls.infer_element_type([element_of(t) for t in operand_types])
        tensors = [t for t in operand_types if is_tensor(t)]
        if not tensors:
            return element
        if any(isinstance(t, UnrankedTensorType) for t in tensors):
            return UnrankedTensorType(element)
        ranked = [cast("AnyTensor", t) for t in tensors]
        first = ranked[0]
        if all(t.shape == first.shape for t in ranked):
            extents = extents_of(first)
            if extents is not None:
                return tensor_type(element, extents)
            return TensorType(element, first.shape.data)
        return TensorType(element, broadcast_sizes([t.get_shape() for t in ranked]))

    @classmethod
    def infer_element_type(cls, elements: Sequence[Attribute]) -> Attribute:
        """The rule's result dtype; ``!opsir.infer`` where operands are not yet promoted."""
        operands = [dtype_of(e) for e in elements]
        concrete = tuple(d for d in operands if d is not None)
        if len(concrete) < len(operands):
            return INFER
        try:
            typed = promotion.resolve(cls.rule, concrete, op=cls.short_name())
        except promotion.PromotionError:
            return INFER  # The other rule set may allow it; promote-types reports it with a place.
        return type_of(typed.result) if typed.operands == concrete else INFER

    def operand_dtypes(self) -> tuple[DType, ...] | None:
        """The operands' dtypes, or None while one of them is undecided."""
        found = [dtype_of(element_of(o.type)) for o in self.operands]
        concrete = tuple(d for d in found if d is not None)
        return concrete if len(concrete) == len(found) else None

    def result_dtype(self) -> DType:
        """The result's dtype; only after ``promote-types``."""
        dtype = dtype_of(element_of(self.result.type))
        assert dtype is not None
        return dtype

    def verify_(self) -> None:
        for index, operand in enumerate(self.operands):
            _check_operand(index, operand.type)
        self._verify_elements()
        self._verify_shape()

    def _verify_elements(self) -> None:
        result = element_of(self.result.type)
        if result == INFER:
            return
        declared, operands = dtype_of(result), self.operand_dtypes()
        if declared is None:
            raise VerifyException(f"expected a result of a known dtype, got {result}")
        if operands is None:
            raise VerifyException(
                f"a result of dtype {declared} needs operands of known dtypes; "
                "use !opsir.infer until promote-types has run"
            )
        try:
            typed = promotion.resolve(self.rule, operands, op=self.short_name())
        except promotion.PromotionError as error:
            raise VerifyException(str(error)) from error
        given = ", ".join(d.name for d in operands)
        if typed.operands != operands:
            wanted = ", ".join(d.name for d in typed.operands)
            raise VerifyException(f"computes in ({wanted}), got operands of dtypes ({given})")
        if typed.result != declared:
            raise VerifyException(
                f"expected a result of dtype {typed.result} from ({given}), got {declared}"
            )

    def _verify_shape(self) -> None:
        result = self.result.type
        tensors = [o.type for o in self.operands if is_tensor(o.type)]
        if is_tensor(result) != bool(tensors):
            kind = "a tensor" if tensors else "a scalar"
            raise VerifyException(f"expected {kind} as result, got {result}")
        if not isinstance(result, TensorType):
            return
        if any(isinstance(t, UnrankedTensorType) for t in tensors):
            raise VerifyException(f"a result {result} needs operands whose shapes are known")
        sizes = broadcast_sizes([cast("AnyTensor", t).get_shape() for t in tensors])
        if result.get_shape() != sizes:
            inferred = "x".join("?" if s < 0 else str(s) for s in sizes) or "rank 0"
            raise VerifyException(
                f"declared result {result} is not the broadcast shape of its operands ({inferred})"
            )

    def fold(self) -> Sequence[SSAValue | Attribute] | None:
        """The constant result of constant scalar operands; never a NaN, never a rounded function.

        A NaN's sign and payload are the kernel's business, so such an op is left alone.
        """
        if (same := self._fold_algebra()) is not None:
            return [same]
        if not self.foldable or is_tensor(self.result.type) or self.short_name() not in SUPPORTED:
            return None
        found = [constant_value(o) for o in self.operands]
        values = [value for value in found if value is not None]
        result = dtype_of(self.result.type)
        if result is None or len(values) < len(found):
            return None
        folded = evaluate(self.short_name(), values, result)
        if result.is_float and bool(np.isnan(folded)):
            return None
        return [number(folded, result)]

    def _fold_algebra(self) -> SSAValue | None:
        """The operand or earlier result that this one always equals, or None."""
        first = self.operands[0]
        inner = first.owner
        twice = isinstance(inner, ElementwiseOp) and type(inner) is type(self)
        if isinstance(inner, ElementwiseOp) and twice and self.involution:
            first = inner.operands[0]
        elif not (twice and self.idempotent):
            first = self._fold_identity()
        return first if first is not None and first.type == self.result.type else None

    def _fold_identity(self) -> SSAValue | None:
        if self.arity != 2 or (self.identity is None and self.float_identity is None):
            return None
        pairs = [(self.operands[1], self.operands[0])]
        if self.commutative:
            pairs.append((self.operands[0], self.operands[1]))
        for constant, other in pairs:
            value, dtype = constant_value(constant), dtype_of(element_of(constant.type))
            if value is None or dtype is None or dtype.is_logical:
                continue
            wanted = self.float_identity if dtype.is_float else self.identity
            if wanted is not None and dtype.kind == "u":
                wanted = int(wanted) & dtype.max
            if wanted is not None and number(wanted, dtype) == number(value, dtype):
                return other
        return None

    def print(self, printer: Printer) -> None:
        printer.print_string(" ")
        printer.print_list(self.operands, printer.print_ssa_value)
        printer.print_op_attributes(self.attributes)
        printer.print_string(" : ")
        printer.print_operation_type(self)

    @classmethod
    def parse(cls, parser: Parser) -> Self:
        position = parser.pos
        names = parser.parse_optional_undelimited_comma_separated_list(
            parser.parse_optional_unresolved_operand, parser.parse_unresolved_operand
        )
        attributes = parser.parse_optional_attr_dict()
        parser.parse_punctuation(":")
        signature = parser.parse_function_type()
        names = names or []
        if len(names) != cls.arity:
            parser.raise_error(f"'{cls.name}' takes {cls.arity} operands, got {len(names)}")
        if len(signature.outputs.data) != 1:
            parser.raise_error(f"'{cls.name}' has one result, got {len(signature.outputs.data)}")
        operands = parser.resolve_operands(names, signature.inputs.data, position)
        return cls.create(
            operands=operands, result_types=signature.outputs.data, attributes=attributes
        )


OpT = TypeVar("OpT", bound=ElementwiseOp)


def elementwise(
    *,
    commutative: bool = False,
    expensive: bool = False,
    foldable: bool = True,
    flags: bool = False,
    identity: int | None = None,
    float_identity: float | None = None,
    involution: bool = False,
    idempotent: bool = False,
) -> Callable[[type[OpT]], type[OpT]]:
    """Define an elementwise op from its facts; its promotion rule is found by the op's name.

    ``commutative``: swapping the two operands changes no result bit (NaN payloads aside).
    ``expensive``: costs much more than a memory access, so fusion never repeats it along a held
    axis. ``foldable``: false for functions whose digits belong to the accuracy tier: only their
    expansion folds. ``flags``: on integers it can raise an error flag (division by zero, a
    negative exponent). ``identity``, ``float_identity``: ``x op identity`` is x, bit for bit, for
    integers and for floats. ``involution``: applied twice it gives the operand back.
    ``idempotent``: applied twice it gives the same as once.
    """

    def define(cls: type[OpT]) -> type[OpT]:
        defined = irdl_op_definition(cls)
        defined.rule = promotion.OP_RULES[defined.short_name()]
        defined.arity = len(defined.get_irdl_definition().operands)
        defined.commutative, defined.expensive = commutative, expensive
        defined.foldable, defined.flags = foldable, flags
        defined.identity, defined.float_identity = identity, float_identity
        defined.involution, defined.idempotent = involution, idempotent
        return defined

    return define


def _check_operand(index: int, attribute: Attribute) -> None:
    element = element_of(attribute)
    if dtype_of(element) is not None or element == INFER:
        return
    if isinstance(element, WeakType) and not is_tensor(attribute):
        return
    allowed = ", ".join(d.mlir for d in dtypes.ALL)
    raise VerifyException(
        f"operand #{index} must be a scalar or tensor of {allowed}, got {attribute}"
    )


class UnaryOp(ElementwiseOp):
    """An elementwise op of one operand."""

    operand = operand_def()


class BinaryOp(ElementwiseOp):
    """An elementwise op of two operands, broadcast against each other."""

    lhs = operand_def()
    rhs = operand_def()


class TernaryOp(ElementwiseOp):
    """An elementwise op of three operands, broadcast against each other."""

    first = operand_def()
    second = operand_def()
    third = operand_def()
