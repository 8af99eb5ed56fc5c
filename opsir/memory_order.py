"""The order of an array's axes in memory, and the one that NumPy gives a new result.

Owns what strides and stated facts tell about that order, and NumPy's ``order="K"`` rule on orders
alone. Knows no IR; an order lists axes by descending |stride|, those that do not move left out.
"""

from __future__ import annotations

from collections.abc import Sequence

from opsir.extent import ONE, ZERO, Extent, compare_magnitude

AxisOrder = tuple[int, ...]
"""Axes outermost first. Equal strides go by the axis number; an axis of size 1 or stride 0 says
nothing and is not listed."""


def order_of(
    sizes: Sequence[Extent], strides: Sequence[Extent], stated: AxisOrder | None = None
) -> AxisOrder:
    """The order of a tensor with these sizes (elements) and strides (bytes).

    ``stated`` is what is known besides the strides. What neither says goes by ``openness``, else
    as written: row-major.
    """
    known = stated or ()
    positive = frozenset(name for size in sizes for name in size.symbols)
    found: list[int] = []
    for axis, (size, stride) in enumerate(zip(sizes, strides, strict=True)):
        if size == ONE or stride == ZERO:
            continue
        outside = (i for i, o in enumerate(found) if _is_outside(axis, o, strides, positive, known))
        found.insert(next(outside, len(found)), axis)
    return tuple(found)


def _is_outside(
    axis: int, other: int, strides: Sequence[Extent], positive: frozenset[str], known: AxisOrder
) -> bool:
    """Whether ``axis``, which is written later, is known to take larger steps."""
    if axis in known and other in known:
        return known.index(axis) < known.index(other)
    verdict = compare_magnitude(strides[axis], strides[other], positive)
    if verdict is None:
        verdict = openness(strides[axis], strides[other], positive)
    return verdict == 1


def openness(a: Extent, b: Extent, sizes: frozenset[str]) -> int:
    """1 if only ``a`` holds a symbol that is no size, -1 if only ``b`` does, else 0.

    Pitches are what such symbols stand for, and a dense inner part is always made of sizes: the
    best guess where nothing else is known.
    """
    return (not sizes.issuperset(a.symbols)) - (not sizes.issuperset(b.symbols))


def keep_order(rank: int, operands: Sequence[AxisOrder]) -> AxisOrder:
    """The order of all axes of a new result of ``operands``, as NumPy's iterator chooses it.

    The operands are aligned with the result. An axis goes outside another one that is written
    before it only if every operand that moves along both has them so: a conflict, a tie and
    silence keep the written order. Like NumPy's, this is an insertion sort from the last axis to
    the first, since such a relation is not transitive.
    """
    inner_first: list[int] = []
    for axis in reversed(range(rank)):
        place = len(inner_first)
        for index in reversed(range(place)):
            other = inner_first[index]
            verdicts = [o.index(other) < o.index(axis) for o in operands if {axis, other} <= {*o}]
            if verdicts and not all(verdicts):
                break
            if verdicts:
                place = index
        inner_first.insert(place, axis)
    return tuple(reversed(inner_first))


def dense_in_order(sizes: Sequence[Extent], order: AxisOrder, itemsize: int) -> tuple[Extent, ...]:
    """Byte strides of a dense tensor whose axes lie in ``order``, which lists all of them."""
    strides = [Extent(itemsize)] * len(sizes)
    step = Extent(itemsize)
    for axis in reversed(order):
        strides[axis] = step
        step = step * sizes[axis]
    return tuple(strides)
