"""Refusals that only odd input meets: files, flags, hand-made IR, a stack that is nearly full."""

from __future__ import annotations

import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from xdsl.dialects.builtin import ModuleOp
from xdsl.dialects.func import FuncOp
from xdsl.ir import Block, Region
from xdsl.utils.exceptions import VerifyException

from opsir.backends.reference.interpreter import run as interpret
from opsir.cli import opt, options, run
from opsir.diagnostics import OpsirError
from opsir.dialects.opsir.shapes import MAX_RANK, broadcast_sizes
from opsir.frontends.text import parse_module
from opsir.frontends.verifier import verify
from opsir.passes import stages

UNARY = """\
func.func @f(%a: {0}) -> {0} {{
  %r = opsir.positive %a : ({0}) -> {0}
  func.return %r : {0}
}}
"""


@pytest.fixture
def refused(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> Callable[..., str]:
    """Runs a tool on text; gives the one line that it says on standard error, without its name."""

    def refused(main: Callable[[list[str]], int], text: str, *argv: str) -> str:
        path = tmp_path / "a.mlir"
        path.write_text(text)
        assert main([str(path), *argv]) == 1
        said = capsys.readouterr().err
        assert "Traceback" not in said
        return said.splitlines()[0]

    return refused


def test_a_file_that_is_no_array(refused: Any, tmp_path: Path) -> None:
    junk = tmp_path / "junk.npy"
    junk.write_bytes(b"no array")
    assert f"cannot read {junk}" in refused(
        run.main, UNARY.format("tensor<2xf32>"), "--input", str(junk)
    )


def test_a_number_that_does_not_fit(refused: Any) -> None:
    said = refused(run.main, UNARY.format("ui8"), "--input", "300")
    assert "takes a u8, got 300, which does not fit" in said


@pytest.mark.parametrize(
    ("type", "shape", "message"),
    [
        ("tensor<4xf32, #opsir.layout<strides [t]>>", "0:4", "has the stride t, which no size"),
        ("tensor<4xf32, #opsir.layout<strides [6]>>", "0:4", "no multiple of its elements"),
        ("tensor<?xf64>", "0:999999999999999", "cannot make random values of shape [99999"),
    ],
)
def test_arguments_that_cannot_be_made_at_random(
    refused: Any, type: str, shape: str, message: str
) -> None:
    text = f"func.func @f(%a: {type}, %b: f32) -> f32 {{\n  func.return %b : f32\n}}\n"
    assert message in refused(run.main, text, "--random", "1", "--shape", shape)


@pytest.mark.parametrize(
    ("argv", "message"),
    [
        (["-t", "llvm,asm"], "expected one target, got 2"),
        (["-t", "plan", "--target-cpu", "x86-64-v3"], "target plan has no option 'cpu'"),
        (["-t", "llvm{"], "cannot read the target"),
        (["-p", f"schedule{{vector-bytes={'9' * 5000}}}"], "cannot read the pass list"),
        (["-p", "schedule{vector-bytes=wide}"], "schedule: "),
        (["-p", "opsir-default{fusion=always,never}"], "option 'fusion' takes one word"),
        (["-p", "opsir-default{colour=red}"], "has no option 'colour'; it takes"),
        (["-p", "schedule{colour=red}"], "pass schedule has no option 'colour'; it takes"),
    ],
)
def test_flags_of_opsir_opt(refused: Any, argv: list[str], message: str) -> None:
    assert message in refused(opt.main, UNARY.format("tensor<4xf32>"), *argv)


def test_a_target_that_does_not_exist() -> None:
    with pytest.raises(OpsirError, match="no target 'wasm'; there are llvm"):
        options.make_target("wasm", {"llvm": None}, {})


def test_sizes_beyond_64_bits_are_located(refused: Any) -> None:
    text = UNARY.format(f"tensor<{1 << 31}x{1 << 31}x{1 << 31}xf32>")
    said = refused(opt.main, text, "-p", "opsir-default")
    assert "a.mlir:" in said
    assert "64" in said


def test_a_negative_power_is_refused_by_both_back_ends(refused: Any) -> None:
    text = (
        "func.func @f(%a: i32, %b: i32) -> i32 {\n"
        "  %r = opsir.pow %a, %b : (i32, i32) -> i32\n  func.return %r : i32\n}\n"
    )
    for backend in run.BACKENDS:
        argv = ("--input", "2", "--input", "-1", "--backend", backend)
        assert "negative integer powers are not allowed" in refused(run.main, text, *argv)


def test_ranks_beyond_the_limit() -> None:
    with pytest.raises(VerifyException, match=f"rank 65 is above the limit of {MAX_RANK}"):
        broadcast_sizes([[1] * 65])


def test_a_stack_that_is_nearly_full() -> None:
    """The parser recurses; a caller that is deep down already gets an error, not a crash."""
    text = "func.func @f() {\n  func.return\n}\n"

    def dig(left: int) -> Any:
        return dig(left - 1) if left else parse_module(text)

    depth = len_of_stack()
    messages: set[str] = set()
    for spare in range(20, 200, 4):
        try:
            dig(max(sys.getrecursionlimit() - depth - spare, 0))
        except OpsirError as error:
            messages.add(error.detail)
        except RecursionError:
            continue  # Not even the call fits.
    assert "nested too deeply to parse" in messages


def len_of_stack() -> int:
    """Frames below the caller."""
    frame, count = sys._getframe(1), 0
    while frame is not None:
        frame, count = frame.f_back, count + 1
    return count


def test_broken_ir_is_located_nowhere_but_refused() -> None:
    module = parse_module("func.func @f() {\n  func.return\n}\n")
    function = next(op for op in module.ops if isinstance(op, FuncOp))
    inner = next(iter(function.body.block.ops))
    inner.parent = None
    with pytest.raises(OpsirError, match="is broken IR"):
        verify(module)


def test_a_block_without_an_end() -> None:
    function = FuncOp("f", ((), ()), Region(Block()))
    with pytest.raises(OpsirError):
        verify(ModuleOp([function]))


@pytest.mark.parametrize(
    ("op", "arguments", "message"),
    [
        (
            "%r = opsir.add %a, %b : (tensor<?xf32>, tensor<?xf32>) -> tensor<?xf32>",
            (np.ones(2, np.float32), np.ones(3, np.float32)),
            "got shapes [2] and [3], which do not broadcast",
        ),
        (
            "%r = opsir.broadcast %a : tensor<?xf32> to tensor<*xf32>",
            (np.ones(2, np.float32), np.ones(2, np.float32)),
            "broadcasts to a shape that is not known: run infer-shapes first",
        ),
        (
            "%r = opsir.broadcast %a : tensor<?xf32> to tensor<4x3xf32>",
            (np.ones(2, np.float32), np.ones(2, np.float32)),
            "cannot broadcast shape [2]",
        ),
    ],
)
def test_shapes_that_only_the_values_show(
    op: str, arguments: tuple[Any, ...], message: str
) -> None:
    result = op.rsplit(" ", 1)[1]
    text = (
        f"func.func @f(%a: tensor<?xf32>, %b: tensor<?xf32>) -> {result} {{\n"
        f"  {op}\n  func.return %r : {result}\n}}\n"
    )
    with pytest.raises(OpsirError) as caught:
        interpret(parse_module(text, "a.mlir"), arguments)
    assert message in caught.value.detail
    assert caught.value.location is not None


def test_a_pass_that_did_not_run_is_named() -> None:
    module = parse_module(UNARY.format("tensor<4xf32>"), "a.mlir")
    with pytest.raises(OpsirError, match=r"\(after lower-to-nest\)"):
        stages.check(module, "lower-to-nest")
