"""A pytest plugin that writes down which test arrives at which refusal.

Used by ``tools/mutate_refusals.py``: the report maps ``file:line`` of the statement that refuses
to the tests that reached it.
"""

from __future__ import annotations

import ast
import json
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from xdsl.parser import Parser
from xdsl.utils.exceptions import VerifyException

from opsir import diagnostics

ROOT = Path(__file__).resolve().parent.parent
PACKAGE = str(ROOT / "opsir")


class Recorder:
    """Collects the lines of the package on the stack whenever something is refused."""

    def __init__(self) -> None:
        self.test = ""
        self.found: dict[str, list[str]] = {}
        self._statements: dict[str, dict[int, int]] = {}

    def note(self) -> None:
        frame = sys._getframe(2)
        while frame is not None:
            file = frame.f_code.co_filename
            if file.startswith(PACKAGE):
                line = self._statement(file, frame.f_lineno)
                key = f"{Path(file).relative_to(ROOT)}:{line}"
                tests = self.found.setdefault(key, [])
                if self.test and self.test not in tests:
                    tests.append(self.test)
            frame = frame.f_back

    def _statement(self, file: str, line: int) -> int:
        """The first line of the innermost statement that spans ``line``."""
        if file not in self._statements:
            table: dict[int, int] = {}
            for node in ast.walk(ast.parse(Path(file).read_text())):
                if isinstance(node, ast.Expr | ast.Raise):
                    for inner in range(node.lineno, (node.end_lineno or node.lineno) + 1):
                        table[inner] = node.lineno
            self._statements[file] = table
        return self._statements[file].get(line, line)


RECORDER = Recorder()


def _noting(function: Callable[..., Any]) -> Callable[..., Any]:
    def noted(*args: Any, **kwargs: Any) -> Any:
        RECORDER.note()
        return function(*args, **kwargs)

    return noted


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--refusals", default=None, help="where to write which tests refuse what")


def pytest_configure(config: pytest.Config) -> None:
    diagnostics.OpsirError.__init__ = _noting(diagnostics.OpsirError.__init__)
    VerifyException.__init__ = _noting(VerifyException.__init__)
    Parser.raise_error = _noting(Parser.raise_error)


@pytest.hookimpl(wrapper=True)
def pytest_runtest_protocol(item: pytest.Item) -> Iterator[None]:
    RECORDER.test = item.nodeid
    yield


def pytest_sessionfinish(session: pytest.Session) -> None:
    target = session.config.getoption("--refusals")
    if target is not None:
        Path(str(target)).write_text(json.dumps(RECORDER.found))
