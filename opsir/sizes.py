"""Sizes under inference: which axes must be equal, and what a broadcast makes of them.

Owns unification of sizes known at compile time, sizes known by symbol, and names of a contract.
Knows no IR: an axis says where it comes from by plain numbers.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from opsir.extent import Extent

Source = tuple[int, int]
"""Argument number and axis; numbers from ``FIRST_VIEW`` on stand for views."""

FIRST_VIEW = 1 << 30
"""Above the number of every argument, so that an argument lends its symbol to a view."""


class Size:
    """One size, a constant or a symbol; sizes found equal share their root.

    ``source`` is the first argument axis that has this size, else the first axis of a view that
    brings it; None for one that the program states.
    """

    __slots__ = ("constant", "source", "symbol", "up")

    def __init__(self, symbol: str, constant: int | None, source: Source | None = None) -> None:
        self.symbol = symbol
        self.constant = constant
        self.source = source
        self.up: Size | None = None

    def root(self) -> Size:
        size = self
        while size.up is not None:
            size = size.up
        return size

    def extent(self) -> Extent:
        """The constant, or the symbol that came first among the equal ones."""
        root = self.root()
        if root.constant is not None:
            return Extent(root.constant)
        return Extent(1, (root.symbol,))


class Axis(NamedTuple):
    """An axis of a value: its size and, under a contract, the name or integer that labels it.

    Differently labelled axes never meet, even where their sizes happen to agree, and a labelled
    axis is not expanded even where its size happens to be 1.
    """

    size: Size
    label: str | None = None
    origin: Source | None = None
    """The argument axis that this one comes from unchanged; another one may share its size."""

    @property
    def expands(self) -> bool:
        return self.label is None and self.size.root().constant == 1

    def __str__(self) -> str:
        return self.label or str(self.size.extent())


Shape = tuple[Axis, ...]


class Mismatch(Exception):
    """Two sizes that cannot be equal; the text says why."""


class Equality(NamedTuple):
    """Two axes of arguments or views whose sizes a call must compare."""

    first: Source
    second: Source


def constant(value: int) -> Axis:
    """An axis of a fixed size that comes from no argument."""
    return Axis(Size("", value))


def shape_text(shape: Shape) -> str:
    """``[4,n,1]``: sizes outermost first."""
    return f"[{','.join(map(str, shape))}]"


def unify(a: Size, b: Size) -> Equality | None:
    """Make two sizes equal; the equality is returned where only a call can tell that they are.

    The size that came first lends its symbol; a constant wins over a symbol. Raises Mismatch for
    different constants.
    """
    a, b = a.root(), b.root()
    if a is b:
        return None
    if a.constant is not None and b.constant is not None:
        if a.constant != b.constant:
            raise Mismatch(f"{a.constant} and {b.constant}")
        return None
    if b.source is not None and (a.source is None or b.source < a.source):
        a, b = b, a
    b.up = a
    if a.constant is None:
        a.constant = b.constant
    if a.source is None or b.source is None:
        return None
    return Equality(a.source, b.source)


def meet(a: Axis, b: Axis, equalities: list[Equality]) -> Axis:
    """The axis that two aligned axes broadcast to; what a call must check joins ``equalities``.

    Raises Mismatch where they do not fit.
    """
    if a.expands:
        return b
    if b.expands:
        return a
    if a.label is not None and b.label is not None and a.label != b.label:
        raise Mismatch(f"{a.label} and {b.label}")
    needed = unify(a.size, b.size)
    if needed is not None:
        met = Equality(a.origin, b.origin) if a.origin and b.origin else needed
        equalities.append(met)
    return a if a.label is not None else b if b.label is not None else a


def broadcast(shapes: Sequence[Shape], equalities: list[Equality]) -> Shape:
    """The common shape of right-aligned shapes, as :func:`meet` has it axis by axis.

    Raises Mismatch with a sentence that names both shapes and the axis.
    """
    rank = max(map(len, shapes))
    result: list[Axis] = []
    for axis in range(rank):
        best: Axis | None = None
        origin: Shape = ()
        for shape in shapes:
            index = axis - rank + len(shape)
            if index < 0:
                continue
            found = shape[index]
            if best is None or (best.expands and not found.expands):
                best, origin = found, shape
                continue
            try:
                best = meet(best, found, equalities)
            except Mismatch as error:
                raise Mismatch(
                    f"shapes {shape_text(origin)} and {shape_text(shape)} do not broadcast: "
                    f"axis {axis} of the result would need {error}"
                ) from None
        assert best is not None
        result.append(best)
    return tuple(result)
