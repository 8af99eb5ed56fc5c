"""Sizes and byte strides as monomials: an integer coefficient times a product of symbols.

Owns their algebra, their text form and their checked 64-bit evaluation. Knows nothing of axes,
operands or IR: an Extent is a number whose value may not be known yet.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from math import prod

from opsir.diagnostics import OpsirOverflowError, fail

INT64_MIN = -(1 << 63)
INT64_MAX = (1 << 63) - 1

_SYMBOL = re.compile(r"[A-Za-z_][A-Za-z0-9_]*\Z")
_INTEGER = re.compile(r"-?[0-9]+\Z", re.ASCII)
_MAX_DIGITS = 19  # of a signed 64-bit integer


def fits_int64(value: int) -> bool:
    """Whether a value is representable as a signed 64-bit integer."""
    return INT64_MIN <= value <= INT64_MAX


def checked_int64(value: int, what: str) -> int:
    """Return ``value``, or raise OpsirOverflowError naming ``what`` if it needs over 64 bits."""
    if not fits_int64(value):
        fail(f"{what} is {_shown(value)}, beyond a signed 64-bit integer", error=OpsirOverflowError)
    return value


def checked_product(factors: Iterable[int], what: str) -> int:
    """Multiply; raise OpsirOverflowError if the product of the non-zero factors needs over 64 bits.

    A zero does not hide an overflow beside it, so the answer never depends on the order in which
    compiled code multiplies.
    """
    known = list(factors)
    product = checked_int64(prod(f for f in known if f), what)
    return 0 if 0 in known else product


@dataclass(frozen=True, slots=True)
class Extent:
    """``coefficient`` times the product of ``symbols``.

    ``symbols`` is sorted and may repeat a name; a zero coefficient has none, so equal monomials
    compare equal. The coefficient fits a signed 64-bit integer, else OpsirOverflowError.
    """

    coefficient: int
    symbols: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        checked_int64(self.coefficient, "a constant factor")
        canonical = tuple(sorted(self.symbols)) if self.coefficient else ()
        object.__setattr__(self, "symbols", canonical)

    @classmethod
    def symbol(cls, name: str) -> Extent:
        """The symbol ``name`` itself: a letter or ``_``, then letters, digits or ``_``."""
        if not _SYMBOL.match(name):
            fail(f"'{name}' is not a symbol: expected a letter or '_', then letters, digits, '_'")
        return cls(1, (name,))

    @classmethod
    def parse(cls, text: str) -> Extent:
        """Read ``4``, ``n``, ``n*m*4``: integers and symbols in any order, joined by ``*``.

        Anything else is an OpsirValueError; too large an integer an OpsirOverflowError.
        """
        coefficient, symbols = 1, list[str]()
        for factor in (part.strip() for part in text.split("*")):
            if _INTEGER.match(factor):
                coefficient = checked_int64(coefficient * _integer(factor), f"'{_cut(text)}'")
            elif _SYMBOL.match(factor):
                symbols.append(factor)
            else:
                fail(f"'{_cut(text)}' is not a product of integers and symbols such as 'n*m*4'")
        return cls(coefficient, tuple(symbols))

    def __str__(self) -> str:
        if self.symbols and self.coefficient == 1:
            return "*".join(self.symbols)
        return "*".join((*self.symbols, str(self.coefficient)))

    def __mul__(self, other: Extent | int) -> Extent:
        """The product; OpsirOverflowError if its coefficient needs more than 64 bits."""
        if isinstance(other, int):
            return Extent(self.coefficient * other, self.symbols)
        return Extent(self.coefficient * other.coefficient, self.symbols + other.symbols)

    def times(self, other: Extent) -> Extent | None:
        """The product, or None where its coefficient needs more than 64 bits."""
        if not fits_int64(self.coefficient * other.coefficient):
            return None
        return self * other

    def divided(self, divisor: int) -> Extent | None:
        """The exact quotient by a positive constant, or None where it is not known to be exact."""
        if self.coefficient % divisor:
            return None
        return Extent(self.coefficient // divisor, self.symbols)

    @property
    def is_constant(self) -> bool:
        return not self.symbols

    @property
    def value(self) -> int:
        """The value of a constant; an OpsirValueError for anything symbolic."""
        if self.symbols:
            fail(f"the value of '{self}' is not known at compile time")
        return self.coefficient

    def evaluate(self, env: Mapping[str, int]) -> int:
        """The value under ``env``; unbound symbols and results beyond 64 bits are errors."""
        if not self.symbols:
            return self.coefficient
        for name in self.symbols:
            if name not in env:
                fail(f"no value is given for symbol '{name}' of '{self}'")
        return checked_product((self.coefficient, *(env[n] for n in self.symbols)), f"'{self}'")

    def rename(self, mapping: Mapping[str, str]) -> Extent:
        """Replace symbols by others; names missing from ``mapping`` stay."""
        return Extent(self.coefficient, tuple(mapping.get(name, name) for name in self.symbols))


ZERO = Extent(0)
ONE = Extent(1)


def as_extent(value: Extent | int | str) -> Extent:
    """An Extent from a constant, its text, or itself."""
    if isinstance(value, Extent):
        return value
    return Extent.parse(value) if isinstance(value, str) else Extent(value)


def compare_magnitude(a: Extent, b: Extent, positive: frozenset[str]) -> int | None:
    """Compare ``|a|`` with ``|b|`` as far as the monomials prove it.

    ``positive`` names the symbols known to be at least 1. Returns 1 for ``|a| >= |b|``, -1 for
    ``|a| <= |b|``, 0 for equal, None if none of these is proven. Common symbols cancel whatever
    they are: if one is zero, both sides are.
    """
    if a.coefficient == 0 or b.coefficient == 0:
        return (a.coefficient != 0) - (b.coefficient != 0)
    left, right = Counter(a.symbols), Counter(b.symbols)
    more, fewer = left - right, right - left
    size_a, size_b = abs(a.coefficient), abs(b.coefficient)
    if not more and not fewer:
        return (size_a > size_b) - (size_a < size_b)
    if not fewer and size_a >= size_b and more.keys() <= positive:
        return 1
    if not more and size_b >= size_a and fewer.keys() <= positive:
        return -1
    return None


def _integer(digits: str) -> int:
    """Read decimal digits without handing a huge text to ``int``, which refuses it by itself."""
    if len(digits.lstrip("-0")) > _MAX_DIGITS:
        fail(f"{_cut(digits)} is beyond a signed 64-bit integer", error=OpsirOverflowError)
    return int(digits)


def _cut(text: str) -> str:
    return text if len(text) <= 60 else f"{text[:57]}..."


def _shown(value: int) -> str:
    """A value for a message: long ones as a power of two, since ``str`` refuses huge integers."""
    return str(value) if value.bit_length() <= 128 else f"about 2**{value.bit_length()}"
