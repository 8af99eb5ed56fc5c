"""Orders of axes: what strides tell, and the layouts that NumPy gives to results."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from opsir.dtypes import F32
from opsir.extent import Extent
from opsir.memory_order import dense_in_order, keep_order, order_of
from opsir.signature import View, signature_of
from tests.unit.layouts import strided_operands

Functions = tuple[Callable[..., Any], ...]
UNARY: Functions = (np.negative, np.isfinite, np.rint, lambda a: np.clip(a, 0, 1))
BINARY: Functions = (np.add, np.less, np.maximum, np.arctan2, lambda a, b: np.where(a, b, 1.5))
TERNARY: Functions = (np.clip, np.where)


def constants(values: tuple[int, ...]) -> list[Extent]:
    return [Extent(value) for value in values]


def aligned_order(array: np.ndarray[Any, Any], rank: int) -> tuple[int, ...]:
    order = order_of(constants(array.shape), constants(array.strides))
    return tuple(axis + rank - array.ndim for axis in order)


@given(strided_operands(), st.data())
def test_results_lie_as_numpy_lays_them_out(
    operands: list[np.ndarray[Any, Any]], data: st.DataObject
) -> None:
    functions = (UNARY, BINARY, TERNARY)[len(operands) - 1]
    result = data.draw(st.sampled_from(functions))(*operands)
    rank = result.ndim
    order = keep_order(rank, [aligned_order(operand, rank) for operand in operands])
    strides = dense_in_order(constants(result.shape), order, result.itemsize)
    for size, stride, given_stride in zip(result.shape, strides, result.strides, strict=True):
        assert size == 1 or stride.value == given_stride


@pytest.mark.parametrize(
    ("operands", "order"),
    [
        ([], (0, 1, 2)),
        ([(2, 1, 0)], (2, 1, 0)),
        ([(2, 1, 0), (2, 1, 0)], (2, 1, 0)),
        ([(2, 1, 0), (0, 1, 2)], (0, 1, 2)),  # a conflict
        ([(2, 1, 0), (0, 2)], (0, 2, 1)),  # a conflict between two of three axes
        ([(1,), (2, 0)], (1, 2, 0)),
    ],
)
def test_conflicts_and_silence(operands: list[tuple[int, ...]], order: tuple[int, ...]) -> None:
    assert keep_order(3, operands) == order


def order(sizes: str, strides: str, stated: tuple[int, ...] | None = None) -> tuple[int, ...]:
    return order_of(
        [Extent.parse(text) for text in sizes.split()],
        [Extent.parse(text) for text in strides.split()],
        stated,
    )


def test_what_strides_tell() -> None:
    assert order("n m", "4 n*4") == (1, 0)
    assert order("n m", "m*-4 4") == (0, 1)
    assert order("2 3", "8 -8") == (0, 1)
    assert order("n 1 m 5", "4 n*4 0 n*4") == (3, 0)


def test_what_is_stated_counts_before_what_is_guessed() -> None:
    assert order("n m", "s t") == (0, 1)
    assert order("n m", "s t", (1, 0)) == (1, 0)
    assert order("n m", "4 t") == (1, 0)
    assert order("n m", "4 t", (0, 1)) == (0, 1)
    assert order("n m k", "s t u", (2, 0)) == (2, 0, 1)


def stated_order(array: np.ndarray[Any, Any]) -> tuple[int, ...] | None:
    view = View(64, array.shape, array.strides, F32)
    (kind,) = signature_of([view], l1=1 << 15, last_level=1 << 23).tensor_types()
    return kind.order


def test_an_order_is_stated_where_strides_leave_it_open() -> None:
    padded = np.zeros((12, 10, 8), np.float32)[::2, ::2, ::2]
    assert stated_order(padded) is None
    assert stated_order(padded.transpose(0, 2, 1)) == (0, 2, 1)
    assert stated_order(np.zeros((4, 6), np.float32).T) is None
