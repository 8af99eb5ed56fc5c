"""The CPU back end's surface: LLVM IR, assembly and native code for a module of kernels.

Owns the targets ``llvm`` and ``asm``. What is printed is what is compiled: there is one path.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import IO

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp
from xdsl.utils.target import Target

from opsir.abi import Abi, KernelFacts
from opsir.backends.body.libm import LIBM
from opsir.backends.cpu import llvm
from opsir.backends.cpu.codegen import CodegenOptions, build_programs, entry_symbol
from opsir.backends.cpu.host import HOST, can_run, host_machine, machine_named
from opsir.backends.cpu.program import Program, find_function, functions_of, program_of
from opsir.diagnostics import OpsirNotImplementedError, fail
from opsir.machine import Machine


@dataclass(frozen=True, slots=True)
class NativeCode:
    """A compiled function: where it lies, the block that it reads, the memory it touches.

    ``address`` is that of ``int32_t entry(const int64_t *block)``, valid while this object lives.
    """

    address: int
    abi: Abi
    kernels: tuple[KernelFacts, ...]
    code: llvm.LoadedCode
    """Keeps the machine code in memory."""


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
    program = program_of(find_function(module, entry))
    image = llvm.object_code(_text([program], chosen), chosen.machine, LIBM)
    symbol = entry_symbol(program.name)
    code = llvm.LoadedCode(image, [symbol])
    return NativeCode(code.address(symbol), program.abi, program.facts, code)


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

    def emit(self, ctx: Context, module: ModuleOp, output: IO[str]) -> None:
        output.write(emit_llvm(module, machine_named(self.cpu)))


@dataclass(frozen=True)
class AsmTarget(Target):
    """``-t asm``: the assembly of the code that runs."""

    name = "asm"

    cpu: str = HOST
    """Machine to generate code for, by name."""

    def emit(self, ctx: Context, module: ModuleOp, output: IO[str]) -> None:
        output.write(emit_asm(module, machine_named(self.cpu)))
