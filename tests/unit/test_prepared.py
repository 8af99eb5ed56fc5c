"""Calls of equal geometry: the short way gives what the long way gave."""

from __future__ import annotations

from typing import Any

import numpy as np

import opsir

A = np.arange(3, dtype=np.float32)
B = np.full(3, 7, np.float32)


def test_defaults_are_applied_every_time() -> None:
    @opsir.jit
    def scaled(x: Any, y: Any = 2) -> Any:
        return x * y

    for _ in range(3):
        assert scaled(A).tolist() == [0, 2, 4]
        assert scaled(A, 3).tolist() == [0, 3, 6]


def test_an_argument_is_not_taken_for_an_output() -> None:
    @opsir.jit
    def scaled(x: Any, y: Any = 2) -> Any:
        return x * y

    for _ in range(3):
        out = B.copy()
        assert scaled(A, B).tolist() == [0, 7, 14]
        assert scaled(A, out=out) is out
        assert out.tolist() == [0, 2, 4]


def test_out_as_a_tuple_is_what_numpy_makes_of_it() -> None:
    single, several = opsir.jit(lambda x: x + 1), opsir.jit(lambda x: (x + 1, x * 2))
    one, two = np.empty_like(A), np.empty_like(A)
    for _ in range(2):
        assert single(A, out=(one,)) is one
        assert opsir.negative(A, out=(two,)) is two
        found = several(A, out=[one, two])
        assert isinstance(found, tuple)
        assert found[0] is one
        assert found[1] is two
