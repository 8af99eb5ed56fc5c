"""Every op on every dtype against NumPy's eager result, bit for bit where the semantics agree."""

from __future__ import annotations

from collections.abc import Callable
from importlib import import_module
from typing import Any

import numpy as np
import pytest

from opsir.diagnostics import OpsirError
from opsir.dtypes import ALL, BF16, BOOL, F16, I8, I64, U8, U64, DType
from opsir.evaluate import SUPPORTED, evaluate
from opsir.promotion import NUMPY_NAME, OP_RULES, resolve

Array = np.ndarray[Any, np.dtype[Any]]
Values = Callable[[DType], Array]

NOT_IN_NUMPY = {
    *("rsqrt", "fma", "erf", "erfc", "round", "relu", "div_trunc"),
    *("sigmoid", "softplus", "silu", "gelu", "gelu_tanh"),
}
LIBRARY = {
    *("exp", "exp2", "expm1", "log", "log2", "log10", "log1p", "cbrt", "pow", "hypot", "atan2"),
    *("sin", "cos", "tan", "asin", "acos", "atan"),
    *("sinh", "cosh", "tanh", "asinh", "acosh", "atanh"),
}
"""Their digits are a matter of accuracy, not of semantics, except where integers take them."""

ORDERED = {"minimum", "maximum", "fmin", "fmax", "clip"}
"""NumPy leaves the sign of a zero open."""

SAME = [*sorted(OP_RULES.keys() - NOT_IN_NUMPY - LIBRARY), "pow"]


def bits(x: Array) -> Array:
    """Bit patterns, with all NaNs mapped to one."""
    with np.errstate(all="ignore"):
        plain = np.where(x != x, np.full_like(x, np.nan) if x.dtype.kind not in "?iu" else x, x)
    return np.ascontiguousarray(plain).view(f"u{x.dtype.itemsize}")


def without_sign_of_zero(x: Array) -> Array:
    with np.errstate(all="ignore"):
        return np.where(x == 0, np.zeros_like(x), x)


def pairs(special: Array, random: Array, count: int) -> list[Array]:
    """All tuples of special values (thinned out for three operands), then random ones."""
    thinned = [special] + [special[:: 1 if count < 3 else 3]] * (count - 1)
    grids = np.meshgrid(*thinned, indexing="ij")
    return [np.concatenate([grid.ravel(), np.roll(random, 7 * i)]) for i, grid in enumerate(grids)]


def legal(op: str, dtype: DType, count: int) -> DType | None:
    """The result dtype if the op computes in ``dtype``, else None."""
    try:
        resolution = resolve(OP_RULES[op], (dtype,) * count)
    except OpsirError:
        return None
    return resolution.result if set(resolution.operands) == {dtype} else None


def numpy_function(op: str) -> np.ufunc:
    name = NUMPY_NAME[op]
    return getattr(import_module("numpy._core.umath") if name == "clip" else np, name)


def differs_on_purpose(op: str, dtype: DType, operands: list[Array]) -> Array:
    """Where NumPy and the semantics part ways."""
    x, y = operands[0], operands[-1]
    if op == "sign" and dtype is BF16:
        return x == 0
    if op == "reciprocal" and dtype.is_integer:
        return x == 0
    if op == "nextafter" and dtype is F16:
        return (x == 0) & (y == 0)
    return np.zeros(x.shape, np.bool_)


def test_every_op_has_a_rule() -> None:
    assert OP_RULES.keys() | {"cast"} == SUPPORTED


@pytest.mark.parametrize("op", [op for op in SAME if op != "where"])
@pytest.mark.parametrize("dtype", ALL, ids=str)
def test_equals_numpy(op: str, dtype: DType, special_values: Values, random_values: Values) -> None:
    function = numpy_function(op)
    result = legal(op, dtype, function.nin)
    if result is None or (op == "pow" and dtype.is_float):
        return
    operands = pairs(special_values(dtype), random_values(dtype), function.nin)
    if op == "pow":
        operands[1] = np.where(operands[1] < 0, 0, operands[1]).astype(dtype.numpy)
    if dtype is BF16 and op == "clip":
        function = _clip_bf16
    with np.errstate(all="ignore"):
        expected: Array = function(*operands)
    got = evaluate(op, operands, result)
    assert got.dtype == expected.dtype == result.numpy
    if op in ORDERED:
        got, expected = without_sign_of_zero(got), without_sign_of_zero(expected)
    with np.errstate(all="ignore"):
        compared = ~differs_on_purpose(op, dtype, operands)
    np.testing.assert_array_equal(bits(got)[compared], bits(expected)[compared])


def _clip_bf16(x: Array, low: Array, high: Array) -> Array:
    """NumPy's own loop for bf16 gives f32."""
    return np.minimum(np.maximum(x, low), high)


@pytest.mark.parametrize("dtype", ALL, ids=str)
def test_where_moves_bits(dtype: DType, special_values: Values) -> None:
    x = special_values(dtype)
    y = x[::-1].copy()
    condition = np.arange(x.size) % 3 == 0
    got = evaluate("where", [condition, x, y], dtype)
    raw = f"u{dtype.itemsize}"
    expected = np.where(condition, x.view(raw), y.view(raw))
    np.testing.assert_array_equal(got.view(raw), expected)


@pytest.mark.parametrize("op", ["eq", "ne", "lt", "le", "gt", "ge"])
def test_integers_of_both_signs_compare_by_value(op: str, special_values: Values) -> None:
    for left, right in [(I64, U64), (U64, I64), (I8, U64), (U8, I64), (U64, I8)]:
        x, y = pairs(special_values(left), special_values(left)[:0], 1)[0], special_values(right)
        grid = np.meshgrid(x.astype(object), y.astype(object), indexing="ij")
        expected = numpy_function(op)(*grid).astype(np.bool_)
        got = evaluate(op, [x[:, None], y[None, :]], BOOL)
        np.testing.assert_array_equal(got, expected)


def test_the_kind_and_shape_follow_the_operands() -> None:
    scalar = evaluate("add", [np.int32(2**31 - 1), np.int32(1000)], I64)
    assert type(scalar) is np.int64
    assert scalar == -2147482649  # The op wraps in its own dtype before any conversion.
    rank0 = evaluate("neg", [np.array(1.5)], ALL[-1])
    assert not isinstance(rank0, np.generic)
    assert rank0.shape == ()
    empty = evaluate("mul", [np.ones((0, 1), BF16.numpy), np.ones((1, 5), BF16.numpy)], BF16)
    assert empty.shape == (0, 5)
    assert empty.dtype == BF16.numpy
    half = evaluate("add", [BF16.numpy.type(1), BF16.numpy.type(2)], BF16)
    assert type(half) is BF16.numpy.type
    assert half.dtype == BF16.numpy


def test_the_result_is_new_and_operands_may_have_any_layout() -> None:
    x = np.arange(12.0).reshape(3, 4)
    for view in (x, x.T, x[::-1, ::2], x.astype(">f8").astype("=f8")):
        got = evaluate("positive", [view], ALL[-1])
        assert not np.shares_memory(got, view)
        np.testing.assert_array_equal(got, view)


def test_a_bool_byte_that_is_not_zero_is_true() -> None:
    odd = np.array([0, 1, 2, 255], np.uint8).view(np.bool_)
    assert evaluate("cast", [odd], U8).tolist() == [0, 1, 1, 1]
    assert evaluate("bitwise_xor", [odd, odd[::-1].copy()], BOOL).tolist() == [
        *(True, False, False, True)
    ]
