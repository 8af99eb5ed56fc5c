"""Where the elements of an array lie.

Owns the one shortcut through NumPy's object layout: its public attributes build a description of
the whole array each time, which takes ten times as long as all else that a call looks at.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from ctypes import c_size_t
from typing import Any

import numpy as np

Array = np.ndarray[Any, Any]


def by_interface(array: Array) -> int:
    """The address of element 0 by NumPy's public array interface."""
    return array.__array_interface__["data"][0]


_FIRST_FIELD = object.__basicsize__
"""The data pointer is the first field of an array object, and has been in every NumPy."""

_at = c_size_t.from_address


def by_layout(array: Array) -> int:
    """The address of element 0, read from the array object itself."""
    return _at(id(array) + _FIRST_FIELD).value


def chosen() -> Callable[[Array], int]:
    """``by_layout`` if it finds the addresses of some arrays in this process, else the long way."""
    if sys.implementation.name != "cpython":
        return by_interface  # There an ``id`` is no address.
    base = np.arange(12, dtype=np.int16).reshape(3, 4)
    arrays = (base, base[::-1, 1::2], base.T, np.empty(0), np.array(1.5), np.empty((0, 3))[:, 1:])
    fits = all(by_layout(array) == by_interface(array) for array in arrays)
    return by_layout if fits else by_interface


address_of: Callable[[Array], int] = chosen()
"""The address of element 0 of an array that the caller holds a reference to."""
