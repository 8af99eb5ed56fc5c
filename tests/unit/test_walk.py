"""The walk of a kernel: coordinates, the plain address formula, and what moved."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import opsir
from opsir.cli import opt
from opsir.diagnostics import OpsirValueError
from opsir.extent import Extent
from opsir.frontends.options import JitOptions
from opsir.runtime.jit import Jitted
from opsir.trajectory import Space, Trajectory
from opsir.walk import walk

TEXT = """
func.func @f(%a: tensor<2x3xf32>, %b: tensor<3xf32>) -> tensor<2x3xf32> {
  %r = opsir.add %a, %b : (tensor<2x3xf32>, tensor<3xf32>) -> tensor<2x3xf32>
  func.return %r : tensor<2x3xf32>
}
"""
TABLE = """\
kernel 0 extents [2, 3]
  step  at      arg0      arg1       out0
  0     [0, 0]  0 start   0 start    0 start
  1     [0, 1]  4 moved   4 moved    4 moved
  2     [0, 2]  8 moved   8 moved    8 moved
  3     [1, 0]  12 moved  0 wrapped  12 moved
  4     [1, 1]  16 moved  4 moved    16 moved
"""


def test_moved_held_and_wrapped() -> None:
    space = Space(
        (Extent(2), Extent(2), Extent(2)),
        (
            Trajectory.of(16, 8, 4, start=100),
            Trajectory.of(0, 0, 4),
            Trajectory.of(0, 4, 0),
            Trajectory.of(0, 0, 0),
        ),
    )
    steps = list(walk(space))
    assert [s.coordinates for s in steps] == list(np.ndindex(2, 2, 2))
    assert [s.offsets[0] for s in steps] == list(range(100, 132, 4))
    names = {"s": "start", "m": "moved", "h": "held", "w": "wrapped"}
    for number, motions in enumerate(["smmmmmmm", "smwmwmwm", "shmhwhmh", "shhhhhhh"]):
        assert [s.motions[number] for s in steps] == [names[letter] for letter in motions]


def test_an_axis_of_one_element_wraps_nothing() -> None:
    steps = list(walk(Space((Extent(2), Extent(1)), (Trajectory.of(0, 4),))))
    assert [s.motions for s in steps] == [("start",), ("held",)]


def test_no_iterations_and_no_axes() -> None:
    assert list(walk(Space((Extent(0), Extent(3)), (Trajectory.of(4, 4),)))) == []
    (step,) = walk(Space((), (Trajectory.of(start=8),)))
    assert (step.coordinates, step.offsets, step.motions) == ((), (8,), ("start",))


@given(
    st.lists(st.tuples(st.integers(0, 4), st.integers(-9, 9)), max_size=3),
    st.integers(-5, 5),
)
def test_the_formula_agrees_with_the_enumeration(axes: list[tuple[int, int]], start: int) -> None:
    extents = tuple(Extent(count) for count, _ in axes)
    space = Space(extents, (Trajectory.of(*(step for _, step in axes), start=start),))
    assert [step.offsets for step in walk(space)] == list(space.enumerate())


def test_from_python() -> None:
    lowered = Jitted(lambda a, b: a + b, JitOptions()).lower(
        np.zeros((2, 3), np.float32), np.zeros(3, np.float32)
    )
    assert lowered.trace_addresses(5) == TABLE.rstrip()
    with pytest.raises(OpsirValueError, match="at least 0, got -1"):
        lowered.trace_addresses(-1)


def test_from_the_command_line(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "a.mlir"
    path.write_text(TEXT)
    assert opt.main([str(path), "-p", "opsir-default", "-t", "addresses{steps=5}"]) == 0
    assert capsys.readouterr().out == TABLE


def test_unknown_sizes_are_refused(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "a.mlir"
    path.write_text(TEXT.replace("2x3", "?x3"))
    assert opt.main([str(path), "-p", "opsir-default", "-t", "addresses"]) == 1
    assert "no address is known: " in capsys.readouterr().err
    with pytest.raises(OpsirValueError, match="depends on the arguments"):
        opsir.compile(TEXT.replace("2x3", "?x3")).trace_addresses()
