from __future__ import annotations

from collections.abc import Callable
from typing import Any

import ml_dtypes
import numpy as np
import pytest

from opsir.dtypes import BF16, BOOL, F32, F64, I8, I32, I64
from opsir.frontends.records import Captured, Input, OutSpec
from tests.unit.frontend import FLOAT, INT, INTS, MASK, MATRIX, SCALAR, VECTOR, ops, traced

WEIGHTS = np.ones(3, np.float32)


def test_a_trace_as_text() -> None:
    def f(a: Any, b: Any, s: Any) -> Any:
        return np.where(a > 0, a * s + b, -1), a

    assert str(traced(f, MATRIX, VECTOR, FLOAT)).splitlines() == [
        "f(a0: f32[2], a1: f32[1], a2: weak_float)",
        "r0: bool = gt a0:f32[2], 0:weak_int",
        "r1: f32 = mul a0:f32[2], a2:weak_float",
        "r2: f32 = add r1:f32[2], a1:f32[1]",
        "r3: f32 = where r0:bool[2], r2:f32[2], -1:weak_int",
        "return tuple (r3:f32[2], a0:f32[2])",
    ]


def test_names_and_locations_are_the_users() -> None:
    def named(x: Any, scale: Any) -> Any:
        y = x * scale
        return np.exp(y)

    program = traced(named, MATRIX, FLOAT)
    first = named.__code__.co_firstlineno
    assert program.name == "named"
    assert program.names == ("x", "scale")
    assert program.location is not None
    assert program.location.line == first
    places = [r.location for r in program.records]
    assert [(p.file, p.line) for p in places if p] == [(__file__, first + 1), (__file__, first + 2)]


