"""One argument of a call, classified: the facts about it that don't change with its size.

Owns the reduction of a pointer, a shape and byte strides to those facts. Knows no array library
and no IR, and nothing of the other arguments.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cache
from itertools import pairwise
from typing import Literal, NamedTuple

from opsir.dtypes import DType

ArgumentKind = Literal["array", "scalar", "weak_int", "weak_float"]
AxisClass = Literal["one", "many", "held"]
"""Size 1; several positions; several positions that all read the same element (stride 0)."""
Inner = Literal["unit", "reversed", "other", "none"]
"""How the fastest axis moves: by one element, back by one, otherwise, or there is no such axis."""


class View(NamedTuple):
    """A strided block of memory: an address, sizes, byte strides, and what the elements are."""

    pointer: int
    shape: tuple[int, ...]
    strides: tuple[int, ...]
    dtype: DType

    @property
    def itemsize(self) -> int:
        """Size of one element in bytes."""
        return self.dtype.bits >> 3


@dataclass(frozen=True, slots=True)
class Argument:
    """The facts about one argument; equal facts are one object when built by this module.

    ``classes`` has one entry per axis. ``order`` lists the ``many`` axes by descending |stride|
    (ties in C order), ``inner`` says how the last of them moves, and ``merges`` has one entry per
    pair of neighbours in that order: whether stride == next size * next stride. An array without
    elements counts as dense and aligned, since nothing is ever read through its strides.
    """

    kind: ArgumentKind
    dtype: DType | None
    classes: tuple[AxisClass, ...] = ()
    order: tuple[int, ...] = ()
    inner: Inner = "none"
    merges: tuple[bool, ...] = ()
    aligned: bool = True
    _hash: int = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        name = self.dtype and self.dtype.name
        facts = (self.kind, name, self.classes, self.order, self.inner, self.merges, self.aligned)
        object.__setattr__(self, "_hash", hash(facts))

    def __hash__(self) -> int:
        return self._hash

    @property
    def rank(self) -> int:
        return len(self.classes)

    def __str__(self) -> str:
        name = self.dtype.name if self.dtype else self.kind
        if self.kind != "array":
            return name
        order = ",".join(map(str, self.order))
        merges = ",".join("yes" if merge else "no" for merge in self.merges)
        return (
            f"{name}[{','.join(self.classes)}] order({order}) inner({self.inner}) "
            f"merges({merges}) {'aligned' if self.aligned else 'unaligned'}"
        )


WEAK_INT = Argument("weak_int", None)
WEAK_FLOAT = Argument("weak_float", None)


@cache
def scalar(dtype: DType) -> Argument:
    """The facts about a scalar that has a dtype."""
    return Argument("scalar", dtype)


_Facts = tuple[tuple[AxisClass, ...], tuple[int, ...], Inner, tuple[bool, ...], bool]
_arguments: dict[tuple[object, ...], Argument] = {}
_short: dict[tuple[object, ...], Argument] = {}
"""Both grow with the layouts met, not with the sizes."""


def argument_of(view: View) -> Argument:
    """Classify one array."""
    key = _short_key(*view)
    if key is None:
        return classify(*view)
    known = _short.get(key)
    if known is None:
        known = _short[key] = classify(*view)
    return known


def _short_key(
    pointer: int, shape: tuple[int, ...], strides: tuple[int, ...], dtype: DType
) -> tuple[object, ...] | None:
    """The few comparisons that decide every fact of an array of rank 1 or 2, else None.

    They take a third of the time of classifying; an array without elements has no short key.
    """
    rank = len(shape)
    size = dtype.bits >> 3
    if rank == 2:
        (n, m), (s, t) = shape, strides
        if n == 1:
            s = 0
        if m == 1:
            t = 0
        if not (n and m):
            return None
        even = not (pointer | s | t) & (size - 1)
        if s and t:
            swapped = abs(s) < abs(t)
            step, merges = (s, t == n * s) if swapped else (t, s == m * t)
            return dtype.name, swapped, merges, even, step == size, step == -size
        step = s or t
        return dtype.name, n == 1, m == 1, s == 0, t == 0, even, step == size, step == -size
    if rank != 1 or not shape[0]:
        return None
    step = strides[0] if shape[0] != 1 else 0
    even = not (pointer | step) & (size - 1)
    return dtype.name, shape[0] == 1, step == 0, even, (step == size) - (step == -size)


def classify(
    pointer: int, shape: tuple[int, ...], strides: tuple[int, ...], dtype: DType
) -> Argument:
    """The facts of an array of any rank; an array without elements counts as dense."""
    if 0 in shape:
        return _dense(shape, dtype)
    itemsize = dtype.bits >> 3
    bits = pointer
    classes: list[AxisClass] = []
    many: list[int] = []
    for axis, size in enumerate(shape):
        if size == 1:
            classes.append("one")
        elif strides[axis] == 0:
            classes.append("held")
        else:
            classes.append("many")
            many.append(axis)
            bits |= strides[axis]
    many.sort(key=lambda axis: -abs(strides[axis]))
    pairs = pairwise(many)
    merges = tuple([strides[a] == shape[b] * strides[b] for a, b in pairs])
    inner: Inner = "none"
    if many:
        step = strides[many[-1]]
        inner = "unit" if step == itemsize else "reversed" if step == -itemsize else "other"
    # Element sizes are powers of two: the low bits of the address and all steps tell at once.
    aligned = not bits & (itemsize - 1)
    return _intern(dtype, tuple(classes), tuple(many), inner, merges, aligned)


def _dense(shape: tuple[int, ...], dtype: DType) -> Argument:
    """The facts of a dense, aligned array in which every size but 1 counts as ``many``."""
    classes: list[AxisClass] = ["one" if size == 1 else "many" for size in shape]
    many = tuple(axis for axis, size in enumerate(shape) if size != 1)
    inner: Inner = "unit" if many else "none"
    return _intern(dtype, tuple(classes), many, inner, (True,) * (len(many) - 1), True)


def _intern(dtype: DType, *facts: *_Facts) -> Argument:
    """The one Argument with these facts, found without building another."""
    key = (dtype.name, *facts)
    known = _arguments.get(key)
    if known is None:
        known = _arguments.setdefault(key, Argument("array", dtype, *facts))
    return known
