"""Rows of which some operand is not dense: blocks of the two innermost axes, odd operands gathered.

Owns the shape of a block and its scratch memory. The loop over a block sees dense vectors only. An
operand is read at its own index, and before that index is written.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from llvmlite import ir
from xdsl.ir import SSAValue

from opsir.backends.body.context import I1, I8, I64, BodyContext, splat, store_value
from opsir.backends.cpu import memory
from opsir.backends.cpu.gathering import VECTOR_BYTES, declared
from opsir.backends.cpu.loops import counted, smaller, stage
from opsir.backends.cpu.program import element_dtype
from opsir.backends.cpu.scope import Scope
from opsir.backends.cpu.skeleton import Nest, Values
from opsir.dialects.nest import KernelOp
from opsir.dtypes import DType
from opsir.extent import Extent
from opsir.trajectory import Space

SCRATCH_BYTES = 1 << 16
"""Scratch memory of one kernel at most, whatever block is asked for: it lies on the stack."""
STRIP = 64
"""Columns of a block in which some operand is transposed."""


@dataclass(frozen=True, slots=True)
class _Block:
    """One block at run time: rows, elements of a row, and each operand's first address."""

    rows: ir.Value
    columns: ir.Value
    pointers: Sequence[ir.Value]


@dataclass(frozen=True, slots=True)
class _Place:
    """Where a row of a block begins: an address, and bytes from row to row."""

    start: ir.Value
    pitch: ir.Value


class _Unstreamed(Nest):
    """A nest whose stores go through the caches, whatever the schedule allows."""

    def emit(self, pointers: Sequence[ir.Value]) -> None:
        self._level(0, pointers, self.outside)


