"""The numeric checks themselves can fail: each notices the smallest difference that it is for."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from opsir.dtypes import BY_NAME, F32
from opsir.evaluate import cast
from tests.numeric import fuzzing, matrix
from tests.numeric.cases import Case
from tests.numeric.generation import make_program
from tests.numeric.layouts import NAMES, SCALAR_NAMES
from tests.numeric.matrix import Cell, all_cells
from tests.numeric.programs import Program
from tests.numeric.running import Observed, mismatch
from tests.numeric.values import labelled, specials
from tools import records


@pytest.mark.parametrize(
    ("result", "expected", "word"),
    [
        (np.array([0.0]), np.array([-0.0]), "1 of 1 elements"),
        (np.array([1.0]), np.nextafter(np.array([1.0]), 2), "1 of 1"),
        (np.array([np.nan]), np.array([1.0]), "1 of 1"),
        (np.array([1], np.int8), np.array([1], np.uint8), "dtype"),
        (np.ones(1), np.ones((1, 1)), "shape"),
        (np.array(1.0), np.float64(1.0), "NumPy scalar"),
        (np.array([2], np.uint8).view(np.bool_), np.array([True]), "byte"),
    ],
)
def test_mismatch_sees(result: Any, expected: Any, word: str) -> None:
    assert word in str(mismatch(result, expected))


def test_mismatch_takes_any_nan_for_any_other() -> None:
    for name in ("f16", "bf16", "f32", "f64"):
        nans = cast(np.array([np.nan, -np.nan]), BY_NAME[name])
        assert mismatch(nans, nans[::-1].copy()) is None


def test_counts_are_compared_with_the_plan() -> None:
    wrong = Observed((1, 2), 2, 1, 3, 1, 0, False, False)
    assert len(list(wrong.complaints())) == 3
    assert list(Observed((1, 2), 1, 1, 2, 0, 0, False, False).complaints()) == []


@pytest.mark.parametrize("layout", [*NAMES, *SCALAR_NAMES])
def test_matrix_notices_a_wrong_element(layout: str, monkeypatch: pytest.MonkeyPatch) -> None:
    cell = Cell(Case("add", (F32, F32)), layout)
    right = matrix.law

    def wrong(op: str, *operands: Any) -> Any:
        value = np.array(right(op, *operands))
        last = value.reshape(-1)[-1:]
        last[...] = np.where(last == 1, 2, 1)
        return value if value.ndim else value[()]

    assert matrix.check([cell]) == []
    monkeypatch.setattr(matrix, "law", wrong)
    empty = layout == "zero length"
    assert len(matrix.check([cell])) == (0 if empty else 1)


def test_matrix_notices_a_warning_that_is_missing(monkeypatch: pytest.MonkeyPatch) -> None:
    cell = Cell(Case("div_floor", (BY_NAME["i8"], BY_NAME["i8"])), "same shape")
    assert matrix.check([cell]) == []
    monkeypatch.setattr(matrix, "law_flags", lambda op, *operands: frozenset[str]())
    assert "warned True" in matrix.check([cell])[0]


def test_every_layout_is_in_the_full_matrix() -> None:
    cells = [c for c in all_cells() if c.case.op == "atan2"]
    assert {c.layout for c in cells} == {*NAMES, *SCALAR_NAMES}
    assert {c.case.dtypes for c in cells if c.layout == "middle"} >= {
        (a, b) for a in BY_NAME.values() for b in BY_NAME.values()
    }


def test_a_failing_program_becomes_small() -> None:
    def casts_to_u8(program: Program) -> bool:
        return any(node.target == "u8" for node in program.nodes)

    program = next(p for p in map(make_program, range(200)) if casts_to_u8(p) and len(p.nodes) > 5)
    small = fuzzing.shrunk(program, casts_to_u8)
    assert len(small.nodes) <= 2
    assert len(small.results) == 1
    assert all(n <= 1 for given in small.inputs for n in given.shape)
    assert all(given.view == "dense" for given in small.inputs)
    assert casts_to_u8(small)


def test_fuzzing_notices_a_wrong_semantics(monkeypatch: pytest.MonkeyPatch) -> None:
    program = make_program(3)
    assert fuzzing.problems(program) == []
    right = Program.expected

    def wrong(self: Program, arguments: Any) -> Any:
        found = right(self, arguments)
        flipped = [np.asarray(r).astype(np.complex128) for r in found.results]
        return type(found)(tuple(flipped), found.flagged, found.empty)

    monkeypatch.setattr(Program, "expected", wrong)
    assert len(fuzzing.problems(program)) >= 3


def test_labels_name_their_index() -> None:
    assert labelled((2, 3, 4), F32)[1, 2, 3] == 123
    assert labelled((4,), F32).tolist() == [0, 1, 2, 3]


def test_specials_hold_the_edges() -> None:
    for row in BY_NAME.values():
        found = specials(row)
        if row.is_float:
            assert np.isnan(found).sum() >= 2
            assert np.isinf(found).sum() >= 2
        else:
            assert {row.min, row.max} <= set(found.astype(object).tolist())


def test_record_is_refused_when_it_does_not_hold(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(records, "RECORDS", tmp_path)
    monkeypatch.setattr(records, "ROOT", tmp_path)
    monkeypatch.setattr(records, "code_hash", lambda: "code")
    assert "there is no" in str(records.complaint("run", {}))
    path = tmp_path / "run.json"
    good = {"commit": "c", "date": "d", "command": "again", "code": "code"}

    def complain(failures: int, cells: int, code: str) -> str | None:
        counts = {"failures": failures, "cells": cells}
        path.write_text(json.dumps({**good, "code": code, "counts": counts}))
        return records.complaint("run", {"cells": 10})

    assert complain(0, 10, "code") is None
    assert "failures" in str(complain(1, 10, "code"))
    assert "asked for are 10" in str(complain(0, 9, "code"))
    assert records.outdated("run") is None
    assert complain(0, 10, "other") is None
    assert "recorded at c" in str(records.outdated("run"))


def test_code_hash_sees_code_and_no_comments(tmp_path: Path) -> None:
    source = tmp_path / "opsir" / "dtypes.py"
    source.parent.mkdir()

    def hashed(text: str) -> str:
        source.write_text(text)
        return records.code_hash(tmp_path)

    plain = hashed("def f():\n    return 1\n")
    assert hashed("def f():\n    '''Doc.'''\n    return 1  # why\n") == plain
    assert hashed("def f():\n    return 2\n") != plain
