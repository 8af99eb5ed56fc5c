"""Removes each refusal in turn and looks whether a test notices.

A refusal is a statement ``fail(...)``, ``fail_at(...)``, ``parser.raise_error(...)`` or
``raise VerifyException(...)``. The tests are run once to learn which of them reach which refusal;
then each refusal is replaced by ``pass`` in a copy of the tree and only those tests run again.
Prints the refusals that no test reaches and those whose removal no test notices; the status is 1
if there is one.

    python tools/mutate_refusals.py [--jobs 2] [--only opsir/passes] [--reached-only]
"""

from __future__ import annotations

import argparse
import ast
import json
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from queue import SimpleQueue

ROOT = Path(__file__).resolve().parent.parent
COPIED = ("opsir", "tests", "tools", "typings", "docs", "examples", "pyproject.toml", "README.md")
RAISERS = {"fail", "fail_at", "raise_error", "_refuse"}
TESTS = ("tests/unit", "tests/filecheck", "tests/meta")
TIMEOUT_S = 300


@dataclass(frozen=True)
class Site:
    """One refusal: the lines of its statement, 1-based and inclusive."""

    path: str
    line: int
    end: int

    def __str__(self) -> str:
        return f"{self.path}:{self.line}"


def sites_of(path: Path, root: Path) -> Iterator[Site]:
    """The refusals of one file."""
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.Expr) and isinstance(node.value, ast.Call):
            called = node.value.func
            name = called.attr if isinstance(called, ast.Attribute) else getattr(called, "id", "")
            refuses = name in RAISERS
        elif isinstance(node, ast.Raise) and isinstance(node.exc, ast.Call):
            refuses = getattr(node.exc.func, "id", "") == "VerifyException"
        else:
            continue
        if refuses:
            yield Site(str(path.relative_to(root)), node.lineno, node.end_lineno or node.lineno)


def all_sites(only: str) -> list[Site]:
    """The refusals of all files of the package below ``only``."""
    found = [s for path in sorted((ROOT / "opsir").rglob("*.py")) for s in sites_of(path, ROOT)]
    return [site for site in found if site.path.startswith(only)]


def reached(tests: Sequence[str]) -> dict[str, list[str]]:
    """For each file and line of a refusal the tests that arrive there."""
    with tempfile.TemporaryDirectory() as folder:
        report = Path(folder) / "reached.json"
        subprocess.run(
            [sys.executable, "-m", "pytest", "-q", "-p", "tools.refusal_tracer",
             f"--refusals={report}", *tests],
            cwd=ROOT,
            check=False,
        )  # fmt: skip
        return json.loads(report.read_text())


def without(site: Site, source: str) -> str:
    """The source with the refusal replaced by ``pass``, line numbers kept."""
    lines = source.splitlines(keepends=True)
    first = lines[site.line - 1]
    indent = first[: len(first) - len(first.lstrip())]
    lines[site.line - 1 : site.end] = [f"{indent}pass\n", *["\n"] * (site.end - site.line)]
    return "".join(lines)


def is_noticed(site: Site, tests: Sequence[str], copy: Path) -> bool:
    """Whether one of ``tests`` fails once the refusal is gone."""
    path = copy / site.path
    source = path.read_text()
    path.write_text(without(site, source))
    try:
        for start in range(0, len(tests), 20):
            chosen = tests[start : start + 20]
            command = [sys.executable, "-m", "pytest", "-q", "-x", "-p", "no:cacheprovider"]
            run = subprocess.run(
                [*command, *chosen], cwd=copy, capture_output=True, timeout=TIMEOUT_S, check=False
            )
            if run.returncode != 0:
                return True
    except subprocess.TimeoutExpired:
        return True
    finally:
        path.write_text(source)
    return False


def unnoticed(sites: Sequence[Site], tests: dict[str, list[str]], jobs: int) -> list[Site]:
    """The refusals whose removal no test notices."""
    copies: SimpleQueue[Path] = SimpleQueue()
    with tempfile.TemporaryDirectory() as folder:
        for number in range(jobs):
            copy = Path(folder) / str(number)
            copy.mkdir()
            for name in COPIED:
                if (ROOT / name).is_dir():
                    shutil.copytree(ROOT / name, copy / name)
                elif (ROOT / name).exists():
                    shutil.copy(ROOT / name, copy / name)
            copies.put(copy)

        def judge(site: Site) -> bool:
            copy = copies.get()
            try:
                return is_noticed(site, tests[str(site)], copy)
            finally:
                copies.put(copy)

        with ThreadPoolExecutor(jobs) as pool:
            verdicts = list(pool.map(judge, sites))
    return [site for site, noticed in zip(sites, verdicts, strict=True) if not noticed]


def main() -> int:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--only", default="opsir", help="a folder or file of the package")
    parser.add_argument("--reached-only", action="store_true", help="remove nothing")
    parser.add_argument("--tests", nargs="*", default=TESTS, help="files or folders of tests")
    options = parser.parse_args()
    sites = all_sites(options.only)
    tests = reached(options.tests)
    missed = [site for site in sites if str(site) not in tests]
    hit = [site for site in sites if str(site) in tests]
    silent = [] if options.reached_only else unnoticed(hit, tests, options.jobs)
    for site in missed:
        print(f"{site}: no test reaches this refusal")
    for site in silent:
        print(f"{site}: no test notices that this refusal is gone")
    print(f"{len(sites)} refusals, {len(missed)} not reached, {len(silent)} not noticed")
    return 1 if missed or silent else 0


if __name__ == "__main__":
    sys.exit(main())
