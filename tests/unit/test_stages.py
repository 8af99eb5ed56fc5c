"""The contract between passes: what each requires, what each ensures, and how a breach is told."""

from __future__ import annotations

from pathlib import Path

import pytest

from opsir.cli import opt
from opsir.diagnostics import OpsirError
from opsir.frontends.text import make_context, parse_module
from opsir.passes import PASSES, stages
from opsir.passes.fold_views import FoldViewsPass
from opsir.passes.fuse_elementwise import FuseElementwisePass
from opsir.passes.lower_to_nest import LowerToNestPass
from opsir.registry import load

PROGRAM = """\
func.func @f(%a: tensor<?x1x?xf16>, %b: tensor<3x?xi16>, %s: !opsir.weak<float>)
    -> (tensor<*x!opsir.infer>, tensor<*x!opsir.infer>) {
  %0 = opsir.mul %a, %s : (tensor<?x1x?xf16>, !opsir.weak<float>) -> tensor<*x!opsir.infer>
  %1 = opsir.gelu %b : (tensor<3x?xi16>) -> tensor<*x!opsir.infer>
  %2 = opsir.sub %0, %1 : (tensor<*x!opsir.infer>, tensor<*x!opsir.infer>) -> tensor<*x!opsir.infer>
  %3 = opsir.lt %2, %b : (tensor<*x!opsir.infer>, tensor<3x?xi16>) -> tensor<*x!opsir.infer>
  func.return %2, %3 : tensor<*x!opsir.infer>, tensor<*x!opsir.infer>
}
"""
FIRST = "promote-types"
ORDER = list(PASSES)
STAGES = list(stages.ESTABLISHED)


def _missing(name: str, done: int) -> str | None:
    """The pass to run first where ``name`` comes right after the first ``done`` passes."""
    needed = STAGES[: STAGES.index(stages.REQUIRED[name]) + 1]
    return next((stage for stage in needed if ORDER.index(stage) >= done), None)


@pytest.mark.parametrize("name", [name for name in PASSES if name != FIRST])
def test_a_pass_out_of_order_is_told_which_one_comes_first(
    name: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "a.mlir"
    path.write_text(PROGRAM)
    for done in range(ORDER.index(name) + 1):
        status = opt.main([str(path), "-p", ",".join([*ORDER[:done], name])])
        said = capsys.readouterr().err
        missing = _missing(name, done)
        if missing is None:
            assert (status, said) == (0, "")
            continue
        assert status == 1
        assert said.startswith(f"{path}:")
        assert f": run {missing} before {name}\n" in said.splitlines(keepends=True)[0]


def test_every_pass_has_its_requirement() -> None:
    assert {*stages.REQUIRED} == {*PASSES} - {FIRST}
    assert {*stages.ESTABLISHED} <= {*PASSES}
    for name, stage in stages.REQUIRED.items():
        assert ORDER.index(stage) < ORDER.index(name)


@pytest.mark.parametrize("name", [name for name in PASSES if name != FIRST])
def test_docstrings_name_the_requirement(name: str) -> None:
    text = load(PASSES[name]).__doc__ or ""
    assert text.partition("Requires: ")[2].startswith(stages.REQUIRED[name])


def test_every_pass_keeps_what_the_passes_before_it_ensure() -> None:
    context = make_context()
    module = parse_module(PROGRAM, context=context)
    reached = FIRST
    for name in PASSES:
        load(PASSES[name])().apply(context, module)
        reached = name if name in stages.ESTABLISHED else reached
        stages.check(module, reached)
    assert reached == STAGES[-1]


@pytest.mark.parametrize("name", STAGES)
def test_a_pass_that_does_not_do_its_work_is_noticed(
    name: str, tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "a.mlir"
    path.write_text(PROGRAM)
    made = load(PASSES[name])
    monkeypatch.setattr(made, "apply", lambda *_: None)
    assert opt.main([str(path), "-p", ",".join(ORDER[: ORDER.index(name) + 1])]) == 1
    said = capsys.readouterr().err.splitlines()[0]
    assert said.startswith(f"{path}:")
    assert said.endswith(f" (after {name})")


GROUP = """\
func.func @f(%a: tensor<?xf32>) -> {0} {{
  %r = opsir.fused(%a) : (tensor<?xf32>) -> {0} {{
  ^bb0(%x: tensor<?xf32>):
    %y = opsir.broadcast %x : tensor<?xf32> to {0}
    opsir.yield %y : {0}
  }}
  func.return %r : {0}
}}
"""


@pytest.mark.parametrize(
    ("text", "used", "message"),
    [
        (
            "func.func @f(%a: tensor<?xf32>) -> tensor<?xf32> {\n"
            "  %r = opsir.neg %a : (tensor<?xf32>) -> tensor<?xf32>\n"
            "  func.return %r : tensor<?xf32>\n}\n",
            FuseElementwisePass,
            "'opsir.neg' op needs named sizes, got tensor<?xf32>",
        ),
        (
            "func.func @f(%a: tensor<?xf32>) -> tensor<?xf32> {\n"
            "  %r = opsir.flip %a [0] : tensor<?xf32> to tensor<?xf32>\n"
            "  func.return %r : tensor<?xf32>\n}\n",
            FoldViewsPass,
            "'opsir.flip' op needs named sizes, got tensor<?xf32>",
        ),
        (
            GROUP.format("tensor<?xf32>"),
            LowerToNestPass,
            "'opsir.fused' op needs named sizes, got tensor<?xf32>",
        ),
        (
            GROUP.format("tensor<2x4xf32>"),
            LowerToNestPass,
            "'opsir.fused' op needs a layout with named sizes, got tensor<?xf32>",
        ),
    ],
)
def test_a_pass_that_is_applied_by_hand_says_what_it_needs(
    text: str, used: type[FoldViewsPass | FuseElementwisePass | LowerToNestPass], message: str
) -> None:
    module = parse_module(text, "a.mlir")
    with pytest.raises(OpsirError, match=r"a\.mlir:2:3: error: ") as caught:
        used().apply(make_context(), module)
    assert caught.value.detail == f"{message}: run infer-shapes first"
