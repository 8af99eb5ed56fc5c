"""The entry of a compiled function for several threads, and the part that each of them runs.

Owns how a kernel's work is shared out and when that is worth it. Starts no thread: the caller says
who runs the shares. A share is the kernel's function with addresses moved on and one extent made
smaller, so it computes what the whole would have computed there.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from llvmlite import ir

from opsir.abi import WORD_BYTES, Abi
from opsir.backends.body.context import I32, I64
from opsir.backends.cpu import memory
from opsir.backends.cpu.cut import cut_function
from opsir.backends.cpu.entry import Block, kernel_arguments
from opsir.backends.cpu.environment import default_environment
from opsir.backends.cpu.function import KernelFunction
from opsir.backends.cpu.generalise import FreeAxis
from opsir.backends.cpu.loops import smaller
from opsir.backends.cpu.program import KernelCall, Program, element_dtype
from opsir.backends.cpu.work import iteration_work
from opsir.machine import Machine

GRAIN = 3 << 19
"""Bytes moved within the caches that a share is worth, or ops that take as long: 33 us at 48 GB/s.

A helper that is awake starts 0.3 us after work is offered, one that sleeps 9 us after it at best.
On a virtual machine of two cores (``make bench BENCH_ARGS="--threads 2"``) a sleeping core often
takes far longer: two shares of 12 us made sums of 1e5 elements up to twice as slow, and sums of
5e5 elements up to 1.7 times as fast. Two shares are the time of 350,000 sums of f32.
"""
EVEN = 4
"""An axis with so many positions per share is cut evenly enough."""
AXES = 3
"""Axes that are considered, from the scheduled one inwards."""

SHARE_TYPE = ir.FunctionType(I32, [memory.POINTER, I64, I64, I64])
RUN_TYPE = ir.FunctionType(I32, [memory.POINTER, memory.POINTER, memory.POINTER, I64, I64])


@dataclass(frozen=True, slots=True)
class Split:
    """A way to share out a kernel: along an axis, or not at all."""

    call: KernelCall
    kernel: KernelFunction
    axis: int | None

    @property
    def free(self) -> FreeAxis | None:
        """The axis as the kernel's function has it."""
        return None if self.axis is None else self.kernel.axes[self.axis]


def emit_shares(
    module: ir.Module,
    name: str,
    program: Program,
    kernels: Sequence[KernelFunction],
    machine: Machine,
) -> None:
    """Emit ``i32 name.threads(ptr block, ptr crew)`` and ``name.share``.

    ``i32 name.share(ptr block, i64 split, i64 number, i64 shares)`` runs share ``number`` of
    ``shares`` of a kernel, in the default environment. ``name.threads`` runs the kernels in order.
    A crew is three words: how many shares a kernel may have, ``run`` and ``team``. Several shares
    are run by ``i32 run(team, share, block, split, shares)``, which runs each once, on any thread,
    and returns when all are done. All return error flags.
    """
    splits = [
        [Split(call, kernel, axis) for axis in split_axes(call, kernel) or (None,)]
        for call, kernel in zip(program.kernels, kernels, strict=True)
    ]
    share = _function(module, SHARE_TYPE, f"{name}.share", "block split number shares")
    _emit_share(share, [s for ways in splits for s in ways], program.abi, machine)
    type = ir.FunctionType(I32, [memory.POINTER, memory.POINTER])
    entry = _function(module, type, threads_symbol(name), "block crew")
    _Entry(entry, share, program.abi, machine).emit(splits)


def threads_symbol(entry: str) -> str:
    """The symbol of the entry for several threads, beside the one for a single thread."""
    return f"{entry}.threads"


def split_axes(call: KernelCall, kernel: KernelFunction) -> tuple[int, ...]:
    """The axes along which a kernel can be shared out, the scheduled one first, then inwards."""
    first = call.op.parallel or 0
    free = [axis for axis, found in enumerate(kernel.axes) if found is not None and axis >= first]
    return tuple(free[:AXES])


def _function(module: ir.Module, type: ir.FunctionType, name: str, names: str) -> ir.Function:
    function = ir.Function(module, type, name)
    function.attributes.add("nounwind")
    for argument, text in zip(function.args, names.split(), strict=True):
        argument.name = text
    return function


def _emit_share(function: ir.Function, splits: Sequence[Split], abi: Abi, machine: Machine) -> None:
    block, split, number, shares = function.args
    builder = ir.IRBuilder(function.append_basic_block("entry"))
    with default_environment(builder, machine):
        ways = [builder.append_basic_block(f"split{index}") for index in range(len(splits))]
        done = builder.append_basic_block("done")
        choice = builder.switch(split, ways[-1])
        for index, way in enumerate(ways[:-1]):
            choice.add_case(I64(index), way)
        raised: list[tuple[ir.Value, ir.Block]] = []
        for way, item in zip(ways, splits, strict=True):
            builder.position_at_end(way)
            words = Block(builder, block, abi, machine)
            arguments = _share_arguments(words, item, number, shares)
            raised.append((builder.call(item.kernel.function, arguments), builder.block))
            builder.branch(done)
        builder.position_at_end(done)
        flags = builder.phi(I32)
        for value, origin in raised:
            flags.add_incoming(value, origin)
    builder.ret(flags)


