"""From a module to something that runs: the only place where passes and back ends meet.

Owns the order pipeline, back end, facts for the launcher. Knows no array and no call.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from ctypes import CFUNCTYPE, c_int32, c_void_p
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import NamedTuple, cast

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp, StringAttr
from xdsl.dialects.func import FuncOp
from xdsl.ir import Attribute, BlockArgument, SSAValue

from opsir import pipeline
from opsir.abi import Abi, KernelFacts, TensorSlots
from opsir.backends.cpu import target
from opsir.backends.cpu.codegen import CodegenOptions, IntErrors
from opsir.backends.cpu.program import find_function
from opsir.description import Plan, plan_of
from opsir.diagnostics import Location
from opsir.dialects import DIALECTS
from opsir.dialects.locations import location_of
from opsir.dialects.nest import KernelOp
from opsir.dialects.opsir import BindSizesOp, RequireEqualOp, ViewOp
from opsir.dialects.opsir.weak_arguments import (
    WeakArgument,
    argument_sources,
    weak_arguments,
)
from opsir.passes.plan_memory import DESTINATIONS
from opsir.pipeline import PipelineOptions
from opsir.registry import load
from opsir.signature import Aliasing
from opsir.view_symbols import SizeBinding


@dataclass(frozen=True, slots=True)
class CompileOptions:
    """Everything besides the program that decides the machine code."""

    pipeline: PipelineOptions = field(default_factory=PipelineOptions)
    int_errors: IntErrors = "warn"
    """"ignore" compiles out the flags of integer division by zero and negative powers."""
    aliasing: tuple[Aliasing, ...] = ()
    """How each result lies to the arguments; those left out may be identical to one."""
    threads: int | None = None
    """Threads that may share out a kernel; None leaves it to the process."""

    @property
    def codegen(self) -> CodegenOptions:
        """The part that concerns code generation."""
        return CodegenOptions(self.pipeline.machine, self.int_errors, self.aliasing)


@dataclass(frozen=True, slots=True)
class ArgumentSource:
    """What a compiled argument is made of: the caller's argument at ``position``.

    With ``weak`` it is a Python number, which becomes a scalar as that says.
    """

    position: int
    weak: WeakArgument | None = None


@dataclass(frozen=True, slots=True)
class EqualCheck:
    """Two axes of the caller's arguments whose sizes must agree."""

    positions: tuple[int, int]
    axes: tuple[int, int]
    location: Location | None


class Bound(NamedTuple):
    """Sizes of a view that each call computes and checks."""

    binding: SizeBinding
    location: Location | None


class FixedSize(NamedTuple):
    """An axis of a caller's argument whose size the program states: it is compiled for that."""

    position: int
    axis: int
    size: int


@dataclass(frozen=True, eq=False)
class Compiled:
    """One function as native code, with all that a launcher needs to know."""

    name: str
    module: ModuleOp
    options: CompileOptions
    code: target.NativeCode
    sources: tuple[ArgumentSource, ...]
    checks: tuple[EqualCheck, ...]
    fixed: tuple[FixedSize, ...]
    location: Location | None
    """Where the function is written."""
    temporary_numbers: tuple[int, ...]
    """For each temporary of the block the memory it uses; equal numbers share it."""
    generate: Generate
    """The back end that made ``code``."""
    bindings: tuple[Bound, ...]
    view_locations: tuple[Location | None, ...]
    """Where each view of the block is written."""

    @property
    def abi(self) -> Abi:
        """What the words of the argument block mean."""
        return self.code.abi

    @property
    def kernels(self) -> tuple[KernelFacts, ...]:
        """The memory that each kernel touches, in order."""
        return self.code.kernels

    @cached_property
    def viewed(self) -> frozenset[int]:
        """The caller's arguments that are read through a view, at positions other than theirs."""
        views = self.abi.views
        found: set[int] = set()
        for slots in views:
            base = slots.view.base
            while base.kind == "view":
                base = views[base.index].view.base
            if base.kind == "argument":
                found.add(self.sources[base.index].position)
        return frozenset(found)

    @cached_property
    def entry(self) -> Callable[[int], int]:
        """Runs on the argument block at an address; gives the OR of ``abi.FLAGS``."""
        return CFUNCTYPE(c_int32, c_void_p)(self.code.address)

    @cached_property
    def threaded_code(self) -> target.NativeCode:
        """The same kernels with an entry for several threads, compiled when first asked for."""
        return self.generate(self.module, self._codegen(threaded=True), self.name)

    @cached_property
    def threaded_entry(self) -> Callable[[int, int], int]:
        """Like ``entry``, but takes the addresses of a block and of a crew that shares the work.

        What a crew is the back end says, in ``shares``.
        """
        return CFUNCTYPE(c_int32, c_void_p, c_void_p)(self.threaded_code.address)

    def _codegen(self, *, threaded: bool) -> CodegenOptions:
        return replace(self.options.codegen, threaded=threaded)

    def llvm(self, *, threaded: bool = False) -> str:
        """The LLVM IR that is compiled, for one thread or several."""
        return target.emit_llvm(self.module, options=self._codegen(threaded=threaded))

    def asm(self, *, threaded: bool = False) -> str:
        """The assembly of the code that runs, for one thread or several."""
        return target.emit_asm(self.module, options=self._codegen(threaded=threaded))

    def plan(self, sizes: Mapping[str, int] | None = None) -> Plan:
        """What each kernel reads, writes and computes; ``sizes`` are values of its symbols."""
        return plan_of(self.module, sizes)


