"""Measures cases on a number of threads in this process, peers and memory kernels interleaved.

Owns the order of one case: inputs, programs, comparison with NumPy, rounds, row. Runs in a process
of its own because libraries take their number of threads when they start.
"""

from __future__ import annotations

import dataclasses
import gc
import statistics
import sys
import time
from collections.abc import Callable, Iterator, Mapping

import numpy as np

from benchmarks.cases import CASES, F32, Case, Input
from benchmarks.ceilings import Ceilings, kernel_for
from benchmarks.inputs import Array, Problem, difference, line_start
from benchmarks.peers import OURS
from benchmarks.peers.interface import Peer, RefusedError
from benchmarks.results import Row
from benchmarks.timing import Timed, rounds, summarise

SAMPLE = {"T": 3e-4, "M": 1e-3, "F": 2e-3, "L": 0.0}
"""Seconds that a sample lasts at least; 0 is one call."""


@dataclasses.dataclass
class Entry:
    """One program under measurement."""

    form: str
    peer: str
    timed: Timed
    first_call: float


class Measurement:
    """All forms of one case at one size on every peer."""

    def __init__(self, case: Case, size: str, peers: Mapping[str, Peer], threads: int) -> None:
        self.problem = Problem(case, size)
        self.peers, self.threads = peers, threads
        self.missing: dict[tuple[str, str], str] = {}
        self.failed: dict[tuple[str, str], str] = {}
        self.entries: list[Entry] = []
        self._pause = 1.5e-3 if threads > 1 else 0.0
        self._shared = None if case.in_place else self.problem.empty_out()
        self.forms = ["in place"] if case.in_place else ["fresh", "out"]
        for form in self.forms:
            for name, peer in peers.items():
                self._add(form, name, peer)

    def _out(self) -> Array:
        """Memory for a result: shared by those who only write it, own where it is also read."""
        if self._shared is None:
            return line_start(self.problem.arguments[self.problem.case.in_place])
        self._shared.view(np.uint8).fill(0xA5)
        return self._shared

    def _add(self, form: str, name: str, peer: Peer) -> None:
        problem = self.problem
        start = time.perf_counter()
        try:
            if name in problem.case.refuses:
                raise RefusedError(problem.case.refuses[name])
            program = peer.fresh(problem) if form == "fresh" else peer.into(problem, self._out())
            with np.errstate(all="ignore"):
                returned = program.call()
            taken = time.perf_counter() - start
            wrong = difference(program.result(returned), problem.reference, problem.case.slack)
        except RefusedError as reason:
            self.missing[form, name] = str(reason)
            return
        except Exception as error:  # whatever a library raises costs its column, not the run
            self.failed[form, name] = f"{type(error).__name__}: {error}"
            return
        if wrong:
            self.failed[form, name] = f"wrong result: {wrong}"
            return
        del returned
        timed = Timed(program.call, SAMPLE[problem.size], self._pause)
        self.entries.append(Entry(form, name, timed, taken))

    def run(self, ceilings: Ceilings, seconds: float) -> Iterator[Row]:
        """Measure for about ``seconds``; one row for each form."""
        problem, sample = self.problem, SAMPLE[self.problem.size]
        total = problem.read + problem.written
        kernel = kernel_for(problem.read, problem.written)
        reached: list[float] = []
        limit = Timed(lambda: reached.append(ceilings.best(kernel, total, sample / 2)), 0)
        dense = self._dense(total)
        programs = [e.timed for e in self.entries]
        if not programs:
            return
        done = rounds([*programs, *([dense] if dense else []), limit], seconds)
        for form in self.forms:
            mine = [e for e in self.entries if e.form == form]
            yield Row(
                case=problem.case.name,
                title=problem.case.title,
                size=problem.size,
                form=form,
                threads=self.threads,
                elements=problem.elements,
                bytes=total,
                compute=problem.case.compute,
                rounds=done,
                ceiling_kernel=kernel.name,
                ceiling=statistics.median(reached),
                times={e.peer: summarise(e.timed.samples) for e in mine},
                missing={name: why for (f, name), why in self.missing.items() if f == form},
                failed={name: why for (f, name), why in self.failed.items() if f == form},
                first_call={e.peer: e.first_call for e in mine},
                dense=summarise(dense.samples) if dense and form == "out" else None,
            )

    def _dense(self, total: int) -> Timed | None:
        """The timing of opsir on contiguous arrays that move as many bytes as this broadcast."""
        if not self.problem.case.broadcast or OURS not in self.peers:
            return None
        case = dense_twin(self.problem.read, self.problem.written)
        twin = Problem(case, "F")
        program = self.peers[OURS].into(twin, twin.empty_out())
        program.call()
        return Timed(program.call, SAMPLE[self.problem.size], self._pause)


def dense_twin(read: int, written: int) -> Case:
    """A contiguous f32 case that moves ``read`` + ``written`` bytes, in the nearest mix."""
    flat = Input(F32, "n")
    if read < 1.5 * written:
        return Case("dense", "a * 2.5", {"a": flat}, {"F": {"n": (read + written) // 8}})
    return Case("dense", "a + b", {"a": flat, "b": flat}, {"F": {"n": (read + written) // 12}})


def selected(
    chosen: Callable[[str], object], sizes: str, threads: int = 1
) -> list[tuple[Case, str]]:
    """Cases and sizes whose name, such as "outer/F", is chosen.

    What a call costs is asked on one thread only: nothing so small is worth a second.
    """
    sizes = sizes.replace("T", "") if threads > 1 else sizes
    pairs = [(case, size) for size in sizes for case in CASES if size in case.sizes]
    return [(case, size) for case, size in pairs if chosen(f"{case.name}/{size}")]


def measure(
    work: list[tuple[Case, str]],
    peers: Mapping[str, Peer],
    threads: int,
    seconds: float,
    limit: float = float("inf"),
) -> Iterator[Row]:
    """The rows of all work, in about ``seconds`` besides what compiling and comparing take.

    No case begins later than ``limit`` seconds from now; what is left out is said.
    """
    ceilings, begin = Ceilings(threads), time.perf_counter()
    for number, (case, size) in enumerate(work, 1):
        start = time.perf_counter()
        if start - begin > limit:
            left = ", ".join(f"{case.name}/{size}" for case, size in work[number - 1 :])
            print(f"out of time, left out: {left}", file=sys.stderr)
            return
        measurement = Measurement(case, size, peers, threads)
        yield from measurement.run(ceilings, seconds / len(work))
        taken = time.perf_counter() - start
        print(f"[{number}/{len(work)}] {case.name}/{size} {taken:.1f} s", file=sys.stderr)
        del measurement
        gc.collect()
