"""Views of NumPy arrays: the reference back end's own reading of each kind of view.

Owns the NumPy function behind each kind. Shares nothing with the strides that the compiler
computes, so that either can be checked against the other.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from opsir.diagnostics import OpsirIndexError, fail
from opsir.extent import Extent
from opsir.view import (
    Diagonal,
    ExpandDims,
    Flip,
    Permute,
    Reshape,
    Slice,
    Span,
    Squeeze,
    ViewRule,
)

Array = np.ndarray[Any, np.dtype[Any]]


def view_of(rule: ViewRule, array: Array, env: Mapping[str, int]) -> Array:
    """``rule`` of ``array``; what NumPy refuses is an OpsirError without a place.

    A size of a reshape whose symbol ``env`` lacks is the one left open.
    """
    try:
        return _apply(rule, array, env)
    except IndexError as error:
        fail(str(error), error=OpsirIndexError)
    except ValueError as error:
        fail(str(error))


def _apply(rule: ViewRule, array: Array, env: Mapping[str, int]) -> Array:
    match rule:
        case Permute(order):
            return np.transpose(array, order)
        case Slice(items):
            picked = tuple(slice(*i) if isinstance(i, Span) else i for i in items)
            return np.asarray(array[(*picked, ...)])
        case Flip(axes):
            return np.flip(array, axes)
        case ExpandDims(axes):
            return np.expand_dims(array, axes)
        case Squeeze(axes):
            return np.squeeze(array, axes)
        case Diagonal(offset, (first, second)):
            return np.diagonal(array, offset, first, second)
        case Reshape(sizes):
            return np.reshape(array, [_size(size, env) for size in sizes])


def _size(size: Extent, env: Mapping[str, int]) -> int:
    return size.evaluate(env) if env.keys() >= set(size.symbols) else -1
