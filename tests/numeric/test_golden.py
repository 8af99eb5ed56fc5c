"""The part of the golden matrix that every test run covers, and the record of the whole.

Each operation meets each legal combination of dtypes once, and each layout many times.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable

import pytest

from opsir.dtypes import ALL
from tests.numeric.cases import ARITY, casts, operations
from tests.numeric.layouts import NAMES, SCALAR_NAMES
from tests.numeric.matrix import check, covering_cells, packs
from tools import records

CELLS = tuple(covering_cells())
PACKS = packs(CELLS)
CHUNKS = [PACKS[start::80] for start in range(80)]


@pytest.mark.parametrize("chunk", range(len(CHUNKS)))
def test_covering_part(chunk: int) -> None:
    assert [line for pack in CHUNKS[chunk] for line in check(pack)] == []


def test_covering_part_covers(
    record_property: Callable[[str, object], None], capsys: pytest.CaptureFixture[str]
) -> None:
    record_property("cells", len(CELLS))
    with capsys.disabled():
        print(f"\ngolden matrix: {len(CELLS)} cells in {len(PACKS)} packs")
    assert {cell.case for cell in CELLS} == {*operations(), *casts()}
    layouts = {*NAMES, *SCALAR_NAMES}
    met = Counter((cell.case.op, cell.layout) for cell in CELLS)
    binary = [op for op, arity in ARITY.items() if arity > 1] + ["cast"]
    assert [(op, name) for op in binary for name in NAMES if not met[op, name]] == []
    by_dtype = {(d, cell.layout) for cell in CELLS for d in cell.case.dtypes}
    plain = [name for name in layouts if not name.startswith("Python")]
    assert [(d, name) for d in ALL for name in plain if (d, name) not in by_dtype] == []


def test_the_full_matrix_is_on_record() -> None:
    assert records.complaint("golden-matrix", {"cells": 110_000}) is None
    if older := records.outdated("golden-matrix"):
        pytest.skip(older)
