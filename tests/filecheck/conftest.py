"""Collects every `.mlir` file below as one test and runs its RUN lines in this process.

A line is expanded by the table that lit uses, then split at its pipes; ``opsir-opt`` and
``filecheck`` run as function calls with standard input and output swapped. That takes some ten
milliseconds where lit, which starts a process per command, takes four hundred.
"""

from __future__ import annotations

import io
import shlex
import sys
from collections.abc import Callable, Generator, Iterable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

import pytest
from filecheck.matcher import Matcher
from filecheck.options import parse_argv_options

from opsir.cli import opt
from tests.filecheck.substitutions import expand, run_lines


def pytest_collect_file(file_path: Path, parent: pytest.Collector) -> pytest.Collector | None:
    if file_path.suffix == ".mlir":
        return MlirFile.from_parent(parent, path=file_path)
    return None


class MlirFile(pytest.File):
    def collect(self) -> Iterable[pytest.Item]:
        yield MlirTest.from_parent(self, name="RUN")


class CommandFailed(Exception):
    """A RUN line whose commands did not all succeed."""


class MlirTest(pytest.Item):
    def runtest(self) -> None:
        lines = run_lines(self.path.read_text(encoding="utf-8"))
        if not lines:
            raise CommandFailed("no RUN line")
        for line in lines:
            command = expand(line)
            if command is None:
                raise CommandFailed(f"RUN line is no known command: {line}")
            run_pipeline(command.replace("%s", shlex.quote(str(self.path))))

    def repr_failure(
        self, excinfo: pytest.ExceptionInfo[BaseException], style: object = None
    ) -> str:
        if isinstance(excinfo.value, CommandFailed):
            return str(excinfo.value)
        return str(super().repr_failure(excinfo))

    def reportinfo(self) -> tuple[Path, int, str]:
        return self.path, 0, str(self.path.name)


def run_pipeline(command: str) -> None:
    """Run commands joined by pipes; CommandFailed at the first whose status is not 0."""
    data = b""
    for words in _split_at_pipes(shlex.split(command)):
        status, data, complaint = _run(words, data)
        if status != 0:
            raise CommandFailed(
                f"$ {command}\n{shlex.join(words)} ended with status {status}\n"
                f"{complaint}{data.decode(errors='replace') if words[0] != 'filecheck' else ''}"
            )


def _split_at_pipes(words: Sequence[str]) -> Iterator[list[str]]:
    start = 0
    for index, word in enumerate([*words, "|"]):
        if word == "|":
            yield list(words[start:index])
            start = index + 1


def _run(words: list[str], data: bytes) -> tuple[int, bytes, str]:
    """Status, standard output and standard error of one command."""
    commands: dict[str, Callable[[list[str]], int]] = {
        "opsir-opt": opt.main,
        "filecheck": _filecheck,
    }
    with _swapped(data) as (output, errors):
        try:
            status = commands[words[0]](words[1:])
        except SystemExit as leave:
            status = leave.code if isinstance(leave.code, int) else 1
        sys.stdout.flush()
    text = errors.getvalue()
    if words[0] == "filecheck" and status != 0:
        text += "--- input of filecheck\n" + data.decode(errors="replace")
    return status, output.getvalue(), text


def _filecheck(arguments: list[str]) -> int:
    return Matcher.from_opts(parse_argv_options(["filecheck", *arguments])).run()


@contextmanager
def _swapped(data: bytes) -> Generator[tuple[io.BytesIO, io.StringIO]]:
    """Standard streams in memory: input ``data``; yields what is written to output and errors."""
    saved = sys.stdin, sys.stdout, sys.stderr
    output, errors = io.BytesIO(), io.StringIO()
    sys.stdin = io.TextIOWrapper(io.BytesIO(data), encoding="utf-8")
    sys.stdout = io.TextIOWrapper(output, encoding="utf-8", write_through=True)
    sys.stderr = errors
    try:
        yield output, errors
    finally:
        wrapper = sys.stdout
        sys.stdin, sys.stdout, sys.stderr = saved
        wrapper.flush()
        wrapper.detach()
