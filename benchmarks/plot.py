"""A record as one picture: every peer's time by opsir's, row by row.

Owns the picture only; needs matplotlib, which comes with the extra `bench`.
"""

from __future__ import annotations

import importlib
from pathlib import Path
from typing import Any

from benchmarks.peers import OURS, PEERS
from benchmarks.results import Record, Row

COLOURS = ("#4477aa", "#ee6677", "#228833", "#ccbb44", "#66ccee", "#aa3377")
LEFT, RIGHT = 0.2, 40.0
"""The edges of the picture; what lies beyond is drawn on them."""
TICKS = (0.2, 0.5, 1, 2, 5, 10, 20, 40)


def draw(record: Record, path: Path, threads: int) -> None:
    """Write a PNG with one panel for each size; a dot right of 1 is a peer slower than opsir."""
    matplotlib = importlib.import_module("matplotlib")
    matplotlib.use("Agg")
    pyplot = importlib.import_module("matplotlib.pyplot")
    rows = [row for row in record.rows if row.threads == threads and OURS in row.times]
    sizes = [s for s in "TMFL" if any(row.size == s for row in rows)]
    counts = [sum(row.size == s for row in rows) for s in sizes]
    figure, panels = pyplot.subplots(
        len(sizes),
        figsize=(9, 1.2 + 0.22 * sum(counts)),
        squeeze=False,
        height_ratios=counts,
        layout="constrained",
    )
    for size, panel in zip(sizes, panels[:, 0]):
        _panel(panel, size, [row for row in rows if row.size == size])
    panels[0, 0].set_title(f"time by opsir's, {threads} thread{'s' * (threads > 1)}")
    panels[0, 0].legend(loc="center left", bbox_to_anchor=(1.0, 0.5), fontsize=8)
    figure.savefig(path, dpi=110)
    pyplot.close(figure)


def _panel(panel: Any, size: str, rows: list[Row]) -> None:
    labels = [f"{row.case}, {row.form}" for row in rows]
    for name, colour in zip((n for n in PEERS if n != OURS), COLOURS, strict=True):
        points = [
            (min(max(row.times[name].median / row.times[OURS].median, LEFT), RIGHT), place)
            for place, row in enumerate(rows)
            if name in row.times
        ]
        if points:
            panel.plot(*zip(*points), "o", color=colour, markersize=4, label=name, clip_on=False)
    panel.axvline(1, color="black", linewidth=0.8)
    panel.set_xscale("log")
    panel.set_xticks(TICKS, [f"{tick:g}" for tick in TICKS])
    panel.set_xlim(LEFT, RIGHT)
    panel.set_yticks(range(len(rows)), labels, fontsize=7)
    panel.set_ylim(len(rows) - 0.5, -0.5)
    panel.set_ylabel(size)
    panel.grid(axis="x", which="both", linewidth=0.3)
