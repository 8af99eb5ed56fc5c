"""Records of the benchmarks: ratios, the file, and the tables made of them."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from benchmarks import report
from benchmarks.peers import OURS
from benchmarks.results import Record, Row, load
from benchmarks.timing import Summary


def row(**changes: Any) -> Row:
    made: dict[str, Any] = {
        "case": "add",
        "title": "a + b",
        "size": "M",
        "form": "out",
        "threads": 1,
        "elements": 4,
        "bytes": 48,
        "compute": False,
        "rounds": 5,
        "ceiling_kernel": "triad",
        "ceiling": 100.0,
        "times": {
            OURS: Summary(1.0, 2.0, 5, 5),
            "numpy": Summary(1.5, 3.0, 5, 5),
            "numba": Summary(1.2, 4.0, 5, 5),
        },
        "missing": {"jax": "jax is not installed"},
        "failed": {},
        "first_call": {OURS: 0.25},
        "dense": Summary(2.0, 4.0, 5, 5),
    }
    return Row(**{**made, **changes})


def test_ratios() -> None:
    made = row()
    assert made.best_peer() == ("numpy", 3.0)
    assert (made.ratio(), made.ratio("minimum")) == (1.5, 1.2)
    assert made.of_ceiling() == 0.24
    assert made.over_dense() == 0.5
    alone = row(times={OURS: Summary(1.0, 2.0, 5, 5)}, compute=True, dense=None)
    assert (alone.ratio(), alone.of_ceiling(), alone.over_dense()) == (None, None, None)
    assert row(times={}).ratio() is None


def test_a_record_survives_its_file(tmp_path: Path) -> None:
    record = Record({"cores": "2"}, "abc", "2026-01-01", "python -m benchmarks", 1.5)
    record.ceilings["1"] = {"fill": {"4 KB": 1e11}}
    record.rows = [row(), row(threads=2, dense=None)]
    record.save(tmp_path / "a" / "record.json")
    assert load(tmp_path / "a" / "record.json") == record
    empty = Record({}, "", "", "")
    empty.save(tmp_path / "empty.json")
    assert load(tmp_path / "empty.json") == empty
    (tmp_path / "old.json").write_text('{"schema": 0}')
    with pytest.raises(ValueError, match="schema 0, this reads 1"):
        load(tmp_path / "old.json")


def test_a_missing_peer_is_a_dash_and_a_failed_one_is_said() -> None:
    record = Record({}, "abc", "", "")
    record.rows = [row(failed={"numexpr": "wrong result: all"}), row(times={}, size="L")]
    record.latency = {OURS: {"import": 0.25}}
    record.ceilings["1"] = {"fill": {"4 KB": 1e11}}
    text = report.markdown(record)
    lines = [line.replace(" ", "") for line in text.splitlines()]
    assert "|add/M|out|2s|1.50|1.20|24%|0.50|3s|FAILED|4s|" in lines
    assert "|add/L|out|-|-|-|-|-|-|-|-|" in lines
    assert "|M|out|1|1.50|1.50|" in lines
    assert "|fill|100|" in lines
    assert "|opsir|250ms|" in lines
    assert "FAILED numexpr, add/M, out, 1 threads: wrong result: all" in text


@pytest.mark.parametrize(
    ("seconds", "text"), [(2.5e-8, "25 ns"), (1.25e-5, "12.5 us"), (0.9996, "1 s"), (12.0, "12 s")]
)
def test_durations(seconds: float, text: str) -> None:
    assert report.duration(seconds) == text
