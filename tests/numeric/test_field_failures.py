"""Failures met in the field by other array compilers: the right values, in every lane and layout.

Each is run jitted and eager, on contiguous and strided operands, at sizes around vector lengths.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from itertools import product
from typing import Any

import numpy as np
import pytest

import opsir
from opsir.dtypes import ALL, BF16, F16, F32, F64, DType
from opsir.evaluate import cast
from opsir.runtime.buffers import COUNTS
from tests.numeric.layouts import dense, every_second, reversed_, unaligned
from tests.numeric.running import DIVIDE, jitted, mismatch
from tests.numeric.values import Array

SIZES = [*range(1, 41), 63, 64, 65, 127, 128, 129, 200]
LAYOUTS: list[Callable[[Array], Array]] = [dense, every_second, reversed_, unaligned]
INTEGERS = [d for d in ALL if d.is_integer]
SIGNED = [d for d in INTEGERS if d.is_signed]
FLOATS = [F16, BF16, F32, F64]


def laid_out(*columns: Sequence[Any] | Array) -> Iterator[list[Array]]:
    """Equal columns repeated to every size and laid out in every way."""
    arrays = [np.asarray(column) for column in columns]
    for size in SIZES:
        for arrange in LAYOUTS if size in (1, 7, 40, 65, 200) else LAYOUTS[:1]:
            yield [arrange(np.resize(a, size)) for a in arrays]


def check(
    function: Callable[..., Any], inputs: Sequence[Any], expected: Sequence[Any] | Array
) -> None:
    """The jitted and the plain call give the expected column, over again."""
    for call in (jitted(function, len(inputs)), function):
        for arrays in laid_out(*inputs):
            wanted = np.resize(np.asarray(expected), arrays[0].shape)
            assert mismatch(call(*arrays), wanted, arrays) is None


@pytest.mark.filterwarnings(f"ignore:{DIVIDE}")
@pytest.mark.parametrize("dtype", INTEGERS, ids=lambda d: d.name)
def test_a01_integer_division_never_traps(dtype: DType) -> None:
    low, kind = dtype.min, dtype.numpy
    if dtype.is_signed:
        a = np.array([low, low, 7, -7, 5, 0], kind)
        b = np.array([-1, 2, 0, 0, -3, 0], kind)
        quotient, remainder = [low, low // 2, 0, 0, -2, 0], [0, 0, 0, 0, -1, 0]
    else:
        a, b = np.array([dtype.max, 7, 0, 9], kind), np.array([2, 0, 0, 4], kind)
        quotient, remainder = [dtype.max // 2, 0, 0, 2], [1, 0, 0, 1]
    check(opsir.floor_divide, (a, b), np.array(quotient, kind))
    check(opsir.remainder, (a, b), np.array(remainder, kind))


@pytest.mark.parametrize("dtype", FLOATS, ids=lambda d: d.name)
def test_a02_minimum_keeps_nan_from_either_side(dtype: DType) -> None:
    def column(*values: float) -> Array:
        return cast(np.array(values), dtype)

    nan = np.nan
    x, y = column(nan, 1, nan, 3), column(2, nan, nan, 1)
    check(opsir.minimum, (x, y), column(nan, nan, nan, 1))
    check(opsir.maximum, (x, y), column(nan, nan, nan, 3))
    for ten in (column(10), column(10)[0], column(10).reshape(())):
        check(lambda v, t=ten: opsir.minimum(v, t), (x,), column(nan, 1, nan, 3))
        check(lambda v, t=ten: opsir.maximum(t, v), (x,), column(nan, 10, nan, 10))
    check(lambda v: opsir.clip(v, -1, 2), (x,), column(nan, 1, nan, 2))


def test_a03_unsigned_meets_negative() -> None:
    u = np.array([1, 2, 3, 200], np.uint8)
    for s in (np.array(-19, np.int8), np.int8(-19)):
        check(lambda x, y=s: opsir.less_equal(x, y), (u,), [False])
        check(lambda x, y=s: opsir.greater_equal(x, y), (u,), [True])
        check(lambda x, y=s: opsir.add(x, y), (u,), np.array([-18, -17, -16, 181], np.int16))
    check(lambda x: opsir.less_equal(x, -19), (u,), [False])
    check(lambda x: opsir.less(x, 256), (np.array([1, 127, -128], np.int8),), [True])
    for call in (opsir.add, jitted(opsir.add)):
        for number in (-19, 300):
            with pytest.raises(OverflowError, match=str(number)):
                call(u, number)


@pytest.mark.parametrize("source", FLOATS, ids=lambda d: d.name)
@pytest.mark.parametrize("target", INTEGERS, ids=lambda d: d.name)
def test_a04_out_of_range_casts_are_the_same_everywhere(source: DType, target: DType) -> None:
    jitted = opsir.jit(lambda x: x.astype(target.numpy))
    for value in (-1.5, -300, 300.7, 70000, 5e9, 1e20, np.nan, np.inf, -np.inf):
        number = float(cast(np.float64(value), source).astype(np.float64))
        whole = 0 if np.isnan(number) else min(max(number, target.min), target.max)
        expected = np.full(67, int(whole), target.numpy)
        flat = cast(np.full(67, value), source)
        wide = cast(np.full((67, 3), value), source)
        for x in (flat, wide[:, 1], flat[::-1], unaligned(flat)):
            assert mismatch(jitted(x), expected) is None
            assert mismatch(opsir.cast(x, target.name), expected) is None


def test_a05_explicit_half_casts_stay() -> None:
    x = np.arange(24, dtype=np.float32) / np.float32(10)
    z = np.where(np.arange(24) % 5 == 0, np.float32(0.5), np.float32(-0.5))
    total = opsir.jit(lambda a, b: a.astype(np.float16) + b.astype(np.float16))(z, x)
    assert mismatch(total, z.astype(np.float16) + x.astype(np.float16)) is None
    at = [4, 6, 7, 8, 11, 14, 22, 23]
    shown = [-0.1001, 0.1001, 0.2002, 0.2998, 0.5996, 0.9004, 1.699, 1.801]
    assert total[at].astype(str).tolist() == [str(np.float16(v)) for v in shown]
    there_and_back = opsir.jit(lambda a: a.astype(np.float16).astype(np.float32) - a)(x)
    assert mismatch(there_and_back, x.astype(np.float16).astype(np.float32) - x) is None


def test_a06_double_to_half_rounds_once() -> None:
    values = [1.0, 0.1, 65504, 65519.99, 65520, 1e-8, 5.960464477539063e-08]
    values += [1 + 2**-11 + 2**-40, -0.0, np.nan]
    bits = [0x3C00, 0x2E66, 0x7BFF, 0x7BFF, 0x7C00, 0x0000, 0x0001, 0x3C01, 0x8000, 0x7E00]
    half = np.array(bits, np.uint16).view(np.float16)
    check(lambda x: opsir.cast(x, "f16"), (np.array(values),), half)
    check(lambda x: opsir.cast(x, "f64"), (half,), half.astype(np.float64))
    check(lambda x: opsir.cast(x, "f32"), (half,), half.astype(np.float32))
    a, b = np.array([5.5, -5.5, 1e4, 3], np.float16), np.array([2, 2, 0.3, -2], np.float16)
    check(opsir.fmod, (a, b), np.fmod(a, b))
    big = np.array([2**40 + 3, 5**27], np.int64)
    check(opsir.power, (big, np.array([2, 3])), big ** np.array([2, 3]))


@pytest.mark.parametrize("rows", [3, 40, 3000])
def test_a07_reversed_view_without_its_last_axis(rows: int) -> None:
    image = np.arange(rows * 8.0).reshape(rows, 4, 2)[::-1, :, 0]
    for call in (opsir.subtract, jitted(opsir.subtract)):
        got = call(image, 0.25)
        assert mismatch(got, image - 0.25) is None
    if rows == 3:
        assert got.tolist() == [
            [15.75, 17.75, 19.75, 21.75],
            [7.75, 9.75, 11.75, 13.75],
            [-0.25, 1.75, 3.75, 5.75],
        ]
    x = np.arange(100_003.0)[::-1]
    assert mismatch(opsir.multiply(x, 2), x * 2) is None


@pytest.mark.parametrize("size", [6, 64, 1001, 100_003])
def test_a08_result_over_a_shifted_operand(size: int) -> None:
    subtract = jitted(opsir.subtract)
    start = np.cumsum(np.arange(size, dtype=np.float64) % 7)
    for call in (opsir.subtract, subtract):
        d = start.copy()
        call(d[1:], d[:-1], out=d[1:])
        assert mismatch(d, np.concatenate([start[:1], start[1:] - start[:-1]])) is None
        d = start.copy()
        call(d[1:], d[:-1], out=d[:-1])
        assert mismatch(d, np.concatenate([start[1:] - start[:-1], start[-1:]])) is None
    d = np.arange(size)
    opsir.add(d[::-1], d, out=d)
    assert mismatch(d, np.full(size, size - 1)) is None
    with pytest.raises(ValueError, match="share memory"):
        opsir.add(d, d, out=np.lib.stride_tricks.as_strided(d, d.shape, (0,)))


def test_a09_zero_length_axes() -> None:
    for call in (opsir.add, jitted(opsir.add)):
        for one, other, shape in [
            ((0, 1), (1, 5), (0, 5)),
            ((), (0, 2, 2), (0, 2, 2)),
            ((1,), (0,), (0,)),
        ]:
            for a, b in ((one, other), (other, one)):
                got = call(np.ones(a, np.float32), np.ones(b, np.float32))
                assert (got.shape, got.dtype) == (shape, np.float32)
        with pytest.raises(ValueError, match=r"\[?3.*0"):
            call(np.ones(3), np.ones(0))
    divide = jitted(opsir.floor_divide)
    assert divide(np.ones((0, 4), np.int32), np.zeros(4, np.int32)).shape == (0, 4)


@pytest.mark.large_memory
def test_a10_more_than_two_to_the_31_elements() -> None:
    x = np.zeros(2**31 + 16, np.int8)
    x[3], x[2**31], x[-1] = 1, 7, 5
    y = opsir.multiply(x, 2)
    assert (y[3], y[2**31], y[-1]) == (2, 14, 10)
    assert np.count_nonzero(y) == 3


def test_a10_far_offsets_with_few_elements() -> None:
    memory = np.zeros(2**32 + 64, np.int8)  # Never written: the system gives pages when touched.
    far = np.lib.stride_tricks.as_strided(memory, (5,), (2**30,))
    far[...] = [1, 2, 3, 4, 5]
    assert opsir.add(far, np.int8(1)).tolist() == [2, 3, 4, 5, 6]
    assert opsir.add(far[::-1], far).tolist() == [6] * 5


def test_a11_no_contraction() -> None:
    products = opsir.jit(lambda a, b, c, d: a * b - c * d)
    for a, b in ((2396747, 7), (1e20, 1e10)):
        for x, y in laid_out(np.array([a], np.float32), np.array([b], np.float32)):
            assert mismatch(products(x, y, x, y), np.zeros(x.shape, np.float32)) is None
            sums = opsir.jit(lambda a, b, c, d: a * b + c * d)(x, y, -x, y)
            assert mismatch(sums, np.zeros(x.shape, np.float32)) is None


def test_a14_folded_constants_wrap() -> None:
    def kernel(constant: str) -> str:
        return f"""
        func.func @f(%x: tensor<?xi32>) -> tensor<*xi32> {{
          %a = opsir.scalar 2147483647 : i32
          %b = opsir.scalar 1000 : i32
          %s = opsir.add %a, %b : (i32, i32) -> i32
          %r = opsir.add %x, {constant} : (tensor<?xi32>, i32) -> tensor<*xi32>
          func.return %r : tensor<*xi32>
        }}"""

    x = np.arange(5, dtype=np.int32)
    folded = opsir.compile(kernel("%s"))(x)
    assert mismatch(folded, x + np.int32(-2147482649)) is None
    literal = opsir.jit(lambda v: v + (np.int32(2147483647) + v * 0) + np.int32(1000))
    assert mismatch(literal(x), x + np.int32(-2147482649)) is None
    truth = opsir.jit(lambda v: v & (np.bool_(True) + np.bool_(True)))
    assert truth(np.array([True, False])).tolist() == [True, False]


FOLDED = [
    *product(("add", "subtract", "multiply", "floor_divide", "remainder"), INTEGERS),
    *product(("add", "subtract", "multiply", "true_divide", "floor_divide", "remainder"), FLOATS),
]


@pytest.mark.filterwarnings(f"ignore:{DIVIDE}", "ignore::RuntimeWarning")
@pytest.mark.parametrize(("name", "dtype"), FOLDED, ids=lambda v: getattr(v, "name", v))
def test_a14_folded_equals_run_time(name: str, dtype: DType) -> None:
    function = getattr(opsir, name)
    edges = (
        [dtype.max, dtype.min, 7, 0] if not dtype.is_float else [3.3, -0.0, np.inf, 1e-45, 65000]
    )
    values = cast(np.array(edges, np.float64 if dtype.is_float else dtype.numpy), dtype)
    for a, b in [*zip(values, values), *zip(values, values[::-1])]:
        at_run_time = function(np.array([a]), np.array([b]))
        literal = jitted(lambda x, b=b: function(x, b), 1)(np.array([a]))
        assert mismatch(literal, at_run_time) is None
        both = jitted(lambda x, a=a, b=b: np.where(x, function(a, b), a), 1)
        assert mismatch(both(np.array([True]))[0], at_run_time[0]) is None


def test_zero_length_runs_no_kernel() -> None:
    COUNTS.reset()
    jitted(opsir.add)(np.ones((0, 4)), np.ones(4))
    assert COUNTS.outputs == 1
    assert COUNTS.temporaries == 0
