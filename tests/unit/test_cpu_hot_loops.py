"""The twins of the machine-code tests: the same files run, around every multiple of a vector."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from opsir.abi import FLAG_DIVIDE
from opsir.backends.cpu.codegen import CodegenOptions
from opsir.backends.cpu.host import can_run
from opsir.backends.cpu.target import compile_module
from opsir.compiler import make_context
from opsir.frontends.text import parse_module
from opsir.machine import X86_64_V3, X86_64_V4, Machine
from opsir.pipeline import PipelineOptions, run
from tests.unit.native import Array, call

FILES = Path(__file__).parents[1] / "filecheck" / "backends" / "cpu"

Make = Callable[[np.random.Generator, int], tuple[list[Array], Array]]


def add_f32(rng: np.random.Generator, n: int) -> tuple[list[Array], Array]:
    a, b = rng.random((2, n), np.float32)
    return [a, b], a + b


def add_f16(rng: np.random.Generator, n: int) -> tuple[list[Array], Array]:
    a, b = rng.random((2, n)).astype(np.float16)
    return [a, b], a + b


def scale_u8(rng: np.random.Generator, n: int) -> tuple[list[Array], Array]:
    x, scale = rng.integers(0, 256, n, np.uint8), np.float32(1.3)
    return [x, np.asarray(scale)], np.clip(x * scale, 0, 255).astype(np.uint8)


def where_f32(rng: np.random.Generator, n: int) -> tuple[list[Array], Array]:
    a, b = rng.random((2, n), np.float32)
    condition = rng.random(n) < 0.5
    return [condition, a, b], np.where(condition, a, b)


def div_floor_i32(rng: np.random.Generator, n: int) -> tuple[list[Array], Array]:
    a, b = rng.integers(-(2**31), 2**31, (2, n)).astype(np.int32)
    b[::3] //= 2**28
    b[b == 0] = -1
    with np.errstate(over="ignore"):
        return [a, b], a // b


def stream_f32(rng: np.random.Generator, n: int) -> tuple[list[Array], Array]:
    return add_f32(rng, n)


CASES: dict[str, Make] = {
    make.__name__: make
    for make in (add_f32, add_f16, scale_u8, where_f32, div_floor_i32, stream_f32)
}


def test_every_hot_loop_has_a_twin() -> None:
    files = {path.stem for path in FILES.glob("*.mlir") if "PREFIX=V4" in path.read_text()}
    assert files == set(CASES)


@pytest.mark.parametrize("machine", [X86_64_V3, X86_64_V4], ids=str)
@pytest.mark.parametrize("name", CASES)
def test_hot_loop(name: str, machine: Machine) -> None:
    if not can_run(machine):
        pytest.skip(f"this CPU does not run {machine.name}")
    module = parse_module((FILES / f"{name}.mlir").read_text())
    run(make_context(), module, PipelineOptions(machine=machine))
    code = compile_module(module, CodegenOptions(machine))
    rng = np.random.default_rng(1)
    for n in (0, 1, 31, 32, 33, 64, 127, 1000):
        arguments, wanted = CASES[name](rng, n)
        out = np.zeros_like(wanted)
        values = [a if a.ndim else a[()] for a in arguments]
        assert call(code, values, [out]) == 0
        np.testing.assert_array_equal(out, wanted)


def test_a_zero_divisor_in_the_last_lane_is_seen() -> None:
    module = parse_module((FILES / "div_floor_i32.mlir").read_text())
    run(make_context(), module, PipelineOptions())
    code = compile_module(module)
    a, b, out = np.ones((3, 24), np.int32)
    b[-1] = 0
    assert call(code, [a, b], [out]) == FLAG_DIVIDE
    assert out.tolist() == [1] * 23 + [0]
