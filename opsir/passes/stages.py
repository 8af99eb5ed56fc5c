"""What may appear in a module after each pass of the pipeline, and which stage each pass relies on.

Owns the contract between passes, as data. Changes nothing.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import cast

from xdsl.dialects.builtin import ModuleOp, TensorType, UnrankedTensorType
from xdsl.dialects.func import FuncOp
from xdsl.ir import Attribute, Operation

from opsir.dialects.locations import fail_at
from opsir.dialects.nest import KernelOp
from opsir.dialects.opsir import (
    BroadcastOp,
    CastOp,
    CopyOp,
    ElementwiseOp,
    FusedOp,
    ScalarOp,
    YieldOp,
)
from opsir.dialects.opsir.types import (
    AnyTensor,
    InferType,
    WeakType,
    element_of,
    extents_of,
    is_tensor,
)

Rule = Callable[[Operation], str | None]
"""Why an operation must not appear at a stage; None where it may."""


def _decided_types(op: Operation) -> str | None:
    for type in _types(op):
        if isinstance(element_of(type), InferType | WeakType):
            return f"has a value of type {type}, whose dtype is not decided"
    return None


def _known_shapes(op: Operation) -> str | None:
    for type in _types(op):
        if isinstance(type, UnrankedTensorType):
            return f"has a value of type {type}, whose shape is not known"
        if isinstance(type, TensorType) and extents_of(cast("AnyTensor", type)) is None:
            return f"has a value of type {type}, whose sizes have no names"
    return None


def _explicit_broadcasts(op: Operation) -> str | None:
    if not isinstance(op, ElementwiseOp) or not is_tensor(op.result.type):
        return None
    shape = cast("AnyTensor", op.result.type).shape
    for operand in op.operands:
        if is_tensor(operand.type) and cast("AnyTensor", operand.type).shape != shape:
            return f"broadcasts {operand.type} without an opsir.broadcast"
    return None


def _grouped(op: Operation) -> str | None:
    if isinstance(op, ElementwiseOp | BroadcastOp | CastOp | CopyOp) and isinstance(
        op.parent_op(), FuncOp
    ):
        return "is not part of a fused group"
    return None


def _lowered(op: Operation) -> str | None:
    if isinstance(op, FusedOp | YieldOp | BroadcastOp | CopyOp):
        return "is left over from before lower-to-nest"
    if isinstance(op, ElementwiseOp | CastOp | ScalarOp) and any(map(is_tensor, _types(op))):
        return "computes on whole tensors"
    return None


def _coalesced(op: Operation) -> str | None:
    if isinstance(op, KernelOp):
        merged = op.space.coalesce()[0]
        if merged.extents != op.extents.data:
            return "has axes that are one axis for every operand"
    return None


def _scheduled(op: Operation) -> str | None:
    if isinstance(op, KernelOp) and op.schedule_value("lanes") is None:
        return "has no lanes"
    return None


def _placed(op: Operation) -> str | None:
    if isinstance(op, KernelOp) and "destinations" not in op.attributes:
        return "has no destinations for its results"
    return None


ESTABLISHED: dict[str, tuple[Rule, ...]] = {
    "promote-types": (_decided_types,),
    "infer-shapes": (_known_shapes, _explicit_broadcasts),
    "fuse-elementwise": (_grouped,),
    "lower-to-nest": (_lowered,),
    "coalesce-axes": (_coalesced,),
    "schedule": (_scheduled,),
    "plan-memory": (_placed,),
}
"""The rules that hold from the pass of that name on, in pipeline order."""


REQUIRED: dict[str, str] = {
    "infer-shapes": "promote-types",
    "canonicalize": "promote-types",
    "lay-out-results": "infer-shapes",
    "fold-views": "infer-shapes",
    "fuse-elementwise": "infer-shapes",
    "lower-to-nest": "fuse-elementwise",
    "order-axes": "lower-to-nest",
    "coalesce-axes": "lower-to-nest",
    "expand-ops": "promote-types",
    "legalize-half": "promote-types",
    "expand-math": "promote-types",
    "schedule": "lower-to-nest",
    "plan-memory": "lower-to-nest",
}
"""The pass whose stage each pass relies on; one that is missing takes any valid IR."""


def check(module: ModuleOp, stage: str) -> None:
    """Refuse a module that breaks a rule of ``stage`` or of a stage before it.

    ``stage`` is a key of ``ESTABLISHED``. Raises a located OpsirValueError.
    """
    for op, reason, _ in _broken(module, stage):
        fail_at(op, f"{reason} (after {stage})")


def require(module: ModuleOp, name: str) -> None:
    """Refuse a module that is not ready for the pass ``name``, naming the pass to run first.

    Raises a located OpsirValueError.
    """
    if (stage := REQUIRED.get(name)) is not None:
        for op, reason, missing in _broken(module, stage):
            fail_at(op, f"{reason}: run {missing} before {name}")


def ensure(module: ModuleOp, name: str) -> None:
    """Refuse a module that breaks a rule which the pass ``name``, just run, establishes.

    That happens where the module holds what the pass does not know, an op of another dialect for
    example. Raises a located OpsirValueError.
    """
    for op in module.walk():
        for rule in ESTABLISHED.get(name, ()):
            if (reason := rule(op)) is not None:
                fail_at(op, f"{reason} (after {name})")


def _broken(module: ModuleOp, stage: str) -> Iterator[tuple[Operation, str, str]]:
    """Each op that breaks a rule up to ``stage``, why, and the pass that establishes the rule."""
    names = list(ESTABLISHED)
    rules = [(r, n) for n in names[: names.index(stage) + 1] for r in ESTABLISHED[n]]
    for op in module.walk():
        for rule, name in rules:
            if (reason := rule(op)) is not None:
                yield op, reason, name


def _types(op: Operation) -> list[Attribute]:
    arguments = [a.type for region in op.regions for block in region.blocks for a in block.args]
    return [*(r.type for r in op.results), *arguments]
