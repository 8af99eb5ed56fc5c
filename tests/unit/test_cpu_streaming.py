"""Stores past the caches: the same bits as ordinary ones wherever results lie."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from opsir.backends.cpu.target import NativeCode, compile_module, emit_llvm
from opsir.compiler import make_context
from opsir.dialects.nest import KernelOp
from opsir.dialects.nest.streaming import refuses_streaming
from opsir.frontends.text import parse_module
from opsir.machine import AARCH64, MACHINES, X86_64_V3
from opsir.pipeline import PipelineOptions, run
from tests.unit.native import Array, call

FILE = Path(__file__).parents[1] / "filecheck" / "backends" / "cpu" / "stream_f32.mlir"

ROWS = """
func.func @f(%a: tensor<?x?xf32, #opsir.layout<sizes [n, m], strides [r, 4]>>)
    -> (tensor<?x?xf64, #opsir.layout<sizes [n, m], strides [s, 8]>>,
        tensor<?x?xi1, #opsir.layout<sizes [n, m], strides [t, 1]>>) {
  %r, %c = nest.kernel extents [n, m]
      ins(%a : tensor<?x?xf32, #opsir.layout<sizes [n, m], strides [r, 4]>> along [r, 4])
      outs(tensor<?x?xf64, #opsir.layout<sizes [n, m], strides [s, 8]>> along [s, 8],
           tensor<?x?xi1, #opsir.layout<sizes [n, m], strides [t, 1]>> along [t, 1])
      attributes {stream = 1, lanes = 32} {
  ^bb0(%x: f32):
    %y = opsir.cast %x : f32 to f64
    %z = opsir.scalar 0.5 : f32
    %b = opsir.lt %x, %z : (f32, f32) -> i1
    nest.yield %y, %b : f64, i1
  }
  func.return %r, %c : tensor<?x?xf64, #opsir.layout<sizes [n, m], strides [s, 8]>>,
                       tensor<?x?xi1, #opsir.layout<sizes [n, m], strides [t, 1]>>
}
"""
"""Two results of different element sizes, rows of any length at any distance."""


def compiled(text: str) -> NativeCode:
    module = parse_module(text)
    run(make_context(), module, PipelineOptions())
    return compile_module(module)


class Guarded:
    """A result in guarded memory: rows ``pitch`` bytes apart, ``phase`` after a multiple of 256."""

    def __init__(
        self, rows: int, columns: int, pitch: int, dtype: type[np.generic], phase: int
    ) -> None:
        item = np.dtype(dtype).itemsize
        self.memory = np.full(rows * pitch + columns * item + 1024, 77, np.uint8)
        start = -self.memory.ctypes.data % 256 + phase
        flat = self.memory[start:]
        self.array: Array = np.lib.stride_tricks.as_strided(
            flat[: len(flat) // item * item].view(dtype), (rows, columns), (pitch, item)
        )

    def check(self, wanted: Array) -> None:
        """The result is ``wanted`` and no byte beside it was written."""
        np.testing.assert_array_equal(self.array, wanted)
        self.array.view(np.dtype(f"V{self.array.itemsize}"))[...] = np.full(
            self.array.itemsize, 77, np.uint8
        ).tobytes()
        assert (self.memory == 77).all()


@pytest.mark.parametrize("n", [0, 1, 7, 127, 128, 129, 135, 136, 1000])
def test_every_phase_of_a_result(n: int) -> None:
    code = compiled(FILE.read_text())
    a, b = np.random.default_rng(1).random((2, n), np.float32)
    for phase in range(36):
        out = Guarded(1, n, 0, np.float32, phase)
        assert call(code, [a, b], [out.array[0]]) == 0
        out.check((a + b)[None])


@pytest.mark.parametrize("m", [1, 511, 512, 513, 600])
@pytest.mark.parametrize("pitches", [(8, 1), (9, 1), (8, 2), (8, 8)])
@pytest.mark.parametrize("phases", [(0, 0), (40, 5), (41, 5), (40, 6)])
def test_rows_of_two_results(m: int, pitches: tuple[int, int], phases: tuple[int, int]) -> None:
    """Streamed where the results keep step, and else not: no difference is to be seen."""
    code = compiled(ROWS)
    a = np.random.default_rng(1).random((3, m), np.float32)
    wide = Guarded(3, m, pitches[0] * (m + 3), np.float64, phases[0])
    narrow = Guarded(3, m, pitches[1] * (m + 3), np.bool_, phases[1])
    assert call(code, [a], [wide.array, narrow.array]) == 0
    narrow.check(a < 0.5)
    wide.check(a.astype(np.float64))


def test_one_stream_of_code_where_nothing_can_be_streamed() -> None:
    module = parse_module(ROWS)
    run(make_context(), module, PipelineOptions())
    (kernel,) = (op for op in module.walk() if isinstance(op, KernelOp))
    assert refuses_streaming(kernel, X86_64_V3) is None
    assert "nontemporal" in emit_llvm(module, X86_64_V3)
    assert "nontemporal" not in emit_llvm(module, AARCH64)
    kernel.set_schedule(**{**kernel.schedule, "tile": 16})
    assert "nontemporal" not in emit_llvm(module, X86_64_V3)


def test_the_reasons_against_streaming() -> None:
    (kernel,) = (op for op in parse_module(ROWS).walk() if isinstance(op, KernelOp))
    assert refuses_streaming(kernel, AARCH64) == "aarch64 has no stores that bypass the caches"
    kernel.set_schedule(lanes=32, tile=16)
    assert refuses_streaming(kernel, X86_64_V3) == "results are written in tiles"
    kernel.set_schedule(lanes=8)
    assert refuses_streaming(kernel, X86_64_V3) == "8 lanes of bool are fewer than 16 bytes"
    kernel.set_space(kernel.space.permute((1, 0)), ((1,), (0,)))
    assert refuses_streaming(kernel, X86_64_V3) == "result #0 does not move one element forward"


def test_every_x86_machine_streams() -> None:
    assert {m.name for m in MACHINES.values() if m.has_streaming_stores} == {
        m.name for m in MACHINES.values() if m.arch == "x86_64"
    }
