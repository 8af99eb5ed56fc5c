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
    pointer, shape, strides, dtype = view
    low = end = pointer
    if 0 in shape:
        return low, end
    for size, stride in zip(shape, strides):
        if stride < 0:
            low += (size - 1) * stride
        else:
            end += (size - 1) * stride
    return low, end + (dtype.bits >> 3)


def relation(a: View, b: View) -> Relation:
    """Whether two views share a byte, and if so whether they are the same elements in order.

    "identical" is the same address, shape, element size and strides of all axes longer than 1.
    Views that interleave without a common byte are "disjoint"; what isn't settled within
    ``MAX_STEPS`` counts as "overlapping".
    """
    if a.pointer == b.pointer and _same_steps(a, b):
        return "disjoint" if 0 in a.shape else "identical"
    low_a, end_a = byte_extent(a)
    low_b, end_b = byte_extent(b)
    if end_a <= low_b or end_b <= low_a or low_a == end_a or low_b == end_b:
        return "disjoint"
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


def _same_steps(a: View, b: View) -> bool:
    if a.shape != b.shape or a.dtype.bits != b.dtype.bits:
        return False
    if a.strides == b.strides:
        return True
    return all(n == 1 or s == t for n, s, t in zip(a.shape, a.strides, b.strides))


def _steps(view: View) -> list[tuple[int, int]]:
    return list(zip(view.shape, view.strides))
