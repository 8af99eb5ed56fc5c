"""The pass ``plan-memory``: where every kernel result is stored.

Owns which results are the function's and which temporaries may share memory. Allocates nothing and
knows no pointer.
"""

from __future__ import annotations

from dataclasses import dataclass

from xdsl.context import Context
from xdsl.dialects.builtin import ArrayAttr, ModuleOp, StringAttr
from xdsl.dialects.func import FuncOp, ReturnOp
from xdsl.ir import Operation, SSAValue
from xdsl.passes import ModulePass

from opsir.dialects.locations import fail_at
from opsir.dialects.nest import KernelOp
from opsir.dialects.opsir.grouping import users_through_views

DESTINATIONS = "destinations"
"""Attribute of a kernel: one text per result, ``result 0`` or ``temporary 1``."""


@dataclass(frozen=True)
class PlanMemoryPass(ModulePass):
    """Give each kernel result its destination: a result of the function or a temporary.

    Before::

        %t = nest.kernel ... outs(tensor<4xf32> along [4]) attributes {lanes = 4 : i64} {...}
        %r = nest.kernel ... ins(%t : tensor<4xf32> along [4]) outs(...) {...}
        func.return %r : tensor<4x4xf32>

    After::

        %t = nest.kernel ... attributes {lanes = 4 : i64, destinations = ["temporary 0"]} {...}
        %r = nest.kernel ... attributes {destinations = ["result 0"]} {...}

    Temporaries whose lives do not overlap get the same number and share memory.

    Requires: lower-to-nest. Ensures: every kernel names a destination for each result.
    """

    name = "plan-memory"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        for function in op.ops:
            if isinstance(function, FuncOp) and function.body.blocks:
                _plan(function)


def _plan(function: FuncOp) -> None:
    ops = list(function.body.block.ops)
    if not ops or not isinstance(last := ops[-1], ReturnOp):
        return
    results = _results(last)
    order = {op: place for place, op in enumerate(ops)}
    free_after: list[int] = []  # Per temporary the place of the last op that reads it.
    for place, op in enumerate(ops):
        if isinstance(op, KernelOp):
            names = [
                results.get(value) or _temporary(value, place, order, free_after)
                for value in op.outputs
            ]
            op.attributes[DESTINATIONS] = ArrayAttr(map(StringAttr, names))


def _results(last: ReturnOp) -> dict[SSAValue, str]:
    """The kernel results that leave the function, each by its one position."""
    found: dict[SSAValue, str] = {}
    for index, value in enumerate(last.arguments):
        if not isinstance(value.owner, KernelOp):
            fail_at(last, f"operand #{index} must be the result of a nest.kernel")
        if value in found:
            fail_at(last, f"operand #{index} repeats {found[value]}: each needs memory of its own")
        found[value] = f"result {index}"
    return found


def _temporary(
    value: SSAValue, place: int, order: dict[Operation, int], free_after: list[int]
) -> str:
    """The first temporary that no later op reads by now, or a new one."""
    end = max((order[user] for user in users_through_views(value)), default=place)
    for number, last_read in enumerate(free_after):
        if last_read < place:
            free_after[number] = end
            return f"temporary {number}"
    free_after.append(end)
    return f"temporary {len(free_after) - 1}"
