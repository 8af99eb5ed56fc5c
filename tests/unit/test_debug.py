"""Debug mode says nothing about sound kernels, and finds each kind of fault in unsound ones."""

from __future__ import annotations

import ctypes
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

import opsir
from opsir import OpsirFaultError
from opsir.abi import KernelFacts
from opsir.compiler import Compiled
from opsir.extent import Extent
from opsir.runtime import debug
from opsir.runtime.guarded import GUARD_BYTES

A = np.arange(12, dtype=np.float32).reshape(3, 4)


def checked(function: Any, *args: Any, **kwargs: Any) -> tuple[Any, Any]:
    jitted = opsir.jit(debug=True)(function)
    return jitted, jitted(*args, **kwargs)


@pytest.mark.parametrize("dtype", [np.bool_, np.uint8, np.int16, np.float16, np.float64])
def test_results_are_those_of_a_plain_call(dtype: Any) -> None:
    a = (np.arange(300) % 256).astype(dtype).reshape(3, 100)  # Every byte, the poisons too.
    cases = [a, a.T, a[::-1, 3:], a[:, ::7], a[:0], a[1, 2], np.broadcast_to(a[0], (5, 100))]
    for x in cases:
        jitted, result = checked(lambda x: x | x if dtype is np.bool_ else x + x, x)
        assert np.array_equal(result, x + x)
        assert np.asarray(result).dtype == dtype
        assert "1 buffers guarded" in jitted.checked
        assert "enumerated" in jitted.checked


def test_results_go_where_out_says_and_arguments_may_be_there() -> None:
    memory = np.arange(24, dtype=np.float32).reshape(4, 6)
    for out in (memory[1:, ::2], memory[1:, ::-2], memory[:3, :3], memory[:3, 1:4]):
        x, before = memory[:3, :3], memory.copy()
        expected = x * 2 + 1
        _, result = checked(lambda x: x * 2 + 1, x, out=out)
        assert result is out
        assert np.array_equal(out, expected)
        out[...] = 0
        rest = memory != 0
        assert np.array_equal(memory[rest], before[rest])
        memory[...] = before


def test_temporaries_are_guarded_and_named() -> None:
    jitted, result = checked(lambda a, r: np.exp2(r) * a - r, A, A[0])
    assert np.array_equal(result, np.exp2(A[0]) * A - A[0])
    assert jitted.checked == (
        "2 buffers guarded, 16 elements written; "
        "kernel 0: addresses of 2 operands enumerated at 4 of 4 iterations; "
        "kernel 1: addresses of 4 operands enumerated at 12 of 12 iterations"
    )


def test_large_calls_are_sampled() -> None:
    x = np.ones((700, 800), np.int8)
    jitted, result = checked(lambda a, b: a + b, x.T, x[:, :1].T)
    assert (result == 2).all()
    assert "sampled at 4098 of 560000 iterations" in jitted.checked


