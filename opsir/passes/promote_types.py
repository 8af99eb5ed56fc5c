"""The pass ``promote-types``: every op gets the dtypes it computes in, by explicit casts.

Owns where casts go and what becomes of Python numbers. Which dtypes an op computes in is decided
by ``opsir.promotion``, what a number becomes in a dtype by ``opsir.weak``. Knows no shapes.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import cast

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp, TensorType
from xdsl.dialects.func import FuncOp, ReturnOp
from xdsl.ir import Attribute, Block, Operation, SSAValue
from xdsl.passes import ModulePass

from opsir.casts import Casting, can_cast
from opsir.diagnostics import OpsirTypeError, fail
from opsir.dialects import editing
from opsir.dialects.locations import fail_at, location_of
from opsir.dialects.opsir import (
    BY_NAME,
    BroadcastOp,
    CastOp,
    CopyOp,
    ElementwiseOp,
    ScalarOp,
    ViewOp,
)
from opsir.dialects.opsir.types import (
    AnyTensor,
    InferType,
    WeakType,
    dtype_of,
    element_of,
    type_of,
    with_element,
)
from opsir.dialects.opsir.weak_arguments import StandIns
from opsir.dtypes import BOOL, F32, F64, I64, DType
from opsir.promotion import Operand, PromotionError, Resolution, RuleSet, Weak, resolve
from opsir.weak import Role

_SWAPPED = {"eq": "eq", "ne": "ne", "lt": "gt", "le": "ge", "gt": "lt", "ge": "le"}
"""``a op b`` is ``b swapped a``; the keys are all comparisons."""

_TRUE_BESIDE = {"above": ("ne", "lt", "le"), "below": ("ne", "gt", "ge")}
"""Comparisons ``x op n`` that hold for every x of a dtype when n lies beyond its range there."""

_CONSTANT = {
    ("above", True): "le",
    ("above", False): "gt",
    ("below", True): "ge",
    ("below", False): "lt",
}
"""``x op end``, with the end of the range on that side, that holds for every x or for none."""

_MENDING: dict[str, tuple[str, Role, bool]] = {
    "eq": ("logical_and", "within", False),
    "ne": ("logical_or", "within", True),
    "lt": ("logical_or", "above", False),
    "le": ("logical_and", "below", True),
    "gt": ("logical_or", "below", False),
    "ge": ("logical_and", "above", True),
}
"""What makes ``x op clamped`` exact: an op that combines it with a flag, and whether negated."""

_CLIP_ROLES: tuple[Role, ...] = ("convert", "lower", "upper")


@dataclass(frozen=True)
class PromoteTypesPass(ModulePass):
    """Insert casts so that every op's operands have exactly the dtypes in which it computes.

    Before::

        func.func @f(%a: tensor<4xi32>, %s: !opsir.weak<float>) -> tensor<4x!opsir.infer> {
          %r = opsir.mul %a, %s : (tensor<4xi32>, !opsir.weak<float>) -> tensor<4x!opsir.infer>
          func.return %r : tensor<4x!opsir.infer>
        }

    After::

        func.func @f(%a: tensor<4xi32>, %s: f64) -> tensor<4xf64> attributes {opsir.weak_args =
            [{argument = 1 : i64, source = 1 : i64, role = "convert", dtype = f64}]} {
          %b = opsir.cast %a : tensor<4xi32> to tensor<4xf64>
          %r = opsir.mul %b, %s : (tensor<4xf64>, f64) -> tensor<4xf64>
          func.return %r : tensor<4xf64>
        }

    A weak literal becomes a literal of each dtype that its uses decide; a weak argument becomes
    one scalar argument per dtype and role (see ``opsir.weak``), listed in ``opsir.weak_args``.
    Comparisons of integers with Python integers of any size, and clip bounds, go by value. What an
    op makes of weak numbers alone has a dtype, i64 or a float, like any other result.

    Requires: nothing. Ensures: no weak and no ``!opsir.infer`` type is left, every op verifies
    under its promotion rule. Leaves shapes and the bodies of fused groups and kernels alone.
    """

    name = "promote-types"

    rules: str = "numpy"
    """"numpy": the dtypes of NumPy's ufuncs; "c": floats win, else the widest integer."""

    default_float: str | None = None
    """The float that a Python float makes of integers: "f64" or "f32"; by default the rules'."""

    scalars: str = "weak"
    """"weak": Python numbers take on dtypes ("compat" is the same); "strict": they are i64, f64."""

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        options = _Options.of(self)
        for function in editing.functions_of(op):
            _Promotion(function, options).run()


