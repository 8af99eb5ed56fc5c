"""Debug mode over a family of shapes, strides and views agrees, and looks at every address."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import opsir
from tests.numeric.running import mismatch
from tests.numeric.values import Array

add = opsir.jit(debug=True)(lambda a, b: a + b)
chain = opsir.jit(debug=True)(lambda a, r: np.exp2(r) * a - r)
shared = opsir.jit(debug=True, threads=2)(lambda a, b: a + b)


@st.composite
def operands(draw: st.DrawFn) -> tuple[Array, Array]:
    """Two arrays that broadcast, each in an axis order, direction and padding of its own."""
    shape = draw(st.lists(st.sampled_from([1, 2, 3, 5, 9, 17]), max_size=4))
    dtype = draw(st.sampled_from([np.uint8, np.int16, np.float32]))
    made: list[Array] = []
    for _ in range(2):
        sizes = [draw(st.sampled_from([n, n, 1])) for n in shape[draw(st.integers(0, 1)) :]]
        axes = draw(st.permutations(range(len(sizes))))
        steps = [draw(st.sampled_from([1, 1, -1, 2])) for _ in sizes]
        padded = [abs(step) * n for n, step in zip(sizes, steps)]
        memory = np.arange(int(np.prod(padded)), dtype=np.int64).astype(dtype)
        view = memory.reshape([padded[a] for a in axes]).transpose(np.argsort(axes))
        made.append(view[tuple(slice(None, None, step) for step in steps)])
    return made[0], made[1]


@settings(max_examples=120, deadline=None)
@given(operands())
def test_broadcasts(pair: tuple[Array, Array]) -> None:
    one, other = pair
    assert mismatch(add(one, other), one + other) is None
    count = int(np.prod(np.broadcast_shapes(one.shape, other.shape)))
    assert f"enumerated at {count} of {count} iterations" in add.checked


@settings(max_examples=40, deadline=None)
@given(operands())
def test_results_given_by_the_caller(pair: tuple[Array, Array]) -> None:
    one, other = pair
    expected = one + other
    out = np.zeros((*expected.shape[::-1], 2), expected.dtype)[..., 0].T
    assert add(one, other, out=out) is out
    assert np.array_equal(out, expected)


VIEWS: list[Any] = [
    lambda a: a.T + 1,
    lambda a: a[::-1, 1:] * 2,
    lambda a: a[:, ::3] - a[:, 1:2],
    lambda a: a.reshape(-1) + 1,
    lambda a: np.expand_dims(a, 1) - a,
    lambda a: np.transpose(a)[::-1] + a[0, 0],
]


@pytest.mark.parametrize("number", range(len(VIEWS)))
def test_views(number: int) -> None:
    a = np.arange(9 * 7, dtype=np.float32).reshape(9, 7)
    jitted = opsir.jit(debug=True)(VIEWS[number])
    for x in (a, a[::-1], a.T) if number != 3 else (a,):
        assert mismatch(jitted(x), VIEWS[number](x)) is None
        assert "kernel 0: addresses of" in jitted.checked


def test_programs_of_several_kernels_and_threads() -> None:
    a = np.arange(12.0).reshape(3, 4)
    assert mismatch(chain(a, a[0]), np.exp2(a[0]) * a - a[0]) is None
    large = np.ones((500, 1000), np.float32)
    for x in (large, large.T, large[:, ::-1]):
        assert mismatch(shared(x, x), x + x) is None
        assert "sampled at" in shared.checked
