"""How blocks of memory lie to each other: apart, the same elements, or entangled.

Owns the decisions that make ``out=`` safe. Works on addresses alone and in exact integers; what
follows from a decision is for the caller.
"""

from __future__ import annotations

from typing import Literal

from opsir.collision import collides, meets
from opsir.signature import View

Relation = Literal["disjoint", "identical", "overlapping"]

MAX_STEPS = 2_000
"""Work spent on telling interleaved views apart, about a millisecond: a copy costs no more."""


def byte_extent(view: View) -> tuple[int, int]:
    """The half-open range ``[low, end)`` of addresses that a view's elements lie in.

    ``low == end`` if there is no element.
    """
    low = end = view.pointer
    if 0 in view.shape:
        return low, end
    for size, stride in zip(view.shape, view.strides, strict=True):
        span = (size - 1) * stride
        if span < 0:
            low += span
        else:
            end += span
    return low, end + view.itemsize


def relation(a: View, b: View) -> Relation:
    """Whether two views share a byte, and if so whether they are the same elements in order.

    "identical" is the same address, shape, element size and strides of all axes longer than 1.
    Views that interleave without a common byte are "disjoint"; what isn't settled within
    ``MAX_STEPS`` counts as "overlapping".
    """
    low_a, end_a = byte_extent(a)
    low_b, end_b = byte_extent(b)
    if end_a <= low_b or end_b <= low_a or low_a == end_a or low_b == end_b:
        return "disjoint"
    if _same_elements(a, b):
        return "identical"
    # An element of a and one of b share a byte when address(a) - address(b) is in the open
    # interval (-itemsize(a), itemsize(b)); the walks start at the pointers.
    offset = b.pointer - a.pointer
    low, high = offset + 1 - a.itemsize, offset + b.itemsize - 1
    found = meets(_steps(a), _steps(b), low, high, MAX_STEPS)
    return "disjoint" if found is False else "overlapping"


def self_overlaps(view: View) -> bool:
    """Whether two elements of a view share a byte: writing to it would depend on the order.

    Exact for every layout that is settled within a fixed amount of work; the rest, irregularly
    interleaved views of rank 3 and more, count as overlapping.
    """
    return collides(view.shape, view.strides, view.itemsize) is not False


def _same_elements(a: View, b: View) -> bool:
    if a.pointer != b.pointer or a.shape != b.shape or a.itemsize != b.itemsize:
        return False
    steps = zip(a.shape, a.strides, b.strides, strict=True)
    return all(s == t for size, s, t in steps if size != 1)


def _steps(view: View) -> list[tuple[int, int]]:
    return list(zip(view.shape, view.strides, strict=True))
