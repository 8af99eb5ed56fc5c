"""Test data: values of every dtype at which operations go wrong, and their pairings.

Owns what is placed in an array, never how the array lies in memory.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from itertools import product
from typing import Any

import numpy as np

from opsir.dtypes import DType
from opsir.evaluate import cast

Array = np.ndarray[Any, np.dtype[Any]]

_FLOATS = [
    *(0.0, -0.0, 1.0, -1.0, 0.5, -0.5, 1.5, -1.5, 2.5, -2.5, 2.0, 3.0, -3.0, 7.0, -7.0, 0.1),
    *(300.7, -300.0, 255.5, 65519.99, 65520.0, 70000.0, -32769.0, 1e-8, 5.960464477539063e-08),
    *(2.0**31, -(2.0**31), 2.0**32, 2.0**63, -(2.0**63), 2.0**64, 5e9, 1e20, -1e20, 1e30),
    # Just above the middle between two neighbours in bf16 and f16: rounding twice is wrong here.
    *(1 + 2.0**-8 + 2.0**-40, 1 + 2.0**-11 + 2.0**-40),
    *(np.pi / 2, 0.7071067811865476, 0.999, -0.999, 10.7, -17.3, 88.7, -103.9, 709.7, -745.1),
]
_FEW_FLOATS = [0.0, -0.0, 1.0, -1.0, 0.5, 2.5, -2.5, 3.0, -7.0, 300.7, 2.0**31, -1e20]


@cache
def specials(dtype: DType, few: bool = False) -> Array:
    """Values at the edges of ``dtype``; ``few`` leaves about a dozen, for crossing them."""
    if dtype.is_logical:
        return np.array([0, 1], np.uint8).view(np.bool_)
    if not dtype.is_float:
        return np.array(_integers(dtype, few), dtype.numpy)
    plain = cast(np.array(_FEW_FLOATS if few else _FLOATS), dtype)
    return np.concatenate([plain, _float_edges(dtype, few)])


def _integers(dtype: DType, few: bool) -> list[int]:
    low, high, bits = dtype.min, dtype.max, dtype.bits
    small = [0, 1, 2, 3, -1, -2, -7, low, high, low + 1, bits - 1, bits]
    more = [5, 7, 10, -3, -10, high - 1, high // 2, low // 2, bits + 1, 100, -100, 1 << (bits // 2)]
    more += [(257 << (bits - 10)) + 1] if bits >= 32 else []  # Rounded twice to bf16 it is wrong.
    return [value for value in (small if few else small + more) if low <= value <= high]


def _float_edges(dtype: DType, few: bool) -> Array:
    """Infinities, NaNs of both signs, subnormals, the largest value, both sides of 1, as bits."""
    width, fraction = dtype.bits, dtype.mantissa - 1
    infinity = ((1 << dtype.exponent) - 1) << fraction
    one = ((1 << (dtype.exponent - 1)) - 1) << fraction
    quiet = infinity | (1 << (fraction - 1))
    bits = [infinity, quiet, 1, infinity - 1]
    if not few:
        bits += [(1 << fraction) - 1, 1 << fraction, one + 1, one - 1, quiet + 1]
    sign = 1 << (width - 1)
    both = bits + [b | sign for b in (bits if not few else bits[:3])]
    return np.array(both, f"u{width // 8}").view(dtype.numpy)


def random_values(dtype: DType, count: int, rng: np.random.Generator) -> Array:
    """Half random bit patterns, half small numbers; a bool byte may be any of 0 to 255."""
    if dtype.is_logical:
        byte = rng.choice(np.array([0, 1, 1, 0, 2, 255], np.uint8), count)
        return byte.view(np.bool_)
    bits = rng.integers(0, 256, (count, dtype.itemsize), np.uint8).view(dtype.numpy).reshape(-1)
    if dtype.is_float:
        small = cast(rng.normal(0, 3, count), dtype)
    else:
        small = rng.integers(max(dtype.min, -20), 21, count).astype(dtype.numpy)
    return np.where(rng.integers(0, 2, count) == 1, bits, small)


def mixed(dtype: DType, count: int, rng: np.random.Generator) -> Array:
    """``count`` values: specials in random order, as many as fit in half, then random ones."""
    edges = rng.permutation(specials(dtype))[: (count + 1) // 2]
    rest = random_values(dtype, count - len(edges), rng)
    return rng.permutation(np.concatenate([edges, rest]))


def crossed(dtypes: Sequence[DType], rng: np.random.Generator) -> list[Array]:
    """Flat arrays of one length in which a dozen specials of each dtype meet those of the others.

    For three dtypes the third is drawn at random instead of crossed.
    """
    if len(dtypes) == 1:
        edges = specials(dtypes[0])
        return [np.concatenate([edges, random_values(dtypes[0], 61, rng)])]
    first, second = (specials(dtype, few=True) for dtype in dtypes[:2])
    pairs = np.array(list(product(range(len(first)), range(len(second)))))
    columns = [first[pairs[:, 0]], second[pairs[:, 1]]]
    columns += [rng.choice(specials(dtype), len(pairs)) for dtype in dtypes[2:]]
    return [
        np.concatenate([column, random_values(dtype, 61, rng)])
        for column, dtype in zip(columns, dtypes, strict=True)
    ]


def labelled(shape: Sequence[int], dtype: DType) -> Array:
    """100a + 10b + c at index (a, b, c), the last three axes; distinct in f16 for small axes."""
    total = np.zeros(shape, np.float64)
    for weight, axis in zip((1, 10, 100), range(len(shape) - 1, -1, -1), strict=False):
        steps = np.arange(shape[axis]).reshape([-1] + [1] * (len(shape) - 1 - axis))
        total += weight * steps
    return cast(total, dtype)


def bits(array: Array) -> Array:
    """Comparable patterns of one integer per element: every NaN has the same one."""
    flat = np.ascontiguousarray(array)
    pattern = flat.view(f"u{flat.itemsize}")
    if array.dtype.kind in "fV" or array.dtype.name == "bfloat16":
        with np.errstate(invalid="ignore"):  # A signalling NaN.
            return np.where(np.not_equal(array, array), ~np.zeros((), pattern.dtype), pattern)
    return pattern


def differing(one: Array, other: Array) -> Array:
    """Where two arrays of one dtype and shape differ: neither both NaN nor equal in all bits."""
    return bits(one) != bits(other)
