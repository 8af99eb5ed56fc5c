"""Monomials: text, algebra, checked evaluation, and comparisons against all small values."""

from __future__ import annotations

from itertools import product
from math import prod

import pytest
from hypothesis import given
from hypothesis import strategies as st

from opsir.diagnostics import OpsirOverflowError, OpsirValueError
from opsir.extent import (
    INT64_MAX,
    INT64_MIN,
    ONE,
    ZERO,
    Extent,
    as_extent,
    checked_product,
    compare_magnitude,
)

SYMBOLS = ("m", "n", "t")
EXTENTS = st.builds(
    Extent,
    st.integers(-6, 6),
    st.lists(st.sampled_from(SYMBOLS), max_size=3).map(tuple),
)
ENVIRONMENTS = st.fixed_dictionaries({name: st.integers(-5, 5) for name in SYMBOLS})


@pytest.mark.parametrize(
    ("text", "printed"),
    [
        ("4", "4"),
        ("-4", "-4"),
        ("n", "n"),
        ("n*m*4", "m*n*4"),
        ("4*n", "n*4"),
        ("n * 2 * n * -2", "n*n*-4"),
        ("n*-1", "n*-1"),
        ("0*n", "0"),
        ("007", "7"),
        ("s0_1*8", "s0_1*8"),
        (str(INT64_MAX), str(INT64_MAX)),
        (str(INT64_MIN), str(INT64_MIN)),
    ],
)
def test_text_form(text: str, printed: str) -> None:
    assert str(Extent.parse(text)) == printed


@given(EXTENTS)
def test_text_round_trips(extent: Extent) -> None:
    assert Extent.parse(str(extent)) == extent


@pytest.mark.parametrize(
    "text", ["", "*", "n*", "n+1", "4n", "n m", "-n", "1.0", "0x4", "٣", "n\n*m x", "n**2"]
)
def test_malformed_text_is_refused(text: str) -> None:
    with pytest.raises(OpsirValueError, match="not a product"):
        Extent.parse(text)


@pytest.mark.parametrize("text", [str(INT64_MAX + 1), "9" * 5000, "4294967296*4294967296*n"])
def test_large_constants_are_refused(text: str) -> None:
    with pytest.raises(OpsirOverflowError, match="beyond a signed 64-bit"):
        Extent.parse(text)


def test_symbols_are_checked() -> None:
    assert Extent.symbol("_a1").symbols == ("_a1",)
    for name in ("", "1a", "a b", "a*b", "é"):
        with pytest.raises(OpsirValueError, match="not a symbol"):
            Extent.symbol(name)


@given(EXTENTS, EXTENTS, ENVIRONMENTS)
def test_product_evaluates_to_the_product(a: Extent, b: Extent, env: dict[str, int]) -> None:
    assert (a * b).evaluate(env) == a.evaluate(env) * b.evaluate(env)
    assert a * b == b * a == a.times(b)
    assert (a * 3).evaluate(env) == 3 * a.evaluate(env)


@given(EXTENTS, ENVIRONMENTS)
def test_value_is_coefficient_times_symbols(extent: Extent, env: dict[str, int]) -> None:
    expected = extent.coefficient * prod(env[name] for name in extent.symbols)
    assert extent.evaluate(env) == expected
    assert extent.is_constant == (not extent.symbols)
    if extent.is_constant:
        assert extent.value == expected


@given(EXTENTS, st.integers(1, 6))
def test_division_is_exact_or_refused(extent: Extent, divisor: int) -> None:
    quotient = extent.divided(divisor)
    if quotient is None:
        assert extent.coefficient % divisor
    else:
        assert quotient * divisor == extent


def test_overflow_is_an_error_and_never_a_wrong_number() -> None:
    big = Extent(1 << 62)
    assert big.times(Extent(2)) is None
    with pytest.raises(OpsirOverflowError):
        _ = big * 2
    with pytest.raises(OpsirOverflowError):
        Extent.parse("n*4").evaluate({"n": 1 << 61})
    with pytest.raises(OpsirOverflowError):
        Extent(1 << 63)
    assert Extent.parse("n*-4").evaluate({"n": 1 << 61}) == INT64_MIN


def test_zero_does_not_hide_an_overflow() -> None:
    with pytest.raises(OpsirOverflowError, match="shape"):
        checked_product((0, 1 << 40, 1 << 40), "the shape")
    assert checked_product((0, 1 << 40), "the shape") == 0
    assert checked_product((), "the shape") == 1


def test_an_unbound_symbol_is_named() -> None:
    with pytest.raises(OpsirValueError, match="symbol 'n' of 'n\\*4'"):
        Extent.parse("n*4").evaluate({"m": 3})
    with pytest.raises(OpsirValueError, match="not known at compile time"):
        _ = Extent.parse("n").value


def test_renaming_keeps_the_canonical_order() -> None:
    assert Extent.parse("a*b*4").rename({"a": "z"}) == Extent.parse("b*z*4")
    assert Extent.parse("a*b").rename({"a": "b"}) == Extent.parse("b*b")


def test_zero_has_no_symbols() -> None:
    assert Extent(0, ("n",)) == ZERO
    assert as_extent(1) == ONE == as_extent("1") == as_extent(ONE)


@given(EXTENTS, EXTENTS)
def test_comparison_is_what_all_values_show(a: Extent, b: Extent) -> None:
    """Whatever is claimed holds for every value; ``m`` and ``n`` are at least 1, ``t`` is any."""
    verdict = compare_magnitude(a, b, frozenset({"m", "n"}))
    for m, n, t in product((1, 2, 7), (1, 3, 5), (-4, 0, 1, 6)):
        env = {"m": m, "n": n, "t": t}
        left, right = abs(a.evaluate(env)), abs(b.evaluate(env))
        assert verdict is None or (verdict == 0 and left == right) or verdict * (left - right) >= 0


@pytest.mark.parametrize(
    ("a", "b", "verdict"),
    [
        ("m*4", "4", 1),
        ("4", "m*n*-8", -1),
        ("m*2", "4", None),
        ("t", "4", None),
        ("t", "u", None),
        ("t*n", "t", 1),
        ("t*4", "t*-4", 0),
        ("-8", "4", 1),
        ("0", "t", -1),
        ("m*4", "n*4", None),
    ],
)
def test_comparisons_decided(a: str, b: str, verdict: int | None) -> None:
    positive = frozenset({"m", "n"})
    assert compare_magnitude(Extent.parse(a), Extent.parse(b), positive) == verdict
