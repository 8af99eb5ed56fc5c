"""NumPy's functions that make views, each by the method of a traced array that it stands for.

Owns their signatures. Knows traced values only through the ``Lifting`` protocol.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Protocol

import numpy as np


class Lifting(Protocol):
    """What these functions need of the trace that their arguments belong to."""

    def lift(self, value: Any) -> Any:
        """The traced value that stands for any operand."""
        ...


def _transpose(tracing: Lifting, a: Any, axes: Any = None) -> Any:
    return tracing.lift(a).transpose(axes)


def _matrix_transpose(tracing: Lifting, x: Any, /) -> Any:
    return tracing.lift(x).mT


def _swapaxes(tracing: Lifting, a: Any, axis1: Any, axis2: Any) -> Any:
    return tracing.lift(a).swapaxes(axis1, axis2)


def _moveaxis(tracing: Lifting, a: Any, source: Any, destination: Any) -> Any:
    return tracing.lift(a)._moved(source, destination)


def _flip(tracing: Lifting, m: Any, axis: Any = None) -> Any:
    return tracing.lift(m)._flipped(axis)


def _flipud(tracing: Lifting, m: Any) -> Any:
    return tracing.lift(m)._flipped(0)


def _fliplr(tracing: Lifting, m: Any) -> Any:
    return tracing.lift(m)._flipped(1)


def _rot90(tracing: Lifting, m: Any, k: Any = 1, axes: Any = (0, 1)) -> Any:
    return tracing.lift(m)._rotated(k, axes)


def _expand_dims(tracing: Lifting, a: Any, axis: Any) -> Any:
    return tracing.lift(a)._expanded(axis)


def _squeeze(tracing: Lifting, a: Any, axis: Any = None) -> Any:
    return tracing.lift(a).squeeze(axis)


def _reshape(tracing: Lifting, a: Any, /, shape: Any, order: Any = "C", *, copy: Any = None) -> Any:
    return tracing.lift(a).reshape(shape, order=order, copy=copy)


def _ravel(tracing: Lifting, a: Any, order: Any = "C") -> Any:
    return tracing.lift(a).ravel(order)


def _diagonal(tracing: Lifting, a: Any, offset: Any = 0, axis1: Any = 0, axis2: Any = 1) -> Any:
    return tracing.lift(a).diagonal(offset, axis1, axis2)


VIEW_FUNCTIONS: dict[Callable[..., Any], Callable[..., Any]] = {
    np.transpose: _transpose,
    np.matrix_transpose: _matrix_transpose,
    np.swapaxes: _swapaxes,
    np.moveaxis: _moveaxis,
    np.flip: _flip,
    np.flipud: _flipud,
    np.fliplr: _fliplr,
    np.rot90: _rot90,
    np.expand_dims: _expand_dims,
    np.squeeze: _squeeze,
    np.reshape: _reshape,
    np.ravel: _ravel,
    np.diagonal: _diagonal,
}
"""Each NumPy function that makes a view and traces."""
