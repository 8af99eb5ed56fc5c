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


X86_64_V2 = Machine("x86-64-v2", "x86_64", "x86-64-v2", "", 16, *[False] * 5)
X86_64_V3 = Machine("x86-64-v3", "x86_64", "x86-64-v3", "", 32, True, True, False, False, False)
X86_64_V4 = Machine("x86-64-v4", "x86_64", "x86-64-v4", "", 64, True, True, True, True, False)
AARCH64 = Machine("aarch64", "aarch64", "generic", "+neon", 16, True, True, False, True, True)

MACHINES: dict[str, Machine] = {m.name: m for m in (X86_64_V2, X86_64_V3, X86_64_V4, AARCH64)}
"""Every machine by its name, as users write it."""
