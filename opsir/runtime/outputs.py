"""Where the results of a call are stored: in arrays of the caller, or beside them first.

Owns which arrays are refused as ``out=`` and when an overlap with an argument needs a temporary.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from opsir.diagnostics import OpsirTypeError, fail
from opsir.runtime import buffers, notices
from opsir.runtime.arguments import view_of
from opsir.runtime.overlap import relation, self_overlaps
from opsir.signature import Aliasing, Argument, View

Array = np.ndarray[Any, Any]


@dataclass(slots=True)
class Destinations:
    """The arrays that native code writes to; None lets the launcher allocate them."""

    arrays: list[Array] | None = None
    views: list[View] = field(default_factory=list[View])
    aliasing: list[Aliasing] = field(default_factory=list[Aliasing])
    over: list[frozenset[int]] = field(default_factory=list[frozenset[int]])
    """Per result the positions of the arguments exactly where it is stored."""
    copies: list[tuple[Array, Array]] = field(default_factory=list[tuple[Array, Array]])
    """Pairs (the caller's array, the temporary that holds its values after the launch)."""

    costs: list[str] = field(default_factory=list[str])
    """Why each of those is needed, in words."""

    def over_any(self, forbidden: Sequence[Collection[int]]) -> frozenset[int]:
        """The results that lie over an argument that is forbidden to them."""
        pairs = enumerate(zip(self.over, forbidden, strict=False))
        return frozenset(n for n, (over, no) in pairs if not over.isdisjoint(no))

    def finish(self) -> None:
        """Move the values of temporaries to where the caller wants them, in order."""
        for target, source in self.copies:
            np.copyto(target, source)


def out_arrays(out: Any) -> tuple[Array, ...]:
    """The arrays of an ``out=`` argument: one, or a tuple or list with one per result."""
    if out is None:
        return ()
    outs: tuple[Any, ...] = tuple(out) if isinstance(out, tuple | list) else (out,)
    for array in outs:
        if not isinstance(array, np.ndarray):
            fail(
                f"out= takes NumPy arrays, got {type(array).__name__}",
                error=OpsirTypeError,
            )
    return outs


def destinations(
    outs: Sequence[Array], inputs: Sequence[View | Argument], *, apart: Collection[int] = ()
) -> Destinations:
    """Decide for each ``out=`` array whether it can be written while the arguments are read.

    It can if it shares no byte with any argument and no other result, or is exactly one of the
    arguments and is not listed in ``apart``; otherwise it gets a dense temporary. Read-only arrays
    and arrays whose own elements overlap are OpsirValueErrors.
    """
    if not outs:
        return Destinations()
    found = Destinations([])
    arrays: list[Array] = []
    earlier: list[View] = []
    for number, array in enumerate(outs):
        target = array.view(np.ndarray)
        view = _checked(target)
        over, reason = _over(view, inputs)
        beside = reason or _beside_result(view, earlier)
        earlier.append(view)
        if beside is None and number in apart:
            beside = f"lies over argument {min(over)}, which is read again"
        if beside is not None:
            scratch = buffers.temporary(view.shape, view.dtype)
            found.copies.append((target, scratch))
            found.costs.append(notices.beside(number, len(outs), beside, scratch.nbytes))
            target, over = scratch, frozenset[int]()
            view = view_of(scratch, "out")
        arrays.append(target)
        found.views.append(view)
        found.over.append(over)
        found.aliasing.append("identical" if over else "disjoint")
    found.arrays = arrays
    return found


def _checked(array: Array) -> View:
    if not array.flags.writeable:
        fail("out= is read-only")
    view = view_of(array, "out")
    if self_overlaps(view):
        fail(
            f"out= has elements that share memory (shape {list(view.shape)}, strides "
            f"{list(view.strides)} bytes): each element must have its own"
        )
    return view


def _over(view: View, inputs: Sequence[View | Argument]) -> tuple[frozenset[int], str | None]:
    """The arguments that a result is exactly, and why it cannot be stored there, if so."""
    over: list[int] = []
    for position, other in enumerate(inputs):
        if isinstance(other, View):
            found = relation(view, other)
            if found == "overlapping":
                return frozenset(), f"overlaps argument {position}"
            if found == "identical":
                over.append(position)
    return frozenset(over), None


def _beside_result(view: View, earlier: Sequence[View]) -> str | None:
    for number, other in enumerate(earlier):
        if relation(view, other) != "disjoint":
            return f"shares memory with result {number}"
    return None
