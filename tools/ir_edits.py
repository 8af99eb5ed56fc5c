"""Random edits of IR text: some break it, some often leave it legal and change what it means.

Owns the edits and their odds, for ``mutate_ir``. Knows tokens only.
"""

from __future__ import annotations

import random
import re
from collections.abc import Callable

_TOKEN = re.compile(r'"[^"\n]*"|[%@#!^]?[\w$.]+|->|\s+|.', re.DOTALL)
_NUMBER = re.compile(r"\d+")
_ELEMENTS = ("f16", "bf16", "f32", "f64", "i1", "i8", "ui8", "i16", "i32", "ui64", "i64")
_ELEMENT = re.compile(rf"(?<![a-z.])({'|'.join(_ELEMENTS)})(?![\w.])")
_OPS = tuple(
    tuple(f"opsir.{name}" for name in names.split())
    for names in (
        "neg abs sign square sqrt reciprocal exp tanh logical_not bitwise_not isnan rint erf gelu",
        "add sub mul div div_floor div_trunc mod rem pow minimum fmax eq lt logical_and shift_left "
        "bitwise_xor copysign hypot nextafter atan2 heaviside",
        "fma clip where",
        "broadcast cast scalar dim require_equal fused yield",
    )
)
_EXTREMES = ("0", "-1", "1", "2", "64", "65", "2147483648", "9223372036854775807")
_WORDS = (
    *("f16", "bf16", "f32", "f64", "i1", "i8", "ui8", "i32", "ui64", "i64", "index", "none"),
    *("tensor<4xf32>", "tensor<?xf32>", "tensor<*xf32>", "tensor<f32>", "tensor<0x3xi8>"),
    *("!opsir.infer", "!opsir.weak<int>", "!opsir.weak<float>", "tensor<4x!opsir.infer>"),
    *("opsir.add", "opsir.exp", "opsir.where", "opsir.cast", "opsir.fused", "nest.kernel"),
    *("func.return", "opsir.yield", "nest.yield", "builtin.module", "func.func", "memref<4xf32>"),
    *("1.0", "0x7F800000", "1e400", "n", "n*m", "-n", "[", "]", "<", ">", "(", ")", "{", "}", "*"),
)


def damaged(text: str, other: str, chance: random.Random, gentle: float = 0.6) -> str:
    """``text`` after one to four random edits of its tokens; ``gentle`` of them often parse."""
    tokens, foreign = _TOKEN.findall(text), _TOKEN.findall(other)
    for _ in range(chance.choice((1, 1, 1, 2, 2, 3, 4))):
        edit = chance.choice(_GENTLE if chance.random() < gentle else _ROUGH)
        tokens = edit(tokens, foreign, chance)
    return "".join(tokens)


Edit = Callable[[list[str], list[str], random.Random], list[str]]
"""Tokens of a program, those of another one, chance: the tokens after the edit."""


def _span(tokens: list[str], chance: random.Random) -> tuple[int, int]:
    start = chance.randrange(len(tokens) or 1)
    return start, start + chance.choice((1, 1, 1, 2, 5, 20))


def _delete(tokens: list[str], foreign: list[str], chance: random.Random) -> list[str]:
    start, end = _span(tokens, chance)
    return tokens[:start] + tokens[end:]


def _repeat(tokens: list[str], foreign: list[str], chance: random.Random) -> list[str]:
    start, end = _span(tokens, chance)
    return tokens[:end] + tokens[start:]


def _insert(tokens: list[str], foreign: list[str], chance: random.Random) -> list[str]:
    start, _ = _span(tokens, chance)
    return [*tokens[:start], chance.choice(_WORDS), *tokens[start:]]


def _overwrite(tokens: list[str], foreign: list[str], chance: random.Random) -> list[str]:
    start, end = _span(tokens, chance)
    return [*tokens[:start], chance.choice(_WORDS), *tokens[end:]]


def _graft(tokens: list[str], foreign: list[str], chance: random.Random) -> list[str]:
    start, end = _span(tokens, chance)
    first, last = _span(foreign, chance)
    return tokens[:start] + foreign[first:last] + tokens[end:]


def _truncate(tokens: list[str], foreign: list[str], chance: random.Random) -> list[str]:
    return tokens[: chance.randrange(len(tokens) + 1)]


def _swap(tokens: list[str], foreign: list[str], chance: random.Random) -> list[str]:
    one, two = chance.randrange(len(tokens) or 1), chance.randrange(len(tokens) or 1)
    if tokens:
        tokens[one], tokens[two] = tokens[two], tokens[one]
    return tokens


def _change_number(tokens: list[str], foreign: list[str], chance: random.Random) -> list[str]:
    """A number becomes another one, in one place or wherever it stands."""
    numbers = [n for token in tokens for n in _NUMBER.findall(token)]
    if not numbers:
        return tokens
    old, new = chance.choice(numbers), chance.choice(_EXTREMES)
    if chance.random() < 0.5:
        return [re.sub(rf"(?<![\d.]){old}(?![\d.])", new, token) for token in tokens]
    at = chance.choice([i for i, token in enumerate(tokens) if old in token])
    return [*tokens[:at], tokens[at].replace(old, new, 1), *tokens[at + 1 :]]


def _change_type(tokens: list[str], foreign: list[str], chance: random.Random) -> list[str]:
    """An element type becomes another one, in one place or wherever it stands."""
    places = [i for i, token in enumerate(tokens) if _ELEMENT.search(token)]
    if not places:
        return tokens
    at, new = chance.choice(places), chance.choice(_ELEMENTS)
    old = chance.choice(_ELEMENT.findall(tokens[at]))
    if chance.random() < 0.7:
        return [_ELEMENT.sub(lambda m: new if m[0] == old else m[0], t) for t in tokens]
    return [*tokens[:at], _ELEMENT.sub(new, tokens[at], count=1), *tokens[at + 1 :]]


def _change_alike(tokens: list[str], foreign: list[str], chance: random.Random) -> list[str]:
    """A token becomes another one that starts alike: a value, an op, a symbol."""
    at = chance.randrange(len(tokens) or 1)
    if at < len(tokens):
        pool = tokens if chance.random() < 0.5 else tokens + foreign
        tokens[at] = chance.choice([t for t in pool if t[0] == tokens[at][0]])
    return tokens


def _change_op(tokens: list[str], foreign: list[str], chance: random.Random) -> list[str]:
    """An op becomes another one, of the same number of operands more often than not."""
    places = [i for i, token in enumerate(tokens) if token.startswith("opsir.")]
    if places:
        at = chance.choice(places)
        family = next((ops for ops in _OPS if tokens[at] in ops), chance.choice(_OPS))
        tokens[at] = chance.choice(family)
    return tokens


_ROUGH: tuple[Edit, ...] = (_delete, _repeat, _insert, _overwrite, _graft, _truncate, _swap)
_GENTLE: tuple[Edit, ...] = (_change_number, _change_type, _change_alike, _change_op)