Generate = Callable[[ModuleOp, CodegenOptions, str], target.NativeCode]
"""Compiles one function, by name, of a module of kernels."""


def make_context() -> Context:
    """A context that knows opsir's dialects, each loaded when first met."""
    context = Context()
    for entry in DIALECTS.values():
        context.load_dialect(load(entry))
    return context


def compile_module(
    module: ModuleOp,
    entry: str | None = None,
    options: CompileOptions | None = None,
    *,
    context: Context | None = None,
    observe: pipeline.Observer | None = None,
    generate: Generate = target.compile_module,
) -> Compiled:
    """Run the default pipeline on ``module`` in place and compile its function ``entry``.

    ``entry`` may be left out where there is one function. IR of any stage is accepted: a pass
    leaves alone what is past its stage. ``generate`` is the back end, which a caller may wrap to
    share code between programs. Raises located OpsirErrors for illegal programs.
    """
    chosen = options or CompileOptions()
    pipeline.run(context or make_context(), module, chosen.pipeline, observe=observe)
    function = find_function(module, entry)
    code = generate(module, chosen.codegen, function.sym_name.data)
    sources = _sources(function)
    return Compiled(
        name=function.sym_name.data,
        module=module,
        options=chosen,
        code=code,
        sources=sources,
        checks=_checks(function),
        fixed=_fixed_sizes(code.abi, sources),
        location=location_of(function),
        temporary_numbers=_temporary_numbers(function),
        generate=generate,
        bindings=tuple(
            Bound(op.binding, location_of(op))
            for op in function.body.block.ops
            if isinstance(op, BindSizesOp)
        ),
        view_locations=tuple(
            location_of(op) for op in function.body.block.ops if isinstance(op, ViewOp)
        ),
    )


def _sources(function: FuncOp) -> tuple[ArgumentSource, ...]:
    weak = {w.argument: w for w in weak_arguments(function)}
    return tuple(
        ArgumentSource(position, weak.get(i))
        for i, position in enumerate(argument_sources(function))
    )


def _checks(function: FuncOp) -> tuple[EqualCheck, ...]:
    sources = argument_sources(function)

    def position(value: SSAValue) -> int:
        return sources[cast("BlockArgument", value).index]

    return tuple(
        EqualCheck((position(op.lhs), position(op.rhs)), op.axis_pair(), location_of(op))
        for op in function.body.block.ops
        if isinstance(op, RequireEqualOp)
    )


def _fixed_sizes(abi: Abi, sources: Sequence[ArgumentSource]) -> tuple[FixedSize, ...]:
    return tuple(
        FixedSize(source.position, axis, extent.value)
        for slot, source in zip(abi.arguments, sources, strict=True)
        if isinstance(slot, TensorSlots)
        for axis, extent in enumerate(slot.facts.sizes)
        if extent.is_constant
    )


def _temporary_numbers(function: FuncOp) -> tuple[int, ...]:
    numbers: list[int] = []
    for op in function.body.block.ops:
        if isinstance(op, KernelOp):
            for text in _texts(op.attributes.get(DESTINATIONS)):
                kind, _, number = text.partition(" ")
                if kind == "temporary":
                    numbers.append(int(number))
    return tuple(numbers)


def _texts(attribute: Attribute | None) -> Sequence[str]:
    data = getattr(attribute, "data", ())
    return [item.data for item in data if isinstance(item, StringAttr)]
