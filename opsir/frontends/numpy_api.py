"""NumPy's functions as ops: which of them trace, and what each means.

Owns the tables from NumPy functions to ops and the refusals of everything else. Knows traced
values only through the ``Tracing`` protocol.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, NoReturn, Protocol

import numpy as np

from opsir.diagnostics import OpsirError, OpsirNotImplementedError, OpsirTypeError, fail
from opsir.dtypes import from_numpy
from opsir.frontends.numpy_views import VIEW_FUNCTIONS
from opsir.frontends.places import user_location


class Tracing(Protocol):
    """What a NumPy function needs of the trace that its arguments belong to."""

    def apply(self, op: str, *operands: Any) -> Any:
        """Record an op on traced values, arrays and numbers."""
        ...

    def lift(self, value: Any) -> Any:
        """The traced value that stands for any operand."""
        ...

    def dtype_like(self, value: Any) -> Any:
        """What ``np.result_type`` takes in place of an operand."""
        ...

    def is_weak_integer(self, value: Any) -> bool:
        """Whether an operand is a Python integer that takes on the dtype of what it meets."""
        ...


UFUNCS: dict[np.ufunc, str] = {
    np.add: "add",
    np.subtract: "sub",
    np.multiply: "mul",
    np.true_divide: "div",
    np.floor_divide: "div_floor",
    np.remainder: "mod",
    np.fmod: "rem",
    np.power: "pow",
    np.negative: "neg",
    np.positive: "positive",
    np.absolute: "abs",
    np.sign: "sign",
    np.square: "square",
    np.sqrt: "sqrt",
    np.reciprocal: "reciprocal",
    np.minimum: "minimum",
    np.maximum: "maximum",
    np.fmin: "fmin",
    np.fmax: "fmax",
    np.equal: "eq",
    np.not_equal: "ne",
    np.less: "lt",
    np.less_equal: "le",
    np.greater: "gt",
    np.greater_equal: "ge",
    np.logical_and: "logical_and",
    np.logical_or: "logical_or",
    np.logical_xor: "logical_xor",
    np.logical_not: "logical_not",
    np.bitwise_and: "bitwise_and",
    np.bitwise_or: "bitwise_or",
    np.bitwise_xor: "bitwise_xor",
    np.invert: "bitwise_not",
    np.left_shift: "shift_left",
    np.right_shift: "shift_right",
    np.floor: "floor",
    np.ceil: "ceil",
    np.trunc: "trunc",
    np.rint: "rint",
    np.isnan: "isnan",
    np.isinf: "isinf",
    np.isfinite: "isfinite",
    np.signbit: "signbit",
    np.copysign: "copysign",
    np.hypot: "hypot",
    np.heaviside: "heaviside",
    np.nextafter: "nextafter",
    np.exp: "exp",
    np.exp2: "exp2",
    np.expm1: "expm1",
    np.log: "log",
    np.log2: "log2",
    np.log10: "log10",
    np.log1p: "log1p",
    np.sin: "sin",
    np.cos: "cos",
    np.tan: "tan",
    np.arcsin: "asin",
    np.arccos: "acos",
    np.arctan: "atan",
    np.arctan2: "atan2",
    np.sinh: "sinh",
    np.cosh: "cosh",
    np.tanh: "tanh",
    np.arcsinh: "asinh",
    np.arccosh: "acosh",
    np.arctanh: "atanh",
    np.cbrt: "cbrt",
}
"""Each ufunc that is one op."""

_HARMLESS: dict[str, tuple[Any, ...]] = {
    "out": (None,),
    "where": (True,),
    "casting": ("same_kind",),
    "order": ("K", "A", "C", "F"),
    "subok": (True, False),
    "dtype": (None,),
    "copy": (None, True, False),
    "device": (None, "cpu"),
    "shape": (None,),
}
"""Keywords that change nothing with these values; any other value is refused."""

_INSTEAD = {
    "out": "return the new value, and give out= to the compiled function",
    "where": "use np.where(condition, result, otherwise)",
    "dtype": "use x.astype(dtype)",
    "casting": "use x.astype(dtype)",
}


def call_ufunc(
    tracing: Tracing,
    ufunc: np.ufunc,
    method: str,
    inputs: Sequence[Any],
    kwargs: Mapping[str, Any],
) -> Any:
    """Record a ufunc's call; reductions, unknown ufuncs and unusual keywords are refused."""
    name = f"np.{ufunc.__name__}"
    if method != "__call__":
        _refuse(f"{name}.{method} does not trace: opsir works element by element in this version")
    if ufunc is np.divmod:
        check_keywords(name, kwargs)
        return tracing.apply("div_floor", *inputs), tracing.apply("mod", *inputs)
    op = UFUNCS.get(ufunc)
    if op is None:
        _refuse_function(name)
    check_keywords(name, kwargs)
    return tracing.apply(op, *inputs)


def call_function(
    tracing: Tracing,
    function: Callable[..., Any],
    args: Sequence[Any],
    kwargs: Mapping[str, Any],
) -> Any:
    """Record the call of a NumPy function that is no ufunc."""
    name = f"np.{function.__name__}"
    handler = FUNCTIONS.get(function)
    if handler is None:
        _refuse_function(name)
    return handler(tracing, *args, **kwargs)


def check_keywords(name: str, kwargs: Mapping[str, Any]) -> None:
    """Refuse keywords that would change the meaning of a traced call."""
    for keyword, value in kwargs.items():
        harmless = _HARMLESS.get(keyword, ())
        plain = value is None or isinstance(value, str | bool)  # == of others may be traced
        if not (plain and value in harmless) and not _is_empty(value):
            advice = _INSTEAD.get(keyword, "leave it out")
            _refuse(f"{name} takes no {keyword}= in a traced function; {advice}", OpsirTypeError)


