"""Run the golden matrix: every operation on every legal combination of dtypes in every layout.

Without options the covering part that CI runs; --full the whole, or every SHARE-th pack of it;
--record writes tests/records/golden-matrix.json. Exit status 1 if a result differs from the
semantics.
"""

from __future__ import annotations

import argparse
import sys
import time
from collections.abc import Sequence
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent

if __name__ == "__main__":
    sys.path.insert(0, str(ROOT))

from tests.numeric.matrix import Cell, all_cells, check, covering_cells, packs  # noqa: E402
from tools import records  # noqa: E402
from tools.workers import spread  # noqa: E402

CHUNK = 40
"""Packs that one worker checks before it reports."""


def check_chunk(chunk: Sequence[tuple[Cell, ...]]) -> list[str]:
    """Check the packs of a chunk; a line for each thing that is wrong."""
    from opsir.runtime.specialise import native_cache_clear

    found = [line for pack in chunk for line in check(pack)]
    native_cache_clear()
    return found


def run(packed: Sequence[tuple[Cell, ...]], jobs: int) -> list[str]:
    """Check packs of cells in ``jobs`` processes, printing progress and what is wrong."""
    total = sum(map(len, packed))
    chunks = [packed[i : i + CHUNK] for i in range(0, len(packed), CHUNK)]
    found: list[str] = []
    start, done = time.monotonic(), 0
    for chunk, lines in spread(check_chunk, chunks, jobs):
        if isinstance(lines, Exception):  # A worker that died took its chunk with it.
            first = chunk[0][0]
            lines = [f"the chunk that begins with {first}: {type(lines).__name__}: {lines}"]
        found += lines
        done += sum(map(len, chunk))
        print("\n".join(lines), end="\n" if lines else "")
        seconds = time.monotonic() - start
        print(f"{done} of {total} cells, {len(found)} wrong, {seconds:.0f} s", flush=True)
    return found


def main(arguments: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--full", action="store_true", help="all cells, not the covering part")
    parser.add_argument("--share", type=int, default=1, help="every SHARE-th pack of cells (1)")
    parser.add_argument("--jobs", type=int, default=2, help="processes (2)")
    parser.add_argument("--record", action="store_true", help="write the record of a full run")
    chosen = parser.parse_args(arguments)
    if chosen.record and not chosen.full:
        parser.error("--record goes with --full")
    cells = list(all_cells() if chosen.full else covering_cells())
    packed = packs(cells)[:: max(chosen.share, 1)]
    before = records.code_hash()
    failures = run(packed, chosen.jobs)
    if chosen.record:
        if records.code_hash() != before:
            print("not recorded: the code changed during the run", file=sys.stderr)
            return 1
        counts = {"cells": sum(map(len, packed)), "of": len(cells), "failures": len(failures)}
        command = f"python tools/golden_matrix.py --full --share {chosen.share} --record"
        print(f"wrote {records.write('golden-matrix', command, counts).relative_to(ROOT)}")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
