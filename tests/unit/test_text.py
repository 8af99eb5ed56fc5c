"""The guarded front door: limits, locations, and one error for whatever is wrong with the text."""

from __future__ import annotations

import time
from contextlib import suppress

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from xdsl.dialects.builtin import FileLineColLoc
from xdsl.ir import Operation

from opsir.diagnostics import Location, OpsirError
from opsir.dialects.locations import location_of
from opsir.dialects.opsir import shapes
from opsir.frontends import limits
from opsir.frontends.text import parse_module

PROGRAM = """\
func.func @f(%a: tensor<4xf32>) -> tensor<4xf32> {
  %b = builtin.unrealized_conversion_cast %a : tensor<4xf32> to tensor<4xf32>
  func.return %b : tensor<4xf32>
}
"""


def error_of(source: str | bytes) -> OpsirError:
    with pytest.raises(OpsirError) as caught:
        parse_module(source, "x.mlir")
    assert caught.value.location is not None
    return caught.value


def places(module: Operation) -> list[Location | None]:
    return [location_of(op) for op in module.walk()]


def test_every_op_knows_its_first_token() -> None:
    assert places(parse_module(PROGRAM, "x.mlir")) == [
        Location("x.mlir", 1, 1),
        Location("x.mlir", 1, 1),
        Location("x.mlir", 2, 3),
        Location("x.mlir", 3, 3),
    ]


def test_lines_count_on_from_where_the_text_was_cut_out() -> None:
    module = parse_module("\n" + PROGRAM, "x.mlir", first_line=100)
    assert places(module)[2] == Location("x.mlir", 102, 3)


def test_a_written_location_wins() -> None:
    module = parse_module('builtin.module {} loc("model.py":7:3)')
    assert places(module) == [Location("model.py", 7, 3)]


def test_named_fused_and_call_site_locations_have_a_place() -> None:
    inner = 'loc(fused[unknown, "named"("a.py":1:2), "b.py":3:4])'
    assert places(parse_module("builtin.module {} " + inner)) == [Location("a.py", 1, 2)]


def test_printing_shows_no_locations() -> None:
    assert "loc" not in str(parse_module(PROGRAM))
    assert isinstance(parse_module(PROGRAM).location, FileLineColLoc)


@pytest.mark.parametrize(
    ("source", "message"),
    [
        (b"\x89PNG\r\n", "UTF-8"),
        (b"builtin.module {}\n  \xff", "UTF-8"),
        ("x" * (limits.MAX_SOURCE_BYTES + 1), "larger than the limit"),
        ("(" * 3000, "nest deeper"),
        ("[" * 3000 + "]" * 3000, "nest deeper"),
        ("1" * 5000, "5000 digits"),
        ("", "expected an operation"),
        ('builtin.module attributes {x = "' + "a" * 100, "a string ends on its line"),
        ('"' + "a" * 100 + "\\q" + "a" * 100 + '"', "a string ends on its line"),
        ('"' + "a" * 100 + "\v" + '"', "a string ends on its line"),
        ("\0", "unexpected character"),
        ("builtin.module {", "expected an operation or '}'"),
        ("builtin.module attributes {x = 1 : i9223372036854775807} {}", "above the limit of 1024"),
        ('"builtin.module"() ({ ^bb0(%a: i1): }) : (i1) -> ()', ""),
        ("builtin.module attributes {x = dense<[[1], [2, 3]]> : tensor<2xi8>} {}", ""),
        ("builtin.module attributes {x = #builtin.int<a>} {}", ""),
        ("builtin.module attributes {x = !builtin.nothing} {}", "not registered"),
        ("builtin.module attributes {x = @a::} {}", ""),
        ("%a, %a = func.call @f() : () -> (f32, f32)", ""),
        ("%a:9 = func.call @f() : () -> f32", ""),
    ],
)
def test_malformed_text_is_one_located_error(source: str | bytes, message: str) -> None:
    assert message in error_of(source).detail


def test_the_place_of_a_bad_byte() -> None:
    assert error_of(b"builtin.module {}\n  \xff").location == Location("x.mlir", 2, 3)


def test_what_reaches_the_limits_still_parses() -> None:
    depth = limits.MAX_NESTING - 4
    parse_module(f"func.func private @f({'tuple<' * depth}i1{'>' * depth})")
    parse_module(f"builtin.module attributes {{x = {'1' * limits.MAX_DIGITS} : i256}} {{}}")
    parse_module(f"func.func private @f(tensor<{'1x' * limits.MAX_RANK}f32>)")
    assert limits.MAX_RANK == shapes.MAX_RANK


def test_regions_nest_as_deep_as_brackets_may() -> None:
    depth = limits.MAX_NESTING // 2 - 1
    text = '"builtin.module"() ({' * depth + "^bb0:" + "}) : () -> ()" * depth
    assert str(parse_module(text))


def test_a_large_file_is_read_in_reasonable_time() -> None:
    line = "  %0 = builtin.unrealized_conversion_cast %a : f32 to f32\n"
    body = "".join(line.replace("%0", f"%v{i}") for i in range(3000))
    started = time.perf_counter()
    parse_module(f"func.func @f(%a: f32) {{\n{body}  func.return\n}}")
    assert time.perf_counter() - started < 20


_WORDS = """
func.func @f ( ) { } %a %0 : f32 tensor< 4x ?x > -> = , builtin.module " loc( #a !b dense< -
1 0x 1.5e [ ] ^bb0 i1 memref< attributes true unit * < é \\ @ # //"""
PIECES = st.sampled_from(_WORDS.split())


@settings(max_examples=300, deadline=None)
@given(st.lists(PIECES, max_size=30).map(" ".join))
def test_no_text_raises_anything_else(text: str) -> None:
    with suppress(OpsirError):
        str(parse_module(text))
