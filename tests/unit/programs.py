"""IR programs for tests of passes: parse, run passes, and compute a function by plain evaluation.

The interpreter broadcasts as NumPy does and calls ``evaluate`` on whole arrays. It reads any mix of
explicit and implicit broadcasts, so it can be asked before a pass and after it.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, cast

import numpy as np
from hypothesis import strategies as st
from xdsl.dialects.builtin import ModuleOp
from xdsl.dialects.func import FuncOp, ReturnOp
from xdsl.ir import Block, Operation, SSAValue
from xdsl.passes import ModulePass

from opsir.dialects.opsir import BroadcastOp, CastOp, DimOp, ElementwiseOp, FusedOp, ScalarOp
from opsir.dialects.opsir.types import AnyTensor, dtype_of, element_of
from opsir.dialects.opsir.weak_arguments import argument_sources, weak_arguments
from opsir.dtypes import DType
from opsir.evaluate import cast as convert
from opsir.evaluate import evaluate
from opsir.frontends.text import make_context, parse_module
from opsir.frontends.verifier import verify
from opsir.weak import bind
from tests.unit.conftest import special_values

CONTEXT = make_context()


def parse(text: str) -> ModuleOp:
    return parse_module(text, "test.mlir", context=CONTEXT)


def apply(module: ModuleOp, *passes: ModulePass) -> ModuleOp:
    """Run the passes in place, verifying after each."""
    for step in passes:
        step.apply(CONTEXT, module)
        verify(module)
    return module


def after(text: str, *passes: ModulePass) -> ModuleOp:
    return apply(parse(text), *passes)


def function_of(module: ModuleOp) -> FuncOp:
    (function,) = (op for op in module.ops if isinstance(op, FuncOp))
    return function


def call(module: ModuleOp, *given: Any) -> list[Any]:
    """The results of the one function of ``module``; ``given`` as for the traced function."""
    function = function_of(module)
    weak = {entry.argument: entry for entry in weak_arguments(function)}
    values: dict[SSAValue, Any] = {}
    for argument, source in zip(function.body.block.args, argument_sources(function), strict=True):
        value = given[source]
        if (entry := weak.get(argument.index)) is not None:
            value = bind(value, entry.role, entry.dtype)
        values[argument] = value
    return _run(function.body.block, values)


def _run(block: Block, values: dict[SSAValue, Any]) -> list[Any]:
    for op in block.ops:
        if isinstance(op, ReturnOp) or op.name == "opsir.yield":
            return [values[operand] for operand in op.operands]
        if isinstance(op, FusedOp):
            inner: dict[SSAValue, Any] = {}
            inner.update(zip(op.block.args, (values[o] for o in op.operands), strict=True))
            values.update(zip(op.results, _run(op.block, inner), strict=True))
        elif op.results:
            values[op.results[0]] = _value(op, values)
    raise AssertionError("a block without a terminator")


def _value(op: Operation, values: Mapping[SSAValue, Any]) -> Any:
    operands = [values[operand] for operand in op.operands]
    match op:
        case ScalarOp():
            return op.python_value()
        case ElementwiseOp():
            return evaluate(op.short_name(), operands, op.result_dtype())
        case CastOp():
            return convert(operands[0], _dtype(op.result))
        case DimOp():
            return np.int64(operands[0].shape[op.axis.value.data])
        case BroadcastOp():
            return _broadcast(op, operands[0])
        case _:
            raise AssertionError(op.name)


def _broadcast(op: BroadcastOp, value: Any) -> Any:
    """Expanded axes keep their size here if it is known at run time only: NumPy expands them."""
    sizes = cast("AnyTensor", op.result.type).get_shape()
    array = np.asarray(value)
    shape = [1] * len(sizes)
    for axis, size in zip(op.axis_map(), array.shape, strict=True):
        shape[axis] = size
    array = array.reshape(shape)
    known = [given if size < 0 else size for size, given in zip(sizes, shape, strict=True)]
    return np.broadcast_to(array, known)


def _dtype(value: SSAValue) -> DType:
    dtype = dtype_of(element_of(value.type))
    assert dtype is not None
    return dtype


def bits(value: Any) -> tuple[Any, ...]:
    """Shape, dtype and bit patterns, every NaN as one; equal for results that count as equal."""
    array = np.asarray(value)
    if array.dtype.kind not in "biu":
        nan = np.not_equal(array, array)
        array = np.where(nan, np.asarray(0, array.dtype), array)
        raw = (
            array.view(f"u{array.dtype.itemsize}")
            if array.ndim
            else array.reshape(1).view(f"u{array.dtype.itemsize}")
        )
        return array.shape, array.dtype, raw.tolist(), nan.tolist()
    return array.shape, array.dtype, array.tolist()


def same(first: Sequence[Any], second: Sequence[Any]) -> bool:
    return [*map(bits, first)] == [*map(bits, second)]


_UNARY = """
    neg abs sign floor ceil rint sqrt exp tanh rsqrt sigmoid gelu relu isnan signbit positive
    square reciprocal logical_not cast"""
_ARITY = {"where": 3, "clip": 3, "fma": 3} | dict.fromkeys(_UNARY.split(), 1)


@st.composite
def programs(draw: st.DrawFn, ops: Sequence[str], kinds: Sequence[DType]) -> str:
    """Three arguments and up to ten ops on what came before; Python literals among the operands."""
    values = [(f"%x{i}", f"tensor<?x{draw(st.sampled_from(kinds)).mlir}>") for i in range(3)]
    head = ", ".join(f"{name}: {kind}" for name, kind in values)
    lines: list[str] = []
    for index in range(draw(st.integers(1, 10))):
        op = draw(st.sampled_from(ops))
        chosen = [draw(st.sampled_from(values)) for _ in range(_ARITY.get(op, 2))]
        if len(chosen) > 1 and draw(st.booleans()):
            lines.append(f"%c{index} = opsir.scalar {index % 3} : !opsir.weak<int>")
            chosen[draw(st.integers(1, len(chosen) - 1))] = (f"%c{index}", "!opsir.weak<int>")
        operands = ", ".join(name for name, _ in chosen)
        types = ", ".join(kind for _, kind in chosen)
        result = "tensor<*x!opsir.infer>"
        if op == "cast":
            result = f"tensor<*x{draw(st.sampled_from(kinds)).mlir}>"
            lines.append(f"%v{index} = opsir.cast {operands} : {types} to {result}")
        else:
            lines.append(f"%v{index} = opsir.{op} {operands} : ({types}) -> {result}")
        values.append((f"%v{index}", result))
    last = [values[-1], values[draw(st.integers(0, len(values) - 1))]]
    kinds_of_last = ", ".join(kind for _, kind in last)
    returned = f"func.return {', '.join(name for name, _ in last)} : {kinds_of_last}"
    body = "\n".join([*lines, returned])
    return f"func.func @f({head}) -> ({kinds_of_last}) {{\n{body}\n}}"


def sample_inputs(module: ModuleOp, count: int = 40) -> list[Any]:
    """One array of special values per tensor argument, of equal length."""
    return [
        np.resize(special_values(_dtype(argument))[:: 1 + argument.index], count)
        for argument in function_of(module).body.block.args
    ]
