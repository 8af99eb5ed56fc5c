"""LLVM as a library: target machines, the pass list, assembly, objects, and running an object.

Owns every call into llvmlite's binding and the lock around sequences of them. Knows no IR of ours:
text goes in, text, bytes or addresses come out.
"""

from __future__ import annotations

import ctypes
import ctypes.util
import itertools
import os
import threading
from collections.abc import Generator, Iterable, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cache

import llvmlite.binding as llvm

from opsir.backends.cpu.elf import undefined_symbols
from opsir.backends.cpu.host import host_machine
from opsir.diagnostics import OpsirNotImplementedError, fail
from opsir.machine import Machine

_LOCK = threading.RLock()
"""Held while a module goes through LLVM, and while code is linked or freed."""

_SERIAL = itertools.count()


@dataclass(frozen=True, slots=True)
class Toolchain:
    """What turns LLVM IR into code for one machine."""

    target: llvm.TargetMachine
    triple: str
    layout: str


@cache
def toolchain(machine: Machine) -> Toolchain:
    """Set up LLVM for ``machine``, once."""
    with _LOCK:
        _initialize()
        target = _target_machine(machine, jit=False)
        target.set_asm_verbosity(True)
        return Toolchain(target, target.triple, str(target.target_data))


@cache
def _initialize() -> None:
    llvm.initialize_all_targets()
    llvm.initialize_all_asmprinters()
    # A child process must not inherit the lock from a thread that it does not have.
    os.register_at_fork(
        before=_LOCK.acquire, after_in_parent=_LOCK.release, after_in_child=_LOCK.release
    )


def _target_machine(machine: Machine, *, jit: bool) -> llvm.TargetMachine:
    # Always ELF: it is what the symbol check reads and what LLVM's own loader takes everywhere.
    target = llvm.Target.from_triple(f"{machine.arch}-unknown-linux-gnu")
    return target.create_target_machine(
        cpu=machine.cpu,
        features=machine.features,
        opt=2,
        reloc="pic",
        codemodel="small",
        jit=jit,
    )


@contextmanager
def _optimised(text: str, tools: Toolchain) -> Generator[llvm.ModuleRef]:
    """The module that ``text`` denotes after the pass list; only inside the ``with`` block."""
    with _LOCK:
        context = llvm.create_context()
        module = llvm.parse_assembly(text, context)
        try:
            options = llvm.create_pipeline_tuning_options()
            builder = llvm.create_pass_builder(tools.target, options)
            passes = llvm.create_new_module_pass_manager()
            passes.add_sroa_pass()
            passes.add_instruction_combine_pass()
            passes.add_simplify_cfg_pass()
            passes.run(module, builder)
            yield module
        finally:
            module.close()
            context.close()


def assembly(text: str, machine: Machine) -> str:
    """Assembly for LLVM IR."""
    tools = toolchain(machine)
    with _optimised(text, tools) as module:
        return tools.target.emit_assembly(module)


def object_code(text: str, machine: Machine, allowed: frozenset[str]) -> bytes:
    """An ELF object for LLVM IR that calls nothing but the ``allowed`` functions of libm.

    LLVM may choose a run-time routine that no one has accounted for, and a loader would resolve it
    to anything of that name: an OpsirNotImplementedError instead.
    """
    tools = toolchain(machine)
    with _optimised(text, tools) as module:
        image = tools.target.emit_object(module)
    unknown = sorted(undefined_symbols(image) - allowed)
    if unknown:
        fail(
            f"code for {machine.name} would call {', '.join(unknown)}, which is not provided",
            error=OpsirNotImplementedError,
        )
    return image


class LoadedCode:
    """Machine code in executable memory, for as long as this object lives.

    ``address`` of a symbol is valid until the last reference to the object is gone.
    """

    def __init__(
        self, image: bytes, symbols: Iterable[str], addresses: Mapping[str, int] | None = None
    ) -> None:
        """Load an object and export ``symbols``; it may call libm and what ``addresses`` names."""
        known = addresses or {}
        library = llvm.JITLibraryBuilder().add_object_img(image)
        for name in undefined_symbols(image):
            library.import_symbol(name, known.get(name) or _address_of(name))
        names = tuple(symbols)
        for name in names:
            library.export_symbol(name)
        with _LOCK:
            self._code = library.link(_jit(), f"opsir{next(_SERIAL)}")
            self._addresses = {name: self._code[name] for name in names}

    def address(self, symbol: str) -> int:
        """Where the code of a symbol starts."""
        return self._addresses[symbol]


@cache
def _jit() -> llvm.LLJIT:
    """The one loader of this process. It only links: objects come in compiled."""
    return llvm.create_lljit_compiler(_target_machine(host_machine(), jit=True), use_jit_link=True)


@cache
def _libm() -> ctypes.CDLL:
    """The very library that Python's ``math`` calls, where the process exports it."""
    process = ctypes.CDLL(None)
    return process if hasattr(process, "erfc") else ctypes.CDLL(ctypes.util.find_library("m"))


def _address_of(name: str) -> int:
    address = ctypes.cast(getattr(_libm(), name), ctypes.c_void_p).value
    assert address is not None
    return address
