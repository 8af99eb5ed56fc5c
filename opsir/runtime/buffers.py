"""Where results and temporaries come from, and a count of everything that was obtained.

Owns allocation, small from NumPy and large from the pool; decides nothing about layout.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

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


class Form(NamedTuple):
    """What an array is besides its memory: sizes in elements, size and strides in bytes."""

    shape: tuple[int, ...]
    dtype: np.dtype[Any]
    nbytes: int
    strides: tuple[int, ...] | None
    """None for row-major; otherwise dense in another order of axes."""

    @classmethod
    def of(cls, array: np.ndarray[Any, Any]) -> Form:
        """The form of a dense array."""
        strides = None if array.flags.c_contiguous else array.strides
        return cls(array.shape, array.dtype, array.nbytes, strides)


def output(
    shape: Sequence[int], dtype: DType, strides: Sequence[int] | None = None
) -> np.ndarray[Any, Any]:
    """An uninitialised dense array for a result, sizes in elements.

    ``strides`` in bytes say in which order of axes it is dense, row-major if they are left out.
    """
    COUNTS.outputs += 1
    steps = None if strides is None else tuple(strides)
    return _obtained(Form(tuple(shape), dtype.numpy, _size(shape, dtype), steps))


def output_like(form: Form) -> np.ndarray[Any, Any]:
    """An uninitialised array of the form that a result of ``output`` had."""
    COUNTS.outputs += 1
    if form.nbytes < LEAST_BYTES and form.strides is None:
        return np.empty(form.shape, form.dtype)
    return _obtained(form)


def temporary(shape: Sequence[int], dtype: DType) -> np.ndarray[Any, Any]:
    """An uninitialised dense array that lives for one call, sizes in elements."""
    COUNTS.temporaries += 1
    return _obtained(Form(tuple(shape), dtype.numpy, _size(shape, dtype), None))


def temporary_bytes(size: int) -> np.ndarray[Any, Any]:
    """``size`` uninitialised bytes that live for one call."""
    return temporary((size,), U8)


def _size(shape: Sequence[int], dtype: DType) -> int:
    what = f"the size in bytes of a result {list(shape)}"
    return checked_product((*shape, dtype.itemsize), what)


def _obtained(form: Form) -> np.ndarray[Any, Any]:
    shape, dtype, size, strides = form
    try:
        if size < LEAST_BYTES:
            return np.ndarray(shape, dtype, None, 0, strides)
        return np.ndarray(shape, dtype, POOL.buffer(size), 0, strides)
    except (ValueError, MemoryError, OSError, OverflowError) as error:
        fail(f"cannot allocate a result of shape {list(shape)}: {error}", error=OpsirOverflowError)
