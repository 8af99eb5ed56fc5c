"""The reference back end: the same results at every stage, and nothing read or written astray."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import pytest

from opsir import pipeline
from opsir.backends.reference.interpreter import Outcome, run
from opsir.diagnostics import OpsirError, OpsirOverflowError, OpsirTypeError
from opsir.dtypes import BF16
from opsir.frontends.text import make_context, parse_module

Array = np.ndarray[Any, np.dtype[Any]]


def bits(value: Any) -> tuple[Any, ...]:
    array = np.asarray(value)
    return array.dtype, array.shape, array.tobytes()


def at_every_stage(text: str, arguments: Sequence[Any]) -> Outcome:
    """The one outcome that a program has from promote-types to the end of the pipeline."""
    context = make_context()
    module = parse_module(text, context=context)
    outcomes: dict[str, Outcome] = {}
    pipeline.run(
        context,
        module,
        observe=lambda stage, now: outcomes.__setitem__(stage, run(now, arguments)),
    )
    first = outcomes["promote-types"]
    for stage, outcome in outcomes.items():
        assert list(map(bits, outcome.results)) == list(map(bits, first.results)), stage
        assert outcome.flags == first.flags, stage
    return first


def run_text(text: str, *arguments: Any, **options: Any) -> Outcome:
    return run(parse_module(text), arguments, **options)


MIXED = """
func.func @f(%a: tensor<?x1x?xf32>, %b: tensor<3x?xi16>, %s: !opsir.weak<float>)
    -> (tensor<*x!opsir.infer>, tensor<*x!opsir.infer>) {
  %0 = opsir.mul %a, %s : (tensor<?x1x?xf32>, !opsir.weak<float>) -> tensor<*x!opsir.infer>
  %1 = opsir.exp %b : (tensor<3x?xi16>) -> tensor<*x!opsir.infer>
  %2 = opsir.sub %0, %1 : (tensor<*x!opsir.infer>, tensor<*x!opsir.infer>) -> tensor<*x!opsir.infer>
  %3 = opsir.lt %2, %b : (tensor<*x!opsir.infer>, tensor<3x?xi16>) -> tensor<*x!opsir.infer>
  func.return %2, %3 : tensor<*x!opsir.infer>, tensor<*x!opsir.infer>
}
"""


def test_broadcasts_weak_numbers_and_several_results() -> None:
    generator = np.random.default_rng(0)
    a = generator.standard_normal((2, 1, 5)).astype(np.float32)
    b = generator.integers(-9, 9, (5, 3)).astype(np.int16).T
    difference, below = at_every_stage(MIXED, [a, b, 0.5]).results
    expected = a * np.float32(0.5) - np.exp(b.astype(np.float64)).astype(np.float32)
    np.testing.assert_array_equal(difference, expected)
    np.testing.assert_array_equal(below, expected < b)
    assert below.dtype == np.bool_


HALVES = """
func.func @f(%a: tensor<4x?xbf16>, %b: tensor<4x1xf16>) -> tensor<*x!opsir.infer> {
  %0 = opsir.gelu %a : (tensor<4x?xbf16>) -> tensor<*x!opsir.infer>
  %1 = opsir.sigmoid %b : (tensor<4x1xf16>) -> tensor<*x!opsir.infer>
  %2 = opsir.mul %0, %0 : (tensor<*x!opsir.infer>, tensor<*x!opsir.infer>) -> tensor<*x!opsir.infer>
  %3 = opsir.add %2, %1 : (tensor<*x!opsir.infer>, tensor<*x!opsir.infer>) -> tensor<*x!opsir.infer>
  func.return %3 : tensor<*x!opsir.infer>
}
"""


def test_expansions_change_no_bit() -> None:
    generator = np.random.default_rng(1)
    a = (generator.standard_normal((4, 7)) * 4).astype(BF16.numpy)
    b = (generator.standard_normal((4, 1)) * 4).astype(np.float16)
    assert at_every_stage(HALVES, [a, b]).results[0].dtype == np.float32


DIVIDED = """
func.func @f(%a: tensor<?xi32>, %b: tensor<?xi32>) -> tensor<*xi32> {
  %0 = opsir.div_floor %a, %b : (tensor<?xi32>, tensor<?xi32>) -> tensor<*xi32>
  func.return %0 : tensor<*xi32>
}
"""


def test_flags_are_reported_where_there_are_elements() -> None:
    a, b = np.array([7, -7], np.int32), np.array([2, 0], np.int32)
    outcome = at_every_stage(DIVIDED, [a, b])
    assert outcome.results[0].tolist() == [3, 0]
    assert outcome.flags == {"divide"}
    assert at_every_stage(DIVIDED, [a, np.array([2, 2], np.int32)]).flags == set()
    assert at_every_stage(DIVIDED, [a[:0], b[:0]]).flags == set()


SIZES = """
func.func @f(%a: tensor<?x?xf64>, %t: f64) -> tensor<*xf64> {
  %n = opsir.dim %a, 1 : tensor<?x?xf64>
  %m = opsir.cast %n : i64 to f64
  %0 = opsir.div %t, %m : (f64, f64) -> f64
  %1 = opsir.add %a, %0 : (tensor<?x?xf64>, f64) -> tensor<*xf64>
  func.return %1 : tensor<*xf64>
}
"""


def test_sizes_are_values_and_layouts_are_free() -> None:
    a = np.arange(24.0).reshape(4, 6)
    for view in (a, a.T, a[::-1, ::2], np.broadcast_to(a[:1], (3, 6))):
        outcome = at_every_stage(SIZES, [view, np.float64(3)])
        np.testing.assert_array_equal(outcome.results[0], view + 3 / view.shape[1])


def test_an_axis_map_ties_a_vector_to_an_axis() -> None:
    text = """
    func.func @f(%x: tensor<2x3x4xf32>, %c: tensor<3xf32>) -> tensor<2x3x4xf32> {
      %0 = opsir.broadcast %c axes [1] : tensor<3xf32> to tensor<2x3x4xf32>
      %1 = opsir.add %x, %0 : (tensor<2x3x4xf32>, tensor<2x3x4xf32>) -> tensor<2x3x4xf32>
      func.return %1 : tensor<2x3x4xf32>
    }
    """
    x = np.arange(24, dtype=np.float32).reshape(2, 3, 4)
    c = np.array([100, 200, 300], np.float32)
    np.testing.assert_array_equal(at_every_stage(text, [x, c]).results[0], x + c[None, :, None])


def test_results_are_new_arrays() -> None:
    text = """
    func.func @f(%x: tensor<4xf32>) -> (tensor<4xf32>, tensor<2x4xf32>) {
      %0 = opsir.broadcast %x : tensor<4xf32> to tensor<2x4xf32>
      func.return %x, %0 : tensor<4xf32>, tensor<2x4xf32>
    }
    """
    x = np.ones(4, np.float32)
    for result in run_text(text, x).results:
        assert not np.shares_memory(result, x)
        assert np.asarray(result).flags.writeable


def test_a_bool_byte_that_is_not_zero_is_true() -> None:
    text = """
    func.func @f(%x: tensor<3xi1>) -> tensor<3xi1> {
      func.return %x : tensor<3xi1>
    }
    """
    odd = np.array([0, 1, 7], np.uint8).view(np.bool_)
    assert np.asarray(run_text(text, odd).results[0]).view(np.uint8).tolist() == [0, 1, 1]


def test_what_does_not_fit_the_types_is_refused() -> None:
    x, n = np.ones((1, 2, 5), np.float32), np.ones((3, 5), np.int16)
    module = parse_module(MIXED)
    with pytest.raises(OpsirError, match="run promote-types first"):
        run(module, [x, n, 0.5])
    pipeline.run(make_context(), module, until="promote-types")
    for arguments, message in [
        ([x, n], "takes 3 arguments, got 2"),
        ([x, n.astype(np.int32), 0.5], "takes an array of i16, got an array of int32"),
        ([x, n[0], 0.5], r"got an array of shape \[5\]"),
        ([x, n, np.float32(1)], "takes a Python int or float, got a NumPy scalar of float32"),
    ]:
        with pytest.raises(OpsirTypeError, match=message):
            run(module, arguments)
    with pytest.raises(OpsirError, match=r"expects the shape \[3, '\?'\], got \[2, 5\]"):
        run(module, [x[:, :1], n[:2], 0.5])


def test_a_size_that_is_not_declared_as_1_does_not_broadcast() -> None:
    text = """
    func.func @f(%a: tensor<?xf32>, %b: tensor<4xf32>) -> tensor<4xf32> {
      %0 = opsir.add %a, %b : (tensor<?xf32>, tensor<4xf32>) -> tensor<4xf32>
      func.return %0 : tensor<4xf32>
    }
    """
    four = np.ones(4, np.float32)
    assert np.asarray(run_text(text, four, four).results[0]).tolist() == [2, 2, 2, 2]
    with pytest.raises(OpsirError, match=r"got shapes \[1\] and \[4\], which do not broadcast"):
        run_text(text, four[:1], four)


def test_sizes_that_must_agree_are_compared() -> None:
    module = parse_module(DIVIDED)
    pipeline.run(make_context(), module, until="infer-shapes")
    long, short = np.ones(3, np.int32), np.ones(1, np.int32)
    with pytest.raises(OpsirError, match="size 3 on axis 0 meets size 1 on axis 0"):
        run(module, [long, short])


def test_numbers_must_fit() -> None:
    text = """
    func.func @f(%a: tensor<2xi8>, %s: !opsir.weak<int>) -> tensor<2x!opsir.infer> {
      %0 = opsir.add %a, %s : (tensor<2xi8>, !opsir.weak<int>) -> tensor<2x!opsir.infer>
      func.return %0 : tensor<2x!opsir.infer>
    }
    """
    a = np.array([127, -1], np.int8)
    assert np.asarray(at_every_stage(text, [a, 1]).results[0]).tolist() == [-128, 0]
    module = parse_module(text)
    pipeline.run(make_context(), module)
    with pytest.raises(OpsirOverflowError, match="300"):
        run(module, [a, 300])


def test_the_function_is_chosen_by_name() -> None:
    text = """
    func.func @one(%s: f32) -> f32 {
      func.return %s : f32
    }
    func.func @two(%s: f32) -> f32 {
      %0 = opsir.neg %s : (f32) -> f32
      func.return %0 : f32
    }
    """
    assert run_text(text, np.float32(2), entry="two").results == (np.float32(-2),)
    with pytest.raises(OpsirError, match="the module has one, two"):
        run_text(text, np.float32(2))


def test_more_than_memory_holds_is_a_located_error() -> None:
    text = """
    func.func @f(%s: f32) -> tensor<1048576x1048576x1024xf32> {
      %0 = opsir.broadcast %s : f32 to tensor<1048576x1048576x1024xf32>
      %1 = opsir.neg %0 : (tensor<1048576x1048576x1024xf32>) -> tensor<1048576x1048576x1024xf32>
      func.return %1 : tensor<1048576x1048576x1024xf32>
    }
    """
    with pytest.raises(
        OpsirError, match=r"'opsir\.neg' op needs more memory than there is"
    ) as error:
        run_text(text, np.float32(1))
    assert error.value.location is not None
    with pytest.raises(OpsirOverflowError, match="the size of the result in bytes"):
        run_text(text.replace("x1024xf32", "x2097152xf32"), np.float32(1))
