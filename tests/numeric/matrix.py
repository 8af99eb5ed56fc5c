"""The golden matrix: operations by dtypes by layouts, in packs that share one compilation.

Owns which cells there are, which of them CI runs, and the check of one pack.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any
from zlib import crc32

import numpy as np

import opsir
from opsir.diagnostics import OpsirOverflowError
from opsir.evaluate import cast
from tests.numeric.cases import Case, casts, operations, resolution
from tests.numeric.layouts import BY_NAME, NAMES, SCALAR_NAMES, same_shape, scalar_of
from tests.numeric.oracles import law, law_flags, operand_of
from tests.numeric.running import Probe, mismatch, observe, spelled, with_parameters
from tests.numeric.values import Array, crossed

PACK = 12
"""Cells compiled together, each as a kernel of its own."""


@dataclass(frozen=True, slots=True)
class Cell:
    """One operation on operands of given dtypes in one layout."""

    case: Case
    layout: str

    def __str__(self) -> str:
        return f"{self.case} {self.layout}"

    def operands(self) -> list[Any]:
        """The arguments of the call; the same every time."""
        seed = crc32(str(self).encode())
        columns = crossed(self.case.dtypes, np.random.default_rng(seed))
        _keep_legal(self.case, columns)
        turn = seed % len(columns)
        if self.layout not in SCALAR_NAMES:
            layout = BY_NAME.get(self.layout) or same_shape(len(columns[0]))
            return layout.operands(columns, turn)
        number = scalar_of(self.layout, columns[turn], seed)
        found: list[Any] = list(columns)
        found[turn] = columns[turn][:1] if number is None else number
        return found

    def expected(self, operands: Sequence[Any]) -> Any:
        """The result by the semantics."""
        if self.case.target is not None:
            return cast(operands[0], self.case.target)
        return law(self.case.op, *operands)

    def apply(self, *operands: Any) -> Any:
        """The operation as a user writes it."""
        if self.case.target is not None:
            return opsir.cast(operands[0], self.case.target.name)
        return spelled(self.case.op)(*operands)


def _keep_legal(case: Case, columns: list[Array]) -> None:
    """Integer powers take no negative exponent."""
    exponent = case.dtypes[-1]
    if case.op == "pow" and exponent.kind == "i":
        columns[-1] = columns[-1] & exponent.numpy.type(exponent.max)


def exists(cell: Cell) -> bool:
    """Whether a cell is a test of its own: a Python number must be legal where it stands."""
    if cell.layout not in SCALAR_NAMES:
        return True
    if len(cell.case.dtypes) == 1:
        return cell.layout == "NumPy scalar"
    if cell.layout == "NumPy scalar":
        return True
    operands = cell.operands()
    if not any(type(v) in (int, float) for v in operands):
        return False
    if resolution(cell.case.op, [operand_of(v) for v in operands]) is None:
        return False
    try:
        cell.expected(operands)
    except OpsirOverflowError:  # The number does not fit the dtype that it meets.
        return False
    return True


def all_cells() -> Iterator[Cell]:
    """The full matrix."""
    for case in (*operations(), *casts()):
        for layout in (*NAMES, *SCALAR_NAMES):
            cell = Cell(case, layout)
            if exists(cell):
                yield cell


def covering_cells() -> Iterator[Cell]:
    """Each case once: every operation meets every layout, and so does every dtype of an operand."""
    layouts = (*NAMES, *SCALAR_NAMES)
    step: dict[str, int] = {}
    for number, case in enumerate((*operations(), *casts())):
        turn = step.setdefault(case.op, number)
        step[case.op] = turn + 1
        for offset in range(len(layouts)):
            cell = Cell(case, layouts[(turn + turn // len(layouts) + offset) % len(layouts)])
            if exists(cell):
                yield cell
                break


def packs(cells: Sequence[Cell], size: int = PACK) -> list[tuple[Cell, ...]]:
    """Cells that are compiled together, those of one layout."""
    by_layout: dict[str, list[Cell]] = {}
    for cell in cells:
        by_layout.setdefault(cell.layout, []).append(cell)
    return [
        tuple(group[start : start + size])
        for group in by_layout.values()
        for start in range(0, len(group), size)
    ]


def check(pack: Sequence[Cell]) -> list[str]:
    """Run one pack through the jit; what is wrong with it, a line each."""
    arguments = [cell.operands() for cell in pack]
    probe = Probe(with_parameters(_together(pack), sum(map(len, arguments))))
    try:
        seen = observe(probe, *(a for operands in arguments for a in operands))
    except Exception as error:
        if len(pack) > 1:
            return [line for cell in pack for line in check((cell,))]
        return [f"{pack[0]}: {type(error).__name__}: {error}"]
    found = [f"{pack[0]} and others: {text}" for text in seen.complaints()]
    found += _flags(pack, arguments, seen.warned)
    for cell, operands, result in zip(pack, arguments, seen.results, strict=True):
        wrong = mismatch(result, cell.expected(operands), operands)
        if wrong is not None:
            found.append(f"{cell}: {wrong}")
    return found


def _together(pack: Sequence[Cell]) -> Any:
    def together(*arguments: Any) -> tuple[Any, ...]:
        results: list[Any] = []
        start = 0
        for cell in pack:
            end = start + len(cell.case.dtypes)
            results.append(cell.apply(*arguments[start:end]))
            start = end
        return tuple(results)

    return together


def _flags(pack: Sequence[Cell], arguments: Sequence[list[Any]], warned: bool) -> list[str]:
    flagged = [
        cell
        for cell, operands in zip(pack, arguments, strict=True)
        if cell.case.target is None and law_flags(cell.case.op, *operands)
    ]
    if warned == bool(flagged):
        return []
    return [f"{(flagged or pack)[0]} and others: warned {warned}, expected {bool(flagged)}"]
