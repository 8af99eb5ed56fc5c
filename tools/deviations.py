"""Write docs/deviations.md from the table of deviations, with both values of each example.

Run without arguments; a test checks that the file is fresh.
"""

from __future__ import annotations

import operator
import sys
from collections.abc import Mapping
from pathlib import Path
from textwrap import fill
from typing import Any

import numpy as np

ROOT = Path(__file__).resolve().parent.parent
PATH = ROOT / "docs" / "deviations.md"

if __name__ == "__main__":
    sys.path.insert(0, str(ROOT))

import opsir  # noqa: E402
from tests.numeric.deviations import DEVIATIONS, outcome  # noqa: E402

_HEAD = """# Where opsir differs from NumPy

The reference is NumPy 2.x, evaluated eagerly on contiguous arrays. Each case in which opsir gives
another result on purpose is listed here, with one call and what both make of it; the functions are
NumPy's names, `f32([...])` is an array of that dtype. Transcendental functions are not listed:
their digits follow their accuracy, never NumPy's. Which NaN an operation returns is left open.

This file is written by `python tools/deviations.py`. A test compares every operation on every
combination of dtypes with NumPy: a difference that is not listed fails it, and so does an entry
that no operation needs any more.
"""


def numpy_functions() -> Mapping[str, Any]:
    """What an example's names mean to NumPy."""
    names = {name: getattr(np, name) for name in dir(np) if not name.startswith("_")}
    return {**names, "cast": _astype, "power_operator": operator.pow}


def _astype(x: Any, dtype: Any) -> Any:
    return x.astype(dtype.row.numpy)


def opsir_functions() -> Mapping[str, Any]:
    """What an example's names mean to opsir."""
    names = {name: getattr(opsir, name) for name in dir(opsir) if not name.startswith("_")}
    return {**names, "cast": _cast, "power_operator": opsir.jit(operator.pow)}


def _cast(x: Any, dtype: Any) -> Any:
    return opsir.cast(x, dtype.row.name)


def render() -> str:
    """The whole document."""
    parts = [_HEAD]
    for entry in DEVIATIONS:
        parts.append(
            f"\n## {entry.title}\n\n{fill(entry.explanation, 96)}\n\n"
            f"    {entry.example}\n"
            f"    NumPy  {outcome(entry.example, numpy_functions())}\n"
            f"    opsir  {outcome(entry.example, opsir_functions())}\n"
        )
    return "".join(parts)


def main() -> int:
    PATH.parent.mkdir(exist_ok=True)
    PATH.write_text(render(), encoding="utf-8")
    print(f"wrote {PATH.relative_to(ROOT)}: {len(DEVIATIONS)} deviations")
    return 0


if __name__ == "__main__":
    sys.exit(main())
