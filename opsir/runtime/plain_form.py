"""The plain address formula of each kernel, kept beside the program that was compiled from it.

Owns where the formula comes from: the broadcast of each operand's type to the result's, or, where a
program has views or axis maps, the nest as it was first written, one axis per axis of the value.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from weakref import WeakKeyDictionary

from xdsl.dialects.builtin import ModuleOp
from xdsl.dialects.func import FuncOp, ReturnOp
from xdsl.ir import SSAValue

from opsir.abi import KernelFacts, OperandFacts
from opsir.backends.cpu.program import KernelCall, find_function, program_of, tensor_facts
from opsir.compiler import Compiled
from opsir.dialects.opsir import BroadcastOp, RequireEqualOp
from opsir.dialects.opsir.base import ElementwiseOp
from opsir.dialects.opsir.cast import CastOp
from opsir.dialects.opsir.literal import ScalarOp
from opsir.dialects.opsir.sizes import DimOp
from opsir.extent import ONE, ZERO, Extent
from opsir.pipeline import Observer
from opsir.trajectory import Trajectory

_PLAIN: WeakKeyDictionary[Compiled, tuple[KernelFacts, ...]] = WeakKeyDictionary()


def plain_form(compiled: Compiled) -> tuple[KernelFacts, ...]:
    """What each kernel of a program made by ``watched`` should touch; empty for any other."""
    return _PLAIN.get(compiled, ())


def watched(
    compile: Callable[[Observer], Compiled], entry: str | None, observe: Observer | None
) -> Compiled:
    """Compile and keep the plain form of the function ``entry``; ``observe`` is called too."""
    watcher = _Watcher(entry, observe)
    compiled = compile(watcher)
    _PLAIN[compiled] = watcher.kernels
    return compiled


class _Watcher:
    """Reads the formula off the stages of one compilation."""

    def __init__(self, entry: str | None, observe: Observer | None) -> None:
        self._entry, self._observe = entry, observe
        self._is_plain = False
        self.kernels: tuple[KernelFacts, ...] = ()

    def __call__(self, stage: str, module: ModuleOp) -> None:
        if stage == "infer-shapes":
            self._is_plain = _has_broadcasts_only(find_function(module, self._entry))
        elif stage == "lower-to-nest":
            calls = program_of(find_function(module, self._entry)).kernels
            self.kernels = tuple(_formula(c) if self._is_plain else c.facts for c in calls)
        if self._observe is not None:
            self._observe(stage, module)


def _has_broadcasts_only(function: FuncOp) -> bool:
    """Whether every operand is aligned on the right with the result, and none is a view."""
    known = (ElementwiseOp, CastOp, ScalarOp, DimOp, RequireEqualOp, ReturnOp)
    return all(
        isinstance(op, known) or (isinstance(op, BroadcastOp) and op.axes is None)
        for op in function.body.block.ops
    )


def _formula(call: KernelCall) -> KernelFacts:
    """One axis per axis of the result; an operand moves along those that it has."""
    kernel = call.op
    tensors: list[SSAValue] = [*(kernel.inputs[i] for i in kernel.tensor_inputs), *kernel.outputs]
    sizes = tensor_facts(kernel, kernel.outputs[0].type).sizes
    operands: list[OperandFacts] = []
    for value, operand in zip(tensors, call.facts.operands, strict=True):
        facts = tensor_facts(kernel, value.type)
        missing = len(sizes) - len(facts.sizes)
        moves = [
            _effective(size, stride, of)
            for size, stride, of in zip(facts.sizes, facts.strides, sizes[missing:], strict=True)
        ]
        operands.append(replace(operand, trajectory=Trajectory(ZERO, (*[ZERO] * missing, *moves))))
    return KernelFacts(sizes, tuple(operands))


def _effective(size: Extent, stride: Extent, of: Extent) -> Extent:
    """The stride with which an axis of the result walks an operand's axis."""
    return ZERO if size == ONE and of != ONE else stride
