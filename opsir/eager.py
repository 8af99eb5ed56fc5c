"""Every op as a function: ``opsir.add(a, b, out=None)`` and its kin.

Owns the public names of ops: those of the dialect, those of NumPy's ufuncs, and a few aliases. A
call with traced values records the op, any other runs it compiled. Knows no op's meaning.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from types import FunctionType
from typing import Any, Protocol

import numpy as np

from opsir.diagnostics import OpsirTypeError, fail
from opsir.dialects.opsir import BY_NAME
from opsir.dtypes import DType
from opsir.frontends.inlining import TRACED
from opsir.frontends.options import JitOptions
from opsir.frontends.places import user_location
from opsir.frontends.shapes import checked_axes
from opsir.frontends.values import as_array, as_dtype
from opsir.runtime.jit import Jitted

_OPTIONS = JitOptions()


class Unary(Protocol):
    """An elementwise function of one array or number."""

    def __call__(self, x: Any, /, out: Any = None) -> Any: ...


class Binary(Protocol):
    """An elementwise function of two arrays or numbers, broadcast against each other."""

    def __call__(self, x1: Any, x2: Any, /, out: Any = None) -> Any: ...


class Ternary(Protocol):
    """An elementwise function of three arrays or numbers, broadcast against each other."""

    def __call__(self, x1: Any, x2: Any, x3: Any, /, out: Any = None) -> Any: ...


def _record(op: str, operands: tuple[Any, ...], out: Any) -> Any:
    if out is not None:
        _refuse_out(op)
    traced = next(o for o in operands if type(o) in TRACED)
    return traced._trace.apply(op, *operands)


def _refuse_out(op: str) -> None:
    fail(
        f"opsir.{op} takes no out= in a traced function; return the new value, and give out= to "
        "the compiled function",
        user_location(),
        OpsirTypeError,
    )


def _named(function: Callable[..., Any], op: str, signature: str) -> None:
    function.__name__ = function.__qualname__ = op
    first, _, rest = (BY_NAME[op].__doc__ or "").partition("\n")
    function.__doc__ = (
        f"{first}\n{rest}\n\n``{op}({signature}, out=None)`` takes arrays of any shapes that "
        "broadcast, NumPy scalars, Python numbers and sequences, and returns an array, or a NumPy "
        "scalar where no operand has an axis."
    )


def _unary(op: str) -> Unary:
    def function(x: Any, /, out: Any = None) -> Any:
        if type(x) in TRACED:
            return _record(op, (x,), out)
        return compiled(x, out=out)

    def traced(x: Any) -> Any:
        return _record(op, (x,), None)

    compiled = _compiled(traced, op)
    _named(function, op, "x")
    return function


def _binary(op: str) -> Binary:
    def function(x1: Any, x2: Any, /, out: Any = None) -> Any:
        if type(x1) in TRACED or type(x2) in TRACED:
            return _record(op, (x1, x2), out)
        return compiled(x1, x2, out=out)

    def traced(x1: Any, x2: Any) -> Any:
        return _record(op, (x1, x2), None)

    compiled = _compiled(traced, op)
    _named(function, op, "x1, x2")
    return function


def _ternary(op: str) -> Ternary:
    def function(x1: Any, x2: Any, x3: Any, /, out: Any = None) -> Any:
        if type(x1) in TRACED or type(x2) in TRACED or type(x3) in TRACED:
            return _record(op, (x1, x2, x3), out)
        return compiled(x1, x2, x3, out=out)

    def traced(x1: Any, x2: Any, x3: Any) -> Any:
        return _record(op, (x1, x2, x3), None)

    compiled = _compiled(traced, op)
    _named(function, op, "x1, x2, x3")
    return function


def _compiled(traced: Callable[..., Any], name: str) -> Jitted:
    traced.__name__ = name
    return Jitted(traced, _OPTIONS)


# Arithmetic.
add = _binary("add")
subtract = sub = _binary("sub")
multiply = mul = _binary("mul")
divide = true_divide = div = _binary("div")
floor_divide = div_floor = divide_floor = _binary("div_floor")
div_trunc = divide_trunc = _binary("div_trunc")
remainder = mod = _binary("mod")
fmod = rem = _binary("rem")
power = pow = _binary("pow")
negative = neg = _unary("neg")
positive = _unary("positive")
absolute = abs = _unary("abs")
sign = _unary("sign")
square = _unary("square")
sqrt = _unary("sqrt")
rsqrt = _unary("rsqrt")
reciprocal = _unary("reciprocal")
fma = _ternary("fma")

# The smaller and the larger.
minimum = _binary("minimum")
maximum = _binary("maximum")
fmin = _binary("fmin")
fmax = _binary("fmax")
clip = _ternary("clip")

# Comparisons, logic and bits.
equal = eq = _binary("eq")
not_equal = ne = _binary("ne")
less = lt = _binary("lt")
less_equal = le = _binary("le")
greater = gt = _binary("gt")
greater_equal = ge = _binary("ge")
logical_and = _binary("logical_and")
logical_or = _binary("logical_or")
logical_xor = _binary("logical_xor")
logical_not = _unary("logical_not")
bitwise_and = _binary("bitwise_and")
bitwise_or = _binary("bitwise_or")
bitwise_xor = _binary("bitwise_xor")
invert = bitwise_not = bitwise_invert = _unary("bitwise_not")
left_shift = shift_left = bitwise_left_shift = _binary("shift_left")
right_shift = shift_right = bitwise_right_shift = _binary("shift_right")
where = _ternary("where")

# Rounding, predicates and floats.
floor = _unary("floor")
ceil = _unary("ceil")
trunc = _unary("trunc")
rint = _unary("rint")
round = _unary("round")
isnan = _unary("isnan")
isinf = _unary("isinf")
isfinite = _unary("isfinite")
signbit = _unary("signbit")
copysign = _binary("copysign")
hypot = _binary("hypot")
heaviside = _binary("heaviside")
nextafter = _binary("nextafter")

# Transcendental functions.
exp = _unary("exp")
exp2 = _unary("exp2")
expm1 = _unary("expm1")
log = _unary("log")
log2 = _unary("log2")
log10 = _unary("log10")
log1p = _unary("log1p")
sin = _unary("sin")
cos = _unary("cos")
tan = _unary("tan")
arcsin = asin = _unary("asin")
arccos = acos = _unary("acos")
arctan = atan = _unary("atan")
arctan2 = atan2 = _binary("atan2")
sinh = _unary("sinh")
cosh = _unary("cosh")
tanh = _unary("tanh")
arcsinh = asinh = _unary("asinh")
arccosh = acosh = _unary("acosh")
arctanh = atanh = _unary("atanh")
cbrt = _unary("cbrt")
erf = _unary("erf")
erfc = _unary("erfc")

# Activations.
sigmoid = _unary("sigmoid")
softplus = _unary("softplus")
relu = _unary("relu")
silu = _unary("silu")
gelu = _unary("gelu")
gelu_tanh = _unary("gelu_tanh")


def cast(x: Any, dtype: Any, out: Any = None) -> Any:
    """``x`` converted to ``dtype``, by name or as NumPy's dtype.

    Floats to integers truncate and saturate, NaN gives 0; integers wrap; floats round once.
    """
    target = as_dtype(dtype, user_location())
    if type(x) in TRACED:
        if out is not None:
            _refuse_out("cast")
        return x._trace.lift(x).astype(target)
    return _cast_to(target)(x, out=out)


@cache
def _cast_to(dtype: DType) -> Jitted:
    return _compiled(lambda x: x._trace.lift(x).astype(dtype), f"cast_to_{dtype.name}")


def broadcast_to(x: Any, shape: Any) -> Any:
    """``x`` repeated along new axes and axes of size 1, as a view; aligned on the right.

    In a traced function ``shape`` may hold sizes of traced arrays.
    """
    items = shape if isinstance(shape, tuple | list) else (shape,)
    trace = next((v._trace for v in (x, *items) if type(v) in TRACED), None)
    if trace is None:
        return np.broadcast_to(as_array(x, "x", user_location()), shape)
    return trace.lift(x)._broadcast_to(shape)


def align(x: Any, axes: Any, ndim: int) -> Any:
    """``x`` with its axes tied to ``axes`` of a space of ``ndim`` axes, as a view.

    All other axes have size 1, so ``align(v, 1, 4)`` lets a vector of shape (C,) meet an array of
    shape (N, C, H, W). ``axes`` holds one axis, in rising order, for each axis of ``x``.
    """
    if type(x) in TRACED:
        return x._trace.lift(x)._align(axes, ndim)
    location = user_location()
    array = as_array(x, "x", location)
    placed = checked_axes(axes, ndim, array.ndim, location)
    return np.expand_dims(array, tuple(a for a in range(ndim) if a not in placed))


PUBLIC: dict[str, Callable[..., Any]] = {
    name: value
    for name, value in list(globals().items())
    if not name.startswith("_") and isinstance(value, FunctionType) and value.__module__ == __name__
}
"""Every name by which ``opsir`` offers an op."""
