from __future__ import annotations

import itertools
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from opsir.diagnostics import OpsirError, OpsirNotImplementedError
from opsir.dialects.opsir import BY_NAME
from opsir.dtypes import ALL, BF16, I8, DType
from opsir.frontends.numpy_api import UFUNCS
from opsir.frontends.records import ArgSpec
from opsir.promotion import NUMPY_NAME
from tests.unit.frontend import INT, INTS, MASK, VECTOR, ops, refused, traced

BOUNDS = np.zeros(3, np.float32)
LETTER: Any = "Z"


@pytest.mark.parametrize("ufunc", UFUNCS, ids=lambda u: u.__name__)
def test_each_ufunc_is_the_op_whose_table_it_has(ufunc: np.ufunc) -> None:
    op = UFUNCS[ufunc]
    assert getattr(np, NUMPY_NAME[op]) is ufunc
    assert ufunc.nin == BY_NAME[op].arity


def test_each_op_with_a_ufunc_of_its_own_is_reached() -> None:
    lacking = set(BY_NAME) - set(UFUNCS.values())
    assert lacking == {
        *("div_trunc", "rsqrt", "fma", "clip", "where", "round", "relu", "erf", "erfc"),
        *("sigmoid", "softplus", "silu", "gelu", "gelu_tanh"),
    }


def _dtype_of_numpy(ufunc: np.ufunc, dtypes: tuple[DType, ...]) -> np.dtype[Any] | None:
    arrays = [np.ones(1, d.numpy) for d in dtypes]
    try:
        with np.errstate(all="ignore"):
            return ufunc(*arrays).dtype
    except TypeError:
        return None


@pytest.mark.parametrize("ufunc", UFUNCS, ids=lambda u: u.__name__)
def test_traced_dtypes_are_numpys(ufunc: np.ufunc) -> None:
    rows = [d for d in ALL if d is not BF16]
    for dtypes in itertools.product(rows, repeat=ufunc.nin):
        specs = [ArgSpec("array", d, 1) for d in dtypes]
        expected = _dtype_of_numpy(ufunc, dtypes)
        try:
            found = traced(lambda *xs: ufunc(*xs), *specs).records[0].dtype.numpy
        except OpsirError:
            found = None
        assert found == expected, dtypes


FUNCTIONS: list[tuple[Callable[[Any], Any], list[str]]] = [
    (lambda x: np.where(x > 0, x, 1), ["gt a0:f32[2], 0:weak_int", "where r0:bool[2], a0"]),
    (lambda x: np.where(BOUNDS, 0.0, x), ["where a1:f32[1], 0x0.0p+0:weak_float, a0:f32[2]"]),
    (lambda x: np.clip(x, 0, 1), ["clip a0:f32[2], 0:weak_int, 1:weak_int"]),
    (lambda x: np.clip(x, min=0, max=1), ["clip a0:f32[2], 0:weak_int, 1:weak_int"]),
    (lambda x: np.clip(x, 0, None), ["maximum a0:f32[2], 0:weak_int"]),
    (lambda x: np.clip(x, a_min=None, a_max=1), ["minimum a0:f32[2], 1:weak_int"]),
    (lambda x: np.clip(x, None, None), []),
    (lambda x: np.clip(BOUNDS, 0, x), ["clip a1:f32[1], 0:weak_int, a0:f32[2]"]),
    (lambda x: x.clip(0, 1), ["clip a0:f32[2], 0:weak_int, 1:weak_int"]),
    (lambda x: x.clip(max=1), ["minimum a0:f32[2], 1:weak_int"]),
    (lambda x: np.round(x), ["rint a0:f32[2]"]),
    (lambda x: np.around(x, decimals=0), ["rint a0:f32[2]"]),
    (lambda x: x.round(), ["rint a0:f32[2]"]),
    (lambda x: np.astype(x, np.int8), ["cast a0:f32[2]"]),
    (lambda x: np.copy(x), []),
    (lambda x: np.abs(x), ["abs a0:f32[2]"]),
    (lambda x: np.add(x, 1, out=None, where=True, dtype=None), ["add a0:f32[2], 1:weak_int"]),
    (lambda x: np.divmod(x, 2), ["div_floor a0:f32[2], 2:weak_int", "mod a0:f32[2], 2:weak_int"]),
    (lambda x: np.divmod(1, x), ["div_floor 1:weak_int, a0:f32[2]", "mod 1:weak_int, a0:f32[2]"]),
    (lambda x: np.zeros_like(x), ["cast 0:weak_int", "broadcast r0:f32 sizes [0, 1]"]),
    (lambda x: np.ones_like(x, dtype="i1"), ["cast 1:weak_int", "broadcast r0:i8 sizes [0, 1]"]),
    (lambda x: np.full_like(x, 2.5), ["cast 0x1.4000000000000p+1:weak_float", "broadcast r0"]),
    (lambda x: x.astype(np.result_type(x, 1, np.float64)), ["cast a0:f32[2]"]),
]


@pytest.mark.parametrize(("function", "records"), FUNCTIONS)
def test_functions(function: Callable[[Any], Any], records: list[str]) -> None:
    found = ops(traced(function))
    assert len(found) == len(records)
    assert all(a.startswith(b) for a, b in zip(found, records, strict=True))


