"""Where the results of a call are stored: in arrays of the caller, or beside them first.

Owns which arrays are refused as ``out=`` and when an overlap with an argument needs a temporary.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from opsir.diagnostics import OpsirTypeError, fail
from opsir.runtime import buffers
from opsir.runtime.arguments import view_of
from opsir.runtime.overlap import relation, self_overlaps
from opsir.signature import Aliasing, View

Array = np.ndarray[Any, Any]


@dataclass(slots=True)
class Destinations:
    """The arrays that native code writes to; None lets the launcher allocate them."""

    arrays: list[Array] | None
    views: list[View]
    aliasing: list[Aliasing]
    copies: list[tuple[Array, Array]]
    """Pairs (the caller's array, the temporary that holds its values after the launch)."""

    @property
    def identical(self) -> bool:
        """Whether some result is stored exactly where an argument lies."""
        return "identical" in self.aliasing

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


_NONE = Destinations(None, [], [], [])


def destinations(outs: Sequence[Array], inputs: Sequence[View], *, apart: bool) -> Destinations:
    """Decide for each ``out=`` array whether it can be written while the arguments are read.

    It can if it shares no byte with any argument and no other result, or is exactly one of the
    arguments; otherwise, and always under ``apart``, it gets a dense temporary. Read-only arrays
    and arrays whose own elements overlap are OpsirValueErrors.
    """
    if not outs:
        return _NONE
    found = Destinations([], [], [], [])
    arrays: list[Array] = []
    for array in outs:
        target = array.view(np.ndarray)
        view = _checked(target)
        aliasing = _aliasing(view, inputs, found.views)
        if aliasing == "temporary" or (apart and aliasing != "disjoint"):
            scratch = buffers.temporary(view.shape, view.dtype)
            found.copies.append((target, scratch))
            target, aliasing = scratch, "disjoint"
            view = view_of(scratch, "out")
        arrays.append(target)
        found.views.append(view)
        found.aliasing.append(aliasing)
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


def _aliasing(view: View, inputs: Sequence[View], earlier: Sequence[View]) -> Aliasing:
    relations = {relation(view, other) for other in inputs}
    if "overlapping" in relations or any(relation(view, e) != "disjoint" for e in earlier):
        return "temporary"
    return "identical" if "identical" in relations else "disjoint"
