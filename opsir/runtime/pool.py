"""Large blocks of memory that are used again: a fresh block costs a page fault every 4 KiB.

Owns which blocks exist, who holds them and how many bytes are kept free. Knows no shape and no
dtype. There is no lock, only stacks whose push and pop are single steps of the interpreter: a block
comes back on whatever thread drops the last array over it, in the middle of a garbage collection,
and a forked child finds the pool usable whatever other threads were doing.
"""

from __future__ import annotations

import ctypes
import mmap
import os
from collections import deque
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, NamedTuple

from opsir.diagnostics import OpsirTypeError, fail

LEAST_BYTES = 1 << 20
"""Smaller arrays are NumPy's: the C library hands their memory out again without a page fault."""
ALIGNMENT = 64
"""Of every block, in bytes: a cache line. Pages give far more."""
_MAX_KNOWN = 256
"""Sizes asked for whose stack is remembered."""
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


class _Stack(NamedTuple):
    """The free blocks of one size, and the type of the buffers over them."""

    size: int
    blocks: deque[_Block]
    kind: Any


class Pool:
    """Hands out memory as buffers; a buffer's memory is free again when the buffer dies."""

    def __init__(self, limit: int) -> None:
        self.limit = limit
        self._stacks: dict[int, _Stack] = {}
        self._known: dict[int, _Stack] = {}
        self._reused = self._fresh = 0

    def buffer(self, size: int) -> Any:
        """An uninitialised writable buffer of at least ``size`` bytes, aligned to a cache line.

        Raises MemoryError or OSError where the system has no such memory.
        """
        stack = self._known.get(size) or self._stack(size)
        try:
            block = stack.blocks.pop()
            self._reused += 1
        except IndexError:
            block = _Block(stack.size)
            self._fresh += 1
        made = stack.kind.from_address(block.address)
        made.block = block
        return made

    def info(self) -> PoolInfo:
        """The state now; the counts are exact where one thread uses the pool."""
        return PoolInfo(self._free_bytes(), self.limit, self._reused, self._fresh)

    def set_limit(self, limit: int) -> None:
        """Keep at most ``limit`` free bytes from now on."""
        self.limit = limit
        self._trim()

    def clear(self) -> None:
        """Give all free memory back to the system."""
        for stack in tuple(self._stacks.values()):
            stack.blocks.clear()

    def _stack(self, size: int) -> _Stack:
        rounded = rounded_size(size)
        stack = self._stacks.get(rounded)
        if stack is None:
            blocks = deque[_Block]()
            made = _Stack(rounded, blocks, _buffer_type(rounded, blocks, self._trim))
            stack = self._stacks.setdefault(rounded, made)
        if len(self._known) >= _MAX_KNOWN:
            self._known.clear()
        return self._known.setdefault(size, stack)

    def _free_bytes(self) -> int:
        return sum([size * len(blocks) for size, blocks, _ in tuple(self._stacks.values())])

    def _trim(self) -> None:
        """Let go of blocks until the limit holds; safe wherever a buffer may die."""
        excess = self._free_bytes() - self.limit
        if excess <= 0:
            return
        for size, blocks, _ in tuple(self._stacks.values()):
            while excess > 0:
                try:
                    blocks.popleft()
                except IndexError:
                    break
                excess -= size


def rounded_size(size: int) -> int:
    """The size of the block for ``size`` bytes: whole pages, few sizes per doubling."""
    step = max(mmap.PAGESIZE, 1 << max((size - 1).bit_length() - _STEPS.bit_length(), 0))
    return -(-size // step) * step


def _buffer_type(size: int, blocks: deque[_Block], trim: Callable[[], None]) -> Any:
    """A ctypes array over borrowed memory that hands its block back when it dies."""

    def give_back(self: Any) -> None:
        blocks.append(self.block)
        trim()

    return type("PooledBuffer", (ctypes.c_char * size,), {"__del__": give_back})


def _physical_bytes() -> int:
    """Memory of the machine; a common size where it can't be asked."""
    try:
        return os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")
    except (AttributeError, OSError, ValueError):
        return 8 << 30


DEFAULT_LIMIT = min(1 << 30, _physical_bytes() // 4)
"""Free bytes kept unless ``OPSIR_POOL`` or ``set_pool_limit`` says otherwise."""


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
