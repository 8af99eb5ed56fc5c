"""Run random programs fused, unfused and by the semantics, and compare the results bit for bit.

A program that fails is made small and kept under tests/numeric/regressions, where a test replays
it. --record writes tests/records/fuzz-dags.json. Exit status 1 if a program failed.
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

from tests.numeric.fuzzing import keep, problems, shrunk  # noqa: E402
from tests.numeric.generation import make_program  # noqa: E402
from tests.numeric.programs import Unspecified  # noqa: E402
from tools import records  # noqa: E402
from tools.workers import spread  # noqa: E402

CHUNK = 250
"""Seeds that one worker tries before it reports."""


def try_seeds(seeds: Sequence[int]) -> tuple[int, list[int]]:
    """How many of the seeds' programs have a meaning, and the seeds of those that miss it."""
    from opsir.runtime.specialise import native_cache_clear

    checked, failed = 0, list[int]()
    for seed in seeds:
        try:
            wrong = problems(make_program(seed))
        except Unspecified:
            continue
        checked += 1
        if wrong:
            print(f"seed {seed}: {wrong[0]}", flush=True)
            failed.append(seed)
    native_cache_clear()
    return checked, failed


def run(start: int, count: int, jobs: int) -> tuple[int, list[int]]:
    """Try seeds until ``count`` programs have been checked."""
    checked, failed, next_seed = 0, list[int](), start
    began = time.monotonic()
    while checked < count:
        wanted = count - checked
        ends = range(next_seed, next_seed + wanted, CHUNK)
        chunks = [range(s, min(s + CHUNK, next_seed + wanted)) for s in ends]
        next_seed += wanted
        for chunk, result in spread(try_seeds, chunks, jobs):
            if isinstance(result, Exception):  # A worker that died took its seeds with it.
                print(f"a seed of {chunk}: {type(result).__name__}: {result}", file=sys.stderr)
                raise result
            checked += result[0]
            failed += result[1]
            seconds = time.monotonic() - began
            print(f"{checked} programs, {len(failed)} failed, {seconds:.0f} s", flush=True)
    return checked, failed


def main(arguments: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--count", type=int, default=300, help="programs to check (300)")
    parser.add_argument("--start", type=int, default=1_000_000, help="first seed (1000000)")
    parser.add_argument("--jobs", type=int, default=2, help="processes (2)")
    parser.add_argument("--record", action="store_true", help="write the record of the run")
    chosen = parser.parse_args(arguments)
    before = records.code_hash()
    checked, failed = run(chosen.start, chosen.count, chosen.jobs)
    for seed in failed:
        print(f"kept {keep(shrunk(make_program(seed)), f'seed_{seed}').relative_to(ROOT)}")
    if chosen.record:
        if records.code_hash() != before:
            print("not recorded: the code changed during the run", file=sys.stderr)
            return 1
        counts = {"programs": checked, "failures": len(failed)}
        programs = f"--count {chosen.count} --start {chosen.start}"
        command = f"python tools/fuzz_dags.py {programs} --record"
        print(f"wrote {records.write('fuzz-dags', command, counts).relative_to(ROOT)}")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
