"""A view of a broadcast as a broadcast of a view: what becomes of the axes.

Owns this rewrite on plain axis maps and extents. Knows no op and no pass.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from opsir.extent import ONE, Extent
from opsir.view import (
    Diagonal,
    ExpandDims,
    Flip,
    Permute,
    Reshape,
    Slice,
    Span,
    Squeeze,
    ViewRule,
)

AxisMap = tuple[int, ...]


class Pushed(NamedTuple):
    """Views for the operand of a broadcast, in order, and the axes to which it is tied then."""

    rules: tuple[ViewRule, ...]
    axes: AxisMap


def push(
    rule: ViewRule, axes: AxisMap, own: Sequence[Extent], wide: Sequence[Extent]
) -> Pushed | None:
    """``rule`` after a broadcast of sizes ``own`` along ``axes`` to ``wide``, as views before it.

    None where that is not possible: along a broadcast axis that meets another in a reshape or in
    a diagonal.
    """
    match rule:
        case Permute(order):
            places = [order.index(axis) for axis in axes]
            inner = tuple(sorted(range(len(axes)), key=places.__getitem__))
            return Pushed((Permute(inner),), tuple(sorted(places)))
        case Slice(items):
            return _sliced(items, axes, own)
        case Flip(flipped):
            turned = [i for i, a in enumerate(axes) if a in flipped and own[i] != ONE]
            return Pushed((Flip(tuple(turned)),), axes)
        case ExpandDims(added):
            rest = [a for a in range(len(wide) + len(added)) if a not in added]
            return Pushed((), tuple(rest[axis] for axis in axes))
        case Squeeze(dropped):
            gone = tuple(i for i, axis in enumerate(axes) if axis in dropped)
            return Pushed((Squeeze(gone),), _without(axes, dropped))
        case Diagonal():
            return _diagonal(rule, axes, own, len(wide))
        case Reshape():
            return None


def _sliced(items: Sequence[Span | int], axes: AxisMap, own: Sequence[Extent]) -> Pushed:
    """An axis that is repeated stays as it is; an index drops it all the same."""
    mine: list[Span | int] = []
    for size, axis in zip(own, axes, strict=True):
        item = items[axis]
        if size == ONE:
            item = Span() if isinstance(item, Span) else 0
        mine.append(item)
    dropped = tuple(axis for axis, item in enumerate(items) if isinstance(item, int))
    return Pushed((Slice(tuple(mine)),), _without(axes, dropped))


def _diagonal(rule: Diagonal, axes: AxisMap, own: Sequence[Extent], rank: int) -> Pushed | None:
    """Both axes are the operand's, or neither of them has more than one position there."""
    places = [axes.index(axis) if axis in axes else None for axis in rule.axes]
    moving = [place for place in places if place is not None and own[place] != ONE]
    if len(moving) == 1:
        return None
    rest = _without(axes, rule.axes)
    if not moving:
        gone = tuple(sorted(place for place in places if place is not None))
        items = tuple(0 if i in gone else Span() for i in range(len(axes)))
        return Pushed((Slice(items),), rest)
    return Pushed((Diagonal(rule.offset, (moving[0], moving[1])),), (*rest, rank - 2))


def _without(axes: AxisMap, dropped: Sequence[int]) -> AxisMap:
    """The axes that are left, counted among those that are left."""
    return tuple(a - sum(d < a for d in dropped) for a in axes if a not in dropped)
