"""Threads that help: offers and shares, several callers, changes of their number."""

from __future__ import annotations

import ctypes
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


@opsir.jit(threads=3)
def twice(x: Any) -> Any:
    return x + x


@pytest.fixture
def count() -> Generator[None]:
    before = opsir.get_num_threads()
    yield
    opsir.set_num_threads(before)


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
