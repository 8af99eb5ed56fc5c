"""The record of a run: plain values that go to a JSON file and come back checked.

Owns the schema. Times are seconds a call, sizes bytes, bandwidths bytes a second.
"""

from __future__ import annotations

import dataclasses
import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from benchmarks.peers import OURS
from benchmarks.timing import Summary

SCHEMA = 1


@dataclasses.dataclass
class Row:
    """One case at one size, in one form, on a number of threads.

    ``form`` is "fresh" (results in new memory), "out" (in given memory) or "in place". A peer is
    in ``times``, or with the reason in ``missing`` if it cannot run this, or in ``failed`` if it
    raised or gave another result than NumPy. ``ceiling`` is the bandwidth of the
    kernel named ``ceiling_kernel`` over as many bytes, the median of the same rounds. ``dense`` is
    the time of a dense opsir kernel of equal traffic, for broadcasts.
    """

    case: str
    title: str
    size: str
    form: str
    threads: int
    elements: int
    bytes: int
    compute: bool
    rounds: int
    ceiling_kernel: str
    ceiling: float
    times: dict[str, Summary]
    missing: dict[str, str]
    failed: dict[str, str]
    first_call: dict[str, float]
    dense: Summary | None = None

    def best_peer(self, statistic: str = "median") -> tuple[str, float] | None:
        """The fastest of the others and its time; None if there is none."""
        others = {p: getattr(s, statistic) for p, s in self.times.items() if p != OURS}
        return min(others.items(), key=lambda item: item[1]) if others else None

    def ratio(self, statistic: str = "median") -> float | None:
        """How many times faster opsir is than the best peer; None if either is missing."""
        best = self.best_peer(statistic)
        if best is None or OURS not in self.times:
            return None
        return best[1] / getattr(self.times[OURS], statistic)

    def of_ceiling(self, statistic: str = "median") -> float | None:
        """The share of the memory's limit that opsir reaches; None for what is not held to it."""
        if self.compute or OURS not in self.times or self.size == "T":
            return None
        return self.bytes / getattr(self.times[OURS], statistic) / self.ceiling

    def over_dense(self, statistic: str = "median") -> float | None:
        """The time of the broadcast by that of the dense kernel of equal traffic."""
        if self.dense is None or OURS not in self.times:
            return None
        return getattr(self.times[OURS], statistic) / getattr(self.dense, statistic)


@dataclasses.dataclass
class Record:
    """A whole run.

    ``ceilings`` has a table of bandwidths for each number of threads, ``latency`` for each peer the
    seconds to import it and to its first results in a new process.
    """

    machine: dict[str, str]
    commit: str
    date: str
    command: str
    seconds: float = 0.0
    versions: dict[str, str] = dataclasses.field(default_factory=dict[str, str])
    ceilings: dict[str, dict[str, dict[str, float]]] = dataclasses.field(
        default_factory=dict[str, dict[str, dict[str, float]]]
    )
    latency: dict[str, dict[str, float]] = dataclasses.field(
        default_factory=dict[str, dict[str, float]]
    )
    rows: list[Row] = dataclasses.field(default_factory=list[Row])
    schema: int = SCHEMA

    def save(self, path: Path) -> None:
        """Write the record, one row a line so that two records can be compared."""
        document = {**vars(self), "rows": []}
        head = json.dumps(document, indent=1).removesuffix("}").rstrip()
        rows = ",\n  ".join(json.dumps(_plain(row)) for row in self.rows)
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(head.replace('"rows": []', f'"rows": [\n  {rows}]') + "\n}\n", "utf-8")


def _plain(row: Row) -> dict[str, Any]:
    made = dict(vars(row))
    made["times"] = {peer: _rounded(s) for peer, s in row.times.items()}
    made["first_call"] = {peer: round(s, 4) for peer, s in row.first_call.items()}
    made["dense"] = None if row.dense is None else _rounded(row.dense)
    return made


def _rounded(summary: Summary) -> dict[str, float]:
    return {k: float(f"{v:.5g}") if k[0] == "m" else v for k, v in summary._asdict().items()}


def load(path: Path) -> Record:
    """Read a record; a ValueError if it is of another schema."""
    document: dict[str, Any] = json.loads(path.read_text("utf-8"))
    if document.get("schema") != SCHEMA:
        raise ValueError(f"{path}: schema {document.get('schema')}, this reads {SCHEMA}")
    rows = [_row(row) for row in document.pop("rows")]
    return Record(rows=rows, **document)


def _row(plain: Mapping[str, Any]) -> Row:
    times = {peer: Summary(**s) for peer, s in plain["times"].items()}
    dense = None if plain["dense"] is None else Summary(**plain["dense"])
    made: dict[str, Any] = {**plain, "times": times, "dense": dense}
    return Row(**made)
