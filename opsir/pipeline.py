"""The compiler on one screen: the ordered passes and the stage that each one establishes.

Owns the order and which option of the whole reaches which pass. There is no second path: the JIT,
``opsir-opt -p opsir-default`` and every target run exactly this.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp
from xdsl.passes import ModulePass

from opsir.machine import X86_64_V3, Machine
from opsir.passes import PASSES
from opsir.promotion import RuleSet
from opsir.registry import load

DEFAULT = "opsir-default"
"""The name of the whole pipeline on the command line."""


@dataclass(frozen=True, slots=True)
class PipelineOptions:
    """Everything that may change the IR between a traced program and scheduled kernels."""

    rules: RuleSet = "numpy"
    scalars: str = "weak"
    default_float: str | None = None
    rank_extension: str = "allow"
    intermediates: str = "rounded"
    fusion: str = "default"
    result_order: str = "C"
    machine: Machine = X86_64_V3
    bucket: str = "cached"
    results: str = "apart"


Step = tuple[str, Callable[[PipelineOptions], dict[str, Any]]]


def _none(options: PipelineOptions) -> dict[str, Any]:
    return {}


STEPS: tuple[Step, ...] = (
    (
        "promote-types",
        lambda o: {"rules": o.rules, "scalars": o.scalars, "default_float": o.default_float},
    ),
    ("infer-shapes", lambda o: {"rank_extension": o.rank_extension}),
    ("lay-out-results", lambda o: {"order": o.result_order}),
    ("canonicalize", _none),
    ("fold-views", _none),
    ("fuse-elementwise", lambda o: {"policy": o.fusion}),
    ("lower-to-nest", _none),
    ("order-axes", _none),
    ("coalesce-axes", _none),
    ("expand-ops", _none),
    ("legalize-half", lambda o: {"intermediates": o.intermediates}),
    ("expand-math", _none),
    (
        "schedule",
        lambda o: {"machine": o.machine.name, "bucket": o.bucket, "results": o.results},
    ),
    ("plan-memory", _none),
)
"""Each pass with the options it takes from the whole, in order."""

Observer = Callable[[str, ModuleOp], None]


def passes(options: PipelineOptions | None = None) -> tuple[ModulePass, ...]:
    """The pass instances of the default pipeline, in order."""
    chosen = options or PipelineOptions()
    return tuple(load(PASSES[name])(**pick(chosen)) for name, pick in STEPS)


def run(
    ctx: Context,
    module: ModuleOp,
    options: PipelineOptions | None = None,
    *,
    until: str | None = None,
    observe: Observer | None = None,
) -> None:
    """Run the pipeline on ``module`` in place, up to and including the pass ``until``.

    ``observe`` is called with each pass name and the module after it.
    """
    for step in passes(options):
        step.apply(ctx, module)
        if observe is not None:
            observe(step.name, module)
        if step.name == until:
            return
