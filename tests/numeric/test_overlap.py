"""``out=`` over the arguments: the result is that of operands copied first, whatever overlaps."""

from __future__ import annotations

from collections.abc import Callable
from itertools import product
from typing import Any

import numpy as np
import pytest

import opsir
from opsir.runtime.buffers import COUNTS
from tests.numeric.running import mismatch
from tests.numeric.values import Array

View = Callable[[Array], Array]

VIEWS: dict[str, View] = {
    "all": lambda m: m[1:-1],
    "ahead": lambda m: m[2:],
    "behind": lambda m: m[:-2],
    "reversed": lambda m: m[-2:0:-1],
    "reversed ahead": lambda m: m[:1:-1],
}
SIZES = (1, 2, 7, 8, 9, 33, 64, 65, 1000)


def copied(function: Callable[..., Any], *arguments: Any) -> Any:
    return function(*(a.copy() if isinstance(a, np.ndarray) else a for a in arguments))


@pytest.mark.parametrize(("x", "y", "target"), list(product(VIEWS, VIEWS, VIEWS)))
def test_binary_over_shifted_views(x: str, y: str, target: str) -> None:
    for size, dtype in product(SIZES, (np.int8, np.float64)):
        memory = (np.arange(size + 2) % 89).astype(dtype)
        a, b, out = VIEWS[x](memory), VIEWS[y](memory), VIEWS[target](memory)
        expected = copied(np.subtract, a, b)
        returned = opsir.subtract(a, b, out=out)
        assert returned is out
        assert mismatch(out, expected) is None


@pytest.mark.parametrize("size", SIZES)
def test_result_of_another_width_over_an_argument(size: int) -> None:
    for source, target in product((np.int8, np.float32, np.float64), repeat=2):
        if not np.can_cast(source, target, "same_kind"):
            continue
        memory = np.zeros(16 * size + 8, np.uint8)
        for shift in (0, 8):
            x = memory[8 : 8 + size * np.dtype(source).itemsize].view(source)
            x[...] = np.arange(size) % 50
            out = memory[shift : shift + size * np.dtype(target).itemsize].view(target)
            expected = (x + x).astype(target)
            assert mismatch(opsir.add(x, x, out=out), expected) is None


def test_broadcast_operand_inside_the_result() -> None:
    square = np.arange(64.0).reshape(8, 8)
    expected = copied(np.subtract, square, square[3])
    opsir.subtract(square, square[3], out=square)
    assert mismatch(square, expected) is None
    square = np.arange(64.0).reshape(8, 8)
    expected = copied(np.subtract, square, square[:, 2:3])
    opsir.subtract(square, square[:, 2:3], out=square)
    assert mismatch(square, expected) is None


@pytest.mark.parametrize("size", [5, 64, 301])
def test_transposed_result(size: int) -> None:
    square = np.arange(float(size * size)).reshape(size, size)
    expected = copied(np.add, square, square)
    assert mismatch(opsir.add(square, square, out=square.T), expected) is None


@pytest.mark.parametrize("size", SIZES)
def test_several_results_over_each_other_and_the_arguments(size: int) -> None:
    swap = opsir.jit(lambda a, b: (b + 0, a + 0))
    memory = np.arange(2.0 * size)
    a, b = memory[:size], memory[size:]
    wanted = b.copy(), a.copy()
    swap(a, b, out=(a, b))
    assert mismatch(a, wanted[0]) is None
    assert mismatch(b, wanted[1]) is None
    both = opsir.jit(lambda x: (x + 1, x * 2))
    x = np.arange(float(size))
    same = np.zeros(size)
    both(x, out=(same, same))
    assert mismatch(same, x * 2) is None


def test_materialised_values_over_an_argument() -> None:
    function = opsir.jit(lambda a, r: np.exp(r) * a - r)
    a, r = np.linspace(0, 1, 12).reshape(3, 4), np.linspace(1, 2, 4)
    expected = function(a, r)
    assert mismatch(function(a, r, out=a), expected) is None


def test_exact_alias_needs_no_temporary() -> None:
    add = opsir.jit(lambda a, b: a + b)
    x = np.arange(100.0)
    for place in (x, x[::-1], x[::3], x.reshape(10, 10).T, x.reshape(10, 10)[:, 3:7]):
        COUNTS.reset()
        add(place, place, out=place)
        add(place, 1, out=place)
        add(place, place[:1].copy(), out=place)
        assert COUNTS.temporaries == COUNTS.outputs == 0
    COUNTS.reset()
    add(x[1:], x[1:], out=x[:-1])
    assert COUNTS.temporaries == 1


def test_several_kernels_store_over_what_no_later_one_reads() -> None:
    function = opsir.jit(lambda a, r: np.exp(r) * a - r)
    a, r = np.linspace(0, 1, 12).reshape(3, 4), np.linspace(1, 2, 4)
    expected = function(a, r)
    for _ in range(2):
        given = a.copy()
        COUNTS.reset()
        function(given, r, out=given)
        assert mismatch(given, expected) is None
        assert (COUNTS.kernels, COUNTS.temporaries, COUNTS.outputs) == (2, 1, 0)


def test_a_result_over_what_a_later_kernel_reads_is_stored_beside_it() -> None:
    function = opsir.jit(lambda a, r: (r - 1, a * r))
    a, r, large = np.linspace(0, 1, 12).reshape(3, 4), np.linspace(1, 2, 4), np.empty((3, 4))
    wanted = r - 1, a * r
    for _ in range(2):
        row = r.copy()
        COUNTS.reset()
        function(a, row, out=(row, large))
        assert mismatch(row, wanted[0]) is None
        assert mismatch(large, wanted[1]) is None
        assert (COUNTS.kernels, COUNTS.temporaries) == (2, 1)
        row, given = r.copy(), a.copy()
        COUNTS.reset()
        function(given, r, out=(row, given))
        assert mismatch(row, wanted[0]) is None
        assert mismatch(given, wanted[1]) is None
        assert (COUNTS.kernels, COUNTS.temporaries) == (2, 0)


@pytest.mark.parametrize("kind", ["held", "interleaved", "read-only"])
def test_results_that_cannot_be_stored_are_refused(kind: str) -> None:
    memory = np.zeros(8)
    strided = np.lib.stride_tricks.as_strided
    out = {
        "held": strided(memory, (4,), (0,)),
        "interleaved": strided(memory, (3, 3), (8, 8)),
        "read-only": np.broadcast_to(memory, (8,)),
    }[kind]
    x = np.ones(out.shape)
    with pytest.raises(ValueError, match="out="):
        opsir.add(x, x, out=out)
    assert (memory == 0).all()


def test_interleaved_results_are_apart() -> None:
    memory = np.arange(20.0)
    expected = memory[::2] * 2
    opsir.multiply(memory[::2], 2, out=memory[1::2])
    assert mismatch(memory[1::2], expected) is None
    assert memory[::2].tolist() == list(range(0, 20, 2))


def test_views_of_an_argument_inside_a_function() -> None:
    square = np.arange(36.0).reshape(6, 6)
    functions: list[tuple[Callable[[Any], Any], int]] = [
        (lambda a: a.T + a, 1),
        (lambda a: a[::-1] - a, 1),
        (lambda a: a[:, ::-1] * 2, 1),
        (lambda a: a.T.T - a, 0),
    ]
    for function, temporaries in functions:
        jitted = opsir.jit(function)
        for _ in range(2):
            given, expected = square.copy(), function(square)
            COUNTS.reset()
            jitted(given, out=given)
            assert mismatch(given, expected) is None
            assert COUNTS.temporaries == temporaries
