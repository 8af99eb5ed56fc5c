"""Lines per file and per function, against the limits and, with ``--against REV``, against git.

A budget to look at, not a game to win: the limits say when something holds two ideas.
"""

from __future__ import annotations

import argparse
import ast
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
FOLDERS = ("opsir", "benchmarks", "tools", "tests")
MAX_FILE = 350
MAX_FUNCTION = 60

Function = ast.FunctionDef | ast.AsyncFunctionDef


def sources(root: Path = ROOT) -> Iterator[Path]:
    """Every Python file of the project."""
    for folder in FOLDERS:
        yield from sorted((root / folder).rglob("*.py"))


def functions(text: str) -> Iterator[tuple[str, int, int]]:
    """Name, first line and length of every function and method."""
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, Function):
            assert node.end_lineno is not None
            yield node.name, node.lineno, node.end_lineno - node.lineno + 1


def too_long(root: Path = ROOT) -> list[str]:
    """Files and functions above the limits, and package files without a module docstring."""
    found: list[str] = []
    for path in sources(root):
        text, name = path.read_text(encoding="utf-8"), path.relative_to(root)
        lines = text.count("\n")
        if lines > MAX_FILE:
            found.append(f"{name}: {lines} lines, the limit is {MAX_FILE}")
        for function, line, length in functions(text):
            if length > MAX_FUNCTION:
                found.append(
                    f"{name}:{line}: {function} has {length} lines, the limit is {MAX_FUNCTION}"
                )
        if name.parts[0] != "tests" and ast.get_docstring(ast.parse(text)) is None:
            found.append(f"{name}: no module docstring")
    return found


def _lines_at(revision: str, path: Path) -> int:
    """Lines of a file in a revision; 0 where it did not exist."""
    name = path.relative_to(ROOT).as_posix()
    shown = subprocess.run(
        ["git", "show", f"{revision}:{name}"], cwd=ROOT, capture_output=True, check=False
    )
    return shown.stdout.count(b"\n") if shown.returncode == 0 else 0


def report(against: str | None) -> None:
    """Print lines, longest function and, if asked, the change of each file."""
    total = change = 0
    for path in sources():
        text = path.read_text(encoding="utf-8")
        lines = text.count("\n")
        longest = max((length for _, _, length in functions(text)), default=0)
        total += lines
        line = f"{lines:6} {longest:4}  {path.relative_to(ROOT)}"
        if against is not None:
            delta = lines - _lines_at(against, path)
            change += delta
            line = f"{delta:+6} " + line
        print(line)
    print(f"{total} lines" + (f", {change:+} against {against}" if against else ""))


def main() -> int:
    parser = argparse.ArgumentParser(description="Lines per file and longest function.")
    parser.add_argument("--against", metavar="REV", help="show the change since a git revision")
    report(parser.parse_args().against)
    found = too_long()
    print("\n".join(found))
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
