"""The semantics differ from NumPy exactly where the table of deviations says so."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from typing import Any

import numpy as np
import pytest

from opsir.dtypes import ALL, BF16
from opsir.evaluate import cast
from tests.numeric.cases import ARITY, Case, casts, operations, resolution
from tests.numeric.deviations import DEVIATIONS, outcome
from tests.numeric.oracles import LOOSE, by_numpy, cast_by_numpy, converted, law, ulps
from tests.numeric.values import Array, crossed, differing
from tools import deviations as document

ULPS = 3.0
"""NumPy's own functions are within 4 ulp in f32; the semantics' are within 1."""

OTHER_DTYPE = {"clip", "where"}
"""Where NumPy has no loop for bfloat16 and refuses, or computes in float32."""


def _data(case: Case) -> list[Array]:
    arrays = crossed(case.dtypes, np.random.default_rng(7))
    exponent = case.dtypes[-1]
    if case.op == "pow" and exponent.kind == "i":
        arrays[-1] = arrays[-1] & exponent.numpy.type(exponent.max)
    return arrays


@cache
def _differences(op: str) -> tuple[tuple[str, ...], frozenset[str]]:
    """Unexplained differences of an op, and the titles of the deviations that it needs."""
    unexplained: list[str] = []
    needed: set[str] = set()
    for case in casts() if op == "cast" else [c for c in operations() if c.op == op]:
        arrays = _data(case)
        computed, ours, theirs = _both(case, arrays)
        if theirs is None or theirs.dtype != ours.dtype:
            assert theirs is None or (op in OTHER_DTYPE and BF16 in case.dtypes), case
            continue
        if op in LOOSE and ours.dtype.kind not in "iub":
            worst = float(np.max(ulps(ours, theirs)))
            unexplained += [f"{case}: {worst} ulp"] if worst > ULPS else []
            continue
        differ = differing(ours, theirs)
        for entry in DEVIATIONS:
            covered = entry.covers(case, computed) & differ
            needed |= {entry.title} if covered.any() else set[str]()
            differ = differ & ~covered
        if differ.any():
            at = int(np.flatnonzero(differ)[0])
            given = [a[at] for a in arrays]
            unexplained.append(f"{case} of {given}: {ours[at]!r}, NumPy {theirs[at]!r}")
    return tuple(unexplained), frozenset(needed)


def _both(case: Case, arrays: Sequence[Array]) -> tuple[list[Array], Array, Array | None]:
    """Operands in the computing dtypes, the result by the semantics, and NumPy's."""
    if case.target is not None:
        return list(arrays), cast(arrays[0], case.target), cast_by_numpy(arrays[0], case.target)
    found = resolution(case.op, case.dtypes)
    assert found is not None
    operands: list[Array] = [converted(v, d) for v, d in zip(arrays, found.operands, strict=True)]
    return operands, law(case.op, *arrays), by_numpy(case.op, *arrays)


@pytest.mark.parametrize("op", [*ARITY, "cast"])
def test_every_difference_from_numpy_is_stated(op: str) -> None:
    assert _differences(op)[0] == ()


def test_every_entry_is_needed() -> None:
    needed = frozenset[str]().union(*(_differences(op)[1] for op in [*ARITY, "cast"]))
    assert {entry.title for entry in DEVIATIONS if entry.ops} - needed == set()


@pytest.mark.parametrize("entry", DEVIATIONS, ids=lambda entry: entry.title)
def test_example_shows_the_difference(entry: Any) -> None:
    theirs = outcome(entry.example, document.numpy_functions())
    ours = outcome(entry.example, document.opsir_functions())
    assert ours != theirs
    assert "Error" not in ours or entry.title.startswith("Python integers out of range")


def test_document_is_fresh() -> None:
    assert document.PATH.read_text(encoding="utf-8") == document.render()


def test_data_reaches_every_dtype() -> None:
    assert {d for case in operations() for d in case.dtypes} == set(ALL)
