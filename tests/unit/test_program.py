"""Functions from IR text: called like jitted ones, with every argument checked."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from opsir.diagnostics import (
    OpsirNotImplementedError,
    OpsirOverflowError,
    OpsirTypeError,
    OpsirValueError,
)
from opsir.runtime.program import compile_text

F32 = np.float32

ADD = """
func.func @add(%a: tensor<?x?xf32>, %v: tensor<?xf32>, %s: f32, %n: !opsir.weak<int>) -> tensor<*x!opsir.infer> {
  %0 = opsir.add %a, %v : (tensor<?x?xf32>, tensor<?xf32>) -> tensor<*x!opsir.infer>
  %1 = opsir.mul %0, %s : (tensor<*x!opsir.infer>, f32) -> tensor<*x!opsir.infer>
  %2 = opsir.sub %1, %n : (tensor<*x!opsir.infer>, !opsir.weak<int>) -> tensor<*x!opsir.infer>
  func.return %2 : tensor<*x!opsir.infer>
}
"""  # noqa: E501

M, V, S = np.ones((3, 4), F32), np.arange(4, dtype=F32), F32(2)


def test_runs_and_stores() -> None:
    add = compile_text(ADD)
    expected = (M + V) * S - 3
    assert np.array_equal(add(M, V, S, 3), expected)
    out = np.zeros((3, 4), F32)
    assert add(M, V, S, 3, out=out) is out
    assert np.array_equal(out, expected)
    assert add.name == "add"
    assert add.stages[0] == "source"
    assert "nest.kernel" in add.ir("lower-to-nest")
    assert add.plan().kernels[0].lanes >= 4


@pytest.mark.parametrize(
    ("arguments", "error", "message"),
    [
        ((M, V), OpsirTypeError, "'add' takes 4 arguments, got 2"),
        ((M, V[:3], S, 3), OpsirValueError, r"shapes \[3, 4\] and \[3\] do not broadcast: size 4"),
        ((M[0], V, S, 3), OpsirValueError, r"argument 0 of 'add' is a tensor of rank 2, got shape"),
        ((M.astype(float), V, S, 3), OpsirTypeError, "is a tensor of f32, got an array of float64"),
        ((2.0, V, S, 3), OpsirTypeError, "argument 0 of 'add' is a tensor of f32, got a Python"),
        ((M, V, 2.0, 3), OpsirTypeError, "argument 2 of 'add' is a scalar f32, got a Python float"),
        ((M, V, np.float64(2), 3), OpsirTypeError, "got a NumPy scalar of float64"),
        ((M, V, M, 3), OpsirTypeError, "argument 2 of 'add' is a scalar f32, got an array"),
        ((M, V, S, M), OpsirTypeError, "argument 3 of 'add' is a Python int or float, got an arr"),
        ((M.T, V[:3], S, 3), OpsirValueError, "has a stride of 4 bytes on axis 0, expected"),
        ((M[:, ::2], V[:2], S, 3), OpsirValueError, "has a stride of 16 bytes on axis 0"),
        ((np.ones((3, 1), F32), V, S, 3), OpsirValueError, "an axis written '.' never has size 1"),
    ],
)
def test_arguments_are_checked(arguments: Any, error: Any, message: str) -> None:
    with pytest.raises(error, match=message):
        compile_text(ADD)(*arguments)


def test_out_is_checked() -> None:
    add = compile_text(ADD)
    with pytest.raises(OpsirTypeError, match="out= is an array of f64, 'add' stores f32"):
        add(M, V, S, 3, out=np.zeros((3, 4)))
    with pytest.raises(OpsirValueError, match="out= has 2 arrays, 'add' has 1 results"):
        add(M, V, S, 3, out=(M.copy(), M.copy()))
    with pytest.raises(OpsirValueError, match=r"out= has shape \[3, 5\]"):
        add(M, V, S, 3, out=np.zeros((3, 5), F32))
    with pytest.raises(OpsirValueError, match="has a stride of"):
        add(M, V, S, 3, out=np.zeros((4, 3), F32).T)


def test_a_choice_of_functions_needs_a_name() -> None:
    text = ADD + ADD.replace("@add", "@other")
    assert compile_text(text, "other").name == "other"
    with pytest.raises(OpsirValueError, match="'add', 'other'"):
        compile_text(text)
    with pytest.raises(OpsirValueError, match="got third"):
        compile_text(text, "third")


T = "tensor<4xf32>"


def kernel(extents: str, source: str, target: str) -> str:
    return f"""
    func.func @f(%a: {T}) -> {T} {{
      %r = nest.kernel extents [{extents}] ins(%a : {T} along {source})
          outs({T} along {target}) {{
      ^bb0(%x: f32):
        nest.yield %x : f32
      }}
      func.return %r : {T}
    }}
    """


def test_a_kernel_written_by_hand_stays_in_its_buffers() -> None:
    x = np.arange(4, dtype=F32)
    reverse = kernel("4", "[-4] start 12", "[4]")
    assert compile_text(reverse)(x).tolist() == [3, 2, 1, 0]
    for source, message in [
        ("[8]", r"kernel 0 touches bytes \[0, 28\) of argument 0, which holds \[0, 16\)"),
        ("[-4]", r"kernel 0 touches bytes \[-12, 4\) of argument 0"),
        ("[4] start 4", r"touches bytes \[4, 20\) of argument 0"),
        ("[4611686018427387904]", "beyond a signed 64-bit integer"),
    ]:
        with pytest.raises((OpsirValueError, OpsirOverflowError), match=message):
            compile_text(kernel("4", source, "[4]"))(x)


def stored_as(strides: str) -> str:
    layout = f"tensor<4x4xf32, #opsir.layout<strides {strides}>>"
    return f"""
    func.func @f(%a: tensor<4x4xf32>) -> {layout} {{
      %0 = opsir.broadcast %a : tensor<4x4xf32> to {layout}
      func.return %0 : {layout}
    }}
    """


def test_a_result_with_gaps_needs_an_array() -> None:
    x = np.arange(16, dtype=F32).reshape(4, 4)
    padded, reverse = np.zeros((4, 8), F32)[:, :4], np.zeros((4, 4), F32)[:, ::-1]
    for strides, out in [("[32, 4]", padded), ("[16, -4]", reverse)]:
        text = stored_as(strides)
        assert np.array_equal(compile_text(text)(x, out=out), x)
        with pytest.raises(OpsirValueError, match="needs an array to be stored in: out="):
            compile_text(text)(x)


def test_a_result_may_be_dense_in_any_order() -> None:
    x = np.arange(16, dtype=F32).reshape(4, 4)
    result = compile_text(stored_as("[4, 16]"))(x)
    assert np.array_equal(result, x)
    assert result.strides == (4, 16)


def test_a_stated_order_is_checked() -> None:
    tensor = "tensor<4x4xf32, #opsir.layout<strides [s, t], order [1, 0]>>"
    text = f"""
    func.func @f(%a: {tensor}) -> tensor<4x4xf32> {{
      %0 = opsir.neg %a : ({tensor}) -> tensor<4x4xf32>
      func.return %0 : tensor<4x4xf32>
    }}
    """
    x = np.arange(16, dtype=F32).reshape(4, 4)
    assert np.array_equal(compile_text(text)(x.T), -x.T)
    with pytest.raises(OpsirValueError, match="axis 1 takes larger steps than axis 0"):
        compile_text(text)(x)


def test_errors_of_the_text_are_located() -> None:
    with pytest.raises(OpsirValueError, match=r"^model.mlir:1:\d+: error: "):
        compile_text("func.func @f(", filename="model.mlir")


def test_ptx_is_refused_clearly() -> None:
    with pytest.raises(OpsirNotImplementedError, match="this version has no PTX back end"):
        compile_text(ADD).ptx()


def test_memory_that_is_not_there() -> None:
    text = """
    func.func @f(%s: f64) -> tensor<1099511627776x1024xf64> {
      %0 = opsir.broadcast %s : f64 to tensor<1099511627776x1024xf64>
      func.return %0 : tensor<1099511627776x1024xf64>
    }
    """
    with pytest.raises(OpsirOverflowError, match="cannot allocate a result of shape"):
        compile_text(text)(np.float64(1))


def test_the_truth_of_a_python_float_is_asked_of_the_float() -> None:
    f = compile_text("""func.func @f(%a: tensor<?xi8>, %s: !opsir.weak<float>) -> tensor<?xi1> {
      %r = opsir.logical_and %a, %s : (tensor<?xi8>, !opsir.weak<float>) -> tensor<?x!opsir.infer>
      %q = opsir.cast %r : tensor<?x!opsir.infer> to tensor<?xi1>
      func.return %q : tensor<?xi1>
    }""")
    a = np.array([1, 0, 3], np.int8)
    assert f(a, 0.5).tolist() == [True, False, True]
    assert f(a, 0.0).tolist() == [False, False, False]
