"""Which callables can be jitted, and what is said about the others."""

from __future__ import annotations

import functools
import operator
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import opsir
from opsir.diagnostics import OpsirTypeError

A = np.array([-1.5, 0.25, 3], np.float32)
B = np.array([2, 3, 4], np.int32)


@pytest.mark.parametrize(
    ("function", "arguments"),
    [
        (np.add, (A, B)),
        (np.exp, (A,)),
        (np.divmod, (A, B)),
        (np.where, (A > 0, A, B)),
        (operator.sub, (A, B)),
        (abs, (A,)),
        (functools.partial(operator.sub, 1), (A,)),
    ],
)
def test_ready_made_functions(function: Callable[..., Any], arguments: tuple[Any, ...]) -> None:
    result, expected = opsir.jit(function)(*arguments), function(*arguments)
    for one, two in zip(np.atleast_2d(result), np.atleast_2d(expected), strict=True):
        np.testing.assert_array_max_ulp(one, np.asarray(two, one.dtype), 1)
    assert np.asarray(result).dtype == np.asarray(expected).dtype


def test_functions_of_opsir() -> None:
    assert np.array_equal(opsir.jit(opsir.add)(A, B), A + B)
    assert np.array_equal(opsir.jit(opsir.where)(A > 0, A, B), np.where(A > 0, A, B))
    out = np.empty_like(A)
    assert opsir.jit(opsir.negative)(A, out=out) is out
    assert np.array_equal(out, -A)


def test_out_may_be_the_last_parameter_as_numpy_has_it() -> None:
    @opsir.jit
    def doubled(x: Any, out: Any = None) -> Any:
        assert out is None
        return x * 2

    out = np.empty_like(A)
    assert doubled(A, out=out) is out
    assert np.array_equal(out, A * 2)
    assert np.array_equal(doubled(A), A * 2)
    with pytest.raises(OpsirTypeError, match="too many positional arguments"):
        doubled(A, out)


@pytest.mark.parametrize(
    ("function", "message"),
    [
        (max, "'max' does not tell Python its parameters: jit a function that calls it"),
        (int, "'int' does not tell Python its parameters"),
        (np.clip, "'clip' has *args, **kwargs or keyword-only parameters"),
        (np.sum, "'sum' has a parameter 'out', by which a call says where results go"),
        (lambda x, out: x + out, "'<lambda>' has a parameter 'out'"),
        (lambda x, out=2: x + out, "'<lambda>' has a parameter 'out'"),
        (lambda *x: x[0], "'<lambda>' has *args, **kwargs or keyword-only parameters"),
        (lambda x, *, y=1: x + y, "'<lambda>' has *args, **kwargs or keyword-only parameters"),
        (functools.partial(lambda x, y: x + y, y=1), "'partial' has *args, **kwargs or keyword"),
    ],
)
def test_what_cannot_be_jitted(function: Callable[..., Any], message: str) -> None:
    with pytest.raises(OpsirTypeError) as caught:
        opsir.jit(function)(A)
    assert message in caught.value.detail
    assert caught.value.location is not None
    assert caught.value.location.file == __file__