@dataclass(frozen=True, slots=True)
class _Options:
    rules: RuleSet
    default_float: DType
    strict: bool

    @classmethod
    def of(cls, given: PromoteTypesPass) -> _Options:
        _check("rules", given.rules, ("numpy", "c"))
        _check("scalars", given.scalars, ("weak", "compat", "strict"))
        if given.default_float is not None:
            _check("default-float", given.default_float, ("f64", "f32"))
            default = F64 if given.default_float == "f64" else F32
        else:
            default = F64 if given.rules == "numpy" else F32
        return cls(cast("RuleSet", given.rules), default, given.scalars == "strict")


def _check(option: str, given: str, allowed: Sequence[str]) -> None:
    if given not in allowed:
        fail(f"promote-types: {option} is one of {', '.join(allowed)}, got '{given}'")


class _Promotion:
    """The walk over one function."""

    def __init__(self, function: FuncOp, options: _Options) -> None:
        self.function = function
        self.options = options
        self.block: Block = function.body.block
        self.stand_ins = StandIns(function)
        self.python: dict[SSAValue, Operand] = {}
        """Numbers from Python, with the dtype they count as: weak ones, unless strict."""
        self.casts: dict[tuple[SSAValue, DType], SSAValue] = {}

    def run(self) -> None:
        for argument in self.stand_ins.arguments:
            self._register(argument)
        literals: list[ScalarOp] = []
        for op in list(self.block.ops):
            if isinstance(op, ElementwiseOp):
                self._elementwise(op)
            elif not isinstance(op, ScalarOp):
                self._other(op)
            elif isinstance(op.result.type, WeakType):
                self._register(op.result)
                literals.append(op)
        for literal in literals:
            self.block.erase_op(literal)
        self.stand_ins.finish()
        editing.update_function_type(self.function)

    def _register(self, number: SSAValue) -> None:
        is_int = number.type == WeakType("int")
        if self.options.strict:
            self.python[number] = I64 if is_int else F64
        else:
            self.python[number] = Weak.INT if is_int else Weak.FLOAT

    def _other(self, op: Operation) -> None:
        if isinstance(op, CastOp):
            self._cast(op)
        elif isinstance(op, BroadcastOp | ViewOp | CopyOp):
            self._set(op, 0, self._settled(op.operand, op))
            element = element_of(op.operand.type)
            if element != element_of(op.result.type):
                editing.retype(op.result, _in_place(op.result.type, element))
        elif isinstance(op, ReturnOp):
            for index, value in enumerate(op.arguments):
                self._set(op, index, self._settled(value, op))
        elif any(isinstance(operand.type, WeakType) for operand in op.operands):
            fail_at(op, "does not take numbers without a dtype: cast them first", OpsirTypeError)

    def _elementwise(self, op: ElementwiseOp) -> None:
        operands = [self._operand(operand) for operand in op.operands]
        if not isinstance(element_of(op.result.type), InferType):
            return
        typed = self._resolve(op, operands)
        if Weak.INT in operands and self._by_value(op, operands, typed):
            return
        for index, dtype in enumerate(typed.operands):
            self._set(op, index, self._converted(op.operands[index], dtype, op))
        _retype_element(op, typed.result)

    def _operand(self, value: SSAValue) -> Operand:
        known = self.python.get(value) or dtype_of(element_of(value.type))
        if known is None:
            place = value.owner if isinstance(value.owner, Operation) else self.function
            message = f"has a value of type {value.type}, whose dtype nothing decides"
            fail_at(place, message, OpsirTypeError)
        return known

    def _resolve(self, op: ElementwiseOp, operands: Sequence[Operand]) -> Resolution:
        options = self.options
        try:
            return resolve(op.rule, operands, options.rules, options.default_float, op.short_name())
        except PromotionError as error:
            fail(error.detail, location_of(op), PromotionError)

    def _by_value(self, op: ElementwiseOp, operands: list[Operand], typed: Resolution) -> bool:
        """Whether ``op`` looks at a Python integer's value, not its dtype; if so rewrite it."""
        name = op.short_name()
        if all(isinstance(operand, Weak) for operand in operands):
            return False
        if name in _SWAPPED:
            side = operands.index(Weak.INT)
            if typed.operands[side].is_float:
                return False
            self._compare(op, side, typed)
            return True
        if name == "clip" and operands[0] is not Weak.INT and not typed.result.is_float:
            for index, role in enumerate(_CLIP_ROLES):
                self._set(op, index, self._converted(op.operands[index], typed.result, op, role))
            _retype_element(op, typed.result)
            return True
        return False

    def _compare(self, op: ElementwiseOp, side: int, typed: Resolution) -> None:
        """Compare integers with a Python integer of any size: clamp it, then mend the answer."""
        number, dtype, other = op.operands[side], typed.operands[side], 1 - side
        name = op.short_name() if side == 1 else _SWAPPED[op.short_name()]
        self._set(op, other, self._converted(op.operands[other], typed.operands[other], op))
        self._set(op, side, self.stand_ins.get(number, "clamp", dtype))
        _retype_element(op, BOOL)
        if not isinstance(number.owner, ScalarOp):
            self._mend(op, name, number, dtype)
            return
        value = number.owner.python_value()
        if not dtype.min <= value <= dtype.max:
            beside = "above" if value > dtype.max else "below"
            constant = BY_NAME[_CONSTANT[beside, name in _TRUE_BESIDE[beside]]]
            ordered = (op.operands[other], op.operands[side])
            editing.replace_by_op(op, constant.of(ordered, op.result.type, like=op))

    def _mend(self, op: ElementwiseOp, name: str, number: SSAValue, dtype: DType) -> None:
        combine, role, negated = _MENDING[name]
        flag = self.stand_ins.get(number, role, dtype)
        if negated:
            negation = BY_NAME["logical_not"].of((flag,), type_of(BOOL), like=op)
            editing.insert_before(negation, op)
            flag = negation.result
        exact = BY_NAME[combine].of((op.result, flag), op.result.type, like=op)
        editing.insert_after(exact, op)
        op.result.replace_uses_with_if(exact.result, lambda use: use.operation is not exact)

    def _cast(self, op: CastOp) -> None:
        source, dtype = self._operand(op.operand), dtype_of(element_of(op.result.type))
        assert dtype is not None
        strong = source if isinstance(source, DType) else F64 if source is Weak.FLOAT else I64
        casting = op.casting.data if op.casting is not None else None
        if casting is not None and not can_cast(strong, dtype, cast("Casting", casting)):
            given = source.name if isinstance(source, DType) else f"Python {source.value}"
            message = f"cannot cast {given} to {dtype} under casting {casting}"
            fail_at(op, message, OpsirTypeError)
        if isinstance(op.operand.type, WeakType):
            # A float is truncated by the cast; an integer of any size must fit, as in a call.
            direct = not self.options.strict and not (strong.is_float and dtype.is_integer)
            bound = self.stand_ins.get(op.operand, "convert", dtype if direct else strong)
            self._set(op, 0, bound)

    def _settled(self, value: SSAValue, user: Operation) -> SSAValue:
        """``value`` where no op decides for it: a Python number gets its default dtype."""
        known = self._operand(value)
        if isinstance(known, Weak):
            known = I64 if known is Weak.INT else self.options.default_float
        return self._converted(value, known, user)

    def _converted(
        self, value: SSAValue, dtype: DType, user: Operation, role: Role = "convert"
    ) -> SSAValue:
        """``value`` in ``dtype``: by a cast in front of ``user`` where it has another one."""
        if isinstance(value.type, WeakType):
            return self.stand_ins.get(value, role, dtype)
        if element_of(value.type) == type_of(dtype):
            return value
        known = self.casts.get((value, dtype))
        if known is None:
            conversion = CastOp.of(value, dtype, like=user)
            editing.insert_before(conversion, user)
            known = self.casts[value, dtype] = conversion.result
        return known

    @staticmethod
    def _set(op: Operation, index: int, value: SSAValue) -> None:
        if op.operands[index] is not value:
            op.operands[index] = value


def _retype_element(op: ElementwiseOp, dtype: DType) -> None:
    editing.retype(op.result, with_element(op.result.type, type_of(dtype)))


def _in_place(attribute: Attribute, element: Attribute) -> Attribute:
    """A stated type with another element type, its strides kept: they are those of ``out=``."""
    if not isinstance(attribute, TensorType):
        return with_element(attribute, element)
    tensor = cast("AnyTensor", attribute)
    return TensorType(element, tensor.shape.data, tensor.encoding)