def _share_arguments(
    words: Block, split: Split, number: ir.Value, shares: ir.Value
) -> list[ir.Value]:
    """What the kernel is called with: addresses moved to where the share begins, its extent."""
    arguments = kernel_arguments(words, split.call, split.kernel)
    if split.axis is None or split.free is None:
        return arguments
    builder, axis = words.builder, split.axis
    space = split.call.op.space
    extent = words.extent(space.extents[axis])
    written = _narrowest_result(split.call)
    base = builder.ptrtoint(arguments[written], I64)
    stride = words.extent(space.trajectories[written].strides[axis])
    cut = cut_function(builder.module)
    begin = builder.call(cut, [base, stride, extent, number, shares])
    end = builder.call(cut, [base, stride, extent, builder.add(number, I64(1)), shares])
    for operand, move in enumerate(space.trajectories):
        distance = builder.mul(begin, words.extent(move.strides[axis]))
        arguments[operand] = memory.offset(builder, arguments[operand], distance)
    place = len(arguments) - len(split.kernel.extents) + split.free.place
    arguments[place] = builder.sub(end, begin)
    return arguments


def _narrowest_result(call: KernelCall) -> int:
    """Which trajectory decides where lines begin: at its cuts wider elements begin lines too."""
    first = len(call.op.tensor_inputs)
    sizes = [element_dtype(output).itemsize for output in call.op.outputs]
    return first + sizes.index(min(sizes))


class _Callee(ir.FormattedConstant):
    """A pointer as something to call."""

    def __init__(self, pointer: ir.Value, type: ir.FunctionType) -> None:
        super().__init__(memory.POINTER, pointer.get_reference())
        self.function_type = type


class _Entry:
    """Emits the entry: decides for each kernel how many shares it has, along which axis."""

    def __init__(
        self, function: ir.Function, share: ir.Function, abi: Abi, machine: Machine
    ) -> None:
        self.block, crew = function.args
        self.share = share
        self.builder = ir.IRBuilder(function.append_basic_block("entry"))
        self.threads = self._word(crew, 0, "threads", I64)
        self.run = _Callee(self._word(crew, 1, "run", memory.POINTER), RUN_TYPE)
        self.team = self._word(crew, 2, "team", memory.POINTER)
        self.words = Block(self.builder, self.block, abi, machine)

    def _word(self, crew: ir.Value, index: int, name: str, type: ir.Type) -> ir.Value:
        at = memory.offset(self.builder, crew, I64(index * WORD_BYTES))
        return self.builder.load(at, name, align=WORD_BYTES, typ=type)

    def emit(self, splits: Sequence[Sequence[Split]]) -> None:
        """Kernel after kernel, each with its ways to share it out."""
        flags: ir.Value = I32(0)
        first = 0
        for ways in splits:
            shareable = ways[0].axis is not None
            raised = self._shared(ways, first) if shareable else self._alone(first)
            flags = self.builder.or_(flags, raised)
            first += len(ways)
        self.builder.ret(flags)

    def _alone(self, split: int) -> ir.Value:
        return self.builder.call(self.share, [self.block, I64(split), I64(0), I64(1)])

    def _shared(self, ways: Sequence[Split], first: int) -> ir.Value:
        builder = self.builder
        split, shares = self._chosen(ways, first)
        several, alone, done = (builder.append_basic_block(n) for n in ("several", "alone", "done"))
        builder.cbranch(builder.icmp_signed(">", shares, I64(1)), several, alone)
        builder.position_at_end(several)
        share = ir.FormattedConstant(memory.POINTER, self.share.get_reference())
        together = builder.call(self.run, [self.team, share, self.block, split, shares])
        builder.branch(done)
        builder.position_at_end(alone)
        single = self._alone(first)
        builder.branch(done)
        builder.position_at_end(done)
        flags = builder.phi(I32)
        flags.add_incoming(together, several)
        flags.add_incoming(single, alone)
        return flags

    def _chosen(self, ways: Sequence[Split], first: int) -> tuple[ir.Value, ir.Value]:
        """Split and shares: as many as the work is worth, along the first axis that is long enough.

        Where none is, the longest axis is taken, counted in parts of the least length; an axis has
        at most a share per part.
        """
        builder = self.builder
        op = ways[0].call.op
        work: ir.Value = I64(iteration_work(op))
        for extent in op.extents.data:
            work = builder.mul(work, self.words.extent(extent))
        wanted = smaller(self.builder, builder.udiv(work, I64(GRAIN)), self.threads)
        enough = builder.mul(wanted, I64(EVEN))
        lengths = [self._parts(way) for way in ways]
        split, length = I64(first), lengths[0]
        for number, other in enumerate(lengths[1:], first + 1):
            better = builder.and_(
                builder.icmp_signed("<", length, enough), builder.icmp_signed(">", other, length)
            )
            split = builder.select(better, I64(number), split)
            length = builder.select(better, other, length)
        return split, smaller(self.builder, wanted, length)

    def _parts(self, way: Split) -> ir.Value:
        assert way.axis is not None
        assert way.free is not None
        extent = self.words.extent(way.call.op.extents.data[way.axis])
        shift = way.free.part_shift
        return self.builder.lshr(extent, I64(shift)) if shift else extent
