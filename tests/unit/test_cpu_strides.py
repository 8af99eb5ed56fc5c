"""Kernels that only move elements: every kind of stride, rank and size, and not a byte beside."""

from __future__ import annotations

import random
from dataclasses import dataclass
from typing import Any

import numpy as np
import pytest
from numpy.lib.stride_tricks import as_strided

from opsir.dtypes import ALL, BOOL, F32, F64, I16, U8, DType
from tests.unit.native import Array, call, compile_text

POISON = 0xA5


@dataclass
class Strided:
    """An array over a byte buffer, with room around it."""

    dtype: DType
    shape: tuple[int, ...]
    strides: tuple[int, ...]
    misalignment: int = 0

    def make(self, rng: np.random.Generator, fill: int | None = None) -> tuple[Array, Array]:
        """The view and the whole buffer that it lies in."""
        spans = [(n - 1) * s for n, s in zip(self.shape, self.strides, strict=True) if n > 0]
        low = sum(min(s, 0) for s in spans)
        high = sum(max(s, 0) for s in spans) + self.dtype.itemsize
        size = high - low + 64 + self.misalignment
        memory = rng.integers(0, 256, size, np.uint8)
        if fill is not None:
            memory[:] = fill
        base = 32 - low + self.misalignment
        view = np.ndarray((), self.dtype.numpy, memory.data, base)
        return as_strided(view, self.shape, self.strides), memory

    def type(self, names: list[str]) -> str:
        sizes = "".join("?x" for _ in self.shape)
        body = f"sizes [{', '.join(names)}], strides [{', '.join(map(str, self.strides))}]"
        return f"tensor<{sizes}{self.dtype.mlir}, #opsir.layout<{body}>>"


def copy_text(source: Strided, target: Strided, schedule: str) -> str:
    names = [f"n{axis}" for axis in range(len(source.shape))]
    old, new = source.type(names), target.type(names)
    return f"""
        func.func @copy(%x : {old}) -> {new} {{
          %z = nest.kernel extents [{", ".join(names)}]
              ins(%x : {old} along {list(source.strides)})
              outs({new} along {list(target.strides)}) attributes {{{schedule}}} {{
          ^bb0(%a : {source.dtype.mlir}):
            nest.yield %a : {source.dtype.mlir}
          }}
          func.return %z : {new}
        }}"""


def strides_for(
    rng: random.Random, shape: tuple[int, ...], itemsize: int, *, output: bool
) -> tuple[int, ...]:
    """Random strides: permuted, padded, reversed, spread, and broadcast unless for an output."""
    order = list(range(len(shape)))
    if rng.random() < 0.4:
        rng.shuffle(order)
    strides = [0] * len(shape)
    step = itemsize * rng.choice([1, 1, 1, 2, 3])
    for axis in reversed(order):
        strides[axis] = step * rng.choice([1, 1, -1])
        step *= max(shape[axis], 1)
        step += itemsize * rng.choice([0, 0, 1])
        if not output and rng.random() < 0.2:
            strides[axis] = 0
    return tuple(strides)


def expected_bytes(view: Array, memory: Array, values: Array) -> Array:
    """What ``memory`` holds once ``values`` are stored in ``view``."""
    wanted = memory.copy()
    offset = view.__array_interface__["data"][0] - memory.__array_interface__["data"][0]
    target = as_strided(np.ndarray((), view.dtype, wanted.data, offset), view.shape, view.strides)
    target[...] = values
    return wanted


def normalised(values: Array) -> Array:
    return values.view(np.uint8) != 0 if values.dtype == np.bool_ else values


def check_copy(source: Strided, target: Strided, schedule: str, seed: int) -> None:
    rng = np.random.default_rng(seed)
    given, _ = source.make(rng)
    out, memory = target.make(rng, POISON)
    wanted = expected_bytes(out, memory, normalised(given.copy()))
    assert call(compile_text(copy_text(source, target, schedule)), [given], [out]) == 0
    np.testing.assert_array_equal(memory, wanted)


def schedule_for(rng: random.Random, rank: int) -> str:
    parts = [f"lanes = {rng.choice([1, 2, 4, 8, 16, 32])} : i64"]
    if rng.random() < 0.3:
        parts.append(f"unroll = {rng.choice([2, 3, 4])} : i64")
    if rank >= 2 and rng.random() < 0.3:
        parts.append(f"tile = {rng.choice([1, 3, 4, 8])} : i64")
    return ", ".join(parts)


@pytest.mark.parametrize("seed", range(80))
def test_random_copy(seed: int) -> None:
    rng = random.Random(seed)
    rank = rng.randrange(6)
    largest = 70 if rank <= 1 else 20 if rank == 2 else 5
    shape = tuple(rng.choice([0, 1, 1, 2, 3, largest]) for _ in range(rank))
    if rng.random() < 0.7:
        shape = tuple(max(size, 1) for size in shape)
    dtype = rng.choice(ALL)
    source = Strided(
        dtype,
        shape,
        strides_for(rng, shape, dtype.itemsize, output=False),
        rng.choice([0, 1]),
    )
    target = Strided(
        dtype, shape, strides_for(rng, shape, dtype.itemsize, output=True), rng.choice([0, 1])
    )
    check_copy(source, target, schedule_for(rng, rank), seed)