def test_rounding_leaves_integers_alone() -> None:
    assert traced(lambda x: np.round(x), INTS).records == ()
    assert traced(lambda m: np.round(m), MASK).records[0].dtype.name == "f16"


def test_shape_functions() -> None:
    def f(x: Any) -> Any:
        assert np.ndim(x) == 2
        assert len(np.shape(x)) == 2
        assert np.result_type(x, np.float64) == np.float64
        assert np.result_type(x, x.shape[0], 0.5) == np.float32
        return np.size(x), np.size(x, 1)

    assert traced(f).hidden_values([np.ones((4, 5))]) == (20, 5)


def test_filled_like_a_scalar_is_a_scalar() -> None:
    assert traced(lambda x: np.zeros_like(x), ArgSpec("array", BF16, 0)).results[0].ndim is None


KEYWORDS: list[tuple[Callable[[Any], Any], str]] = [
    (lambda x: np.add(x, 1, dtype=float), "np.add takes no dtype= in a traced function; use x.as"),
    (lambda x: np.add(x, 1, where=BOUNDS > 0), "np.add takes no where=: use np.where"),
    (lambda x: np.add(x, 1, where=x > 0), "np.add takes no where="),
    (lambda x: np.add(x, 1, out=BOUNDS), "np.add takes no out= in a traced function; return the"),
    (lambda x: np.add(1, 2, out=x), "np.add takes no out= in a traced function"),
    (lambda x: np.add(x, 1, casting="unsafe"), "np.add takes no casting="),
    (lambda x: np.add(x, 1, signature="dd->d"), "np.add takes no signature="),
    (lambda x: np.clip(x, 0, 1, out=BOUNDS), "np.clip takes no out="),
    (lambda x: np.clip(x, 0, min=1), "np.clip takes each bound once: a_min or min, a_max or max"),
    (lambda x: np.round(x, 2), "round takes decimals=0 in a traced function, got 2"),
    (lambda x: x.round(0.0), "round takes decimals=0 in a traced function, got 0.0"),
    (lambda x: np.where(x), "np.where traces with three arguments: np.where(condition, x, y)"),
    (lambda x: np.zeros_like(x, shape=(2,)), "np.zeros_like takes no shape="),
    (lambda x: np.zeros_like(x, None, "K", True, (2,)), "np.zeros_like takes no shape="),
    (lambda x: np.ones_like(x, order=LETTER), "np.ones_like takes no order="),
    (lambda x: x.clip(0, 1, out=BOUNDS), "clip takes no out="),
]


@pytest.mark.parametrize(("function", "message"), KEYWORDS)
def test_keywords(function: Callable[[Any], Any], message: str) -> None:
    refused(function, message.partition(":")[0])


@pytest.mark.parametrize(
    "function",
    [
        lambda x: np.sum(x),
        lambda x: np.logaddexp(x, x),
        lambda x: np.float_power(x, 2),
        lambda x: np.isclose(x, x),
        lambda x: np.concatenate([x, x]),
        lambda x: np.modf(x),
    ],
)
def test_other_functions_name_those_that_trace(function: Callable[[Any], Any]) -> None:
    refused(function, " does not trace; what does: ", error=OpsirNotImplementedError)
    refused(function, "where, zeros_like, and opsir's own", error=OpsirNotImplementedError)


@pytest.mark.parametrize(
    "function",
    [
        lambda x: np.add.reduce(x),
        lambda x: np.add.accumulate(x),
        lambda x: np.multiply.outer(x, x),
        lambda x: np.add.at(x, 0, 1),
    ],
)
def test_methods_of_ufuncs(function: Callable[[Any], Any]) -> None:
    refused(function, "opsir works element by element", error=OpsirNotImplementedError)


def test_numbers_join_numpy_functions_as_operands() -> None:
    def f(x: Any, n: Any) -> Any:
        return np.minimum(x, n), np.exp(n), np.add(n, 1)

    program = traced(f, VECTOR, INT)
    assert [r.dtype.name for r in program.records] == ["f32", "f64", "i64"]
    assert program.hidden == ()


def test_one_sided_clips_of_integers_go_by_value() -> None:
    """The end of the dtype stands in for the missing bound, unless a bound has a dtype."""
    whole = ArgSpec("array", I8, 1)
    low = ["clip a0:i8[1], -1000:weak_int, 127:weak_int"]
    assert ops(traced(lambda x: np.clip(x, -1000, None), whole)) == low
    high = ["clip a0:i8[1], -128:weak_int, 1000:weak_int"]
    assert ops(traced(lambda x: x.clip(max=1000), whole)) == high
    (record,) = ops(traced(lambda x, n: np.clip(x, n, None), whole, INT))
    assert record.startswith("clip ")
    for bound in (np.int16(5), 0.5):
        (record,) = ops(traced(lambda x, b=bound: np.clip(x, b, None), whole))
        assert record.startswith("maximum ")
    (record,) = ops(traced(lambda x: np.clip(x, 5, None), whole, scalars="strict"))
    assert record.startswith("maximum ")
