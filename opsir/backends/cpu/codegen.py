"""From a module of kernels to LLVM IR: one entry per function, one function per kernel.

Owns the options of code generation and the names in the generated module. Runs nothing.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Literal

from llvmlite import ir
from xdsl.dialects.builtin import ModuleOp

from opsir.abi import Buffer
from opsir.backends.cpu.entry import emit_entry
from opsir.backends.cpu.function import KernelFunction, emit_kernel
from opsir.backends.cpu.gathering import declared, define_missing
from opsir.backends.cpu.program import KernelCall, Program, functions_of, program_of
from opsir.backends.cpu.shares import emit_shares, threads_symbol
from opsir.machine import Machine
from opsir.signature import Aliasing

IntErrors = Literal["warn", "ignore", "raise"]


@dataclass(frozen=True, slots=True)
class CodegenOptions:
    """What code generation may assume and must report.

    ``aliasing`` has one entry per result of the function; a result beyond its end may be
    identical to an argument. Under ``int_errors="ignore"`` no error flag is computed; the other
    two generate the same code. With ``threaded`` the entry is for several threads.
    """

    machine: Machine
    int_errors: IntErrors = "warn"
    aliasing: tuple[Aliasing, ...] = ()
    threaded: bool = False


KERNEL = "kernel"
"""The symbol of a kernel that is a module of its own."""


def kernel_symbol(number: int) -> str:
    """The symbol by which an entry calls its kernel ``number``."""
    return f"kernel{number}"


def entry_symbol(function: str, *, threaded: bool = False) -> str:
    """The symbol of a function's entry in the generated code: any name, without control codes."""
    safe = re.sub(r"[\x00-\x1f\x7f%]", lambda c: f"%{ord(c[0]):02X}", function)
    symbol = f"opsir.{safe}"
    return threads_symbol(symbol) if threaded else symbol


def build_module(module: ModuleOp, options: CodegenOptions, triple: str, layout: str) -> ir.Module:
    """All functions of ``module`` as LLVM IR for a target triple and data layout."""
    return build_programs(
        [program_of(f) for f in functions_of(module).values()], options, triple, layout
    )


def build_programs(
    programs: Sequence[Program], options: CodegenOptions, triple: str, layout: str
) -> ir.Module:
    """LLVM IR for functions that have been read already."""
    built = _module(triple, layout)
    for program in programs:
        _build(built, program, options)
    define_missing(built, linkage="internal")
    return built


def build_routine(size: int, triple: str, layout: str) -> ir.Module:
    """What kernels gather operands of ``size`` bytes an element with, as a module of its own."""
    built = _module(triple, layout)
    declared(built, size)
    define_missing(built)
    return built


def build_kernel(
    call: KernelCall, options: CodegenOptions, triple: str, layout: str
) -> tuple[ir.Module, KernelFunction]:
    """One kernel as a module of its own, in which its function is called ``KERNEL``.

    Kernels that differ in nothing but values known at run time give the same text.
    """
    built = _module(triple, layout)
    return built, _emit(built, KERNEL, call, options)


def build_entry(
    program: Program,
    kernels: Sequence[KernelFunction],
    options: CodegenOptions,
    triple: str,
    layout: str,
) -> ir.Module:
    """The entry of a function as a module that declares its kernels: ``kernel_symbol(0)``, ..."""
    built = _module(triple, layout)
    declared = [
        replace(k, function=ir.Function(built, k.function.ftype, kernel_symbol(number)))
        for number, k in enumerate(kernels)
    ]
    _emit_entry(built, program, declared, options)
    return built


def _module(triple: str, layout: str) -> ir.Module:
    built = ir.Module("opsir")
    built.triple, built.data_layout = triple, layout
    return built


def _build(built: ir.Module, program: Program, options: CodegenOptions) -> None:
    symbol = entry_symbol(program.name)
    kernels: list[KernelFunction] = []
    for number, call in enumerate(program.kernels):
        kernels.append(_emit(built, f"{symbol}.{kernel_symbol(number)}", call, options))
        kernels[-1].function.linkage = "internal"
    _emit_entry(built, program, kernels, options)


def _emit_entry(
    built: ir.Module,
    program: Program,
    kernels: Sequence[KernelFunction],
    options: CodegenOptions,
) -> None:
    emit = emit_shares if options.threaded else emit_entry
    emit(built, entry_symbol(program.name), program, kernels, options.machine)


def _emit(built: ir.Module, name: str, call: KernelCall, options: CodegenOptions) -> KernelFunction:
    return emit_kernel(
        built,
        name,
        call,
        options.machine,
        with_flags=options.int_errors != "ignore",
        disjoint=_disjoint(call, options),
    )


def _disjoint(call: KernelCall, options: CodegenOptions) -> list[bool]:
    """Which results of a kernel share no byte with anything else that it touches.

    A temporary is memory of its own for as long as it is needed.
    """
    return [buffer.kind == "temporary" or _is_apart(buffer, options) for buffer in call.outputs]


def _is_apart(buffer: Buffer, options: CodegenOptions) -> bool:
    known = options.aliasing[buffer.index] if buffer.index < len(options.aliasing) else "identical"
    return known != "identical"
