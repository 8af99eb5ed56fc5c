"""Gathers ops into the block of a fused region.

Owns the copying of ops and the arguments through which a region sees the outside. Which ops form a
group is a pass's business.
"""

from __future__ import annotations

from collections.abc import Sequence

from xdsl.ir import Block, Operation, SSAValue

from opsir.dialects.opsir.base import ElementwiseOp
from opsir.dialects.opsir.cast import CastOp
from opsir.dialects.opsir.literal import ScalarOp
from opsir.dialects.opsir.types import is_tensor


def is_scalar_op(op: object) -> bool:
    """A literal or scalar arithmetic: copied into each group that uses it, it runs once there."""
    return isinstance(op, ScalarOp | ElementwiseOp | CastOp) and not is_tensor(op.results[0].type)


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
