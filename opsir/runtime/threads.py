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
from ctypes import CFUNCTYPE, c_void_p
from dataclasses import dataclass

from opsir.backends.cpu.team import STATE_BYTES, TeamCode, team_code
from opsir.compiler import Compiled
from opsir.diagnostics import fail
from opsir.frontends.options import MAX_THREADS

ALIGNMENT = 64
"""Of a team's state, in bytes."""

_Action = CFUNCTYPE(None, c_void_p)


class Team:
    """Helpers for the kernels of this process; any number of threads may ask for their help."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._code: TeamCode | None = None
        self._threads: list[ctypes.c_void_p] = []
        self._is_over = False
        self.state = 0
        """Address of the native state, 0 before the first start."""
        self.size = 1
        """Threads that take part, the caller included."""
        self._run = 0

    def ready(self, threads: int) -> tuple[int, int]:
        """Addresses of the native ``run`` and its state, for ``threads`` threads in all.

        The system may refuse to start some, and none is started while the interpreter ends: what
        is there does all the work.
        """
        if self.size < threads:
            with self._lock:
                self._grow(threads)
        return self._run, self.state

    def stop(self) -> None:
        """End all helpers for good and wait until they are gone."""
        with self._lock:
            self._is_over = True
            threads, self._threads = self._threads, []
            if self._code is not None:
                _Action(self._code.stop)(self.state)
        for thread in threads:
            _libc().pthread_join(thread, None)

    def restart(self) -> None:
        """In a forked child: the helpers did not come along, the state may be in use for good."""
        self._lock = threading.Lock()
        self._threads = []
        if self.state:
            self.state, self.size = 0, 1

    def _grow(self, threads: int) -> None:
        if self._code is None:
            self._code = team_code()
            self._run = self._code.run
        if not self.state:
            self.state = _fresh_state()
            _Action(self._code.start)(self.state)
        while len(self._threads) + 1 < threads and not self._is_over:
            thread = _started(self._code.work, self.state)
            if thread is None:
                break
            self._threads.append(thread)
        self.size = threads


def _fresh_state() -> int:
    """Memory for a team, which stays for as long as the process lives."""
    memory = ctypes.create_string_buffer(STATE_BYTES + ALIGNMENT)
    _KEPT.append(memory)
    return -(-ctypes.addressof(memory) // ALIGNMENT) * ALIGNMENT


_KEPT: list[object] = []


def _started(work: int, state: int) -> ctypes.c_void_p | None:
    """A thread that runs ``work(state)``, None where the system has none to give.

    All signals are blocked in it: they are for threads that know what to do with them.
    """
    thread = ctypes.c_void_p()
    before = signal.pthread_sigmask(signal.SIG_BLOCK, signal.valid_signals())
    try:
        failed = _libc().pthread_create(ctypes.byref(thread), None, c_void_p(work), c_void_p(state))
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)
    return None if failed else thread


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
    return compiled.threaded_entry(block, threads, *TEAM.ready(threads))
