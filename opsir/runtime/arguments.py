"""What a caller hands over, made plain: views of memory, typed scalars and weak numbers.

Owns which Python objects count as what, and refuses the rest. Knows no program and no kernel.
"""

from __future__ import annotations

from typing import Any, NamedTuple, NoReturn

import numpy as np

from opsir import dtypes
from opsir.diagnostics import OpsirTypeError, fail
from opsir.runtime.addresses import address_of
from opsir.signature import WEAK_FLOAT, WEAK_INT, Argument, View, scalar

_SUPPORTED = ", ".join(d.name for d in dtypes.ALL)


class Given(NamedTuple):
    """One argument: the facts that decide compilation, and the object that holds the value.

    ``facts`` is a View for an array, else an Argument; ``value`` is the plain array, the NumPy
    scalar or the Python number.
    """

    facts: View | Argument
    value: Any


def given(value: Any, name: str = "argument", *, strict: bool = False) -> Given:
    """Classify one argument; ``name`` is what an error calls it.

    Exact Python ints and floats are weak, or i64 and f64 under ``strict``. Lists and other
    array-likes become what ``np.asarray`` makes of them. Raises OpsirTypeError for the rest.
    """
    kind: type[Any] = type(value)
    if kind is np.ndarray:
        return Given(view_of(value, name), value)
    if kind is float:
        if strict:
            return Given(scalar(dtypes.F64), np.float64(value))
        return Given(WEAK_FLOAT, value)
    if kind is int:
        return _strict_int(value, name) if strict else Given(WEAK_INT, value)
    if kind is bool:
        return Given(scalar(dtypes.BOOL), np.bool_(value))
    if isinstance(value, np.generic):
        row = dtypes.from_numpy(value.dtype)
        if row is None:
            _refuse_dtype(value.dtype, name)
        return Given(scalar(row), value)
    return _array_like(value, name)


def view_of(array: np.ndarray[Any, Any], name: str) -> View:
    """The memory of a plain array, whose dtype must be one of opsir's in native byte order."""
    row = dtypes.from_numpy(array.dtype)
    if row is None:
        _refuse_dtype(array.dtype, name)
    return View(address_of(array), array.shape, array.strides, row)


def _strict_int(value: int, name: str) -> Given:
    if not dtypes.I64.min <= value <= dtypes.I64.max:
        fail(f"{name}: {value} does not fit i64", error=OpsirTypeError)
    return Given(scalar(dtypes.I64), np.int64(value))


def _array_like(value: Any, name: str) -> Given:
    if isinstance(value, np.ma.MaskedArray):
        fail(
            f"{name} is a masked array, whose mask opsir does not see; "
            "pass its .filled(...) or .data",
            error=OpsirTypeError,
        )
    if value is None or isinstance(value, str | bytes | dict | set):
        fail(
            f"{name} is a {type(value).__name__}; allowed are arrays, numbers and sequences",
            error=OpsirTypeError,
        )
    try:
        array = np.asarray(value)
    except (TypeError, ValueError) as error:
        fail(f"{name}: {error}", error=OpsirTypeError)
    return Given(view_of(array, name), array)


def _refuse_dtype(dtype: np.dtype[Any], name: str) -> NoReturn:
    if not dtype.isnative and dtypes.from_numpy(dtype.newbyteorder("=")) is not None:
        fail(
            f"{name} has dtype {dtype.str}, whose bytes are swapped; "
            "convert it with x.astype(x.dtype.newbyteorder('='))",
            error=OpsirTypeError,
        )
    fail(
        f"{name} has dtype {dtype}, which opsir does not compute with; allowed are {_SUPPORTED}",
        error=OpsirTypeError,
    )
