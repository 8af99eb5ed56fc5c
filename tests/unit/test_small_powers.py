"""Powers with a small integer exponent: products in f64, the same however they are written."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import ml_dtypes
import numpy as np
import pytest

import opsir
from opsir.dtypes import F32, F64, DType, from_numpy
from opsir.evaluate import evaluate
from opsir.evaluate.composites import POWERS

SPECIAL = [0.0, -0.0, np.inf, -np.inf, np.nan, 1e-45, -1e-45, 3.4e38, -1.0, 1.0]


def same(one: Any, other: Any) -> bool:
    bits = f"u{one.dtype.itemsize}"
    equal = one.view(bits) == other.view(bits)
    return bool(np.all(equal | (np.isnan(one) & np.isnan(other))))


def _row(x: Any) -> DType:
    found = from_numpy(x.dtype)
    assert found is not None
    return found


def sample(dtype: Any) -> Any:
    numbers = np.random.default_rng(7).normal(0, 4, 3000)
    with np.errstate(over="ignore"):
        return np.concatenate([numbers, SPECIAL]).astype(dtype)


@pytest.mark.parametrize("exponent", POWERS)
@pytest.mark.parametrize("dtype", [np.float16, ml_dtypes.bfloat16, np.float32, np.float64])
def test_literal_and_run_time_exponents_agree_with_the_semantics(exponent: int, dtype: Any) -> None:
    x = sample(dtype)
    with np.errstate(all="ignore"):
        wanted = evaluate("pow", [x, np.full_like(x, exponent)], _row(x))
        literal = opsir.jit(eval(f"lambda x: x ** {exponent}"))(x)
    assert same(literal, wanted)
    assert same(opsir.power(x, exponent), wanted)
    assert same(opsir.power(x, np.full_like(x, exponent)), wanted)


@pytest.mark.parametrize("exponent", POWERS)
def test_powers_of_f32_are_the_exact_ones_rounded_once(exponent: int) -> None:
    x = sample(np.float32)
    x = x[np.isfinite(x) & (np.abs(x) > 1e-3)][:500]
    found = evaluate("pow", [x, np.full_like(x, exponent)], F32)
    for base, value in zip(x.tolist(), found, strict=True):
        exact = Fraction(base) ** exponent
        below, above = (np.nextafter(value, np.float32(side)) for side in (-np.inf, np.inf))
        gap = abs(Fraction(float(value)) - exact)
        assert gap <= min(abs(Fraction(float(n)) - exact) for n in (below, above))


def test_a_square_of_f64_is_the_product() -> None:
    x = sample(np.float64)
    with np.errstate(all="ignore"):
        assert same(opsir.jit(lambda x: x**2)(x), x * x)
        assert same(opsir.jit(lambda x: x**-1)(x), 1 / x)
    assert evaluate("pow", [np.float64(0.1), np.float64(2)], F64) == 0.1 * 0.1


@pytest.mark.parametrize("exponent", POWERS)
def test_no_function_is_called(exponent: int) -> None:
    power: Any = opsir.jit(eval(f"lambda x: x ** {exponent}"))
    assert "@pow" not in power.lower(np.ones(9, np.float32)).llvm()
