"""Views: what reshaping, permuting and slicing an array does to its axes, sizes and byte strides.

Owns each kind of view as a frozen value and its effect on concrete shapes and strides. Knows no
array library and no IR; what can be said without knowing sizes lies in ``opsir.view_symbols``.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from math import prod
from typing import ClassVar, NamedTuple, TypeAlias

from opsir.diagnostics import OpsirIndexError, fail
from opsir.extent import Extent, checked_int64, checked_product


class Span(NamedTuple):
    """Positions along one axis, as Python's slice means them; ``step`` is not 0."""

    start: int | None = None
    stop: int | None = None
    step: int = 1

    def positions(self, size: int) -> range:
        """The positions that it selects of an axis of ``size`` elements."""
        return range(*slice(self.start, self.stop, self.step).indices(size))

    @property
    def is_whole(self) -> bool:
        """Whether it selects every position of any axis, forward or backward."""
        return self.start is None and self.stop is None and abs(self.step) == 1

    def __str__(self) -> str:
        start = "" if self.start is None else str(self.start)
        stop = "" if self.stop is None else str(self.stop)
        return f"{start}:{stop}" + ("" if self.step == 1 else f":{self.step}")


class Origin(NamedTuple):
    """A step along a result axis is ``step`` elements along ``axis`` of the operand."""

    axis: int
    step: int


Origins: TypeAlias = tuple[tuple[Origin, ...], ...]
"""Per result axis the operand axes that it moves along: none for a new axis of size 1, one in most
cases, two for a diagonal."""


@dataclass(frozen=True, slots=True)
class Permute:
    """Result axis ``k`` is operand axis ``order[k]``."""

    kind: ClassVar[str] = "permute"
    order: tuple[int, ...]

    def __str__(self) -> str:
        return _listed(self.order)


@dataclass(frozen=True, slots=True)
class Slice:
    """One item per operand axis: the positions that stay, or one position, which drops the axis."""

    kind: ClassVar[str] = "slice"
    items: tuple[Span | int, ...]

    def __str__(self) -> str:
        return _listed(self.items)


@dataclass(frozen=True, slots=True)
class Flip:
    """The axes in ``axes``, in rising order, run backward."""

    kind: ClassVar[str] = "flip"
    axes: tuple[int, ...]

    def __str__(self) -> str:
        return _listed(self.axes)


@dataclass(frozen=True, slots=True)
class ExpandDims:
    """New axes of size 1 at the positions ``axes`` of the result, in rising order."""

    kind: ClassVar[str] = "expand_dims"
    axes: tuple[int, ...]

    def __str__(self) -> str:
        return _listed(self.axes)


@dataclass(frozen=True, slots=True)
class Squeeze:
    """The operand axes in ``axes``, in rising order and of size 1, are dropped."""

    kind: ClassVar[str] = "squeeze"
    axes: tuple[int, ...]

    def __str__(self) -> str:
        return _listed(self.axes)


@dataclass(frozen=True, slots=True)
class Diagonal:
    """Elements whose index along the second axis exceeds that along the first by ``offset``.

    The two axes are dropped and the diagonal is the last axis of the result.
    """

    kind: ClassVar[str] = "diagonal"
    offset: int
    axes: tuple[int, int]

    def length(self, shape: Sequence[int]) -> int:
        """The number of elements on the diagonal."""
        rows, columns = (shape[axis] for axis in self.axes)
        return max(0, min(rows + min(self.offset, 0), columns - max(self.offset, 0)))

    def __str__(self) -> str:
        return f"{_listed(self.axes)} offset {self.offset}"


@dataclass(frozen=True, slots=True)
class Reshape:
    """The same elements in row-major order under other sizes; one of them may be -1: the rest."""

    kind: ClassVar[str] = "reshape"
    sizes: tuple[Extent, ...]

    def bound(self, env: Mapping[str, int]) -> Reshape:
        """The same with every symbol replaced by its value."""
        return Reshape(tuple(Extent(size.evaluate(env)) for size in self.sizes))

    def __str__(self) -> str:
        return _listed(self.sizes)


ViewRule: TypeAlias = Permute | Slice | Flip | ExpandDims | Squeeze | Diagonal | Reshape


