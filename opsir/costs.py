"""What a kernel takes, as formulas over its extents: evaluations, loop turns, words and bytes.

Owns the amounts and how they are written. Knows no op and no IR; the numbers count what the loops
of a kernel do, not what caches make of them.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from math import prod

from opsir.extent import Extent

Factors = tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Amount:
    """A sum of products: per sorted tuple of symbols its coefficient, of any number of bits."""

    terms: tuple[tuple[Factors, int], ...] = ()

    @classmethod
    def of(cls, extents: Iterable[Extent], times: int = 1) -> Amount:
        """The product of ``extents`` and ``times``."""
        known = tuple(extents)
        coefficient = prod(extent.coefficient for extent in known) * times
        symbols = tuple(sorted(name for extent in known for name in extent.symbols))
        return cls(((symbols, coefficient),) if coefficient else ())

    @classmethod
    def total(cls, amounts: Iterable[Amount]) -> Amount:
        """The sum of all ``amounts``."""
        found: Counter[Factors] = Counter()
        for amount in amounts:
            for symbols, coefficient in amount.terms:
                found[symbols] += coefficient
        return cls(tuple(found.items()))

    def evaluate(self, env: Mapping[str, int]) -> int:
        """The value under ``env``, which holds every symbol."""
        return sum(c * prod(env[name] for name in symbols) for symbols, c in self.terms)

    def text(self, env: Mapping[str, int]) -> str:
        """``n*m*4 + 12``, and its value where ``env`` knows every symbol."""
        terms = [_product(symbols, coefficient) for symbols, coefficient in self.terms]
        formula = " + ".join(terms) or "0"
        symbols = {name for factors, _ in self.terms for name in factors}
        known = bool(symbols) and symbols <= env.keys()
        return f"{formula} = {self.evaluate(env)}" if known else formula


def _product(symbols: Factors, coefficient: int) -> str:
    if symbols and coefficient == 1:
        return "*".join(symbols)
    return "*".join((*symbols, str(coefficient)))


@dataclass(frozen=True, slots=True)
class Costs:
    """The cost split of one kernel, run whole by one thread.

    ``rows`` is how often the innermost loop is entered and ``inner`` how many elements it walks
    over, ``lanes`` of them at a time and ``unroll`` vectors a turn. Bytes count every element that
    an operand moves over once.
    """

    arithmetic: Amount
    """Evaluations of ops, one element each."""
    outer_turns: Amount
    """Turns of all loops but the innermost."""
    rows: Amount
    inner: Extent
    lanes: int
    unroll: int
    parameter_words: int
    """64-bit words that are read once per call: addresses, scalars, sizes and strides."""
    bytes_read: Amount
    bytes_written: Amount

    def loop_turns(self, env: Mapping[str, int]) -> int:
        """Turns of all loops: whole groups of vectors, whole vectors, then single elements."""
        count, step = self.inner.evaluate(env), self.lanes * self.unroll
        groups, rest = divmod(count, step)
        vectors, single = divmod(rest, self.lanes)
        turns = groups + vectors + single
        return self.outer_turns.evaluate(env) + self.rows.evaluate(env) * turns

    def lines(self, env: Mapping[str, int]) -> list[str]:
        """One line per kind of cost."""
        return [
            f"arithmetic: {self.arithmetic.text(env)} evaluations",
            f"loop control: {self._turns(env)} turns",
            f"parameter loads: {self.parameter_words} words",
            f"memory: {self.bytes_read.text(env)} bytes read, "
            f"{self.bytes_written.text(env)} bytes written",
        ]

    def _turns(self, env: Mapping[str, int]) -> str:
        outer = f"{self.outer_turns.text({})} + " if self.outer_turns.terms else ""
        rows = "" if self.rows == Amount.of(()) else f"{self.rows.text({})} * "
        formula = f"{outer}{rows}({self.inner} / {self.lanes * self.unroll})"
        symbols = {name for factors, _ in self.rows.terms for name in factors}
        known = symbols.union(self.inner.symbols) <= env.keys()
        return f"{formula} = {self.loop_turns(env)}" if known else formula