def test_warnings_and_errors_come_as_ever() -> None:
    zero = np.zeros(3, np.int32)
    with pytest.warns(RuntimeWarning, match="divide by zero"):
        checked(lambda a, b: a // b, zero, zero)
    with pytest.raises(ValueError, match="do not broadcast"):
        checked(lambda a, b: a + b, np.ones(3), np.ones(4))


Touch = Callable[[Sequence[int], Any], None]


def astray(monkeypatch: pytest.MonkeyPatch, touch: Touch) -> None:
    """Let ``touch`` write after each run, as a faulty kernel would."""
    execute = debug.execute

    def faulty(compiled: Compiled, words: Sequence[int]) -> int:
        flags = execute(compiled, words)
        touch(words, compiled.abi)
        return flags

    monkeypatch.setattr(debug, "execute", faulty)


@pytest.mark.parametrize("offset", [-1, -64, -GUARD_BYTES, 48, 49, 48 + 2048])
def test_a_byte_written_outside_is_reported(offset: int, monkeypatch: pytest.MonkeyPatch) -> None:
    def touch(words: Sequence[int], abi: Any) -> None:
        place = ctypes.c_uint8.from_address(words[abi.results[0].pointer] + offset)
        place.value = place.value ^ 255

    astray(monkeypatch, touch)
    with pytest.raises(
        OpsirFaultError, match=f"wrote at byte {offset} of result 0, where it has no element"
    ) as caught:
        checked(lambda a: a + 1, A)
    assert caught.value.location is not None
    assert caught.value.location.file == __file__
    assert "kernel 0 of" in str(caught.value)


def test_a_gap_and_a_temporary_are_guarded_too(monkeypatch: pytest.MonkeyPatch) -> None:
    def gap(words: Sequence[int], abi: Any) -> None:
        ctypes.memset(words[abi.results[0].pointer] + 4, 0, 4)

    with monkeypatch.context() as patch:
        astray(patch, gap)
        with pytest.raises(OpsirFaultError, match="wrote at byte 4 of result 0"):
            checked(lambda a: a + 1, A, out=np.zeros((3, 8), np.float32)[:, ::2])

    def behind(words: Sequence[int], abi: Any) -> None:
        ctypes.memset(words[abi.temporaries[0].position] + 16, 0, 8)

    astray(monkeypatch, behind)
    with pytest.raises(OpsirFaultError, match=r"kernel 0 .* wrote at byte 16 of temporary 0"):
        checked(lambda a, r: np.exp2(r) * a - r, A, A[0])


def test_an_element_left_out_is_reported(monkeypatch: pytest.MonkeyPatch) -> None:
    poisons = iter(debug.POISONS * 2)

    def leave_out(words: Sequence[int], abi: Any) -> None:
        ctypes.memset(words[abi.results[0].pointer] + 20, next(poisons), 8)

    astray(monkeypatch, leave_out)
    with pytest.raises(
        OpsirFaultError,
        match=r"kernel 0 .* did not write 2 of 12 elements of result 0, first \[1, 1\]",
    ):
        checked(lambda a: a + 1, A)


def test_an_argument_that_changes_is_reported(monkeypatch: pytest.MonkeyPatch) -> None:
    def change(words: Sequence[int], abi: Any) -> None:
        ctypes.memset(words[abi.arguments[1].pointer] + 4, 255, 1)

    astray(monkeypatch, change)
    with pytest.raises(OpsirFaultError, match="changed argument 1"):
        checked(lambda a, b: a + b, A, A[0].copy())


@pytest.mark.parametrize(("operand", "text"), [(0, "reads argument 0"), (2, "writes result 0")])
def test_an_address_off_the_formula_is_reported(
    operand: int, text: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    plain_form = debug.plain_form

    def shifted(compiled: Compiled) -> tuple[KernelFacts, ...]:
        (kernel,) = plain_form(compiled)
        operands = list(kernel.operands)
        move = operands[operand].trajectory
        operands[operand] = replace(operands[operand], trajectory=replace(move, start=Extent(2)))
        return (replace(kernel, operands=tuple(operands)),)

    monkeypatch.setattr(debug, "plain_form", shifted)
    with pytest.raises(OpsirFaultError, match=f"the plain formula {text} at byte"):
        checked(lambda a, b: a + b, A, A[0])


ROWS = """
!n = tensor<?xf32, #opsir.layout<sizes [n]>>
!m = tensor<?xf32, #opsir.layout<sizes [m]>>
func.func @f(%x: !n, %y: !m) -> !m {
  %r = nest.kernel extents [n] ins(%x : !n along [4]) outs(!m along [4]) {
  ^bb0(%a: f32):
    nest.yield %a : f32
  }
  func.return %r : !m
}
"""

GAPS = """
func.func @f(%x: tensor<4xf32>) -> tensor<4xf32, #opsir.layout<strides [8]>> {
  %r = nest.kernel extents [4] ins(%x : tensor<4xf32> along [4])
      outs(tensor<4xf32, #opsir.layout<strides [8]>> along [4]) {
  ^bb0(%a: f32):
    nest.yield %a : f32
  }
  func.return %r : tensor<4xf32, #opsir.layout<strides [8]>>
}
"""


def test_kernels_written_by_hand_that_leave_elements_out() -> None:
    x, y = np.ones(5, np.float32), np.ones(9, np.float32)
    program = opsir.compile(ROWS, debug=True, filename="rows.mlir")
    with pytest.raises(
        OpsirFaultError,
        match=r"^rows.mlir:5:3: error: kernel 0 of 'f' did not write 4 of 9 elements of "
        r"result 0, first \[5\]",
    ):
        program(x, y)
    assert np.array_equal(program(y, y), y)
    assert "enumerated at 9 of 9" in program.checked


def test_kernels_written_by_hand_that_write_between_elements() -> None:
    program = opsir.compile(GAPS, debug=True)
    out = np.zeros(8, np.float32)
    with pytest.raises(OpsirFaultError, match="wrote at byte 4 of result 0"):
        program(np.ones(4, np.float32), out=out[::2])
    assert (out == 0).all()
