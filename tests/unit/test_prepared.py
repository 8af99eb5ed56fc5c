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
