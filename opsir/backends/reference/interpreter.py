"""Runs one function of a module on NumPy arrays, at any stage from ``promote-types`` on.

Owns what each structural op and each kernel does; elementwise ops belong to ``opsir.evaluate``.
Shares nothing with the other back ends, so that any of them can be compared with it.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import prod
from typing import Any, cast

import numpy as np
from xdsl.dialects.builtin import ModuleOp, TensorType
from xdsl.dialects.func import FuncOp, ReturnOp
from xdsl.ir import Attribute, Block, Operation, SSAValue

from opsir.backends.reference.binding import Array, Value, bind_arguments, bind_symbols
from opsir.backends.reference.memory import Elements, Walk, gather, scatter
from opsir.backends.reference.views import view_of
from opsir.diagnostics import OpsirError, fail
from opsir.dialects import nest
from opsir.dialects.locations import fail_at
from opsir.dialects.nest import KernelOp
from opsir.dialects.opsir import (
    BindSizesOp,
    BroadcastOp,
    CastOp,
    CopyOp,
    DimOp,
    ElementwiseOp,
    FusedOp,
    RequireEqualOp,
    ScalarOp,
    ViewOp,
    YieldOp,
)
from opsir.dialects.opsir.types import (
    DYNAMIC,
    AnyTensor,
    dtype_of,
    element_of,
    extents_of,
    layout_of,
    strides_of,
)
from opsir.dtypes import DType
from opsir.evaluate import cast as convert
from opsir.evaluate import evaluate, evaluate_flags
from opsir.extent import ZERO, checked_product
from opsir.trajectory import Trajectory
from opsir.view import Reshape, place


@dataclass(frozen=True, slots=True)
class Outcome:
    """What one run gives: a new array per tensor result, a NumPy scalar per scalar result.

    ``flags`` are those of ``evaluate_flags`` over all elements computed; none where no result has
    an element.
    """

    results: tuple[Value, ...]
    flags: frozenset[str]


def run(
    module: ModuleOp,
    arguments: Sequence[Any],
    entry: str | None = None,
    outs: Sequence[Array] = (),
) -> Outcome:
    """Run the function ``entry``, or the only one, of a verified module.

    ``arguments`` are those of the function as it was traced: arrays, NumPy scalars, and Python
    numbers where it has weak arguments.  Arrays may have any strides.  ``outs`` are the arrays
    that the results are meant for: their shapes and strides bind the symbols of the result types,
    their contents are neither read nor written.

    Every kernel must read and write elements only, each element of a result once.  A size written
    ``?`` never repeats as a 1 would; before ``infer-shapes`` only operands whose own type says so
    are held to that.  What the types or ops do not allow is a located OpsirError.
    """
    function = _find(module, entry)
    values = bind_arguments(function, arguments)
    _require_agreement(function, values)
    interpreter = _Interpreter(bind_symbols(function, arguments, outs))
    returned = interpreter.run(function.body.block, values)
    results = tuple(r if isinstance(r, np.generic) else np.array(r) for r in returned)
    is_empty = all(result.size == 0 for result in results)
    return Outcome(results, frozenset() if is_empty else frozenset(interpreter.flags))


def _find(module: ModuleOp, entry: str | None) -> FuncOp:
    found = [op for op in module.ops if isinstance(op, FuncOp) and op.body.blocks]
    named = [op for op in found if entry is None or op.sym_name.data == entry]
    if len(named) != 1:
        names = ", ".join(op.sym_name.data for op in found) or "none"
        fail(f"expected the name of a function with a body, got {entry}; the module has {names}")
    return named[0]


class _Interpreter:
    """The values of one run."""

    def __init__(self, env: dict[str, int]) -> None:
        self.env = env
        self.flags: set[str] = set()
        self.values: dict[SSAValue, Value] = {}

    def run(self, block: Block, arguments: Sequence[Value]) -> list[Value]:
        """Evaluate a block; what its terminator passes on."""
        self.values.update(zip(block.args, arguments, strict=True))
        for op in block.ops:
            if isinstance(op, ReturnOp | YieldOp | nest.YieldOp):
                return [self.values[operand] for operand in op.operands]
            results = self._located(op, [self.values[operand] for operand in op.operands])
            self.values.update(zip(op.results, results, strict=True))
        raise AssertionError("a verified block ends in a terminator")

    def _located(self, op: Operation, operands: list[Value]) -> Sequence[Value]:
        """The results of one op; an error that knows no place is this op's."""
        try:
            return self._results(op, operands)
        except MemoryError:
            fail_at(op, "needs more memory than there is")
        except OpsirError as error:
            if error.location is not None:
                raise
            fail_at(op, error.detail, type(error))

    def _results(self, op: Operation, operands: list[Value]) -> Sequence[Value]:
        results: Sequence[Value]
        match op:
            case ElementwiseOp():
                results = (self._elementwise(op, operands),)
            case CastOp():
                results = (convert(operands[0], _dtype(op, op.result.type)),)
            case ScalarOp():
                _dtype(op, op.result.type)
                results = (op.python_value(),)
            case BroadcastOp():
                results = (self._broadcast(op, operands[0]),)
            case ViewOp():
                results = (self._view(op, np.asarray(operands[0])),)
            case CopyOp():
                results = (np.array(operands[0]),)
            case BindSizesOp():
                op.binding.bind(self.env)
                results = ()
            case DimOp():
                results = (np.int64(np.shape(operands[0])[op.axis.value.data]),)
            case RequireEqualOp():
                _require_equal(op, *(np.shape(operand) for operand in operands))
                results = ()
            case FusedOp():
                results = self._fused(op, operands)
            case KernelOp():
                results = self._kernel(op, operands)
            case _:
                fail_at(op, "has no meaning to the reference back end")
        return results

    def _elementwise(self, op: ElementwiseOp, operands: list[Value]) -> Value:
        shapes = [np.shape(operand) for operand in operands]
        if not _fit([operand.type for operand in op.operands], shapes):
            fail_at(op, f"got shapes {' and '.join(map(_text, shapes))}, which do not broadcast")
        self.flags |= evaluate_flags(op.short_name(), operands)
        return evaluate(op.short_name(), operands, _dtype(op, op.result.type))

    def _broadcast(self, op: BroadcastOp, value: Value) -> Value:
        if not isinstance(op.result.type, TensorType):
            fail_at(op, "broadcasts to a shape that is not known: run infer-shapes first")
        target = cast("AnyTensor", op.result.type)
        axes, source = op.axis_map(), np.shape(value)
        mapped = dict(zip(axes, source, strict=True))
        extents = extents_of(target)
        sizes = target.get_shape() if extents is None else [e.evaluate(self.env) for e in extents]
        shape = [mapped.get(a, n) if n == DYNAMIC else n for a, n in enumerate(sizes)]
        if DYNAMIC in shape or any(n not in (1, shape[a]) for a, n in mapped.items()):
            fail_at(op, f"cannot broadcast shape {_text(source)} along axes {axes} to {shape}")
        checked_product([*shape, _dtype(op, target).itemsize], "the size of the result in bytes")
        spread = np.reshape(value, [mapped.get(axis, 1) for axis in range(len(shape))])
        return np.broadcast_to(spread, shape)

    def _view(self, op: ViewOp, array: Array) -> Array:
        found = view_of(op.rule, array, self.env)
        operand, result = cast("AnyTensor", op.operand.type), cast("AnyTensor", op.result.type)
        if isinstance(op.result.type, TensorType) and not _is_declared(result, found.shape):
            fail_at(op, f"gives shape {_text(found.shape)}, its type is {result}")
        strides = strides_of(operand) if isinstance(op.operand.type, TensorType) else None
        layout = layout_of(result) if isinstance(op.result.type, TensorType) else None
        if strides is not None and layout is not None and layout.strides is not None:
            rule = op.rule.bound(self.env) if isinstance(op.rule, Reshape) else op.rule
            given = [stride.evaluate(self.env) for stride in strides]
            placed = place(rule, array.shape, given, _dtype(op, result).itemsize)
            for stride, value in zip(layout.strides, placed[1] if placed else (), strict=True):
                if stride.coefficient == 1 and len(stride.symbols) == 1:
                    self.env.setdefault(stride.symbols[0], value)
        return found

    def _fused(self, op: FusedOp, operands: list[Value]) -> list[Value]:
        before = set(self.flags)
        results = self.run(op.block, operands)
        if all(np.size(result) == 0 for result in results):
            self.flags = before
        return results

    def _kernel(self, op: KernelOp, operands: list[Value]) -> list[Value]:
        targets = [self._empty(op, output) for output in op.outputs]
        iterations = prod(extent.evaluate(self.env) for extent in op.extents.data)
        if any(target.size != iterations for target in targets):
            sizes = " and ".join(str(target.size) for target in targets)
            fail_at(op, f"has {iterations} iterations for results of {sizes} elements")
        if iterations == 0:
            return list(targets)
        elements = [self._read(op, index, value) for index, value in enumerate(operands)]
        yielded = self.run(op.block, elements)
        for index, (value, target) in enumerate(zip(yielded, targets, strict=True)):
            self._write(op, index, value, target)
        return list(targets)

    def _read(self, op: KernelOp, index: int, value: Value) -> Value:
        """What each iteration sees of one operand."""
        trajectory, type = op.input_trajectory(index), op.inputs[index].type
        if trajectory is None:
            return value
        elements = self._elements(op, cast("AnyTensor", type))
        walk = Walk.along(trajectory, op.extents.data, self.env, _dtype(op, type).itemsize)
        return gather(np.asarray(value), elements, walk)

    def _write(self, op: KernelOp, index: int, value: Value, target: Array) -> None:
        type = op.outputs[index].type
        elements = self._elements(op, cast("AnyTensor", type))
        trajectory, size = op.output_trajectories[index], _dtype(op, type).itemsize
        walk = Walk.along(trajectory, op.extents.data, self.env, size)
        scatter(np.asarray(value), elements, walk, target)

    def _elements(self, op: Operation, type: AnyTensor) -> Elements:
        sizes, strides, layout = extents_of(type), strides_of(type), layout_of(type)
        if sizes is None or strides is None:
            fail_at(op, f"needs named sizes, got {type}: run infer-shapes first")
        place = Trajectory(layout.start if layout else ZERO, strides)
        return Elements.of(place, sizes, self.env, _dtype(op, type).itemsize)

    def _empty(self, op: Operation, result: SSAValue) -> Array:
        sizes = extents_of(cast("AnyTensor", result.type))
        if sizes is None:
            fail_at(op, f"needs named sizes, got {result.type}: run infer-shapes first")
        shape = [size.evaluate(self.env) for size in sizes]
        return np.empty(shape, _dtype(op, result.type).numpy)


