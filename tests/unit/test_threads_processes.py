"""Helpers over the life of a process: forks, exits, interrupts, signals, the environment."""

from __future__ import annotations

import os
import subprocess
import sys

import pytest

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
# A process started in the background may have inherited that it ignores the signal.
signal.signal(signal.SIGINT, signal.default_int_handler)
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


def test_many_more_threads_than_cores() -> None:
    body = """
g = opsir.jit(threads=64)(lambda x: x + 1)
x = np.arange(6_000_000, dtype=np.float32)
print(all(bool((g(x) == x + 1).all()) for _ in range(5)))
"""
    assert printed(body) == "True"


def test_the_environment_variable_is_the_default() -> None:
    assert printed("print(opsir.get_num_threads())", OPSIR_NUM_THREADS="3") == "3"
    body = "g = opsir.jit(lambda x: x + 1); g(X); print(opsir.runtime.threads.TEAM.size)"
    assert printed(body, OPSIR_NUM_THREADS="1") == "1"
