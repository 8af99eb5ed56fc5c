"""Memory that shows where it was written: poisoned inside, guarded at both ends and in its gaps.

Owns the layout of such memory and what can be read off it after a launch. Knows no program: who
wrote, and what that means, is for the caller.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

Bytes = np.ndarray[Any, np.dtype[np.uint8]]

GUARD_BYTES = 4096
"""Before and after a buffer: more than a vector loop stores in one turn."""
_LINE = 64
POISONS = 0xA5, 0x5A
"""An element that holds the first after one launch and the second after another is unwritten."""


class Elements(NamedTuple):
    """Which bytes of a buffer hold its elements: sizes, byte strides, offset of the first."""

    shape: tuple[int, ...]
    strides: tuple[int, ...]
    itemsize: int
    start: int = 0


class Guarded:
    """A buffer for ``elements``, at the same place within a cache line as ``address``."""

    def __init__(self, elements: Elements, address: int) -> None:
        self.elements = elements
        low, end = _span(elements)
        self._memory: Bytes = np.empty(2 * GUARD_BYTES + _LINE + end - low, np.uint8)
        base = self._memory.ctypes.data + GUARD_BYTES
        self._first = GUARD_BYTES + (address + low - base) % _LINE
        self._end = self._first + end - low
        self._origin = self._first - low
        self.address = self._memory.ctypes.data + self._origin
        """Of offset 0, where the kernel expects the buffer."""
        self._pattern: Bytes = np.random.default_rng(1).integers(
            0, 256, self._memory.size, np.uint8
        )

    def poison(self, byte: int) -> None:
        """Start again: guards and gaps hold their pattern, every byte of an element ``byte``."""
        self._memory[:] = self._pattern
        self._bytes(self._memory)[...] = byte

    def unwritten(self, byte: int) -> np.ndarray[Any, np.dtype[np.bool_]]:
        """Per element whether all of its bytes are still ``byte``."""
        return (self._bytes(self._memory) == byte).all(axis=-1)

    def damage(self) -> int | None:
        """The offset of the first byte written that belongs to no element; None if there is none.

        Offsets count from ``address``: negative ones and those behind the last element are guards.
        """
        wrong = self._memory != self._pattern
        self._bytes(wrong.view(np.uint8))[...] = 0
        return int(np.argmax(wrong)) - self._origin if wrong.any() else None

    def values(self, dtype: np.dtype[Any]) -> np.ndarray[Any, Any]:
        """The elements as an array over this memory."""
        shape, strides, _, start = self.elements
        return np.ndarray(shape, dtype, self._memory, self._origin + start, strides)

    def _bytes(self, memory: Bytes) -> Bytes:
        """The bytes of all elements of ``memory``, one more axis for those of one element."""
        shape, strides, itemsize, start = self.elements
        return np.ndarray((*shape, itemsize), np.uint8, memory, self._origin + start, (*strides, 1))


def _span(elements: Elements) -> tuple[int, int]:
    """The half-open range of offsets that the elements lie in; empty without any."""
    shape, strides, itemsize, start = elements
    if 0 in shape:
        return 0, 0
    spans: Sequence[int] = [(n - 1) * s for n, s in zip(shape, strides, strict=True)]
    low = start + sum(min(s, 0) for s in spans)
    return low, start + sum(max(s, 0) for s in spans) + itemsize
