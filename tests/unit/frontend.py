"""Helpers of the front end's tests: argument specs, one-line traces, and located refusals."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from typing import Any

import pytest

from opsir.diagnostics import OpsirError, OpsirTypeError
from opsir.dtypes import BOOL, F32, I32
from opsir.frontends.options import JitOptions
from opsir.frontends.records import ArgSpec, OutSpec, Program
from opsir.frontends.tracer import trace

MATRIX = ArgSpec("array", F32, 2)
VECTOR = ArgSpec("array", F32, 1)
INTS = ArgSpec("array", I32, 1)
MASK = ArgSpec("array", BOOL, 2)
SCALAR = ArgSpec("scalar", F32)
INT = ArgSpec("weak_int")
FLOAT = ArgSpec("weak_float")

MARK = "# <- refused"
"""Marks the line at which a function under test is refused; without it that is its first line."""


def traced(
    function: Callable[..., Any], *specs: ArgSpec, outs: tuple[OutSpec, ...] = (), **options: Any
) -> Program:
    """Trace on a matrix, or on what ``specs`` says."""
    return trace(function, specs or (MATRIX,), JitOptions.of(**options), outs)


def ops(program: Program) -> list[str]:
    """The records as text, without the numbers of values."""
    return [str(record) for record in program.records]


def refused(
    function: Callable[..., Any],
    message: str,
    *specs: ArgSpec,
    error: type[OpsirError] = OpsirTypeError,
    **options: Any,
) -> None:
    """Tracing fails with exactly this class, this text in the message, at the marked line."""
    with pytest.raises(error) as caught:
        traced(function, *specs, **options)
    assert type(caught.value) is error
    assert message in caught.value.detail
    where = caught.value.location
    assert where is not None
    assert (where.file, where.line) == (_file_of(function), _expected_line(function))


def _file_of(function: Callable[..., Any]) -> str | None:
    return inspect.getsourcefile(function)


def _expected_line(function: Callable[..., Any]) -> int:
    first = function.__code__.co_firstlineno
    if function.__name__ == "<lambda>":
        return first
    lines, _ = inspect.getsourcelines(function)
    return first + next((n for n, text in enumerate(lines) if MARK in text), 0)
