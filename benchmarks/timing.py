"""Samples of how long calls take, taken turn by turn, and what they say together.

Owns the clock, the share of a sample in which our threads waited for a core, and the statistics.
Knows nothing of what is called.
"""

from __future__ import annotations

import gc
import os
import random
import statistics
import time
from collections.abc import Callable, Generator, Sequence
from contextlib import contextmanager
from itertools import repeat
from typing import Any, NamedTuple

WAITED = 0.03
"""A sample whose threads waited for a core for more than this share of it is not clean."""

ENOUGH = 3
"""With fewer clean samples than this, the others count too."""


class Sample(NamedTuple):
    """Seconds for one call, and the share of the time that our threads waited for a core."""

    seconds: float
    waited: float


class Summary(NamedTuple):
    """The samples of one program: seconds a call, samples that count, samples in all."""

    minimum: float
    median: float
    clean: int
    samples: int


def waited_for_core() -> int:
    """Nanoseconds that the threads of this process were ready to run and had no core; else 0."""
    total = 0
    try:
        for thread in os.listdir("/proc/self/task"):
            with open(f"/proc/self/task/{thread}/schedstat", encoding="ascii") as file:
                total += int(file.read().split()[1])
    except (OSError, IndexError, ValueError):
        pass  # no such system, or a thread has ended
    return total


def time_calls(call: Callable[[], Any], count: int) -> Sample:
    """Call ``count`` times in a row; the release of the results is part of it."""
    turns = repeat(None, count)
    before = waited_for_core()
    start = time.perf_counter()
    for _ in turns:
        call()
    elapsed = time.perf_counter() - start
    waited = max(waited_for_core() - before, 0) * 1e-9
    return Sample(elapsed / count, waited / max(elapsed, 1e-9))


def summarise(samples: Sequence[Sample]) -> Summary:
    """Minimum and median of the clean samples, or of all if hardly any are clean."""
    clean = [s.seconds for s in samples if s.waited <= WAITED]
    counted = clean if len(clean) >= ENOUGH else [s.seconds for s in samples]
    return Summary(min(counted), statistics.median(counted), len(clean), len(samples))


class Timed:
    """One program under measurement: how many calls make a sample, and the samples so far."""

    def __init__(self, call: Callable[[], Any], sample_seconds: float, pause: float = 0.0) -> None:
        self.call, self.pause = call, pause
        tries = 1 if sample_seconds == 0 else 3
        self.estimate = min(time_calls(call, 1).seconds for _ in range(tries))
        self.count = max(1, int(sample_seconds / max(self.estimate, 1e-9)))
        self.samples: list[Sample] = []

    def take(self) -> None:
        """One more sample, after a few calls that bring its data and code into the caches."""
        if self.pause:
            time.sleep(self.pause)  # lets the workers of the program before fall asleep
        if self.count > 1:
            time_calls(self.call, self.count // 8 + 1)
        self.samples.append(time_calls(self.call, self.count))

    @property
    def least(self) -> int:
        """Rounds that the program takes part in even if it is far behind: one, if it is long."""
        return ENOUGH if self.estimate * self.count < 0.1 else 1


@contextmanager
def no_collection() -> Generator[None]:
    """No run of Python's garbage collector inside."""
    gc.collect()
    gc.disable()
    try:
        yield
    finally:
        gc.enable()


def rounds(
    programs: Sequence[Timed], seconds: float, fewest: int = 5, most: int = 40, seed: int = 3
) -> int:
    """Take turns in a new random order each round, until the time is up. Returns the rounds.

    Programs far behind the fastest take part in the first rounds only.
    """
    shuffler = random.Random(seed)
    best = min(p.estimate for p in programs)
    done, start = 0, time.perf_counter()
    with no_collection():
        while done < fewest or (done < most and time.perf_counter() - start < seconds):
            turn = [p for p in programs if p.estimate < 8 * best or done < p.least]
            shuffler.shuffle(turn)
            for program in turn:
                program.take()
            done += 1
    return done
