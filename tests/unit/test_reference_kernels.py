"""The reference back end on kernels by hand: each address is that of an element, used once."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from opsir.backends.reference.interpreter import Outcome, run
from opsir.diagnostics import OpsirError
from opsir.frontends.text import parse_module

Array = np.ndarray[Any, np.dtype[Any]]


def run_text(text: str, *arguments: Any, **options: Any) -> Outcome:
    return run(parse_module(text), arguments, **options)


def kernel(extents: str, source: str, target: str, type: str = "tensor<2x3xf32>") -> str:
    """A kernel that copies; source and target are the parts after ``along``."""
    return f"""
    func.func @f(%x: tensor<2x3xf32>) -> {type} {{
      %0 = nest.kernel extents {extents} ins(%x : tensor<2x3xf32> along {source})
          outs({type} along {target}) {{
      ^bb0(%a: f32):
        nest.yield %a : f32
      }}
      func.return %0 : {type}
    }}
    """


GRID = np.arange(6, dtype=np.float32).reshape(2, 3)


@pytest.mark.parametrize(
    ("extents", "source", "target", "expected"),
    [
        ("[6]", "[4]", "[4]", GRID),
        ("[3, 2]", "[4, 12]", "[4, 12]", GRID),
        ("[2, 3]", "[-12, -4] start 20", "[12, 4]", GRID[::-1, ::-1]),
        ("[2, 3]", "[12, 4]", "[-12, 4] start 12", GRID[::-1]),
        ("[2, 3]", "[0, 4] start 12", "[12, 4]", GRID[[1, 1]]),
        ("[6]", "[0] start 8", "[4]", np.full((2, 3), 2, np.float32)),
    ],
)
def test_kernels_move_as_their_trajectories_say(
    extents: str, source: str, target: str, expected: Array
) -> None:
    result = run_text(kernel(extents, source, target), GRID).results[0]
    np.testing.assert_array_equal(result, expected)
    # Where the values lie makes no difference: addresses are those of the declared layout.
    elsewhere = np.asfortranarray(GRID)
    np.testing.assert_array_equal(
        run_text(kernel(extents, source, target), elsewhere).results[0], expected
    )


@pytest.mark.parametrize(
    ("extents", "source", "target", "message"),
    [
        ("[2, 3]", "[12, 8]", "[12, 4]", "byte offset 28, at which no element begins"),
        ("[2, 3]", "[12, 4] start -4", "[12, 4]", "byte offset -4, at which"),
        ("[2, 3]", "[12, 2]", "[12, 4]", "byte offset 2, at which"),
        ("[2, 3]", "[12, 4]", "[12, 4] start 4", "byte offset 24, at which"),
    ],
)
def test_a_stray_address_is_refused(extents: str, source: str, target: str, message: str) -> None:
    with pytest.raises(OpsirError, match=message) as error:
        run_text(kernel(extents, source, target), GRID)
    assert error.value.location is not None
    assert error.value.location.line == 3


def test_an_element_is_written_once() -> None:
    text = """
    !v = tensor<?xf32, #opsir.layout<sizes [n], strides [t]>>
    !w = tensor<?xf32, #opsir.layout<sizes [n]>>
    func.func @f(%x: !v) -> !w {
      %0 = nest.kernel extents [n] ins(%x : !v along [t]) outs(!w along [t]) {
      ^bb0(%a: f32):
        nest.yield %a : f32
      }
      func.return %0 : !w
    }
    """
    x = np.arange(4, dtype=np.float32)
    np.testing.assert_array_equal(run_text(text, x).results[0], x)
    with pytest.raises(OpsirError, match=r"writes element \[0\] of a result 4 times"):
        run_text(text, np.broadcast_to(x[:1], 4))
    with pytest.raises(OpsirError, match="byte offset 16, at which no element begins"):
        run_text(text, np.arange(8, dtype=np.float32)[::2])


def test_iterations_match_the_elements_of_the_results() -> None:
    text = """
    !v = tensor<?xf32, #opsir.layout<sizes [n]>>
    func.func @f(%x: !v, %y: tensor<?xf32, #opsir.layout<sizes [m]>>) -> !v {
      %0 = nest.kernel extents [m] ins(%x : !v along [0]) outs(!v along [4]) {
      ^bb0(%a: f32):
        nest.yield %a : f32
      }
      func.return %0 : !v
    }
    """
    x = np.ones(3, np.float32)
    assert np.asarray(run_text(text, x, x).results[0]).tolist() == [1, 1, 1]
    with pytest.raises(OpsirError, match="2 iterations for results of 3 elements"):
        run_text(text, x, x[:2])


def test_the_arrays_for_results_bind_their_symbols() -> None:
    text = """
    !r = tensor<?x3xf32, #opsir.layout<sizes [k], strides [t, 4]>>
    func.func @f(%x: tensor<3xf32>) -> !r {
      %0 = nest.kernel extents [k, 3] ins(%x : tensor<3xf32> along [0, 4]) outs(!r along [t, 4]) {
      ^bb0(%a: f32):
        nest.yield %a : f32
      }
      func.return %0 : !r
    }
    """
    x, out = np.arange(3, dtype=np.float32), np.zeros((4, 5), np.float32)[:, :3]
    result = run_text(text, x, outs=[out]).results[0]
    np.testing.assert_array_equal(result, np.broadcast_to(x, (4, 3)))
    assert not out.any()
    with pytest.raises(OpsirError, match="no value is given for symbol 'k'"):
        run_text(text, x)
