"""What IR text may not exceed, checked in one linear scan before the parser sees it.

Owns the numbers and their error messages. xDSL's parser recurses per bracket, converts numbers with
Python's ``int`` and backtracks over strings; absurd input makes each fail badly, so it never gets
that far. Knows no grammar beyond tokens.
"""

from __future__ import annotations

import re

from opsir.diagnostics import Location, fail

MAX_SOURCE_BYTES = 1 << 20
MAX_NESTING = 64
"""Open brackets of all kinds at one place."""
MAX_DIGITS = 64
"""Digits of one number; the longest meaningful one, an f64 without exponent, is an oddity."""
MAX_NAME = 256
MAX_STRING = 4096
MAX_RANK = 64

_TOKEN = re.compile(
    r"""(?P<comment>//[^\n]*)
      | (?P<string>"(?:[^"\\\n\v\f]|\\(?:["nt\\]|[0-9A-Fa-f]{2}))*")
      | (?P<quote>")
      | (?P<arrow>->)
      | (?P<open>[(\[{<])
      | (?P<close>[)\]}>])
      | (?P<affine>\baffine_(?:map|set)\b)
      | (?P<word>[\w$.]{65,})""",
    re.VERBOSE,
)
_LONG_NUMBER = re.compile(rf"0[xX][0-9a-fA-F]{{{MAX_DIGITS + 1},}}|[0-9]{{{MAX_DIGITS + 1},}}")


def place(text: str, offset: int, file: str) -> Location:
    """The position of ``text[offset]`` as file, line and column, both counted from 1."""
    start = text.rfind("\n", 0, offset) + 1
    return Location(file, text.count("\n", 0, offset) + 1, offset - start + 1)


def decode(source: str | bytes, file: str) -> str:
    """``source`` as text, if it is UTF-8 and not larger than MAX_SOURCE_BYTES."""
    if len(source) > MAX_SOURCE_BYTES:
        fail(
            f"IR text is larger than the limit of {MAX_SOURCE_BYTES} bytes",
            Location(file, 1, 1),
        )
    if isinstance(source, str):
        return source
    try:
        return source.decode("utf-8")
    except UnicodeDecodeError as error:
        line = source.count(b"\n", 0, error.start) + 1
        column = error.start - source.rfind(b"\n", 0, error.start)
        fail(
            f"IR text must be UTF-8, got byte 0x{source[error.start]:02X}",
            Location(file, line, column),
        )


def check(text: str, file: str) -> None:
    """Refuse text that nests too deeply or holds an overlong number, name or string."""
    depth = 0
    for token in _TOKEN.finditer(text):
        match token.lastgroup:
            case "open":
                depth += 1
                if depth > MAX_NESTING:
                    fail(
                        f"brackets nest deeper than the limit of {MAX_NESTING}",
                        place(text, token.start(), file),
                    )
            case "close":
                depth = max(0, depth - 1)
            case "string" if len(token[0]) > MAX_STRING:
                fail(
                    f"a string of {len(token[0])} characters is above the limit of {MAX_STRING}",
                    place(text, token.start(), file),
                )
            case "quote":
                # xDSL's lexer takes exponential time to find that a string does not end.
                fail(
                    'a string ends on its line; its escapes are \\n, \\t, \\", \\\\ '
                    "and two hexadecimal digits",
                    place(text, token.start(), file),
                )
            case "affine":
                # xDSL prints and compares these by unbounded recursion, and nothing here uses them.
                fail("affine maps are not part of opsir's IR", place(text, token.start(), file))
            case "word":
                _check_word(text, token, file)
            case _:
                pass


def _check_word(text: str, token: re.Match[str], file: str) -> None:
    """Numbers, names and shapes such as ``4x4xf32`` are all words here."""
    if (number := _LONG_NUMBER.search(token[0])) is not None:
        fail(
            f"a number of {len(number[0])} digits is above the limit of {MAX_DIGITS}",
            place(text, token.start() + number.start(), file),
        )
    if len(token[0]) > MAX_NAME and not token[0][0].isdigit():
        fail(
            f"a name of {len(token[0])} characters is above the limit of {MAX_NAME}",
            place(text, token.start(), file),
        )
