"""Large blocks of memory that are used again: a fresh block costs a page fault every 4 KiB.

Owns which blocks exist, who holds them and how many bytes are kept free. Knows no shape and no
dtype. No lock is ever waited for: a block comes back on whatever thread drops the last array over
it, in the middle of a garbage collection or in a process that was forked just now.
"""

from __future__ import annotations

import ctypes
import mmap
import os
import threading
from collections import deque
from dataclasses import dataclass
from typing import Any

from opsir.diagnostics import OpsirTypeError, fail

LEAST_BYTES = 1 << 20
"""Smaller arrays are NumPy's: the C library hands their memory out again without a page fault."""
ALIGNMENT = 64
"""Of every block, in bytes: a cache line. Pages give far more."""
DEFAULT_LIMIT = 1 << 30
"""Free bytes kept unless ``OPSIR_POOL`` or ``set_pool_limit`` says otherwise."""
_STEPS = 8
"""Sizes per doubling: a block is at most an eighth larger than what was asked for."""


@dataclass(frozen=True, slots=True)
class PoolInfo:
    """Bytes kept for reuse, their limit, and how many blocks were reused and made anew."""

    free_bytes: int
    limit_bytes: int
    reused: int
    fresh: int


class _Block:
    """One mapping of private memory; unmapped when the last reference to it goes."""

    __slots__ = ("address", "memory", "size")

    def __init__(self, size: int) -> None:
        flags = {"flags": mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS} if os.name == "posix" else {}
        self.memory: mmap.mmap = mmap.mmap(-1, size, **flags)
        if hasattr(mmap, "MADV_HUGEPAGE"):
            self.memory.madvise(mmap.MADV_HUGEPAGE)
        self.size = size
        self.address = ctypes.addressof(ctypes.c_char.from_buffer(self.memory))


class Pool:
    """Hands out memory as buffers; a buffer's memory is free again when the buffer dies."""

    def __init__(self, limit: int) -> None:
        self.limit = limit
        self._lock = threading.Lock()
        self._free: dict[int, list[_Block]] = {}
        self._returned: deque[_Block] = deque()
        self._buffers: dict[int, Any] = {}
        self._free_bytes = self._reused = self._fresh = 0

    def buffer(self, size: int) -> Any:
        """An uninitialised writable buffer of at least ``size`` bytes, aligned to a cache line.

        Raises MemoryError or OSError where the system has no such memory.
        """
        rounded = rounded_size(size)
        block = self._take(rounded)
        if block is None:
            block = _Block(rounded)
            self._fresh += 1
        kind = self._buffers.get(rounded)
        if kind is None:
            kind = self._buffers[rounded] = _buffer_type(rounded, self._returned, self._settle)
        made = kind.from_address(block.address)
        made.block = block
        return made

    def info(self) -> PoolInfo:
        """The state now; exact when no other thread is using the pool."""
        self._settle()
        return PoolInfo(self._free_bytes, self.limit, self._reused, self._fresh)

    def set_limit(self, limit: int) -> None:
        """Keep at most ``limit`` free bytes from now on."""
        self.limit = limit
        self._settle()

    def clear(self) -> None:
        """Give all free memory back to the system."""
        limit, self.limit = self.limit, 0
        self._settle()
        self.limit = limit

    def restart(self) -> None:
        """In a forked child, where another thread may have held the lock for good."""
        self._lock = threading.Lock()

    def _take(self, size: int) -> _Block | None:
        if not self._lock.acquire(blocking=False):
            return None
        try:
            self._sort_in()
            blocks = self._free.get(size)
            if not blocks:
                return None
            self._free_bytes -= size
            self._reused += 1
            return blocks.pop()
        finally:
            self._lock.release()

    def _settle(self) -> None:
        """Sort returned blocks in, unless another thread, or this one further up, is about to."""
        if self._lock.acquire(blocking=False):
            try:
                self._sort_in()
            finally:
                self._lock.release()

    def _sort_in(self) -> None:
        while self._returned:
            block = self._returned.popleft()
            self._free.setdefault(block.size, []).append(block)
            self._free_bytes += block.size
        while self._free_bytes > self.limit:
            size = next(size for size, blocks in self._free.items() if blocks)
            self._free[size].pop()
            self._free_bytes -= size


def rounded_size(size: int) -> int:
    """The size of the block for ``size`` bytes: whole pages, few sizes per doubling."""
    step = max(mmap.PAGESIZE, 1 << max((size - 1).bit_length() - _STEPS.bit_length(), 0))
    return -(-size // step) * step


def _buffer_type(size: int, returned: deque[_Block], settle: Any) -> Any:
    """A ctypes array over borrowed memory that hands its block back when it dies."""

    def give_back(self: Any) -> None:
        returned.append(self.block)
        settle()

    return type("PooledBuffer", (ctypes.c_char * size,), {"__del__": give_back})


def limit_of(text: str | None) -> int:
    """The limit in bytes that the environment variable ``OPSIR_POOL`` asks for; "off" is 0."""
    if text is None or not text.strip():
        return DEFAULT_LIMIT
    word = text.strip().lower()
    if word == "off":
        return 0
    if not word.isdecimal():
        fail(f"OPSIR_POOL is a number of bytes or 'off', got '{text}'")
    return int(word)


POOL = Pool(limit_of(os.environ.get("OPSIR_POOL")))
"""The one pool of the process."""

if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=POOL.restart)


def set_pool_limit(limit: int) -> None:
    """Keep at most ``limit`` bytes of freed result memory for reuse; 0 keeps none.

    Raises OpsirTypeError for anything but an int, OpsirValueError for a negative one.
    """
    if type(limit) is not int:
        fail(f"the limit is an int of bytes, got {type(limit).__name__}", error=OpsirTypeError)
    if limit < 0:
        fail(f"the limit is at least 0 bytes, got {limit}")
    POOL.set_limit(limit)


def pool_info() -> PoolInfo:
    """What the pool of result memory holds, and how often it was of use."""
    return POOL.info()
