"""A handful of the tests that the collector runs in process go through real lit and processes."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent.parent
CHOSEN = ["cli/split.mlir", "cli/locations.mlir", "cli/invalid.mlir"]


def test_lit_agrees() -> None:
    tests = [str(ROOT / "tests" / "filecheck" / name) for name in CHOSEN]
    lit = "import sys; from lit.main import main; sys.exit(main())"
    ran = subprocess.run(
        [sys.executable, "-c", lit, "-v", *tests],
        capture_output=True,
        text=True,
        check=False,
        timeout=300,
    )
    assert ran.returncode == 0, ran.stdout
    assert f"Passed: {len(CHOSEN)}" in ran.stdout
