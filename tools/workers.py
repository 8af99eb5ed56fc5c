"""Spreads chunks of work over processes, and survives the death of one.

Owns the processes. A pool lives for a few chunks only, so that what a worker keeps is given back;
the pool's own option for that can wait for ever (CPython issue 115634).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor, as_completed
from multiprocessing import get_context
from typing import TypeVar

Chunk = TypeVar("Chunk")
Result = TypeVar("Result")

CHUNKS_PER_WORKER = 8


def spread(
    work: Callable[[Chunk], Result], chunks: Sequence[Chunk], jobs: int
) -> Iterator[tuple[Chunk, Result | Exception]]:
    """Each chunk with its result, or with the exception that ended its worker, as they finish."""
    step = jobs * CHUNKS_PER_WORKER
    for start in range(0, len(chunks), step):
        with ProcessPoolExecutor(jobs, mp_context=get_context("spawn")) as pool:
            waiting = {pool.submit(work, c): c for c in chunks[start : start + step]}
            for future in as_completed(waiting):
                error = future.exception()
                if isinstance(error, Exception):
                    yield waiting[future], error
                else:
                    yield waiting[future], future.result()
