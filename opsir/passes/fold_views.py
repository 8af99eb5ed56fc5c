"""The pass ``fold-views``: views move to where memory is, and become strides there.

Owns how far a view may move and where a copy is needed instead. What a view does to sizes and
strides lies in ``opsir.view_symbols``; knows no kernel and no target.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import cast

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp
from xdsl.dialects.func import FuncOp, ReturnOp
from xdsl.ir import Block, Operation, SSAValue
from xdsl.passes import ModulePass

from opsir.diagnostics import fail
from opsir.dialects import editing
from opsir.dialects.locations import fail_at
from opsir.dialects.nest import KernelOp
from opsir.dialects.opsir import (
    BroadcastOp,
    CastOp,
    CopyOp,
    ElementwiseOp,
    FusedOp,
    ViewOp,
)
from opsir.dialects.opsir.types import (
    AnyTensor,
    element_of,
    extents_of,
    is_tensor,
    strides_of,
    tensor_type,
)
from opsir.dialects.opsir.view_pushing import push
from opsir.dialects.opsir.view_types import memory_type
from opsir.dialects.opsir.views import view_op
from opsir.extent import ONE, Extent
from opsir.view import Reshape, ViewRule, composed, is_identity, origins
from opsir.view_symbols import strides_of as view_strides

Extents = tuple[Extent, ...]


@dataclass(frozen=True)
class FoldViewsPass(ModulePass):
    """Move views through elementwise ops, casts and broadcasts to the memory that is read.

    Before::

        %s = opsir.add %a, %b : (tensor<4x8xf32>, tensor<4x8xf32>) -> tensor<4x8xf32>
        %r = opsir.slice %s [::2, 0] : tensor<4x8xf32> to tensor<2xf32>

    After::

        %x = opsir.slice %a [::2, 0] : tensor<4x8xf32>
            to tensor<2xf32, #opsir.layout<strides [64]>>
        %y = opsir.slice %b [::2, 0] : tensor<4x8xf32>
            to tensor<2xf32, #opsir.layout<strides [64]>>
        %r = opsir.add %x, %y : (...) -> tensor<2xf32>

    Nothing is computed that the view leaves out, adjacent views that are one view are composed,
    and inverse ones cancel. A value that has other users is computed again for its view where that
    is cheap; otherwise it is stored and the view reads it. A reshape of memory whose strides allow
    no view, and a view that is a result of the function, become an ``opsir.copy``.

    Requires: infer-shapes; functions with groups or kernels are left alone. Ensures: a view is one
    of an argument, of a value that is stored, or of such a view, and its type has the strides in
    memory.
    """

    name = "fold-views"

    max_repeated: int = 8
    """A value with other users and more ops than this behind it is stored rather than repeated."""

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        if self.max_repeated < 0:
            fail(f"fold-views: max-repeated is at least 0, got {self.max_repeated}")
        for function in editing.functions_of(op):
            ops = list(function.body.block.ops)
            has_views = any(isinstance(inner, ViewOp | CopyOp) for inner in ops)
            if has_views and not any(isinstance(inner, FusedOp | KernelOp) for inner in ops):
                _Folding(function, self.max_repeated).run()


class _Folding:
    """The walk over one function, producers first."""

    def __init__(self, function: FuncOp, max_repeated: int) -> None:
        self.function = function
        self.block = function.body.block
        self.max_repeated = max_repeated
        self.made: dict[tuple[SSAValue, ViewRule], SSAValue] = {}
        self.settled: dict[Operation, None] = {}
        self.dying: set[Operation] = set()
        self.symbols = 0

    def run(self) -> None:
        last = self.block.last_op
        returned = last.operands if isinstance(last, ReturnOp) else ()
        shown = [i for i, value in enumerate(returned) if isinstance(value.owner, ViewOp)]
        for op in list(self.block.ops):
            if isinstance(op, ViewOp) and op not in self.settled:
                self._fold(op)
        for op in list(self.block.ops):
            if isinstance(op, CopyOp):
                _drop_unseen(op)
        if isinstance(last, ReturnOp):
            _copy_results(last, shown)
        self._erase_dead()
        editing.update_function_type(self.function)

    def _fold(self, op: ViewOp) -> None:
        self.dying.add(op)
        value = self.view(op.rule, op.operand, _extents(op, op.result), op)
        if value is op.result:
            self.dying.discard(op)
        else:
            op.result.replace_all_uses_with(value)
            self._erase_unused(op)

    def view(self, rule: ViewRule, value: SSAValue, sizes: Extents, op: Operation) -> SSAValue:
        """``rule`` of ``value``, of these sizes, computed in front of ``op`` and for its sake."""
        known = self.made.get((value, rule))
        if known is not None and _extents(op, known) == sizes:
            return known
        owner = value.owner
        found: SSAValue | None = None
        if is_identity(rule):
            found = value
        elif isinstance(owner, ViewOp):
            both = composed(rule, owner.rule, len(_extents(op, owner.operand)))
            found = None if both is None else self.view(both, owner.operand, sizes, op)
        elif isinstance(owner, BroadcastOp):
            found = self._through_broadcast(rule, owner, sizes, op)
        elif isinstance(owner, ElementwiseOp | CastOp) and self._may_repeat(owner):
            found = self._through(rule, owner, sizes, op)
        if found is None:
            found = self._of_memory(rule, value, sizes, op)
        self.made[value, rule] = found
        return found

    def _through(
        self, rule: ViewRule, owner: ElementwiseOp | CastOp, sizes: Extents, op: Operation
    ) -> SSAValue | None:
        """The same op on views of its operands."""
        if isinstance(rule, Reshape) and not self._may_reshape(owner.results[0], sizes):
            return None
        if all(use.operation in self.dying for use in owner.results[0].uses):
            self.dying.add(owner)
        operands = [
            self.view(rule, operand, sizes, op) if is_tensor(operand.type) else operand
            for operand in owner.operands
        ]
        clone = type(owner).create(
            operands=operands,
            result_types=[tensor_type(element_of(owner.results[0].type), sizes)],
            properties=dict(owner.properties),
            attributes=dict(owner.attributes),
            location=owner.location,
        )
        clone.results[0].name_hint = owner.results[0].name_hint
        editing.insert_before(clone, op)
        return clone.results[0]

    def _through_broadcast(
        self, rule: ViewRule, owner: BroadcastOp, sizes: Extents, op: Operation
    ) -> SSAValue | None:
        """A broadcast, to the sizes of the view, of views of the operand."""
        value, own = owner.operand, _extents(op, owner.operand)
        axes, views = owner.axis_map(), tuple[ViewRule, ...]()
        if isinstance(rule, Reshape):
            if any(extent != ONE for extent in own):
                return self._reshaped_broadcast(rule, owner, sizes, op)
            views = (Reshape(()),) if own else ()
            axes = ()
        else:
            pushed = push(rule, axes, own, _extents(op, owner.result))
            if pushed is None:
                return None
            views, axes = pushed
        if all(use.operation in self.dying for use in owner.result.uses):
            self.dying.add(owner)
        for inner in views:
            inside = tuple(
                ONE if value_size == ONE else sizes[axis]
                for value_size, axis in zip(_kept_sizes(inner, own), axes, strict=True)
            )
            value = self.view(inner, value, inside, op)
        result = tensor_type(element_of(owner.result.type), sizes)
        aligned = axes == tuple(range(len(sizes) - len(axes), len(sizes)))
        wide = BroadcastOp.of(value, result, axes=None if aligned else axes, like=owner)
        editing.insert_before(wide, op)
        return wide.result

    def _reshaped_broadcast(
        self, rule: ViewRule, owner: BroadcastOp, sizes: Extents, op: Operation
    ) -> SSAValue | None:
        """A broadcast that repeats nothing is no obstacle to a reshape."""
        if not self._may_reshape(owner.result, sizes):
            return None
        return self.view(rule, owner.operand, sizes, op)

    def _may_repeat(self, owner: Operation) -> bool:
        """Whether the ops behind a value may be computed once more, if it has other users."""
        if all(use.operation in self.dying for use in owner.results[0].uses):
            return True
        count, todo = 0, [owner]
        while todo and count <= self.max_repeated:
            inner = todo.pop()
            count += isinstance(inner, ElementwiseOp | CastOp)
            if isinstance(inner, ElementwiseOp) and inner.expensive:
                return False
            todo += [
                operand.owner
                for operand in inner.operands
                if is_tensor(operand.type)
                and isinstance(operand.owner, ElementwiseOp | CastOp | BroadcastOp)
            ]
        return count <= self.max_repeated

    def _may_reshape(self, value: SSAValue, sizes: Extents) -> bool:
        """Whether a reshape can move from a value to all the memory behind it without a copy."""
        owner, own = value.owner, _extents(self.function, value)
        if isinstance(owner, ElementwiseOp | CastOp):
            tensors = [operand for operand in owner.operands if is_tensor(operand.type)]
            return all(self._may_reshape(operand, sizes) for operand in tensors)
        if isinstance(owner, BroadcastOp):
            inner = _extents(self.function, owner.operand)
            if all(extent == ONE for extent in inner):
                return True
            kept = [extent for extent in own if extent != ONE]
            same = kept == [extent for extent in inner if extent != ONE]
            return same and self._may_reshape(owner.operand, sizes)
        strides = _strides(self.function, value)
        return view_strides(Reshape(sizes), own, strides, sizes) is not None

    def _of_memory(
        self, rule: ViewRule, value: SSAValue, sizes: Extents, op: Operation
    ) -> SSAValue:
        """A view that stays, with the strides that the memory of ``value`` has along its axes."""
        own, strides = _extents(op, value), _strides(op, value)
        found = view_strides(rule, own, strides, sizes)
        if found is None:
            dense = tensor_type(element_of(value.type), own)
            copy = CopyOp.of(value, dense, like=op)
            editing.insert_before(copy, op)
            self.settled[copy] = None
            return self._of_memory(rule, copy.result, sizes, op)
        steps = tuple(self._symbol() if step is None else step for step in found)
        type = memory_type(rule, cast("AnyTensor", value.type), sizes, steps)
        if isinstance(op, ViewOp) and op.rule == rule and op.operand is value:
            editing.retype(op.result, type)
            self.settled[op] = None
            return op.result
        view = view_op(rule, value, type, like=op)
        editing.insert_before(view, op)
        self.settled[view] = None
        return view.result

    def _symbol(self) -> Extent:
        self.symbols += 1
        return Extent.symbol(f"view_stride{self.symbols - 1}")

    def _erase_unused(self, op: Operation) -> None:
        if any(result.first_use for result in op.results):
            return
        owners = [operand.owner for operand in op.operands]
        self.dying.discard(op)
        self.made = {
            k: v for k, v in self.made.items() if v.owner is not op and k[0].owner is not op
        }
        self.block.erase_op(op)
        for owner in owners:
            if isinstance(owner, ElementwiseOp | CastOp | BroadcastOp | ViewOp) and owner.parent:
                self._erase_unused(owner)

    def _erase_dead(self) -> None:
        for op in reversed(list(self.block.ops)):
            if isinstance(op, ElementwiseOp | CastOp | BroadcastOp | ViewOp | CopyOp):
                self._erase_unused(op)


def _kept_sizes(rule: ViewRule, own: Extents) -> Extents:
    """The sizes of the operand's axes that a view keeps, in the order of the result."""
    if isinstance(rule, Reshape):
        return ()
    return tuple(own[parts[0].axis] for parts in origins(rule, len(own)) if parts)