def check_rank(view: ViewRule, rank: int) -> None:
    """Raise an OpsirValueError where ``view`` does not apply to an operand of ``rank`` axes."""
    match view:
        case Permute(order):
            if sorted(order) != list(range(rank)):
                fail(f"{view} is not an order of {rank} axes")
        case Slice(items):
            if len(items) != rank:
                fail(f"{view} has {len(items)} items for {rank} axes")
            if any(isinstance(item, Span) and item.step == 0 for item in items):
                fail(f"{view} has a step of 0")
        case ExpandDims(axes) | Flip(axes) | Squeeze(axes):
            _check_axes(axes, rank + len(axes) if isinstance(view, ExpandDims) else rank)
        case Diagonal(_, axes):
            if axes[0] == axes[1] or not all(0 <= axis < rank for axis in axes):
                fail(f"a diagonal runs along two axes below {rank}, got {_listed(axes)}")
        case Reshape(sizes):
            _check_sizes(view, sizes)


def _check_sizes(view: ViewRule, sizes: Sequence[Extent]) -> None:
    if sum(size == Extent(-1) for size in sizes) > 1:
        fail(f"only one size of {view} may be left open")
    if any(size.coefficient < -1 for size in sizes):
        fail(f"a size is at least 0, got {view}")


def _check_axes(axes: Sequence[int], rank: int) -> None:
    if list(axes) != sorted(set(axes)) or not all(0 <= axis < rank for axis in axes):
        fail(f"axes {_listed(axes)} must be in rising order below {rank}")


def origins(view: ViewRule, rank: int) -> Origins:
    """Where each result axis comes from; not for a reshape, whose axes depend on sizes."""
    whole = [(Origin(axis, 1),) for axis in range(rank)]
    match view:
        case Permute(order):
            return tuple(whole[axis] for axis in order)
        case Slice(items):
            spans = ((a, item) for a, item in enumerate(items) if isinstance(item, Span))
            return tuple((Origin(axis, span.step),) for axis, span in spans)
        case Flip(axes):
            return tuple((Origin(a, -1 if a in axes else 1),) for a in range(rank))
        case ExpandDims(axes):
            rest = iter(whole)
            return tuple(() if a in axes else next(rest) for a in range(rank + len(axes)))
        case Squeeze(axes):
            return tuple(whole[axis] for axis in range(rank) if axis not in axes)
        case Diagonal(_, (first, second)):
            kept = [whole[axis] for axis in range(rank) if axis not in (first, second)]
            return (*kept, (Origin(first, 1), Origin(second, 1)))
        case Reshape():
            raise AssertionError("a reshape has no axes of its operand")


def first_element(view: ViewRule, shape: Sequence[int]) -> tuple[int, ...]:
    """The position along each operand axis of the first element of a result that has one."""
    match view:
        case Slice(items):
            return tuple(
                item.positions(size).start if isinstance(item, Span) else item % size
                for item, size in zip(items, shape, strict=True)
            )
        case Flip(axes):
            return tuple(size - 1 if axis in axes else 0 for axis, size in enumerate(shape))
        case Diagonal(offset, (first, second)):
            start = {first: max(-offset, 0), second: max(offset, 0)}
            return tuple(start.get(axis, 0) for axis in range(len(shape)))
        case _:
            return (0,) * len(shape)


def shape_of(view: ViewRule, shape: Sequence[int]) -> tuple[int, ...]:
    """The sizes of the result.

    Raises OpsirIndexError for a position outside its axis, OpsirValueError for an axis to drop
    whose size is not 1 and for a reshape to another number of elements.
    """
    check_rank(view, len(shape))
    match view:
        case Slice(items):
            pairs = list(zip(items, shape, strict=True))
            for axis, (item, size) in enumerate(pairs):
                if isinstance(item, int) and not -size <= item < size:
                    fail(
                        f"index {item} is out of bounds for axis {axis} with size {size}",
                        error=OpsirIndexError,
                    )
            return tuple(len(i.positions(n)) for i, n in pairs if isinstance(i, Span))
        case Diagonal(_, axes):
            kept = (n for axis, n in enumerate(shape) if axis not in axes)
            return (*kept, view.length(shape))
        case Reshape(sizes):
            return _stated_sizes([size.value for size in sizes], shape)
        case Squeeze(axes):
            for axis in axes:
                if shape[axis] != 1:
                    fail(f"cannot squeeze axis {axis} of size {shape[axis]}: expected 1")
        case _:
            pass
    return tuple(shape[o[0].axis] if o else 1 for o in origins(view, len(shape)))


