"""Threads that help: forks, exits, interrupts, several callers, changes of their number."""

from __future__ import annotations

import ctypes
import os
import subprocess
import sys
import threading
import time
from collections.abc import Generator
from typing import Any

import numpy as np
import pytest

import opsir
from opsir.backends.cpu import llvm
from opsir.backends.cpu.host import host_machine
from opsir.backends.cpu.team import LIBC, STATE_BYTES, team_text
from opsir.diagnostics import OpsirError
from opsir.machine import MACHINES
from opsir.runtime.threads import TEAM, Team, count_of

N = 400_000
X = np.arange(N, dtype=np.float32)
RUN = ctypes.CFUNCTYPE(ctypes.c_int32, *[ctypes.c_void_p] * 3, ctypes.c_int64, ctypes.c_int64)
SHARE = ctypes.CFUNCTYPE(ctypes.c_int32, ctypes.c_void_p, *[ctypes.c_int64] * 3)

PROLOGUE = """
import ctypes, multiprocessing, os, signal, sys, threading, time
import numpy as np
import opsir
N = 400_000
X = np.arange(N, dtype=np.float32)
@opsir.jit(threads=3)
def f(x):
    return x * 2 + 1
def right():
    return bool((f(X) == X * np.float32(2) + np.float32(1)).all())
"""


@opsir.jit(threads=3)
def twice(x: Any) -> Any:
    return x + x


@pytest.fixture
def count() -> Generator[None]:
    before = opsir.get_num_threads()
    yield
    opsir.set_num_threads(before)


def python(body: str, **environment: str) -> subprocess.CompletedProcess[str]:
    """Run a program of its own after ``PROLOGUE``; two minutes are a hang."""
    return subprocess.run(
        [sys.executable, "-c", PROLOGUE + body],
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
        env=os.environ | environment,
    )


def printed(body: str, **environment: str) -> str:
    done = python(body, **environment)
    assert (done.returncode, done.stderr) == (0, "")
    return done.stdout.strip()


def test_helpers_start_when_needed_and_take_part() -> None:
    assert np.array_equal(twice(X), X + X)
    assert TEAM.size >= 3
    seen = set[int]()
    run, state = who_runs(TEAM, 3)

    def share(block: int, split: int, number: int, shares: int) -> int:
        seen.add(threading.get_native_id())
        time.sleep(0.05)
        return 1 << number

    callback = SHARE(share)
    address = ctypes.cast(callback, ctypes.c_void_p).value
    assert RUN(run)(state, address, None, 7, 3) == 0b111
    assert len(seen) == 3


def test_each_share_runs_once_and_flags_are_collected() -> None:
    """Twenty thousand offers of up to nine shares: none is lost, none is run twice."""
    run, state = who_runs(TEAM, 3)
    call = RUN(run)
    counted = (ctypes.c_int64 * 9)()
    address = team_probe()
    for turn in range(20_000):
        shares = turn % 9 + 1
        flags = call(state, address, ctypes.addressof(counted), turn, shares)
        assert flags == (1 << shares) - 1
    expected = [sum(turn % 9 + 1 > number for turn in range(20_000)) for number in range(9)]
    assert list(counted) == expected


def who_runs(team: Team, threads: int) -> tuple[int, int]:
    """The function that runs shares, and what it takes first."""
    words = (ctypes.c_int64 * 3).from_address(team.crew(threads))
    assert words[0] == threads
    return words[1], words[2]


PROBE: list[Any] = []


def team_probe() -> int:
    """A share in native code: counts how often each number was run, and sets its bit."""
    tools = llvm.toolchain(host_machine())
    text = f"""
target triple = "{tools.triple}"
target datalayout = "{tools.layout}"
define i32 @share(ptr %block, i64 %split, i64 %number, i64 %shares) {{
  %place = getelementptr i64, ptr %block, i64 %number
  %before = atomicrmw add ptr %place, i64 1 monotonic
  %short = trunc i64 %number to i32
  %bit = shl i32 1, %short
  ret i32 %bit
}}"""
    code = llvm.LoadedCode(llvm.object_code(text, host_machine(), frozenset()), ["share"])
    PROBE.append(code)
    return code.address("share")


