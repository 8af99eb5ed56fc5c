"""``opsir-opt`` as a process and as a function: exit codes, messages, start-up."""

from __future__ import annotations

import io
import os
import subprocess
import sys
from pathlib import Path
from types import SimpleNamespace

import pytest

from opsir import pipeline
from opsir.cli import arguments, opt, report
from opsir.passes import PASSES

ROOT = Path(__file__).resolve().parent.parent.parent
PROGRAM = "func.func @f(%a: f32) -> f32 {\n  func.return %a : f32\n}\n"


@pytest.fixture
def file(tmp_path: Path) -> str:
    path = tmp_path / "a.mlir"
    path.write_text(PROGRAM)
    return str(path)


def feed(monkeypatch: pytest.MonkeyPatch, data: bytes) -> None:
    monkeypatch.setattr(sys, "stdin", SimpleNamespace(buffer=io.BytesIO(data)))


def test_reads_a_file_and_standard_input(
    file: str, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    assert opt.main([file]) == 0
    from_file = capsys.readouterr().out
    for argv in ([], ["-"]):
        feed(monkeypatch, PROGRAM.encode())
        assert opt.main(argv) == 0
        assert capsys.readouterr().out == from_file
    assert "func.return %a : f32" in from_file


@pytest.mark.parametrize(
    ("argv", "message"),
    [
        (["{dir}/none.mlir"], "cannot read {dir}/none.mlir: No such file or directory"),
        (["{dir}"], "cannot read {dir}: Is a directory"),
        (["a\0b"], "not a path"),
        (["{file}", "-p", "nothing"], "no pass 'nothing'; there are promote-types"),
        (["{file}", "-p", "cse{x=1}"], "pass cse has no option 'x'; it takes none"),
        (["{file}", "-p", "cse{"], "cannot read the pass list 'cse{'"),
        (["{file}", "-p", "cse,,dce"], "cannot read the pass list 'cse,,dce'"),
        (["{file}", "-p", "fuse-elementwise{max-ops=many}"], "pass fuse-elementwise: "),
        (["{file}", "-p", "fuse-elementwise{policy=bad}"], "policy is one of"),
        (["{file}", "-p", "opsir-default{x=1}"], "opsir-default has no option 'x'"),
        (["{file}", "-t", "mlir{"], "cannot read the target"),
        (["{file}", "-t", "mlir{x=1}"], "target mlir has no option 'x'"),
        (["{file}", "-t", "plan", "--target-cpu", "x86-64-v3"], "target plan has no option"),
        (["{file}", "-p", "opsir-default{rules=1}"], "option 'rules' takes one word"),
        (["{file}", "-o", "{dir}/none/out"], "cannot write {dir}/none/out"),
        (["{file}", "-o", "a\0b"], "cannot write 'a\\x00b': not a path"),
    ],
)
def test_mistakes_are_one_line(
    argv: list[str], message: str, file: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    places = {"{file}": file, "{dir}": str(tmp_path)}
    for name, value in places.items():
        argv = [word.replace(name, value) for word in argv]
        message = message.replace(name, value)
    assert opt.main(argv) == report.EXIT_ERROR
    shown = capsys.readouterr()
    assert shown.out == ""
    assert shown.err.startswith("opsir-opt: error: ")
    assert message in shown.err
    assert shown.err.count("\n") == 1


def test_binary_input_is_one_located_line(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "photo.png"
    path.write_bytes(b"\x89PNG\r\n\x1a\n\0\0")
    assert opt.main([str(path)]) == report.EXIT_ERROR
    assert capsys.readouterr().err == f"{path}:1:1: error: IR text must be UTF-8, got byte 0x89\n"


def test_errors_show_their_line_and_a_caret(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "a.mlir"
    path.write_text("func.func @f(%a: f32) -> f32 {\n\tfunc.return %b : f32\n}\n")
    assert opt.main([str(path)]) == report.EXIT_ERROR
    assert capsys.readouterr().err == (
        f"{path}:2:14: error: %b is used but not defined\n\tfunc.return %b : f32\n\t            ^\n"
    )


@pytest.mark.parametrize("flag", ["--bogus", "-t nothing"])
def test_usage_errors_end_with_2(flag: str, file: str) -> None:
    with pytest.raises(SystemExit) as leave:
        opt.main([file, *flag.split()])
    assert leave.value.code == 2


def test_an_unforeseen_exception_is_an_internal_error(
    file: str, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    def broken(entry: str) -> object:
        raise KeyError(entry)

    monkeypatch.setattr("opsir.cli.driver.load", broken)
    assert opt.main([file, "-p", "cse"]) == report.EXIT_INTERNAL
    shown = capsys.readouterr().err
    assert shown.startswith("opsir-opt: internal error: KeyError")
    assert shown.count("\n") == 1


PARTS = "func.func @f() {\n  func.return\n}\n// -----\n???  // expected-error {{expected an}}\n"


@pytest.mark.parametrize(
    ("text", "flag", "status", "message"),
    [
        (PARTS, "--expect-errors", 1, ":1:1: error: expected an error in this part, got none"),
        ("???\n", "--expect-errors", 0, ""),
        (PARTS, "--verify-diagnostics", 0, ""),
        (PARTS.replace("an}}", "the}}"), "--verify-diagnostics", 1, ":5:1: error: unexpected"),
        (PARTS.replace("???", "func.func private @g()"), "--verify-diagnostics", 1, "expected an"),
    ],
)
def test_expected_errors(
    text: str,
    flag: str,
    status: int,
    message: str,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
) -> None:
    path = tmp_path / "a.mlir"
    path.write_text(text)
    assert opt.main([str(path), "--split-input-file", flag]) == status
    assert message in capsys.readouterr().err


def test_flags_that_print(file: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert opt.main([file, "-p", "cse,dce", "--print-between-passes", "--time-passes"]) == 0
    shown = capsys.readouterr()
    assert shown.out.startswith("// IR after cse:\nbuiltin.module {")
    assert shown.err.count(" ms\n") == 2
    assert opt.main([file, "--print-op-generic", "--print-debuginfo"]) == 0
    assert '"func.return"(%a) : (f32) -> () loc(' in capsys.readouterr().out


def test_output_file(file: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert opt.main([file, "-o", str(tmp_path / "out.mlir")]) == 0
    assert capsys.readouterr().out == ""
    assert "func.func @f" in (tmp_path / "out.mlir").read_text()


def test_a_failed_run_writes_no_output_file(tmp_path: Path) -> None:
    (tmp_path / "a.mlir").write_text("???")
    assert opt.main([str(tmp_path / "a.mlir"), "-o", str(tmp_path / "out.mlir")]) == 1
    assert not (tmp_path / "out.mlir").exists()


def test_help_names_every_pass(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit):
        opt.main(["--help"])
    words = "".join(capsys.readouterr().out.split())
    assert all(name in words for name in [*PASSES, "cse", "dce", arguments.DEFAULT_PIPELINE])
    assert arguments.DEFAULT_PIPELINE == pipeline.DEFAULT


def test_works_from_a_checkout_and_starts_quickly() -> None:
    command = [str(ROOT / "tools" / "opsir-opt")]
    before = os.times()
    subprocess.run([*command, "--version"], check=True, capture_output=True, timeout=60)
    after = os.times()
    # Processor time: other tests may run beside this one.
    assert after.children_user + after.children_system - sum(before[2:4]) < 0.4
    ran = subprocess.run(
        command, input=PROGRAM, check=True, capture_output=True, text=True, timeout=60
    )
    assert "func.return %a : f32" in ran.stdout


def test_a_reader_that_stops_early_is_no_error() -> None:
    text = "".join(PROGRAM.replace("@f", f"@f{i}") for i in range(2000))
    command = f"{ROOT}/tools/opsir-opt 2>&1 >&3 | head -c 100; true"
    ran = subprocess.run(
        ["sh", "-c", f"{{ {command}; }} 3>&1 | head -n 1"],
        input=text,
        capture_output=True,
        text=True,
        check=True,
        timeout=60,
    )
    assert ran.stdout == "builtin.module {\n"
