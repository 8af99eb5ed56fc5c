"""Routines that copy a strided block of memory into dense scratch memory.

Owns their LLVM IR, one routine per element size, and the shuffles in it. Kernels call them by name;
they know no operand and no dtype, and read no byte beside the elements of their block.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial

from llvmlite import ir

from opsir.backends.body.context import I32, I64
from opsir.backends.cpu.loops import counted, stage
from opsir.backends.cpu.memory import POINTER, offset

VECTOR_BYTES = 16
"""Width of the vectors that move: the network of a transpose has its logarithm as depth."""
STEPS = (1, -1, 2, -2)
"""Steps in elements along a row for which whole vectors are read and sorted out by shuffles."""
SIZES = (1, 2, 4, 8)

_TYPE = ir.FunctionType(ir.VoidType(), [POINTER, POINTER, I64, I64, I64, I64])
_NAMES = ("to", "from", "down", "across", "rows", "columns")


def gather_symbol(size: int) -> str:
    """The symbol of the routine for elements of ``size`` bytes.

    Its arguments: where to, where from, bytes from row to row and from column to column, rows and
    columns. Rows are written one after the other without gaps.
    """
    return f"opsir.gather{size}"


def declared(module: ir.Module, size: int) -> ir.Function:
    """The routine for elements of ``size`` bytes as ``module`` sees it."""
    symbol = gather_symbol(size)
    known = module.globals.get(symbol)
    if known is None:
        known = ir.Function(module, _TYPE, symbol)
        known.attributes.add("nounwind")
    return known


def define_missing(module: ir.Module, *, linkage: str = "") -> None:
    """Give every routine that is declared in ``module`` its body."""
    for size in SIZES:
        function = module.globals.get(gather_symbol(size))
        if function is not None and not function.blocks:
            function.linkage = linkage
            _Routine(function, size).emit()


class _Routine:
    """Emits one routine: by the steps of a block, the fastest way to read it."""

    def __init__(self, function: ir.Function, size: int) -> None:
        for argument, name in zip(function.args, _NAMES, strict=True):
            argument.name = name
        self.to, self.source, self.down, self.across, self.rows, self.columns = function.args
        self.to.add_attribute("noalias")
        self.size, self.lanes = size, VECTOR_BYTES // size
        self.element = ir.IntType(8 * size)
        self.vector = ir.VectorType(self.element, self.lanes)
        self.builder = ir.IRBuilder(function.append_basic_block("entry"))
        self.pitch = self.builder.mul(self.columns, I64(size))

    def emit(self) -> None:
        builder = self.builder
        turned = builder.icmp_signed("==", self.down, I64(self.size))
        with builder.if_else(turned) as (is_turned, is_not):
            with is_turned:
                self._transposed()
            with is_not:
                self._row_by_row()
        builder.ret_void()

    def _row_by_row(self) -> None:
        """In each row whole vectors where its step allows, then single elements."""
        with counted(self.builder, I64(0), self.rows, 1, "row") as row:
            left: ir.Value = I64(0)
            for step in STEPS:
                left = self._stepping(row, left, step)
            self._elements(left, self.columns, row)

    def _stepping(self, row: ir.Value, first: ir.Value, step: int) -> ir.Value:
        """Whole vectors of a row whose elements lie ``step`` elements apart; what is left over.

        What is read for a vector ends before the element that follows it: the last element of a
        row is never part of one, unless nothing lies between the elements.
        """
        builder = self.builder
        spare = 0 if abs(step) == 1 else 1
        is_step = builder.icmp_signed("==", self.across, I64(step * self.size))
        stop = builder.select(is_step, builder.sub(self.columns, I64(spare)), I64(0))

        def body(column: ir.Value) -> None:
            self._write(self._spread(self._address(row, column), step), row, column)

        name = f"step{'.back' if step < 0 else ''}{abs(step)}"
        return stage(builder, first, stop, self.lanes, name, lambda: body)

    def _spread(self, address: ir.Value, step: int) -> ir.Value:
        """A vector of elements ``step`` elements apart, the first at ``address``."""
        window = abs(step) * self.lanes
        lowest = 0 if step > 0 else 1 - window
        start = offset(self.builder, address, I64(lowest * self.size))
        wide = self.builder.load(start, align=1, typ=ir.VectorType(self.element, window))
        return self._shuffled(wide, wide, [lane * step - lowest for lane in range(self.lanes)])

    def _transposed(self) -> None:
        """Rows lie side by side: square blocks are read column by column and turned."""
        builder, lanes = self.builder, self.lanes

        def column_blocks(column: ir.Value) -> None:
            def row_blocks(row: ir.Value) -> None:
                read = [
                    self._read(self._address(row, builder.add(column, I64(k))), self.vector)
                    for k in range(lanes)
                ]
                for k, vector in enumerate(self._turned(read)):
                    self._write(vector, builder.add(row, I64(k)), column)

            end = builder.add(column, I64(lanes))
            left = stage(builder, I64(0), self.rows, lanes, "square", lambda: row_blocks)
            below = partial(self._elements, column, end)
            stage(builder, left, self.rows, 1, "below", lambda: below)

        left = stage(builder, I64(0), self.columns, lanes, "strip", lambda: column_blocks)
        with counted(builder, I64(0), self.rows, 1, "beside") as row:
            self._elements(left, self.columns, row)

    def _turned(self, vectors: list[ir.Value]) -> list[ir.Value]:
        """The transpose of a square of vectors: perfect shuffles of its two halves, repeated."""
        half = self.lanes // 2
        low = [lane // 2 + (lane % 2) * self.lanes for lane in range(self.lanes)]
        high = [lane + half for lane in low]
        for _ in range(half.bit_length()):
            pairs = [(vectors[k], vectors[k + half]) for k in range(half)]
            vectors = [self._shuffled(a, b, order) for a, b in pairs for order in (low, high)]
        return vectors

    def _shuffled(self, a: ir.Value, b: ir.Value, order: Sequence[int]) -> ir.Value:
        lanes = ir.Constant(ir.VectorType(I32, len(order)), [I32(lane) for lane in order])
        return self.builder.shuffle_vector(a, b, lanes)

    def _elements(self, first: ir.Value, stop: ir.Value, row: ir.Value) -> None:
        """The columns of a row from ``first`` to ``stop``, one element after the other."""

        def body(column: ir.Value) -> None:
            element = self._read(self._address(row, column), self.element)
            self._write(element, row, column)

        stage(self.builder, first, stop, 1, "element", lambda: body)

    def _address(self, row: ir.Value, column: ir.Value) -> ir.Value:
        down = self.builder.mul(row, self.down)
        across = self.builder.mul(column, self.across)
        return offset(self.builder, self.source, self.builder.add(down, across))

    def _read(self, address: ir.Value, type: ir.Type) -> ir.Value:
        return self.builder.load(address, align=1, typ=type)

    def _write(self, value: ir.Value, row: ir.Value, column: ir.Value) -> None:
        down = self.builder.mul(row, self.pitch)
        across = self.builder.mul(column, I64(self.size))
        address = offset(self.builder, self.to, self.builder.add(down, across))
        self.builder.store(value, address, align=1)
