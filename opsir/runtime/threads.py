"""How many threads a kernel may use, and the threads that help.

Owns their life: they start when first needed, sleep between calls, end with the interpreter, and do
not exist in a forked child until that needs some. They run native code only and never hold or need
the interpreter's lock. What they do with work is the back end's.
"""

from __future__ import annotations

import atexit
import ctypes
import os
import signal
import threading
from collections.abc import Generator
from contextlib import contextmanager
from ctypes import CFUNCTYPE, c_void_p
from dataclasses import dataclass

from opsir.abi import WORD_BYTES
from opsir.backends.cpu.team import STATE_BYTES, TeamCode, team_code
from opsir.compiler import Compiled
from opsir.diagnostics import fail
from opsir.frontends.options import MAX_THREADS

ALIGNMENT = 64
"""Of what threads share, in bytes: a cache line."""

_Action = CFUNCTYPE(None, c_void_p)


class Team:
    """Helpers for the kernels of this process; any number of threads may ask for their help."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._code: TeamCode | None = None
        self._threads: list[ctypes.c_void_p] = []
        self._is_over = False
        self._state = 0
        self._crews: dict[int, int] = {}

    @property
    def size(self) -> int:
        """Threads that take part, a caller included."""
        return len(self._threads) + 1

    def crew(self, threads: int) -> int:
        """The address of a crew of up to ``threads`` threads, the caller included.

        The system may refuse to start some, and none is started while the interpreter ends: those
        that are there do all the work.
        """
        return self._crews.get(threads) or self._made(threads)

    def stop(self) -> None:
        """End all helpers for good and wait until they are gone."""
        with self._lock:
            self._is_over = True
            threads, self._threads = self._threads, []
            if self._code is not None and self._state:
                _Action(self._code.stop)(self._state)
        for thread in threads:
            _libc().pthread_join(thread, None)

    def restart(self) -> None:
        """In a forked child: the helpers did not come along, the state may be in use for good."""
        self._lock = threading.Lock()
        self._threads = []
        self._crews = {}
        self._state = 0

    def _made(self, threads: int) -> int:
        with self._lock, _no_signals():
            code = self._code = self._code or team_code()
            if not self._state:
                self._state = _kept_memory(STATE_BYTES)
                _Action(code.start)(self._state)
            while self.size < threads and not self._is_over:
                thread = ctypes.c_void_p()
                into, state = ctypes.byref(thread), c_void_p(self._state)
                if _libc().pthread_create(into, None, c_void_p(code.work), state):
                    break
                self._threads.append(thread)
            address = _kept_memory(3 * WORD_BYTES)
            words = (ctypes.c_int64 * 3).from_address(address)
            words[:] = [threads, code.run, self._state]
            self._crews[threads] = address
        return address


def _kept_memory(size: int) -> int:
    """The address of zeroed aligned memory that is never freed.

    A daemon thread may run a kernel for as long as the process lives, longer than any module does.
    """
    memory = ctypes.create_string_buffer(size + ALIGNMENT)
    ctypes.pythonapi.Py_IncRef(ctypes.py_object(memory))
    return -(-ctypes.addressof(memory) // ALIGNMENT) * ALIGNMENT


@contextmanager
def _no_signals() -> Generator[None]:
    """Keep signals from this thread, and for good from the threads that it starts meanwhile.

    Signals are for threads that know what to do with them; an interrupt comes when all is done.
    """
    before = signal.pthread_sigmask(signal.SIG_BLOCK, signal.valid_signals())
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


def _libc() -> ctypes.CDLL:
    return ctypes.CDLL(None)


TEAM = Team()
"""The one team of the process."""

atexit.register(TEAM.stop)
os.register_at_fork(after_in_child=TEAM.restart)


@dataclass(slots=True)
class Settings:
    """What calls without an option of their own go by."""

    threads: int


def count_of(text: str | None) -> int:
    """The number of threads that the environment variable OPSIR_NUM_THREADS asks for, or 1."""
    word = (text or "").strip()
    if not word:
        return 1
    digits = word.lstrip("0")
    count = int(digits) if digits.isascii() and digits.isdecimal() and len(digits) <= 4 else 0
    if not 1 <= count <= MAX_THREADS:
        fail(f"OPSIR_NUM_THREADS is a number of threads from 1 to {MAX_THREADS}, got '{word[:40]}'")
    return count


SETTINGS = Settings(count_of(os.environ.get("OPSIR_NUM_THREADS")))


def threads_of(compiled: Compiled) -> int:
    """How many threads may share out each kernel of a program now."""
    return compiled.options.threads or SETTINGS.threads


def execute(compiled: Compiled, block: int) -> int:
    """Run a program on the argument block at an address; returns its flags.

    Each kernel is shared out between as many threads as allowed, where that is worth it.
    """
    threads = threads_of(compiled)
    if threads == 1:
        return compiled.entry(block)
    return compiled.threaded_entry(block, TEAM.crew(threads))
