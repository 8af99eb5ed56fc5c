"""The CPU back end's surface: LLVM IR, assembly and native code for a module of kernels.

Owns the targets ``llvm`` and ``asm``. The functions printed are the functions compiled; printing
puts them in one module, compiling takes them one by one, so that equal kernels are compiled once.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache, lru_cache
from typing import IO

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp
from xdsl.utils.target import Target

from opsir.abi import Abi, KernelFacts
from opsir.backends.body.libm import LIBM
from opsir.backends.cpu import llvm
from opsir.backends.cpu.codegen import (
    KERNEL,
    CodegenOptions,
    build_entry,
    build_kernel,
    build_programs,
    build_routine,
    entry_symbol,
    kernel_symbol,
)
from opsir.backends.cpu.function import KernelFunction
from opsir.backends.cpu.gathering import SIZES, gather_symbol
from opsir.backends.cpu.host import HOST, can_run, host_machine, machine_named
from opsir.backends.cpu.program import KernelCall, Program, find_function, functions_of, program_of
from opsir.diagnostics import OpsirNotImplementedError, fail
from opsir.machine import Machine

MAX_KERNELS = 4096
"""Compiled kernels kept for functions to come."""


@dataclass(frozen=True, slots=True)
class NativeCode:
    """A compiled function: where it lies, the block that it reads, the memory it touches.

    ``address`` is that of ``int32_t entry(const int64_t *block)``, valid while this object lives;
    under ``threaded`` of ``int32_t entry(block, crew)``, see ``shares``.
    """

    address: int
    abi: Abi
    kernels: tuple[KernelFacts, ...]
    code: tuple[llvm.LoadedCode, ...]
    """Keeps the machine code in memory: the entry's, then each kernel's."""


def emit_llvm(
    module: ModuleOp, machine: Machine | None = None, options: CodegenOptions | None = None
) -> str:
    """LLVM IR for all functions of ``module``, as it is handed to LLVM; the host's by default."""
    programs = [program_of(function) for function in functions_of(module).values()]
    return _text(programs, _options(machine, options))


def emit_asm(
    module: ModuleOp, machine: Machine | None = None, options: CodegenOptions | None = None
) -> str:
    """Assembly for all functions of ``module``; the host's by default."""
    chosen = _options(machine, options)
    programs = [program_of(function) for function in functions_of(module).values()]
    return llvm.assembly(_text(programs, chosen), chosen.machine)


def compile_module(
    module: ModuleOp, options: CodegenOptions | None = None, entry: str | None = None
) -> NativeCode:
    """Compile the function ``entry`` of ``module``, or the only one, for this process.

    Raises OpsirNotImplementedError for a machine whose code this process cannot run.
    """
    chosen = _options(None, options)
    if not can_run(chosen.machine):
        fail(
            f"this CPU is {host_machine().name}: code for {chosen.machine.name} cannot run here",
            error=OpsirNotImplementedError,
        )
    return _compile(program_of(find_function(module, entry)), chosen)


def _compile(program: Program, options: CodegenOptions) -> NativeCode:
    """Link the entry of a function to its kernels, which it may share with other functions."""
    tools = llvm.toolchain(options.machine)
    kernels: list[KernelFunction] = []
    codes: list[llvm.LoadedCode] = []
    for call in program.kernels:
        built, kernel = build_kernel(call, options, tools.triple, tools.layout)
        kernels.append(kernel)
        codes.append(_kernel_code(str(built), options.machine))
    entry = build_entry(program, kernels, options, tools.triple, tools.layout)
    addresses = {kernel_symbol(n): code.address(KERNEL) for n, code in enumerate(codes)}
    image = llvm.object_code(str(entry), options.machine, frozenset(addresses))
    symbol = entry_symbol(program.name, threaded=options.threaded)
    code = llvm.LoadedCode(image, [symbol], addresses)
    return NativeCode(code.address(symbol), program.abi, program.facts, (code, *codes))


@lru_cache(maxsize=MAX_KERNELS)
def _kernel_code(text: str, machine: Machine) -> llvm.LoadedCode:
    called = {gather_symbol(size): size for size in SIZES if f'@"{gather_symbol(size)}"' in text}
    image = llvm.object_code(text, machine, LIBM.union(called))
    routines = {symbol: _routine(size, machine) for symbol, size in called.items()}
    addresses = {symbol: code.address(symbol) for symbol, code in routines.items()}
    return llvm.LoadedCode(image, [KERNEL], addresses)


@cache
def _routine(size: int, machine: Machine) -> llvm.LoadedCode:
    """What kernels gather operands with: compiled once for all of them, and kept."""
    tools = llvm.toolchain(machine)
    text = str(build_routine(size, tools.triple, tools.layout))
    return llvm.LoadedCode(llvm.object_code(text, machine, frozenset()), [gather_symbol(size)])


def kernel_text(call: KernelCall, options: CodegenOptions) -> str:
    """The LLVM IR of one kernel; equal texts share one compilation."""
    tools = llvm.toolchain(options.machine)
    return str(build_kernel(call, options, tools.triple, tools.layout)[0])


def _options(machine: Machine | None, options: CodegenOptions | None) -> CodegenOptions:
    return options or CodegenOptions(machine or host_machine())


def _text(programs: list[Program], options: CodegenOptions) -> str:
    tools = llvm.toolchain(options.machine)
    return str(build_programs(programs, options, tools.triple, tools.layout))


@dataclass(frozen=True)
class LlvmTarget(Target):
    """``-t llvm``: the LLVM IR that is compiled."""

    name = "llvm"

    cpu: str = HOST
    """Machine to generate code for, by name."""
    threaded: bool = False
    """Whether the entry is for several threads."""

    def emit(self, ctx: Context, module: ModuleOp, output: IO[str]) -> None:
        options = CodegenOptions(machine_named(self.cpu), threaded=self.threaded)
        output.write(emit_llvm(module, options=options))


@dataclass(frozen=True)
class AsmTarget(Target):
    """``-t asm``: the assembly of the code that runs."""

    name = "asm"

    cpu: str = HOST
    """Machine to generate code for, by name."""
    threaded: bool = False
    """Whether the entry is for several threads."""

    def emit(self, ctx: Context, module: ModuleOp, output: IO[str]) -> None:
        options = CodegenOptions(machine_named(self.cpu), threaded=self.threaded)
        output.write(emit_asm(module, options=options))
