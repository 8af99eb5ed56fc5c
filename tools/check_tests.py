"""Checks on the tests and names themselves: a check that cannot fail is a defect.

Every `.mlir` test has RUN lines that are known commands, every check line has a command that reads
it, every part of a file has a check. Every pass is named alike in its file, class, flag and tests.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Iterator
from pathlib import Path

from opsir.passes import PASSES
from tests.filecheck.substitutions import expand, prefix_of, run_lines

ROOT = Path(__file__).resolve().parent.parent

_DIRECTIVE = re.compile(
    r"^\s*//\s*([A-Z][A-Z0-9_-]*?)(-(?:NEXT|SAME|NOT|DAG|EMPTY|LABEL|COUNT-\d+))?(?:\{LITERAL\})?:"
)
_SEPARATOR = re.compile(r"^// -----.*$", re.MULTILINE)
_COMMENT = re.compile(r"^\s*//.*$", re.MULTILINE)
_PROSE = {"RUN", "COM"}
"""Directives that are no checks."""


def dead_checks(path: Path) -> Iterator[str]:
    """What could not fail in one `.mlir` test."""
    text = path.read_text(encoding="utf-8")
    runs = run_lines(text)
    if not runs:
        yield "no RUN line"
    for line in runs:
        if expand(line) is None:
            yield f"RUN line is no known command: {line}"
    read = {prefix_of(line) for line in runs}
    seen: set[str] = set()
    for number, line in enumerate(text.split("\n"), 1):
        if (found := _DIRECTIVE.match(line)) is None or found[1] in _PROSE:
            continue
        seen.add(found[1])
        if found[1] not in read:
            yield f"line {number}: nothing reads {found[1]} lines"
    yield from (f"no check line for PREFIX={prefix}" for prefix in sorted(read - seen))
    yield from _unchecked_parts(text, read)


def _unchecked_parts(text: str, read: set[str]) -> Iterator[str]:
    """Parts with code but without a check that must match something."""
    for index, part in enumerate(_SEPARATOR.split(text), 1):
        if not _COMMENT.sub("", part).strip():
            continue
        found = [_DIRECTIVE.match(line) for line in part.split("\n")]
        if not any(m and m[1] in read and m[2] != "-NOT" for m in found):
            yield f"part {index} has no check"


def all_dead_checks(root: Path = ROOT) -> list[str]:
    """``dead_checks`` of every test."""
    paths = sorted((root / "tests" / "filecheck").rglob("*.mlir"))
    return [f"{p.relative_to(root)}: {m}" for p in paths for m in dead_checks(p)]


def pass_names(root: Path = ROOT) -> list[str]:
    """Passes that are not called alike everywhere, and passes without a test of each kind."""
    found: list[str] = []
    for flag, entry in PASSES.items():
        snake = flag.replace("-", "_")
        pascal = "".join(word.capitalize() for word in flag.split("-")) + "Pass"
        if entry != f"opsir.passes.{snake}:{pascal}":
            found.append(f"{flag}: expected the entry opsir.passes.{snake}:{pascal}, got {entry}")
        source = root / "opsir" / "passes" / f"{snake}.py"
        if not source.exists() or f'name = "{flag}"' not in source.read_text(encoding="utf-8"):
            found.append(f"{flag}: {source.relative_to(root)} defines no pass of that name")
        for test in (f"{snake}.mlir", f"{snake}_locations.mlir"):
            if not (root / "tests" / "filecheck" / "passes" / test).exists():
                found.append(f"{flag}: no test tests/filecheck/passes/{test}")
    registered = {flag.replace("-", "_") for flag in PASSES}
    for source in sorted((root / "opsir" / "passes").glob("*.py")):
        if "(ModulePass)" in source.read_text(encoding="utf-8") and source.stem not in registered:
            found.append(f"{source.stem}: a pass that the registry does not name")
    return found


def dialect_tests(root: Path = ROOT) -> list[str]:
    """Dialects without the three files that each has."""
    found: list[str] = []
    for dialect in ("opsir", "nest"):
        for test in ("ops.mlir", "canonicalize.mlir", "invalid.mlir"):
            path = root / "tests" / "filecheck" / "dialects" / dialect / test
            if not path.exists():
                found.append(f"no test {path.relative_to(root)}")
    return found


def main() -> int:
    found = [*all_dead_checks(), *pass_names(), *dialect_tests()]
    print("\n".join(found) or "every check can fail and every name agrees")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
