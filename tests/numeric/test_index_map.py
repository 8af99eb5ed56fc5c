"""Every element of a result comes from the address that the plain formula names.

Operands hold their own byte offsets, so an identity kernel shows which address each element was
read from, and a result with gaps around it shows where it was written.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import product
from typing import Any

import numpy as np
import pytest

import opsir
from opsir.dtypes import F16, F32, I64, U8, U16
from tests.numeric.running import Probe, mismatch, observe
from tests.numeric.values import Array, labelled

_PAIR = Probe(lambda a, b: (a + 0 * b, b + 0 * a))


def offsets(shape: Sequence[int], strides: Sequence[int]) -> Array:
    """Base + sum(index * stride) for every index of ``shape``, strides in elements, base 0."""
    total = np.zeros(shape, np.int64)
    for axis, stride in enumerate(strides):
        index = np.arange(shape[axis]).reshape([-1] + [1] * (len(shape) - axis - 1))
        total = total + index * stride
    return total


def addressed(shape: Sequence[int], strides: Sequence[int]) -> Array:
    """A view of those strides over memory that holds each element's own offset from its start."""
    low = sum(min(0, (n - 1) * s) for n, s in zip(shape, strides) if n)
    high = sum(max(0, (n - 1) * s) for n, s in zip(shape, strides) if n)
    memory = np.arange(low, high + 1, dtype=np.int64)
    base = memory[-low:] if low else memory
    return np.lib.stride_tricks.as_strided(base, shape, [8 * s for s in strides])


