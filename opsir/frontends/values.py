"""What Python objects mean as operands: dtypes, numbers, arrays, or nothing that opsir takes.

Owns this classification, for tracing and for calls alike. Knows neither tracers nor IR.
"""

from __future__ import annotations

from typing import Any, NoReturn, cast

import numpy as np

from opsir import dtypes
from opsir.diagnostics import Location, OpsirTypeError, fail
from opsir.dtypes import DType

_ALLOWED = ", ".join(d.name for d in dtypes.ALL)


def find_dtype(value: object) -> DType | None:
    """The row that a dtype, a type, or a name of NumPy's or opsir's stands for; None if none."""
    if isinstance(value, DType):
        return value
    if isinstance(value, str) and value in dtypes.BY_NAME:
        return dtypes.BY_NAME[value]
    if value is None:
        return None
    try:
        return dtypes.from_numpy(np.dtype(cast("Any", value)))
    except TypeError:
        return None


def as_dtype(value: object, location: Location | None = None) -> DType:
    """The row for anything that names a dtype; an OpsirTypeError for what opsir has no row for."""
    dtype = find_dtype(value)
    if dtype is None:
        fail(f"{value!r} is no dtype that opsir has: {_ALLOWED}", location, OpsirTypeError)
    return dtype


def is_python_number(value: object) -> bool:
    """Whether ``value`` is exactly a Python bool, int or float; subclasses count as NumPy does."""
    return type(value) in (int, float, bool)


def array_dtype(
    array: np.ndarray[Any, Any] | np.generic, what: str, location: Location | None
) -> DType:
    """The row of an array's or NumPy scalar's dtype; a refusal that says what to do about others.

    ``what`` names the array in the message.
    """
    dtype = dtypes.from_numpy(array.dtype)
    if dtype is None:
        fail(
            f"{what} has dtype {array.dtype}, opsir has {_ALLOWED}; {_advice(array.dtype)}",
            location,
            OpsirTypeError,
        )
    return dtype


def _advice(dtype: np.dtype[Any]) -> str:
    if dtype.kind in "iufb" and not dtype.isnative:
        return "convert it with x.astype(x.dtype.newbyteorder('='))"
    if dtype.names is not None:
        return "pass its fields one by one"
    if dtype.kind == "c":
        return "pass its real and imaginary parts"
    return "convert it with x.astype(...)"


def as_array(value: object, what: str, location: Location | None) -> np.ndarray[Any, Any]:
    """``np.asarray(value)`` for what NumPy takes as an array of numbers, else an OpsirTypeError."""
    if isinstance(value, np.ma.MaskedArray):
        fail(
            f"{what} is a masked array, whose mask opsir does not see; use its .filled(...)",
            location,
            OpsirTypeError,
        )
    if isinstance(value, np.ndarray):
        return np.asarray(value)
    if value is None or isinstance(value, str | bytes | dict | set):
        _refuse(value, what, location)
    try:
        array = np.asarray(value)
    except (ValueError, TypeError) as error:
        fail(f"{what} is no array of numbers: {error}", location, OpsirTypeError)
    if array.dtype.kind == "O":
        _refuse(value, what, location)
    return array


def _refuse(value: object, what: str, location: Location | None) -> NoReturn:
    name = type(value).__name__
    article = "an" if name[:1].lower() in "aeiou" else "a"
    fail(
        f"{what} is {article} {name}; opsir takes arrays, Python and NumPy numbers, and sequences "
        "of numbers",
        location,
        OpsirTypeError,
    )
