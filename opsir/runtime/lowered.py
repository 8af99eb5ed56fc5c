"""A compilation to look at: the IR after each stage, LLVM IR, assembly, the plan.

Owns the recording of stages; compiles with exactly the pipeline that a call uses.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import cached_property

from xdsl.dialects.builtin import ModuleOp

from opsir.address_trace import STEPS, trace_addresses
from opsir.compiler import Compiled
from opsir.description import Plan
from opsir.diagnostics import OpsirNotImplementedError, fail
from opsir.pipeline import Observer
from opsir.runtime.threads import threads_of


class Lowered:
    """Everything that one compilation passes through, made when first asked for."""

    def __init__(
        self,
        compile: Callable[[Observer | None], Compiled],
        sizes: Callable[[], Mapping[str, int]] = dict,
    ) -> None:
        """``sizes`` gives the values of symbols for the arguments that this was made for."""
        self._compile = compile
        self._sizes = sizes
        self._texts: dict[str, str] = {}

    @cached_property
    def _compiled(self) -> Compiled:
        return self._compile(self._record)

    def _record(self, stage: str, module: ModuleOp) -> None:
        self._texts[stage] = str(module)

    @property
    def stages(self) -> tuple[str, ...]:
        """Names that ``ir`` takes, in order: ``trace``, then each pass."""
        _ = self._compiled
        return tuple(self._texts)

    def ir(self, stage: str = "trace") -> str:
        """The IR after a stage. Raises OpsirValueError for a stage that does not exist."""
        if stage not in self.stages:
            fail(f"no stage '{stage}'; there are {', '.join(self.stages)}")
        return self._texts[stage]

    def llvm(self) -> str:
        """The LLVM IR that is compiled."""
        return self._compiled.llvm(threaded=threads_of(self._compiled) > 1)

    def asm(self) -> str:
        """The assembly of the machine that this process runs on."""
        return self._compiled.asm(threaded=threads_of(self._compiled) > 1)

    def ptx(self, sm: str = "sm_80") -> str:
        """Not offered: there is no PTX back end in this version."""
        fail(f"no PTX for {sm}: this version has no PTX back end", error=OpsirNotImplementedError)

    def plan(self) -> Plan:
        """What each kernel reads, writes and computes."""
        return self._compiled.plan(self._sizes())

    def trace_addresses(self, steps: int = STEPS) -> str:
        """The first steps of each kernel: coordinates, byte offsets, and what moved.

        Raises OpsirValueError where sizes depend on arguments that are not at hand.
        """
        return trace_addresses(self._compiled.module, steps, self._sizes())
