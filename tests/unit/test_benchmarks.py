"""What of the benchmarks can be wrong without anyone noticing: counting, comparing, summarising."""

from __future__ import annotations

import dataclasses
import itertools
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from benchmarks import latency, options
from benchmarks.cases import BF16, CASES, SIZES, Case, Input
from benchmarks.ceilings import KERNELS, Ceilings, kernel_for, source
from benchmarks.expressions import Rewriter, outermost
from benchmarks.inputs import Array, Problem, difference, shape_of
from benchmarks.peers import OURS, PEERS
from benchmarks.peers.interface import RefusedError, available, library
from benchmarks.peers.numba_peer import loops
from benchmarks.results import load
from benchmarks.timing import Sample, Summary, Timed, rounds, summarise, waited_for_core
from benchmarks.traffic import LINE, touched
from benchmarks.worker import SAMPLE, Measurement, dense_twin, measure, selected


def small(case: Case) -> Case:
    """The case with sizes of a few elements under its first letter."""
    letter, sizes = next(iter(case.sizes.items()))
    few = {name: 4 + 3 * k for k, name in enumerate(sizes)}
    if case.name == "every_second":
        few = {"n": 3, "k": 10, "m": 5}
    return dataclasses.replace(case, sizes={letter: few})


def problem(case: Case) -> Problem:
    return Problem(small(case), next(iter(case.sizes)))


@given(
    shape=st.lists(st.integers(1, 9), min_size=1, max_size=3),
    steps=st.lists(st.sampled_from([1, 2, 3, 17, 40]), min_size=3, max_size=3),
    itemsize=st.sampled_from([1, 2, 4, 8]),
)
def test_bytes_are_those_of_the_lines_touched(
    shape: list[int], steps: list[int], itemsize: int
) -> None:
    strides, extent = list[int](), itemsize
    for count, step in zip(reversed(shape), steps):
        strides.insert(0, extent * step)
        extent = extent * step * count
    offsets = itertools.product(*(range(n) for n in shape))
    lines = {
        (sum(i * s for i, s in zip(index, strides)) + byte) // LINE
        for index in offsets
        for byte in (0, itemsize - 1)
    }
    runs = touched(shape, strides, itemsize) // LINE
    assert abs(runs - len(lines)) <= max(0.5 * len(lines), 1)


@pytest.mark.parametrize(
    ("shape", "strides", "expected"),
    [
        ((100, 16), (64, 4), 6400),
        ((100, 16), (-64, -4), 6400),
        ((100, 8), (64, 8), 6400),  # every second element: the whole lines
        ((100, 4), (128, 4), 6400),  # every second line
        ((100, 16), (0, 4), 64),  # one row repeated
        ((100,), (256,), 6400),  # one element a line
        ((16, 100), (4, 64), 6400),  # transposed
        ((0, 16), (64, 4), 0),
        ((), (), 64),
    ],
)
def test_bytes_of_views(shape: tuple[int, ...], strides: tuple[int, ...], expected: int) -> None:
    assert touched(shape, strides, 4) == expected


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
def test_opsir_and_numpy_agree_on_every_case(case: Case) -> None:
    made = problem(case)
    peers, missing = available(["numpy", OURS], 1)
    assert not missing
    for peer in peers.values():
        if not case.in_place:
            fresh = peer.fresh(made)
            assert not difference(fresh.result(fresh.call()), made.reference, case.slack)
        out = made.arguments[case.in_place].copy() if case.in_place else made.empty_out()
        if peer is peers["numpy"] and outermost(case.expression)[0] in {"where", "to_u8"}:
            with pytest.raises(RefusedError, match="takes no out="):
                peer.into(made, out)
            continue
        program = peer.into(made, out)
        assert not difference(program.result(program.call()), made.reference, case.slack)
        assert not difference(out, made.reference, case.slack)


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
def test_loops_compute_the_case(case: Case) -> None:
    if "numba" in case.refuses:
        return
    made = problem(case)
    names: dict[str, Any] = {"np": np, "math": np, "prange": range}
    exec(loops(made), names)
    out = made.empty_out()
    names["kernel"](out, *made.arguments.values())
    assert not difference(out, made.reference, case.slack or case.name == "image_u8")


