"""The command line of the benchmarks."""

from __future__ import annotations

import argparse
from pathlib import Path

from benchmarks.cases import CASES, SIZES
from benchmarks.peers import PEERS

DEFAULT_SIZES = "TMF"
RESULTS = Path("build/benchmarks")


def parser() -> argparse.ArgumentParser:
    """``python -m benchmarks``."""
    sizes = "; ".join(f"{letter} {meaning}" for letter, meaning in SIZES.items())
    made = argparse.ArgumentParser(
        prog="python -m benchmarks",
        description="opsir beside other array libraries, interleaved in one run.",
    )
    made.add_argument("--sizes", default=DEFAULT_SIZES, help=f"letters ({DEFAULT_SIZES}): {sizes}")
    made.add_argument("--cases", default="", metavar="REGEX", help="names such as outer/F")
    made.add_argument(
        "--peers", default=",".join(PEERS), help=f"names with commas, of {', '.join(PEERS)}"
    )
    made.add_argument("--threads", default="1,2", help="numbers with commas, a process each")
    made.add_argument(
        "--seconds", type=float, default=120, help="measure for this long in all (120)"
    )
    made.add_argument(
        "--limit",
        type=float,
        default=float("inf"),
        metavar="SECONDS",
        help="begin no further case after this long, compiling included, for each process",
    )
    made.add_argument("--no-latency", action="store_true", help="start no processes for latency")
    made.add_argument(
        "--output", type=Path, default=RESULTS / "latest.json", help="the record; .png lies beside"
    )
    made.add_argument("--report", type=Path, metavar="JSON", help="print a record, measure nothing")
    made.add_argument("--list", action="store_true", help="print the cases")
    made.add_argument("--worker", type=int, metavar="THREADS", help=argparse.SUPPRESS)
    return made


def parsed(words: list[str] | None = None) -> argparse.Namespace:
    """The options, checked: an unknown peer or size ends the program with a sentence."""
    made = parser()
    options = made.parse_args(words)
    options.peers = [name for name in options.peers.split(",") if name]
    unknown = [name for name in options.peers if name not in PEERS]
    if unknown:
        made.error(f"no peer {', '.join(unknown)}; there are {', '.join(PEERS)}")
    if set(options.sizes) - set(SIZES):
        made.error(f"--sizes takes letters of {''.join(SIZES)}, got {options.sizes}")
    if not all(word.isdigit() and int(word) > 0 for word in options.threads.split(",")):
        made.error(f"--threads takes numbers with commas, got {options.threads}")
    options.threads = [int(word) for word in options.threads.split(",")]
    return options


def listing() -> str:
    """Every case with its sizes."""
    return "\n".join(f"{case.name:18} {''.join(case.sizes):4} {case.title}" for case in CASES)
