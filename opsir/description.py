"""The printable descriptor of a compiled program: what each kernel reads, writes and computes.

Owns operand classes and op counts, read from kernels as they stand. Changes nothing.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import prod
from typing import IO, Literal

from xdsl.context import Context
from xdsl.dialects.builtin import ArrayAttr, ModuleOp, StringAttr
from xdsl.ir import Attribute
from xdsl.utils.target import Target

from opsir.costs import Amount, Costs
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
    moved: Amount
    """Bytes of the elements over which it moves, each counted once."""
    destination: str | None = None
    """Where a result is stored: ``result 0``, ``temporary 1``; None where that is open."""

    def text(self, sizes: Mapping[str, int]) -> str:
        """One line; formulas with their values where ``sizes`` knows the symbols."""
        strides = "by value" if self.strides is None else _listed(self.strides) + " bytes"
        moved = "" if self.strides is None else f", moves {self.moved.text(sizes)} bytes"
        place = "" if self.destination is None else f", in {self.destination}"
        kind = f"{self.dtype}, {self.operand_class}, {strides}, {self.source}"
        return f"{self.name}: {kind}{moved}{place}"


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
    """One loop nest: its extents outermost first, schedule, operands, results, ops and costs."""

    extents: tuple[Extent, ...]
    schedule: Mapping[str, int]
    """What the schedule states, by name."""
    operands: tuple[OperandPlan, ...]
    results: tuple[OperandPlan, ...]
    ops: tuple[OpPlan, ...]
    costs: Costs

    @property
    def lanes(self) -> int:
        """Elements computed side by side."""
        return self.costs.lanes

    @property
    def is_copy(self) -> bool:
        """Whether it computes nothing: elements go from one place to another."""
        return not self.ops

    def text(self, sizes: Mapping[str, int]) -> str:
        """Some lines; formulas with their values where ``sizes`` knows the symbols."""
        schedule = "".join(f", {name} {value}" for name, value in self.schedule.items())
        copy = ", a copy" if self.is_copy else ""
        lines = [f"kernel extents {_listed(self.extents)} elements{schedule}{copy}"]
        lines += [f"  in  {operand.text(sizes)}" for operand in self.operands]
        lines += [f"  out {result.text(sizes)}" for result in self.results]
        lines += [f"  op  {op}" for op in self.ops]
        lines += [f"  cost {line}" for line in self.costs.lines(sizes)]
        return "\n".join(lines)


@dataclass(frozen=True, slots=True)
class Plan:
    """All kernels of a program in the order in which they run.

    ``sizes`` are the values of symbols where a plan is for a call of known sizes.
    """

    kernels: tuple[KernelPlan, ...]
    sizes: Mapping[str, int]

    @property
    def temporaries(self) -> tuple[OperandPlan, ...]:
        """The results that are stored in memory of the program's own."""
        results = (result for kernel in self.kernels for result in kernel.results)
        return tuple(r for r in results if (r.destination or "").startswith("temporary"))

    def __str__(self) -> str:
        copies = sum(kernel.is_copy for kernel in self.kernels)
        lines = [kernel.text(self.sizes) for kernel in self.kernels]
        counts = f"kernels: {len(self.kernels)}, copies: {copies}"
        return "\n".join([*lines, f"{counts}, results in temporaries: {len(self.temporaries)}"])


@dataclass(frozen=True)
class PlanTarget(Target):
    """``-t plan``: the kernels of a lowered module, described."""

    name = "plan"

    def emit(self, ctx: Context, module: ModuleOp, output: IO[str]) -> None:
        output.write(f"{plan_of(module)}\n")


def plan_of(module: ModuleOp, sizes: Mapping[str, int] | None = None) -> Plan:
    """Describe the kernels of a module that has been lowered to the nest dialect.

    ``sizes`` are the values of its symbols, as far as they are known.
    """
    kernels = (_kernel(op) for op in module.walk() if isinstance(op, KernelOp))
    return Plan(tuple(kernels), sizes or {})


def operand_names(kernel: KernelOp) -> list[str]:
    """What each operand is called: as in the body, or by its position."""
    return [a.name_hint or f"arg{i}" for i, a in enumerate(kernel.block.args)]


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
    operands = tuple(
        _operand(name, element_of(value.type), extents, kernel.input_trajectory(index))
        for index, (name, value) in enumerate(
            zip(operand_names(kernel), kernel.inputs, strict=True)
        )
    )
    results = tuple(
        _operand(f"out{index}", element_of(value.type), extents, move, place)
        for index, (value, move, place) in enumerate(
            zip(kernel.outputs, kernel.output_trajectories, _destinations(kernel), strict=True)
        )
    )
    ops = _ops(kernel)
    costs = _costs(kernel, operands, results, ops)
    return KernelPlan(extents, kernel.schedule, operands, results, ops, costs)


def _destinations(kernel: KernelOp) -> list[str | None]:
    """Where each result is stored, None before that is decided."""
    names = kernel.attributes.get("destinations")
    if not isinstance(names, ArrayAttr):
        return [None] * len(kernel.outputs)
    return [name.data if isinstance(name, StringAttr) else None for name in names]


def _operand(
    name: str,
    element: Attribute,
    extents: Sequence[Extent],
    move: Trajectory | None,
    destination: str | None = None,
) -> OperandPlan:
    dtype = dtype_of(element)
    assert dtype is not None
    steps = () if move is None else move.strides
    along = [e for e, step in zip(extents, steps, strict=False) if step != ZERO]
    return OperandPlan(
        name,
        dtype,
        None if move is None else move.strides,
        classify(extents, move, dtype.itemsize),
        source_of(move, dtype.itemsize),
        Amount.of(along, dtype.itemsize if move is not None else 0),
        destination,
    )


def _costs(
    kernel: KernelOp,
    operands: Sequence[OperandPlan],
    results: Sequence[OperandPlan],
    ops: Sequence[OpPlan],
) -> Costs:
    extents, space = kernel.extents.data, kernel.space
    used = [*extents, *(s for t in space.trajectories for s in t.strides)]
    symbolic = {extent for extent in used if not extent.is_constant}
    return Costs(
        Amount.total(Amount.of(op.times) for op in ops),
        Amount.total(Amount.of(extents[:level]) for level in range(1, len(extents))),
        Amount.of(extents[:-1]),
        extents[-1] if extents else ONE,
        kernel.lanes,
        kernel.unroll,
        len(operands) + len(results) + len(symbolic),
        Amount.total(operand.moved for operand in operands),
        Amount.total(result.moved for result in results),
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