def _is_empty(value: Any) -> bool:
    """NumPy hands ``out=None`` on as a tuple."""
    return isinstance(value, tuple) and all(item is None for item in value)


def _refuse(message: str, error: type[OpsirError] = OpsirNotImplementedError) -> NoReturn:
    fail(message, user_location(), error)


def _refuse_function(name: str) -> NoReturn:
    allowed = sorted(f.__name__ for f in (*UFUNCS, np.divmod, *FUNCTIONS))
    _refuse(
        f"{name} does not trace; what does: {', '.join(allowed)}, and opsir's own functions",
        OpsirNotImplementedError,
    )


def _where(tracing: Tracing, condition: Any, x: Any = None, y: Any = None, /) -> Any:
    if x is None or y is None:
        _refuse("np.where traces with three arguments: np.where(condition, x, y)", OpsirTypeError)
    return tracing.apply("where", condition, x, y)


_NOT_GIVEN = object()


def _clip(
    tracing: Tracing,
    a: Any,
    a_min: Any = _NOT_GIVEN,
    a_max: Any = _NOT_GIVEN,
    out: Any = None,
    *,
    min: Any = _NOT_GIVEN,
    max: Any = _NOT_GIVEN,
    **kwargs: Any,
) -> Any:
    check_keywords("np.clip", {"out": out, **kwargs})
    return clip(tracing, a, _one_of(a_min, min), _one_of(a_max, max))


def _one_of(first: Any, second: Any) -> Any:
    """The bound under whichever of its two names it was given; None where it was not."""
    if first is not _NOT_GIVEN and second is not _NOT_GIVEN:
        _refuse("np.clip takes each bound once: a_min or min, a_max or max", OpsirTypeError)
    bound = second if first is _NOT_GIVEN else first
    return None if bound is _NOT_GIVEN else bound


def clip(tracing: Tracing, x: Any, low: Any, high: Any) -> Any:
    """``np.clip`` with either bound possibly None."""
    if low is None and high is None:
        return tracing.lift(x).copy()
    low, high = _both_ends(tracing, x, low, high)
    if low is None:
        return tracing.apply("minimum", x, high)
    if high is None:
        return tracing.apply("maximum", x, low)
    return tracing.apply("clip", x, low, high)


def _both_ends(tracing: Tracing, x: Any, low: Any, high: Any) -> tuple[Any, Any]:
    """The end of an integer dtype in place of a missing bound beside a Python integer.

    A clip takes such a bound by its value, where ``maximum`` and ``minimum`` refuse one that does
    not fit; the end itself does not bind.
    """
    dtype = from_numpy(tracing.lift(x).dtype)
    given = low if high is None else high
    if dtype is None or not dtype.is_integer or not tracing.is_weak_integer(given):
        return low, high
    return (dtype.min if low is None else low), (dtype.max if high is None else high)


def _round(tracing: Tracing, a: Any, decimals: Any = 0, out: Any = None) -> Any:
    check_keywords("np.round", {"out": out})
    return tracing.lift(a).round(decimals)


def _astype(tracing: Tracing, x: Any, dtype: Any, /, **kwargs: Any) -> Any:
    check_keywords("np.astype", kwargs)
    return tracing.lift(x).astype(dtype)


def _broadcast_to(tracing: Tracing, array: Any, shape: Any, subok: bool = False) -> Any:
    return tracing.lift(array)._broadcast_to(shape)


def _copy(tracing: Tracing, a: Any, order: str = "K", subok: bool = False) -> Any:
    return tracing.lift(a).copy()


def _full_like(
    tracing: Tracing, a: Any, fill_value: Any, dtype: Any = None, *rest: Any, **kwargs: Any
) -> Any:
    return _filled("np.full_like", tracing, a, fill_value, dtype, *rest, **kwargs)


def _zeros_like(tracing: Tracing, a: Any, dtype: Any = None, *rest: Any, **kwargs: Any) -> Any:
    return _filled("np.zeros_like", tracing, a, 0, dtype, *rest, **kwargs)


def _ones_like(tracing: Tracing, a: Any, dtype: Any = None, *rest: Any, **kwargs: Any) -> Any:
    return _filled("np.ones_like", tracing, a, 1, dtype, *rest, **kwargs)


def _filled(
    name: str,
    tracing: Tracing,
    a: Any,
    value: Any,
    dtype: Any,
    order: Any = "K",
    subok: Any = True,
    shape: Any = None,
    **kwargs: Any,
) -> Any:
    check_keywords(name, {"order": order, "subok": subok, "shape": shape, **kwargs})
    return tracing.lift(a)._filled_like(value, dtype)


def _shape(tracing: Tracing, a: Any) -> Any:
    return tracing.lift(a).shape


def _ndim(tracing: Tracing, a: Any) -> Any:
    return tracing.lift(a).ndim


def _size(tracing: Tracing, a: Any, axis: Any = None) -> Any:
    value = tracing.lift(a)
    return value.size if axis is None else value.shape[axis]


def _result_type(tracing: Tracing, *operands: Any) -> Any:
    return np.result_type(*map(tracing.dtype_like, operands))


FUNCTIONS: dict[Callable[..., Any], Callable[..., Any]] = {
    np.where: _where,
    np.clip: _clip,
    np.round: _round,
    np.around: _round,
    np.astype: _astype,
    np.broadcast_to: _broadcast_to,
    np.copy: _copy,
    np.full_like: _full_like,
    np.zeros_like: _zeros_like,
    np.ones_like: _ones_like,
    np.shape: _shape,
    np.ndim: _ndim,
    np.size: _size,
    np.result_type: _result_type,
    **VIEW_FUNCTIONS,
}
"""Each NumPy function that is no ufunc but traces."""
