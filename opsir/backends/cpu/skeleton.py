"""The loop nest of one kernel: loops, loads, the body at each level, stores.

Owns where every instruction goes; what an op becomes is the body emitter's, how an operand is
accessed ``memory``'s, and what surrounds the loops ``function``'s.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from llvmlite import ir
from xdsl.ir import SSAValue

from opsir.backends.body.context import I64, BodyContext
from opsir.backends.cpu import memory, streaming
from opsir.backends.cpu.levels import Levels, levels_of, moves_along
from opsir.backends.cpu.loops import counted, stage
from opsir.backends.cpu.program import element_dtype
from opsir.backends.cpu.scope import Scope
from opsir.backends.cpu.streaming import Result
from opsir.dialects.nest import KernelOp
from opsir.dialects.nest.streaming import refuses_streaming
from opsir.extent import ONE, ZERO, Extent
from opsir.trajectory import Space


@dataclass(frozen=True, slots=True)
class Values:
    """The extents and strides of a kernel as values in its function."""

    builder: ir.IRBuilder
    known: Mapping[Extent, ir.Value]

    def of(self, extent: Extent) -> ir.Value:
        """A constant, or the function's argument that holds it."""
        return I64(extent.value) if extent.is_constant else self.known[extent]


class Nest:
    """Emits the loops of one kernel over a space, at the builder's place."""

    def __init__(self, kernel: KernelOp, space: Space, outside: Scope, values: Values) -> None:
        self.kernel = kernel
        self.outside = outside
        self.builder = values.builder
        self.values = values
        self.levels: Levels = levels_of(kernel, space)
        self.extents = space.extents
        self.moves = space.trajectories
        self.tile_starts: dict[int, ir.Value] = {}
        self.streamed = False

    def emit(self, pointers: Sequence[ir.Value]) -> None:
        """All loops; ``pointers`` are the addresses of the operands, then of the results.

        There are two of each where results may be streamed, which their addresses decide once.
        """
        if not self.kernel.stream or refuses_streaming(self.kernel, self.outside.ctx.machine):
            self._level(0, pointers, self.outside)
            return
        with self.builder.if_else(self._may_stream(pointers)) as branches:
            for self.streamed, branch in zip((True, False), branches, strict=True):
                with branch:
                    self._level(0, pointers, self.outside.copy())
                    if self.streamed:
                        streaming.fence(self.builder)

    def _may_stream(self, pointers: Sequence[ir.Value]) -> ir.Value:
        results = self._results(pointers)
        steps = [[self.values.of(s) for s in r.move.strides[:-1]] for r in results]
        return streaming.may_stream(
            self.builder, results, steps, self._row_elements(), self.kernel.lanes
        )

    def _row_elements(self) -> ir.Value:
        """How many elements the last loop walks along without a break."""
        return self.values.of(self.extents[-1])

    def _results(self, pointers: Sequence[ir.Value]) -> list[Result]:
        first = len(self.kernel.tensor_inputs)
        dtypes = map(element_dtype, self.kernel.yielded)
        return list(map(Result, pointers[first:], self.moves[first:], dtypes))

    def _context(self, lanes: int) -> BodyContext:
        ctx = self.outside.ctx
        return BodyContext(self.builder, lanes, ctx.machine, ctx.flags)

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
        extent = self.values.of(self.extents[loop.axis])
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
                distances[stride] = self.builder.mul(index, self.values.of(stride))
            moved[operand] = memory.offset(self.builder, pointers[operand], distances[stride])
        return moved

    def _innermost(self, pointers: Sequence[ir.Value], scope: Scope) -> None:
        """The last loop: whole vectors, several at a time where scheduled, then single elements."""
        level = self.levels.innermost - 1
        position, stop = self._bounds(level)
        extent = self.extents[self.levels.loops[level].axis]
        divides = self.kernel.tile is None and extent.coefficient % self.kernel.lanes == 0
        self._stages(position, stop, pointers, scope, divides=divides)

    def _stages(
        self,
        position: ir.Value,
        stop: ir.Value,
        pointers: Sequence[ir.Value],
        scope: Scope,
        *,
        divides: bool,
    ) -> None:
        """The last loop from ``position`` to ``stop``; ``divides``: it ends with a whole vector."""
        axis = self.levels.loops[-1].axis
        lanes, unroll = self.kernel.lanes, self.kernel.unroll
        stages = dict.fromkeys([(lanes, unroll), (lanes, 1), (1, 1)])
        if self.streamed:
            divides = False
            boundary = streaming.boundary(self.builder, self._results(pointers)[0], lanes, stop)
            single = Scope(self._context(1), self.outside.literals, scope)
            peel = self._body(single, pointers, axis, 1)
            position = stage(self.builder, position, boundary, 1, "peel", peel)
        for width, turns in stages:
            if width == 1 and lanes > 1 and divides:
                continue
            name = "scalar" if width == 1 else "vector" if turns == 1 else "vectors"
            inner = Scope(self._context(width), self.outside.literals, scope)
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
        literals = self.outside.literals
        outer = (v for v in used if self.levels.of[v] < innermost and v not in literals)
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
                    self.values.of(stride),
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
                self.values.of(stride),
                streamed=self.streamed,
            )

    def _innermost_stride(self, operand: int) -> Extent:
        strides = self.moves[operand].strides
        return strides[-1] if strides else ZERO