OPERATORS: list[tuple[Callable[[Any], Any], str]] = [
    (lambda x: x + 1, "add a0:i32[1], 1:weak_int"),
    (lambda x: 1 + x, "add 1:weak_int, a0:i32[1]"),
    (lambda x: x - 1, "sub a0:i32[1], 1:weak_int"),
    (lambda x: 1 - x, "sub 1:weak_int, a0:i32[1]"),
    (lambda x: x * 2, "mul a0:i32[1], 2:weak_int"),
    (lambda x: 2 * x, "mul 2:weak_int, a0:i32[1]"),
    (lambda x: x / 2, "div a0:i32[1], 2:weak_int"),
    (lambda x: 2 / x, "div 2:weak_int, a0:i32[1]"),
    (lambda x: x // 2, "div_floor a0:i32[1], 2:weak_int"),
    (lambda x: 2 // x, "div_floor 2:weak_int, a0:i32[1]"),
    (lambda x: x % 2, "mod a0:i32[1], 2:weak_int"),
    (lambda x: 2 % x, "mod 2:weak_int, a0:i32[1]"),
    (lambda x: x**2, "pow a0:i32[1], 2:weak_int"),
    (lambda x: 2**x, "pow 2:weak_int, a0:i32[1]"),
    (lambda x: pow(x, 2), "pow a0:i32[1], 2:weak_int"),
    (lambda x: x & 1, "bitwise_and a0:i32[1], 1:weak_int"),
    (lambda x: 1 & x, "bitwise_and 1:weak_int, a0:i32[1]"),
    (lambda x: x | 1, "bitwise_or a0:i32[1], 1:weak_int"),
    (lambda x: 1 | x, "bitwise_or 1:weak_int, a0:i32[1]"),
    (lambda x: x ^ 1, "bitwise_xor a0:i32[1], 1:weak_int"),
    (lambda x: 1 ^ x, "bitwise_xor 1:weak_int, a0:i32[1]"),
    (lambda x: x << 1, "shift_left a0:i32[1], 1:weak_int"),
    (lambda x: 1 << x, "shift_left 1:weak_int, a0:i32[1]"),
    (lambda x: x >> 1, "shift_right a0:i32[1], 1:weak_int"),
    (lambda x: 1 >> x, "shift_right 1:weak_int, a0:i32[1]"),
    (lambda x: -x, "neg a0:i32[1]"),
    (lambda x: +x, "positive a0:i32[1]"),
    (lambda x: abs(x), "abs a0:i32[1]"),
    (lambda x: ~x, "bitwise_not a0:i32[1]"),
    (lambda x: x == 1, "eq a0:i32[1], 1:weak_int"),
    (lambda x: x != 1, "ne a0:i32[1], 1:weak_int"),
    (lambda x: x < 1, "lt a0:i32[1], 1:weak_int"),
    (lambda x: x <= 1, "le a0:i32[1], 1:weak_int"),
    (lambda x: x > 1, "gt a0:i32[1], 1:weak_int"),
    (lambda x: x >= 1, "ge a0:i32[1], 1:weak_int"),
]


@pytest.mark.parametrize(("function", "record"), OPERATORS)
def test_operators(function: Callable[[Any], Any], record: str) -> None:
    assert ops(traced(function, INTS)) == [record]


def test_divmod_gives_both_results() -> None:
    assert ops(traced(lambda x: divmod(x, 3), INTS)) == [
        "div_floor a0:i32[1], 3:weak_int",
        "mod a0:i32[1], 3:weak_int",
    ]
    assert ops(traced(lambda x: divmod(7, x), INTS, rules="c")) == [
        "div_floor 7:weak_int, a0:i32[1]",
        "mod 7:weak_int, a0:i32[1]",
    ]


def test_division_follows_the_rules_for_operators_only() -> None:
    def f(x: Any) -> Any:
        return x / 2, x % 2, x // 2, np.divide(x, 2), np.remainder(x, 2)

    numpy, c = (traced(f, INTS, rules=rules) for rules in ("numpy", "c"))
    assert [r.op for r in numpy.records] == ["div", "mod", "div_floor", "div", "mod"]
    assert [r.op for r in c.records] == ["div_trunc", "rem", "div_floor", "div", "mod"]
    assert [r.op for r in traced(f, VECTOR, rules="c").records][:2] == ["div", "mod"]
    assert [r.op for r in traced(lambda x: x / 2.0, INTS, rules="c").records] == ["div"]


def test_scalars_stay_scalars_and_rank_is_the_largest() -> None:
    def f(x: Any, s: Any) -> Any:
        t = s * np.float32(2)
        return t, x + t, x > t

    program = traced(f, MATRIX, SCALAR)
    assert [(r.dtype, r.ndim) for r in program.records] == [(F32, None), (F32, 2), (BOOL, 2)]


@pytest.mark.parametrize(
    ("value", "text", "dtype"),
    [
        (True, "bool:01:bool", F32),
        (np.bool_(False), "bool:00:bool", F32),
        (3, "3:weak_int", F32),
        (0.1, "0x1.999999999999ap-4:weak_float", F32),
        (np.float64(0.5), "float64:000000000000e03f:f64", F64),
        (np.int8(-1), "int8:ff:i8", F32),
        (np.int64(1), "int64:0100000000000000:i64", F64),
        (ml_dtypes.bfloat16(1), "bfloat16:803f:bf16", F32),
    ],
)
def test_literals(value: Any, text: str, dtype: Any) -> None:
    for f in (lambda x: x * value, lambda x: value * x):
        program = traced(f)
        assert text in ops(program)[0]
        assert program.records[0].dtype == dtype
        assert program.hidden == ()


def test_signed_zeros_and_nans_are_different_literals() -> None:
    texts = {ops(traced(lambda x, v=v: x * v))[0] for v in (0.0, -0.0, 0, float("nan"))}
    assert len(texts) == 4


def test_strict_literals_have_dtypes() -> None:
    program = traced(lambda x: (x * 2, x * 0.5), scalars="strict")
    assert [r.operands[1].dtype for r in program.records] == [I64, F64]
    assert [r.dtype for r in program.records] == [F64, F64]


def test_captured_arrays_are_hidden_arguments_read_at_each_call() -> None:
    def f(x: Any) -> Any:
        return x * WEIGHTS + WEIGHTS - np.arange(3)

    program = traced(f)
    assert [str(a) for a in program.arguments] == ["f32[2]", "f32[1]", "i64[1]"]
    assert program.given == 1
    first = program.hidden[0]
    assert isinstance(first, Captured)
    assert first.value is WEIGHTS
    assert program.hidden_values([np.ones((2, 3))])[0] is WEIGHTS
    assert program.records[0].operands[1].value == program.records[1].operands[1].value == Input(1)


def test_captured_sequences_are_kept_as_they_are() -> None:
    weights = [1, 2, 3]
    program = traced(lambda x: np.maximum(x, weights) * [[0.5]])
    assert [str(a) for a in program.arguments[1:]] == ["i64[1]", "f64[2]"]
    assert program.hidden_values([None])[0] is weights


def test_arrays_on_the_left_trace_too() -> None:
    program = traced(lambda x: (WEIGHTS - x, np.float32(1) / x, WEIGHTS % x))
    assert [r.op for r in program.records] == ["sub", "div", "mod"]
    assert [str(r.operands[1]) for r in program.records] == ["a0:f32[2]"] * 3


def test_in_place_operators_change_a_local_result_for_all_its_names() -> None:
    def f(x: Any) -> Any:
        y = x * 2
        alias = y
        y += 1
        y **= 2
        return alias

    assert ops(traced(f)) == [
        "mul a0:f32[2], 2:weak_int",
        "add r0:f32[2], 1:weak_int",
        "pow r1:f32[2], 2:weak_int",
    ]


def test_in_place_keeps_dtype_and_shape_as_numpy_does() -> None:
    def f(x: Any, y: Any) -> Any:
        z = x * 1
        z += np.float64(2)
        z += y
        return z

    program = traced(f, MATRIX, VECTOR)
    assert [r.op for r in program.records] == ["mul", "add", "cast", "add", "broadcast"]
    assert program.results[0].dtype == F32


@pytest.mark.parametrize("op", ["+", "-", "*", "/", "//", "%", "**"])
def test_every_in_place_operator_of_floats(op: str) -> None:
    space: dict[str, Any] = {}
    exec(f"def f(x):\n    y = x.copy()\n    y {op}= 2\n    return y", space)
    plain = traced(eval(f"lambda x: x {op} 2"))
    assert ops(traced(space["f"])) == ops(plain)


@pytest.mark.parametrize("op", ["&", "|", "^", "<<", ">>"])
def test_every_in_place_operator_of_integers(op: str) -> None:
    space: dict[str, Any] = {}
    exec(f"def f(x):\n    y = x.copy()\n    y {op}= 2\n    return y", space)
    assert ops(traced(space["f"], INTS)) == ops(traced(eval(f"lambda x: x {op} 2"), INTS))


def test_scalars_and_numbers_are_rebound_in_place() -> None:
    def f(s: Any, n: Any) -> Any:
        s *= 2
        n += 1
        return s, n

    assert [r.op for r in traced(f, SCALAR, INT).records] == ["mul", "cast"]


def test_what_a_function_may_return() -> None:
    assert traced(lambda x: x).results[0].value == Input(0)
    assert traced(lambda x: WEIGHTS).results[0].value == Input(1)
    assert traced(lambda x: [x, x]).structure == "tuple"
    constants = traced(lambda x: (3, 0.5, True, np.int8(1)))
    assert [r.dtype for r in constants.results] == [I64, F64, BOOL, I8]
    assert traced(lambda x: 0.5, rules="c").results[0].dtype == F32
    assert traced(lambda x: 0.5, scalars="strict", rules="c").results[0].dtype == F64


def test_plain_attributes() -> None:
    def f(x: Any) -> Any:
        assert x.dtype == np.float32
        assert (x.ndim, x.itemsize, len(x.shape)) == (2, 4, 2)
        assert (x > 0).dtype == bool
        assert repr(x) == str(x) == f"{x}" == "<a traced f32 array of rank 2>"
        return x.astype("bf16"), x.astype(float), x.astype(np.float32), x.astype(ml_dtypes.bfloat16)

    program = traced(f)
    assert [r.dtype for r in program.results] == [BF16, F64, F32, BF16]
    assert [r.op for r in program.records] == ["gt", "cast", "cast", "cast"]


def test_bools_have_no_arithmetic_but_logic() -> None:
    assert traced(lambda m: (m & (m | True)) ^ ~m, MASK).results[0].dtype == BOOL


def test_outs_are_described_but_not_recorded() -> None:
    program = traced(lambda x: x, outs=(OutSpec(F64, 3),))
    assert program.records == ()
    assert str(program).splitlines()[-1] == "out (f64[3])"


def test_digests_ignore_places_and_values_of_arguments() -> None:
    one = traced(lambda x, s: x * (s + 1), MATRIX, INT)
    two = traced(lambda x, s: x * (s + 2), MATRIX, INT)
    three = traced(lambda x, s: x / (s + 1), MATRIX, INT)
    assert one.digest == two.digest != three.digest
    assert traced(lambda x: x + WEIGHTS).digest == traced(lambda x: x + WEIGHTS.copy()).digest
    assert traced(lambda x: x + 1).digest != traced(lambda x: x + 2).digest
    assert traced(lambda x: x + 1).digest != traced(lambda x: x + 1.0).digest
    assert traced(lambda x: x + 1, MATRIX).digest != traced(lambda x: x + 1, VECTOR).digest


def test_a_dtype_is_known_after_every_record() -> None:
    def f(x: Any, i: Any) -> Any:
        assert (x * i).dtype == np.float64
        assert (i / 2).dtype == np.float64
        assert (i * 2).dtype == np.int32
        return i * np.float32(2)

    assert traced(f, VECTOR, INTS).results[0].dtype == F64
    assert traced(lambda i: i * True, INTS).results[0].dtype == I32
