"""The floating-point environment around kernels: saved, set to the default, restored.

Owns the control registers of each architecture. A library built for speed may leave flushing of
subnormals on, or a caller another rounding direction; neither may change a result.
"""

from __future__ import annotations

from collections.abc import Generator
from contextlib import contextmanager

from llvmlite import ir

from opsir.backends.body.context import I32, I64
from opsir.backends.cpu.memory import POINTER
from opsir.machine import Machine

X86_DEFAULT = 0x1F80
"""MXCSR: round to nearest even, no flushing, all exceptions masked, no status flag set."""
AARCH64_DEFAULT = 0
"""FPCR: round to nearest even, no flushing, no traps, the usual NaN."""


@contextmanager
def default_environment(builder: ir.IRBuilder, machine: Machine) -> Generator[None]:
    """What the ``with`` block emits runs in the default environment.

    Control and status of the caller come back afterwards, so no status flag is left raised.
    """
    if machine.arch == "x86_64":
        saved, default = (builder.alloca(I32, name=name) for name in ("saved", "default"))
        _call(builder, "llvm.x86.sse.stmxcsr", saved)
        builder.store(I32(X86_DEFAULT), default)
        _call(builder, "llvm.x86.sse.ldmxcsr", default)
        yield
        _call(builder, "llvm.x86.sse.ldmxcsr", saved)
        return
    control, status = (_read(builder, f"llvm.aarch64.get.{r}") for r in ("fpcr", "fpsr"))
    _call(builder, "llvm.aarch64.set.fpcr", I64(AARCH64_DEFAULT))
    yield
    _call(builder, "llvm.aarch64.set.fpcr", control)
    _call(builder, "llvm.aarch64.set.fpsr", status)


def _call(builder: ir.IRBuilder, name: str, operand: ir.Value) -> None:
    type = POINTER if isinstance(operand.type, ir.PointerType) else I64
    builder.call(_declare(builder, name, ir.FunctionType(ir.VoidType(), [type])), [operand])


def _read(builder: ir.IRBuilder, name: str) -> ir.Value:
    return builder.call(_declare(builder, name, ir.FunctionType(I64, [])), [])


def _declare(builder: ir.IRBuilder, name: str, type: ir.FunctionType) -> ir.Function:
    known = builder.module.globals.get(name)
    return known if known is not None else ir.Function(builder.module, type, name)
