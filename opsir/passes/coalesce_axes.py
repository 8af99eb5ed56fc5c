"""The pass ``coalesce-axes``: axes that are one axis for every operand become one.

The decision is a method of the space (``opsir.trajectory``); this file only applies it.
"""

from __future__ import annotations

from dataclasses import dataclass

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp
from xdsl.passes import ModulePass

from opsir.dialects.nest import KernelOp


@dataclass(frozen=True)
class CoalesceAxesPass(ModulePass):
    """Drop axes of extent 1 and merge adjacent axes wherever all operands agree.

    Before::

        nest.kernel extents [n, 1, 8] ins(%a : T along [32, 0, 4]) outs(T along [32, 32, 4]) {...}

    After::

        nest.kernel extents [n*8] ins(%a : T along [4]) outs(T along [4]) {...}

    Axes i and i+1 merge when for every operand and result ``stride[i] == extent[i+1] *
    stride[i+1]``, proven on the symbols, so no size needs to be known. An operand that is
    broadcast along one of the two but not along the other keeps them apart.

    Requires: lower-to-nest. Ensures: the same addresses in the same sequence.
    """

    name = "coalesce-axes"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        for kernel in op.walk():
            if isinstance(kernel, KernelOp):
                space, groups = kernel.space.coalesce()
                if space.extents != kernel.extents.data:
                    kernel.set_space(space, groups)
