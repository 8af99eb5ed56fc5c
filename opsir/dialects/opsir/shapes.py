"""Broadcasting of static sizes: which shapes fit, and the one sentence that says why not.

Owns the rule on plain integers, ``DYNAMIC`` standing for an extent known at run time only, never 1.
Knows no types and no ops.
"""

from __future__ import annotations

from collections.abc import Sequence

from xdsl.dialects.builtin import DYNAMIC_INDEX
from xdsl.utils.exceptions import VerifyException

DYNAMIC = DYNAMIC_INDEX
"""How a builtin tensor type marks an extent known at run time only; printed ``?``."""
MAX_RANK = 64


def shape_text(shape: Sequence[int]) -> str:
    """``[4,?,1]``: sizes outermost first, ``?`` for one known at run time."""
    return "[" + ",".join("?" if s < 0 else str(s) for s in shape) + "]"


def broadcast_sizes(shapes: Sequence[Sequence[int]]) -> tuple[int, ...]:
    """The common shape of right-aligned ``shapes``.

    Sizes fit when equal or when one is 1; 0 wins over 1; a dynamic size yields to a static one
    (their equality is then a run-time check). Raises VerifyException naming both shapes and axis.
    """
    rank = max((len(s) for s in shapes), default=0)
    if rank > MAX_RANK:
        raise VerifyException(f"rank {rank} is above the limit of {MAX_RANK}")
    sizes = [1] * rank
    source: list[Sequence[int]] = [()] * rank
    for shape in shapes:
        for axis in range(rank - len(shape), rank):
            size = shape[axis - rank]
            merged = _fit(sizes[axis], size)
            if merged is None:
                raise VerifyException(
                    f"shapes {shape_text(source[axis])} and {shape_text(shape)} do not broadcast: "
                    f"axis {axis} of the result would need {sizes[axis]} and {size}"
                )
            if merged != sizes[axis] or not source[axis]:
                sizes[axis], source[axis] = merged, shape
    return tuple(sizes)


def _fit(a: int, b: int) -> int | None:
    if a == 1:
        return b
    if b == 1 or a == b:
        return a
    if DYNAMIC in (a, b):
        return b if a == DYNAMIC else a
    return None
