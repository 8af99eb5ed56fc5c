"""Sizes that a function states, in a shape or a contract, against those of each call."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import opsir
from opsir import OpsirValueError

A = np.arange(12, dtype=np.float32).reshape(3, 4)


@pytest.mark.parametrize("shape", [(2, 4), (50, 4), (3, 5), (7, 2, 4)])
def test_a_stated_shape_is_compared_at_each_call(shape: tuple[int, ...]) -> None:
    """Compiled for the stated size, the kernel would read what lies behind a smaller array."""

    @opsir.jit
    def f(x: Any) -> Any:
        return opsir.broadcast_to(x + x, shape)

    with pytest.raises(OpsirValueError, match=r"shape \[3, 4\].* asks for size") as caught:
        f(A)
    assert caught.value.location is not None
    fitting = np.ones(shape[-2:], np.float32)
    assert np.array_equal(f(fitting), np.broadcast_to(fitting + fitting, shape))
    with pytest.raises(OpsirValueError, match=r"operand 0 has shape \[3, 4\]"):
        opsir.plan(f, A)


def test_the_shape_of_a_captured_array_is_compared() -> None:
    f = opsir.jit(lambda x: np.broadcast_to(x, A.shape))
    assert np.array_equal(f(A), A)
    with pytest.raises(OpsirValueError, match="asks for size 3 on axis 0"):
        f(A[:2])


@pytest.mark.parametrize("contract", ["(2,c)->(2,c)", "(50,c)->(50,c)", "(n,1)->(n,1)", "(0,c)"])
def test_integers_of_a_contract_are_compared(contract: str) -> None:
    f = opsir.jit(contract=contract)(lambda x: x + 1)
    with pytest.raises(OpsirValueError, match="a shape or a contract in the function asks for"):
        f(A)


def test_integers_of_a_contract_that_fit() -> None:
    f = opsir.jit(contract="(3,c),(1,c)->(3,c)")(lambda x, y: x + y)
    assert np.array_equal(f(A, A[:1]), A + A[:1])
    with pytest.raises(OpsirValueError, match=r"argument #1 .* expected \(1,c\)"):
        f(A, A)
