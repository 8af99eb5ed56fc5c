from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import opsir
from opsir.diagnostics import OpsirNotImplementedError, OpsirTypeError, OpsirValueError
from opsir.dtypes import F32, F64
from opsir.frontends.options import JitOptions

VALUES: list[tuple[dict[str, Any], dict[str, Any]]] = [
    ({}, {"rules": "numpy", "scalars": "weak", "default_float": None, "contract": None}),
    ({"rules": "c"}, {"rules": "c"}),
    ({"scalars": "strict"}, {"scalars": "strict"}),
    ({"scalars": "compat"}, {"scalars": "weak"}),
    ({"default_float": "f32"}, {"default_float": F32}),
    ({"default_float": np.float64}, {"default_float": F64}),
    ({"intermediates": "wide"}, {"intermediates": "wide"}),
    ({"accuracy": "cr", "threads": 1, "debug": False}, {"threads": 1}),
    ({"threads": 1024}, {"threads": 1024}),
    ({"threads": None}, {"threads": None}),
    ({"int_errors": "ignore"}, {"int_errors": "ignore"}),
    ({"int_errors": "raise"}, {"int_errors": "raise"}),
    ({"rank_extension": "error"}, {"rank_extension": "error"}),
    ({"debug": True}, {"debug": True}),
    ({"copies": "warn"}, {"copies": "warn"}),
    ({"copies": "error"}, {"copies": "error"}),
]


@pytest.mark.parametrize(("given", "expected"), VALUES)
def test_values(given: dict[str, Any], expected: dict[str, Any]) -> None:
    options = JitOptions.of(**given)
    assert {name: getattr(options, name) for name in expected} == expected
    assert options == JitOptions.of(**given)
    assert hash(options) == hash(JitOptions.of(**given))


def test_contracts_are_read() -> None:
    assert str(JitOptions.of(contract=" (n, c),(c) -> (n,c)").contract) == "(n,c),(c)->(n,c)"


def test_the_rules_settle_the_default_float() -> None:
    assert JitOptions.of().settled_default_float is F64
    assert JitOptions.of(rules="c").settled_default_float is F32
    assert JitOptions.of(rules="c", default_float="f64").settled_default_float is F64


REFUSALS: list[tuple[dict[str, Any], type[Exception], str]] = [
    ({"rules": "python"}, OpsirValueError, "rules is 'numpy' or 'c', got 'python'"),
    ({"rules": None}, OpsirValueError, "rules is 'numpy' or 'c', got None"),
    ({"scalars": "loose"}, OpsirValueError, "scalars is 'weak' or 'strict' or 'compat', got"),
    ({"default_float": "f16"}, OpsirValueError, "default_float is 'f32' or 'f64', got 'f16'"),
    ({"default_float": "i32"}, OpsirValueError, "default_float is 'f32' or 'f64', got 'i32'"),
    ({"default_float": []}, OpsirValueError, "default_float is 'f32' or 'f64', got []"),
    ({"intermediates": "f64"}, OpsirValueError, "intermediates is 'rounded' or 'wide'"),
    ({"accuracy": "low"}, OpsirValueError, "accuracy is 'cr' or 'fast', got 'low'"),
    ({"accuracy": "fast"}, OpsirNotImplementedError, "accuracy='fast' is not offered yet"),
    ({"threads": 0}, OpsirValueError, "threads is from 1 to 1024, got 0"),
    ({"threads": 1025}, OpsirValueError, "threads is from 1 to 1024, got 1025"),
    ({"threads": 1 << 20_000}, OpsirValueError, "threads is from 1 to 1024, got a much larger"),
    ({"threads": 1.0}, OpsirTypeError, "threads is an int, got 1.0"),
    ({"threads": True}, OpsirTypeError, "threads is an int, got True"),
    ({"copies": "never"}, OpsirValueError, "copies is 'allow' or 'warn' or 'error', got 'never'"),
    ({"int_errors": "print"}, OpsirValueError, "int_errors is 'warn' or 'ignore' or 'raise'"),
    ({"contract": 3}, OpsirTypeError, "contract is a string such as '(n,c),(c)->(n,c)', got 3"),
    ({"contract": "(n,"}, OpsirValueError, "contract '(n,' is malformed"),
    ({"rank_extension": "never"}, OpsirValueError, "rank_extension is 'allow' or 'error'"),
    ({"debug": 1}, OpsirTypeError, "debug is True or False, got 1"),
    ({"speed": 11}, OpsirTypeError, "jit has no option 'speed'; it has rules, scalars,"),
]


@pytest.mark.parametrize(("given", "error", "message"), REFUSALS)
def test_refusals(given: dict[str, Any], error: type[Exception], message: str) -> None:
    with pytest.raises(error) as caught:
        opsir.jit(**given)  # this line
    assert message in str(caught.value)
    with open(__file__) as file:
        line = next(n for n, text in enumerate(file, 1) if text.endswith("  # this line\n"))
    assert str(caught.value).startswith(f"{__file__}:{line}:0: error: ")


def test_what_jit_decorates() -> None:
    def f(x: Any) -> Any:
        return x + 1

    jitted: Any = opsir.jit(f)
    assert jitted.__name__ == "f"
    assert opsir.jit(rules="c")(f).options.rules == "c"
    with pytest.raises(OpsirTypeError, match="is jitted already"):
        opsir.jit(jitted)
    not_a_function: Any = 3
    with pytest.raises(OpsirTypeError, match="jit takes a function, got 3"):
        opsir.jit(not_a_function)


def test_the_number_of_threads() -> None:
    before = opsir.get_num_threads()
    cases: list[tuple[Any, type[Exception], str]] = [
        (0, OpsirValueError, "a number of threads is from 1 to 1024, got 0"),
        (-1, OpsirValueError, "a number of threads is from 1 to 1024, got -1"),
        (1025, OpsirValueError, "a number of threads is from 1 to 1024, got 1025"),
        (True, OpsirTypeError, "a number of threads is an int, got True"),
        ("2", OpsirTypeError, "a number of threads is an int, got '2'"),
    ]
    for count, error, message in cases:
        with pytest.raises(error, match=message):
            opsir.set_num_threads(count)
        assert opsir.get_num_threads() == before
    try:
        opsir.set_num_threads(1024)
        assert opsir.get_num_threads() == 1024
    finally:
        opsir.set_num_threads(before)
