"""The pass ``canonicalize``: folds, removes what repeats or is not needed, in one walk per block.

Owns rewrites that involve several ops; what one op folds to is its own business. Knows no target
and changes no result bit.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, cast

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp, TensorType, UnrankedTensorType
from xdsl.interfaces import HasFolderInterface
from xdsl.ir import Block, Operation, SSAValue
from xdsl.passes import ModulePass
from xdsl.traits import Pure

from opsir.casts import is_exact
from opsir.dialects import editing
from opsir.dialects.opsir import (
    BroadcastOp,
    CastOp,
    DimOp,
    ElementwiseOp,
    NumberAttr,
    RequireEqualOp,
    ScalarOp,
)
from opsir.dialects.opsir.arithmetic import AbsOp
from opsir.dialects.opsir.literal import constant_value
from opsir.dialects.opsir.types import AnyTensor, dtype_of, element_of, sizes_only
from opsir.dtypes import DType


@dataclass(frozen=True)
class CanonicalizePass(ModulePass):
    """Bring every block to a simpler form that computes the same bits.

    Before::

        %h = opsir.cast %a : tensor<8xi8> to tensor<8xi16>
        %f = opsir.cast %h : tensor<8xi16> to tensor<8xf32>
        %u = opsir.exp %f : (tensor<8xf32>) -> tensor<8xf32>
        %v = opsir.exp %f : (tensor<8xf32>) -> tensor<8xf32>
        %r = opsir.add %u, %v : (tensor<8xf32>, tensor<8xf32>) -> tensor<8xf32>

    After::

        %f = opsir.cast %a : tensor<8xi8> to tensor<8xf32>
        %u = opsir.exp %f : (tensor<8xf32>) -> tensor<8xf32>
        %r = opsir.add %u, %u : (tensor<8xf32>, tensor<8xf32>) -> tensor<8xf32>

    Constants fold; identities such as ``x * 1`` go; a cast of an exact cast and a broadcast of a
    broadcast become one; equal ops become one; ops whose results nobody uses go, with the warning
    that a division among them would have given. Bodies of fused groups and kernels are treated
    the same way.

    Requires: promote-types. Ensures: nothing beyond valid IR. Leaves alone what would change a
    bit: ``x + 0`` where x may be -0, ``x * 0``, any rounding, and functions, whose digits belong
    to their accuracy tier; never writes a NaN.
    """

    name = "canonicalize"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        for block in editing.blocks_of(op):
            _simplify_block(block)
            _erase_dead(block)


def _simplify_block(block: Block) -> None:
    """One walk suffices: operands are in their final form when an op is reached."""
    known: dict[Any, Operation] = {}
    for op in list(block.ops):
        if op.regions:
            continue
        simpler = _simpler(op)
        if isinstance(simpler, SSAValue):
            editing.replace_by_value(op, simpler)
            continue
        if simpler is not None:
            editing.replace_by_op(op, simpler)
        current = simpler or op
        same = known.setdefault(_key(current), current)
        if same is not current:
            _replace_by_equal(block, current, same)


def _replace_by_equal(block: Block, op: Operation, same: Operation) -> None:
    if op.results:
        editing.replace_by_value(op, same.results[0])
    elif isinstance(op, RequireEqualOp):
        block.erase_op(op)


def _key(op: Operation) -> Any:
    """Equal for ops that compute the same value; unique for ops of which nothing is known."""
    if not (_is_pure(type(op)) or isinstance(op, RequireEqualOp)):
        return op
    operands = op.operands
    ids = tuple(map(id, operands))
    if isinstance(op, ElementwiseOp) and op.commutative:
        ids = tuple(sorted(ids))
    properties = tuple(sorted(op.properties.items())) if op.properties else ()
    return type(op), ids, properties, op.results[0].type if op.results else None


def _erase_dead(block: Block) -> None:
    for op in list(reversed(list(block.ops))):
        if _is_pure(type(op)) and not any(result.first_use for result in op.results):
            block.erase_op(op)


_PURE: dict[type[Operation], bool] = {}


def _is_pure(kind: type[Operation]) -> bool:
    known = _PURE.get(kind)
    if known is None:
        known = _PURE[kind] = kind.has_trait(Pure)
    return known


def _simpler(op: Operation) -> SSAValue | Operation | None:
    """An existing value or a new op that ``op`` always equals, or None."""
    if isinstance(op, HasFolderInterface):
        folded = op.fold()
        if folded:
            (value,) = folded
            if isinstance(value, SSAValue):
                return value
            return ScalarOp.literal(cast("NumberAttr", value), op.results[0].type, op)
    rule = _RULES.get(type(op).name)
    return rule(op) if rule is not None else None


def _compose_casts(op: Operation) -> SSAValue | Operation | None:
    """cast(cast(x)) is one cast where the inner one keeps every value."""
    inner, result = op.operands[0].owner, op.results[0]
    if not isinstance(inner, CastOp):
        return None
    source, middle = (dtype_of(element_of(v.type)) for v in (inner.operand, inner.result))
    target = dtype_of(element_of(result.type))
    if source is None or middle is None or target is None or not _composes(source, middle, target):
        return None
    if source is target:
        return inner.operand if _may_stand_for(inner.operand, result) else None
    return CastOp.of(inner.operand, target, like=op)


def _composes(source: DType, middle: DType, target: DType) -> bool:
    """Whether casting by way of ``middle`` gives what casting at once gives."""
    if not is_exact(source, middle):
        return False
    # An integer wraps on its way to another integer, but saturates on its way out of a float.
    saturates = source.is_integer and middle.is_float and target.is_integer
    return not saturates or is_exact(source, target)


def _compose_broadcasts(op: Operation) -> SSAValue | Operation | None:
    """broadcast(broadcast(x)) is one broadcast; one that expands nothing is its operand."""
    assert isinstance(op, BroadcastOp)
    if isinstance(op.operand.type, UnrankedTensorType) or isinstance(
        op.result.type, UnrankedTensorType
    ):
        return None
    inner = op.operand.owner
    if not isinstance(inner, BroadcastOp) or isinstance(inner.operand.type, UnrankedTensorType):
        return op.operand if _may_stand_for(op.operand, op.result) else None
    if _may_stand_for(inner.operand, op.result):
        return inner.operand
    outer = op.axis_map()
    axes = [outer[axis] for axis in inner.axis_map()]
    rank = cast("AnyTensor", op.result.type).get_num_dims()
    aligned = axes == list(range(rank - len(axes), rank))
    return BroadcastOp.of(inner.operand, op.result.type, axes=None if aligned else axes, like=op)


def _moved(op: Operation) -> SSAValue | None:
    """The operand itself."""
    return op.operands[0] if _may_stand_for(op.operands[0], op.results[0]) else None


def _whole_already(op: Operation) -> SSAValue | None:
    """Rounding leaves bools and integers alone, and so does the magnitude of unsigned ones."""
    dtype = dtype_of(element_of(op.operands[0].type))
    if dtype is None or dtype.is_float or (dtype.is_signed and isinstance(op, AbsOp)):
        return None
    return _moved(op)


def _of_one_value(op: Operation) -> SSAValue | None:
    """``x op x`` is x."""
    return _moved(op) if op.operands[0] is op.operands[1] else None


def _select(op: Operation) -> SSAValue | None:
    condition, first, second = op.operands
    if first is second:
        chosen = first
    elif (value := constant_value(condition)) is not None:
        chosen = first if value else second
    else:
        return None
    return chosen if _may_stand_for(chosen, op.results[0]) else None


_WHOLE = "abs floor ceil trunc round"
_SAME_TWICE = "minimum maximum fmin fmax logical_and logical_or bitwise_and bitwise_or"

_RULES: dict[str, Callable[[Operation], SSAValue | Operation | None]] = {
    "opsir.cast": _compose_casts,
    "opsir.broadcast": _compose_broadcasts,
    "opsir.positive": _moved,
    "opsir.where": _select,
    **{f"opsir.{name}": _whole_already for name in _WHOLE.split()},
    **{f"opsir.{name}": _of_one_value for name in _SAME_TWICE.split()},
}


def _may_stand_for(value: SSAValue, result: SSAValue) -> bool:
    """Whether users of ``result`` may use ``value``: the types agree, or differ in memory order
    only and every user looks at shapes alone.
    """
    if value.type == result.type:
        return True
    if not (isinstance(value.type, TensorType) and isinstance(result.type, TensorType)):
        return False
    given, wanted = cast("AnyTensor", value.type), cast("AnyTensor", result.type)
    return (
        given.element_type == wanted.element_type
        and given.shape == wanted.shape
        and sizes_only(given) == sizes_only(wanted)
        and all(isinstance(use.operation, _ORDERLESS) for use in result.uses)
    )


_ORDERLESS = (ElementwiseOp, CastOp, BroadcastOp, DimOp)
"""Ops whose operand types may carry strides that no result type shows."""
