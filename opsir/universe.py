"""What xDSL's own tools find of opsir once it is installed: dialects, passes and targets.

Owns the names under which they appear there. xDSL refuses to start where two packages offer the
same name, so what it has itself is left out or gets the prefix ``opsir-``.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial

from xdsl.universe import XDSL_UNIVERSE, Universe

from opsir.backends import TARGETS
from opsir.backends.cpu.target import LlvmTarget
from opsir.dialects import DIALECTS
from opsir.passes import PASSES
from opsir.passes.canonicalize import CanonicalizePass
from opsir.registry import load


@dataclass(frozen=True)
class OpsirCanonicalizePass(CanonicalizePass):
    """The pass ``canonicalize`` beside xDSL's of that name."""

    name = "opsir-canonicalize"


@dataclass(frozen=True)
class OpsirLlvmTarget(LlvmTarget):
    """The target ``llvm`` beside xDSL's of that name, which prints other IR."""

    name = "opsir-llvm"


OPSIR_UNIVERSE = Universe(
    all_dialects={
        name: partial(load, entry)
        for name, entry in DIALECTS.items()
        if name not in XDSL_UNIVERSE.all_dialects
    },
    all_passes={
        OpsirCanonicalizePass.name: lambda: OpsirCanonicalizePass,
        **{n: partial(load, e) for n, e in PASSES.items() if n != CanonicalizePass.name},
    },
    all_targets={
        OpsirLlvmTarget.name: lambda: OpsirLlvmTarget,
        **{n: partial(load, e) for n, e in TARGETS.items() if n != LlvmTarget.name},
    },
)
"""Named by the entry point ``xdsl.universe`` of the package."""
