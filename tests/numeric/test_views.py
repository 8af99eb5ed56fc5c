"""Views against NumPy, bit for bit: of arguments and of computed values, alone and in chains."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import opsir
from opsir.backends.reference.interpreter import run
from opsir.frontends.text import parse_module
from opsir.runtime.buffers import COUNTS

Array = np.ndarray[Any, Any]
Function = Callable[..., Any]

A = np.arange(48, dtype=np.float32).reshape(6, 8)
B = np.arange(48, dtype=np.float32).reshape(8, 6)[::-1] * 100
S = np.arange(36, dtype=np.float32).reshape(6, 6)

FORMS: list[tuple[Function, tuple[Array, ...]]] = [
    (lambda x, y: x.T + y, (A, B)),
    (lambda x, y: (x + y.T)[::2].T * y[:, :3], (A, B)),
    (lambda x: x[1:] - x[:-1], (A,)),
    (lambda x: x[None] + x[..., None].T, (A[:1],)),
    (lambda x: x[0] + x[-1], (A,)),
    (lambda x: x[2, 3], (A,)),
    (lambda x: x[2, 3] + x, (A,)),
    (lambda x: x.T, (A,)),
    (lambda x: x.mT, (A[None],)),
    (lambda x: (x[1:], x + 1, x[0]), (A,)),
    (lambda x: x.reshape(-1) + 1, (A,)),
    (lambda x: x.T.reshape(-1) + 1, (A,)),
    (lambda x: x.reshape(2, 3, 8) * x.reshape(x.shape[0], -1)[0], (A,)),
    (lambda x: x.reshape(4, -1), (A[::2],)),
    (lambda x: (x * np.float32(2)).reshape(-1)[3::7], (A[:, ::2],)),
    (lambda x: (x + x[:, :1]).reshape(2, 3, 8)[:, ::-1, 1:], (A,)),
    (lambda x: np.diagonal(x, 1) + np.diagonal(x, -1), (S,)),
    (lambda x: np.diagonal(x + x[0], 1), (A,)),
    (lambda x: np.diagonal(np.broadcast_to(x[:, None], (6, 6))) * 1, (A[:, 0],)),
    (lambda x: np.diagonal(np.broadcast_to(x[0, 0], (4, 5))) * 1, (A,)),
    (lambda x: np.rot90(x) * 1, (A,)),
    (lambda x: np.rot90(x, 2) * 1, (A,)),
    (lambda x: np.rot90(x, 3) * 1, (A,)),
    (lambda x: np.rot90(x, 4) * 1, (A,)),
    (lambda x: np.flip(x) * x.flatten().reshape(x.shape), (A,)),
    (lambda x: np.fliplr(x) - np.flipud(x), (A,)),
    (lambda x: np.moveaxis(x.reshape(2, 3, 8), 0, 2) + 1, (A,)),
    (lambda x: np.swapaxes(x, 0, 1)[1:] * 2, (A,)),
    (lambda x: np.broadcast_to(x[0], (6, 8))[:, ::2].T * 1, (A,)),
    (lambda x: np.broadcast_to(x[0, 0], x.shape)[1:, 2:] * 2, (A,)),
    (lambda x: np.expand_dims(x, (0, 2)).squeeze(0) + x[0, 0], (A,)),
    (lambda x: x[:0] + 1, (A,)),
    (lambda x: x[1:2] + x, (A,)),
    (lambda x: x[5:] + x, (A,)),
    (lambda x: np.ravel(x[3]) * x[..., ::-1], (A,)),
    (lambda x: x[...] + x[()], (A,)),
    (lambda x: np.transpose(x.reshape(2, 3, 8), (1, 2, 0)).transpose(1, 2, 0) + 0, (A,)),
    (lambda x: x[1:].shape[0] * x[:, 1:], (A,)),
    (lambda x: x[::-1].astype(np.int8) + x[:, ::-1].astype(np.int8), (A,)),
    (lambda x: np.where(x > 3, x, -x)[::2, ::-3], (A,)),
]


def same(found: Any, expected: Any) -> None:
    if isinstance(expected, tuple):
        assert len(found) == len(expected)
        for mine, theirs in zip(found, expected, strict=True):
            same(mine, theirs)
        return
    assert found.dtype == expected.dtype
    assert found.shape == expected.shape
    np.testing.assert_array_equal(found, expected)


@pytest.mark.parametrize(("function", "arrays"), FORMS)
def test_a_form_of_numpy(function: Function, arrays: tuple[Array, ...]) -> None:
    jitted = opsir.jit(function)
    expected = function(*arrays)
    same(jitted(*arrays), expected)
    same(jitted(*arrays), expected)
    fortran = tuple(np.asfortranarray(array) for array in arrays)
    same(jitted(*fortran), expected)
    module = parse_module(jitted.lower(*arrays).ir("trace"))
    if isinstance(expected, np.ndarray) and expected.size:
        for stage in ("infer-shapes", "fold-views", "lower-to-nest", "plan-memory"):
            text = jitted.lower(*arrays).ir(stage)
            module = parse_module(text)
            same(run(module, given_of(module, arrays)).results[0], expected)


def given_of(module: Any, arrays: tuple[Array, ...]) -> list[Any]:
    """The arguments of a module: arrays, and the sizes that Python computes for each call."""
    function = next(iter(module.ops))
    extra = len(function.body.block.args) - len(arrays)
    return [*arrays, *([5] * extra)]


def test_a_pure_view_that_is_returned_has_memory_of_its_own() -> None:
    x = A.copy()
    result = opsir.jit(lambda a: a[::2].T)(x)
    x[:] = 0
    same(result, A[::2].T)
    assert not np.shares_memory(result, x)


def test_only_what_the_view_shows_is_computed() -> None:
    plan = opsir.jit(lambda x, y: (x / y)[3]).lower(A, A).plan()
    assert len(plan.kernels) == 1
    assert "kernel extents [s0_1]" in str(plan)


def test_a_reshape_that_is_no_view_is_a_copy_that_the_plan_names() -> None:
    transposed = opsir.jit(lambda x: x.T.reshape(-1) + 1)
    assert ", a copy" in str(transposed.lower(A).plan())
    assert "opsir.copy" in transposed.lower(A).ir("fold-views")
    straight = opsir.jit(lambda x: x.reshape(-1) + 1)
    assert ", a copy" not in str(straight.lower(A).plan())


def test_what_is_expensive_is_stored_for_its_views() -> None:
    def steps(x: Any) -> Any:
        e = np.exp(x)
        return e[1:] - e[:-1]

    def bend(x: Any) -> Any:
        e = np.exp(x)
        return e - e[::-1] * e.T.T

    for function in (steps, bend):
        jitted = opsir.jit(function)
        assert len(jitted.lower(A / 48).plan().kernels) == 2
        powers = opsir.jit(lambda x: np.exp(x))(A / 48)
        wanted = powers[1:] - powers[:-1] if function is steps else powers - powers[::-1] * powers
        same(jitted(A / 48), wanted)


def test_debug_mode_follows_views_of_temporaries() -> None:
    def steps(x: Any) -> Any:
        e = np.exp(x)
        return e[1:] - e[:-1]

    same(opsir.jit(debug=True)(steps)(A / 48), opsir.jit(steps)(A / 48))


def test_errors_of_a_call_name_the_line() -> None:
    jitted = opsir.jit(lambda x, y: x[1:] + y)
    with pytest.raises(opsir.OpsirValueError, match=r"test_views.py:\d+.*has size 5 on axis 0"):
        jitted(A, A[:3])
    with pytest.raises(opsir.OpsirIndexError, match=r"test_views.py:\d+.*index 7 is out of bounds"):
        opsir.jit(lambda x: x[7] + 1)(A)
    with pytest.raises(opsir.OpsirIndexError, match="index 9 is out of bounds for axis 1"):
        opsir.jit(lambda x, y: (x[0, 0] + np.broadcast_to(y, (6, 8)))[:, 9])(A, A[0, 0])
    with pytest.raises(opsir.OpsirValueError, match=r"cannot reshape \[6, 8\] of 48 elements"):
        opsir.jit(lambda x: x.reshape(5, -1) + 1)(A)
    with pytest.raises(opsir.OpsirValueError, match="cannot squeeze axis 0"):
        opsir.jit(lambda x: x.squeeze(0) + 1)(A)


OVERLAPS: list[Function] = [
    lambda x: x[::-1] + x,
    lambda x: x.T + x,
    lambda x: x.T,
    lambda x: np.flip(x),
    lambda x: (x + 1)[:, ::-1] * x,
    lambda x: np.broadcast_to(x[0], x.shape) + x,
    lambda x: x[1] + x,
]


@pytest.mark.parametrize("function", OVERLAPS)
def test_out_may_be_what_is_viewed(function: Function) -> None:
    jitted = opsir.jit(function)
    for _ in range(3):
        x = S.copy()
        expected = function(x).copy()
        jitted(x, out=x)
        same(x, expected)


def test_out_may_be_part_of_what_is_viewed() -> None:
    jitted = opsir.jit(lambda x: x[1:] - x[:-1])
    for target in (slice(1, None), slice(None, -1)):
        x = S.copy()
        expected = x[1:] - x[:-1]
        jitted(x, out=x[target])
        same(x[target], expected)


def test_an_operation_in_place_beside_a_view_needs_no_temporary() -> None:
    jitted = opsir.jit(lambda x, y: x + y[::-1])
    x, y = A.copy(), A * 10
    COUNTS.reset()
    jitted(x, y, out=x)
    assert COUNTS.temporaries == 0
    same(x, A + y[::-1])


@st.composite
def views(draw: st.DrawFn) -> Function:
    """A view of an array of any rank, as a function that works on traced arrays too."""
    kind = draw(st.sampled_from(("slice", "index", "permute", "flip", "new", "flat", "split")))
    seed = draw(st.integers(0, 1 << 20))

    def view(x: Any) -> Any:
        random = np.random.default_rng(seed)
        if kind == "new" or x.ndim == 0:
            return np.expand_dims(x, int(random.integers(x.ndim + 1)))
        axis = int(random.integers(x.ndim))
        before = (slice(None),) * axis
        match kind:
            case "slice":
                bounds = [None, *range(-3, 4)]
                start, stop = (bounds[int(i)] for i in random.integers(len(bounds), size=2))
                step = (-2, -1, 1, 2)[int(random.integers(4))]
                return x[(*before, slice(start, stop, step))]
            case "index":
                return x[(*before, 0)] if x.ndim > 1 else x[:1]
            case "permute":
                return x.transpose([int(i) for i in random.permutation(x.ndim)])
            case "flip":
                return np.flip(x, axis)
            case "flat":
                return x.reshape(-1)
            case _:
                return x.reshape(1, -1) if x.ndim < 4 else x

    return view


@settings(max_examples=60, deadline=None)
@given(st.data())
def test_chains_of_views_between_operations(data: st.DataObject) -> None:
    shape = tuple(data.draw(st.lists(st.integers(0, 4), min_size=1, max_size=3)))
    dtype = data.draw(st.sampled_from((np.float32, np.int16, np.uint8, np.float64, np.bool_)))
    chain = data.draw(st.lists(views(), min_size=1, max_size=4))
    other = data.draw(st.lists(views(), max_size=2))

    def function(x: Any, y: Any) -> Any:
        for view in other:
            y = view(y)
        value = x
        for number, view in enumerate(chain):
            value = view(value)
            if number % 2 == 0:
                value = value + value
        return value ^ value if dtype is np.bool_ else (value * y[..., :1].reshape(-1)[:1], value)

    values = np.random.default_rng(data.draw(st.integers(0, 99))).integers(0, 100, shape)
    x, y = values.astype(dtype), values.astype(dtype)[..., ::-1]
    try:
        expected = function(x, y)
    except (IndexError, ValueError):
        with pytest.raises((IndexError, ValueError)):
            opsir.jit(function)(x, y)
        return
    same(opsir.jit(function)(x, y), expected)
