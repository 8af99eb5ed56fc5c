"""From a recorded program to a module of the opsir dialect with one function.

Owns how values, types and places of a record are written in IR. Decides nothing: dtypes of results
and their shapes are left to the passes, except where a program states them.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import lru_cache
from typing import TypeAlias

from xdsl.dialects.builtin import (
    FileLineColLoc,
    FunctionType,
    ModuleOp,
    StringAttr,
    UnknownLoc,
    UnrankedTensorType,
)
from xdsl.dialects.func import FuncOp, ReturnOp
from xdsl.ir import Attribute, Block, Operation, Region, SSAValue

from opsir.diagnostics import Location
from opsir.dialects.locations import location_attribute
from opsir.dialects.opsir import BY_NAME, BroadcastOp, CastOp, ScalarOp
from opsir.dialects.opsir.types import (
    InferType,
    WeakType,
    dense_strides,
    element_of,
    number,
    tensor_type,
    type_of,
)
from opsir.dialects.opsir.views import view_op
from opsir.dtypes import DType
from opsir.extent import ONE, Extent
from opsir.frontends.numbers import Computed, Literally, Size, ViewSize
from opsir.frontends.options import JitOptions
from opsir.frontends.records import Constant, Input, Program, Record, Typed
from opsir.promotion import Operand, Weak
from opsir.signature import ArgumentType
from opsir.view import ViewRule

_Place: TypeAlias = FileLineColLoc | UnknownLoc

_INFER = InferType()
_ANY_TENSOR = UnrankedTensorType(_INFER)
_NOWHERE = UnknownLoc()
_WEAK: dict[Weak, WeakType] = {Weak.INT: WeakType("int"), Weak.FLOAT: WeakType("float")}
_SYMBOL = re.compile(r"\W+", re.ASCII)


def build_module(
    program: Program, types: Sequence[ArgumentType], options: JitOptions | None = None
) -> ModuleOp:
    """Write ``program`` as a module.

    ``types`` has one entry per argument, hidden ones included, then one per entry of the program's
    ``view_numbers``, then one per ``out=`` array, as ``Signature.tensor_types`` renders them.
    """
    builder = _Builder(program, types)
    function = builder.function()
    if options is not None and options.contract is not None:
        function.attributes["opsir.contract"] = StringAttr(str(options.contract))
    return ModuleOp.create(regions=[Region(Block([function]))])


class _Builder:
    """The state of one build: the block, and the SSA value of every value of the program."""

    def __init__(self, program: Program, types: Sequence[ArgumentType]) -> None:
        self.program = program
        self.types = types
        count = len(program.arguments)
        self.block = Block(arg_types=[_argument_type(t) for t in types[:count]])
        views = program.view_numbers
        self.view_sizes = {n: types[count + i].sizes[0] for i, n in enumerate(views)}
        self.outs = types[count + len(views) :]
        self.results: list[SSAValue] = []
        for index, argument in enumerate(self.block.args):
            argument.name_hint = _argument_name(program, index)

    def function(self) -> FuncOp:
        program, block = self.program, self.block
        for record in program.records:
            self.results.append(self._emit(record))
        returned = [self._returned(i, r) for i, r in enumerate(program.results)]
        place = _place(program.location)
        block.add_op(ReturnOp.create(operands=returned, location=place))
        name = _SYMBOL.sub("_", program.name).strip("_") or "function"
        kind = FunctionType.from_lists([a.type for a in block.args], [v.type for v in returned])
        return FuncOp.create(
            properties={"sym_name": StringAttr(name), "function_type": kind},
            regions=[Region(block)],
            location=place,
        )

    def _emit(self, record: Record) -> SSAValue:
        place = _place(record.location)
        operands = [self._operand(o, place) for o in record.operands]
        if record.op == "cast":
            return self._cast(operands[0], record.dtype, record.casting, place)
        if record.op == "broadcast":
            assert record.sizes is not None
            extents = [self._extent(n) for n in record.sizes]
            return self._broadcast(operands[0], extents, None, record.axes, place)
        if record.view is not None:
            assert record.sizes is not None
            extents = [self._extent(n) for n in record.sizes]
            return self._view(operands[0], extents, record.view, place)
        result = _INFER if record.ndim is None else _ANY_TENSOR
        op = BY_NAME[record.op]
        return self._add(op.create(operands=operands, result_types=(result,), location=place))

    def _add(self, op: Operation) -> SSAValue:
        self.block.add_op(op)
        return op.results[0]

    def _operand(self, typed: Typed, place: _Place) -> SSAValue:
        value = typed.value
        if isinstance(value, Input):
            return self.block.args[value.index]
        if isinstance(value, Constant):
            return self._add(_literal(value, typed.dtype, place))
        return self.results[value.index]

    def _cast(
        self, operand: SSAValue, dtype: DType, casting: str | None, place: _Place
    ) -> SSAValue:
        op = CastOp.of(operand, dtype, casting=casting)
        op.location = place
        return self._add(op)

    def _broadcast(
        self,
        operand: SSAValue,
        extents: Sequence[Extent],
        strides: Sequence[Extent] | None,
        axes: Sequence[int] | None,
        place: _Place,
    ) -> SSAValue:
        result = tensor_type(element_of(operand.type), extents, strides)
        op = BroadcastOp.of(operand, result, axes=axes)
        op.location = place
        return self._add(op)

    def _view(
        self, operand: SSAValue, extents: Sequence[Extent], rule: ViewRule, place: _Place
    ) -> SSAValue:
        op = view_op(rule, operand, tensor_type(element_of(operand.type), extents))
        op.location = place
        return self._add(op)

    def _extent(self, index: int) -> Extent:
        """A size that the program states, in the terms of the arguments' types."""
        number = self.program.numbers[index]
        match number:
            case Literally():
                return Extent(int(number.value))
            case Size():
                return self.types[number.argument].sizes[number.axis]
            case Computed():
                first, second = (self._extent(i) for i in number.operands)
                return second if first == ONE else first
            case ViewSize():
                return self.view_sizes[index]
            case _:
                raise AssertionError("a shape holds sizes only, as the recorder has checked")

    def _returned(self, index: int, result: Typed) -> SSAValue:
        place = self._place_of(result)
        value = self._operand(result, place)
        if index >= len(self.outs):
            return self._dense(value, result, place)
        out = self.outs[index]
        assert out.dtype is not None
        if out.dtype != result.dtype:
            value = self._cast(value, out.dtype, "same_kind", place)
        if not out.sizes:
            return value
        strides = None if _is_dense(out) else out.strides
        return self._broadcast(value, out.sizes, strides, None, place)

    def _dense(self, value: SSAValue, result: Typed, place: _Place) -> SSAValue:
        """A result without ``out=``: an argument that lies otherwise is copied into a new array."""
        if not isinstance(result.value, Input):
            return value
        given = self.types[result.value.index]
        if given.kind != "array" or _is_dense(given):
            return value
        return self._broadcast(value, given.sizes, None, None, place)

    def _place_of(self, result: Typed) -> _Place:
        if isinstance(result.value, Input | Constant):
            return _place(self.program.location)
        return _place(self.program.records[result.value.index].location)