def _drop_unseen(op: CopyOp) -> None:
    """A copy that only computations read cannot be told from its operand."""
    if all(isinstance(u.operation, ElementwiseOp | CastOp | BroadcastOp) for u in op.result.uses):
        op.result.replace_all_uses_with(op.operand)


def _copy_results(last: ReturnOp, shown: Sequence[int]) -> None:
    """A result of a function has memory of its own, dense, and is no view."""
    for index in shown:
        value = last.operands[index]
        if isinstance(value.owner, ViewOp | Block):
            dense = tensor_type(element_of(value.type), _extents(last, value))
            like = value.owner if isinstance(value.owner, ViewOp) else last
            copy = CopyOp.of(value, dense, like=like)
            editing.insert_before(copy, last)
            last.operands[index] = copy.result


def _extents(op: Operation, value: SSAValue) -> Extents:
    if not is_tensor(value.type):
        return ()
    extents = extents_of(cast("AnyTensor", value.type))
    if extents is None:
        fail_at(op, f"needs named sizes, got {value.type}: run infer-shapes first")
    return extents


def _strides(op: Operation, value: SSAValue) -> Extents:
    strides = strides_of(cast("AnyTensor", value.type))
    if strides is None:
        fail_at(op, f"needs named sizes, got {value.type}: run infer-shapes first")
    return strides
