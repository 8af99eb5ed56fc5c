"""Where results and temporaries come from, and a count of everything that was obtained.

Owns allocation, small from NumPy and large from the pool; decides nothing about layout.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from opsir.diagnostics import OpsirOverflowError, fail
from opsir.dtypes import U8, DType
from opsir.extent import checked_product
from opsir.runtime.pool import LEAST_BYTES, POOL


@dataclass(slots=True)
class Counts:
    """What calls have done since the counts were last reset."""

    calls: int = 0
    """Native entries called."""
    kernels: int = 0
    """Kernels that those entries ran."""
    outputs: int = 0
    """Result arrays allocated."""
    temporaries: int = 0
    """Temporaries allocated, those for overlapping ``out=`` included."""
    compiles: int = 0
    """Native compilations."""

    def reset(self) -> None:
        """Start counting from zero."""
        self.calls = self.kernels = self.outputs = self.temporaries = self.compiles = 0


COUNTS = Counts()


def output(shape: Sequence[int], dtype: DType) -> np.ndarray[Any, Any]:
    """An uninitialised dense array for a result, sizes in elements."""
    COUNTS.outputs += 1
    return _empty(shape, dtype)


def output_like(other: np.ndarray[Any, Any]) -> np.ndarray[Any, Any]:
    """An uninitialised dense array of the sizes and dtype that a result of ``output`` had."""
    COUNTS.outputs += 1
    if other.nbytes < LEAST_BYTES:
        return np.empty(other.shape, other.dtype)
    return _obtained(other.shape, other.dtype, other.nbytes)


def temporary(shape: Sequence[int], dtype: DType) -> np.ndarray[Any, Any]:
    """An uninitialised dense array that lives for one call, sizes in elements."""
    COUNTS.temporaries += 1
    return _empty(shape, dtype)


def temporary_bytes(size: int) -> np.ndarray[Any, Any]:
    """``size`` uninitialised bytes that live for one call."""
    return temporary((size,), U8)


def _empty(shape: Sequence[int], dtype: DType) -> np.ndarray[Any, Any]:
    what = f"the size in bytes of a result {list(shape)}"
    return _obtained(shape, dtype.numpy, checked_product((*shape, dtype.itemsize), what))


def _obtained(shape: Sequence[int], dtype: np.dtype[Any], size: int) -> np.ndarray[Any, Any]:
    try:
        if size < LEAST_BYTES:
            return np.empty(shape, dtype)
        return np.ndarray(shape, dtype, POOL.buffer(size))
    except (ValueError, MemoryError, OSError, OverflowError) as error:
        fail(f"cannot allocate a result of shape {list(shape)}: {error}", error=OpsirOverflowError)
