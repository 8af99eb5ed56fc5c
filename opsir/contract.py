"""Shape contracts such as ``(n,c),(n,1)->(n,c)``: their grammar and what they demand of shapes.

Owns how a contract is written and how its names bind to sizes. Knows no IR and no array.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import NoReturn

from opsir.diagnostics import fail
from opsir.sizes import Axis, Equality, Mismatch, Shape, Size, constant, shape_text, unify

_TOKEN = re.compile(r"\s*(->|[(),*]|[A-Za-z_][A-Za-z0-9_]*|[0-9]{1,18}(?![0-9]))")
_GRAMMAR = "'(n,c),(n,1),()->(n,c)': per value its sizes, each a name or an integer, '*' first"


@dataclass(frozen=True, slots=True)
class Pattern:
    """What one argument or result must look like; no sizes mean a scalar or rank 0.

    ``sizes`` are the trailing axes, outermost first: a name binds one size per call, an integer is
    that size. With ``open`` any number of axes may precede them.
    """

    sizes: tuple[str | int, ...]
    open: bool = False

    def __str__(self) -> str:
        return "(" + ",".join(["*"] * self.open + [str(size) for size in self.sizes]) + ")"


@dataclass(frozen=True, slots=True)
class Contract:
    """One pattern per argument and, where stated, one per result."""

    arguments: tuple[Pattern, ...]
    results: tuple[Pattern, ...] | None

    def __str__(self) -> str:
        text = ",".join(map(str, self.arguments))
        return text if self.results is None else f"{text}->{','.join(map(str, self.results))}"


def parse(text: str) -> Contract:
    """Read a contract; anything else is an OpsirValueError that shows the grammar."""
    tokens = _tokens(text)
    reader = _Reader(text, tokens)
    arguments = reader.patterns()
    results = reader.patterns() if reader.accept("->") else None
    if reader.rest:
        reader.refuse()
    return Contract(arguments, results)


def _tokens(text: str) -> list[str]:
    tokens: list[str] = []
    position = 0
    while position < len(text.rstrip()):
        match = _TOKEN.match(text, position)
        if match is None:
            _refuse(text, text[position : position + 12].strip())
        tokens.append(match[1])
        position = match.end()
    return tokens


class _Reader:
    def __init__(self, text: str, tokens: list[str]) -> None:
        self.text = text
        self.rest = tokens

    def accept(self, token: str) -> bool:
        if self.rest and self.rest[0] == token:
            self.rest = self.rest[1:]
            return True
        return False

    def expect(self, token: str) -> None:
        if not self.accept(token):
            self.refuse()

    def refuse(self) -> NoReturn:
        _refuse(self.text, self.rest[0] if self.rest else "the end")

    def patterns(self) -> tuple[Pattern, ...]:
        if not self.rest or self.rest[0] == "->":
            return ()
        found = [self.pattern()]
        while self.accept(","):
            found.append(self.pattern())
        return tuple(found)

    def pattern(self) -> Pattern:
        self.expect("(")
        is_open = self.accept("*")
        sizes: list[str | int] = []
        more = not is_open or self.accept(",")
        while more and not (self.rest and self.rest[0] == ")"):
            sizes.append(self.size())
            more = self.accept(",")
        self.expect(")")
        return Pattern(tuple(sizes), is_open)

    def size(self) -> str | int:
        token = self.rest[0] if self.rest else ""
        if not token or token in "(),*" or token == "->":
            self.refuse()
        self.rest = self.rest[1:]
        return int(token) if token.isdigit() else token


class Binding:
    """The sizes that the names of one contract stand for in one function."""

    def __init__(self, contract: Contract) -> None:
        self.contract = contract
        self.equalities: list[Equality] = []
        """Argument axes that a call must pass equal sizes for."""
        self._names: dict[str, Axis] = {}

    def argument(self, index: int, shape: Shape) -> Shape:
        """``shape`` with its axes labelled as the pattern of argument ``index`` says.

        Axes of equal name become equal. Raises Mismatch for a shape that cannot meet the pattern;
        an argument beyond the contract may have any shape.
        """
        if index >= len(self.contract.arguments):
            return shape
        pattern = self.contract.arguments[index]
        return self._bind(f"argument #{index}", pattern, shape)

    def result(self, index: int, shape: Shape) -> None:
        """Raise Mismatch unless result ``index`` has the shape that the contract states."""
        if self.contract.results is not None:
            self._bind(f"result #{index}", self.contract.results[index], shape)

    def _bind(self, what: str, pattern: Pattern, shape: Shape) -> Shape:
        leading = len(shape) - len(pattern.sizes)
        if leading < 0 or (leading and not pattern.open):
            raise Mismatch(f"{what} has shape {shape_text(shape)}, expected {pattern}")
        trailing = zip(shape[leading:], pattern.sizes, strict=True)
        bound = [self._bind_axis(what, pattern, shape, *pair) for pair in trailing]
        return (*shape[:leading], *bound)

    def _bind_axis(
        self, what: str, pattern: Pattern, shape: Shape, axis: Axis, size: str | int
    ) -> Axis:
        wanted = self._wanted(axis, size)
        if axis.label not in (None, wanted.label):
            raise Mismatch(f"{what} has shape {shape_text(shape)}, expected {pattern}")
        try:
            equality = unify(wanted.size, axis.size)
        except Mismatch as error:
            given = f"{what} has shape {shape_text(shape)}, expected {pattern}"
            raise Mismatch(f"{given}: '{size}' would be {error}") from None
        if equality is not None:
            self.equalities.append(equality)
        return Axis(axis.size, wanted.label, axis.origin)

    def _wanted(self, axis: Axis, size: str | int) -> Axis:
        if isinstance(size, str):
            return self._names.setdefault(size, Axis(axis.size, size))
        # A size of 1 has no label: it is what may be expanded.
        return constant(1) if size == 1 else Axis(Size("", size), str(size))


def _refuse(text: str, found: str) -> NoReturn:
    shown = text if len(text) <= 80 else f"{text[:77]}..."
    fail(f"contract '{shown}' is malformed at '{found}'; expected such as {_GRAMMAR}")
