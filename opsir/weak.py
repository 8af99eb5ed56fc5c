"""Python numbers on their way to a dtype: what each role of a weak number makes of its value.

Owns the range checks, the single rounding and the exact clamping that literals get at compile time
and arguments get at each call. Knows no IR and no op.
"""

from __future__ import annotations

from math import ldexp
from typing import Any, Literal, NoReturn

import numpy as np

from opsir.diagnostics import OpsirOverflowError, fail
from opsir.dtypes import F16, F32, F64, DType
from opsir.evaluate import cast

Role = Literal["convert", "lower", "upper", "clamp", "above", "below", "within"]
"""What a use needs of a Python number, relative to a dtype.

``convert``: the value itself, which must fit. ``lower`` and ``upper``: a bound of a clip; beyond
the end of the range at which it cannot bind, it is that end. ``clamp``: the nearest value of an
integer dtype, for comparisons, which are then made exact by bools: ``above`` and ``below`` (the
number lies beyond the largest or before the smallest value) and ``within`` (neither).
"""

FLAGS: frozenset[Role] = frozenset({"above", "below", "within"})
"""The roles whose value is a bool, whatever the dtype."""


def bind(value: int | float, role: Role, dtype: DType) -> Any:
    """The NumPy scalar that ``role`` makes of a Python number: a bool for FLAGS, else a ``dtype``.

    Roles other than ``convert`` are for Python integers and integer dtypes. Raises
    OpsirOverflowError for an integer that does not fit.
    """
    if dtype.is_float:
        return nearest(value, dtype)
    if dtype.is_logical:
        return np.bool_(value != 0)
    assert isinstance(value, int), "a float reaches an integer dtype only by opsir.cast"
    above, below = value > dtype.max, value < dtype.min
    if role in FLAGS:
        flag = above if role == "above" else below if role == "below" else not (above or below)
        return np.bool_(flag)
    if (above and role not in ("clamp", "upper")) or (below and role not in ("clamp", "lower")):
        _refuse(value, dtype)
    return dtype.numpy.type(min(max(value, dtype.min), dtype.max))


def nearest(value: Any, dtype: DType) -> Any:
    """A number as a scalar of a float dtype, rounded once to nearest even; infinity beyond it.

    ``value`` is a Python or NumPy number. A Python integer too large even for f64 is an
    OpsirOverflowError.
    """
    if type(value) is int:
        value = _to_odd(value, dtype)
    if dtype is F64:
        return np.float64(value)
    if dtype in (F32, F16) and isinstance(value, float):
        with np.errstate(over="ignore"):
            return dtype.numpy.type(value)
    source = value if isinstance(value, np.generic) else np.float64(value)
    return cast(source, dtype)


def _to_odd(value: int, dtype: DType) -> float:
    """An integer as an f64 from which one more rounding gives what rounding it once would."""
    try:
        rounded = float(value)
    except OverflowError:
        _refuse(value, dtype)
    excess = value.bit_length() - 53
    if dtype is F64 or excess <= 0:
        return rounded
    magnitude = abs(value)
    odd = (magnitude >> excess) | (magnitude & ((1 << excess) - 1) != 0)
    return ldexp(-odd if value < 0 else odd, excess)


def _refuse(value: int, dtype: DType) -> NoReturn:
    text = str(value) if value.bit_length() <= 128 else f"of {value.bit_length()} bits"
    if dtype.is_float:
        message = f"Python integer {text} is too large for a float, f64 included"
    else:
        message = f"Python integer {text} does not fit {dtype} ({dtype.min} .. {dtype.max})"
    fail(message, error=OpsirOverflowError)
