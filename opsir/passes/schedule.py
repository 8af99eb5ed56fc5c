"""The pass ``schedule``: how many elements are computed side by side, and how short rows run.

Owns the choice of lanes and blocks as a policy over a machine's register width. A schedule never
changes a result; an attribute written by hand is kept.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import Attribute, Operation, SSAValue
from xdsl.passes import ModulePass

from opsir.diagnostics import fail
from opsir.dialects.nest import KernelOp
from opsir.dialects.opsir import ElementwiseOp
from opsir.dialects.opsir.types import dtype_of, element_of
from opsir.extent import ZERO, Extent
from opsir.flattening import pair_kinds

MAX_LANES = 64
REGISTERS_PER_VALUE = 4
"""A value may take up to this many registers before the widest element narrows the vector."""
SHORT_ROW = 4
"""Vectors from which on a row has little overhead of its own."""
BLOCK_ELEMENTS = 4096
"""Of a packed block, before its bytes are held against the first-level cache."""
STRIDED_LANES = 8
"""Lanes where an operand is gathered element by element: more only grow the code."""


@dataclass(frozen=True)
class SchedulePass(ModulePass):
    """Choose the lanes of every kernel that has none.

    Before::

        nest.kernel extents [n] ins(%a : tensor<?xf32> along [4]) outs(...) {...}

    After, for 32-byte registers::

        nest.kernel extents [n] ins(%a : tensor<?xf32> along [4]) outs(...)
            attributes {lanes = 8 : i64} {...}

    A register full of the narrowest element that moves through memory, so that loads and stores
    are full width; fewer where the widest element of the body would then need more than four
    registers. One lane for a kernel without axes; few where a body calls a function per element.
    Where rows may be short and some operand does not walk on evenly from row to row, ``block``
    says how many elements are packed to be run as one flat axis; how long the rows are is seen
    when the kernel runs.

    Requires: lower-to-nest. Ensures: every kernel has lanes, a power of two up to 64.
    """

    name = "schedule"

    vector_bytes: int = 32
    """Width of a vector register in bytes: 16, 32 or 64."""

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        if self.vector_bytes not in (16, 32, 64):
            fail(f"schedule: vector-bytes is 16, 32 or 64, got {self.vector_bytes}")
        for kernel in op.walk():
            if isinstance(kernel, KernelOp) and kernel.schedule_value("lanes") is None:
                lanes = choose_lanes(kernel, self.vector_bytes)
                chosen = {"lanes": lanes, "block": choose_block(kernel, lanes)}
                kernel.set_schedule(**{**chosen, **kernel.schedule})


def choose_lanes(kernel: KernelOp, vector_bytes: int) -> int:
    """Elements computed side by side on a machine whose registers hold ``vector_bytes`` bytes."""
    if not kernel.extents.data:
        return 1
    moved = [kernel.inputs[i].type for i in kernel.tensor_inputs]
    moved += [o.type for o in kernel.outputs]
    narrowest = min(_itemsize(element_of(t)) for t in moved)
    computed = [r.type for op in kernel.block.ops for r in op.results]
    widest = max([narrowest, *(_itemsize(t) for t in computed)])
    lanes = min(vector_bytes // narrowest, REGISTERS_PER_VALUE * vector_bytes // widest, MAX_LANES)
    if _is_gathered(kernel):
        lanes = min(lanes, STRIDED_LANES)
    if _calls_per_element(kernel):
        lanes = min(lanes, vector_bytes // 8)
    return max(lanes, 1)


def choose_block(kernel: KernelOp, lanes: int) -> int | None:
    """Elements of a packed block for a kernel whose rows may be shorter than a few vectors.

    None where packing gains nothing: no rows, results that do not walk on evenly from row to row,
    operands that all do, rows known to be long, elements that do not lie side by side in a row, or
    an expensive op that runs once a row now.
    """
    if len(kernel.extents.data) < 2 or lanes == 1 or kernel.tile is not None:
        return None
    inner = kernel.extents.data[-1]
    if inner.is_constant and inner.value > SHORT_ROW * lanes:
        return None
    kinds = pair_kinds(kernel.space)
    inputs, results = kinds[: len(kernel.tensor_inputs)], kinds[len(kernel.tensor_inputs) :]
    if set(results) != {"flat"} or not {"row", "column", "other"} & set(inputs):
        return None
    if not all(move in (0, 1) for move in _innermost_moves(kernel)):
        return None
    held = [op for op, varies in _varying(kernel) if not varies]
    if any(isinstance(op, ElementwiseOp) and op.expensive for op in held):
        return None
    return BLOCK_ELEMENTS


def _itemsize(attribute: Attribute) -> int:
    dtype = dtype_of(attribute)
    return dtype.itemsize if dtype is not None else 1


def _calls_per_element(kernel: KernelOp) -> bool:
    """Whether the innermost loop evaluates an op that calls a function lane by lane."""
    return any(
        varies and isinstance(op, ElementwiseOp) and op.expensive
        for op, varies in _varying(kernel)
    )


def _varying(kernel: KernelOp) -> Iterator[tuple[Operation, bool]]:
    """Each op of the body, and whether its value changes along the innermost axis."""
    inner: dict[SSAValue, bool] = {}
    for index, argument in enumerate(kernel.block.args):
        move = kernel.input_trajectory(index)
        inner[argument] = move is not None and move.strides[-1] != ZERO
    for op in kernel.block.ops:
        varies = any(inner[o] for o in op.operands)
        inner.update(dict.fromkeys(op.results, varies))
        yield op, varies


def _is_gathered(kernel: KernelOp) -> bool:
    """Whether the innermost axis steps over more than one element of some operand or result."""
    return None in _innermost_moves(kernel)


def _innermost_moves(kernel: KernelOp) -> list[int | None]:
    """Elements per step along the innermost axis where those are 0, 1 or -1, else None."""
    moves = [(kernel.input_trajectory(i), kernel.inputs[i].type) for i in kernel.tensor_inputs]
    moves += list(zip(kernel.output_trajectories, (o.type for o in kernel.outputs), strict=True))
    found: list[int | None] = []
    for move, type in moves:
        assert move is not None
        size = _itemsize(element_of(type))
        known = {Extent(step * size): step for step in (0, 1, -1)}
        found.append(known.get(move.strides[-1]))
    return found
