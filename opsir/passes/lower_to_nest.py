"""The pass ``lower-to-nest``: each fused group becomes one loop nest over address trajectories.

Owns the step from shapes and broadcasts to extents and byte strides. Knows no axis order, no
schedule and no target.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import cast

from xdsl.context import Context
from xdsl.dialects.builtin import FunctionType, ModuleOp
from xdsl.dialects.func import FuncOp, ReturnOp
from xdsl.ir import Attribute, Block, BlockArgument, Operation, Region, SSAValue
from xdsl.passes import ModulePass

from opsir.dialects.locations import fail_at
from opsir.dialects.nest import KernelOp
from opsir.dialects.nest.kernel import YieldOp
from opsir.dialects.opsir import BroadcastOp, CopyOp, FusedOp
from opsir.dialects.opsir.types import (
    AnyTensor,
    element_of,
    extents_of,
    is_tensor,
    strides_of,
    tensor_type,
)
from opsir.extent import ONE, ZERO, Extent
from opsir.trajectory import Trajectory

AxisMap = tuple[int, ...]
"""For each axis of a value the axis of the iteration space that it runs along."""


@dataclass(frozen=True)
class LowerToNestPass(ModulePass):
    """Turn every ``opsir.fused`` into one ``nest.kernel``.

    Before::

        %r = opsir.fused(%a, %b) : (tensor<2x3xf32>, tensor<3xf32>) -> tensor<2x3xf32> {
        ^bb0(%x: tensor<2x3xf32>, %y: tensor<3xf32>):
          %z = opsir.broadcast %y : tensor<3xf32> to tensor<2x3xf32>
          %s = opsir.add %x, %z : (tensor<2x3xf32>, tensor<2x3xf32>) -> tensor<2x3xf32>
          opsir.yield %s : tensor<2x3xf32>
        }

    After::

        %r = nest.kernel extents [2, 3] ins(%a : tensor<2x3xf32> along [12, 4],
            %b : tensor<3xf32> along [0, 4]) outs(tensor<2x3xf32> along [12, 4]) {
        ^bb0(%x: f32, %y: f32):
          %s = opsir.add %x, %y : (f32, f32) -> f32
          nest.yield %s : f32
        }

    A broadcast becomes stride 0. A value that is used along different axes is read once for each.
    A scalar result becomes a tensor of rank 0, in the function's type too.

    Requires: fuse-elementwise. Ensures: no op on whole tensors is left but views, ``opsir.dim``
    and ``opsir.require_equal``.
    """

    name = "lower-to-nest"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        for function in op.ops:
            if isinstance(function, FuncOp) and function.body.blocks:
                for fused in [o for o in function.body.block.ops if isinstance(o, FusedOp)]:
                    _lower(fused)
                _update_results(function)


class _Kernel:
    """One kernel under construction."""

    def __init__(self, fused: FusedOp, extents: tuple[Extent, ...]) -> None:
        self.fused = fused
        self.extents = extents
        self.block = Block()
        self.inputs: list[SSAValue] = []
        self.moves: list[Trajectory | None] = []
        self._values: dict[tuple[SSAValue, AxisMap], SSAValue] = {}

    def value(self, value: SSAValue, axes: AxisMap) -> SSAValue:
        """The scalar that stands for ``value`` read along ``axes``."""
        if not is_tensor(value.type):
            axes = ()
        known = self._values.get((value, axes))
        if known is None:
            known = self._make(value, axes)
            self._values[value, axes] = known
        return known

    def _make(self, value: SSAValue, axes: AxisMap) -> SSAValue:
        if isinstance(value, BlockArgument):
            return self._input(self.fused.inputs[value.index], axes)
        op = cast("Operation", value.owner)
        if isinstance(op, BroadcastOp):
            return self.value(op.operand, tuple(axes[a] for a in op.axis_map()))
        if isinstance(op, CopyOp):
            return self.value(op.operand, axes)
        clone = type(op).create(
            operands=[self.value(operand, axes) for operand in op.operands],
            result_types=[element_of(value.type)],
            properties={k: v for k, v in op.properties.items() if k != "casting"},
            attributes=dict(op.attributes),
            location=op.location,
        )
        self.block.add_op(clone)
        return clone.results[0]

    def _input(self, source: SSAValue, axes: AxisMap) -> SSAValue:
        if is_tensor(source.type):
            move = _trajectory(self.fused, cast("AnyTensor", source.type), axes, self.extents)
        else:
            move = None
        self.inputs.append(source)
        self.moves.append(move)
        return self.block.insert_arg(element_of(source.type), len(self.block.args))


def _trajectory(
    fused: FusedOp, tensor: AnyTensor, axes: AxisMap, extents: Sequence[Extent]
) -> Trajectory:
    """Where a tensor's elements lie, seen from the iteration space; 0 along axes it lacks."""
    sizes, strides = extents_of(tensor), strides_of(tensor)
    if sizes is None or strides is None:
        fail_at(fused, f"needs a layout with named sizes, got {tensor}: run infer-shapes first")
    steps = [ZERO] * len(extents)
    for axis, size, stride in zip(axes, sizes, strides, strict=True):
        if size != ONE:
            steps[axis] = stride
    return Trajectory(ZERO, tuple(steps))


def _lower(fused: FusedOp) -> None:
    last = cast("Operation", fused.block.last_op)
    results = [_ranked(r.type) for r in fused.outputs]
    extents = extents_of(results[0])
    if extents is None:
        fail_at(fused, f"needs named sizes, got {results[0]}: run infer-shapes first")
    identity = tuple(range(len(extents)))
    kernel = _Kernel(fused, extents)
    yielded = [kernel.value(value, identity) for value in last.operands]
    kernel.block.add_op(YieldOp.of(yielded, like=last))
    moves = [_trajectory(fused, tensor, identity, extents) for tensor in results]
    nest = KernelOp.of(
        extents, kernel.inputs, kernel.moves, results, moves, Region(kernel.block), like=fused
    )
    block = cast("Block", fused.parent)
    block.insert_op_before(nest, fused)
    for old, new in zip(fused.outputs, nest.outputs, strict=True):
        old.replace_all_uses_with(new)
    fused.detach()
    fused.erase()


def _ranked(attribute: Attribute) -> AnyTensor:
    """A scalar result is stored as a tensor of rank 0."""
    return cast("AnyTensor", attribute) if is_tensor(attribute) else tensor_type(attribute, ())


def _update_results(function: FuncOp) -> None:
    last = function.body.block.last_op
    if isinstance(last, ReturnOp):
        outputs = [value.type for value in last.arguments]
        function.function_type = FunctionType.from_lists(
            list(function.function_type.inputs.data), outputs
        )
