"""Functions: C's special values, accuracy against mpmath, and one rounding to narrow floats."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import mpmath
import numpy as np
import pytest

from opsir.dtypes import BF16, F16, F32, F64, DType
from opsir.evaluate import SUPPORTED, cast, evaluate
from opsir.evaluate.composites import COMPOSITES

Array = np.ndarray[Any, np.dtype[Any]]
Values = Callable[[DType], Array]

INF, NAN = math.inf, math.nan

DEFINITIONS: dict[str, Callable[[Any], Any]] = {
    "rsqrt": lambda x: 1 / mpmath.sqrt(x),
    "sigmoid": lambda x: 1 / (1 + mpmath.exp(-x)),
    "softplus": lambda x: mpmath.log1p(mpmath.exp(x)),
    "silu": lambda x: x / (1 + mpmath.exp(-x)),
    "gelu": lambda x: x * mpmath.erfc(-x / mpmath.sqrt(2)) / 2,
    "gelu_tanh": lambda x: (
        x / (1 + mpmath.exp(-2 * mpmath.sqrt(2 / mpmath.pi) * (x + mpmath.mpf("0.044715") * x**3)))
    ),
}

LIBRARY: dict[str, tuple[Callable[[Any], Any], float, float]] = {
    "exp": (mpmath.exp, -745, 709),
    "exp2": (lambda x: mpmath.mpf(2) ** x, -1074, 1023),
    "expm1": (mpmath.expm1, -40, 700),
    "log": (mpmath.log, 0, 1e10),
    "log2": (lambda x: mpmath.log(x) / mpmath.log(2), 0, 1e10),
    "log10": (mpmath.log10, 0, 1e10),
    "log1p": (mpmath.log1p, -1, 10),
    "sin": (mpmath.sin, -1e6, 1e6),
    "cos": (mpmath.cos, -1e6, 1e6),
    "tan": (mpmath.tan, -100, 100),
    "asin": (mpmath.asin, -1, 1),
    "acos": (mpmath.acos, -1, 1),
    "atan": (mpmath.atan, -50, 50),
    "sinh": (mpmath.sinh, -700, 700),
    "cosh": (mpmath.cosh, -700, 700),
    "tanh": (mpmath.tanh, -20, 20),
    "asinh": (mpmath.asinh, -1e5, 1e5),
    "acosh": (mpmath.acosh, 1, 1e5),
    "atanh": (mpmath.atanh, -1, 1),
    "cbrt": (lambda x: mpmath.sign(x) * mpmath.cbrt(abs(x)), -1e9, 1e9),
    "erf": (mpmath.erf, -6, 6),
    "erfc": (mpmath.erfc, -6, 26),
}

TAILS = {
    "rsqrt": [5e-324, 1e-310, 2.5e-308, 1.0, 3.999, 1e300],
    "sigmoid": [-745.1, -744.4, -709.5, -708.2, -38.0, 36.7, 710.0],
    "softplus": [-745.1, -744.4, -709.5, -708.2, -38.0, 36.7, 710.0],
    "silu": [-751.9, -745.1, -709.5, -700.3, -600.5, -599.5, -535.0, 710.0],
    "gelu": [-38.4, -38.3, -37.7, -37.4, -36.001, -35.999, -30.1, -8.3, -1.42, 8.3, 40.1],
    "gelu_tanh": [-21.9, -21.6, -21.5, -21.2, -20.3, -19.6, -8.1, 8.1, 40.1],
}


def distance(got: float, true: Any) -> float:
    """The error in units of the last place of the nearest f64, subnormal places included."""
    return float(abs(mpmath.mpf(got) - true) / mpmath.mpf(math.ulp(float(true))))


def worst(op: str, points: Array, definition: Callable[[Any], Any]) -> tuple[float, float]:
    """The largest error of the op in f64 over the points, and where it lies."""
    got = evaluate(op, [points], F64)
    with mpmath.workprec(200):
        errors = [
            (distance(y, definition(mpmath.mpf(x))), x)
            for x, y in zip(points.tolist(), got.tolist())
        ]
    return max(errors)


@pytest.mark.parametrize("op", COMPOSITES)
def test_activations_stay_within_four_ulp(op: str) -> None:
    generator = np.random.default_rng(7)
    lowest = 0 if op == "rsqrt" else -40 if op.startswith("gelu") else -750
    near = generator.uniform(max(lowest, -9), 9, 1200)
    far = generator.uniform(lowest, 60, 600)
    small = generator.uniform(0 if op == "rsqrt" else -1, 1, 60) * 2.0 ** -np.arange(0.0, 60.0)
    points = np.concatenate([near, far, small, TAILS[op]])
    error, where = worst(op, points, DEFINITIONS[op])
    assert error <= 4, where


@pytest.mark.parametrize("op", LIBRARY)
def test_the_library_is_within_its_bounds(op: str) -> None:
    definition, low, high = LIBRARY[op]
    points = np.random.default_rng(3).uniform(low, high, 60)
    error, where = worst(op, points, definition)
    assert error <= 5, where


@pytest.mark.parametrize("op", [*LIBRARY, *COMPOSITES])
@pytest.mark.parametrize("dtype", [F16, BF16, F32], ids=str)
def test_narrow_floats_round_the_double_once(
    op: str, dtype: DType, special_values: Values, random_values: Values
) -> None:
    x = np.concatenate([special_values(dtype), random_values(dtype)[:100]])
    expected = cast(evaluate(op, [cast(x, F64)], F64), dtype)
    got = evaluate(op, [x], dtype)
    assert got.dtype == dtype.numpy
    np.testing.assert_array_equal(cast(got, F64), cast(expected, F64))


SPECIAL: dict[str, list[tuple[float, float]]] = {
    "exp": [(-INF, 0), (INF, INF), (710, INF), (-746, 0), (NAN, NAN), (-0.0, 1)],
    "exp2": [(-INF, 0), (1024, INF), (-1074, 5e-324), (-1075, 0), (3, 8)],
    "expm1": [(-INF, -1), (INF, INF), (710, INF), (-0.0, -0.0)],
    "log": [(0, -INF), (-0.0, -INF), (-1, NAN), (INF, INF), (-INF, NAN), (1, 0)],
    "log2": [(0, -INF), (-1, NAN), (8, 3), (5e-324, -1074)],
    "log10": [(0, -INF), (-1, NAN), (1000, 3)],
    "log1p": [(-1, -INF), (-2, NAN), (-0.0, -0.0), (INF, INF)],
    "sin": [(INF, NAN), (-INF, NAN), (-0.0, -0.0)],
    "cos": [(INF, NAN), (-0.0, 1)],
    "tan": [(INF, NAN), (-0.0, -0.0)],
    "asin": [(1.5, NAN), (-0.0, -0.0), (1, math.pi / 2)],
    "acos": [(-1.5, NAN), (1, 0), (-1, math.pi)],
    "atan": [(INF, math.pi / 2), (-INF, -math.pi / 2), (-0.0, -0.0)],
    "sinh": [(711, INF), (-711, -INF), (-INF, -INF), (-0.0, -0.0)],
    "cosh": [(-711, INF), (-INF, INF), (-0.0, 1)],
    "tanh": [(INF, 1), (-INF, -1), (-0.0, -0.0)],
    "asinh": [(-INF, -INF), (-0.0, -0.0)],
    "acosh": [(0.5, NAN), (1, 0), (INF, INF), (-INF, NAN)],
    "atanh": [(1, INF), (-1, -INF), (1.5, NAN), (-0.0, -0.0)],
    "cbrt": [(-1, -1), (-INF, -INF), (-0.0, -0.0)],
    "erf": [(INF, 1), (-INF, -1), (-0.0, -0.0)],
    "erfc": [(INF, 0), (-INF, 2), (28, 0), (NAN, NAN)],
    "rsqrt": [(0.0, INF), (-0.0, -INF), (-1, NAN), (INF, 0), (4, 0.5)],
    "sigmoid": [(-INF, 0), (INF, 1), (-0.0, 0.5), (-1e308, 0), (NAN, NAN)],
    "softplus": [(-INF, 0), (INF, INF), (0, math.log(2)), (1e308, 1e308), (NAN, NAN)],
    "silu": [(-INF, -0.0), (INF, INF), (-0.0, -0.0), (-1e308, -0.0), (1e308, 1e308), (NAN, NAN)],
    "gelu": [(-INF, -0.0), (INF, INF), (-0.0, -0.0), (-1e308, -0.0), (1e308, 1e308), (NAN, NAN)],
    "gelu_tanh": [(-INF, -0.0), (INF, INF), (-0.0, -0.0), (-1e308, -0.0), (1e308, 1e308)],
}


@pytest.mark.parametrize("op", SPECIAL)
def test_special_values_of_one_operand(op: str) -> None:
    for x, expected in SPECIAL[op]:
        got = float(evaluate(op, [np.float64(x)], F64))
        np.testing.assert_array_equal(got, expected, err_msg=f"{op}({x})")
        if not math.isnan(expected):
            assert math.copysign(1, got) == math.copysign(1, expected), (op, x)


PAIRS: dict[str, list[tuple[float, float, float]]] = {
    "pow": [
        *((0.0, -3, INF), (-0.0, -3, -INF), (-0.0, -2, INF), (-0.0, -2.5, INF), (-0.0, 3, -0.0)),
        *((-1, INF, 1), (-1, -INF, 1), (1, NAN, 1), (NAN, 0.0, 1), (-0.0, INF, 0)),
        *((0.5, -INF, INF), (2, -INF, 0), (-INF, -3, -0.0), (-INF, 3, -INF), (-INF, 2, INF)),
        *((-8, 1 / 3, NAN), (2, 1024, INF), (-2, 1025, -INF), (2, -1075, 0), (NAN, 1, NAN)),
    ],
    "hypot": [(INF, NAN, INF), (NAN, -INF, INF), (3, 4, 5), (1e308, 1e308, math.sqrt(2) * 1e308)],
    "atan2": [
        *((0.0, -0.0, math.pi), (-0.0, -0.0, -math.pi), (-0.0, 0.0, -0.0), (0.0, 0.0, 0.0)),
        *((INF, INF, math.pi / 4), (INF, -INF, 3 * math.pi / 4), (1, -INF, math.pi)),
    ],
}


@pytest.mark.parametrize("op", PAIRS)
def test_special_values_of_two_operands(op: str) -> None:
    for x, y, expected in PAIRS[op]:
        got = float(evaluate(op, [np.float64(x), np.float64(y)], F64))
        np.testing.assert_array_equal(got, expected, err_msg=f"{op}({x}, {y})")
        if not math.isnan(expected):
            assert math.copysign(1, got) == math.copysign(1, expected), (op, x, y)


def test_steps_use_primitive_ops_and_earlier_results_only() -> None:
    primitive = (SUPPORTED - COMPOSITES.keys()) - {"cast", "relu", "square"}
    for steps in COMPOSITES.values():
        known = {"x"}
        for step in steps:
            assert step.op in primitive
            assert {arg for arg in step.args if isinstance(arg, str)} <= known
            assert step.result not in known
            known.add(step.result)
        used = {arg for step in steps for arg in step.args}
        assert known - used == {steps[-1].result}
