"""``opsir-run``: arguments from files, numbers and at random; results shown, saved and checked."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import ml_dtypes
import numpy as np
import pytest

from opsir.cli import report, run
from opsir.cli.comparison import compare

SCALE = """\
func.func @scale(%a: tensor<?x3xf32, #opsir.layout<sizes [n]>>, %s: f32)
    -> tensor<?x3xf32, #opsir.layout<sizes [n]>> {
  %r = opsir.mul %a, %s : (tensor<?x3xf32, #opsir.layout<sizes [n]>>, f32)
      -> tensor<?x3xf32, #opsir.layout<sizes [n]>>
  func.return %r : tensor<?x3xf32, #opsir.layout<sizes [n]>>
}
"""
UNARY = """\
func.func @f(%a: tensor<{shape}{dtype}{layout}>) -> tensor<{shape}{dtype}> {{
  %r = opsir.positive %a : (tensor<{shape}{dtype}{layout}>) -> tensor<{shape}{dtype}>
  func.return %r : tensor<{shape}{dtype}>
}}
"""
DIVIDE = """\
func.func @f(%a: tensor<2xi32>, %b: tensor<2xi32>) -> tensor<2xi32> {
  %r = opsir.div_floor %a, %b : (tensor<2xi32>, tensor<2xi32>) -> tensor<2xi32>
  func.return %r : tensor<2xi32>
}
"""

SHORT = """\
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


@pytest.fixture
def write(tmp_path: Path) -> Any:
    def write(text: str) -> str:
        path = tmp_path / "a.mlir"
        path.write_text(text)
        return str(path)

    return write


def save(tmp_path: Path, array: Any) -> str:
    path = str(tmp_path / "in.npy")
    np.save(path, array)
    return path


def test_files_and_numbers_in_results_out(write: Any, tmp_path: Path) -> None:
    array = np.arange(6, dtype=np.float32).reshape(2, 3)
    path, out = save(tmp_path, array), str(tmp_path / "out.npy")
    for backend in run.BACKENDS:
        argv = [write(SCALE), "--input", path, "--input", "0.5", "--output", out]
        assert run.main([*argv, "--backend", backend]) == 0
        assert np.array_equal(np.load(out), array * np.float32(0.5))


def test_random_arguments_are_those_of_the_seed(
    write: Any, capsys: pytest.CaptureFixture[str]
) -> None:
    shown: list[str] = []
    for seed in ("1", "1", "2"):
        argv = [write(SCALE), "--random", seed, "--shape", "0:5x3", "--print", "--check"]
        assert run.main(argv) == 0
        shown.append(capsys.readouterr().out)
    assert shown[0] == shown[1] != shown[2]
    assert "result 0: float32 [5, 3] equal in every bit" in shown[0]


@pytest.mark.parametrize(
    "layout",
    [f"strides [{s}]" for s in ("12, 4", "4, 16", "-12, 4", "24, -8", "0, 4")],
)
def test_random_arrays_have_the_declared_strides(write: Any, layout: str) -> None:
    text = UNARY.format(shape="4x3x", dtype="f32", layout=f", #opsir.layout<{layout}>")
    assert run.main([write(text), "--random", "0", "--check"]) == 0


@pytest.mark.parametrize("dtype", ["ui8", "i64", "f16", "bf16", "f64"])
def test_random_dtypes(write: Any, dtype: str) -> None:
    text = UNARY.format(shape="7x", dtype=dtype, layout="")
    assert run.main([write(text), "--random", "0", "--check"]) == 0


def test_bfloat16_goes_through_files(write: Any, tmp_path: Path) -> None:
    array = np.array([1.5, -0.0, np.inf], ml_dtypes.bfloat16)
    out = str(tmp_path / "out.npy")
    argv = [write(UNARY.format(shape="3x", dtype="bf16", layout="")), "--output", out]
    assert run.main([*argv, "--input", save(tmp_path, array)]) == 0
    assert np.load(out).view(ml_dtypes.bfloat16).tobytes() == array.tobytes()


def test_time_and_debug_print(write: Any, capsys: pytest.CaptureFixture[str]) -> None:
    argv = [write(SCALE), "--random", "0", "--shape", "0:4x3", "--time", "--debug"]
    assert run.main(argv) == 0
    shown = capsys.readouterr().out
    assert "a call takes" in shown
    assert "// IR after fuse-elementwise:" in shown
    assert "// plan:\nkernel extents" in shown
    assert "// checked: 1 buffers guarded, 12 elements written; kernel 0: addresses of" in shown


def test_debug_finds_a_kernel_that_leaves_elements_out(
    write: Any, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "long").mkdir()
    short = save(tmp_path, np.ones(5, np.float32))
    long = save(tmp_path / "long", np.ones(9, np.float32))
    assert run.main([write(SHORT), "--input", short, "--input", long, "--debug"]) == 1
    shown = capsys.readouterr().err
    assert "error: kernel 0 of 'f' did not write 4 of 9 elements of result 0, first [5]" in shown
    assert "nest.kernel extents [n]" in shown


def test_division_by_zero_is_a_warning(
    write: Any, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = save(tmp_path, np.zeros(2, np.int32))
    assert run.main([write(DIVIDE), "--input", path, "--input", path]) == 0
    assert capsys.readouterr().err.startswith("opsir-run: warning: divide by zero")


@pytest.mark.parametrize(
    ("argv", "message"),
    [
        ([], "the function takes 2 arguments"),
        (["--input", "none.npy", "--input", "1"], "cannot read none.npy: No such file"),
        (["--input", "{file}", "--input", "1"], "cannot read {file}: "),
        (["--input", "{npy}", "--input", "one"], "takes a number, got 'one'"),
        (["--input", "{npy}", "--input", "1"], "argument 0"),
        (["--random", "0"], "give the sizes of argument 0"),
        (["--random", "0", "--shape", "0:4"], "--shape gives 1 sizes for argument 0"),
        (["--random", "0", "--shape", "0:4x4"], "--shape gives size 4 for axis 1"),
        (["--random", "0", "--shape", "7:4"], "the function takes 2 arguments"),
        (["--random", "0", "--shape", "4"], "--shape takes an argument's number and its sizes"),
        (["--random", "0", "--shape", "0:9999999999999999999x3"], ""),
        (["--random", "0", "--shape", "0:999999999999999x3"], ""),
        (["--random", "0", "--shape", "0:2x3", "--entry", "g"], "got g; the module has 'scale'"),
        (["--random", "0", "--shape", "0:2x3", "--output", "{dir}/no/x"], "cannot write {dir}/no"),
        (
            ["--random", "0", "--shape", "0:2x3", "--output", "{dir}/x", "--output", "{dir}/y"],
            "2 times --output for 1 results",
        ),
    ],
)
def test_mistakes_are_one_message(
    argv: list[str],
    message: str,
    write: Any,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
) -> None:
    file = write(SCALE)
    places = {"{file}": file, "{dir}": str(tmp_path), "{npy}": save(tmp_path, np.zeros(3))}
    for name, value in places.items():
        argv = [word.replace(name, value) for word in argv]
        message = message.replace(name, value)
    assert run.main([file, *argv]) == report.EXIT_ERROR
    shown = capsys.readouterr().err
    assert "error: " in shown
    assert message in shown


@pytest.mark.parametrize("type", ["tensor<4x!opsir.infer>", "tensor<*xf32>", "index"])
def test_what_cannot_be_made_at_random(
    type: str, write: Any, capsys: pytest.CaptureFixture[str]
) -> None:
    text = f"func.func @f(%a: {type}) -> {type} {{\n  func.return %a : {type}\n}}\n"
    assert run.main([write(text), "--random", "0"]) == report.EXIT_ERROR
    assert f":1:1: error: argument 0 of type {type} cannot be made" in capsys.readouterr().err


def test_results_go_to_the_very_path_given(write: Any, tmp_path: Path) -> None:
    path = tmp_path / "result"
    argv = [write(SCALE), "--random", "0", "--shape", "0:2x3", "--output"]
    assert run.main([*argv, str(path)]) == 0
    assert np.load(path).shape == (2, 3)
    assert run.main([*argv, "a\0b"]) == report.EXIT_ERROR
    assert run.main([*argv, str(tmp_path)]) == report.EXIT_ERROR


def test_usage_errors_end_with_2(write: Any) -> None:
    wrong = (["--shape", "0:1"], ["--random", "0", "--input", "1"], ["--random", "-1"])
    for argv in (*wrong, ["--backend", "none"]):
        with pytest.raises(SystemExit) as leave:
            run.main([write(SCALE), *argv])
        assert leave.value.code == 2


def test_comparison_sees_every_bit_but_no_nan_payload() -> None:
    zeros = np.zeros((2, 2), np.float32)
    assert compare(zeros, zeros.copy()).is_equal
    assert not compare(zeros, -zeros).is_equal
    assert not compare(zeros, zeros.astype(np.float64)).is_equal
    assert not compare(zeros, zeros.reshape(4)).is_equal
    nans = np.array([0x7FC00000, 0xFFC00001], np.uint32).view(np.float32)
    assert compare(nans, nans[::-1]).is_equal
    assert "the first at [1, 0]: " in str(compare(zeros, np.array([[0, 0], [1, 2]], np.float32)))
