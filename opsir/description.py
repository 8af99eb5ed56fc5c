"""The printable descriptor of a compiled program: what each kernel reads, writes and computes.

Owns operand classes and op counts, read from kernels as they stand. Changes nothing.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import prod
from typing import IO, Literal

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import Attribute
from xdsl.utils.target import Target

from opsir.dialects.nest import KernelOp
from opsir.dialects.opsir import ElementwiseOp
from opsir.dialects.opsir.types import dtype_of, element_of
from opsir.dtypes import DType
from opsir.extent import ONE, ZERO, Extent
from opsir.trajectory import Trajectory

OperandClass = Literal[
    "scalar", "dense", "splat", "row", "column", "middle", "strided", "gathered", "transposed"
]
Source = Literal["scalar", "splat", "vector", "reversed", "lanes"]
"""How the innermost axis is read or written: once by value, once and repeated, whole vectors
forward or backward, or element by element."""


@dataclass(frozen=True, slots=True)
class OperandPlan:
    """One operand or result: byte strides outermost first, its class, how its elements move."""

    name: str
    dtype: DType
    strides: tuple[Extent, ...] | None
    operand_class: OperandClass
    source: Source

    def __str__(self) -> str:
        strides = "by value" if self.strides is None else _listed(self.strides) + " bytes"
        return f"{self.name}: {self.dtype}, {self.operand_class}, {strides}, {self.source}"


@dataclass(frozen=True, slots=True)
class OpPlan:
    """One op of the body: how often it is evaluated, as a product of extents."""

    name: str
    dtype: DType
    times: tuple[Extent, ...]

    def count(self, env: dict[str, int]) -> int:
        """The number of evaluations for actual sizes."""
        return prod(extent.evaluate(env) for extent in self.times)

    def __str__(self) -> str:
        times = " * ".join(str(e) for e in self.times) or "1"
        return f"{self.name} {self.dtype} x {times}"


@dataclass(frozen=True, slots=True)
class KernelPlan:
    """One loop nest: its extents outermost first, lanes, operands, results and ops."""

    extents: tuple[Extent, ...]
    lanes: int
    operands: tuple[OperandPlan, ...]
    results: tuple[OperandPlan, ...]
    ops: tuple[OpPlan, ...]

    def __str__(self) -> str:
        lines = [f"kernel extents {_listed(self.extents)} elements, lanes {self.lanes}"]
        lines += [f"  in  {operand}" for operand in self.operands]
        lines += [f"  out {result}" for result in self.results]
        lines += [f"  op  {op}" for op in self.ops]
        return "\n".join(lines)


@dataclass(frozen=True, slots=True)
class Plan:
    """All kernels of a program in the order in which they run."""

    kernels: tuple[KernelPlan, ...]

    def __str__(self) -> str:
        return "\n".join(str(kernel) for kernel in self.kernels)


@dataclass(frozen=True)
class PlanTarget(Target):
    """``-t plan``: the kernels of a lowered module, described."""

    name = "plan"

    def emit(self, ctx: Context, module: ModuleOp, output: IO[str]) -> None:
        output.write(f"{plan_of(module)}\n")


def plan_of(module: ModuleOp) -> Plan:
    """Describe the kernels of a module that has been lowered to the nest dialect."""
    return Plan(tuple(_kernel(op) for op in module.walk() if isinstance(op, KernelOp)))


def classify(extents: Sequence[Extent], move: Trajectory | None, itemsize: int) -> OperandClass:
    """What kind of walk a trajectory is; ``itemsize`` in bytes."""
    if move is None:
        return "scalar"
    axes = [(e, s) for e, s in zip(extents, move.strides, strict=True) if e != ONE]
    if all(stride == ZERO for _, stride in axes):
        return "splat"
    held = [stride == ZERO for _, stride in axes]
    if any(held):
        if held[-1]:
            return "column"
        first = held.index(False)
        return "row" if all(not h for h in held[first:]) else "middle"
    step = axes[-1][1]
    if step not in (Extent(itemsize), Extent(-itemsize)):
        units = (Extent(itemsize), Extent(-itemsize))
        transposed = any(stride in units for _, stride in axes[:-1])
        return "transposed" if transposed else "strided"
    dense = Extent(itemsize)
    for extent, stride in reversed(axes):
        if stride != dense:
            return "strided"
        dense = dense * extent
    return "dense"


def source_of(move: Trajectory | None, itemsize: int) -> Source:
    """How elements of the innermost axis move between memory and registers."""
    if move is None:
        return "scalar"
    step = move.strides[-1] if move.strides else ZERO
    known: dict[Extent, Source] = {
        ZERO: "splat",
        Extent(itemsize): "vector",
        Extent(-itemsize): "reversed",
    }
    return known.get(step, "lanes")


def _kernel(kernel: KernelOp) -> KernelPlan:
    extents = kernel.extents.data
    names = [a.name_hint or f"arg{i}" for i, a in enumerate(kernel.block.args)]
    operands = tuple(
        _operand(name, element_of(value.type), extents, kernel.input_trajectory(index))
        for index, (name, value) in enumerate(zip(names, kernel.inputs, strict=True))
    )
    results = tuple(
        _operand(f"out{index}", element_of(value.type), extents, move)
        for index, (value, move) in enumerate(
            zip(kernel.outputs, kernel.output_trajectories, strict=True)
        )
    )
    return KernelPlan(extents, kernel.lanes, operands, results, _ops(kernel))


def _operand(
    name: str, element: Attribute, extents: Sequence[Extent], move: Trajectory | None
) -> OperandPlan:
    dtype = dtype_of(element)
    assert dtype is not None
    return OperandPlan(
        name,
        dtype,
        None if move is None else move.strides,
        classify(extents, move, dtype.itemsize),
        source_of(move, dtype.itemsize),
    )


def _ops(kernel: KernelOp) -> tuple[OpPlan, ...]:
    """Each op with the extents of the loops around it: those down to the innermost it needs."""
    extents = kernel.extents.data
    depth: dict[object, int] = {}
    for index, argument in enumerate(kernel.block.args):
        move = kernel.input_trajectory(index)
        steps = () if move is None else move.strides
        depth[argument] = max((a + 1 for a, s in enumerate(steps) if s != ZERO), default=0)
    found: list[OpPlan] = []
    for op in kernel.block.ops:
        level = max((depth[o] for o in op.operands), default=0)
        for result in op.results:
            depth[result] = level
        dtype = dtype_of(op.results[0].type) if op.results else None
        if isinstance(op, ElementwiseOp) and dtype is not None:
            found.append(OpPlan(op.short_name(), dtype, extents[:level]))
    return tuple(found)


def _listed(extents: Sequence[Extent]) -> str:
    return "[" + ", ".join(map(str, extents)) + "]"
