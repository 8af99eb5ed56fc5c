"""The function of one kernel: its arguments, the guard against empty spaces, and its loops.

Owns what a caller passes to a kernel and which nests of loops the function holds. A kernel reads
and writes only through the pointers that it is given.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from llvmlite import ir
from xdsl.ir import SSAValue

from opsir.backends.body.context import I1, I32, I64, BodyContext, value_type
from opsir.backends.cpu import memory
from opsir.backends.cpu.flags import Accumulators
from opsir.backends.cpu.generalise import (
    FreeAxis,
    General,
    free_axes,
    generalised,
    symbolic_extents,
)
from opsir.backends.cpu.program import KernelCall, Literal, element_dtype
from opsir.backends.cpu.scope import Literals, Scope
from opsir.backends.cpu.short_rows import ShortRows
from opsir.backends.cpu.skeleton import Nest, Values
from opsir.backends.cpu.strided import SingleElements, StridedRows
from opsir.dialects.nest.packing import gathered_elements, packed_elements
from opsir.dialects.opsir.literal import ScalarOp
from opsir.dtypes import DType
from opsir.extent import ZERO, Extent
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
    axes: tuple[FreeAxis | None, ...]
    """Per axis how the function runs over part of it; None where it only takes the whole."""


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
    symbolic = symbolic_extents(general.space)
    function = _declare(module, name, call, scalars, symbolic, disjoint)
    entry = function.append_basic_block("entry")
    builder = ir.IRBuilder(entry)
    flags = Accumulators(builder, entry) if with_flags else None
    pointers = len(general.space.trajectories)
    numbers = function.args[pointers + len(scalars) :]
    outside = Scope(BodyContext(builder, 1, machine, flags), _literals(call))
    for index, argument in zip(scalars, function.args[pointers:], strict=False):
        outside.values[kernel.block.args[index]] = argument
    values = Values(builder, dict(zip(symbolic, numbers, strict=True)))
    _emit_body(call, general, function.args[:pointers], outside, values, entry)
    builder.ret(flags.collect() if flags else I32(0))
    extents = tuple(general.values.get(extent, extent) for extent in symbolic)
    return KernelFunction(function, scalars, extents, free_axes(kernel, general))


def _emit_body(
    call: KernelCall,
    general: General,
    pointers: Sequence[ir.Value],
    outside: Scope,
    values: Values,
    entry: ir.Block,
) -> None:
    """Loops inside a guard: a kernel without iterations touches nothing and raises nothing.

    Which nest of two is the right one may only be known when the kernel runs.
    """
    builder, kernel, space = outside.ctx.builder, call.op, general.space
    if ZERO in space.extents:
        return
    run, done = (builder.append_basic_block(name) for name in ("run", "done"))
    builder.cbranch(_is_empty(builder, space, values), done, run)
    builder.position_at_end(run)
    if gathered_elements(kernel) is not None:
        _either(
            StridedRows(kernel, space, outside, values, entry),
            SingleElements(kernel, space, outside, values),
            pointers,
        )
    elif packed_elements(kernel) is not None:
        _either(
            ShortRows(kernel, space, outside, values, entry),
            Nest(kernel, space, outside, values),
            pointers,
        )
    else:
        Nest(kernel, space, outside, values).emit(pointers)
    builder.branch(done)
    builder.position_at_end(done)


def _either(made: ShortRows | StridedRows, plain: Nest, pointers: Sequence[ir.Value]) -> None:
    """Run the nest that is made for some rows where it is worth it, else the other one."""
    builder = made.builder
    with builder.if_else(made.is_worth_it()) as (worth_it, otherwise):
        with worth_it:
            made.emit(pointers)
        with otherwise:
            plain.emit(pointers)


def _declare(
    module: ir.Module,
    name: str,
    call: KernelCall,
    scalars: Sequence[int],
    symbolic: Sequence[Extent],
    disjoint: Sequence[bool],
) -> ir.Function:
    kernel = call.op
    inputs, outputs = len(kernel.tensor_inputs), len(kernel.outputs)
    types = [memory.POINTER] * (inputs + outputs)
    types += [value_type(element_dtype(kernel.inputs[index]), 1) for index in scalars]
    types += [I64] * len(symbolic)
    function = ir.Function(module, ir.FunctionType(I32, types), name)
    function.attributes.update(("noinline", "nounwind"))
    names = [f"in{index}" for index in range(inputs)]
    names += [f"out{index}" for index in range(outputs)]
    names += [f"scalar{index}" for index in scalars] + [str(extent) for extent in symbolic]
    for argument, text in zip(function.args, names, strict=True):
        argument.name = text
    for argument, apart in zip(function.args[inputs : inputs + outputs], disjoint, strict=True):
        if apart:
            argument.add_attribute("noalias")
    return function


def _is_empty(builder: ir.IRBuilder, space: Space, values: Values) -> ir.Value:
    """Whether some extent is zero; sizes are never negative."""
    empty: ir.Value = I1(0)
    for extent in dict.fromkeys(e for e in space.extents if not e.is_constant):
        zero = builder.icmp_signed("<=", values.of(extent), I64(0))
        empty = builder.or_(empty, zero)
    return empty


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
