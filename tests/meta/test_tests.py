from __future__ import annotations

from pathlib import Path

import pytest

from tools import check_tests, size


def test_no_dead_checks() -> None:
    assert check_tests.all_dead_checks() == []


def test_passes_are_named_alike_and_tested() -> None:
    assert check_tests.pass_names() == []


def test_dialects_are_tested() -> None:
    assert check_tests.dialect_tests() == []


def test_sizes_and_docstrings() -> None:
    assert size.too_long() == []


@pytest.mark.parametrize(
    ("text", "complaint"),
    [
        ("// CHECK: a\nop\n", "no RUN line"),
        ("// RUN: opsir-opt %s\n// CHECK: a\nop\n", "RUN line is no known command: opsir-opt %s"),
        ("// RUN: OPSIR_PASS(cse)\n// CHEK: a\n// CHECK: b\nop\n", "line 2: nothing reads CHEK"),
        ("// RUN: OPSIR_PASS(cse)\n// CHECK: a\nop\n// -----\nop\n", "part 2 has no check"),
        ("// RUN: OPSIR_PASS(cse)\n// CHECK-NOT: a\nop\n", "part 1 has no check"),
        (
            "// RUN: OPSIR_PASS(cse)\n// RUN: OPSIR_PASS(dce) PREFIX=DCE\n// CHECK: a\nop\n",
            "no check line for PREFIX=DCE",
        ),
    ],
)
def test_each_dead_check_is_seen(tmp_path: Path, text: str, complaint: str) -> None:
    path = tmp_path / "a.mlir"
    path.write_text(text)
    assert any(found.startswith(complaint) for found in check_tests.dead_checks(path))
