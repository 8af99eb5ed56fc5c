"""The pass ``fuse-elementwise``: groups of elementwise ops that run as one loop nest.

Owns which ops share a group and writes each group as one ``opsir.fused`` region. Knows nothing of
addresses, axis orders beyond row-major, or targets.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import cast

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp
from xdsl.dialects.func import FuncOp, ReturnOp
from xdsl.ir import Block, Operation, SSAValue
from xdsl.passes import ModulePass

from opsir.diagnostics import fail
from opsir.dialects.locations import fail_at
from opsir.dialects.opsir import BroadcastOp, ElementwiseOp, ViewOp
from opsir.dialects.opsir.grouping import (
    GroupWriter,
    is_scalar_op,
    is_tensor_op,
    users_through_views,
)
from opsir.dialects.opsir.types import AnyTensor, extents_of, is_tensor
from opsir.extent import ONE, Extent

AxisMap = tuple[int, ...]
"""For each axis of a value the axis of the group's iteration space that it runs along."""

POLICIES = ("default", "never", "always")


@dataclass(frozen=True)
class FuseElementwisePass(ModulePass):
    """Gather elementwise ops into groups, each of which becomes one loop over memory.

    Before::

        %s = opsir.add %a, %b : (tensor<8xf32>, tensor<8xf32>) -> tensor<8xf32>
        %r = opsir.exp %s : (tensor<8xf32>) -> tensor<8xf32>

    After::

        %r = opsir.fused(%a, %b) : (tensor<8xf32>, tensor<8xf32>) -> tensor<8xf32> {
        ^bb0(%x: tensor<8xf32>, %y: tensor<8xf32>):
          %s = opsir.add %x, %y : (tensor<8xf32>, tensor<8xf32>) -> tensor<8xf32>
          %e = opsir.exp %s : (tensor<8xf32>) -> tensor<8xf32>
          opsir.yield %e : tensor<8xf32>
        }

    Chains, trees and DAGs fuse, with several results of one shape. A producer of a smaller shape
    joins its consumer and is evaluated only along the axes on which it depends; an expensive one
    that would have to be repeated along an outer axis is materialised instead. A cheap producer
    that two groups of different shapes need is computed in both.

    Requires: infer-shapes. Ensures: every elementwise op is inside a group, each function
    result comes from a group of its own or another result. Changes no result bit.
    """

    name = "fuse-elementwise"

    policy: str = "default"
    """"never" gives each op its own group; "always" repeats expensive work rather than stop."""

    max_ops: int = 256
    """A group that would hold more ops than this is not grown further."""

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        if self.policy not in POLICIES:
            fail(f"fuse-elementwise: policy is one of {', '.join(POLICIES)}, got {self.policy!r}")
        for function in op.ops:
            if isinstance(function, FuncOp) and function.body.blocks:
                _fuse_function(function, self)


@dataclass(eq=False)
class _Group:
    """Ops that will share one iteration space, and the values that must leave it."""

    extents: tuple[Extent, ...]
    ops: dict[Operation, set[AxisMap]] = field(default_factory=dict[Operation, set[AxisMap]])
    roots: dict[Operation, None] = field(default_factory=dict[Operation, None])

    @property
    def identity(self) -> AxisMap:
        return tuple(range(len(self.extents)))


def may_join(op: Operation, group: _Group, axes: AxisMap) -> str | None:
    """Why ``op``, running along ``axes`` of the group's space, must not be evaluated inside it.

    None when it may: it is cheap, or every axis along which it would be repeated lies inside all
    axes along which it varies, so that a loop nest evaluates it once per distinct element.
    """
    if not isinstance(op, ElementwiseOp) or not op.expensive:
        return None
    own = extents_of(cast("AnyTensor", op.result.type)) or ()
    varying = {a for a, extent in zip(axes, own, strict=True) if extent != ONE}
    held = [a for a, extent in enumerate(group.extents) if extent != ONE and a not in varying]
    if varying and held and min(held) < max(varying):
        return f"'{op.name}' would be repeated along axis {min(held)}, on which it does not depend"
    return None


def _fuse_function(function: FuncOp, policy: FuseElementwisePass) -> None:
    block = function.body.block
    last = block.last_op
    if not isinstance(last, ReturnOp):
        return
    movable = [op for op in block.ops if is_tensor_op(op)]
    planner = _Planner(policy)
    for op in reversed(movable):
        planner.place(op)
    if policy.policy != "never":
        planner.merge_siblings()
    writer = GroupWriter(last)
    for group in planner.in_order():
        writer.write_group(group.ops, group.roots)
    writer.write_results()
    _erase(block, movable)


def _extents(op: Operation) -> tuple[Extent, ...]:
    extents = extents_of(cast("AnyTensor", op.results[0].type))
    if extents is None:
        fail_at(op, f"needs named sizes, got {op.results[0].type}: run infer-shapes first")
    return extents


