"""Any name that IR text can spell is a function's name, and each function is itself."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import opsir
from opsir.diagnostics import OpsirTypeError

TEXT = """\
func.func @{0}(%a: f32) -> f32 {{
  func.return %a : f32
}}
func.func @{1}(%a: f32) -> f32 {{
  %r = opsir.neg %a : (f32) -> f32
  func.return %r : f32
}}
"""
NAMES = {
    "f": "f",
    "ff": "ff",
    "_": "_",
    "exp": "exp",
    "kernel0": "kernel0",
    '"a b"': "a b",
    '"\\00"': "\0",
    '"%00"': "%00",
    '"%2500"': "%2500",
    '"\\0A\\22\\5C"': '\n"\\',
    '"é"': "é",
}


@pytest.mark.parametrize("first", NAMES)
def test_two_functions_of_a_text_are_two(first: str) -> None:
    for second in NAMES.keys() - {first}:
        text = TEXT.format(first, second)
        for name, expected in ((first, 2), (second, -2)):
            assert opsir.compile(text, NAMES[name])(np.float32(2)) == expected, (first, second)


def test_control_codes_do_not_reach_the_symbol_table() -> None:
    program = opsir.compile(TEXT.format('"\\00\\7F%"', "f"), "\0\x7f%")
    assert '@"opsir.%00%7F%25"' in program.llvm()


@pytest.mark.parametrize("given", [5, None, bytearray(b"")])
def test_what_is_no_text(given: object) -> None:
    call: Any = opsir.compile
    with pytest.raises(OpsirTypeError, match="compile takes IR text, got") as caught:
        call(given)
    assert caught.value.location is not None
    assert caught.value.location.file == __file__


def test_options_of_compile_are_named() -> None:
    call: Any = opsir.compile
    with pytest.raises(OpsirTypeError, match="compile has no option 'colour'; it has rules, "):
        call(TEXT.format("f", "g"), "f", colour="red")
