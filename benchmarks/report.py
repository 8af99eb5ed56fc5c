"""A record as tables in Markdown, for the terminal and for the documents.

Owns the columns and how numbers are written. A peer that has no time is a dash.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence

from benchmarks.peers import OURS, PEERS
from benchmarks.results import Record, Row

DASH = "-"


def duration(seconds: float) -> str:
    """Seconds with three digits and a unit."""
    for unit, scale in (("ns", 1e9), ("us", 1e6), ("ms", 1e3)):
        if seconds * scale < 999.5:
            return f"{seconds * scale:.3g} {unit}"
    return f"{seconds:.3g} s"


def table(head: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    """A Markdown table whose columns are aligned in plain text too."""
    lines = [list(head), *map(list, rows)]
    widths = [max(len(line[k]) for line in lines) for k in range(len(head))]
    rule = ["-" * width for width in widths]
    padded = [[c.ljust(w) for c, w in zip(line, widths)] for line in [lines[0], rule, *lines[1:]]]
    return "\n".join("| " + " | ".join(line) + " |" for line in padded)


def rows_of(record: Record, threads: int) -> str:
    """One line a row: opsir, its ratios, and every peer's time."""
    rows = [row for row in record.rows if row.threads == threads]
    names = [n for n in PEERS if n != OURS and any(n in r.times or n in r.failed for r in rows)]
    head = ["case", "form", OURS, "to best", "by minima", "of ceiling", "to dense", *names]
    return table(head, (_line(row, names) for row in rows))


def _line(row: Row, names: Sequence[str]) -> list[str]:
    return [
        f"{row.case}/{row.size}",
        row.form,
        _time(row, OURS),
        _number(row.ratio()),
        _number(row.ratio("minimum")),
        _share(row.of_ceiling()),
        _number(row.over_dense()),
        *(_time(row, name) for name in names),
    ]


def _time(row: Row, name: str) -> str:
    if name in row.failed:
        return "FAILED"
    return duration(row.times[name].median) if name in row.times else DASH


def _number(value: float | None) -> str:
    return DASH if value is None else f"{value:.2f}"


def _share(value: float | None) -> str:
    return DASH if value is None else f"{100 * value:.0f} %"


def summary(record: Record, threads: int) -> str:
    """The geometric mean of the ratios to the best peer, size by size and form by form."""
    groups: dict[tuple[str, str], list[float]] = {}
    for row in record.rows:
        ratio = row.ratio()
        if row.threads == threads and ratio is not None:
            groups.setdefault((row.size, row.form), []).append(ratio)
    lines = [
        [size, form, str(len(ratios)), f"{_mean(ratios):.2f}", f"{min(ratios):.2f}"]
        for (size, form), ratios in groups.items()
    ]
    return table(["size", "form", "rows", "geometric mean", "lowest"], lines)


def _mean(values: Sequence[float]) -> float:
    return math.exp(sum(map(math.log, values)) / len(values))


def ceilings(record: Record, threads: str) -> str:
    """Bandwidths in GB/s by kernel and size."""
    rows = record.ceilings[threads]
    sizes = list(next(iter(rows.values())))
    lines = [[name, *(f"{row[s] / 1e9:.0f}" for s in sizes)] for name, row in rows.items()]
    return table(["kernel", *sizes], lines)


def latency(record: Record) -> str:
    """Compile latency by peer."""
    parts = list(next(iter(record.latency.values())))
    lines = [[n, *(duration(row[p]) for p in parts)] for n, row in record.latency.items()]
    return table(["peer", *parts], lines)


def failures(record: Record) -> list[str]:
    """What raised or was wrong, in words."""
    return [
        f"{name}, {row.case}/{row.size}, {row.form}, {row.threads} threads: {why}"
        for row in record.rows
        for name, why in row.failed.items()
    ]


def markdown(record: Record) -> str:
    """The whole report."""
    machine = ", ".join(f"{key}: {value}" for key, value in record.machine.items())
    versions = ", ".join(f"{name} {version}" for name, version in record.versions.items())
    parts = [
        f"Commit {record.commit}, {record.date}, {record.seconds:.0f} s. {machine}. {versions}.",
        f"    {record.command}",
    ]
    for threads in sorted({row.threads for row in record.rows}):
        parts += [f"### {threads} thread{'s' * (threads > 1)}", summary(record, threads)]
        parts.append(rows_of(record, threads))
        if str(threads) in record.ceilings:
            parts += ["The memory's limits, GB/s:", ceilings(record, str(threads))]
    if record.latency:
        parts += ["### A new process", latency(record)]
    parts += [f"FAILED {text}" for text in failures(record)]
    return "\n\n".join(parts)
