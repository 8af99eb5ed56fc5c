"""Gathers ops into fused regions.

Owns the copying of ops, the arguments through which a region sees the outside, and the order in
which regions and views are written. Which ops form a group is a pass's business.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import cast

from xdsl.dialects.func import ReturnOp
from xdsl.ir import Attribute, Block, Operation, Region, SSAValue

from opsir.dialects.opsir.base import ElementwiseOp
from opsir.dialects.opsir.broadcast import BroadcastOp
from opsir.dialects.opsir.cast import CastOp
from opsir.dialects.opsir.fused import FusedOp, YieldOp
from opsir.dialects.opsir.literal import ScalarOp
from opsir.dialects.opsir.types import is_tensor
from opsir.dialects.opsir.views import CopyOp, ViewOp


def is_scalar_op(op: object) -> bool:
    """A literal or scalar arithmetic: copied into each group that uses it, it runs once there."""
    return isinstance(op, ScalarOp | ElementwiseOp | CastOp) and not is_tensor(op.results[0].type)


def is_tensor_op(op: Operation) -> bool:
    """Whether ``op`` computes a tensor, element by element, in a loop over memory."""
    kinds = ElementwiseOp | BroadcastOp | CastOp | CopyOp
    return isinstance(op, kinds) and is_tensor(op.results[0].type)


def users_through_views(value: SSAValue) -> Iterator[Operation]:
    """The ops that use a value or a view of it, the views themselves left out."""
    for use in value.uses:
        if isinstance(use.operation, ViewOp):
            yield from users_through_views(use.operation.result)
        else:
            yield use.operation


class GroupBody:
    """Copies of ops in a block of their own; what comes from outside enters as a block argument.

    ``outside`` says what to use instead of a value from outside; others are used as they are.
    Scalar ops that are used are copied along.
    """

    def __init__(self, ops: Sequence[Operation], outside: dict[SSAValue, SSAValue]) -> None:
        self.block = Block()
        self.inputs: list[SSAValue] = []
        self._inside: dict[SSAValue, SSAValue] = {}
        self._outside = outside
        for op in ops:
            self._copy(op)

    def value(self, value: SSAValue) -> SSAValue:
        """What stands for ``value`` inside the region."""
        known = self._inside.get(value)
        if known is not None:
            return known
        owner = value.owner
        if isinstance(owner, Operation) and is_scalar_op(owner):
            self._copy(owner)
            return self._inside[value]
        source = self._outside.get(value, value)
        self.inputs.append(source)
        argument = self.block.insert_arg(source.type, len(self.block.args))
        self._inside[value] = argument
        return argument

    def _copy(self, op: Operation) -> None:
        operands = [self.value(o) for o in op.operands]
        clone = type(op).create(
            operands=operands,
            result_types=[r.type for r in op.results],
            properties=dict(op.properties),
            attributes=dict(op.attributes),
            location=op.location,
        )
        self.block.add_op(clone)
        self._inside[op.results[0]] = clone.results[0]


class GroupWriter:
    """Writes groups as ``opsir.fused`` ops before the function's return."""

    def __init__(self, last: ReturnOp) -> None:
        self.last = last
        self.block = cast("Block", last.parent)
        self.order = {op: index for index, op in enumerate(self.block.ops)}
        self.outside: dict[SSAValue, SSAValue] = {}

    def write_group(self, group: Iterable[Operation], stored: Iterable[Operation]) -> None:
        """Write the ops of one group; the results of those in ``stored`` leave it."""
        ops = sorted(group, key=self.order.__getitem__)
        roots = sorted(stored, key=self.order.__getitem__)
        fused = self._write(ops, [root.results[0] for root in roots], roots[-1])
        for root, result in zip(roots, fused.results, strict=True):
            self.outside[root.results[0]] = result
            root.results[0].replace_uses_with_if(
                result, lambda use: not is_tensor_op(use.operation)
            )
            self._move_views(result)

    def _move_views(self, value: SSAValue) -> None:
        """Put the views of a stored value behind the group that stores it."""
        for use in list(value.uses):
            view = use.operation
            if isinstance(view, ViewOp):
                view.detach()
                self.block.insert_op_before(view, self.last)
                self._move_views(view.result)

    def write_results(self) -> None:
        """Give each function result a value of its own: arguments and repeats are copied."""
        seen: set[SSAValue] = set()
        for index, value in enumerate(self.last.arguments):
            owner = value.owner
            if value in seen or not isinstance(owner, Operation) or is_scalar_op(owner):
                self.last.operands[index] = self._write([], [value], self.last).results[0]
            seen.add(value)

    def _write(self, ops: list[Operation], results: list[SSAValue], like: Operation) -> FusedOp:
        body = GroupBody(ops, self.outside)
        yielded = [body.value(result) for result in results]
        body.block.add_op(YieldOp.create(operands=yielded, location=like.location))
        types: list[Attribute] = [value.type for value in results]
        fused = FusedOp.of(list(body.inputs), types, Region(body.block), like=like)
        self.block.insert_op_before(fused, self.last)
        return fused
