"""Values at which elementwise ops go wrong, for every dtype."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from opsir.dtypes import DType

Values = Callable[[DType], np.ndarray[Any, np.dtype[Any]]]


def _integers(dtype: DType) -> list[int]:
    near = [0, 1, 2, 3, 5, 7, dtype.bits - 1, dtype.bits, dtype.bits + 1, 1 << dtype.bits // 2]
    both = near + [-value for value in near] if dtype.is_signed else near
    edges = [dtype.min, dtype.min + 1, dtype.max // 3, dtype.max // 2, dtype.max - 1, dtype.max]
    return sorted({*both, *edges})


def _floats(dtype: DType) -> np.ndarray[Any, np.dtype[Any]]:
    """Bounds of every range and their neighbours, halves and whole numbers, in both signs."""
    fraction = dtype.mantissa - 1
    infinity = ((1 << dtype.exponent) - 1) << fraction
    one = ((1 << (dtype.exponent - 1)) - 1) << fraction
    half, normal = one - (1 << fraction), 1 << fraction
    edges = [0, 1, 2, 3, normal - 1, normal, normal + 1, half - 1, half, half + 1]
    edges += [one - 1, one, one + 1, infinity - 2, infinity - 1, infinity, infinity | normal >> 1]
    unsigned = np.dtype(f"u{dtype.itemsize}")
    whole = 2.0**dtype.mantissa
    plain = [0.1, 0.3, 1.5, 2, 2.5, 3, 3.5, 7, 10, 100, whole, whole - 1, whole / 2 - 0.5]
    bits = np.concatenate(
        [np.array(edges, unsigned), np.array(plain).astype(dtype.numpy).view(unsigned)]
    )
    return np.concatenate([bits, bits | unsigned.type(1 << (dtype.bits - 1))]).view(dtype.numpy)


def special_values(dtype: DType) -> np.ndarray[Any, np.dtype[Any]]:
    """Every value of interest of one dtype, about 15 to 60."""
    if dtype.is_logical:
        return np.array([False, True])
    return _floats(dtype) if dtype.is_float else np.array(_integers(dtype), dtype.numpy)


@pytest.fixture(scope="session", name="special_values")
def _special_values() -> Values:
    return special_values


@pytest.fixture(scope="session")
def random_values() -> Values:
    """1,000 elements with random bits, the same in every run."""

    def draw(dtype: DType) -> np.ndarray[Any, np.dtype[Any]]:
        generator = np.random.default_rng(dtype.bits + dtype.mantissa)
        if dtype.is_logical:
            return generator.integers(0, 2, 1000).astype(np.bool_)
        octets = generator.integers(0, 256, 1000 * dtype.itemsize, dtype=np.uint8)
        return octets.view(dtype.numpy)

    return draw
