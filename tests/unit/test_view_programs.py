"""Programs with views from IR text: what a call and the reference back end check."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import opsir
from opsir.backends.reference.interpreter import run
from opsir.diagnostics import OpsirIndexError, OpsirValueError
from opsir.frontends.text import parse_module

TAIL = """func.func @f(%a: tensor<?xf32>, %b: tensor<?xf32>) -> tensor<*xf32> {
  %0 = opsir.slice %a [1:] : tensor<?xf32> to tensor<?xf32>
  %1 = opsir.add %0, %b : (tensor<?xf32>, tensor<?xf32>) -> tensor<*xf32>
  func.return %1 : tensor<*xf32>
}"""

ITEM = """func.func @f(%a: tensor<?xf32>) -> tensor<*xf32> {
  %0 = opsir.slice %a [3] : tensor<?xf32> to tensor<f32>
  %1 = opsir.neg %0 : (tensor<f32>) -> tensor<*xf32>
  func.return %1 : tensor<*xf32>
}"""

STATED = """func.func @f(%a: tensor<?xf32>) -> tensor<2xf32> {
  %0 = opsir.slice %a [1:] : tensor<?xf32> to tensor<2xf32>
  %1 = opsir.neg %0 : (tensor<2xf32>) -> tensor<2xf32>
  func.return %1 : tensor<2xf32>
}"""

WRONG_RESHAPE = """
!strided = tensor<2x3xf32, #opsir.layout<strides [16, 4]>>
func.func @f(%a: !strided) -> tensor<6xf32> {
  %0 = opsir.reshape %a : !strided to tensor<6xf32>
  %1 = nest.kernel extents [6] ins(%0 : tensor<6xf32> along [4]) outs(tensor<6xf32> along [4]) {
  ^bb0(%x: f32):
    nest.yield %x : f32
  }
  func.return %1 : tensor<6xf32>
}"""

WRONG_STRIDES = """
func.func @f(%a: tensor<8xf32>) -> tensor<4xf32> {
  %0 = opsir.slice %a [::2] : tensor<8xf32> to tensor<4xf32>
  %1 = nest.kernel extents [4] ins(%0 : tensor<4xf32> along [4]) outs(tensor<4xf32> along [4]) {
  ^bb0(%x: f32):
    nest.yield %x : f32
  }
  func.return %1 : tensor<4xf32>
}"""

IN_PLACE = """
func.func @f(%a: tensor<4x4xf32>) -> tensor<4x4xf32> {
  %0 = nest.kernel extents [4, 4] ins(%a : tensor<4x4xf32> along [4, 16])
      outs(tensor<4x4xf32> along [16, 4]) {
  ^bb0(%x: f32):
    nest.yield %x : f32
  }
  func.return %0 : tensor<4x4xf32>
}"""


def floats(*shape: int) -> Any:
    return np.arange(np.prod(shape), dtype=np.float32).reshape(shape)


def test_views_run_alike_in_both_back_ends() -> None:
    a, b = floats(5), floats(4) * 10
    np.testing.assert_array_equal(opsir.compile(TAIL)(a, b), a[1:] + b)
    np.testing.assert_array_equal(run(parse_module(TAIL), [a, b]).results[0], a[1:] + b)


def test_a_size_that_does_not_fit_is_told_where_it_is_needed() -> None:
    with pytest.raises(OpsirValueError, match=r":3:3: error: slice \[1:\] of shape \[5\] has size"):
        opsir.compile(TAIL)(floats(5), floats(3))
    with pytest.raises(OpsirValueError, match="which must be 1 here"):
        opsir.compile(TAIL)(floats(5), floats(1))
    with pytest.raises(OpsirValueError, match=r":2:3: error: slice .* has size 3 on axis 0"):
        opsir.compile(STATED)(floats(4))
    with pytest.raises(OpsirValueError, match=r":2:3: error: .* gives shape \[3\], its type is"):
        run(parse_module(STATED), [floats(4)])


def test_an_index_outside_its_axis() -> None:
    for size in (0, 3):
        with pytest.raises(OpsirIndexError, match=r":2:3: error: .*index 3 is out of bounds"):
            opsir.compile(ITEM)(floats(size))
        with pytest.raises(OpsirIndexError, match=r":2:3: error: .*index 3 is out of bounds"):
            run(parse_module(ITEM), [floats(size)])
    assert opsir.compile(ITEM)(floats(4)) == -3


def test_strides_that_are_not_those_of_the_view_are_refused() -> None:
    strided = np.zeros((2, 4), np.float32)[:, :3]
    with pytest.raises(OpsirValueError, match=r"has no view of shape \[6\]; use opsir.copy first"):
        opsir.compile(WRONG_RESHAPE)(strided)
    with pytest.raises(OpsirValueError, match="has a stride of 8 bytes on axis 0, expected 4"):
        opsir.compile(WRONG_STRIDES)(floats(8))


def test_a_kernel_that_reads_elsewhere_does_not_store_over_its_operand() -> None:
    a = floats(4, 4)
    opsir.compile(IN_PLACE)(a, out=a)
    np.testing.assert_array_equal(a, floats(4, 4).T)


def test_what_numpy_refuses_is_an_error_of_the_reference_too() -> None:
    text = ITEM.replace("slice %a [3] :", "reshape %a :")
    with pytest.raises(OpsirValueError, match=r":2:3: error: .*cannot reshape"):
        run(parse_module(text), [floats(4)])
