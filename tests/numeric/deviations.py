"""Where opsir and NumPy give different results on purpose, each difference stated once.

Owns the table from which docs/deviations.md is written. Test data that differs anywhere else fails,
and so does an entry that nothing needs any more.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from opsir.dtypes import ALL, BF16, DType, from_numpy
from opsir.evaluate import cast
from tests.numeric.cases import Case
from tests.numeric.values import Array

Elements = Callable[[Case, Sequence[Array]], Array]
"""Which elements may differ, given the operands in the dtypes in which the op computes."""


def _everywhere(case: Case, operands: Sequence[Array]) -> Array:
    return np.ones(operands[0].shape, np.bool_)


@dataclass(frozen=True, slots=True)
class Deviation:
    """One difference: what, why, one call that shows it, and the elements that it covers.

    ``example`` is an expression over NumPy's function names and the dtype names; it is evaluated
    once with NumPy's functions and once with opsir's. ``ops`` is empty where values are equal and
    only dtypes, warnings or errors differ: then the example alone must show the difference.
    """

    title: str
    explanation: str
    example: str
    ops: frozenset[str] = frozenset()
    dtypes: Callable[[Case, Sequence[DType]], bool] = lambda case, computed: True
    elements: Elements = _everywhere

    def covers(self, case: Case, operands: Sequence[Array]) -> Array:
        """The elements of a case that this entry allows to differ."""
        rows = [from_numpy(x.dtype) for x in operands]
        computed = [row for row in rows if row is not None]
        if case.op in self.ops and self.dtypes(case, computed):
            with np.errstate(invalid="ignore"):
                return self.elements(case, operands)
        return np.zeros(operands[0].shape, np.bool_)


def _last_is_float(case: Case, computed: Sequence[DType]) -> bool:
    return computed[-1].is_float


def _zeros(case: Case, operands: Sequence[Array]) -> Array:
    """Where a zero can meet a zero of the other sign."""
    zero = [np.equal(x, 0) for x in operands]
    if len(zero) == 2:
        return zero[0] & zero[1]
    return (zero[0] & (zero[1] | zero[2])) | (zero[1] & zero[2])


def _first_is_zero(case: Case, operands: Sequence[Array]) -> Array:
    return np.equal(operands[0], 0)


def _out_of_range(case: Case, computed: Sequence[DType]) -> bool:
    target = case.target
    return computed[0].is_float and target is not None and target.is_integer


def _outside_target(case: Case, operands: Sequence[Array]) -> Array:
    target = case.target
    assert target is not None
    whole = np.trunc(operands[0].astype(np.float64))
    inside = np.greater_equal(whole, float(target.min)) & np.less(whole, float(target.max + 1))
    return ~inside


def _rounds_twice(case: Case, computed: Sequence[DType]) -> bool:
    return case.target is BF16 and computed[0].bits >= 32 and computed[0].name != "f32"


DEVIATIONS: tuple[Deviation, ...] = (
    Deviation(
        "Signed zeros in minimum, maximum, fmin, fmax and clip",
        "opsir orders -0 before +0, as IEEE 754-2019 does, in every lane and for every layout. "
        "NumPy returns either zero, depending on the dtype and the position.",
        "maximum(f32([0.0]), f32([-0.0]))",
        frozenset({"minimum", "maximum", "fmin", "fmax", "clip"}),
        _last_is_float,
        _zeros,
    ),
    Deviation(
        "The sign of negative zero",
        "sign(-0) is +0 for every float; NumPy keeps -0 for bfloat16 only.",
        "sign(bf16([-0.0]))",
        frozenset({"sign"}),
        lambda case, computed: computed[0] is BF16,
        _first_is_zero,
    ),
    Deviation(
        "The neighbour of a zero in the direction of the other zero, in float16",
        "nextafter(x, y) is y where the two are equal, as C defines it; NumPy returns x for "
        "float16 and y for the other floats.",
        "nextafter(f16([0.0]), f16([-0.0]))",
        frozenset({"nextafter"}),
        lambda case, computed: computed[0].name == "f16",
        _zeros,
    ),
    Deviation(
        "The reciprocal of integer zero",
        "It is 0 and raises the flag of an integer division by zero, like 1 // 0; NumPy converts "
        "an infinity, whose value depends on the width.",
        "reciprocal(i32([0]))",
        frozenset({"reciprocal"}),
        lambda case, computed: computed[0].is_integer,
        _first_is_zero,
    ),
    Deviation(
        "Wide numbers to bfloat16",
        "opsir rounds once to nearest even; ml_dtypes rounds to float32 first, which loses what "
        "decides a tie.",
        "cast(f64([1.00390625000001]), bf16)",
        frozenset({"cast"}),
        _rounds_twice,
    ),
    Deviation(
        "Floats out of range, and NaN, to integers",
        "opsir saturates and turns NaN into 0, in every lane, for every layout and on every "
        "machine. In NumPy the value depends on all three.",
        "cast(f32([300.7, -1.5, float('nan')]), u8)",
        frozenset({"cast"}),
        _out_of_range,
        _outside_target,
    ),
    Deviation(
        "clip on bfloat16",
        "bfloat16 clipped by bfloat16 is bfloat16; NumPy has no such loop and computes in float32.",
        "clip(bf16([1.0]), bf16([0.0]), bf16([2.0])).dtype",
    ),
    Deviation(
        "where on bfloat16 beside another dtype",
        "opsir promotes bfloat16 as in every other operation; NumPy finds no common dtype and "
        "raises.",
        "where(b([True]), bf16([1.0]), i32([2])).dtype",
    ),
    Deviation(
        "bfloat16 with a Python float",
        "A Python float is weak beside every float dtype, bfloat16 included; ml_dtypes promotes "
        "to float32.",
        "add(bf16([1.0]), 0.5).dtype",
    ),
    Deviation(
        "Casting float16 to bfloat16 and back by same_kind",
        "Both directions are allowed, as between all other floats; ml_dtypes allows only float16 "
        "to bfloat16.",
        "add(bf16([1.0]), bf16([1.0]), out=f16([0.0])).dtype",
    ),
    Deviation(
        "Powers with one exponent for all elements",
        "x ** s is the IEEE power whatever the layout of s. NumPy's operator computes some scalar "
        "exponents by other functions: 0.5 by sqrt, which differs at -0 and -infinity.",
        "power_operator(f32([-0.0, float('-inf')]), 0.5)",
    ),
    Deviation(
        "Python integers out of range in where",
        "The call is an OverflowError, as in every other operation; NumPy wraps the number.",
        "where(b([False]), i8([1]), 300)",
    ),
    Deviation(
        "The smallest integer divided by -1",
        "The quotient wraps silently, like every other integer overflow; NumPy warns.",
        "floor_divide(i32([-2147483648]), i32([-1]))",
    ),
    Deviation(
        "Floating-point warnings",
        "Dividing by zero, overflow and invalid operations on floats are silent and np.errstate is "
        "not read.",
        "true_divide(f32([1.0]), f32([0.0]))",
    ),
)


class _Maker:
    """A dtype's name in an example: called it makes an array, given to cast it is the dtype."""

    def __init__(self, row: DType) -> None:
        self.row = row

    def __call__(self, values: Sequence[Any]) -> Array:
        return cast(np.array(values), self.row)


MAKERS: dict[str, _Maker] = {"b" if d.is_logical else d.name: _Maker(d) for d in ALL}


def outcome(example: str, functions: Mapping[str, Any]) -> str:
    """What evaluating an example gives: its value, and its warnings or the error it raises."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        try:
            value: Any = eval(example, {**MAKERS, **functions, "float": float})
        except Exception as error:
            return _builtin_name(error)
    said = sorted({f"{w.category.__name__}: {w.message}" for w in caught})
    text = f"{value.tolist()} {value.dtype}" if isinstance(value, np.ndarray) else str(value)
    return "; ".join([text, *said])


def _builtin_name(error: Exception) -> str:
    """The nearest exception class that Python itself defines."""
    return next(c.__name__ for c in type(error).__mro__ if c.__module__ == "builtins")
