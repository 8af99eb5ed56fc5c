"""The loop nest of one kernel: loops, loads, the body at each level, stores.

Owns where every instruction goes; what an op becomes is the body emitter's, how an operand is
accessed ``memory``'s. A kernel reads and writes only through the pointers that it is given.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from llvmlite import ir
from xdsl.ir import SSAValue

from opsir.backends.body.context import I32, I64, BodyContext, value_type
from opsir.backends.cpu import memory
from opsir.backends.cpu.flags import Accumulators
from opsir.backends.cpu.generalise import generalised
from opsir.backends.cpu.levels import Levels, levels_of, moves_along
from opsir.backends.cpu.loops import counted, stage
from opsir.backends.cpu.program import KernelCall, Literal, element_dtype
from opsir.backends.cpu.scope import Literals, Scope
from opsir.dialects.opsir.literal import ScalarOp
from opsir.dtypes import DType
from opsir.extent import ONE, ZERO, Extent
from opsir.machine import Machine
from opsir.trajectory import Space


@dataclass(frozen=True, slots=True)
class KernelFunction:
    """A kernel's function and what its caller passes, in this order.

    First an address per tensor operand and result, already at its start; then the scalar operands
    that are no literals, by index; then the value of each extent and stride in ``extents``.
    """

    function: ir.Function
    scalars: tuple[int, ...]
    extents: tuple[Extent, ...]


def emit_kernel(
    module: ir.Module,
    name: str,
    call: KernelCall,
    machine: Machine,
    *,
    with_flags: bool,
    disjoint: Sequence[bool],
) -> KernelFunction:
    """Emit one kernel as a function that returns its error flags as an i32.

    ``disjoint`` tells of each result whether it shares no byte with any operand or other result.
    """
    kernel = call.op
    scalars = tuple(
        index
        for index in range(len(kernel.inputs))
        if kernel.input_trajectory(index) is None and not isinstance(call.inputs[index], Literal)
    )
    general = generalised(kernel)
    symbolic = _symbolic_extents(general.space)
    pointers = len(kernel.tensor_inputs) + len(kernel.outputs)
    types = [memory.POINTER] * pointers
    types += [value_type(element_dtype(kernel.inputs[index]), 1) for index in scalars]
    types += [I64] * len(symbolic)
    function = ir.Function(module, ir.FunctionType(I32, types), name)
    function.attributes.update(("noinline", "nounwind"))
    inputs = len(kernel.tensor_inputs)
    names = [f"in{index}" for index in range(inputs)]
    names += [f"out{index}" for index in range(len(kernel.outputs))]
    names += [f"scalar{index}" for index in scalars] + [str(extent) for extent in symbolic]
    for argument, text in zip(function.args, names, strict=True):
        argument.name = text
    for argument, apart in zip(function.args[inputs:pointers], disjoint, strict=True):
        if apart:
            argument.add_attribute("noalias")
    nest = _Nest(function, call, general.space, machine, with_flags)
    nest.bind(scalars, symbolic)
    nest.emit()
    return KernelFunction(function, scalars, tuple(general.values.get(e, e) for e in symbolic))


def _symbolic_extents(space: Space) -> tuple[Extent, ...]:
    """The distinct extents and strides that are not known at compile time."""
    used = [*space.extents, *(s for t in space.trajectories for s in t.strides)]
    return tuple(dict.fromkeys(e for e in used if not e.is_constant))


class _Nest:
    """Emits the body of one kernel function."""

    def __init__(
        self,
        function: ir.Function,
        call: KernelCall,
        space: Space,
        machine: Machine,
        with_flags: bool,
    ) -> None:
        self.kernel = call.op
        self.call = call
        self.machine = machine
        self.function = function
        self.levels: Levels = levels_of(self.kernel, space)
        self.extents = space.extents
        self.moves = space.trajectories
        entry = function.append_basic_block("entry")
        self.builder = ir.IRBuilder(entry)
        self.flags = Accumulators(self.builder, entry) if with_flags else None
        self.literals: Literals = _literals(call)
        self.known: dict[Extent, ir.Value] = {}
        self.outside = Scope(self._context(1), self.literals)
        self.tile_starts: dict[int, ir.Value] = {}

    def bind(self, scalars: Sequence[int], symbolic: Sequence[Extent]) -> None:
        """Name the function's arguments after what they stand for."""
        arguments = self.function.args[len(self.moves) :]
        for index, argument in zip(scalars, arguments, strict=False):
            self.outside.values[self.kernel.block.args[index]] = argument
        self.known.update(zip(symbolic, arguments[len(scalars) :], strict=True))

    def emit(self) -> None:
        """Loops inside a guard: a kernel without iterations touches nothing and raises nothing."""
        builder = self.builder
        run, done = (builder.append_basic_block(name) for name in ("run", "done"))
        empty = ZERO in self.extents
        builder.cbranch(self._is_empty(), done, run) if not empty else builder.branch(done)
        builder.position_at_end(run)
        if not empty:
            self._level(0, self.function.args[: len(self.moves)], self.outside)
        builder.branch(done)
        builder.position_at_end(done)
        builder.ret(self.flags.collect() if self.flags else I32(0))

    def _is_empty(self) -> ir.Value:
        """Whether some extent is zero; sizes are never negative."""
        empty: ir.Value = ir.IntType(1)(0)
        for extent in dict.fromkeys(e for e in self.extents if not e.is_constant):
            zero = self.builder.icmp_signed("<=", self._value(extent), I64(0))
            empty = self.builder.or_(empty, zero)
        return empty

    def _context(self, lanes: int) -> BodyContext:
        return BodyContext(self.builder, lanes, self.machine, self.flags)

    def _value(self, extent: Extent) -> ir.Value:
        return I64(extent.value) if extent.is_constant else self.known[extent]

    def _level(self, level: int, pointers: Sequence[ir.Value], scope: Scope) -> None:
        """Emit all that belongs inside the first ``level`` loops."""
        self._compute(level, pointers, scope)
        if level == self.levels.innermost:
            self._store(pointers, scope)
        elif level == self.levels.innermost - 1:
            self._innermost(pointers, scope)
        else:
            self._loop(level, pointers, scope)

    def _loop(self, level: int, pointers: Sequence[ir.Value], scope: Scope) -> None:
        loop = self.levels.loops[level]
        if self.extents[loop.axis] == ONE:
            self._level(level + 1, pointers, scope)
            return
        start, stop = self._bounds(level)
        step = loop.tile if loop.is_outer and loop.tile else 1
        name = f"{'tile' if loop.is_outer else 'axis'}{loop.axis}"
        with counted(self.builder, start, stop, step, name) as index:
            if loop.is_outer:
                self.tile_starts[loop.axis] = index
                self._level(level + 1, pointers, scope)
            else:
                self._level(level + 1, self._moved(pointers, loop.axis, index), scope)

    def _bounds(self, level: int) -> tuple[ir.Value, ir.Value]:
        """Where the loop at ``level`` starts and stops."""
        loop = self.levels.loops[level]
        extent = self._value(self.extents[loop.axis])
        start = self.tile_starts.get(loop.axis)
        if loop.tile is None or loop.is_outer or start is None:
            return I64(0), extent
        end = self.builder.add(start, I64(loop.tile))
        inside = self.builder.icmp_signed("<", end, extent)
        return start, self.builder.select(inside, end, extent)

    def _moved(self, pointers: Sequence[ir.Value], axis: int, index: ir.Value) -> list[ir.Value]:
        """The addresses at position ``index`` of an axis."""
        moved = list(pointers)
        distances: dict[Extent, ir.Value] = {}
        for operand, move in enumerate(self.moves):
            if not moves_along(move, self.extents, axis):
                continue
            stride = move.strides[axis]
            if stride not in distances:
                distances[stride] = self.builder.mul(index, self._value(stride))
            moved[operand] = memory.offset(self.builder, pointers[operand], distances[stride])
        return moved

    def _innermost(self, pointers: Sequence[ir.Value], scope: Scope) -> None:
        """The last loop: whole vectors, several at a time where scheduled, then single elements."""
        level = self.levels.innermost - 1
        axis = self.levels.loops[level].axis
        position, stop = self._bounds(level)
        lanes, unroll = self.kernel.lanes, self.kernel.unroll
        stages = dict.fromkeys([(lanes, unroll), (lanes, 1), (1, 1)])
        divides = self.kernel.tile is None and self.extents[axis].coefficient % lanes == 0
        for width, turns in stages:
            if width == 1 and lanes > 1 and divides:
                continue
            name = "scalar" if width == 1 else "vector" if turns == 1 else "vectors"
            inner = Scope(self._context(width), self.literals, scope)
            body = self._body(inner, pointers, axis, turns)
            position = stage(self.builder, position, stop, width * turns, name, body)

    def _body(
        self, scope: Scope, pointers: Sequence[ir.Value], axis: int, turns: int
    ) -> Callable[[], Callable[[ir.Value], None]]:
        innermost = self.levels.innermost

        def prepare() -> Callable[[ir.Value], None]:
            scope.import_all(self._imported())
            return emit

        def emit(index: ir.Value) -> None:
            for turn in range(turns):
                at = self.builder.add(index, I64(turn * scope.ctx.lanes)) if turn else index
                moved = self._moved(pointers, axis, at)
                self._compute(innermost, moved, scope)
                self._store(moved, scope)

        return prepare

    def _imported(self) -> list[SSAValue]:
        """Values from outside the last loop that are used within."""
        innermost = self.levels.innermost
        used: list[SSAValue] = list(self.kernel.yielded)
        for op in self.levels.ops_at(self.kernel, innermost):
            used.extend(op.operands)
        outer = (v for v in used if self.levels.of[v] < innermost and v not in self.literals)
        return list(dict.fromkeys(outer))

    def _compute(self, level: int, pointers: Sequence[ir.Value], scope: Scope) -> None:
        """Loads and ops of one level, at the builder's place."""
        for position, index in enumerate(self.kernel.tensor_inputs):
            argument = self.kernel.block.args[index]
            if self.levels.of[argument] == level:
                stride = self._innermost_stride(position)
                scope.values[argument] = memory.load(
                    scope.ctx,
                    pointers[position],
                    element_dtype(argument),
                    stride,
                    self._value(stride),
                )
        for op in self.levels.ops_at(self.kernel, level):
            scope.compute(op)

    def _store(self, pointers: Sequence[ir.Value], scope: Scope) -> None:
        first = len(self.kernel.tensor_inputs)
        for position, value in enumerate(self.kernel.yielded, first):
            stride = self._innermost_stride(position)
            memory.store(
                scope.ctx,
                scope.get(value),
                pointers[position],
                element_dtype(value),
                stride,
                self._value(stride),
            )

    def _innermost_stride(self, operand: int) -> Extent:
        strides = self.moves[operand].strides
        return strides[-1] if strides else ZERO


def _literals(call: KernelCall) -> Literals:
    """Literals of the body, and operands that are literals of the function."""
    found: dict[SSAValue, tuple[Any, DType]] = {
        op.result: (op.python_value(), element_dtype(op.result))
        for op in call.op.block.ops
        if isinstance(op, ScalarOp)
    }
    for argument, source in zip(call.op.block.args, call.inputs, strict=True):
        if isinstance(source, Literal):
            found[argument] = (source.value, source.dtype)
    return found
