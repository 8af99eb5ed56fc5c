"""Whether two arrays are equal bit for bit, and a sentence that says where they are not.

Owns the meaning of equal: the same dtype, shape and bits, all NaNs counting as one. Runs nothing.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

Array = np.ndarray[Any, Any]


@dataclass(frozen=True, slots=True)
class Verdict:
    """What a comparison found, for a person to read."""

    is_equal: bool
    text: str

    def __str__(self) -> str:
        return self.text


def compare(one: Array, two: Array) -> Verdict:
    """Compare all bits of two arrays; what differs is named with its index and both values."""
    left, right = (f"{a.dtype} {list(a.shape)}" for a in (one, two))
    if left != right:
        return Verdict(False, f"{left} differs from {right}")
    differ = np.flatnonzero(_canonical(one) != _canonical(two))
    if not differ.size:
        return Verdict(True, f"{left} equal in every bit")
    place = tuple(int(i) for i in np.unravel_index(differ[0], one.shape))
    return Verdict(
        False,
        f"{differ.size} of {one.size} elements differ, the first at {list(place)}: "
        f"{one[place]!r} and {two[place]!r}",
    )


def _canonical(array: Array) -> Array:
    """The bits of an array, flat; every NaN as the same pattern."""
    copy = np.array(array, order="C").reshape(-1)
    if array.dtype.kind not in "biu":
        copy[np.isnan(copy)] = np.nan
    return copy.view(f"u{array.itemsize}")
