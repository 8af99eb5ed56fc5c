"""The entry for several threads: how many shares, along which axis, cut where."""

from __future__ import annotations

import ctypes
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from typing import Any

import numpy as np
import pytest

from opsir.abi import FLAG_DIVIDE
from opsir.backends.cpu import shares as cut_shares
from opsir.backends.cpu.codegen import CodegenOptions
from opsir.backends.cpu.host import host_machine
from opsir.backends.cpu.target import NativeCode
from tests.unit.native import Array, compile_text, fill_block

GRAIN = 3 << 17
"""A quarter of what is worth a share in earnest: the arrays of these tests are small."""
THREADED = CodegenOptions(host_machine(), threaded=True)
POISON = 0x5A
RUN = ctypes.CFUNCTYPE(ctypes.c_int32, *[ctypes.c_void_p] * 3, *[ctypes.c_int64] * 2)
SHARE = ctypes.CFUNCTYPE(ctypes.c_int32, ctypes.c_void_p, *[ctypes.c_int64] * 3)
ENTRY = ctypes.CFUNCTYPE(ctypes.c_int32, ctypes.c_void_p, ctypes.c_void_p)


@pytest.fixture(autouse=True)
def small_grain(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(cut_shares, "GRAIN", GRAIN)


FLAT = """
func.func @f(%x : tensor<?xf32, #opsir.layout<sizes [n]>>, %s : f32)
    -> tensor<?xf32, #opsir.layout<sizes [n]>> {
  %z = nest.kernel extents [n] ins(%x : tensor<?xf32, #opsir.layout<sizes [n]>> along [4], %s : f32)
      outs(tensor<?xf32, #opsir.layout<sizes [n]>> along [4]) attributes {lanes = 8 : i64} {
  ^bb0(%a : f32, %b : f32):
    %c = opsir.add %a, %b : (f32, f32) -> f32
    nest.yield %c : f32
  }
  func.return %z : tensor<?xf32, #opsir.layout<sizes [n]>>
}"""

MATRIX = "tensor<?x?xf32, #opsir.layout<sizes [n, m], strides [p, 4]>>"
ROWS = f"""
func.func @f(%x : {MATRIX}) -> tensor<?x?xf32, #opsir.layout<sizes [n, m], strides [q, 4]>> {{
  %z = nest.kernel extents [n, m] ins(%x : {MATRIX} along [p, 4])
      outs(tensor<?x?xf32, #opsir.layout<sizes [n, m], strides [q, 4]>> along [q, 4])
      attributes {{SCHEDULE}} {{
  ^bb0(%a : f32):
    %c = opsir.add %a, %a : (f32, f32) -> f32
    nest.yield %c : f32
  }}
  func.return %z : tensor<?x?xf32, #opsir.layout<sizes [n, m], strides [q, 4]>>
}}"""

DIVIDE = """
func.func @f(%x : tensor<?xi32, #opsir.layout<sizes [n]>>,
            %y : tensor<?xi32, #opsir.layout<sizes [n]>>)
    -> tensor<?xi32, #opsir.layout<sizes [n]>> {
  %z = nest.kernel extents [n]
      ins(%x : tensor<?xi32, #opsir.layout<sizes [n]>> along [4],
          %y : tensor<?xi32, #opsir.layout<sizes [n]>> along [4])
      outs(tensor<?xi32, #opsir.layout<sizes [n]>> along [4]) attributes {lanes = 8 : i64} {
  ^bb0(%a : i32, %b : i32):
    %c = opsir.div_floor %a, %b : (i32, i32) -> i32
    nest.yield %c : i32
  }
  func.return %z : tensor<?xi32, #opsir.layout<sizes [n]>>
}"""


@dataclass
class Runs:
    """What the entry asked to be run, and the flags of each share that was."""

    asked: list[tuple[int, int]] = field(default_factory=list[tuple[int, int]])
    flags: list[int] = field(default_factory=list[int])


def run(
    code: NativeCode,
    arguments: Sequence[Any],
    results: Sequence[Array],
    threads: int,
    chosen: Callable[[int], bool] = lambda number: True,
) -> tuple[int, Runs]:
    """Call the entry with a ``run`` that runs the ``chosen`` shares on this thread, last first."""
    block, _scratch = fill_block(code.abi, arguments, results)
    runs = Runs()

    def several(team: int, share: int, block: int, split: int, shares: int) -> int:
        assert team == 0x1234
        runs.asked.append((split, shares))
        call, flags = SHARE(share), 0
        for number in filter(chosen, range(shares - 1, -1, -1)):
            runs.flags.append(call(block, split, number, shares))
            flags |= runs.flags[-1]
        return flags

    callback = RUN(several)
    address = ctypes.cast(callback, ctypes.c_void_p).value
    crew = (ctypes.c_int64 * 3)(threads, address or 0, 0x1234)
    return ENTRY(code.address)(ctypes.addressof(block), ctypes.addressof(crew)), runs


def at(offset: int, size: int, dtype: Any = np.float32) -> Array:
    """Poisoned memory for ``size`` elements that begins ``offset`` bytes into a cache line."""
    memory = np.full(size * np.dtype(dtype).itemsize + 128, POISON, np.uint8)
    start = -memory.ctypes.data % 64 + offset
    return np.frombuffer(memory.data, dtype, size, start)


def written(result: Array) -> Array:
    """Which rows, or elements of a vector, hold something else than poison."""
    touched = result != np.frombuffer(bytes([POISON] * result.itemsize), result.dtype)[0]
    return touched if touched.ndim == 1 else touched.all(axis=1) & touched.any(axis=1)


def begins(code: NativeCode, x: Any, rest: list[Any], result: Array, shares: int) -> list[int]:
    """Where each share begins along axis 0; asserts that they are contiguous and in order."""
    ranges: list[tuple[int, int]] = []
    for number in range(shares):
        result[...] = np.frombuffer(bytes([POISON] * result.itemsize), result.dtype)[0]
        _, runs = run(code, [x, *rest], [result], shares, lambda n, wanted=number: n == wanted)
        assert runs.asked == [(0, shares)]
        (places,) = np.nonzero(written(result))
        assert len(places) == places[-1] - places[0] + 1
        ranges.append((int(places[0]), int(places[-1]) + 1))
    assert ranges[0][0] == 0
    assert ranges[-1][1] == len(result)
    assert all(a[1] == b[0] for a, b in pairwise(ranges))
    return [first for first, _ in ranges]


@pytest.mark.parametrize("offset", [0, 4, 16, 60])
@pytest.mark.parametrize("shares", [2, 3, 5])
def test_a_flat_range_is_cut_at_cache_lines(offset: int, shares: int) -> None:
    code = compile_text(FLAT, THREADED)
    size = 300_003
    x, result = np.arange(size, dtype=np.float32), at(offset, size)
    found = begins(code, x, [1.0], result, shares)
    assert all((result.ctypes.data + 4 * place) % 64 == 0 for place in found[1:])
    sizes = np.diff([*found, size])
    assert sizes.max() - sizes.min() <= 32


@pytest.mark.parametrize(
    ("pitch", "offset"), [(1024, 0), (1020, 0), (1032, 8), (-1012, 60), (512, 4)]
)
def test_rows_are_cut_where_a_line_begins_if_one_does(pitch: int, offset: int) -> None:
    code = compile_text(ROWS.replace("SCHEDULE", "lanes = 8 : i64"), THREADED)
    rows, columns = 2000, 120
    memory = at(offset, rows * abs(pitch) // 4)
    result = memory.reshape(rows, -1)[:, :columns] if pitch > 0 else None
    if result is None:
        result = memory.reshape(rows, -1)[::-1, :columns]
    x = np.ones((rows, columns), np.float32)
    found = begins(code, x, [], result, 3)
    possible = any((result.ctypes.data + place * pitch) % 64 == 0 for place in range(16))
    aligned = all((result.ctypes.data + place * pitch) % 64 == 0 for place in found[1:])
    assert aligned == possible


def test_few_long_rows_are_cut_between_rows() -> None:
    code = compile_text(ROWS.replace("SCHEDULE", "lanes = 8 : i64"), THREADED)
    x = np.ones((12, 60_001), np.float32)
    assert begins(code, x, [], np.empty_like(x), 3) == [0, 4, 8]


def test_work_decides_the_number_of_shares() -> None:
    """Each element costs 9 bytes: 8 that are moved, and one for the sum."""
    code = compile_text(FLAT, THREADED)
    per_share = GRAIN / 9
    for size, threads, shares in [
        (0, 4, []),
        (1, 4, []),
        (int(1.9 * per_share), 4, []),
        (int(2.1 * per_share), 4, [2]),
        (int(3.1 * per_share), 4, [3]),
        (int(9 * per_share), 4, [4]),
        (int(9 * per_share), 1, []),
    ]:
        x = np.arange(size, dtype=np.float32)
        result = np.empty_like(x)
        _, runs = run(code, [x, 1.0], [result], threads)
        assert [n for _, n in runs.asked] == shares
        assert np.array_equal(result, x + 1)


@pytest.mark.parametrize(
    ("shape", "threads", "asked"),
    [
        ((3, 100_000), 2, (1, 2)),  # Three rows are uneven for two threads: columns are cut.
        ((8, 40_000), 2, (0, 2)),
        ((8, 40_000), 3, (1, 3)),
        ((400_000, 3), 4, (0, 4)),
    ],
)
def test_the_outermost_axis_that_is_long_enough(
    shape: tuple[int, int], threads: int, asked: tuple[int, int]
) -> None:
    code = compile_text(ROWS.replace("SCHEDULE", "lanes = 8 : i64"), THREADED)
    x = np.arange(np.prod(shape), dtype=np.float32).reshape(shape)
    result = np.empty_like(x)
    _, runs = run(code, [x], [result], threads)
    assert runs.asked == [asked]
    assert np.array_equal(result, x + x)


def test_a_scheduled_axis_is_the_first_choice() -> None:
    text = ROWS.replace("SCHEDULE", "lanes = 8 : i64, parallel = 1 : i64")
    x = np.ones((1000, 1000), np.float32)
    result = np.empty_like(x)
    _, runs = run(compile_text(text, THREADED), [x], [result], 2, lambda number: number == 0)
    assert runs.asked == [(0, 2)]
    assert result[:, :480].min() == result[:, :480].max() == 2


@pytest.mark.parametrize(
    ("shape", "asked"),
    [((3, 100_000), (1, 3)), ((40_000, 5), (0, 4)), ((50, 4_000), (0, 4)), ((11, 14_000), (0, 3))],
)
def test_rows_that_may_be_joined_are_not_cut_short(
    shape: tuple[int, int], asked: tuple[int, int]
) -> None:
    """Dense rows up to 32 elements run as one axis, which a shorter row would not be."""
    text = ROWS.replace("p, 4", "m*4, 4").replace("q, 4", "m*4, 4")
    text = text.replace("SCHEDULE", "lanes = 8 : i64, block = 1024 : i64")
    x = np.arange(np.prod(shape), dtype=np.float32).reshape(shape)
    result = np.empty_like(x)
    _, runs = run(compile_text(text, THREADED), [x], [result], asked[1])
    assert runs.asked == [asked]
    assert np.array_equal(result, x + x)


def test_flags_of_all_shares_are_collected() -> None:
    code = compile_text(DIVIDE, THREADED)
    x = np.arange(60_000, dtype=np.int32)
    for place in (0, 59_999):
        y = np.full_like(x, 3)
        y[place] = 0
        flags, runs = run(code, [x, y], [np.empty_like(x)], 3)
        assert flags == FLAG_DIVIDE
        assert sorted(runs.flags) == [0, 0, FLAG_DIVIDE]
    assert run(code, [x, np.ones_like(x)], [np.empty_like(x)], 3)[0] == 0


def test_a_kernel_made_for_its_size_is_not_cut() -> None:
    x = np.ones((4096, 64), np.float32)
    shape = "tensor<4096x64xf32>"
    text = f"""
func.func @f(%x : {shape}) -> {shape} {{
  %z = nest.kernel extents [4096, 64] ins(%x : {shape} along [256, 4])
      outs({shape} along [256, 4]) attributes {{lanes = 8 : i64}} {{
  ^bb0(%a : f32):
    %c = opsir.add %a, %a : (f32, f32) -> f32
    nest.yield %c : f32
  }}
  func.return %z : {shape}
}}"""
    result = np.empty_like(x)
    _, runs = run(compile_text(text, THREADED), [x], [result], 4)
    assert runs.asked == []
    assert result.min() == result.max() == 2


def test_a_multiple_is_not_cut_where_whole_vectors_are_taken_for_granted() -> None:
    kind = "tensor<?x8xf32, #opsir.layout<sizes [n], strides [32, 4]>>"
    text = f"""
func.func @f(%x : {kind}) -> {kind} {{
  %z = nest.kernel extents [n*8] ins(%x : {kind} along [4])
      outs({kind} along [4]) attributes {{lanes = 8 : i64}} {{
  ^bb0(%a : f32):
    %c = opsir.add %a, %a : (f32, f32) -> f32
    nest.yield %c : f32
  }}
  func.return %z : {kind}
}}"""
    x = np.ones((50_000, 8), np.float32)
    result = np.empty_like(x)
    _, runs = run(compile_text(text, THREADED), [x], [result], 4)
    assert runs.asked == []
    assert result.min() == result.max() == 2