def _stated_sizes(sizes: Sequence[int], shape: Sequence[int]) -> tuple[int, ...]:
    count = checked_product(shape, "the number of elements")
    known = checked_product((n for n in sizes if n != -1), "the number of elements")
    if -1 in sizes and known and count % known == 0:
        return tuple(count // known if n == -1 else n for n in sizes)
    if -1 in sizes or known != count:
        fail(f"cannot reshape {list(shape)} of {count} elements to {list(sizes)}")
    return tuple(sizes)


def place(
    view: ViewRule, shape: Sequence[int], strides: Sequence[int], itemsize: int
) -> tuple[int, tuple[int, ...]] | None:
    """The byte offset of the result's first element and its byte strides, outermost axis first.

    ``shape`` and ``strides`` are the operand's. None for a reshape that cannot be a view. The
    errors are those of :func:`shape_of`, and an OpsirOverflowError for strides beyond 64 bits.
    """
    sizes = shape_of(view, shape)
    if isinstance(view, Reshape):
        found = reshaped_strides(shape, strides, sizes, itemsize)
        return None if found is None else (0, found)
    steps = tuple(
        checked_int64(sum(o.step * strides[o.axis] for o in parts), "a stride of a view")
        for parts in origins(view, len(shape))
    )
    if 0 in sizes:
        return 0, steps
    first = first_element(view, shape)
    start = sum(index * stride for index, stride in zip(first, strides, strict=True))
    return checked_int64(start, "the start of a view"), steps


def reshaped_strides(
    shape: Sequence[int], strides: Sequence[int], sizes: Sequence[int], itemsize: int
) -> tuple[int, ...] | None:
    """The byte strides that give ``shape`` the ``sizes`` without a copy, or None if none do.

    Runs of axes with the same number of elements on both sides correspond; the operand's ones
    must then lie like one axis. Both shapes have the same number of elements.
    """
    if 0 in shape:
        return dense(sizes, itemsize)
    old = [(n, s) for n, s in zip(shape, strides, strict=True) if n != 1]
    new = [axis for axis, n in enumerate(sizes) if n != 1]
    steps = [itemsize] * len(sizes)
    while old:
        run, axes = [old.pop(0)], [new.pop(0)]
        while (inside := prod(n for n, _ in run)) != (wanted := prod(sizes[a] for a in axes)):
            if inside < wanted:
                run.append(old.pop(0))
            else:
                axes.append(new.pop(0))
        if any(s != m * t for (_, s), (m, t) in pairwise(run)):
            return None
        step = run[-1][1]
        for axis in reversed(axes):
            steps[axis] = step
            step *= sizes[axis]
    return tuple(steps)


def dense(sizes: Sequence[int], itemsize: int) -> tuple[int, ...]:
    """Row-major byte strides; axes of size 0 count as 1."""
    strides = [itemsize]
    for size in reversed(sizes[1:]):
        strides.append(strides[-1] * max(size, 1))
    return tuple(reversed(strides[: len(sizes)]))


def composed(outer: ViewRule, inner: ViewRule, rank: int) -> ViewRule | None:
    """One view that is ``inner``, of ``rank`` axes, and then ``outer``; None for most pairs."""
    match outer, inner:
        case Permute(order), Permute(first):
            return Permute(tuple(first[axis] for axis in order))
        case Flip(axes), Flip(first):
            return Flip(tuple(sorted(set(axes) ^ set(first))))
        case (Squeeze(axes), ExpandDims(first)) | (ExpandDims(first), Squeeze(axes)) if (
            axes == first
        ):
            return Permute(tuple(range(rank)))
        case Reshape(), Reshape():
            return outer
        case _:
            return None


def is_identity(view: ViewRule) -> bool:
    """Whether the result is the operand whatever its sizes."""
    match view:
        case Permute(order):
            return order == tuple(range(len(order)))
        case Slice(items):
            return all(isinstance(i, Span) and i.is_whole and i.step == 1 for i in items)
        case Flip(axes) | ExpandDims(axes) | Squeeze(axes):
            return not axes
        case _:
            return False


def _listed(items: Sequence[object]) -> str:
    return f"[{', '.join(map(str, items))}]"
