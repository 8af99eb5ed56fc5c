"""How operands lie in memory: the layout forms that every operation is tried in.

Owns shapes, strides and alignment; the values come from the caller as flat data.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from math import prod
from typing import Any

import numpy as np

from tests.numeric.values import Array

Arrange = Callable[[Array], Array]
"""The same values in the same shape, elsewhere or otherwise in memory."""


@dataclass(frozen=True, slots=True)
class Layout:
    """Shapes of the operands that are full and of the one that is smaller, and their arrangement.

    ``shapes`` is repeated over the operands, beginning with the first for the operand whose turn
    it is; ``arrange`` likewise.
    """

    name: str
    shapes: tuple[tuple[int, ...], ...]
    arrange: tuple[Arrange, ...]

    def operands(self, columns: Sequence[Array], turn: int) -> list[Array]:
        """Arrays of this layout whose elements are drawn in order from each flat column.

        ``turn`` says which operand is the smaller one, modulo their number.
        """
        found: list[Array] = []
        for index, column in enumerate(columns):
            place = (index - turn) % len(columns)
            shape = self.shapes[place % len(self.shapes)]
            arrange = self.arrange[place % len(self.arrange)]
            found.append(arrange(_filled(column, shape, index)))
        return found


def _filled(column: Array, shape: tuple[int, ...], index: int) -> Array:
    """``shape`` filled from a flat column, over again where it is too short.

    Different operands start at different places, so that pairs of values differ between layouts.
    """
    count = prod(shape)
    if len(shape) == 1 and count == len(column):
        return column.copy()
    repeated = np.resize(np.roll(column, 37 * index), count)
    return repeated.reshape(shape)


def dense(array: Array) -> Array:
    return np.ascontiguousarray(array).reshape(array.shape)


def reversed_(array: Array) -> Array:
    """Every axis runs backwards through memory."""
    back = tuple([slice(None, None, -1)] * array.ndim)
    return dense(array[back])[back]


def every_second(array: Array) -> Array:
    """Elements of the last axis lie two apart; what is between them must not be touched."""
    wide = np.empty((*array.shape[:-1], 2 * array.shape[-1]), array.dtype)
    wide.view(np.uint8)[...] = 0xA5
    wide[..., ::2] = array
    return wide[..., ::2]


def transposed(array: Array) -> Array:
    """Column-major."""
    return dense(array.T).T


def unaligned(array: Array) -> Array:
    """Starts one byte after an aligned address."""
    memory = np.empty(array.nbytes + 1, np.uint8)
    moved = np.frombuffer(memory.data, array.dtype, array.size, 1) if array.size else array
    moved = moved.reshape(array.shape)
    moved[...] = array
    return moved


def expanded(array: Array) -> Array:
    """A view that repeats one row by stride 0, as ``np.broadcast_to`` makes it."""
    return np.broadcast_to(array[:1], array.shape)


_DENSE = (dense,)


def _broadcast(name: str, small: tuple[int, ...], full: tuple[int, ...]) -> Layout:
    return Layout(name, (small, full, full), _DENSE)


def _strided(name: str, shape: tuple[int, ...], *arrange: Arrange) -> Layout:
    return Layout(name, (shape,), arrange)


LAYOUTS: tuple[Layout, ...] = (
    _broadcast("row", (37,), (13, 37)),
    _broadcast("column", (13, 1), (13, 37)),
    Layout("both sides", ((13, 1), (1, 37), (13, 37)), _DENSE),
    _broadcast("middle", (4, 1, 29), (4, 3, 29)),
    _broadcast("low rank", (4, 17), (2, 3, 4, 17)),
    _broadcast("rank 0", (), (5, 41)),
    Layout("zero length", ((0, 1), (1, 5), (0, 5)), _DENSE),
    _strided("one element", (1,), dense),
    _strided("exact block", (256,), dense),
    _strided("block plus one", (257,), dense),
    _strided("reversed", (3, 67), reversed_, dense, reversed_),
    _strided("every second", (3, 67), every_second, dense, every_second),
    _strided("transposed", (19, 23), transposed, dense, transposed),
    _strided("unaligned", (301,), unaligned, unaligned, dense),
    _strided("expanded", (7, 43), expanded, dense, every_second),
)
"""All forms but ``same shape``, whose size is that of the data."""


def same_shape(count: int) -> Layout:
    """One dense axis with every pair of special values."""
    return _strided("same shape", (count,), dense)


NAMES: tuple[str, ...] = ("same shape", *(layout.name for layout in LAYOUTS))
SCALAR_NAMES: tuple[str, ...] = ("NumPy scalar", "Python int", "Python float")
"""One operand is a number; the Python ones where the operation takes them."""

BY_NAME: dict[str, Layout] = {layout.name: layout for layout in LAYOUTS}


def scalar_of(name: str, column: Array, turn: int) -> Any | None:
    """A number in place of an array, from its data; None where the dtype has no such number."""
    value = column[turn % len(column)]
    if name == "NumPy scalar":
        return value
    kind = column.dtype.kind
    if name == "Python int":
        return int(value) if kind in "iu" and -(2**62) < int(value) < 2**62 else None
    return float(value) if kind not in "iub" else None