def test_cases_have_names_of_their_own_and_known_sizes() -> None:
    assert len({case.name for case in CASES}) == len(CASES)
    assert all(set(case.sizes) <= set(SIZES) for case in CASES)
    assert all(set(case.refuses) <= set(PEERS) for case in CASES)
    assert SAMPLE.keys() == SIZES.keys()


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
def test_sizes_have_the_elements_that_they_promise(case: Case) -> None:
    for size, sizes in case.sizes.items():
        shapes = [shape_of(x.shape, sizes) for x in case.inputs.values() if isinstance(x, Input)]
        count = max(int(np.prod(shape)) for shape in shapes)
        if size == "M":
            assert 0.9e5 <= count <= 2.1e5
        if size == "L" and case.name not in {"outer", "middle"}:
            assert 2.8e7 <= count <= 6.1e7


@pytest.mark.parametrize("dtype", ["f4", "f8", "f2", BF16, "i4", "u1", "?"])
def test_one_wrong_element_is_seen(dtype: Any) -> None:
    good = np.linspace(0, 90, 1000).astype(dtype)
    bad = good.copy()
    bad[17] = not bad[17] if good.dtype == np.bool_ else bad[17] + good.dtype.type(9)
    assert difference(good, good) == ""
    assert difference(bad, good).startswith("1 of 1000 elements are wrong")


def test_nan_shape_and_dtype_are_seen() -> None:
    good = np.ones(3, np.float32)
    assert "wrong" in difference(np.array([1, np.nan, 1], np.float32), good)
    assert difference(good[:2], good) == "shape (2,) where NumPy has (3,)"
    assert difference(good.astype(np.float64), good) == "dtype float64 where NumPy has float32"


def test_samples_that_lost_their_core_do_not_count() -> None:
    clean = [Sample(seconds, 0.0) for seconds in (3.0, 1.0, 2.0)]
    lost = [Sample(9.0, 0.5), Sample(0.5, 0.04)]
    assert summarise([*clean, *lost]) == Summary(1.0, 2.0, 3, 5)
    assert summarise([*clean[:2], *lost]) == Summary(0.5, 2.0, 2, 4)


@pytest.mark.parametrize(("unit", "turns"), [(1e-3, 3), (1.0, 1)])
def test_rounds_call_everything_and_leave_out_what_is_far_behind(unit: float, turns: int) -> None:
    calls = {"fast": 0, "slow": 0}

    def counted(name: str) -> Timed:
        timed = Timed(lambda: calls.update({name: calls[name] + 1}), 0)
        timed.estimate = unit * {"fast": 1, "slow": 9}[name]
        return timed

    fast, slow = counted("fast"), counted("slow")
    assert rounds([fast, slow], 0.0) == 5
    assert (len(fast.samples), len(slow.samples)) == (5, turns)
    assert calls == {"fast": 6, "slow": 1 + turns}
    assert waited_for_core() >= 0


def test_expressions_are_rewritten() -> None:
    rewriter = Rewriter({"a": "x[i]"}, lambda number: f"f({number})", {"sqrt": "root({})"})
    assert rewriter.text("sqrt(a * 2.5) ** 3") == "root(x[i] * f(2.5)) ** 3"
    assert outermost("a * b + c") == ("add", ["a * b", "c"])
    assert outermost("where(c, a, b)") == ("where", ["c", "a", "b"])
    with pytest.raises(ValueError, match="not an operation: a"):
        outermost("a")


def test_what_is_not_installed_is_missing() -> None:
    with pytest.raises(RefusedError, match="no_such_library is not installed"):
        library("no_such_library")


