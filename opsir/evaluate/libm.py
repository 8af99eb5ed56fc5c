"""The C math library, called by address for each element in f64.

Owns the binding to the functions that compiled code calls too: both look the symbol up in the
running process, so both get the same bits. Python's ``math`` is not used: it raises where C
returns an infinity or a NaN, and its ``hypot`` is an algorithm of its own.
"""

from __future__ import annotations

import ctypes
import ctypes.util
import sys
from collections.abc import Callable
from functools import cache

import numpy as np

from opsir.evaluate.patterns import Array

UNARY: frozenset[str] = frozenset(
    {
        *("exp", "exp2", "expm1", "log", "log2", "log10", "log1p", "cbrt", "erf", "erfc"),
        *("sin", "cos", "tan", "asin", "acos", "atan"),
        *("sinh", "cosh", "tanh", "asinh", "acosh", "atanh"),
    }
)
BINARY: frozenset[str] = frozenset({"pow", "hypot", "atan2"})


def call(name: str, *operands: Array) -> Array:
    """Apply the C function ``name`` to flat f64 arrays of equal length."""
    function = _function(name, len(operands))
    values = map(function, *(operand.tolist() for operand in operands))
    return np.fromiter(values, np.float64, operands[0].size)


@cache
def _function(name: str, arity: int) -> Callable[..., float]:
    function = _library()[name]
    function.argtypes = [ctypes.c_double] * arity
    function.restype = ctypes.c_double
    return function


@cache
def _library() -> ctypes.CDLL:
    """Whatever holds the C math functions of this process.

    A ``PyDLL`` keeps the interpreter's lock during a call, which takes far longer to release and
    take again than one function value takes to compute.
    """
    if sys.platform == "win32":
        return ctypes.PyDLL("ucrtbase")
    process = ctypes.PyDLL(None)
    if hasattr(process, "erfc"):
        return process
    return ctypes.PyDLL(ctypes.util.find_library("m"))