def test_several_callers_at_once() -> None:
    """One has the helpers, the others do their work alone; all get the right results."""
    inputs = [np.full(N, number, np.float32) for number in range(6)]
    wrong: list[int] = []

    def work(number: int) -> None:
        for _ in range(30):
            if not (twice(inputs[number]) == 2 * number).all():
                wrong.append(number)

    threads = [threading.Thread(target=work, args=(n,)) for n in range(6)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert wrong == []


def test_the_number_of_threads_changes_while_kernels_run(count: None) -> None:
    @opsir.jit
    def half(x: Any) -> Any:
        return x * 0.5

    stop = threading.Event()
    wrong: list[int] = []

    def work() -> None:
        while not stop.is_set():
            if not np.array_equal(half(X), X * np.float32(0.5)):
                wrong.append(1)

    workers = [threading.Thread(target=work) for _ in range(2)]
    for worker in workers:
        worker.start()
    for number in [1, 2, 5, 1, 3, 4, 2, 8, 1, 16] * 3:
        opsir.set_num_threads(number)
        time.sleep(0.005)
    stop.set()
    for worker in workers:
        worker.join()
    assert wrong == []
    assert TEAM.size >= 8


def test_the_interpreter_runs_while_a_kernel_does() -> None:
    """The lock of the interpreter is released: another thread goes on during one long kernel."""
    log = opsir.jit(threads=2)(lambda x: np.log(np.exp(x)))
    x = np.linspace(0, 1, 3_000_000)
    log(x[:10])
    times: list[float] = []
    stop = threading.Event()

    def tick() -> None:
        while not stop.is_set():
            times.append(time.perf_counter())
            time.sleep(0.001)

    ticker = threading.Thread(target=tick)
    ticker.start()
    while not times:
        time.sleep(0.001)
    before = time.perf_counter()
    log(x)
    after = time.perf_counter()
    stop.set()
    ticker.join()
    assert sum(before < moment < after for moment in times) >= 3


def test_a_fork_with_live_helpers() -> None:
    """The child, and its child, start helpers of their own; the parent keeps its."""
    body = """
def child(depth):
    pid = os.fork()
    if pid == 0:
        good = right() and opsir.runtime.threads.TEAM.size >= 3
        if depth:
            good = child(depth - 1) and good
        os._exit(0 if good and right() else 1)
    deadline = time.monotonic() + 30
    while time.monotonic() < deadline:
        done, status = os.waitpid(pid, os.WNOHANG)
        if done:
            return os.waitstatus_to_exitcode(status) == 0
        time.sleep(0.002)
    os.kill(pid, signal.SIGKILL)
    return False
print(right(), [child(1) for _ in range(5)], right())
"""
    assert printed(body) == f"True {[True] * 5} True"


def test_a_fork_while_other_threads_run_kernels() -> None:
    body = """
stop = False
def work():
    while not stop:
        assert right()
threads = [threading.Thread(target=work) for _ in range(2)]
right()
for thread in threads: thread.start()
codes = []
for _ in range(10):
    pid = os.fork()
    if pid == 0:
        os._exit(0 if right() and right() else 1)
    codes.append(os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]))
stop = True
for thread in threads: thread.join()
print(codes)
"""
    done = python(body, PYTHONWARNINGS="ignore")
    assert (done.returncode, done.stdout.strip()) == (0, str([0] * 10))


@pytest.mark.parametrize("method", ["fork", "forkserver"])
def test_a_process_pool_after_helpers_have_started(method: str) -> None:
    body = f"""
if __name__ == "__main__":
    opsir.sqrt(X)
    assert opsir.runtime.threads.TEAM.size == 3
    with multiprocessing.get_context({method!r}).Pool(2) as pool:
        roots = pool.map(opsir.sqrt, [X, X + 1])
    print(bool((roots[0] == np.sqrt(X)).all()), bool((roots[1] == np.sqrt(X + 1)).all()))
"""
    assert printed(body, OPSIR_NUM_THREADS="3") == "True True"


def test_exit_with_sleeping_and_with_awake_helpers() -> None:
    assert printed("right(); time.sleep(0.05); print('end')") == "end"
    assert python("right(); sys.exit(3)").returncode == 3


def test_exit_while_a_daemon_thread_runs_kernels() -> None:
    body = """
def work():
    while True:
        f(X)
for _ in range(2):
    threading.Thread(target=work, daemon=True).start()
time.sleep(0.1)
print('end')
"""
    assert printed(body) == "end"


def test_calls_while_the_interpreter_ends_need_no_helpers() -> None:
    body = """
import atexit
atexit.register(lambda: print(right(), opsir.runtime.threads.TEAM._threads))
opsir.runtime.threads.TEAM.stop()
"""
    assert printed(body) == "True []"


def test_an_interrupt_between_calls() -> None:
    """Ctrl-C reaches the interpreter's thread, whatever helpers there are, and nothing is lost."""
    body = """
right()
main = os.getpid()
caught = 0
for turn in range(20):
    timer = threading.Timer(0.01, os.kill, (main, signal.SIGINT))
    try:
        timer.start()
        while True:
            f(X)
    except KeyboardInterrupt:
        caught += 1
print(caught, right())
"""
    assert printed(body) == "20 True"


def test_helpers_leave_signals_to_others() -> None:
    """A signal ends a sleep of the interpreter's thread at once."""
    body = """
right()
time.sleep(0.01)
def handler(*_): raise InterruptedError
signal.signal(signal.SIGUSR1, handler)
threading.Timer(0.2, os.kill, (os.getpid(), signal.SIGUSR1)).start()
before = time.monotonic()
try:
    time.sleep(20)
except InterruptedError:
    print(time.monotonic() - before < 10)
"""
    assert printed(body) == "True"


def test_threads_that_the_system_refuses_are_done_without(monkeypatch: pytest.MonkeyPatch) -> None:
    class Libc:
        @staticmethod
        def pthread_create(*_: Any) -> int:
            return 11

    monkeypatch.setattr("opsir.runtime.threads._libc", Libc)
    team = Team()
    run, state = who_runs(team, 4)
    counted = (ctypes.c_int64 * 9)()
    assert RUN(run)(state, team_probe(), ctypes.addressof(counted), 0, 4) == 0b1111
    assert list(counted) == [1, 1, 1, 1, 0, 0, 0, 0, 0]


def test_what_is_compiled_can_be_read(count: None) -> None:
    f = opsir.jit(lambda x: x + x)
    for number, shown in [(1, False), (2, True)]:
        opsir.set_num_threads(number)
        assert (".threads" in f.lower(X).llvm()) == shown
        assert (".share" in f.lower(X).asm()) == shown
    assert ".threads" in twice.lower(X).llvm()
    opsir.set_num_threads(4)
    assert ".threads" not in opsir.jit(threads=1)(lambda x: x + x).lower(X).llvm()


def test_many_more_threads_than_cores() -> None:
    body = """
g = opsir.jit(threads=64)(lambda x: x + 1)
x = np.arange(6_000_000, dtype=np.float32)
print(all(bool((g(x) == x + 1).all()) for _ in range(5)))
"""
    assert printed(body) == "True"


def test_an_exception_leaves_the_helpers_ready() -> None:
    f = opsir.jit(threads=3, int_errors="raise")(lambda x, y: x // y)
    x = np.arange(N)
    for _ in range(3):
        with pytest.raises(ZeroDivisionError):
            f(x, x)
        assert np.array_equal(f(x, x + 1), np.zeros(N, np.int64))


@pytest.mark.parametrize(
    ("text", "expected"),
    [(None, 1), ("", 1), (" ", 1), ("1", 1), (" 4 ", 4), ("007", 7), ("1024", 1024)],
)
def test_the_environment_variable(text: str | None, expected: int) -> None:
    assert count_of(text) == expected


@pytest.mark.parametrize("text", ["0", "-1", "1025", "two", "1.5", "9" * 5000, "\u0663"])
def test_refusals_of_the_environment_variable(text: str) -> None:
    message = "OPSIR_NUM_THREADS is a number of threads from 1 to 1024, got '"
    with pytest.raises(OpsirError) as caught:
        count_of(text)
    assert message in str(caught.value)
    assert len(str(caught.value)) < 120


def test_the_environment_variable_is_the_default() -> None:
    assert printed("print(opsir.get_num_threads())", OPSIR_NUM_THREADS="3") == "3"
    body = "g = opsir.jit(lambda x: x + 1); g(X); print(opsir.runtime.threads.TEAM.size)"
    assert printed(body, OPSIR_NUM_THREADS="1") == "1"


@pytest.mark.parametrize("machine", MACHINES.values(), ids=str)
def test_the_team_is_code_for_every_machine(machine: Any) -> None:
    text = llvm.assembly(team_text(machine), machine)
    assert ("pause" if machine.arch == "x86_64" else "yield") in text


def test_the_state_has_room() -> None:
    """A team laid out as the code has it fits into its memory."""
    machine = host_machine()
    size = """
define i64 @size() {
  %end = getelementptr %team, ptr null, i64 1
  %bytes = ptrtoint ptr %end to i64
  ret i64 %bytes
}"""
    image = llvm.object_code(team_text(machine) + size, machine, frozenset(LIBC))
    code = llvm.LoadedCode(image, ["size"])
    assert 0 < ctypes.CFUNCTYPE(ctypes.c_int64)(code.address("size"))() <= STATE_BYTES
