"""The machines that kernels are compiled for: what each one does natively.

Owns one frozen row per CPU level. Emitters and schedules read capabilities here instead of asking
for a CPU by name; knows no op and no IR.
"""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Machine:
    """One compilation target.

    ``vector_bytes`` is the width of a vector register.  ``cpu`` and ``features`` are what LLVM
    takes under these names.
    """

    name: str
    arch: str
    """First component of the target triple: ``x86_64`` or ``aarch64``."""
    cpu: str
    features: str
    vector_bytes: int
    value_registers: int
    """Vector registers that the lanes of one value may take before others run short."""
    gathered_lanes: int
    """Lanes where elements are moved one by one: more only grow the code."""
    has_fma: bool
    """Fused multiply-add of f32 and f64."""
    has_half_conversion: bool
    """Vector conversion between f16 and f32."""
    has_masks: bool
    """Masked loads, stores and arithmetic on every element size."""
    has_long_conversion: bool
    """Vector conversion between 64-bit integers and f64."""
    has_minimum: bool
    """Minimum and maximum of floats that pass NaN on and order zeros, in one instruction."""

    has_streaming_stores: bool
    """Vector stores that bypass the caches, ordered by a fence of their own."""


def _x86(name: str, vector_bytes: int, *, v3: bool = False, v4: bool = False) -> Machine:
    return Machine(name, "x86_64", name, "", vector_bytes, 4, 8, v3, v3, v4, v4, False, True)


X86_64_V2 = _x86("x86-64-v2", 16)
X86_64_V3 = _x86("x86-64-v3", 32, v3=True)
X86_64_V4 = _x86("x86-64-v4", 64, v3=True, v4=True)
AARCH64 = Machine(
    "aarch64", "aarch64", "generic", "+neon", 16, 4, 8, True, True, False, True, True, False
)

MACHINES: dict[str, Machine] = {m.name: m for m in (X86_64_V2, X86_64_V3, X86_64_V4, AARCH64)}
"""Every machine by its name, as users write it."""