@pytest.mark.parametrize("kernel", KERNELS.values(), ids=lambda kernel: kernel.name)
@pytest.mark.parametrize("threads", [1, 2])
def test_memory_kernels_move_what_they_say(kernel: Any, threads: int) -> None:
    made = Ceilings(threads)
    assert made.best(kernel, 1 << 16, 1e-5) > 0
    a, b, c = (np.full(256, k, np.float32) for k in (0, 3, 5))
    aligned = [x[-x.ctypes.data % 64 // 4 :][:192] for x in (a, b, c)]
    for streaming in (False, True) if kernel.writes else (False,):
        aligned[0][:] = 0
        made.run(kernel, streaming, aligned, 128, 2)
        value = {"fill": 2.5, "copy": 3.0, "triad": 15.5}.get(kernel.name)
        if value:
            assert (aligned[0][:128] == value).all()
            assert (aligned[0][128:] == 0).all()
        assert ("nontemporal" in source(kernel, streaming)) == streaming


def test_the_kernel_has_the_mix_of_the_case() -> None:
    mixes = [(0, 8), (8, 8), (16, 8), (32, 8), (99, 1)]
    assert [kernel_for(*mix).name for mix in mixes] == ["fill", "copy", "triad", "triad", "read"]


@pytest.mark.parametrize(("read", "written"), [(40, 4000), (4000, 4000), (8000, 4000)])
def test_the_dense_twin_moves_as_much(read: int, written: int) -> None:
    made = Problem(dense_twin(read, written), "F")
    assert made.read + made.written == pytest.approx(read + written, abs=3 * LINE)


def test_a_measurement_has_a_row_for_each_form() -> None:
    work = selected(lambda name: name == "add/T", "T")
    peers, _ = available(["numpy", OURS], 1)
    rows = list(measure(work, peers, 1, 0.0))
    assert [made.form for made in rows] == ["fresh", "out"]
    assert all(made.times.keys() == {"numpy", OURS} and not made.failed for made in rows)
    assert rows[0].bytes == 3 * LINE


def test_what_comes_after_the_limit_is_left_out(capsys: pytest.CaptureFixture[str]) -> None:
    work = selected(lambda name: name == "add/T", "T")
    assert list(measure(work, {}, 1, 0.0, limit=-1.0)) == []
    assert "out of time, left out: add/T" in capsys.readouterr().err


class Wrong:
    """A peer that stores nothing, and raises where it should return."""

    def __init__(self, threads: int) -> None:
        del threads

    def fresh(self, problem: Problem) -> Any:
        raise OSError("broken")

    def into(self, problem: Problem, out: Array) -> Any:
        from benchmarks.peers.interface import Program

        return Program(lambda: out)


def test_a_wrong_result_is_never_timed() -> None:
    case = next(case for case in CASES if case.name == "add")
    made = Measurement(case, "T", {"wrong": Wrong(1)}, 1)
    assert made.entries == []
    assert made.failed["fresh", "wrong"] == "OSError: broken"
    assert made.failed["out", "wrong"].startswith("wrong result: 10 of 10")


def test_options_are_checked(capsys: pytest.CaptureFixture[str]) -> None:
    made = options.parsed(["--peers", "numpy,opsir", "--threads", "2"])
    assert (made.peers, made.threads, made.sizes) == (["numpy", "opsir"], [2], "TMF")
    for words, complaint in [
        (["--peers", "julia"], "no peer julia; there are numpy"),
        (["--sizes", "XL"], "--sizes takes letters of TMFL, got XL"),
        (["--threads", "0"], "--threads takes numbers with commas, got 0"),
    ]:
        with pytest.raises(SystemExit):
            options.parsed(words)
        assert complaint in capsys.readouterr().err


def test_the_command_writes_a_record(tmp_path: Path) -> None:
    output = tmp_path / "record.json"
    command = [sys.executable, "-m", "benchmarks", "--cases", "add/T", "--peers", "numpy,opsir"]
    command += ["--threads", "1", "--seconds", "0", "--no-latency", "--output", str(output)]
    root = Path(__file__).resolve().parents[2]
    done = subprocess.run(command, cwd=root, capture_output=True, text=True, check=True)
    assert "| add/T | fresh |" in done.stdout
    record = load(output)
    assert [made.case for made in record.rows] == ["add", "add"]
    assert record.rows[0].times.keys() == {"numpy", "opsir"}


def test_a_start_of_each_peer_is_a_program() -> None:
    for start in latency.STARTS.values():
        compile(latency.program(start), "start", "exec")
    assert latency.STARTS.keys() < PEERS.keys()
