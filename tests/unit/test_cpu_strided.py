"""Strided and transposed operands in gathered blocks: every size and step, not a byte beside."""

from __future__ import annotations

import ctypes
import mmap
from functools import cache
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.lib.stride_tricks import as_strided

import opsir
from opsir.abi import FLAG_DIVIDE
from opsir.backends.cpu.target import NativeCode
from opsir.compiler import make_context
from opsir.dtypes import BOOL, F32, F64, I32, U8, U16, DType
from opsir.frontends.text import parse_module
from opsir.pipeline import run
from tests.unit.native import Array, call, compile_text

PAGE = mmap.PAGESIZE
POISON = 0xA5
DTYPES = (U8, BOOL, U16, F32, F64)
STEPS = (1, -1, 2, -2, 3, -3, 5)


class Guarded:
    """Memory between two pages that no one may touch."""

    def __init__(self, size: int) -> None:
        pages = -(-size // PAGE)
        self.map = mmap.mmap(-1, (pages + 2) * PAGE)
        self.bytes = np.frombuffer(self.map, np.uint8)[PAGE : (pages + 1) * PAGE]
        start = self.bytes.ctypes.data - PAGE
        libc = ctypes.CDLL(None, use_errno=True)
        for page in (start, start + (pages + 1) * PAGE):
            assert libc.mprotect(ctypes.c_void_p(page), ctypes.c_size_t(PAGE), 0) == 0

    def view(
        self, dtype: DType, shape: tuple[int, int], strides: tuple[int, int], *, at_end: bool
    ) -> Array:
        """An array whose first or last byte is the first or last of the memory."""
        spans = [(n - 1) * s for n, s in zip(shape, strides)]
        low, high = (sum(pick(s, 0) for s in spans) for pick in (min, max))
        first = len(self.bytes) - high - dtype.itemsize if at_end else -low
        whole = self.bytes[first : first + dtype.itemsize].view(dtype.numpy)
        return as_strided(whole, shape, strides)


def layout(dtype: DType, strides: str) -> str:
    return f"tensor<?x?x{dtype.mlir}, #opsir.layout<sizes [n, p], strides [{strides}]>>"


@cache
def two_copies(dtype: DType, one: str, other: str, schedule: str) -> NativeCode:
    """A kernel that copies each of its two operands to a dense result."""
    kind, x, y = dtype.mlir, layout(dtype, one), layout(dtype, other)
    out, size = f"tensor<?x?x{kind}, #opsir.layout<sizes [n, p]>>", dtype.itemsize
    return compile_text(f"""
      func.func @copy(%x : {x}, %y : {y}) -> ({out}, {out}) {{
        %r, %s = nest.kernel extents [n, p] ins(%x : {x} along [{one}], %y : {y} along [{other}])
            outs({out} along [p*{size}, {size}], {out} along [p*{size}, {size}])
            attributes {{{schedule}}} {{
        ^bb0(%a : {kind}, %b : {kind}):
          nest.yield %a, %b : {kind}, {kind}
        }}
        func.return %r, %s : {out}, {out}
      }}""")


def check(code: NativeCode, one: Array, other: Array) -> None:
    n, p = one.shape
    size = n * p * one.dtype.itemsize
    room = np.full((2, size + 128), POISON, np.uint8)
    results = [r[63 : 63 + size].view(one.dtype).reshape(n, p) for r in room]
    assert call(code, [one, other], results) == 0
    for operand, result in zip((one, other), results):
        assert operand.tobytes() == result.tobytes(), (n, p, operand.strides)
    assert (room[:, :63] == POISON).all()
    assert (room[:, 63 + size :] == POISON).all()


def filled(dtype: DType, memory: Array, rng: np.random.Generator) -> None:
    memory[:] = rng.integers(0, 2 if dtype is BOOL else 256, memory.size, np.uint8)


SIZES = [(n, p) for n in (1, 3, 17) for p in (1, 7, 8, 9, 15, 16, 17, 31, 32, 33, 65, 129)]


@pytest.mark.parametrize("dtype", DTYPES, ids=str)
@pytest.mark.parametrize("step", STEPS)
def test_every_step_beside_guarded_pages(step: int, dtype: DType) -> None:
    size = dtype.itemsize
    code = two_copies(dtype, "s, t", f"{size}, 0", f"lanes = {16 // size} : i64, block = 64 : i64")
    rng, memory = np.random.default_rng(1), Guarded(17 * 129 * 5 * size)
    filled(dtype, memory.bytes, rng)
    column = np.frombuffer(rng.bytes(17 * size), np.uint8)[: 17 * size] & 1
    for n, p in SIZES:
        held = as_strided(column.view(dtype.numpy), (n, p), (size, 0))
        for pitch in (p * abs(step), -p * abs(step)):
            for at_end in (False, True):
                strides = (pitch * size, step * size)
                check(code, memory.view(dtype, (n, p), strides, at_end=at_end), held)


@pytest.mark.parametrize("dtype", DTYPES, ids=str)
def test_transposed_beside_guarded_pages(dtype: DType) -> None:
    size = dtype.itemsize
    code = two_copies(dtype, "s, t", f"p*{size}, {size}", f"lanes = {32 // size}, block = 1024")
    rng, memory = np.random.default_rng(2), Guarded(100 * 131 * size)
    filled(dtype, memory.bytes, rng)
    for n, p in [*SIZES, (64, 64), (63, 65), (100, 130), (15, 130), (16, 100)]:
        dense = np.zeros((n, p), dtype.numpy)
        for pitch in (n, n + 1, -n):
            for at_end in (False, True):
                turned = memory.view(dtype, (n, p), (size, pitch * size), at_end=at_end)
                check(code, turned, dense)


@settings(max_examples=40, deadline=None)
@given(
    st.sampled_from(DTYPES),
    st.sampled_from((1, 2, 8, 32)),
    st.sampled_from((1, 2)),
    st.sampled_from((1, 7, 63, 64, 65, 1000, 60000)),
    st.integers(1, 40),
    st.integers(1, 150),
    st.tuples(st.sampled_from(STEPS), st.sampled_from(STEPS)),
    st.tuples(st.booleans(), st.booleans()),
)
def test_no_block_changes_what_is_copied(
    dtype: DType,
    lanes: int,
    unroll: int,
    block: int,
    n: int,
    p: int,
    steps: tuple[int, int],
    turned: tuple[bool, bool],
) -> None:
    schedule = f"lanes = {lanes} : i64, unroll = {unroll} : i64, block = {block} : i64"
    code = two_copies(dtype, "s, t", "u, v", schedule)
    rng, operands = np.random.default_rng(n * p), list[Array]()
    for step, turn in zip(steps, turned):
        rows, columns = (p, n) if turn else (n, p)
        raw = np.zeros(rows * columns * abs(step) * dtype.itemsize, np.uint8)
        filled(dtype, raw, rng)
        whole = raw.view(dtype.numpy).reshape(rows, columns * abs(step))[:, ::step]
        operands.append(whole.T if turn else whole)
    check(code, operands[0], operands[1])


def compiled(text: str) -> NativeCode:
    module = parse_module(text)
    run(make_context(), module)
    return compile_text(str(module))


@pytest.mark.parametrize("rows", [1, 40])
def test_values_of_a_row_and_flags(rows: int) -> None:
    """What belongs to a row is computed from it, and a flag is raised by what is executed only."""
    kind = I32.mlir
    x = layout(I32, "s, t")
    code = compiled(f"""
      func.func @f(%x : {x}, %c : tensor<?x{kind}, #opsir.layout<sizes [n]>>)
          -> tensor<?x?x{kind}, #opsir.layout<sizes [n, p]>> {{
        %z = nest.kernel extents [n, p]
            ins(%x : {x} along [s, t],
                %c : tensor<?x{kind}, #opsir.layout<sizes [n]>> along [4, 0])
            outs(tensor<?x?x{kind}, #opsir.layout<sizes [n, p]>> along [p*4, 4]) {{
        ^bb0(%a : {kind}, %b : {kind}):
          %two = opsir.scalar 2 : {kind}
          %e = opsir.mul %b, %two : ({kind}, {kind}) -> {kind}
          %f = opsir.div_floor %a, %e : ({kind}, {kind}) -> {kind}
          nest.yield %f : {kind}
        }}
        func.return %z : tensor<?x?x{kind}, #opsir.layout<sizes [n, p]>>
      }}""")
    rng = np.random.default_rng(4)
    for columns in (5, 8, 70, 3000):
        x_values = rng.integers(-99, 99, (rows, 2 * columns)).astype(np.int32)[:, ::2]
        c = rng.integers(1, 9, rows).astype(np.int32)
        out = np.zeros((rows, columns), np.int32)
        assert call(code, [x_values, c], [out]) == 0
        np.testing.assert_array_equal(out, x_values // (2 * c[:, None]))
        c[-1] = 0
        assert call(code, [x_values, c], [out]) == FLAG_DIVIDE


def test_in_place_and_outer_axes() -> None:
    add: Any = opsir.jit(lambda a, b: a - b)
    rng = np.random.default_rng(5)
    a = rng.random((3, 70, 90), np.float32)
    for b in (
        rng.random((3, 90, 70), np.float32).transpose(0, 2, 1),
        rng.random((90, 70, 3), np.float32).T,
        rng.random((3, 70, 180), np.float32)[..., ::2],
        rng.random((3, 70, 180), np.float32)[:, ::-1, ::-2],
        rng.random((70, 180), np.float32)[:, ::2],
        rng.random(180, np.float32)[::2],
    ):
        expected = a - b
        assert np.array_equal(add(a, b), expected)
        target = a.copy()
        add(target, b, out=target)
        assert np.array_equal(target, expected)


def test_an_expensive_op_of_a_row_is_not_repeated() -> None:
    f: Any = opsir.jit(lambda a, b: np.exp(a) * b)
    column, strided = np.ones((50, 1)), np.ones((50, 8000))[:, ::2]
    assert "block" not in f.lower(column, strided).ir("schedule")
    assert np.array_equal(f(column, strided), np.exp(column) * strided)


def test_scratch_memory_is_bounded() -> None:
    """Whatever block is asked for, and however many operands there are, the stack is enough."""
    strided = np.arange(20000, dtype=np.float64)[::2]
    names = ", ".join(f"a{i}" for i in range(60))
    f: Any = eval(f"lambda {names}: {names.replace(',', ' +')}")
    total: Any = opsir.jit(f)
    assert "block" in total.lower(*[strided] * 60).ir("schedule")
    assert np.array_equal(total(*[strided] * 60), 60 * strided)
