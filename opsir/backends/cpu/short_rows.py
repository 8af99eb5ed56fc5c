"""The loop nest of a kernel whose rows may be too short for vectors: rows joined in blocks.

Owns the walk over blocks of rows. How scratch memory is filled is ``packing``'s, the loop over a
block the nest's.
"""

from __future__ import annotations

from collections.abc import Sequence

from llvmlite import ir

from opsir.backends.body.context import I64
from opsir.backends.cpu import memory
from opsir.backends.cpu.loops import counted, smaller
from opsir.backends.cpu.packing import Packer, Pair
from opsir.backends.cpu.program import element_dtype
from opsir.backends.cpu.scope import Scope
from opsir.backends.cpu.skeleton import Nest, Values
from opsir.dialects.nest import KernelOp
from opsir.dialects.nest.packing import packed_elements
from opsir.flattening import flattened, pair_kinds
from opsir.trajectory import Space


class ShortRows(Nest):
    """Emits the nest over a kernel's space with the two innermost axes as one.

    Every element of a result is written after the block that holds it has been read, and no later
    block reads it: a result may be the very memory of an operand that walks on evenly.
    """

    def __init__(
        self, kernel: KernelOp, space: Space, outside: Scope, values: Values, entry: ir.Block
    ) -> None:
        # What walks on evenly shows in the kernel's own terms, not in general ones.
        kinds = pair_kinds(kernel.space)
        operands = [kernel.inputs[index] for index in kernel.tensor_inputs]
        dtypes = [element_dtype(value) for value in (*operands, *kernel.outputs)]
        sizes = [dtype.itemsize for dtype in dtypes]
        super().__init__(kernel, flattened(space, kinds, sizes), outside.copy(), values)
        *_, rows, row_elements = space.extents
        steps = [
            (values.of(move.strides[-2]), values.of(move.strides[-1]))
            for move in space.trajectories
        ]
        self.pair = Pair(values.of(rows), values.of(row_elements), steps)
        self.kinds = kinds
        elements = packed_elements(kernel) or 0
        self.packer = Packer(self._context(kernel.lanes), entry, kinds, dtypes, elements)

    def is_worth_it(self) -> ir.Value:
        """Whether the rows are short, as an i1."""
        longest = I64(self.packer.longest_row)
        return self.builder.icmp_signed("<=", self.pair.row_elements, longest)

    def _row_elements(self) -> ir.Value:
        """All rows lie one after the other; each block of them has its own ends."""
        return self.builder.mul(self.pair.rows, self.pair.row_elements)

    def _innermost(self, pointers: Sequence[ir.Value], scope: Scope) -> None:
        builder, pair = self.builder, self.pair
        block = self.packer.rows_per_block(pair)
        self.packer.repeat_rows(pair, pointers, smaller(self.builder, block, pair.rows))
        with counted(builder, I64(0), pair.rows, block, "block") as row:
            rows = smaller(self.builder, block, builder.sub(pair.rows, row))
            moved = [
                pointer
                if kind in ("fixed", "row")
                else memory.offset(builder, pointer, builder.mul(row, step[0]))
                for pointer, kind, step in zip(pointers, self.kinds, pair.steps, strict=True)
            ]
            self.packer.fill(pair, moved, rows)
            inside = [self.packer.scratch.get(i, pointer) for i, pointer in enumerate(moved)]
            stop = builder.mul(rows, pair.row_elements)
            self._stages(I64(0), stop, inside, scope, divides=False)