def _dtype(op: Operation, type: Attribute) -> DType:
    dtype = dtype_of(element_of(type))
    if dtype is None:
        fail_at(op, f"has a value of type {type}: run promote-types first")
    return dtype


def _fit(types: Sequence[Attribute], shapes: Sequence[tuple[int, ...]]) -> bool:
    """Whether operands broadcast, repeating only along axes of declared size 1: ``?`` is not 1."""
    try:
        target = np.broadcast_shapes(*shapes)
    except ValueError:
        return False
    for type, shape in zip(types, shapes, strict=True):
        if isinstance(type, TensorType):
            declared = cast("AnyTensor", type).get_shape()
            aligned = target[len(target) - len(shape) :]
            if any(n != m and wanted != 1 for wanted, n, m in zip(declared, shape, aligned)):
                return False
    return True


def _is_declared(type: AnyTensor, shape: tuple[int, ...]) -> bool:
    declared = type.get_shape()
    pairs = zip(declared, shape)
    return len(declared) == len(shape) and all(wanted in (DYNAMIC, n) for wanted, n in pairs)


def _text(shape: Sequence[int]) -> str:
    return str(list(shape))


def _require_agreement(function: FuncOp, values: Sequence[Value]) -> None:
    """Compare what a broadcast needs to agree, before equal symbols would say less about it."""
    given: dict[SSAValue, Value] = dict(zip(function.body.block.args, values, strict=True))
    for op in function.body.block.ops:
        if isinstance(op, RequireEqualOp) and op.lhs in given and op.rhs in given:
            _require_equal(op, np.shape(given[op.lhs]), np.shape(given[op.rhs]))


def _require_equal(op: RequireEqualOp, left: tuple[int, ...], right: tuple[int, ...]) -> None:
    first, second = op.axis_pair()
    if left[first] != right[second]:
        fail_at(
            op,
            f"got shapes {_text(left)} and {_text(right)}, which do not broadcast: size "
            f"{left[first]} on axis {first} meets size {right[second]} on axis {second}",
        )
