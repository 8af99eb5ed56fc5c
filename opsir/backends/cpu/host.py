"""Which machine this process runs on, as one of the known levels.

Owns the step from CPU feature names to a ``Machine``. Compiles nothing.
"""

from __future__ import annotations

import platform
from functools import cache

import llvmlite.binding as llvm

from opsir.diagnostics import OpsirNotImplementedError, fail
from opsir.machine import AARCH64, MACHINES, X86_64_V2, X86_64_V3, X86_64_V4, Machine

HOST = "host"
"""The name that stands for the machine this process runs on."""

_V2 = ("sse3", "ssse3", "sse4.1", "sse4.2", "popcnt", "cx16")
_V3 = (*_V2, "avx", "avx2", "bmi", "bmi2", "f16c", "fma", "lzcnt", "movbe")
_V4 = (*_V3, "avx512f", "avx512bw", "avx512cd", "avx512dq", "avx512vl")


@cache
def host_machine() -> Machine:
    """The highest level that this CPU has; an OpsirNotImplementedError below x86-64-v2."""
    arch = platform.machine().lower()
    if arch in ("aarch64", "arm64"):
        return AARCH64
    if arch not in ("x86_64", "amd64"):
        fail(f"expected an x86-64 or aarch64 CPU, got {arch}", error=OpsirNotImplementedError)
    features = llvm.get_host_cpu_features()
    levels = ((X86_64_V4, _V4), (X86_64_V3, _V3), (X86_64_V2, _V2))
    found = [machine for machine, needed in levels if all(map(features.get, needed))]
    if not found:
        missing = ", ".join(name for name in _V2 if not features.get(name))
        fail(
            f"expected a CPU of level x86-64-v2 or above, this one lacks {missing}",
            error=OpsirNotImplementedError,
        )
    return found[0]


def machine_named(name: str) -> Machine:
    """The machine of that name; ``host`` is this one."""
    if name == HOST:
        return host_machine()
    if name not in MACHINES:
        fail(f"no CPU '{name}'; there are {', '.join([HOST, *MACHINES])}")
    return MACHINES[name]


def can_run(machine: Machine) -> bool:
    """Whether code for ``machine`` runs in this process."""
    host = host_machine()
    return machine.arch == host.arch and machine.vector_bytes <= host.vector_bytes
