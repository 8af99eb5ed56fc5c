"""Rows shorter than a few vectors, run as one flat axis in blocks that stay in the first cache.

Owns the scratch memory of a kernel and how it is filled: operands that do not walk on evenly from
row to row are laid out densely, a block of rows at a time, so that the loop over a block sees dense
vectors only. Knows no op; where the loop's instructions go is the nest's.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from llvmlite import ir

from opsir.backends.body.context import I8, I64, BodyContext, splat, storage_type
from opsir.backends.cpu import memory
from opsir.backends.cpu.loops import counted, stage
from opsir.dtypes import DType
from opsir.flattening import PairKind

SCRATCH_BYTES = 1 << 14
"""All scratch memory of a kernel: half a first-level cache of 32 KiB."""
ALIGNMENT = 64


@dataclass(frozen=True, slots=True)
class Pair:
    """The two innermost axes at run time: extents in elements, per operand the strides in bytes."""

    rows: ir.Value
    row_elements: ir.Value
    steps: Sequence[tuple[ir.Value, ir.Value]]


class Packer:
    """Scratch memory for the operands of one kernel that need it.

    ``kinds`` and ``dtypes`` have one entry per operand, ``packed`` lists those that get scratch.
    """

    def __init__(
        self,
        context: BodyContext,
        entry: ir.Block,
        kinds: Sequence[PairKind],
        dtypes: Sequence[DType],
        elements: int,
    ) -> None:
        self.context, self.kinds, self.dtypes = context, kinds, dtypes
        self.builder = builder = context.builder
        self.lanes = lanes = context.lanes
        self.packed = [i for i, kind in enumerate(kinds) if kind in ("row", "column", "other")]
        sizes = sum(dtypes[index].itemsize for index in self.packed)
        fitting = min(elements, SCRATCH_BYTES // max(sizes, 1))
        self.elements = fitting // lanes * lanes
        self.scratch: dict[int, ir.Value] = {}
        with builder.goto_block(entry):
            for index in self.packed:
                # A splat of a row's last element may write a vector beyond the block.
                size = (self.elements + lanes) * dtypes[index].itemsize
                place = builder.alloca(ir.ArrayType(I8, size), name=f"scratch{index}")
                place.align = ALIGNMENT
                place.type = memory.POINTER  # llvmlite types it, and takes no other element then.
                self.scratch[index] = place

    @property
    def longest_row(self) -> int:
        """Rows of more elements are for the loop over single rows.

        From four vectors on a row has little overhead of its own, and a block holds so many rows
        that its size is a multiple of the lanes.
        """
        return min(4 * self.lanes, self.elements // self.lanes)

    def rows_per_block(self, pair: Pair) -> ir.Value:
        """How many rows a block holds: a multiple of the lanes."""
        fitting = self.builder.udiv(I64(self.elements), pair.row_elements)
        return self.builder.and_(fitting, I64(-self.lanes))

    def repeat_rows(self, pair: Pair, pointers: Sequence[ir.Value], rows: ir.Value) -> None:
        """Lay out the operands that are the same in every row, for blocks of up to ``rows``."""
        for index in self.packed:
            if self.kinds[index] == "row":
                self._repeat(index, pointers[index], pair.steps[index][1], pair, rows)

    def fill(self, pair: Pair, pointers: Sequence[ir.Value], rows: ir.Value) -> None:
        """Lay out all other operands for the ``rows`` rows from ``pointers`` on."""
        for index in self.packed:
            if self.kinds[index] == "column":
                self._spread(index, pointers[index], pair.steps[index][0], pair, rows)
            elif self.kinds[index] == "other":
                self._gather(index, pointers[index], pair, rows)

    def _element(self, index: int, position: ir.Value) -> ir.Value:
        size = I64(self.dtypes[index].itemsize)
        distance = self.builder.mul(position, size)
        return memory.offset(self.builder, self.scratch[index], distance)

    def _move(self, source: ir.Value, target: ir.Value, dtype: DType) -> None:
        """One element as it lies in memory."""
        value = self.builder.load(source, align=1, typ=storage_type(dtype))
        self.builder.store(value, target, align=1)

    def _repeat(
        self, index: int, pointer: ir.Value, step: ir.Value, pair: Pair, rows: ir.Value
    ) -> None:
        """The first row from the operand, every other from the row before."""
        builder, dtype = self.builder, self.dtypes[index]
        with counted(builder, I64(0), pair.row_elements, 1, f"first{index}") as position:
            source = memory.offset(builder, pointer, builder.mul(position, step))
            self._move(source, self._element(index, position), dtype)

        def emit(position: ir.Value) -> None:
            source = self._element(index, builder.sub(position, pair.row_elements))
            self._move(source, self._element(index, position), dtype)

        stop = builder.mul(rows, pair.row_elements)
        stage(builder, pair.row_elements, stop, 1, f"repeat{index}", lambda: emit)

    def _spread(
        self, index: int, pointer: ir.Value, step: ir.Value, pair: Pair, rows: ir.Value
    ) -> None:
        """One element per row, stored as whole vectors: what is too much, the next row replaces."""
        builder, element = self.builder, storage_type(self.dtypes[index])
        with counted(builder, I64(0), rows, 1, f"spread{index}") as row:
            source = memory.offset(builder, pointer, builder.mul(row, step))
            value = builder.load(source, align=1, typ=element)
            vector = splat(self.context, value)
            start = builder.mul(row, pair.row_elements)
            with counted(
                builder, I64(0), pair.row_elements, self.lanes, f"along{index}"
            ) as position:
                target = self._element(index, builder.add(start, position))
                builder.store(vector, target, align=1)

    def _gather(self, index: int, pointer: ir.Value, pair: Pair, rows: ir.Value) -> None:
        builder, dtype = self.builder, self.dtypes[index]
        outer, inner = pair.steps[index]
        with counted(builder, I64(0), rows, 1, f"gather{index}") as row:
            from_row = memory.offset(builder, pointer, builder.mul(row, outer))
            start = builder.mul(row, pair.row_elements)
            with counted(builder, I64(0), pair.row_elements, 1, f"along{index}") as position:
                source = memory.offset(builder, from_row, builder.mul(position, inner))
                self._move(source, self._element(index, builder.add(start, position)), dtype)
