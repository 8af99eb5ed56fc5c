"""The pool of large blocks: reuse, no double use, a bound, threads, forks and collections."""

from __future__ import annotations

import gc
import os
import pickle
import subprocess
import sys
import threading
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import opsir
from opsir import OpsirError
from opsir.runtime import pool as pool_module
from opsir.runtime.pool import (
    ALIGNMENT,
    DEFAULT_LIMIT,
    LEAST_BYTES,
    Pool,
    limit_of,
    rounded_size,
)

LARGE = LEAST_BYTES // 4
double = opsir.jit(lambda x: x + x)


def address(buffer: Any) -> int:
    return np.frombuffer(buffer, np.uint8).__array_interface__["data"][0]


def test_a_result_is_an_ordinary_array_over_aligned_memory() -> None:
    x = np.ones((LARGE // 8, 8), np.float32)
    y = double(x)
    assert type(y) is np.ndarray
    assert y.flags.c_contiguous
    assert y.flags.writeable
    assert y.ctypes.data % ALIGNMENT == 0
    assert np.array_equal(y, x + x)
    assert np.array_equal(pickle.loads(pickle.dumps(y)), y)
    y += 1
    assert np.array_equal(y.copy(), x + x + 1)


def test_memory_is_reused_when_the_last_array_over_it_dies() -> None:
    x = np.ones(LARGE, np.float32)
    first = double(x)
    where, part = first.ctypes.data, first[5:9].reshape(2, 2)
    del first
    second = double(x)
    assert second.ctypes.data != where
    assert part.tolist() == [[2, 2], [2, 2]]
    del part
    assert double(x).ctypes.data == where


def test_small_results_do_not_touch_the_pool() -> None:
    x = np.ones(LARGE // 8, np.float32)
    before = opsir.pool_info()
    double(x)
    after = opsir.pool_info()
    assert (after.fresh, after.reused) == (before.fresh, before.reused)


def test_a_cycle_gives_its_memory_back_when_collected() -> None:
    pool = Pool(1 << 30)
    holder: list[Any] = [pool.buffer(LEAST_BYTES)]
    holder.append(holder)
    del holder
    gc.collect()
    assert pool.info().free_bytes == LEAST_BYTES


@given(st.lists(st.tuples(st.booleans(), st.integers(1, 40)), max_size=40))
def test_live_buffers_never_share_memory(steps: list[tuple[bool, int]]) -> None:
    pool = Pool(1 << 20)
    live: list[tuple[Any, int]] = []
    for keep, pages in steps:
        if not keep and live:
            del live[pages % len(live)]
            continue
        buffer = pool.buffer(pages * 1000)
        start = address(buffer)
        assert start % ALIGNMENT == 0
        assert all(start + pages * 1000 <= s or s + len(b) <= start for b, s in live)
        live.append((buffer, start))
        assert pool.info().free_bytes <= 1 << 20


def test_the_bound_holds_and_zero_keeps_nothing() -> None:
    pool = Pool(3 * LEAST_BYTES)
    buffers = [pool.buffer(LEAST_BYTES) for _ in range(6)]
    buffers.clear()
    assert pool.info().free_bytes == 3 * LEAST_BYTES
    pool.set_limit(LEAST_BYTES)
    assert pool.info().free_bytes == LEAST_BYTES
    pool.clear()
    assert pool.info().free_bytes == 0
    pool.set_limit(0)
    pool.buffer(LEAST_BYTES)
    assert pool.info().free_bytes == 0
    assert (pool.info().fresh, pool.info().reused) == (7, 0)


def test_blocks_come_back_inside_the_pools_own_work() -> None:
    """A collection may run in the middle of a request: what it frees is there for the next one."""
    pool = Pool(1 << 30)
    holder: list[Any] = [pool.buffer(LEAST_BYTES)]
    holder.append(holder)
    del holder
    stack = pool._known[LEAST_BYTES]

    class Collecting(type(stack.blocks)):
        def pop(self) -> Any:
            gc.collect()
            return super().pop()

    blocks = Collecting()
    kind = pool_module._buffer_type(LEAST_BYTES, blocks, pool._trim)
    pool._known[LEAST_BYTES] = pool._stacks[stack.size] = stack._replace(blocks=blocks, kind=kind)
    first, second = pool.buffer(LEAST_BYTES), pool.buffer(LEAST_BYTES)
    assert address(first) != address(second)
    assert len(stack.blocks) == 1


def test_threads_get_memory_of_their_own() -> None:
    wrong: list[int] = []

    def work(number: int) -> None:
        x = np.full(LARGE, number, np.float32)
        for _ in range(20):
            if not (double(x) == 2 * number).all():
                wrong.append(number)

    threads = [threading.Thread(target=work, args=(n,)) for n in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert wrong == []


@pytest.mark.skipif(not hasattr(os, "fork"), reason="no fork on this system")
@pytest.mark.filterwarnings("ignore::DeprecationWarning")
def test_a_child_uses_the_pool_and_leaves_the_parents_memory_alone() -> None:
    x = np.ones(LARGE, np.float32)
    kept = double(x)
    child = os.fork()
    if child == 0:
        kept[:] = 7
        good = all((double(x) == 2).all() for _ in range(3))
        os._exit(0 if good and opsir.pool_info().free_bytes > 0 else 1)
    assert os.waitpid(child, 0)[1] == 0
    assert (kept == 2).all()


@given(st.integers(1, 1 << 40))
def test_rounding_wastes_an_eighth_at_most(size: int) -> None:
    rounded = rounded_size(size)
    assert size <= rounded <= max(size * 9 // 8, size + 4096)
    assert rounded_size(rounded) == rounded


def test_memory_dies_quietly_with_the_interpreter() -> None:
    program = """
import atexit, threading, numpy as np, opsir
x = np.ones(1 << 20, np.float32)
held = [opsir.add(x, 1)]
held.append(held)
atexit.register(lambda: opsir.add(x, 2).sum())
def work():
    for _ in range(10):
        opsir.add(x, 3)
threads = [threading.Thread(target=work) for _ in range(3)]
for thread in threads:
    thread.start()
class Late:
    def __del__(self):
        self.result = None
late = Late()
late.result = opsir.add(x, 4)
late.itself = late
"""
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, check=False)
    assert (done.returncode, done.stdout, done.stderr) == (0, b"", b"")


def test_settings() -> None:
    assert limit_of(None) == limit_of(" ") == DEFAULT_LIMIT
    assert limit_of("off") == 0
    assert limit_of("4096") == 4096
    with pytest.raises(OpsirError, match="OPSIR_POOL is a number of bytes or 'off', got '-1'"):
        limit_of("-1")
    for wrong in (-1, True, 1.5, "1"):
        with pytest.raises(OpsirError, match="the limit is"):
            opsir.set_pool_limit(wrong)  # pyright: ignore[reportArgumentType]  # what is tested
    before = opsir.pool_info().limit_bytes
    try:
        opsir.set_pool_limit(0)
        double(np.ones(LARGE, np.float32))
        assert opsir.pool_info().free_bytes == 0
    finally:
        opsir.set_pool_limit(before)


def test_clearing_the_caches_releases_free_memory() -> None:
    double(np.ones(LARGE, np.float32))
    assert opsir.pool_info().free_bytes > 0
    opsir.cache_clear()
    assert opsir.pool_info().free_bytes == 0
