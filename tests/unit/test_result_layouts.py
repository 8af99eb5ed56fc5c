"""Where results lie: the strides of results against NumPy's, their kernels, and the pass alone."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import opsir
from opsir.compiler import make_context
from opsir.diagnostics import OpsirValueError
from opsir.frontends.text import parse_module
from opsir.passes.lay_out_results import LayOutResultsPass
from opsir.pipeline import PipelineOptions, run
from opsir.runtime.target import default_machine
from tests.unit.layouts import Array, strided_operands

UNARY: tuple[Callable[..., Any], ...] = (
    lambda a: -a,
    lambda a: np.isfinite(a),
    lambda a: np.clip(a, 1, 5),
    lambda a: np.where(a > 2, a, 0.5),
    lambda a: (a * a, a > 1),
)
BINARY: tuple[Callable[..., Any], ...] = (
    lambda a, b: a + b,
    lambda a, b: a < b,
    lambda a, b: np.maximum(a, b) * a,
    lambda a, b: (a - b, b + 1.0),
)
TERNARY: tuple[Callable[..., Any], ...] = (
    lambda a, b, c: np.where(a > b, b, c),
    lambda a, b, c: (a + b) * c,
    lambda a, b, c: a * (b - c),
)
JITTED = {f: opsir.jit(f) for f in (*UNARY, *BINARY, *TERNARY)}


def as_tuple(value: Any) -> tuple[Any, ...]:
    return value if isinstance(value, tuple) else (value,)


def steps(array: Array) -> list[tuple[int, int]]:
    """Sizes and strides of the axes along which there is a step."""
    return [(n, s) for n, s in zip(array.shape, array.strides, strict=True) if n != 1]


@settings(max_examples=60, deadline=None)
@given(strided_operands(dtypes=("f4", "f8")), st.data())
def test_strides_and_values_are_numpys(operands: list[Array], data: st.DataObject) -> None:
    function = data.draw(st.sampled_from((UNARY, BINARY, TERNARY)[len(operands) - 1]))
    expected = as_tuple(function(*operands))
    for _ in range(2):  # The second call takes the short way.
        for found, wanted in zip(as_tuple(JITTED[function](*operands)), expected, strict=True):
            assert np.array_equal(found, wanted)
            assert steps(found) == steps(wanted)


VIEWS: tuple[Callable[[Any, Any], Any], ...] = (
    lambda a, b: (a + b).T * 2,
    lambda a, b: a.T * b.T,
    lambda a, b: (a - b)[::2, ::-1].T + 1,
    lambda a, b: (a * b).T[:, None, :] * b.T[:, None, :],
    lambda a, b: (a * b).reshape(a.shape[0], 1, a.shape[1]) + 1,
    lambda a, b: a + b.T.copy().T,
    lambda a, b: np.flip(a.T).swapaxes(0, 1) + b,
    lambda a, b: np.squeeze((a + b)[None, ..., None].transpose(3, 2, 1, 0), axis=(0, 3)) * 3,
)


@pytest.mark.parametrize("function", VIEWS)
@pytest.mark.parametrize("orders", ["CC", "FF", "CF"])
def test_results_of_views_lie_as_numpys(function: Callable[..., Any], orders: str) -> None:
    base = np.arange(24.0).reshape(6, 4)
    operands = [np.asfortranarray(base) if order == "F" else base for order in orders]
    expected = function(*operands)
    found = opsir.jit(function)(*operands)
    assert np.array_equal(found, expected)
    assert steps(found) == steps(expected)


def test_the_diagonals_of_a_stack() -> None:
    base = np.arange(60.0).reshape(3, 4, 5)

    def double(x: Any) -> Any:
        return np.diagonal(x, 0, 0, 1) * 2

    for operand in (base, base.T, base.transpose(1, 0, 2)):
        found, expected = opsir.jit(double)(operand), double(operand)
        assert np.array_equal(found, expected)
        assert steps(found) == steps(expected)


def kernels(function: Callable[..., Any], *operands: Array) -> list[tuple[str, ...]]:
    plan = opsir.jit(function).lower(*operands).plan()
    return [tuple(map(str, kernel.extents)) for kernel in plan.kernels]


def test_operands_in_one_order_make_one_flat_loop() -> None:
    a, b = np.zeros((5, 7)), np.zeros((5, 7))
    assert kernels(lambda x: x + 1, a.T) == [("s0_0*s0_1",)]
    assert kernels(lambda x, y: x + y, a.T, b.T) == [("s0_0*s0_1",)]
    c = np.zeros((3, 4, 5, 6)).transpose(2, 0, 3, 1)
    assert kernels(lambda x, y: x * y - x, c, c) == [("s0_0*s0_1*s0_2*s0_3",)]


def test_a_row_of_a_column_major_matrix_is_a_long_loop() -> None:
    matrix, row = np.zeros((3, 1000)).T, np.zeros(3)
    assert kernels(lambda m, v: m + v, matrix, row) == [("s0_1", "s0_0")]
    points = np.zeros((1000, 3))
    assert kernels(lambda p, d: p * d, points.T, points[:, 0]) == [("s0_1", "s0_0")]


def test_large_results_and_python_numbers() -> None:
    base = np.arange(600_000.0).reshape(600, 1000)
    double = opsir.jit(lambda x: x * 2)
    for _ in range(2):
        result = double(base.T)
        assert result.strides == (8, 8000)
        assert np.array_equal(result, base.T * 2)


def test_out_is_stored_to_as_it_lies() -> None:
    base = np.arange(12.0).reshape(3, 4)
    out = np.zeros((4, 3))
    negate = opsir.jit(lambda x: -x)
    assert negate(base.T, out=out) is out
    assert np.array_equal(out, -base.T)


def test_a_result_without_elements() -> None:
    assert opsir.jit(lambda x: -x)(np.zeros((3, 0, 2)).T).shape == (2, 0, 3)


def test_a_compilation_is_reproduced_from_its_text() -> None:
    base = np.zeros((12, 10, 8), np.float32)[::2, ::2, ::2]
    lowered = opsir.jit(lambda x, y: x + y).lower(base.transpose(0, 2, 1), base.transpose(0, 2, 1))
    module = parse_module(lowered.ir("trace"))
    machine = default_machine()
    chosen = PipelineOptions(machine=machine, result_order="K", bucket="small", results="apart")
    run(make_context(), module, chosen)
    assert str(module) == str(parse_module(lowered.ir("plan-memory")))


@pytest.mark.parametrize(
    ("type", "result"),
    [("tensor<?x?xf32>", "tensor<?x?xf32>"), ("tensor<2x3xf32>", "tensor<2x3x!opsir.infer>")],
)
def test_what_the_pass_needs(type: str, result: str) -> None:
    module = parse_module(
        f"""
        func.func @f(%a: {type}) -> {result} {{
          %r = opsir.neg %a : ({type}) -> {result}
          func.return %r : {result}
        }}
        """
    )
    with pytest.raises(OpsirValueError, match=r"named sizes, got .*: run infer-shapes first"):
        LayOutResultsPass(order="K").apply(make_context(), module)
