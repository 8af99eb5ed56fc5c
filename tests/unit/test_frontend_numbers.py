"""Python numbers in traced functions: Python computes them at each call, exactly as it would."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import opsir
from opsir.diagnostics import (
    OpsirOverflowError,
    OpsirTypeError,
    OpsirValueError,
    OpsirZeroDivisionError,
)
from opsir.dtypes import BOOL, F64, I64
from opsir.frontends.records import ArgSpec, Input
from tests.unit.frontend import FLOAT, INT, MATRIX, VECTOR, ops, refused, traced

NUMBERS: list[Callable[[Any, Any], Any]] = [
    lambda a, b: a + b,
    lambda a, b: a - b,
    lambda a, b: a * b,
    lambda a, b: a / b,
    lambda a, b: a // b,
    lambda a, b: a % b,
    lambda a, b: a**b,
    lambda a, b: divmod(a, b)[1],
    lambda a, b: -a + abs(b),
    lambda a, b: +a,
    lambda a, b: 7 - a,
    lambda a, b: 2.5 / b,
    lambda a, b: a == b,
    lambda a, b: (a < b) | (a >= 2 * b),
    lambda a, b: (a <= b) + (a > b) + (a != b),
    lambda a, b: True + a,
]
INTEGERS: list[Callable[[Any, Any], Any]] = [
    lambda a, b: a & b,
    lambda a, b: a | 1,
    lambda a, b: 6 ^ b,
    lambda a, b: ~a,
    lambda a, b: a << b,
    lambda a, b: a >> b,
    lambda a, b: a**-2,
]


def _derived(function: Callable[..., Any], *arguments: Any) -> Any:
    """The value of the one hidden argument that the number becomes beside an array."""
    specs = [INT if type(a) is int else FLOAT for a in arguments]
    program = traced(lambda x, *numbers: x * function(*numbers), MATRIX, *specs)
    hidden = program.hidden_values([np.ones((1, 1)), *arguments])
    return hidden[0] if hidden else arguments[0]


@pytest.mark.parametrize("function", NUMBERS)
@pytest.mark.parametrize("pair", [(7, 2), (-7, 3), (7.5, 2), (-7.25, 0.1), (3, 2.5)])
def test_arithmetic_is_pythons(function: Callable[[Any, Any], Any], pair: tuple[Any, Any]) -> None:
    expected = function(*pair)
    if isinstance(expected, complex):
        return
    found = _derived(function, *pair)
    assert found == expected
    assert type(found) is (np.bool_ if type(expected) is bool else type(expected))


@pytest.mark.parametrize("function", INTEGERS)
@pytest.mark.parametrize("pair", [(7, 2), (-7, 3), (10**30, 5)])
def test_integers_are_unbounded(function: Callable[[Any, Any], Any], pair: tuple[Any, Any]) -> None:
    assert _derived(function, *pair) == function(*pair)


@pytest.mark.parametrize(("a", "b"), [(7, 2), (-7, 2), (7, -2), (-7, -2), (6, 3), (10**30, -7)])
def test_rules_c_divide_as_c_does(a: int, b: int) -> None:
    program = traced(lambda x, a, b: (x * (a / b), x * (a % b)), MATRIX, INT, INT, rules="c")
    quotient, remainder = program.hidden_values([None, a, b])
    assert quotient * b + remainder == a
    assert abs(remainder) < abs(b)
    assert remainder == 0 or (remainder < 0) == (a < 0)


def test_a_number_is_one_hidden_argument_however_often_it_is_used() -> None:
    program = traced(lambda x, s: x * (s + 1) - (s + 1) * 2 + (s + 1), MATRIX, INT)
    assert [str(a) for a in program.arguments] == ["f32[2]", "weak_int", "weak_int", "weak_int"]
    assert program.hidden_values([None, 4]) == (5, 10)


def test_an_argument_itself_needs_no_hidden_one() -> None:
    program = traced(lambda x, s: x * s + s, MATRIX, FLOAT)
    assert program.hidden == ()
    assert program.records[0].operands[1].value == Input(1)


def test_sizes_are_those_of_each_call() -> None:
    def f(x: Any, v: Any) -> Any:
        wide = x + v
        return wide / wide.shape[1], x.shape[0], wide.size, v.size - 1

    program = traced(f, MATRIX, VECTOR)
    assert program.records[1].dtype.name == "f32"
    assert program.hidden_values([np.ones((4, 1)), np.ones(3)]) == (3, 4, 12, 2)
    assert program.hidden_values([np.ones((4, 7)), [1]]) == (7, 4, 28, 0)


def test_sizes_of_captured_arrays_and_of_rank_0() -> None:
    weights = np.ones((2, 5))
    program = traced(lambda x: ((x + weights).shape[1] + 0, x), ArgSpec("array", F64, 0))
    assert program.hidden_values([np.float64(1)])[-1] == 5
    assert traced(lambda x: x.size, ArgSpec("array", F64, 0)).hidden == ()


def test_stated_shapes_are_known() -> None:
    def f(x: Any) -> Any:
        y = np.broadcast_to(x, (2, 3, *x.shape))
        assert y.shape[:2] == (2, 3)
        return y, y.shape[3] + 0

    program = traced(f)
    assert "sizes" in ops(program)[0]
    assert program.hidden_values([np.ones((4, 5))]) == (5,)


def test_strict_numbers_have_dtypes() -> None:
    program = traced(lambda x: (x / x.shape[0], x * (x.shape[1] / 2)), scalars="strict")
    assert [a.dtype for a in program.arguments[1:]] == [I64, F64]
    values = program.hidden_values([np.ones((3, 5))])
    assert [(v, v.dtype) for v in values] == [(3, np.int64), (2.5, np.float64)]


def test_comparisons_are_bool_scalars() -> None:
    program = traced(lambda x, s: np.where(s > 0, x, 0), MATRIX, INT)
    assert program.records[0].operands[0].dtype == BOOL
    assert program.hidden_values([None, 3]) == (True,)


def test_numpy_scalars_and_numpy_functions_make_strong_scalars() -> None:
    def f(s: Any) -> Any:
        return np.sqrt(s), s * np.float32(2), np.multiply(s, 2)

    assert [r.dtype.name for r in traced(f, INT).results] == ["f64", "f32", "i64"]
    assert [r.dtype.name for r in traced(f, FLOAT).results] == ["f64", "f32", "f64"]


def test_errors_of_python_come_at_the_call_and_name_the_line() -> None:
    def fails(
        function: Callable[[Any], Any], value: Any, error: type[Exception], message: str, **o: Any
    ) -> None:
        program = traced(function, INT if type(value) is int else FLOAT, **o)
        with pytest.raises(error, match=message) as caught:
            program.hidden_values([value])
        assert f"{__file__}:{function.__code__.co_firstlineno}:" in str(caught.value)

    zero = OpsirZeroDivisionError
    fails(lambda s: 1 / s, 0, zero, r"div\(1, 0\) divides by zero")
    fails(lambda s: 1 % s, 0, zero, r"mod\(1, 0\) divides by zero")
    fails(lambda s: 1 / s, 0, zero, r"div_trunc\(1, 0\) divides by zero", rules="c")
    fails(lambda s: s**s, -1, OpsirValueError, r"pow\(-1, -1\) is the float -1.0, but the function")
    fails(lambda s: s**0.5, -2.0, OpsirValueError, "is the complex")
    fails(lambda s: 1 << s, -1, OpsirValueError, "negative shift count")
    fails(lambda s: s * 1e300, 10**400, OpsirOverflowError, "an integer of 1329 bits")


def test_strict_numbers_must_fit() -> None:
    program = traced(lambda x: x * (x.shape[0] * 2**62), scalars="strict")
    with pytest.raises(OpsirOverflowError, match=r"does not fit i64"):
        program.hidden_values([np.ones((4, 1))])


NEEDS_A_VALUE: list[tuple[Callable[[Any, Any], Any], str]] = [
    (lambda x, s: range(x.shape[0]), "the size of a traced array has no value while the function"),
    (lambda x, s: np.zeros(x.shape), "the size of a traced array has no value"),
    (lambda x, s: int(x.size), "so it is no int()"),
    (lambda x, s: 1 if s else 2, "a traced Python int has no truth value"),
    (lambda x, s: 1 if x.shape[0] > 1 else 2, "a traced Python bool has no truth value"),
    (lambda x, s: x.shape == (2, 3), "a traced Python bool has no truth value"),
    (lambda x, s: min(s, 1), "a traced Python bool has no truth value"),
    (lambda x, s: float(s), "a traced Python int has no value"),
    (lambda x, s: round(s), "a traced Python int is not rounded by round()"),
    (lambda x, s: list(s), "a traced Python int cannot be iterated"),
    (lambda x, s: np.asarray(s), "a traced Python int cannot become a NumPy array"),
    (lambda x, s: hash(s), "a traced Python int is not hashable"),
]


@pytest.mark.parametrize(("function", "message"), NEEDS_A_VALUE)
def test_what_needs_the_value_of_a_number(
    function: Callable[[Any, Any], Any], message: str
) -> None:
    refused(function, message, MATRIX, INT)


SHAPES: list[tuple[Callable[[Any], Any], type[Exception], str]] = [
    (lambda x: np.broadcast_to(x, (4,)), OpsirValueError, "of rank 2 to the lower rank 1"),
    (lambda x: np.broadcast_to(x, 4), OpsirValueError, "of rank 2 to the lower rank 1"),
    (lambda x: np.broadcast_to(x, (-1, 2, 3)), OpsirValueError, "at least 0, got -1"),
    (lambda x: np.broadcast_to(x, [1] * 70), OpsirValueError, "rank 70 is above the limit of 64"),
    (lambda x: opsir.broadcast_to(x, (2.5, 3)), OpsirTypeError, "consists of integers, got 2.5"),
    (lambda x: np.broadcast_to(x, (True, 3)), OpsirTypeError, "consists of integers, got True"),
    (lambda x: np.broadcast_to(x, (x.size, 3)), OpsirTypeError, "got a computed number"),
    (lambda x: np.broadcast_to(x, (1 << 40, 1 << 40)), OpsirOverflowError, "beyond a signed 64"),
    (lambda x: np.broadcast_to(x, (0, 1 << 62, 4)), OpsirOverflowError, "beyond a signed 64"),
]


@pytest.mark.parametrize(("function", "error", "message"), SHAPES)
def test_stated_shapes(function: Callable[[Any], Any], error: Any, message: str) -> None:
    refused(function, message, error=error)
