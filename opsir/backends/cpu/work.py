"""How much one iteration of a kernel costs, as far as a decision about threads needs to know.

Owns the rough prices of ops and accesses. Emits nothing; a wrong price costs time, never a result.
"""

from __future__ import annotations

from xdsl.ir import SSAValue

from opsir.backends.cpu.program import element_dtype
from opsir.dialects.nest import KernelOp
from opsir.dialects.opsir.base import ElementwiseOp
from opsir.dtypes import DType
from opsir.extent import ZERO, Extent
from opsir.trajectory import Trajectory

CALL = 800
"""A function evaluated for each element: 15 to 40 ns."""
WHOLE_DIVISION = 100
"""Integer division, its remainders, integer powers, whole quotients of floats: 2 to 8 ns."""
DIVISION = 16
"""Division or root in vectors: 0.3 to 1 ns."""
STRIDED = 16
"""An element of its own cache line or page costs more than its bytes."""

_WHOLE = frozenset({"div_floor", "div_trunc", "mod", "rem", "pow"})
_ROOTS = frozenset({"div", "sqrt", "rsqrt", "reciprocal"})


def iteration_work(kernel: KernelOp) -> int:
    """The price of an iteration of the innermost loop, in bytes moved within the caches.

    A byte stands for 25 ps, at 40 GB/s. What does not vary along the innermost axis is left out.
    """
    if not kernel.extents.data:
        return 1
    total = 0
    varies: dict[SSAValue, bool] = {}
    for index, argument in enumerate(kernel.block.args):
        step = _step(kernel.input_trajectory(index))
        varies[argument] = step != ZERO
        total += _access(step, element_dtype(argument))
    for op in kernel.block.ops:
        is_inner = any(varies[operand] for operand in op.operands)
        varies.update(dict.fromkeys(op.results, is_inner))
        if is_inner and isinstance(op, ElementwiseOp):
            total += _price(op)
    for value, move in zip(kernel.yielded, kernel.output_trajectories, strict=True):
        total += _access(_step(move), element_dtype(value))
    return max(total, 1)


def _step(move: Trajectory | None) -> Extent:
    return ZERO if move is None else move.strides[-1]


def _access(step: Extent, dtype: DType) -> int:
    size = dtype.itemsize
    if step == ZERO:
        return 0
    return size if step in (Extent(size), Extent(-size)) else max(size, STRIDED)


def _price(op: ElementwiseOp) -> int:
    if op.expensive:
        return CALL
    name = op.short_name()
    return WHOLE_DIVISION if name in _WHOLE else DIVISION if name in _ROOTS else 1
