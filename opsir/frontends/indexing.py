"""Basic indexing of a traced array: what stands between the brackets, as views.

Owns which indices are basic and the refusal of the others. Knows no tracer and no IR.
"""

from __future__ import annotations

import operator
from collections.abc import Sequence
from typing import Any, NoReturn

import numpy as np

from opsir.diagnostics import Location, OpsirIndexError, OpsirTypeError, fail
from opsir.extent import fits_int64
from opsir.view import ExpandDims, Slice, Span, ViewRule, is_identity


def views_of_index(index: Any, rank: int, location: Location | None) -> tuple[ViewRule, ...]:
    """The views that ``x[index]`` is for an array of ``rank`` axes, to be applied in order.

    Integers, slices, ``...`` and ``None`` are allowed. Raises OpsirTypeError for anything else,
    OpsirIndexError for more indices than axes.
    """
    parts: Sequence[Any] = index if isinstance(index, tuple) else (index,)
    given = sum(part is not None and part is not Ellipsis for part in parts)
    if sum(part is Ellipsis for part in parts) > 1:
        fail("an index can only have one ellipsis ('...')", location, OpsirIndexError)
    if given > rank:
        fail(
            f"too many indices: the array has {rank} axes, but {given} were indexed",
            location,
            OpsirIndexError,
        )
    if not any(part is Ellipsis for part in parts):
        parts = (*parts, Ellipsis)
    items: list[Span | int] = []
    added: list[int] = []
    position = 0
    for part in parts:
        if part is None:
            added.append(position)
            position += 1
        elif part is Ellipsis:
            items += [Span()] * (rank - given)
            position += rank - given
        else:
            items.append(_item(part, location))
            position += isinstance(items[-1], Span)
    rules = (Slice(tuple(items)), ExpandDims(tuple(added)))
    return tuple(rule for rule in rules if not is_identity(rule))


def _item(part: Any, location: Location | None) -> Span | int:
    if isinstance(part, slice):
        start, stop, step = (
            None if bound is None else _integer(bound, location)
            for bound in (part.start, part.stop, part.step)
        )
        if step == 0:
            fail("slice step cannot be zero", location)
        return Span(start, stop, 1 if step is None else step)
    return _integer(part, location)


def _integer(part: Any, location: Location | None) -> int:
    kind = type(part)
    if kind in (bool, np.bool_) or isinstance(part, np.ndarray | list) or _is_array(part):
        _refuse_advanced(location)
    if kind.__module__.startswith("opsir."):
        fail(
            f"{part!r} has no value while the function is traced, so it cannot be an index; "
            "indices are Python integers that the function spells out",
            location,
            OpsirTypeError,
        )
    if not hasattr(part, "__index__"):
        fail(
            f"only integers, slices, ... and None are indices in a traced function, got {part!r}",
            location,
            OpsirTypeError,
        )
    value = operator.index(part)
    if not fits_int64(value):
        fail(f"index {value} does not fit 64 bits", location, OpsirIndexError)
    return value


def _is_array(part: Any) -> bool:
    return hasattr(part, "dtype") and getattr(part, "ndim", 0) > 0


def _refuse_advanced(location: Location | None) -> NoReturn:
    fail(
        "indexing with arrays, lists or bools does not trace: it gathers elements one by one; use "
        "np.where to select by a condition, or index outside the compiled function",
        location,
        OpsirTypeError,
    )
