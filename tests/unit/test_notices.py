"""Copies, temporaries and general paths are named with their reasons, and refused on request."""

from __future__ import annotations

import logging
import warnings
from typing import Any

import numpy as np
import pytest

import opsir
from opsir import CopyWarning, OpsirValueError

A = np.arange(12, dtype=np.float32).reshape(3, 4)


def two_kernels(a: Any, r: Any) -> Any:
    return np.exp(r) * a - r


def logged(caplog: pytest.LogCaptureFixture, function: Any, *args: Any, **kwargs: Any) -> list[str]:
    caplog.clear()
    with caplog.at_level(logging.INFO, "opsir"):
        function(*args, **kwargs)
    return [record.getMessage() for record in caplog.records if record.name == "opsir"]


def test_a_plain_call_says_nothing(caplog: pytest.LogCaptureFixture) -> None:
    f = opsir.jit(copies="error")(lambda a, b: a + b)
    x = A.copy()
    for _ in range(2):
        assert logged(caplog, f, A, A[0]) == []
        assert logged(caplog, f, x, A, out=x) == []
        assert logged(caplog, f, A, np.ones((4, 1, 1), np.float32)) == []


def test_copies_of_results_are_named(caplog: pytest.LogCaptureFixture) -> None:
    f = opsir.jit(lambda a, b: a + b)
    d = np.arange(9, dtype=np.float64)
    text = "the result is computed beside it and copied, 64 bytes"
    for _ in range(2):
        said = logged(caplog, f, np.ones(8), d[1:], out=d[:-1])
        assert said == [f"out= overlaps argument 1: {text}"]
    both = opsir.jit(lambda a: (a + 1, a + 2))
    said = logged(caplog, both, np.ones(8), out=(d[1:], d[:-1]))
    assert said == [f"out= for result 1 shares memory with result 0: {text}"]
    later = opsir.jit(lambda a, r: (r - 1, a * r))
    row = np.ones(4, np.float32)
    said = logged(caplog, later, A, row, out=(row, A.copy()))
    assert said == [
        "out= for result 0 lies over argument 1, which is read again: "
        "the result is computed beside it and copied, 16 bytes"
    ]


def test_temporaries_sequences_and_steps_are_named(caplog: pytest.LogCaptureFixture) -> None:
    f = opsir.jit(two_kernels)
    for _ in range(2):
        assert logged(caplog, f, A, A[0]) == [
            "kernel 0 of 'two_kernels' keeps a value that a later kernel reads in a temporary, "
            "16 bytes"
        ]

    @opsir.jit
    def negate(a: Any) -> Any:
        return -a

    said = logged(caplog, negate, [1.0, 2.0])
    assert said == ["argument 'a' is a list: it is copied into an array, 16 bytes"]
    for _ in range(2):
        assert logged(caplog, negate, A[:, ::2][:, :1].reshape(3)) == [
            "kernel 0 of 'negate' reads argument 0 in steps of 16 bytes: "
            "its elements are not side by side"
        ]
        assert logged(caplog, negate, A[0, :2], out=A.copy()[0, ::2]) == [
            "kernel 0 of 'negate' writes result 0 in steps of 8 bytes: "
            "its elements are not side by side"
        ]


@pytest.mark.parametrize("kind", ["overlap", "temporary", "list"])
def test_they_become_warnings_or_errors(kind: str) -> None:
    memory = np.arange(13, dtype=np.float32)
    call = {
        "overlap": lambda f: f(memory[1:], memory[1:], out=memory[:-1]),
        "temporary": lambda f: f(A, A[0]),
        "list": lambda f: f([1.0, 2.0], 1.0),
    }[kind]
    function = two_kernels if kind == "temporary" else lambda a, b: a + b
    warning, refusing = opsir.jit(copies="warn")(function), opsir.jit(copies="error")(function)
    for _ in range(2):
        with pytest.raises(OpsirValueError, match="bytes: refused by copies='error'") as caught:
            call(refusing)
        assert caught.value.location is not None
        assert caught.value.location.file == __file__
        assert np.array_equal(memory, np.arange(13))
    for _ in range(2):
        with warnings.catch_warnings(record=True) as said:
            warnings.simplefilter("always")
            call(warning)
        assert [w.category for w in said] == [CopyWarning]
        assert said[0].filename == __file__


def test_programs_from_text_say_it_too(caplog: pytest.LogCaptureFixture) -> None:
    text = """
    func.func @f(%x: tensor<8xf64>) -> tensor<8xf64> {
      %y = opsir.add %x, %x : (tensor<8xf64>, tensor<8xf64>) -> tensor<8xf64>
      func.return %y : tensor<8xf64>
    }"""
    d = np.arange(9.0)
    said = logged(caplog, opsir.compile(text), d[1:], out=d[:-1])
    assert said[0].startswith("out= overlaps argument 0: ")
    with pytest.raises(OpsirValueError, match="refused by copies='error'"):
        opsir.compile(text, copies="error")(d[1:], out=d[:-1])
