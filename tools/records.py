"""Records of runs too long for every test run: what was run, when, on which code, with what result.

Owns the form of a record, and whether it was of the code as it is.
"""

from __future__ import annotations

import ast
import json
import subprocess
from collections.abc import Iterator, Mapping
from datetime import UTC, datetime
from hashlib import sha256
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
RECORDS = ROOT / "tests" / "records"

VALUE_CODE = (
    "opsir/dtypes.py",
    "opsir/casts.py",
    "opsir/promotion.py",
    "opsir/weak.py",
    "opsir/trajectory.py",
    "opsir/pipeline.py",
    "opsir/evaluate/*.py",
    "opsir/dialects/opsir/*.py",
    "opsir/passes/*.py",
    "opsir/backends/body/*.py",
    "opsir/backends/cpu/*.py",
)
"""The code that decides which bits a program computes; comments and docstrings do not count."""


def code_hash(root: Path = ROOT) -> str:
    """A digest of all code that decides values: equal code, equal digest."""
    digest = sha256()
    for path in sorted(p for pattern in VALUE_CODE for p in root.glob(pattern)):
        tree = ast.parse(path.read_text(encoding="utf-8"))
        for node in _documented(tree):
            node.body = node.body[1:] or [ast.Pass()]
        digest.update(f"{path.relative_to(root).as_posix()}\n{ast.dump(tree)}\n".encode())
    return digest.hexdigest()


_Documented = ast.Module | ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef


def _documented(tree: ast.Module) -> Iterator[_Documented]:
    for node in ast.walk(tree):
        if isinstance(node, _Documented) and ast.get_docstring(node, clean=False) is not None:
            yield node


def write(name: str, command: str, counts: Mapping[str, int]) -> Path:
    """Write the record of a run that ``command`` repeats."""
    record = {
        "command": command,
        "date": datetime.now(UTC).strftime("%Y-%m-%d"),
        "commit": _commit(),
        "counts": dict(counts),
        "code": code_hash(),
    }
    RECORDS.mkdir(exist_ok=True)
    path = RECORDS / f"{name}.json"
    path.write_text(json.dumps(record, indent=2) + "\n", encoding="utf-8")
    return path


def _commit() -> str:
    command = ["git", "rev-parse", "HEAD"]
    return subprocess.run(
        command, cwd=ROOT, capture_output=True, text=True, check=True
    ).stdout.strip()


def complaint(name: str, least: Mapping[str, int]) -> str | None:
    """Why a record is no proof for the code that it was made with; None if it is one.

    ``least`` gives the smallest count that is asked for by name; failures must be 0.
    """
    path = RECORDS / f"{name}.json"
    if not path.exists():
        return f"there is no {path.relative_to(ROOT)}"
    record = json.loads(path.read_text(encoding="utf-8"))
    counts = record["counts"]
    if counts["failures"]:
        return f"{name}: the run of {record['date']} had {counts['failures']} failures"
    for what, number in least.items():
        if counts[what] < number:
            return f"{name}: {counts[what]} {what} were run, asked for are {number}"
    return None


def outdated(name: str) -> str | None:
    """What to run because the code has changed since a record was made; None if it has not."""
    record = json.loads((RECORDS / f"{name}.json").read_text(encoding="utf-8"))
    if record["code"] == code_hash():
        return None
    return f"{name}: recorded at {record['commit'][:12]}, other code since; {record['command']}"