@lru_cache(maxsize=4096)
def _place(location: Location | None) -> _Place:
    return _NOWHERE if location is None else location_attribute(location)


def _literal(constant: Constant, dtype: Operand, place: _Place) -> ScalarOp:
    if isinstance(dtype, Weak):
        value, kind = number(constant.value, dtype.value), _WEAK[dtype]
    else:
        value, kind = number(constant.value, dtype), type_of(dtype)
    return ScalarOp.create(properties={"value": value}, result_types=(kind,), location=place)


def _argument_type(argument: ArgumentType) -> Attribute:
    match argument.kind:
        case "weak_int":
            return _WEAK[Weak.INT]
        case "weak_float":
            return _WEAK[Weak.FLOAT]
        case "scalar":
            assert argument.dtype is not None
            return type_of(argument.dtype)
        case "array":
            assert argument.dtype is not None
            strides = None if _is_dense(argument) else argument.strides
            return tensor_type(type_of(argument.dtype), argument.sizes, strides, argument.order)


def _is_dense(argument: ArgumentType) -> bool:
    """Whether the type says all by leaving the strides out; those of size 1 say nothing."""
    assert argument.dtype is not None
    dense = dense_strides(argument.sizes, argument.dtype.itemsize)
    return all(
        stride == given
        for size, stride, given in zip(argument.sizes, dense, argument.strides, strict=True)
        if size != ONE
    )


def _argument_name(program: Program, index: int) -> str:
    if index < len(program.names):
        return program.names[index]
    return f"hidden{index - program.given}"
