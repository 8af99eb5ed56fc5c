"""The entry of a compiled function: reads the argument block, runs the kernels, reports flags.

Owns every access to the block and all products of symbols. Emits no loop.
"""

from __future__ import annotations

from collections.abc import Sequence

from llvmlite import ir

from opsir.abi import WORD_BYTES, Abi, Buffer, ScalarSlot, TensorSlots
from opsir.backends.body.context import (
    I32,
    I64,
    BodyContext,
    load_value,
    storage_type,
)
from opsir.backends.cpu import memory
from opsir.backends.cpu.environment import default_environment
from opsir.backends.cpu.function import KernelFunction
from opsir.backends.cpu.program import KernelCall, Program, ScalarArgument, SizeOf
from opsir.dtypes import I64 as INDEX
from opsir.dtypes import DType
from opsir.extent import ZERO, Extent
from opsir.machine import Machine


def emit_entry(
    module: ir.Module,
    name: str,
    program: Program,
    kernels: Sequence[KernelFunction],
    machine: Machine,
) -> None:
    """Emit ``i32 name(ptr block)``: the kernels in order, in the default environment."""
    function = ir.Function(module, ir.FunctionType(I32, [memory.POINTER]), name)
    function.attributes.add("nounwind")
    function.args[0].name = "block"
    builder = ir.IRBuilder(function.append_basic_block("entry"))
    block = Block(builder, function.args[0], program.abi, machine)
    with default_environment(builder, machine):
        flags: ir.Value = I32(0)
        for call, kernel in zip(program.kernels, kernels, strict=True):
            raised = builder.call(kernel.function, kernel_arguments(block, call, kernel))
            flags = builder.or_(flags, raised)
    builder.ret(flags)


def kernel_arguments(block: Block, call: KernelCall, kernel: KernelFunction) -> list[ir.Value]:
    """What a kernel's function is called with to run over its whole space."""
    values: list[ir.Value] = []
    for index in call.op.tensor_inputs:
        move = call.op.input_trajectory(index)
        source = call.inputs[index]
        assert move is not None
        assert isinstance(source, Buffer)
        values.append(block.address(source, move.start))
    for buffer, move in zip(call.outputs, call.op.output_trajectories, strict=True):
        values.append(block.address(buffer, move.start))
    for index in kernel.scalars:
        source = call.inputs[index]
        assert isinstance(source, ScalarArgument | SizeOf)
        values.append(block.scalar(source))
    values.extend(block.extent(extent) for extent in kernel.extents)
    return values


class Block:
    """Reads each word of the argument block once, where it is first needed."""

    def __init__(
        self, builder: ir.IRBuilder, pointer: ir.Value, abi: Abi, machine: Machine
    ) -> None:
        self.builder = builder
        self.pointer = pointer
        self.abi = abi
        self.context = BodyContext(builder, 1, machine)
        self.symbols = dict(abi.symbols)
        self.words: dict[tuple[int, str], ir.Value] = {}
        self.products: dict[Extent, ir.Value] = {}

    def word(self, position: int, type: ir.Type = I64) -> ir.Value:
        """The low bytes of a word as a value of ``type``."""
        key = (position, str(type))
        if key not in self.words:
            at = memory.offset(self.builder, self.pointer, I64(position * WORD_BYTES))
            self.words[key] = self.builder.load(at, align=WORD_BYTES, typ=type)
        return self.words[key]

    def address(self, buffer: Buffer, start: Extent) -> ir.Value:
        """Where a trajectory over a buffer starts."""
        base = self.word(self.abi.pointer(buffer), memory.POINTER)
        return base if start == ZERO else memory.offset(self.builder, base, self.extent(start))

    def scalar(self, source: ScalarArgument | SizeOf) -> ir.Value:
        """A scalar operand in a register."""
        if isinstance(source, SizeOf):
            slots = self.abi.arguments[source.argument]
            assert isinstance(slots, TensorSlots)
            return self._value(slots.sizes[source.axis], INDEX)
        slot = self.abi.arguments[source.index]
        assert isinstance(slot, ScalarSlot)
        return self._value(slot.position, slot.dtype)

    def _value(self, position: int, dtype: DType) -> ir.Value:
        return load_value(self.context, self.word(position, storage_type(dtype)), dtype)

    def extent(self, extent: Extent) -> ir.Value:
        """The value of an extent or stride; each product is computed once."""
        if extent not in self.products:
            product: ir.Value | None = None if extent.symbols else I64(extent.coefficient)
            for symbol in extent.symbols:
                factor = self.word(self.symbols[symbol])
                product = factor if product is None else self.builder.mul(product, factor)
            assert product is not None
            if extent.symbols and extent.coefficient != 1:
                product = self.builder.mul(product, I64(extent.coefficient))
            self.products[extent] = product
        return self.products[extent]
