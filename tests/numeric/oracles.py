"""What a call must give: by the semantics evaluated op by op, and by NumPy's eager functions.

Owns the two expectations; which of their differences are intended is in deviations.py.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from opsir.diagnostics import OpsirOverflowError
from opsir.dtypes import BOOL, DType, from_numpy
from opsir.evaluate import cast, evaluate, evaluate_flags
from opsir.promotion import Operand, Weak
from tests.numeric.cases import numpy_function, resolution
from tests.numeric.values import Array

LOOSE = {
    *("exp", "exp2", "expm1", "log", "log2", "log10", "log1p", "cbrt", "pow", "hypot", "atan2"),
    *("sin", "cos", "tan", "asin", "acos", "atan"),
    *("sinh", "cosh", "tanh", "asinh", "acosh", "atanh"),
}
"""Functions whose digits follow their accuracy tier, never NumPy's digits."""


def operand_of(value: Any) -> Operand:
    """What promotion sees of an argument: the dtype of an array or NumPy scalar, or weak."""
    if type(value) is int:
        return Weak.INT
    if type(value) is float:
        return Weak.FLOAT
    found = from_numpy(np.asarray(value).dtype)
    assert found is not None
    return found


def converted(value: Any, dtype: DType) -> Any:
    """One operand in the dtype that the op computes with; a Python number must fit.

    A Python integer that meets floats must fit i64, from where it is rounded once.
    """
    if isinstance(value, np.ndarray | np.generic):
        strong: Any = value
        return cast(strong, dtype)
    if type(value) is int and not dtype.is_float:
        if dtype.is_logical:
            return np.bool_(value != 0)
        if not dtype.min <= value <= dtype.max:
            raise OpsirOverflowError(f"{value} does not fit {dtype}")
        return dtype.numpy.type(value)
    if type(value) is int:
        return cast(np.asarray(value, np.int64), dtype)[()]
    return cast(np.float64(value), dtype)


def law(op: str, *values: Any) -> Any:
    """The result by the semantics: promote, cast each operand, evaluate.

    Values are arrays, NumPy scalars and Python numbers. Comparisons and clips with a Python
    integer beyond the dtype of the others go by value.
    """
    found = resolution(op, [operand_of(v) for v in values])
    assert found is not None, f"{op} is not defined for {values}"
    if op in _BY_VALUE and any(type(v) is int for v in values):
        return _compared(op, values, found.operands)
    operands = [converted(v, d) for v, d in zip(values, found.operands, strict=True)]
    return evaluate(op, operands, found.result)


def law_flags(op: str, *values: Any) -> frozenset[str]:
    """The conditions that evaluating the op reports."""
    found = resolution(op, [operand_of(v) for v in values])
    assert found is not None
    if op in _BY_VALUE:
        return frozenset()
    operands = [converted(v, d) for v, d in zip(values, found.operands, strict=True)]
    return evaluate_flags(op, operands)


_BY_VALUE = {"eq", "ne", "lt", "le", "gt", "ge"}


def _compared(op: str, values: Sequence[Any], dtypes: Sequence[DType]) -> Any:
    """A comparison one of whose sides is a Python integer of any size."""
    if any(d.is_float for d in dtypes):
        operands = [converted(v, d) for v, d in zip(values, dtypes, strict=True)]
        return evaluate(op, operands, BOOL)
    x, y = (np.asarray(v if type(v) is int else cast(v, d), object) for v, d in zip(values, dtypes))
    return np.asarray(getattr(np, _COMPARES[op])(x, y), np.bool_)


_COMPARES = {
    "eq": "equal",
    "ne": "not_equal",
    "lt": "less",
    "le": "less_equal",
    "gt": "greater",
    "ge": "greater_equal",
}


def by_numpy(op: str, *values: Any) -> Any | None:
    """NumPy's eager result on contiguous copies; None where it has no such function or refuses.

    A bool byte that is not 0 counts as 1 before NumPy sees it.
    """
    function = numpy_function(op)
    if function is None:
        return None
    plain = [_plain(value) for value in values]
    try:
        with np.errstate(all="ignore"):
            return function(*plain)
    except TypeError:
        return None


def _plain(value: Any) -> Any:
    if not isinstance(value, np.ndarray):
        return value
    copy = np.ascontiguousarray(value)
    return np.not_equal(copy.view(np.uint8), 0) if copy.dtype == np.bool_ else copy


def cast_by_numpy(value: Array, to: DType) -> Array:
    """``astype`` on a contiguous copy."""
    with np.errstate(all="ignore"):
        return _plain(value).astype(to.numpy)


def ulps(one: Array, other: Array) -> Array:
    """The distance of two float arrays of one dtype in units of their last place, as f64.

    0 where both are NaN; infinite where one is. The step from the largest number to infinity
    counts as one.
    """
    both = np.isnan(one) & np.isnan(other)
    either = np.isnan(one) | np.isnan(other)
    distance = np.abs(_ordered(one) - _ordered(other))
    return np.where(both, 0.0, np.where(either, np.inf, distance))


def _ordered(array: Array) -> Array:
    """Floats numbered along the line, both zeros 0; as f64, exact for small distances only."""
    pattern = np.ascontiguousarray(array).view(f"i{array.itemsize}").astype(np.int64)
    magnitude = pattern & ((1 << (8 * array.itemsize - 1)) - 1)
    return np.where(pattern < 0, -magnitude, magnitude).astype(np.longdouble)
