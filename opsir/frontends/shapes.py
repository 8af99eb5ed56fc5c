"""Shapes and axis maps that a traced function states: integers and sizes of arrays.

Owns what may stand in them. Knows neither tracers nor IR.
"""

from __future__ import annotations

import operator
from collections.abc import Callable, Sequence
from itertools import pairwise
from typing import Any

import numpy as np

from opsir.diagnostics import Location, OpsirOverflowError, OpsirTypeError, fail
from opsir.extent import Extent, checked_product
from opsir.frontends.numbers import Computed, Literally, Number, Size, ViewSize, extent_of
from opsir.frontends.recorder import MAX_RANK, Recorder
from opsir.view import Reshape


def stated_shape(
    recorder: Recorder,
    shape: Any,
    number_of: Callable[[Any], int | None],
    location: Location | None,
) -> tuple[int, ...]:
    """A shape's sizes as numbers; a single size stands for a shape of rank 1.

    ``number_of`` finds the number of a traced size. Raises OpsirValueError for a negative size,
    OpsirOverflowError for more elements than 64 bits count, OpsirTypeError for what is no size.
    """
    items: Sequence[Any] = shape if isinstance(shape, tuple | list) else (shape,)
    sizes = tuple([_stated_size(recorder, item, number_of, location) for item in items])
    known = [recorder.numbers[size] for size in sizes]
    try:
        checked_product((int(n.value) for n in known if isinstance(n, Literally)), "a shape's size")
    except OpsirOverflowError as error:
        fail(error.detail, location, OpsirOverflowError)
    return sizes


def _stated_size(
    recorder: Recorder,
    item: Any,
    number_of: Callable[[Any], int | None],
    location: Location | None,
) -> int:
    number = number_of(item)
    if number is not None and not isinstance(recorder.numbers[number], Literally):
        if not _is_size(recorder.numbers[number]):
            fail(
                "a shape consists of integers and of sizes of arrays, got a computed number",
                location,
                OpsirTypeError,
            )
        return number
    if type(item).__name__ in ("bool", "bool_") or not hasattr(item, "__index__"):
        fail(f"a shape consists of integers, got {item!r}", location, OpsirTypeError)
    size = operator.index(item)
    if size < 0:
        fail(f"a size is at least 0, got {size}", location)
    return recorder.number(Literally(size), "int")


def reshape_rule(
    recorder: Recorder,
    shape: Any,
    number_of: Callable[[Any], int | None],
    location: Location | None,
) -> Reshape:
    """The reshape to a shape in which one size may be -1; errors as in :func:`stated_shape`."""
    items: Sequence[Any] = shape if isinstance(shape, tuple | list) else (shape,)
    sizes: list[Extent] = []
    for item in items:
        if type(item).__name__ != "bool" and isinstance(item, int | np.integer) and item == -1:
            sizes.append(Extent(-1))
            continue
        number = _stated_size(recorder, item, number_of, location)
        sizes.append(extent_of(number, recorder.numbers[number]))
    return Reshape(tuple(sizes))


def _is_size(number: Number) -> bool:
    return isinstance(number, Size | ViewSize) or (
        isinstance(number, Computed) and number.op == "common_size"
    )


def checked_axes(axes: Any, ndim: Any, rank: int, location: Location | None) -> tuple[int, ...]:
    """The result axes to which the ``rank`` axes of an operand are tied, counted from 0.

    One axis for each operand axis, in rising order; negative ones count from the end.
    """
    if type(ndim) is not int or not rank <= ndim <= MAX_RANK:
        fail(f"align takes an ndim from {rank} to {MAX_RANK}, got {ndim!r}", location)
    given: Sequence[Any] = axes if isinstance(axes, tuple | list) else (axes,)
    if any(type(axis) is not int or not -ndim <= axis < ndim for axis in given):
        fail(f"align takes axes from {-ndim} to {ndim - 1}, got {axes!r}", location)
    placed = tuple([axis % ndim for axis in given])
    rising = all(a < b for a, b in pairwise(placed))
    if len(placed) != rank or not rising:
        fail(
            f"align takes one axis, in rising order, for each of the {rank} axes of the operand, "
            f"got {axes!r}",
            location,
        )
    return placed
