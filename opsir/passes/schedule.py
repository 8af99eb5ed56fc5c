"""The pass ``schedule``: how each kernel runs on a machine.

Owns the choice of lanes, of blocks for short rows, of stores past the caches and of the axis that
threads share: a policy over what ``opsir.machine`` says. A schedule never changes a result; one
written by hand is kept.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import get_args

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp
from xdsl.dialects.func import ReturnOp
from xdsl.ir import Attribute, Operation, SSAValue
from xdsl.passes import ModulePass

from opsir.diagnostics import fail
from opsir.dialects.nest import KernelOp
from opsir.dialects.nest.packing import refuses_gathering, refuses_packing
from opsir.dialects.nest.streaming import refuses_streaming
from opsir.dialects.opsir import ElementwiseOp
from opsir.dialects.opsir.types import dtype_of, element_of
from opsir.extent import ZERO, Extent
from opsir.flattening import pair_kinds
from opsir.machine import MACHINES, Machine
from opsir.signature import Bucket

MAX_LANES = 64
SHORT_ROW = 4
"""Vectors from which on a row has little overhead of its own."""
BLOCK_ELEMENTS = 4096
"""Of a packed block, before its bytes are held against the first-level cache."""
GATHERED_BYTES = 8192
"""Of a block of one gathered operand: two and the result lie in a first-level cache."""
FEW = 8
"""Iterations of an axis that are too few to be shared evenly, where another axis has more."""
RESULTS = ("apart", "reused")


@dataclass(frozen=True)
class SchedulePass(ModulePass):
    """Choose how every kernel runs, wherever its schedule leaves that open.

    Before::

        nest.kernel extents [n] ins(%a : tensor<?xf32> along [4]) outs(...) {...}

    After, for a machine with 32-byte registers and ``bucket=streaming``::

        nest.kernel extents [n] ins(%a : tensor<?xf32> along [4]) outs(...)
            attributes {lanes = 8 : i64, stream = 1 : i64, parallel = 0 : i64} {...}

    ``lanes``: a register full of the narrowest element that moves through memory, so that loads
    and stores are full width; fewer where the widest element of the body would then need more
    registers than the machine spares for one value. One lane for a kernel without axes; few where
    a body calls a function per element.

    ``stream``: where results exceed the caches, leave the function, are read by no other kernel
    and lie apart from all operands. Left out, stores are ordinary.

    ``parallel``: the outermost axis, but one of known extent below eight only where no other has
    more.

    ``block``: where rows may be short and some operand does not walk on evenly from row to row,
    how many elements are packed to be run as one flat axis. How long the rows are is seen when the
    kernel runs.

    ``block`` is also set where some operand is strided or transposed: how many of its elements are
    gathered at a time, so that the innermost loop still reads whole vectors.

    Requires: lower-to-nest. Ensures: every kernel has lanes, a power of two up to 64.
    """

    name = "schedule"

    machine: str = "x86-64-v3"
    """The machine to schedule for, by its name."""
    bucket: str = "cached"
    """How the bytes of a call compare with the caches: small, cached or streaming."""
    results: str = "apart"
    """Whether results are apart from all operands, or reused: in memory that is read as well."""

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        machine = MACHINES[_one_of("machine", self.machine, tuple(MACHINES))]
        bucket = _one_of("bucket", self.bucket, get_args(Bucket))
        results = _one_of("results", self.results, RESULTS)
        choices: dict[str, Callable[[KernelOp], int | None]] = {
            "lanes": lambda kernel: choose_lanes(kernel, machine),
            "parallel": choose_parallel,
            "block": choose_block,
        }
        if bucket == "streaming" and results == "apart":
            choices["stream"] = lambda kernel: choose_stream(kernel, machine)
        for kernel in op.walk():
            if isinstance(kernel, KernelOp):
                for name, choose in choices.items():
                    if name not in kernel.schedule:
                        kernel.set_schedule(**{**kernel.schedule, name: choose(kernel)})


def _one_of(option: str, value: str, known: tuple[str, ...]) -> str:
    if value not in known:
        fail(f"schedule: {option} is {', '.join(known[:-1])} or {known[-1]}, got {value}")
    return value


def choose_lanes(kernel: KernelOp, machine: Machine) -> int:
    """Elements computed side by side."""
    if not kernel.extents.data:
        return 1
    width = machine.vector_bytes
    narrowest = min(_itemsize(element_of(t)) for t in _moved_types(kernel))
    computed = [r.type for op in kernel.block.ops for r in op.results]
    widest = max([narrowest, *(_itemsize(t) for t in computed)])
    lanes = min(width // narrowest, machine.value_registers * width // widest, MAX_LANES)
    if _is_gathered(kernel) and refuses_gathering(kernel) is not None:
        lanes = min(lanes, machine.gathered_lanes)
    if _calls_per_element(kernel):
        lanes = min(lanes, width // 8)
    return max(lanes, 1)


def choose_block(kernel: KernelOp) -> int | None:
    """Elements of a packed block for rows that may be short or that must be gathered.

    None where packing is not possible or gains nothing: operands that all walk on evenly from row
    to row, rows known to be long, or an expensive op that runs once a row now.
    """
    if refuses_gathering(kernel) is None:
        return GATHERED_BYTES // max(_itemsize(element_of(t)) for t in _moved_types(kernel))
    if refuses_packing(kernel) is not None:
        return None
    inner = kernel.extents.data[-1]
    if inner.is_constant and inner.value > SHORT_ROW * kernel.lanes:
        return None
    inputs = pair_kinds(kernel.space)[: len(kernel.tensor_inputs)]
    if not {"row", "column", "other"} & set(inputs):
        return None
    held = [op for op, varies in _varying(kernel) if not varies]
    if any(isinstance(op, ElementwiseOp) and op.expensive for op in held):
        return None
    return BLOCK_ELEMENTS


def choose_stream(kernel: KernelOp, machine: Machine) -> int | None:
    """1 where the machine can stream the results and nobody reads them back; else None."""
    if refuses_streaming(kernel, machine) is not None or refuses_gathering(kernel) is None:
        return None
    readers = {type(use.operation) for output in kernel.outputs for use in output.uses}
    return 1 if readers == {ReturnOp} and all(o.uses for o in kernel.outputs) else None


def choose_parallel(kernel: KernelOp) -> int | None:
    """The outermost axis with enough iterations to be shared, else the longest; None without."""
    extents = kernel.extents.data
    if not extents:
        return None
    useful = (a for a, e in enumerate(extents) if not e.is_constant or e.value >= FEW)
    return next(useful, max(range(len(extents)), key=lambda axis: extents[axis].coefficient))


def _moved_types(kernel: KernelOp) -> list[Attribute]:
    """The types of all tensor operands, then of the results."""
    return [
        *(kernel.inputs[i].type for i in kernel.tensor_inputs),
        *(o.type for o in kernel.outputs),
    ]


def _itemsize(attribute: Attribute) -> int:
    dtype = dtype_of(attribute)
    return dtype.itemsize if dtype is not None else 1


def _calls_per_element(kernel: KernelOp) -> bool:
    """Whether the innermost loop evaluates an op that calls a function lane by lane."""
    return any(
        varies and isinstance(op, ElementwiseOp) and op.expensive for op, varies in _varying(kernel)
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
    types = [kernel.inputs[i].type for i in kernel.tensor_inputs]
    types += [output.type for output in kernel.outputs]
    for move, type in zip(kernel.space.trajectories, types, strict=True):
        size = _itemsize(element_of(type))
        if move.strides[-1] not in (ZERO, Extent(size), Extent(-size)):
            return True
    return False
