"""Refusals that only odd input meets: files, flags, hand-made IR, a stack that is nearly full."""

from __future__ import annotations

import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from xdsl.dialects.builtin import ModuleOp, TensorType, f32
from xdsl.dialects.func import FuncOp
from xdsl.ir import Block, Region
from xdsl.parser import Parser
from xdsl.utils.exceptions import DiagnosticException, ParseError, VerifyException

from opsir.backends.reference.interpreter import run as interpret
from opsir.cli import opt, options, run
from opsir.compiler import make_context
from opsir.diagnostics import OpsirError, OpsirOverflowError
from opsir.dialects.opsir import BroadcastOp
from opsir.dialects.opsir.shapes import MAX_RANK, broadcast_sizes
from opsir.frontends.text import parse_module
from opsir.frontends.verifier import verify
from opsir.passes import stages
from opsir.passes.promote_types import PromoteTypesPass

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
        (["-p", f"schedule{{machine={'9' * 5000}}}"], "cannot read the pass list"),
        (["-p", "schedule{machine=3}"], "pass schedule: "),
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


KERNEL = """\
func.func @f(%x: {0}) -> {1} {{
  %0 = nest.kernel extents [{2}] ins(%x : {0} along [4]) outs({1} along [4]) {{
  ^bb0(%a: {3}):
    {4}
  }}
  func.return %0 : {1}
}}
"""


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (
            KERNEL.format("tensor<?xf32>", "tensor<4xf32>", "4", "f32", "nest.yield %a : f32"),
            "needs named sizes, got tensor<?xf32>: run infer-shapes first",
        ),
        (
            KERNEL.format("tensor<4xf32>", "tensor<?xf32>", "4", "f32", "nest.yield %a : f32"),
            "needs named sizes, got tensor<?xf32>: run infer-shapes first",
        ),
        (
            "func.func @f(%a: tensor<4xf32>) {\n"
            "  func.call @f(%a) : (tensor<4xf32>) -> ()\n  func.return\n}\n",
            "has no meaning to the reference back end",
        ),
        (
            "func.func @f(%a: tensor<4xf32>) -> !opsir.infer {\n"
            "  %r = opsir.scalar 1 : f32\n"
            "  %s = opsir.neg %r : (f32) -> !opsir.infer\n  func.return %s : !opsir.infer\n}\n",
            "has a value of type !opsir.infer: run promote-types first",
        ),
    ],
)
def test_ir_that_the_reference_cannot_run(text: str, message: str) -> None:
    with pytest.raises(OpsirError) as caught:
        interpret(parse_module(text, "a.mlir"), [np.ones(4, np.float32)])
    assert message in caught.value.detail
    assert caught.value.location is not None
    assert caught.value.location.file == "a.mlir"


def test_an_op_without_machine_code_is_located(refused: Any) -> None:
    """Before legalize-half and expand-math a body may hold what no emitter knows."""
    body = "%r = opsir.sin %a : (f16) -> f16\n    nest.yield %r : f16"
    text = KERNEL.format("tensor<4xf16>", "tensor<4xf16>", "4", "f16", body)
    text = text.replace("along [4]", "along [2]")
    said = refused(opt.main, text, "-t", "llvm")
    assert "a.mlir:4:5: error:" in said
    assert "sin on (f16) has no machine code" in said


def test_an_archive_of_arrays(refused: Any, tmp_path: Path) -> None:
    archive = str(tmp_path / "several.npz")
    np.savez(archive, a=np.ones(2))
    said = refused(run.main, UNARY.format("tensor<2xf32>"), "--input", archive)
    assert "holds several arrays; expected a .npy file with one" in said


def test_a_broadcast_beyond_the_limit_of_ranks() -> None:
    module = parse_module(
        "func.func @f(%a: f32) -> tensor<4xf32> {\n"
        "  %r = opsir.broadcast %a : f32 to tensor<4xf32>\n  func.return %r : tensor<4xf32>\n}\n"
    )
    op = next(op for op in module.walk() if isinstance(op, BroadcastOp))
    wide = TensorType(f32, [1] * (MAX_RANK + 1))
    with pytest.raises(VerifyException, match="rank 65 is above the limit of 64"):
        BroadcastOp.create(operands=[op.operand], result_types=[wide]).verify()


@pytest.mark.parametrize("end", ["", '%y = "opsir.neg"(%x) : ({0}) -> {0}', "func.return %x : {0}"])
def test_a_group_that_does_not_end_in_yield(end: str) -> None:
    text = (
        "func.func @f(%a: {0}) -> {0} {{\n"
        '  %r = "opsir.fused"(%a) ({{\n  ^bb0(%x: {0}):\n    END\n  }}) : ({0}) -> {0}\n'
        "  func.return %r : {0}\n}}\n"
    )
    with pytest.raises(OpsirError, match=r"must end in opsir\.yield"):
        parse_module(text.replace("END", end).format("tensor<4xf32>"))


def test_a_literal_too_large_for_any_float() -> None:
    """The front door limits digits; other tools built on xDSL meet the parser itself."""
    text = f"%a = opsir.scalar 1{'0' * 400} : f32"
    with pytest.raises(ParseError, match="is too large for f32"):
        Parser(make_context(), text).parse_module()


def test_an_error_inside_an_attribute_is_located() -> None:
    text = "func.func @f(%a: tensor<4xf32, #opsir.layout<strides [99999999999999999999]>>)"
    with pytest.raises(OpsirError, match="beyond a signed 64-bit integer") as caught:
        parse_module(text, "a.mlir")
    assert caught.value.location is not None


def test_what_verification_raises_is_located(monkeypatch: pytest.MonkeyPatch) -> None:
    module = parse_module(UNARY.format("tensor<4xf32>"), "a.mlir")
    op = next(op for op in module.walk() if op.name == "opsir.positive")

    def overflow(self: Any) -> None:
        raise OpsirOverflowError("too large")

    with monkeypatch.context() as patch:
        patch.setattr(type(op), "verify_", overflow)
        with pytest.raises(OpsirOverflowError, match=r"a.mlir:2:3: error: .*too large"):
            verify(module)

    def refuse(self: Any, verify_nested_ops: bool = True) -> None:
        if verify_nested_ops:
            raise VerifyException("something about the whole")

    monkeypatch.setattr(ModuleOp, "verify", refuse)
    with pytest.raises(OpsirError, match="something about the whole"):
        verify(module)


def test_a_pass_that_gives_up_is_located(refused: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    def give_up(self: Any, ctx: Any, op: Any) -> None:
        raise DiagnosticException("gives up")

    monkeypatch.setattr(PromoteTypesPass, "apply", give_up)
    said = refused(opt.main, UNARY.format("tensor<4xf32>"), "-p", "promote-types")
    assert "a.mlir:1:1: error: gives up" in said


def test_what_an_op_trips_over_is_located(monkeypatch: pytest.MonkeyPatch) -> None:
    module = parse_module(UNARY.format("tensor<4xf32>"), "a.mlir")
    op = next(op for op in module.walk() if op.name == "opsir.positive")

    def trip(self: Any) -> None:
        raise KeyError("missing")

    monkeypatch.setattr(type(op), "verify_", trip)
    with pytest.raises(OpsirError, match=r"a.mlir:2:3: error: .*broken IR: KeyError 'missing'"):
        verify(module)
