"""Shared out between threads, a kernel gives the bits and the warnings that one thread gives.

The grain is one byte here, so that every kernel with a few elements is shared out.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable, Generator, Sequence
from itertools import product
from typing import Any

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import opsir
from opsir.backends.cpu import shares
from opsir.runtime.specialise import native_cache_clear
from opsir.runtime.threads import TEAM
from tests.numeric.fuzzing import problems
from tests.numeric.generation import make_program
from tests.numeric.layouts import dense, every_second, reversed_, transposed, unaligned
from tests.numeric.matrix import check, covering_cells, packs
from tests.numeric.programs import Unspecified
from tests.numeric.running import Probe, mismatch, with_parameters
from tests.numeric.test_overlap import VIEWS
from tests.numeric.values import Array

PACKS = packs(tuple(covering_cells()))[::60]


@pytest.fixture(scope="module", autouse=True)
def finely_shared() -> Generator[None]:
    """Two threads share out whatever they can."""
    patch, before = pytest.MonkeyPatch(), opsir.get_num_threads()
    native_cache_clear()
    patch.setattr(shares, "GRAIN", 1)
    opsir.set_num_threads(2)
    yield
    opsir.set_num_threads(before)
    patch.undo()
    native_cache_clear()


@pytest.mark.parametrize("index", range(len(PACKS)))
def test_golden_sample(index: int) -> None:
    assert check(PACKS[index]) == []
    assert TEAM.size >= 2


@pytest.mark.parametrize("seed", range(2_000, 2_012))
def test_random_programs(seed: int) -> None:
    try:
        assert problems(make_program(seed)) == []
    except Unspecified:
        pytest.skip("means nothing definite")


FUNCTIONS: dict[str, Callable[..., Any]] = {
    "sum": lambda x, y: x + y,
    "quotient": lambda x, y: x // y,
    "two results": lambda x, y: (x * y, x < y),
    "root": lambda x, y: np.sqrt(x) - y,
    "call": lambda x, y: np.exp(y) * x,
}
ARRANGED = [dense, reversed_, every_second, transposed, unaligned]
DTYPES = [np.int8, np.int32, np.uint64, np.float16, np.float32, np.float64, np.bool_]
JITTED = {
    (name, threads): opsir.jit(threads=threads)(with_parameters(function, 2))
    for (name, function), threads in product(FUNCTIONS.items(), range(1, 6))
}


def observed(call: Callable[..., Any], *arguments: Any, **options: Any) -> tuple[list[Array], int]:
    """Results and the number of warnings."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        results = call(*arguments, **options)
    return list(results) if isinstance(results, tuple) else [results], len(caught)


@st.composite
def operands(draw: st.DrawFn) -> list[Array]:
    """Two arrays that broadcast, of any layout; axes of size 0 and 1 are common."""
    sizes = st.sampled_from([0, 1, 2, 3, 5, 16, 17, 33, 130])
    shape = draw(st.lists(sizes, min_size=1, max_size=3))
    found: list[Array] = []
    for _ in range(2):
        mine = [1 if draw(st.integers(0, 4)) == 0 else size for size in shape]
        dtype = draw(st.sampled_from(DTYPES))
        values = np.arange(np.prod(mine)).reshape(mine) % 7
        found.append(draw(st.sampled_from(ARRANGED))(values.astype(dtype)))
    return found


@settings(
    max_examples=60, deadline=None, suppress_health_check=[HealthCheck.too_slow], derandomize=True
)
@given(operands(), st.sampled_from(sorted(FUNCTIONS)), st.integers(2, 5))
def test_any_layout_on_any_number_of_threads(
    arrays: Sequence[Array], name: str, threads: int
) -> None:
    if name == "quotient" and np.bool_ in [a.dtype.type for a in arrays]:
        arrays = [a.astype(np.int8) if a.dtype == np.bool_ else a for a in arrays]
    expected, warned = observed(JITTED[name, 1], *arrays)
    found, also = observed(JITTED[name, threads], *arrays)
    assert warned == also
    for result, wanted in zip(found, expected, strict=True):
        assert mismatch(result, wanted) is None


@pytest.mark.parametrize("threads", range(2, 6))
def test_results_stored_over_the_arguments(threads: int) -> None:
    """In place, shifted either way, and reversed: A08 on every number of threads."""
    subtract = opsir.jit(threads=threads)(lambda x, y: x - y)
    for size in (2, 17, 64, 1000, 5001):
        for x, y, out in product(VIEWS.values(), repeat=3):
            memory = np.arange(size + 2) % 89.0
            a, b, target = x(memory), y(memory), out(memory)
            expected = a - b
            assert subtract(a, b, out=target) is target
            assert mismatch(target, expected) is None


def test_field_failure_a08() -> None:
    subtract = opsir.jit(threads=3)(lambda x, y: x - y)
    d = np.array([1, 2, 4, 8, 16, 32])
    subtract(d[1:], d[:-1], out=d[1:])
    assert d.tolist() == [1, 1, 2, 4, 8, 16]
    d = np.resize(np.array([1, 2, 4, 8, 16, 32]), 100_000)
    expected = d[1:] - d[:-1]
    subtract(d[1:], d[:-1], out=d[:-1])
    assert np.array_equal(d[:-1], expected)


def test_several_kernels_with_temporaries() -> None:
    """Each kernel is complete before the next begins: its result is read in another order."""

    def function(x: Any, y: Any) -> Any:
        return (x * x + y) / (y + 1), x * x - y

    for threads in range(2, 6):
        shared = Probe(function, "never", threads=threads)
        single = Probe(function, "never", threads=1)
        for shape in [(300, 1), (1, 300), (300, 300)]:
            y = np.linspace(0, 1, np.prod(shape)).reshape(shape)
            x = np.linspace(-1, 0, 90_000).reshape(300, 300).T
            for result, wanted in zip(shared(x, y), single(x, y), strict=True):
                assert mismatch(result, wanted) is None
            assert shared.last is not None
            assert len(shared.last.kernels) >= 4