class StridedRows(_Unstreamed):
    """Emits a nest whose two innermost axes run in blocks; a single axis is a single row."""

    def __init__(
        self, kernel: KernelOp, space: Space, outside: Scope, values: Values, entry: ir.Block
    ) -> None:
        super().__init__(kernel, space, outside.copy(), values)
        self.axis = len(self.extents) - 1
        self.row_axis = self.axis - 1 if self.axis else None
        inner = self.levels.innermost
        arguments = [kernel.block.args[index] for index in kernel.tensor_inputs]
        self.moving: dict[SSAValue, int] = {
            value: place for place, value in enumerate(arguments) if self.levels.of[value] == inner
        }
        held = self._imported() if self.axis else []
        self.row_values = [v for v in held if self.levels.of[v] == inner - 1]
        self.columns = values.of(self.extents[self.axis])
        self.capacity, self.scratch = self._allocate(entry)

    def _allocate(self, entry: ir.Block) -> tuple[int, Mapping[SSAValue, ir.Value]]:
        """Elements of a block, and memory for each value that may need it.

        What is stored beyond a block is less than a vector.
        """
        sizes = {v: element_dtype(v).itemsize for v in (*self.moving, *self.row_values)}
        fitting = SCRATCH_BYTES // max(sum(sizes.values()), 1)
        capacity = max(min(self.kernel.block_elements or 1, fitting), 1)
        scratch: dict[SSAValue, ir.Value] = {}
        with self.builder.goto_block(entry):
            for value, size in sizes.items():
                room = ir.ArrayType(I8, capacity * size + VECTOR_BYTES)
                place = self.builder.alloca(room, name="gathered")
                place.align, place.type = 64, memory.POINTER
                scratch[value] = place
        return capacity, scratch

    def is_worth_it(self) -> ir.Value:
        """Whether a row fills a vector, as an i1."""
        return self.builder.icmp_signed(">=", self.columns, I64(self.kernel.lanes))

    def _level(self, level: int, pointers: Sequence[ir.Value], scope: Scope) -> None:
        if level < self.levels.innermost - 2:
            super()._level(level, pointers, scope)
            return
        self._compute(level, pointers, scope)
        rows = I64(1) if self.row_axis is None else self.values.of(self.extents[self.row_axis])
        height, width = self._shape(rows)
        with counted(self.builder, I64(0), rows, height, "block") as top:
            tall = smaller(self.builder, height, self.builder.sub(rows, top))
            begin = self._down(pointers, top)
            with counted(self.builder, I64(0), self.columns, width, "strip") as left:
                wide = smaller(self.builder, width, self.builder.sub(self.columns, left))
                block = _Block(tall, wide, self._moved(begin, self.axis, left))
                self._expand_rows(block, scope)
                places = {value: self._gather(value, block) for value in self.moving}
                self._rows(block, places, scope)

    def _down(self, pointers: Sequence[ir.Value], row: ir.Value) -> Sequence[ir.Value]:
        return pointers if self.row_axis is None else self._moved(pointers, self.row_axis, row)

    def _steps(self, position: int) -> tuple[ir.Value, ir.Value]:
        """Bytes from row to row and from column to column."""
        strides = self.moves[position].strides
        down = I64(0) if self.row_axis is None else self.values.of(strides[self.row_axis])
        return down, self.values.of(strides[self.axis])

    def _shape(self, rows: ir.Value) -> tuple[ir.Value, ir.Value]:
        """Rows and columns of a block: wide, or a narrow strip where an operand is transposed."""
        builder = self.builder
        turned: ir.Value = I1(0)
        for value, position in self.moving.items():
            down, across = self._steps(position)
            if not isinstance(across, ir.Constant):
                size = I64(element_dtype(value).itemsize)
                turned = builder.or_(turned, builder.icmp_signed("==", down, size))
        strip = I64(min(STRIP, self.capacity))
        widest = builder.select(turned, strip, I64(self.capacity))
        width = smaller(self.builder, self.columns, widest)
        height = builder.udiv(I64(self.capacity), width)
        whole = builder.and_(height, I64(-VECTOR_BYTES))
        none = builder.icmp_signed("==", whole, I64(0))
        return smaller(self.builder, builder.select(none, height, whole), rows), width

    def _expand_rows(self, block: _Block, scope: Scope) -> None:
        """Repeat every value that belongs to a row along the row, in scratch memory.

        A vector that ends beyond its row is overwritten by the next row.
        """
        if not self.row_values:
            return
        builder = self.builder
        with counted(builder, I64(0), block.rows, 1, "row") as row:
            inner = scope.copy()
            self._compute(self.levels.innermost - 1, self._down(block.pointers, row), inner)
            first = builder.mul(row, block.columns)
            vectors = {value: self._repeated(inner, value) for value in self.row_values}
            for value, vector in vectors.items():
                dtype = element_dtype(value)
                to = self._element(self.scratch[value], first, dtype)
                step = VECTOR_BYTES // dtype.itemsize
                with counted(builder, I64(0), block.columns, step, "repeat") as column:
                    builder.store(vector, self._element(to, column, dtype), align=1)

    def _repeated(self, scope: Scope, value: SSAValue) -> ir.Value:
        dtype = element_dtype(value)
        stored = store_value(scope.ctx, scope.get(value), dtype)
        lanes = VECTOR_BYTES // dtype.itemsize
        return splat(BodyContext(self.builder, lanes, scope.ctx.machine), stored)

    def _gather(self, value: SSAValue, block: _Block) -> _Place:
        """Copy an operand's block into scratch memory, unless its rows are dense."""
        builder, position = self.builder, self.moving[value]
        size = I64(element_dtype(value).itemsize)
        down, across = self._steps(position)
        source, scratch = block.pointers[position], self.scratch[value]
        dense = builder.icmp_signed("==", across, size)
        with builder.if_then(builder.not_(dense)):
            routine = declared(builder.module, element_dtype(value).itemsize)
            builder.call(routine, [scratch, source, down, across, block.rows, block.columns])
        pitch = builder.mul(block.columns, size)
        return _Place(builder.select(dense, source, scratch), builder.select(dense, down, pitch))

    def _rows(self, block: _Block, gathered: Mapping[SSAValue, _Place], scope: Scope) -> None:
        """The body over one block, row by row."""
        builder, reads = self.builder, dict(gathered)
        for value in self.row_values:
            pitch = builder.mul(block.columns, I64(element_dtype(value).itemsize))
            reads[value] = _Place(self.scratch[value], pitch)
        writes = [
            _Place(block.pointers[position], self._steps(position)[0])
            for position in self.kernel.output_indices
        ]
        lanes, unroll = self.kernel.lanes, self.kernel.unroll
        with counted(builder, I64(0), block.rows, 1, "dense") as row:
            sources = {value: self._row(place, row) for value, place in reads.items()}
            targets = [self._row(place, row) for place in writes]
            position: ir.Value = I64(0)
            for width, turns in dict.fromkeys([(lanes, unroll), (lanes, 1), (1, 1)]):
                inner = Scope(self._context(width), self.outside.literals, scope)
                name = f"dense.{'scalar' if width == 1 else 'vector' if turns == 1 else 'vectors'}"
                body = self._dense(inner, sources, targets, turns)
                position = stage(builder, position, block.columns, width * turns, name, body)

    def _row(self, place: _Place, row: ir.Value) -> ir.Value:
        return memory.offset(self.builder, place.start, self.builder.mul(row, place.pitch))

    def _dense(
        self,
        scope: Scope,
        sources: Mapping[SSAValue, ir.Value],
        targets: Sequence[ir.Value],
        turns: int,
    ) -> Callable[[], Callable[[ir.Value], None]]:
        def prepare() -> Callable[[ir.Value], None]:
            scope.import_all(v for v in self._imported() if v not in sources)
            return emit

        def emit(index: ir.Value) -> None:
            for turn in range(turns):
                at = self.builder.add(index, I64(turn * scope.ctx.lanes)) if turn else index
                for value, start in sources.items():
                    dtype = element_dtype(value)
                    size, place = dtype.itemsize, self._element(start, at, dtype)
                    scope.values[value] = memory.load(
                        scope.ctx, place, dtype, Extent(size), I64(size)
                    )
                for op in self.levels.ops_at(self.kernel, self.levels.innermost):
                    scope.compute(op)
                for value, start in zip(self.kernel.yielded, targets, strict=True):
                    dtype = element_dtype(value)
                    size, place = dtype.itemsize, self._element(start, at, dtype)
                    stored = scope.get(value)
                    memory.store(scope.ctx, stored, place, dtype, Extent(size), I64(size))

        return prepare

    def _element(self, start: ir.Value, index: ir.Value, dtype: DType) -> ir.Value:
        distance = self.builder.mul(index, I64(dtype.itemsize))
        return memory.offset(self.builder, start, distance)


class SingleElements(_Unstreamed):
    """Emits a nest without vectors, for rows that are shorter than one."""

    def _stages(
        self,
        position: ir.Value,
        stop: ir.Value,
        pointers: Sequence[ir.Value],
        scope: Scope,
        *,
        divides: bool,
    ) -> None:
        inner = Scope(self._context(1), self.outside.literals, scope)
        body = self._body(inner, pointers, self.levels.loops[-1].axis, 1)
        stage(self.builder, position, stop, 1, "scalar", body)