@pytest.mark.parametrize("dtype", ALL, ids=str)
@pytest.mark.parametrize("step", [1, -1, 2, 0])
def test_every_dtype_and_inner_stride(dtype: DType, step: int) -> None:
    size = dtype.itemsize
    source = Strided(dtype, (37,), (step * size,), 1)
    target = Strided(dtype, (37,), ((step or 1) * size,), 1)
    check_copy(source, target, "lanes = 16 : i64", 1)


@pytest.mark.parametrize("lanes", [1, 2, 8, 32, 64])
@pytest.mark.parametrize("unroll", [1, 3])
def test_sizes_around_the_vector(lanes: int, unroll: int) -> None:
    text = copy_text(
        Strided(I16, (0,), (2,)), Strided(I16, (0,), (2,)), f"lanes = {lanes}, unroll = {unroll}"
    )
    code = compile_text(text)
    rng = np.random.default_rng(lanes)
    whole = lanes * unroll
    for size in sorted({0, 1, lanes - 1, lanes, lanes + 1, whole - 1, whole, whole + 1, 3 * whole}):
        given, _ = Strided(I16, (size,), (2,)).make(rng)
        out, memory = Strided(I16, (size,), (2,)).make(rng, POISON)
        wanted = expected_bytes(out, memory, given)
        assert call(code, [given], [out]) == 0
        np.testing.assert_array_equal(memory, wanted)


@pytest.mark.parametrize("size", [1, 7, 8, 9, 16, 24, 31])
def test_static_size(size: int) -> None:
    text = f"""
        func.func @copy(%x : tensor<{size}xf32>) -> tensor<{size}xf32> {{
          %z = nest.kernel extents [{size}] ins(%x : tensor<{size}xf32> along [4])
              outs(tensor<{size}xf32> along [4]) attributes {{lanes = 8 : i64, unroll = 2 : i64}} {{
          ^bb0(%a : f32):
            nest.yield %a : f32
          }}
          func.return %z : tensor<{size}xf32>
        }}"""
    given = np.arange(size, dtype=np.float32)
    out = np.zeros(size, np.float32)
    assert call(compile_text(text), [given], [out]) == 0
    np.testing.assert_array_equal(out, given)


def test_symbolic_strides_and_products() -> None:
    kind = "tensor<?x?xf64, #opsir.layout<sizes [n, m], strides [s, t]>>"
    dense = "tensor<?x?xf64, #opsir.layout<sizes [n, m]>>"
    code = compile_text(f"""
        func.func @copy(%x : {kind}) -> {dense} {{
          %z = nest.kernel extents [n, m] ins(%x : {kind} along [s, t])
              outs({dense} along [m*8, 8]) attributes {{lanes = 4 : i64}} {{
          ^bb0(%a : f64):
            nest.yield %a : f64
          }}
          func.return %z : {dense}
        }}""")
    base = np.random.default_rng(0).random((9, 11))
    for view in (base, base.T, base[::2, ::-3], base[::-1, 3:4], base[:0]):
        out = np.zeros(view.shape)
        assert call(code, [view], [out]) == 0
        np.testing.assert_array_equal(out, view)


def test_start_offsets() -> None:
    code = compile_text("""
        func.func @tail(%x : tensor<8xi32>) -> tensor<4xi32> {
          %z = nest.kernel extents [4] ins(%x : tensor<8xi32> along [-4] start 28)
              outs(tensor<4xi32> along [4]) attributes {lanes = 2 : i64} {
          ^bb0(%a : i32):
            nest.yield %a : i32
          }
          func.return %z : tensor<4xi32>
        }""")
    out = np.zeros(4, np.int32)
    call(code, [np.arange(8, dtype=np.int32)], [out])
    assert out.tolist() == [7, 6, 5, 4]


def test_rank_zero_runs_once() -> None:
    code = compile_text("""
        func.func @twice(%s : f32, %x : tensor<f32>) -> (tensor<f32>, tensor<i1>) {
          %z, %p = nest.kernel extents [] ins(%s : f32, %x : tensor<f32> along [])
              outs(tensor<f32> along [], tensor<i1> along []) {
          ^bb0(%a : f32, %b : f32):
            %c = opsir.add %a, %b : (f32, f32) -> f32
            %d = opsir.lt %a, %b : (f32, f32) -> i1
            nest.yield %c, %d : f32, i1
          }
          func.return %z, %p : tensor<f32>, tensor<i1>
        }""")
    sum_, less = np.zeros((), np.float32), np.zeros((), np.bool_)
    call(code, [np.float32(1.5), np.array(2, np.float32)], [sum_, less])
    assert (sum_, less) == (3.5, True)


@pytest.mark.parametrize("dtype", [U8, BOOL, F32, F64], ids=str)
def test_scalar_argument_fills_a_tensor(dtype: DType) -> None:
    name = dtype.mlir
    code = compile_text(f"""
        func.func @fill(%s : {name}) -> tensor<3x5x{name}> {{
          %z = nest.kernel extents [15] ins(%s : {name})
              outs(tensor<3x5x{name}> along [{dtype.itemsize}]) attributes {{lanes = 4 : i64}} {{
          ^bb0(%a : {name}):
            nest.yield %a : {name}
          }}
          func.return %z : tensor<3x5x{name}>
        }}""")
    out: np.ndarray[Any, Any] = np.zeros((3, 5), dtype.numpy)
    call(code, [1], [out])
    assert (out == 1).all()
