"""A bounded cache whose entries are made once, whatever the number of threads that ask.

Owns the locking; knows nothing of what it keeps.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Hashable
from dataclasses import dataclass
from typing import Generic, TypeVar, cast

_MISSING = object()

KeyT = TypeVar("KeyT", bound=Hashable)
ValueT = TypeVar("ValueT")


@dataclass(frozen=True, slots=True)
class CacheInfo:
    """Counts since the cache was made or cleared: answers found, made, and kept now."""

    hits: int
    misses: int
    size: int
    limit: int


class Cache(Generic[KeyT, ValueT]):
    """Maps keys to values that are costly to make; the oldest entry leaves when it is full.

    A hit takes no lock. Two threads that miss on one key wait for one making; different keys are
    made side by side. An exception while making is raised and nothing is kept.
    """

    def __init__(self, limit: int) -> None:
        self._limit = limit
        self._values: dict[KeyT, ValueT] = {}
        self._lock = threading.Lock()
        self._making: dict[KeyT, threading.Lock] = {}
        self._hits = self._misses = 0

    def get(self, key: KeyT, make: Callable[[], ValueT]) -> ValueT:
        """The value of ``key``, made by ``make()`` when it is not there."""
        value = self._values.get(key, _MISSING)
        if value is _MISSING:
            return self._make(key, make)
        self._hits += 1
        return cast("ValueT", value)

    def _make(self, key: KeyT, make: Callable[[], ValueT]) -> ValueT:
        with self._lock:
            mine = self._making.setdefault(key, threading.Lock())
        with mine:
            if key in self._values:
                return self._values[key]
            try:
                value = make()
                with self._lock:
                    while len(self._values) >= self._limit:
                        del self._values[next(iter(self._values))]
                    self._values[key] = value
                    self._misses += 1
            finally:
                with self._lock:
                    self._making.pop(key, None)
        return value

    def info(self) -> CacheInfo:
        """Hits, misses, entries kept and the limit."""
        return CacheInfo(self._hits, self._misses, len(self._values), self._limit)

    def clear(self) -> None:
        """Forget every entry and start counting from zero."""
        with self._lock:
            self._values.clear()
            self._hits = self._misses = 0
