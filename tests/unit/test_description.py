from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from opsir.compiler import make_context
from opsir.description import classify, plan_of, source_of
from opsir.extent import Extent
from opsir.frontends.options import JitOptions
from opsir.frontends.text import parse_module
from opsir.pipeline import run
from opsir.runtime.jit import Jitted
from opsir.trajectory import Trajectory

N, M = Extent.symbol("n"), Extent.symbol("m")


@pytest.mark.parametrize(
    ("extents", "strides", "expected"),
    [
        ((N, M), ("m*4", 4), "dense"),
        ((N, M), ("s", 4), "strided"),  # padded rows
        ((N,), (4,), "dense"),
        ((N,), (-4,), "strided"),
        ((N,), (8,), "strided"),
        ((N, M), (0, 0), "splat"),
        ((), (), "splat"),
        ((N, M), (0, 4), "row"),
        ((N, M), (4, 0), "column"),
        ((N, M, N), ("m*4", 0, 4), "middle"),
        ((N, M), (4, "n*4"), "transposed"),
        ((N, Extent(1), M), ("m*4", 40, 4), "dense"),
    ],
)
def test_classes(extents: tuple[Extent, ...], strides: tuple[Any, ...], expected: str) -> None:
    assert classify(extents, Trajectory.of(*strides), 4) == expected


def test_a_scalar_has_a_class_of_its_own() -> None:
    assert classify((N,), None, 4) == "scalar"


@pytest.mark.parametrize(
    ("strides", "expected"),
    [((4,), "vector"), ((-4,), "reversed"), ((0,), "splat"), ((8,), "lanes"), ((), "splat")],
)
def test_sources(strides: tuple[int, ...], expected: str) -> None:
    assert source_of(Trajectory.of(*strides), 4) == expected
    assert source_of(None, 4) == "scalar"


def test_outer_sum_as_text() -> None:
    lowered = Jitted(lambda a, b: a + b, JitOptions()).lower(
        np.zeros((1, 4), np.float32), np.zeros((3, 1), np.float32)
    )
    (kernel,) = lowered.plan().kernels
    env = {"s0_1": 4, "s1_0": 3}
    assert [e.evaluate(env) for e in kernel.extents] == [3, 4]
    strides = [[s.evaluate(env) for s in o.strides or ()] for o in kernel.operands]
    assert strides == [[0, 4], [4, 0]]
    text = str(lowered.plan())
    assert "f32, row, [0, 4] bytes, vector" in text
    assert "f32, column, [4, 0] bytes, splat" in text
    assert "op  add f32 x s1_0 * s0_1" in text


GOLDEN = [
    # Second operand of a sum with a dense [2,3,5]; extents; steps of A, of B, in elements (B15).
    ((1, 1, 5), (6, 5), (5, 1), (0, 1)),
    ((2, 3, 1), (6, 5), (5, 1), (1, 0)),
    ((1, 3, 5), (2, 15), (15, 1), (0, 1)),
    ((2, 1, 1), (2, 15), (15, 1), (1, 0)),
    ((1, 3, 1), (2, 3, 5), (15, 5, 1), (0, 1, 0)),
]


@pytest.mark.parametrize(("shape", "extents", "first", "second"), GOLDEN)
def test_golden_plans(
    shape: tuple[int, ...],
    extents: tuple[int, ...],
    first: tuple[int, ...],
    second: tuple[int, ...],
) -> None:
    b = "x".join(map(str, shape))
    module = parse_module(
        f"""
        func.func @f(%a: tensor<2x3x5xf32>, %b: tensor<{b}xf32>) -> tensor<2x3x5xf32> {{
          %r = opsir.add %a, %b : (tensor<2x3x5xf32>, tensor<{b}xf32>) -> tensor<2x3x5xf32>
          func.return %r : tensor<2x3x5xf32>
        }}
        """
    )
    run(make_context(), module)
    (kernel,) = plan_of(module).kernels
    assert tuple(e.value for e in kernel.extents) == extents
    steps = [tuple(s.value // 4 for s in o.strides or ()) for o in kernel.operands]
    assert steps == [first, second]
