"""Finds the user's line on the Python stack.

Owns which frames count as internal: those of opsir and of NumPy. Knows nothing of what happens
there.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

from opsir.diagnostics import Location

_INTERNAL_FOLDERS = tuple(
    str(folder) + os.sep for folder in (Path(__file__).parents[1], Path(np.__file__).parent)
)
_internal: dict[str, bool] = {}


def _is_internal(file: str) -> bool:
    known = _internal.get(file)
    if known is None:
        known = _internal.setdefault(file, file.startswith(_INTERNAL_FOLDERS))
    return known


def user_location() -> Location | None:
    """The innermost line outside opsir and NumPy; None when there is no such frame."""
    frame = sys._getframe(1)
    while _is_internal(frame.f_code.co_filename):
        if frame.f_back is None:
            return None
        frame = frame.f_back
    return Location(frame.f_code.co_filename, frame.f_lineno)


def user_frame_depth() -> int:
    """The ``stacklevel`` with which ``warnings.warn``, called beside this, names the user's line.

    That of the outermost frame when there is no user's frame.
    """
    depth = 1
    frame = sys._getframe(1)
    while _is_internal(frame.f_code.co_filename) and frame.f_back is not None:
        frame = frame.f_back
        depth += 1
    return depth


def definition_of(function: Callable[..., Any]) -> Location | None:
    """The line on which a user's function starts; the user's line for any other callable."""
    code = getattr(function, "__code__", None)
    if code is None or _is_internal(code.co_filename):
        return user_location()
    return Location(code.co_filename, code.co_firstlineno)
