"""What a traced function may not do: each refusal, its message, and the user's line."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import opsir
from opsir.diagnostics import (
    OpsirAttributeError,
    OpsirError,
    OpsirNotImplementedError,
    OpsirOverflowError,
    OpsirTypeError,
    OpsirValueError,
)
from opsir.dtypes import F16, F32, F64, I32
from opsir.frontends.records import ArgSpec, OutSpec
from opsir.promotion import PromotionError
from tests.unit.frontend import (
    FLOAT,
    INT,
    INTS,
    MASK,
    MATRIX,
    SCALAR,
    VECTOR,
    refused,
    traced,
)

WEIGHTS = np.ones(3, np.float32)

PYTHON_ONLY: list[tuple[Callable[[Any], Any], str]] = [
    (lambda x: 1 if x else 2, "a traced f32 array of rank 2 has no truth value"),
    (lambda x: x and 1, "use np.where instead of if"),
    (lambda x: not x, "has no truth value"),
    (lambda x: 0 < x < 1, "(a < b) & (b < c) for a < b < c"),
    (lambda x: max(x, 1), "a traced bool array of rank 2 has no truth value"),
    (lambda x: list(x), "cannot be iterated"),
    (lambda x: 1 in x, "cannot be searched with 'in'"),
    (lambda x: len(x), "has no len() while the function is traced; use x.shape[0]"),
    (lambda x: int(x), "so it is no int()"),
    (lambda x: float(x), "so it is no float(); use NumPy's functions instead of math's"),
    (lambda x: complex(x), "so it is no complex()"),
    (lambda x: math.sqrt(x), "use NumPy's functions instead of math's"),
    (lambda x: range(x), "cannot be an index, a range()"),
    (lambda x: [1, 2][x], "cannot be an index, a range()"),
    (lambda x: round(x), "use np.round(x), opsir.rint or opsir.round"),
    (lambda x: pow(x, 2, 3), "takes no modulus in pow()"),
    (lambda x: x @ x, "has no matrix product in this version"),
    (lambda x: 2 @ x, "has no matrix product in this version"),
    (lambda x: {x: 1}, "is not hashable"),
    (lambda x: f"{x:.2f}", "has no value while the function is traced, so it has no format"),
    (lambda x: x[[0, 1]], "indexing with arrays, lists or bools does not trace"),
    (lambda x: x[np.array([0, 1])], "use np.where to select by a condition"),
    (lambda x: x[x > 0], "indexing with arrays, lists or bools does not trace"),
    (lambda x: x[True], "indexing with arrays, lists or bools does not trace"),
    (lambda x: x[: x.shape[0]], "has no value while the function is traced, so it cannot be an"),
    (lambda x: x["a"], "only integers, slices, ... and None are indices in a traced function"),
    (lambda x: np.asarray(x), "cannot become a NumPy array"),
    (lambda x: np.array([x, x]), "cannot become a NumPy array"),
    (lambda x: np.float32(x), "cannot become a NumPy array"),
]


@pytest.mark.parametrize(("function", "message"), PYTHON_ONLY)
def test_what_needs_a_value(function: Callable[[Any], Any], message: str) -> None:
    refused(function, message)


ATTRIBUTES: list[tuple[Callable[[Any], Any], str]] = [
    (lambda x: x.sum, "does not offer 'sum' in this version (reductions are still to come)"),
    (lambda x: x.argsort(), "does not offer 'argsort' in this version"),
    (lambda x: x.sum(), "it has dtype, ndim, shape, size, itemsize, astype, clip, copy, round"),
    (lambda x: x.frobnicate, "a traced f32 array of rank 2 has no attribute 'frobnicate'"),
    (lambda x: x.shape[0].real, "the size of a traced array has no attribute 'real'"),
]


@pytest.mark.parametrize(("function", "message"), ATTRIBUTES)
def test_attributes(function: Callable[[Any], Any], message: str) -> None:
    refused(function, message, error=OpsirAttributeError)
    assert traced(lambda x: x + hasattr(x, "T")).records


OPERANDS: list[tuple[Callable[[Any], Any], str]] = [
    (lambda x: x + "a", "an operand is a str; opsir takes arrays, Python and NumPy numbers"),
    (lambda x: x == None, "an operand is a NoneType"),  # noqa: E711
    (lambda x: x + {}, "an operand is a dict"),
    (lambda x: x + object(), "an operand is an object"),
    (lambda x: x * [[1], [2, 3]], "an operand is no array of numbers: setting an array element"),
    (lambda x: x + 1j, "a captured array has dtype complex128"),
    (lambda x: x + np.array(["a"]), "dtype <U1, opsir has bool, u8"),
    (lambda x: x + np.ones(3, ">f4"), "x.astype(x.dtype.newbyteorder('='))"),
    (lambda x: x + np.ones(3, [("a", "f4")]), "pass its fields one by one"),
    (lambda x: x + np.complex64(1), "a number has dtype complex64"),
    (lambda x: x + np.ma.ones(3), "is a masked array, whose mask opsir does not see"),
    (lambda x: np.add(x, np.datetime64("2020")), "a number has dtype datetime64"),
]


@pytest.mark.parametrize(("function", "message"), OPERANDS)
def test_operands(function: Callable[[Any], Any], message: str) -> None:
    refused(function, message)


PROMOTIONS: list[tuple[Callable[[Any], Any], ArgSpec, str]] = [
    (lambda x: ~x, MATRIX, "bitwise_not does not take (f32)"),
    (lambda x: x & 1, MATRIX, "bitwise_and does not take (f32, Python int)"),
    (lambda m: -m, MASK, "neg does not take (bool)"),
    (lambda m: m - m, MASK, "sub does not take (bool, bool)"),
    (lambda s: s << 1.5, SCALAR, "shift_left does not take (f32, Python float)"),
]


@pytest.mark.parametrize(("function", "spec", "message"), PROMOTIONS)
def test_dtypes(function: Callable[[Any], Any], spec: ArgSpec, message: str) -> None:
    refused(function, message, spec, error=PromotionError)


def test_rules_c_refuse_bools() -> None:
    refused(lambda m: m + 1, "add does not take (bool", MASK, error=PromotionError, rules="c")


def test_numpy_hides_which_division_was_meant() -> None:
    message = "cannot be told apart when a NumPy array comes first"
    refused(lambda x: np.arange(3) / x, message, INTS, rules="c")
    refused(lambda x: np.int32(7) % x, message, INTS, rules="c")
    assert traced(lambda x: WEIGHTS / x, INTS, rules="c").records[0].op == "div"
    assert traced(lambda x: np.arange(3) // x, INTS, rules="c").records[0].op == "div_floor"


def test_an_argument_is_not_changed_in_place() -> None:
    def assign(x: Any) -> Any:
        y = x + 1
        x[0] = y  # <- refused
        return x

    def add(x: Any) -> Any:
        x += 1  # <- refused
        return x

    def delete(x: Any) -> Any:
        del x[0]  # <- refused
        return x

    refused(assign, "does not take item assignment; return the new value")
    refused(add, "is an argument and cannot be changed; return the new value and give out= to")
    refused(add, "is an argument and cannot be changed", ArgSpec("array", F32, 0))
    refused(delete, "does not take item deletion")


def test_in_place_needs_the_same_kind_rank_and_memory_of_its_own() -> None:
    def kind(x: Any) -> Any:
        y = x.astype("i4")
        y += 1.5  # <- refused
        return y

    def rank(x: Any, v: Any) -> Any:
        y = v + 1
        y += x  # <- refused
        return y

    def view(x: Any) -> Any:
        y = np.broadcast_to(x + 1, (4, 2, 3))
        y += 1  # <- refused
        return y

    def viewed(x: Any) -> Any:
        y = x + 1
        z = np.broadcast_to(y, (4, 2, 3))
        y += 1  # <- refused
        return z

    refused(kind, "cannot cast f64 to i32 under casting='same_kind'; use astype('i32')")
    refused(rank, "cannot hold a result of rank 2", MATRIX, VECTOR)
    refused(view, "shares memory with another array and cannot be changed; use copy()")
    refused(viewed, "shares memory with another array and cannot be changed; use copy()")


def test_captured_arrays_are_not_written() -> None:
    weights = np.ones(3)

    def add(x: Any) -> Any:
        nonlocal weights
        weights += x  # <- refused
        return x

    def assign(x: Any) -> Any:
        weights[:] = x  # <- refused
        return x

    refused(add, "np.add takes no out= in a traced function; return the new value")
    refused(assign, "cannot become a NumPy array")


RESULTS: list[tuple[Callable[[Any], Any], str]] = [
    (lambda x: None, "'<lambda>' returns None; a traced function returns an array or a number"),
    (lambda x: (), "'<lambda>' returns an empty tuple"),
    (lambda x: {"a": x}, "'<lambda>' returns a value of type dict"),
    (lambda x: (x, (x,)), "'<lambda>' returns a value of type tuple"),
    (lambda x: (x, None), "'<lambda>' returns None"),
    (lambda x: "a", "'<lambda>' returns a value of type str"),
    (lambda x: 1j, "'<lambda>' returns a value of type complex"),
]


@pytest.mark.parametrize(("function", "message"), RESULTS)
def test_results(function: Callable[[Any], Any], message: str) -> None:
    refused(function, message)


def test_traced_values_do_not_outlive_their_trace() -> None:
    kept: list[Any] = []

    def keep(x: Any) -> Any:
        kept.append(x)
        return x

    def use(x: Any) -> Any:
        return x + kept[0]  # <- refused

    traced(keep)
    refused(use, "a traced value of another function is used here")
    with pytest.raises(OpsirTypeError, match="used after the function that it belongs to has"):
        _ = kept[0] + 1


def test_a_trace_ends_even_when_the_function_raises() -> None:
    kept: list[Any] = []

    def fails(x: Any) -> Any:
        kept.append(x)
        raise KeyError("the user's own")

    with pytest.raises(KeyError, match="own"):
        traced(fails)
    with pytest.raises(OpsirTypeError, match="has returned"):
        _ = kept[0] + 1


CASTS: list[tuple[Callable[[Any], Any], str]] = [
    (lambda x: x.astype("c8"), "'c8' is no dtype that opsir has: bool, u8"),
    (lambda x: x.astype(">f4"), "'>f4' is no dtype that opsir has"),
    (lambda x: x.astype("nonsense"), "'nonsense' is no dtype that opsir has"),
    (lambda x: x.astype(None), "None is no dtype that opsir has"),
    (lambda x: x.astype("i1", casting="safe"), "cannot cast f32 to i8 under casting='safe'"),
    (lambda x: x.astype("i1", casting="same_kind"), "under casting='same_kind'"),
    (lambda x: x.astype("i1", casting="no"), "takes casting unsafe, same_kind, safe, got 'no'"),
    (lambda x: opsir.cast(x, "c8"), "'c8' is no dtype that opsir has"),
]


@pytest.mark.parametrize(("function", "message"), CASTS)
def test_casts(function: Callable[[Any], Any], message: str) -> None:
    refused(function, message)


def test_outs() -> None:
    def refuse(message: str, error: type[OpsirError], *outs: OutSpec, **options: Any) -> None:
        with pytest.raises(error, match=message) as caught:
            traced(lambda x: x, outs=outs, **options)
        assert caught.value.location is not None
        assert caught.value.location.file.endswith("frontend.py")

    refuse("out= of dtype i32 cannot hold result 0 of dtype f32", OpsirTypeError, OutSpec(I32, 2))
    refuse("out= has rank 1, but result 0 has rank 2", OpsirValueError, OutSpec(F64, 1))
    refuse("one array for each of the 1 results, got 2", OpsirValueError, *[OutSpec(F32, 2)] * 2)
    refuse("has rank 3", OpsirValueError, OutSpec(F32, 3), rank_extension="error")
    assert traced(lambda x: x, outs=(OutSpec(F16, 3),)).outs


def test_rank_extension() -> None:
    message = "add takes operands of ranks 2 and 1, and rank_extension is 'error'"
    refused(
        lambda x, v: x + v,
        message,
        MATRIX,
        VECTOR,
        error=OpsirValueError,
        rank_extension="error",
    )
    ranks = traced(lambda x, v, s: x * s + opsir.align(v, 1, 2) + 1, MATRIX, VECTOR, FLOAT)
    assert ranks.results[0].ndim == 2


def test_contracts_count_arguments_and_results() -> None:
    refused(
        lambda x, v: x + v,
        "contract '(n,c)->(n,c)' is one of 1 arguments and 1 results, but the function has 2 and 1",
        MATRIX,
        VECTOR,
        error=OpsirValueError,
        contract="(n,c)->(n,c)",
    )


def test_integers_beyond_any_use() -> None:
    refused(lambda x: x * 2**5000, "of 5001 bits is above the limit", error=OpsirOverflowError)
    refused(lambda x: x * 2**70, "does not fit i64", error=OpsirOverflowError, scalars="strict")
    assert traced(lambda x: x < 2**70, INTS).records[0].op == "lt"


@pytest.mark.parametrize("function", [lambda x: np.sum(x), lambda x: np.logaddexp(x, x)])
def test_numpy_functions_that_do_not_trace(function: Callable[[Any], Any]) -> None:
    refused(function, "does not trace; what does: absolute, add,", error=OpsirNotImplementedError)


def test_numbers_need_python_integers_for_bits() -> None:
    refused(lambda n: n & 1.5, "bitwise_and takes integers, got a Python float", INT)
