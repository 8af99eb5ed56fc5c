"""Views of tensors whose sizes are symbols: what is known of the result before any call.

Owns the sizes and byte strides of a view as far as monomials express them. What a view does to
numbers lies in ``opsir.view``; knows no IR.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

from opsir.diagnostics import fail
from opsir.extent import ONE, ZERO, Extent
from opsir.memory_order import AxisOrder, dense_in_order, keep_order, order_of
from opsir.view import (
    Diagonal,
    Origin,
    Reshape,
    Slice,
    Span,
    Squeeze,
    ViewRule,
    check_rank,
    origins,
    shape_of,
)

Extents = tuple[Extent, ...]


@dataclass(frozen=True, slots=True)
class SizeBinding:
    """The sizes of one view: ``view`` makes the sizes ``result`` of the sizes ``operand``."""

    view: ViewRule
    operand: Extents
    result: Extents

    def bind(self, env: dict[str, int]) -> None:
        """Add the value of each symbol of ``result`` that ``env`` lacks; hold others against it.

        Raises OpsirValueError for a size other than ``result`` says, and what ``shape_of`` raises.
        """
        shape = [extent.evaluate(env) for extent in self.operand]
        view = self.view.bound(env) if isinstance(self.view, Reshape) else self.view
        for axis, (size, extent) in enumerate(zip(shape_of(view, shape), self.result, strict=True)):
            if extent.coefficient == 1 and len(extent.symbols) == 1:
                env.setdefault(extent.symbols[0], size)
            if (expected := extent.evaluate(env)) != size:
                fail(
                    f"{self.view.kind} {view} of shape {shape} has size {size} on axis {axis}, "
                    f"which must be {expected} here"
                )

    def __str__(self) -> str:
        result, operand = (f"[{', '.join(map(str, e))}]" for e in (self.result, self.operand))
        return f"{result} = {self.view.kind} {self.view} of {operand}"


def sizes_of(view: ViewRule, extents: Sequence[Extent]) -> tuple[Extent | None, ...]:
    """The sizes of the result; None for one that only a call can tell.

    Raises the errors of ``opsir.view.shape_of`` for what no call can satisfy.
    """
    check_rank(view, len(extents))
    if all(e.is_constant for e in extents) and not _has_symbols(view):
        return tuple(map(Extent, shape_of(view, [e.value for e in extents])))
    if isinstance(view, Reshape):
        return tuple(_rest(view, extents) if size == Extent(-1) else size for size in view.sizes)
    _check_known(view, extents)
    return tuple(
        _size(view, parts, extents) if parts else ONE for parts in origins(view, len(extents))
    )


def _has_symbols(view: ViewRule) -> bool:
    return isinstance(view, Reshape) and any(size.symbols for size in view.sizes)


def _check_known(view: ViewRule, extents: Sequence[Extent]) -> None:
    """Hold each axis of known size against what is asked of it, the others passing for right."""
    if isinstance(view, Slice):
        for axis, (item, extent) in enumerate(zip(view.items, extents, strict=True)):
            if isinstance(item, int) and extent.is_constant:
                alone = tuple(item if a == axis else Span() for a in range(len(extents)))
                shape_of(Slice(alone), [e.value if e.is_constant else 1 for e in extents])
    elif isinstance(view, Squeeze):
        for axis in view.axes:
            if extents[axis] != ONE:
                fail(f"cannot squeeze axis {axis} of size {extents[axis]}: expected 1")


def _size(view: ViewRule, parts: tuple[Origin, ...], extents: Sequence[Extent]) -> Extent | None:
    extent = extents[parts[0].axis]
    if isinstance(view, Diagonal) and len(parts) == 2:
        square = extent == extents[parts[1].axis] and view.offset == 0
        return extent if square else None
    if not isinstance(view, Slice):
        return extent
    span = view.items[parts[0].axis]
    assert isinstance(span, Span)
    if extent.is_constant:
        return Extent(len(span.positions(extent.value)))
    return extent if span.is_whole else None


def _rest(view: Reshape, extents: Sequence[Extent]) -> Extent | None:
    """The size left open, where what is known leaves one symbol or a constant."""
    count, known = Counter[str](), Counter[str]()
    whole, part = 1, 1
    for extent in extents:
        count.update(extent.symbols)
        whole *= extent.coefficient
    for size in view.sizes:
        if size != Extent(-1):
            known.update(size.symbols)
            part *= size.coefficient
    if part == 0 or whole % part or known - count:
        return None
    symbols = tuple((count - known).elements())
    found = Extent(whole // part, symbols)
    return found if not symbols or (found.coefficient == 1 and len(symbols) == 1) else None


def needs_check(view: ViewRule, extents: Sequence[Extent]) -> bool:
    """Whether some sizes behind the symbols of ``extents`` would make the view an error."""
    match view:
        case Slice(items):
            pairs = zip(items, extents, strict=True)
            return any(isinstance(i, int) and not e.is_constant for i, e in pairs)
        case Reshape():
            return _has_symbols(view) or any(not extent.is_constant for extent in extents)
        case _:
            return False


def strides_of(
    view: ViewRule,
    extents: Sequence[Extent],
    strides: Sequence[Extent],
    sizes: Sequence[Extent],
) -> tuple[Extent | None, ...] | None:
    """Byte strides of the result, whose sizes are ``sizes``; None for one that needs a symbol.

    Nothing at all for a reshape that is not known to be a view.
    """
    if isinstance(view, Reshape):
        return reshaped_strides(extents, strides, sizes)
    return tuple(_stride(parts, strides) for parts in origins(view, len(extents)))


def _stride(parts: tuple[Origin, ...], strides: Sequence[Extent]) -> Extent | None:
    total = ZERO
    for origin in parts:
        step = strides[origin.axis].times(Extent(origin.step))
        if step is None:
            return None
        if ZERO in (total, step):
            total = step if total == ZERO else total
        elif total.symbols == step.symbols:
            total = Extent(total.coefficient + step.coefficient, step.symbols)
        else:
            return None
    return total


def order_of_view(
    view: ViewRule, extents: Sequence[Extent], order: AxisOrder, sizes: Sequence[Extent]
) -> AxisOrder:
    """The order in memory of a view, whose sizes are ``sizes``, of a tensor that lies in ``order``.

    An axis lies where the operand's does, a diagonal where the outer one of its two does. The
    operand of a reshape is taken to be dense; where no view is proven, a row-major copy is.
    """
    if isinstance(view, Reshape):
        dense = dense_in_order(extents, keep_order(len(extents), [order]), 1)
        steps = reshaped_strides(extents, dense, sizes)
        return order_of(sizes, [ONE] * len(sizes) if steps is None else steps)
    found: list[tuple[int, int]] = []
    for axis, parts in enumerate(origins(view, len(extents))):
        places = [order.index(part.axis) for part in parts if part.axis in order]
        if places and sizes[axis] != ONE:
            found.append((min(places), axis))
    return tuple(axis for _, axis in sorted(found))


def reshaped_strides(
    extents: Sequence[Extent], strides: Sequence[Extent], sizes: Sequence[Extent]
) -> Extents | None:
    """The strides that give a tensor other sizes without a copy, or None where that is not proven.

    Axes of equal size at both ends correspond; what is between must lie like one axis.
    """
    old = [(e, s) for e, s in zip(extents, strides, strict=True) if e != ONE]
    new = [axis for axis, size in enumerate(sizes) if size != ONE]
    steps = [ZERO] * len(sizes)
    while old and new and old[-1][0] == sizes[new[-1]]:
        steps[new.pop()] = old.pop()[1]
    while old and new and old[0][0] == sizes[new[0]]:
        steps[new.pop(0)] = old.pop(0)[1]
    if not old or not new:
        return tuple(steps)  # What is left over has one position.
    for (_, outer), (extent, inner) in pairwise(old):
        if extent.times(inner) != outer:
            return None
    step: Extent | None = old[-1][1]
    for axis in reversed(new):
        if step is None:
            return None
        steps[axis] = step
        step = step.times(sizes[axis])
    return tuple(steps)
