"""A schedule never changes a result: whatever is written by hand gives the bits of the default."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from opsir.backends.cpu.target import compile_module
from opsir.compiler import make_context
from opsir.dialects.nest import KernelOp
from opsir.dialects.nest.packing import packed_elements, refuses_packing
from opsir.extent import Extent
from opsir.frontends.text import parse_module
from opsir.pipeline import PipelineOptions, run
from opsir.trajectory import Space, Trajectory
from tests.unit.native import Array, call

N = Extent.symbol("n")

KERNEL = """
!matrix = tensor<?x?xf32, #opsir.layout<sizes [n, m], strides [r, q]>>
!row = tensor<?xi8, #opsir.layout<sizes [m]>>
!wide = tensor<?x?xf64, #opsir.layout<sizes [n, m], strides [s, 8]>>
!narrow = tensor<?x?xi1, #opsir.layout<sizes [n, m], strides [t, 1]>>
func.func @f(%a: !matrix, %b: !row, %s: f32) -> (!wide, !narrow) {
  %wide, %less = nest.kernel extents [n, m]
      ins(%a : !matrix along [r, q], %b : !row along [0, 1], %s : f32)
      outs(!wide along [s, 8], !narrow along [t, 1]) {
  ^bb0(%x: f32, %y: i8, %z: f32):
    %v = opsir.cast %y : i8 to f32
    %u = opsir.add %x, %v : (f32, f32) -> f32
    %w = opsir.cast %u : f32 to f64
    %l = opsir.lt %u, %z : (f32, f32) -> i1
    nest.yield %w, %l : f64, i1
  }
  func.return %wide, %less : !wide, !narrow
}
"""
"""Two results of different element sizes, a row that repeats, a scalar; rows apart in memory."""

SCHEDULES = st.fixed_dictionaries(
    {
        "lanes": st.sampled_from([1, 4, 8, 32]),
        "unroll": st.none() | st.integers(1, 3),
        "tile": st.none() | st.sampled_from([1, 3, 16, 256]),
        "stream": st.none() | st.integers(0, 1),
        "parallel": st.none() | st.integers(0, 1),
        "block": st.none() | st.sampled_from([1, 40, 4096, 65536]),
    }
)


def results(shape: tuple[int, int], pitch: int, phase: int) -> list[Array]:
    """Results whose rows are ``pitch`` elements longer than they need, at an odd address."""
    rows, columns = shape
    found: list[Array] = []
    for dtype in (np.float64, np.bool_):
        raw = np.zeros((rows + 1) * (columns + pitch) * np.dtype(dtype).itemsize + 64, np.uint8)
        flat = raw[phase:][: len(raw[phase:]) // 8 * 8].view(dtype)
        found.append(flat[: rows * (columns + pitch)].reshape(rows, columns + pitch)[:, :columns])
    return found


@settings(max_examples=25, deadline=None)
@given(
    schedule=SCHEDULES,
    shape=st.tuples(st.integers(0, 5), st.sampled_from([0, 1, 3, 5, 31, 64, 65, 300, 1100])),
    turned=st.booleans(),
    dense=st.booleans(),
    pitch=st.sampled_from([0, 1, 8, 64]),
    phase=st.integers(0, 63),
)
def test_any_schedule_gives_the_same_bits(
    schedule: dict[str, int | None],
    shape: tuple[int, int],
    turned: bool,
    dense: bool,
    pitch: int,
    phase: int,
) -> None:
    text = KERNEL.replace("[s, 8]", "[m*8, 8]").replace("[t, 1]", "[m, 1]") if dense else KERNEL
    module = parse_module(text)
    (kernel,) = (op for op in module.walk() if isinstance(op, KernelOp))
    kernel.set_schedule(**schedule)
    run(make_context(), module, PipelineOptions())
    kept = {name: value for name, value in schedule.items() if value is not None}
    (kernel,) = (op for op in module.walk() if isinstance(op, KernelOp))
    assert kept.items() <= kernel.schedule.items()
    rng = np.random.default_rng(1)
    a = rng.random(shape[::-1] if turned else shape, np.float32)
    a = a.T if turned else a
    b = rng.integers(-2, 2, shape[1], np.int8)
    wide, narrow = results(shape, 0 if dense else pitch, phase)
    assert call(compile_module(module), [a, b, np.float32(0.25)], [wide, narrow]) == 0
    np.testing.assert_array_equal(wide, (a + b).astype(np.float64))
    np.testing.assert_array_equal(narrow, a + b < np.float32(0.25))


def test_a_block_over_rows_that_are_apart_is_left_unused() -> None:
    (kernel,) = (op for op in parse_module(KERNEL).walk() if isinstance(op, KernelOp))
    kernel.set_schedule(lanes=8, block=4096)
    assert refuses_packing(kernel) == "the rows of result #0 do not follow one after the other"
    assert packed_elements(kernel) is None
    kernel.set_schedule(lanes=8, block=4096, tile=16)
    assert refuses_packing(kernel) == "results are written in tiles"
    kernel.set_schedule(block=4096)
    assert refuses_packing(kernel) == "one lane is no vector"
    dense = KERNEL.replace("[s, 8]", "[m*8, 8]").replace("[t, 1]", "[m, 1]")
    (kernel,) = (op for op in parse_module(dense).walk() if isinstance(op, KernelOp))
    kernel.set_schedule(lanes=8, block=4096)
    assert str(refuses_packing(kernel)).endswith("do not lie side by side in a row")
    (kernel,) = (
        op
        for op in parse_module(dense.replace("[r, q]", "[r, 4]")).walk()
        if isinstance(op, KernelOp)
    )
    kernel.set_schedule(lanes=8, block=4096)
    assert packed_elements(kernel) == 4096
    kernel.set_space(Space((N,), tuple(Trajectory.of(4) for _ in range(4))))
    assert refuses_packing(kernel) == "there are no rows"


@pytest.mark.parametrize("columns", [3, 5, 8])
@pytest.mark.parametrize("phase", [0, 8, 24, 3])
def test_short_rows_are_packed_and_streamed(columns: int, phase: int) -> None:
    dense = KERNEL.replace("[s, 8]", "[m*8, 8]").replace("[t, 1]", "[m, 1]")
    module = parse_module(dense.replace("[r, q]", "[r, 4]"))
    (kernel,) = (op for op in module.walk() if isinstance(op, KernelOp))
    kernel.set_schedule(lanes=16, stream=1, block=256)
    run(make_context(), module, PipelineOptions())
    code = compile_module(module)
    for rows in (1, 40, 103):
        a = np.random.default_rng(1).random((rows, columns), np.float32)
        b = np.arange(columns, dtype=np.int8)
        wide, narrow = results((rows, columns), 0, phase)
        assert call(code, [a, b, np.float32(0.25)], [wide, narrow]) == 0
        np.testing.assert_array_equal(wide, (a + b).astype(np.float64))
        np.testing.assert_array_equal(narrow, a + b < np.float32(0.25))