class _Planner:
    """Assigns each op to one or more groups, visiting consumers before producers."""

    def __init__(self, policy: FuseElementwisePass) -> None:
        self.policy = policy
        self.groups: dict[_Group, None] = {}
        self.placed: dict[Operation, dict[_Group, None]] = {}

    def place(self, op: Operation) -> None:
        wanted, leaves = self._uses(op)
        if not wanted and not leaves:
            return
        if isinstance(op, BroadcastOp) and not leaves:
            homes = list(wanted)  # A broadcast computes nothing: it follows its users everywhere.
        elif leaves:
            homes = self._home_of_result(op, wanted)
        else:
            homes = self._home_of_inner(op, wanted)
        for group in homes:
            group.ops.setdefault(op, set()).update(wanted.get(group, {group.identity}))
        self.placed[op] = dict.fromkeys(homes)
        if not homes or leaves:
            home = homes[0] if homes else self._new_group(op)
            home.roots[op] = None
            self.placed[op][home] = None

    def _uses(self, op: Operation) -> tuple[dict[_Group, set[AxisMap]], bool]:
        """The groups that use ``op``, with its axes there; and whether it leaves the function."""
        wanted: dict[_Group, set[AxisMap]] = {}
        leaves = False
        for use in op.results[0].uses:
            user = use.operation
            if user not in self.placed:
                leaves = leaves or not is_tensor_op(user)
                continue
            for group in self.placed[user]:
                step = user.axis_map() if isinstance(user, BroadcastOp) else None
                for axes in group.ops[user]:
                    own = axes if step is None else tuple(axes[a] for a in step)
                    wanted.setdefault(group, set()).add(own)
        return wanted, leaves

    def _home_of_result(self, op: Operation, wanted: dict[_Group, set[AxisMap]]) -> list[_Group]:
        """The one group that computes a value which is needed outside it."""
        extents = _extents(op)
        viewers = self._viewers(op)
        for group in wanted:
            rest = [other for other in wanted if other is not group]
            if (
                group.extents == extents
                and wanted[group] == {group.identity}
                and self._accepts(group, op)
                and group not in viewers
                and not any(self._reaches(other, group) for other in (*rest, *viewers))
            ):
                return [group]
        return []

    def _viewers(self, op: Operation) -> set[_Group]:
        """The groups that read a view of what ``op`` computes, so that it must be stored before."""
        views = (use.operation for use in op.results[0].uses)
        users = [u for v in views if isinstance(v, ViewOp) for u in users_through_views(v.result)]
        return {group for user in users for group in self.placed.get(user, ())}

    def _home_of_inner(self, op: Operation, wanted: dict[_Group, set[AxisMap]]) -> list[_Group]:
        """The groups that evaluate a value used by other ops only; empty to materialise it."""
        groups = list(wanted)
        if self.policy.policy == "never" or not all(self._accepts(g, op) for g in groups):
            return []
        if self.policy.policy == "always":
            return groups
        expensive = isinstance(op, ElementwiseOp) and op.expensive
        if expensive and any(len(axes) > 1 for axes in wanted.values()):
            return []
        if any(may_join(op, g, axes) for g in groups for axes in wanted[g]):
            return []
        if len(groups) == 1:
            return groups
        if self._mergeable(groups):
            merged = self._merge(groups)
            for group in groups[1:]:
                wanted[merged] |= wanted.pop(group)
            return [merged]
        inputs = {o for o in op.operands if is_tensor(o.type)}
        return groups if not expensive and len(inputs) <= 1 else []

    def _accepts(self, group: _Group, op: Operation) -> bool:
        return self.policy.policy != "never" and len(group.ops) < self.policy.max_ops

    def _new_group(self, op: Operation) -> _Group:
        group = _Group(_extents(op))
        group.ops[op] = {group.identity}
        self.groups[group] = None
        return group

    def _consumers(self, group: _Group) -> set[_Group]:
        """The groups that read a value which this one computes."""
        found: set[_Group] = set()
        for root in group.roots:
            for user in users_through_views(root.results[0]):
                found.update(
                    other
                    for other in self.placed.get(user, ())
                    if other is not group and root not in other.ops
                )
        return found

    def _reaches(self, start: _Group, goal: _Group) -> bool:
        seen, todo = {start}, [start]
        while todo:
            for group in self._consumers(todo.pop()):
                if group is goal:
                    return True
                if group not in seen:
                    seen.add(group)
                    todo.append(group)
        return False

    def _mergeable(self, groups: Sequence[_Group]) -> bool:
        first = groups[0]
        if any(g.extents != first.extents for g in groups):
            return False
        if sum(len(g.ops) for g in groups) > self.policy.max_ops:
            return False
        return not any(self._reaches(a, b) for a in groups for b in groups if a is not b)

    def _merge(self, groups: Sequence[_Group]) -> _Group:
        """Make the first group out of all of them."""
        target = groups[0]
        for group in groups[1:]:
            for op, axes in group.ops.items():
                target.ops.setdefault(op, set()).update(axes)
                del self.placed[op][group]
                self.placed[op][target] = None
            target.roots.update(group.roots)
            del self.groups[group]
        return target

    def merge_siblings(self) -> None:
        """Let groups of one shape that read a common tensor become one, with several results."""
        for group in list(self.groups):
            if group not in self.groups:
                continue
            for other in list(self.groups):
                if other is group or other not in self.groups or group not in self.groups:
                    continue
                if _tensor_inputs(group) & _tensor_inputs(other) and self._mergeable(
                    (group, other)
                ):
                    self._merge((group, other))

    def in_order(self) -> list[_Group]:
        """The groups, each after those whose results it reads."""
        done: dict[_Group, None] = {}

        def visit(group: _Group) -> None:
            for other in self.groups:
                if other not in done and other is not group and group in self._consumers(other):
                    visit(other)
            done.setdefault(group, None)

        for group in reversed(self.groups):
            visit(group)
        return list(done)


def _tensor_inputs(group: _Group) -> set[SSAValue]:
    return {
        operand
        for op in group.ops
        for operand in op.operands
        if is_tensor(operand.type) and operand.owner not in group.ops
    }


def _erase(block: Block, movable: Sequence[Operation]) -> None:
    """Remove the ops that now live in groups, and scalar ops that nothing outside uses."""
    for op in reversed(movable):
        op.detach()
        op.erase(safe_erase=False)
    for op in reversed(list(block.ops)):
        if is_scalar_op(op) and op.results[0].first_use is None:
            op.detach()
            op.erase()
