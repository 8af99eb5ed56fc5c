"""One value in any form gives the same bits, and Python numbers mean what they say."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import product
from typing import Any

import numpy as np
import pytest

import opsir
from opsir.dtypes import ALL, BY_NAME, DType
from tests.numeric.cases import ARITY, resolution
from tests.numeric.oracles import law
from tests.numeric.running import DIVIDE, jitted, mismatch, spelled
from tests.numeric.values import Array, mixed, specials

BINARY = [op for op, arity in ARITY.items() if arity == 2]
INTEGERS = [d for d in ALL if d.is_integer]
FLOATS = [d for d in ALL if d.is_float]


def forms(value: Any, shape: tuple[int, ...]) -> Iterator[tuple[str, Any]]:
    """A NumPy scalar in every form in which it can stand beside an array of ``shape``."""
    yield "NumPy scalar", value
    yield "rank 0", np.asarray(value)
    yield "one element", np.asarray([value])
    yield "many axes of one", np.asarray([[[value]]])
    yield "expanded", np.broadcast_to(np.asarray(value), shape)
    yield "dense", np.full(shape, value)
    odd = np.frombuffer(bytearray(1 + value.nbytes), value.dtype, 1, 1)
    odd[0] = value
    yield "unaligned", odd


@pytest.mark.filterwarnings(f"ignore:{DIVIDE}")
@pytest.mark.parametrize("op", BINARY)
def test_every_form_gives_the_same_bits(op: str) -> None:
    rng = np.random.default_rng(5)
    for number, dtype in enumerate(ALL):
        other = ALL[(number * 5 + len(op)) % len(ALL)]
        if resolution(op, (dtype, other)) is None:
            continue
        x = mixed(dtype, 75, rng).reshape(3, 25)
        value = specials(other)[rng.integers(len(specials(other)))]
        if op == "pow" and not other.is_float:
            value = other.numpy.type(3)
        function = spelled(op)
        literal = jitted(lambda a, v=value, f=function: f(a, v), 1)(x)
        wanted = law(op, x, value)
        assert mismatch(literal, wanted) is None, (op, dtype, value)
        compiled = jitted(function)
        for name, form in forms(value, x.shape):
            got = compiled(x, form)
            assert mismatch(got.reshape(x.shape), wanted) is None, (op, dtype, value, name)


@pytest.mark.parametrize("dtype", ALL, ids=lambda d: d.name)
def test_where_takes_a_scalar_on_each_side(dtype: DType) -> None:
    rng = np.random.default_rng(9)
    x, value = mixed(dtype, 40, rng), specials(dtype)[-1]
    condition = np.arange(40) % 3 == 0
    for form in (value, np.asarray(value), np.asarray([value])):
        for where in (opsir.where, opsir.jit(lambda c, a, b: np.where(c, a, b))):
            assert mismatch(where(condition, x, form), law("where", condition, x, value)) is None
            assert mismatch(where(condition, form, x), law("where", condition, value, x)) is None
            both = where(np.bool_(True), form, value)
            assert mismatch(np.asarray(both).reshape(1), value.reshape(1)) is None


COMPARES = ("eq", "ne", "lt", "le", "gt", "ge")
FAR = (-(2**70), -(2**63) - 1, -129, -19, -1, 0, 1, 127, 128, 255, 256, 300, 2**63, 2**64, 2**70)


@pytest.mark.parametrize("dtype", INTEGERS, ids=lambda d: d.name)
def test_comparison_with_any_python_integer_is_exact(dtype: DType) -> None:
    x = specials(dtype)
    exact = x.astype(object)
    for op in COMPARES:
        function = spelled(op)
        run_time = jitted(function)
        for number in FAR:
            expected = np.asarray(function(exact, number), np.bool_)
            literal = jitted(lambda a, n=number, f=function: f(a, n), 1)
            assert mismatch(run_time(x, number), expected) is None, (op, number)
            assert mismatch(literal(x), expected) is None, (op, number)
            turned = jitted(lambda a, n=number, f=function: f(n, a), 1)
            mirrored = np.asarray(function(np.asarray(number, object), exact), np.bool_)
            assert mismatch(turned(x), mirrored) is None, (op, number)


@pytest.mark.parametrize("dtype", INTEGERS, ids=lambda d: d.name)
def test_clip_bounds_go_by_value(dtype: DType) -> None:
    x = specials(dtype)
    clip = opsir.jit(lambda a, low, high: np.clip(a, low, high))
    for low, high in product((-(2**70), -5, 0, 3), (2, 10, 2**70)):
        reachable = low <= dtype.max and high >= dtype.min
        if not reachable or (low < dtype.min and high < dtype.min):
            continue
        expected = np.array([min(max(int(v), low), high) for v in x], dtype.numpy)
        assert mismatch(clip(x, low, high), expected) is None, (low, high)
        literal = jitted(lambda a, lo=low, hi=high: np.clip(a, lo, hi), 1)
        assert mismatch(literal(x), expected) is None, (low, high)


@pytest.mark.parametrize("dtype", INTEGERS, ids=lambda d: d.name)
def test_python_integers_that_do_not_fit_are_refused(dtype: DType) -> None:
    x = np.ones(3, dtype.numpy)
    add = opsir.jit(lambda a, b: a + b)
    for number in (dtype.max + 1, dtype.min - 1, 2**80):
        for call in (add, opsir.add):
            with pytest.raises(OverflowError, match=str(number)):
                call(x, number)
    assert add(x, dtype.max - 1).tolist() == [dtype.max] * 3


@pytest.mark.parametrize("dtype", FLOATS, ids=lambda d: d.name)
def test_weak_numbers_round_once(dtype: DType) -> None:
    x = specials(dtype)
    add = opsir.jit(lambda a, b: a + b)
    for number in (0.1, 1e300, -0.0, 1 + 2.0**-8 + 2.0**-40, 2**53 + 1, 257 * 2**40 + 1, 70000):
        assert mismatch(add(x, number), law("add", x, number)) is None, number
        literal = jitted(lambda a, n=number: n + a, 1)
        assert mismatch(literal(x), law("add", number, x)) is None, number


def test_weak_kinds_above_the_arrays_kind() -> None:
    for name, number, wanted in [
        ("bool", 2, "i64"),
        ("bool", 0.5, "f64"),
        ("i8", 0.5, "f64"),
        ("u64", 0.5, "f64"),
        ("f16", 2, "f16"),
        ("bf16", 0.5, "bf16"),
        ("f32", 0.1, "f32"),
    ]:
        x: Array = np.ones(2, BY_NAME[name].numpy)
        assert opsir.add(x, number).dtype == BY_NAME[wanted].numpy


@pytest.mark.filterwarnings(f"ignore:{DIVIDE}")
def test_scalar_with_scalar() -> None:
    for left, right in product((np.float32(2.5), np.int8(-3), np.bool_(True)), repeat=2):
        for op in ("add", "mul", "div", "lt", "maximum", "pow"):
            if op == "pow" and right.dtype == np.int8 and left.dtype != np.float32:
                continue
            got = spelled(op)
            ours = jitted(got)(left, right)
            assert mismatch(ours, law(op, left, right)) is None, (op, left, right)


def test_negative_integer_powers_are_refused_whatever_the_base() -> None:
    power = opsir.jit(lambda a, b: a**b)
    for base in (0, 1, -1, 2):
        x, out = np.full(40, base, np.int32), np.full(40, 9, np.int32)
        exponent = np.ones(40, np.int32)
        exponent[37] = -1
        with pytest.raises(ValueError, match="negative"):
            power(x, exponent)
        with pytest.raises(ValueError, match="negative"):
            power(x, exponent, out=out)
        assert out[:37].tolist() == [base] * 37


def test_division_by_zero_reports_once_at_the_callers_line() -> None:
    divide = opsir.jit(lambda a, b: a // b + a % b)
    x = np.arange(100, dtype=np.int32)
    with pytest.warns(RuntimeWarning, match=DIVIDE) as caught:
        divide(x, x)
    assert [w.filename for w in caught] == [__file__]
    strict = opsir.jit(int_errors="raise")(lambda a, b: a // b)
    out = np.full(100, -1, np.int32)
    with pytest.raises(ZeroDivisionError):
        strict(x, x, out=out)
    assert out.tolist() == [0, *[1] * 99]
    assert opsir.jit(int_errors="ignore")(lambda a, b: a // b)(x, x).tolist() == out.tolist()
