"""``python -m benchmarks``: measure, print the tables, write the record and its picture."""

from __future__ import annotations

import argparse
import datetime
import os
import re
import shlex
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from benchmarks import latency, machine, options, report
from benchmarks.peers import OURS
from benchmarks.peers.interface import RefusedError, available, library
from benchmarks.results import Record, load

TABLE_SIZES = {"4 KB": 4096, "1 MB": 1 << 20, "4 MB": 4 << 20, "240 MB": 240_000_000}
DISTRIBUTIONS = ("numpy", "ml_dtypes", "llvmlite", "numexpr", "numba", "jax", "torch", "xdsl")


def environment(threads: int) -> dict[str, str]:
    """The environment of a worker: libraries read their number of threads when they start."""
    names = ("OMP", "MKL", "OPENBLAS", "NUMEXPR", "NUMBA", "OPSIR")
    made = {**os.environ, **{f"{name}_NUM_THREADS": str(threads) for name in names}}
    made["NUMEXPR_MAX_THREADS"] = made["NPROC"] = str(threads)
    made["JAX_PLATFORMS"] = "cpu"
    return made


def work(options: argparse.Namespace) -> int:
    """Measure on the threads of this process and write a record without its surroundings."""
    from benchmarks.ceilings import Ceilings
    from benchmarks.worker import measure, selected

    threads = options.worker
    peers, missing = available(options.peers, threads)
    for name, reason in missing.items():
        print(f"{name}: {reason}", file=sys.stderr)
    record = Record({}, "", "", "")
    chosen = selected(re.compile(options.cases).search, options.sizes, threads)
    for row in measure(chosen, peers, threads, options.seconds, options.limit):
        row.missing.update(missing)
        record.rows.append(row)
    if not options.cases:
        record.ceilings[str(threads)] = Ceilings(threads).table(TABLE_SIZES)
    record.save(options.output)
    return 0


def run(options: argparse.Namespace) -> Record:
    """A worker for each number of threads, then the latencies."""
    start = time.perf_counter()
    words = shlex.join(sys.argv[1:])
    now = datetime.datetime.now(datetime.UTC).isoformat(timespec="minutes")
    record = Record(machine.describe(), machine.commit(), now, f"python -m benchmarks {words}")
    record.versions = machine.versions(DISTRIBUTIONS)
    for threads in options.threads:
        part = _worker(options, threads)
        record.rows += part.rows
        record.ceilings.update(part.ceilings)
        record.seconds = round(time.perf_counter() - start, 1)
        record.save(options.output)  # what is measured is kept if the rest is interrupted
    if not options.no_latency:
        peers, _ = available(options.peers, 1)
        record.latency = latency.measure(list(peers), environment(1))
    record.seconds = round(time.perf_counter() - start, 1)
    return record


def _worker(options: argparse.Namespace, threads: int) -> Record:
    seconds = options.seconds / len(options.threads)
    with tempfile.TemporaryDirectory() as folder:
        output = Path(folder) / "part.json"
        command = [sys.executable, "-m", "benchmarks", "--worker", str(threads)]
        command += ["--sizes", options.sizes, "--cases", options.cases]
        command += ["--peers", ",".join(options.peers), "--seconds", str(seconds)]
        command += ["--limit", str(options.limit)]
        command += ["--output", str(output)]
        subprocess.run(command, env=environment(threads), check=True)
        return load(output)


def picture(record: Record, path: Path) -> None:
    """The PNG of each number of threads, if matplotlib is there."""
    try:
        library("matplotlib")
    except RefusedError as reason:
        print(f"no picture: {reason}", file=sys.stderr)
        return
    from benchmarks.plot import draw

    for threads in sorted({row.threads for row in record.rows if OURS in row.times}):
        draw(record, path.with_name(f"{path.stem}-{threads}t.png"), threads)


def main() -> int:
    """The status is 1 if a result was wrong or a peer failed."""
    chosen = options.parsed()
    if chosen.list:
        print(options.listing())
        return 0
    if chosen.worker:
        return work(chosen)
    record = load(chosen.report) if chosen.report else run(chosen)
    if not chosen.report:
        record.save(chosen.output)
    print(report.markdown(record))
    if not chosen.report:
        picture(record, chosen.output)
        print(f"wrote {chosen.output}", file=sys.stderr)
    return 1 if report.failures(record) else 0


if __name__ == "__main__":
    sys.exit(main())
