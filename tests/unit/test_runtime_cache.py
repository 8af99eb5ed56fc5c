from __future__ import annotations

import threading
import time

import pytest

from opsir.runtime.cache import Cache


def test_made_once_and_counted() -> None:
    cache: Cache[str, int] = Cache(2)
    made: list[str] = []

    def make() -> int:
        made.append("a")
        return 1

    assert [cache.get("a", make) for _ in range(3)] == [1, 1, 1]
    assert made == ["a"]
    info = cache.info()
    assert (info.hits, info.misses, info.size, info.limit) == (2, 1, 1, 2)


def test_none_is_a_value() -> None:
    cache: Cache[str, None] = Cache(1)
    cache.get("a", lambda: None)
    assert cache.get("a", lambda: pytest.fail("made twice")) is None


def test_the_oldest_entry_leaves() -> None:
    cache: Cache[int, int] = Cache(2)
    for key in (1, 2, 3):
        cache.get(key, lambda: 0)
    assert cache.get(2, lambda: 9) == 0
    assert cache.get(1, lambda: 9) == 9


def test_a_failure_is_raised_and_not_kept() -> None:
    cache: Cache[int, int] = Cache(2)

    def fails() -> int:
        raise ValueError("no")

    for _ in range(2):
        with pytest.raises(ValueError, match="no"):
            cache.get(1, fails)
    assert cache.get(1, lambda: 5) == 5


def test_clear() -> None:
    cache: Cache[int, int] = Cache(2)
    cache.get(1, lambda: 1)
    cache.clear()
    assert cache.info().size == cache.info().misses == 0
    assert cache.get(1, lambda: 2) == 2


def test_threads_wait_for_one_making_and_others_go_on() -> None:
    cache: Cache[int, int] = Cache(8)
    made: list[int] = []
    barrier = threading.Barrier(8)

    def work(number: int) -> None:
        key = number % 2
        barrier.wait()

        def make() -> int:
            made.append(key)
            time.sleep(0.05)
            return key

        assert cache.get(key, make) == key

    threads = [threading.Thread(target=work, args=(n,)) for n in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sorted(made) == [0, 1]