def check(one: Array, other: Array) -> None:
    """Both operands of a broadcast are read where the formula says, in one kernel."""
    shape = np.broadcast_shapes(one.shape, other.shape)
    seen = observe(_PAIR, one, other)
    assert list(seen.complaints()) == []
    for result, operand in zip(seen.results, (one, other), strict=True):
        steps = np.broadcast_to(operand, shape).strides
        expected = offsets(shape, [s // 8 for s in steps])
        assert mismatch(result, expected) is None


SIZES = (1, 2, 5)


@pytest.mark.parametrize("rank", [0, 1, 2, 3, 4])
def test_every_broadcast_of_dense_operands(rank: int) -> None:
    for shape in product(SIZES, repeat=rank):
        kept = product((True, False), repeat=rank)
        for mask in kept:
            small = tuple(n if keep else 1 for n, keep in zip(shape, mask))
            large = tuple(1 if keep and n == 2 else n for n, keep in zip(shape, mask))
            check(_dense(small), _dense(large))


def _dense(shape: Sequence[int]) -> Array:
    strides = [int(np.prod(shape[axis + 1 :])) for axis in range(len(shape))]
    return addressed(shape, strides)


@pytest.mark.parametrize("size", [*range(1, 20), 31, 32, 33, 63, 64, 65, 257])
@pytest.mark.parametrize("step", [1, -1, 2, -3, 0])
def test_every_innermost_stride(size: int, step: int) -> None:
    check(addressed((size,), (step,)), addressed((size,), (1,)))
    check(addressed((3, size), (size * 3, step)), addressed((size,), (-step or 1,)))


@pytest.mark.parametrize("permutation", [(0, 1, 2), (2, 1, 0), (1, 0, 2), (1, 2, 0), (0, 2, 1)])
@pytest.mark.parametrize("signs", list(product((1, -1), repeat=3)))
def test_every_axis_order_and_direction(
    permutation: tuple[int, ...], signs: tuple[int, ...]
) -> None:
    shape = (3, 4, 17)
    dense = [0] * 3
    step = 1
    for axis in reversed(permutation):
        dense[axis] = step * signs[axis]
        step *= shape[axis]
    moved = addressed(shape, dense)
    for other in ((3, 4, 17), (4, 1), (17,), (3, 1, 17), ()):
        check(moved, _dense(other))


def test_padded_rows_are_not_merged() -> None:
    check(addressed((6, 16), (20, 1)), _dense((6, 16)))
    check(addressed((2, 3, 16), (100, 20, 1)), _dense((16,)))


def test_axes_of_one_have_any_stride() -> None:
    check(addressed((4, 1, 9), (9, 12345, 1)), _dense((4, 3, 9)))
    check(addressed((1, 1), (-7, 1 << 40)), _dense((2, 5)))


@pytest.mark.parametrize("seed", range(40))
def test_random_views(seed: int) -> None:
    rng = np.random.default_rng(seed)
    rank = int(rng.integers(1, 6))
    shape = tuple(int(rng.choice([1, 2, 3, 4, 7, 17])) for _ in range(rank))
    views: list[Array] = []
    for _ in range(2):
        axes = shape[int(rng.integers(0, rank + 1)) :]
        axes = tuple(1 if rng.random() < 0.3 else n for n in axes)
        strides = [int(rng.integers(-30, 31)) for _ in axes]
        views.append(addressed(axes, strides))
    check(*views)


@pytest.mark.parametrize("layout", ["every second", "reversed", "transposed", "padded"])
def test_results_are_written_where_out_says_and_nowhere_else(layout: str) -> None:
    for rows, columns in product((1, 3, 8), (1, 7, 8, 9, 64, 65)):
        memory = np.full((rows + 2, 2 * columns + 9), -7.0, np.float32)
        out, untouched = _target(memory, rows, columns, layout)
        x = labelled((rows, columns), F32)
        opsir.add(x, np.float32(1), out=out)
        assert mismatch(out, x + 1) is None
        assert (memory[untouched] == -7).all()


def _target(memory: Array, rows: int, columns: int, layout: str) -> tuple[Array, Array]:
    """A view inside ``memory`` and the mask of all elements that are not in it."""
    inner = memory[1 : rows + 1, 4 : 4 + 2 * columns]
    view: dict[str, Array] = {
        "every second": inner[:, ::2],
        "reversed": inner[::-1, columns - 1 :: -1] if columns > 1 else inner[::-1, :1],
        "padded": inner[:, :columns],
        "transposed": inner[:, :columns],
    }
    out = view[layout]
    if layout == "transposed":
        flat = memory.reshape(-1)
        out = flat[5 : 5 + rows * columns].reshape(columns, rows).T
    before = memory.copy()
    out[...] = 0
    touched = memory != before
    memory[...] = before
    return out, ~touched


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ((2, 1, 5), (1, 3, 1)),
        ((4, 1, 9), (4, 9, 1)),
        ((2, 3, 5), (3, 1)),
        ((2, 3, 5), (5,)),
        ((2, 3, 5), (2, 1, 1)),
        ((1, 2, 1, 5), (4, 1, 3, 1)),
        ((1, 1, 1, 40), (4, 5, 6, 40)),
        ((4, 9), ()),
    ],
)
def test_labelled_data_through_each_order_of_operands(
    one: tuple[int, ...], other: tuple[int, ...]
) -> None:
    for dtype, op in product((F32, I64, U8, F16, U16), ("subtract", "add", "maximum")):
        a, b = labelled(one, dtype), labelled(other, dtype)
        eager: Any = getattr(opsir, op)
        assert mismatch(eager(a, b), getattr(np, op)(a, b)) is None
        assert mismatch(eager(b, a), getattr(np, op)(b, a)) is None


@pytest.mark.parametrize(
    ("one", "other"), [((0,), (3,)), ((2, 0), (2, 4)), ((5,), (4,)), ((2, 3), (3, 3))]
)
def test_sizes_that_do_not_fit_are_refused(one: tuple[int, ...], other: tuple[int, ...]) -> None:
    for a, b in ((one, other), (other, one)):
        with pytest.raises(ValueError, match="shape") as caught:
            opsir.add(np.ones(a), np.ones(b))
        assert str(list(a)) in str(caught.value)
        assert str(list(b)) in str(caught.value)


def test_products_that_overflow_are_refused_even_beside_zero() -> None:
    one = np.broadcast_to(np.float32(1), (1 << 40, 1))
    other = np.broadcast_to(np.float32(1), (1, 1 << 40))
    with pytest.raises((ValueError, OverflowError)):
        opsir.add(one, other)
    with pytest.raises((ValueError, OverflowError)):
        opsir.add(one[:, None], np.broadcast_to(np.float32(1), (0, 1, 1 << 40)).reshape(0, 1, -1))


def test_an_empty_kernel_raises_no_flag() -> None:
    divide = opsir.jit(lambda a, b: a // b)
    assert divide(np.ones((0, 3), np.int32), np.zeros(3, np.int32)).shape == (0, 3)
