"""An op that lacks one of its parts is named here, before anything that needs the part fails."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import opsir
from opsir.backends.body.table import TABLE
from opsir.dialects.opsir import ELEMENTWISE_OPS
from opsir.dialects.opsir.base import ElementwiseOp
from opsir.evaluate import SUPPORTED
from opsir.passes import PASSES
from opsir.promotion import NUMPY_NAME, OP_RULES
from opsir.registry import load

FILECHECK = Path(__file__).resolve().parent.parent / "filecheck"
NAMES = [op.short_name() for op in ELEMENTWISE_OPS]


@pytest.fixture(scope="module")
def checked() -> str:
    """The check lines of the dialect's round trip."""
    text = (FILECHECK / "dialects" / "opsir" / "ops.mlir").read_text(encoding="utf-8")
    return "\n".join(line for line in text.split("\n") if "// CHECK" in line)


def test_tables_name_no_op_that_does_not_exist() -> None:
    assert len(set(NAMES)) == len(NAMES)
    assert set(OP_RULES) == set(NUMPY_NAME) == set(NAMES)
    assert set(NAMES) >= SUPPORTED - {"cast"}
    assert {name for name, _ in TABLE} <= set(NAMES)


@pytest.mark.parametrize("op", ELEMENTWISE_OPS, ids=NAMES)
def test_every_op_has_all_its_parts(op: type[ElementwiseOp], checked: str) -> None:
    name = op.short_name()
    assert op.rule is OP_RULES[name]
    assert op.__doc__
    assert name in SUPPORTED, "no row in opsir.evaluate"
    assert name in dir(opsir), "no public function"
    assert f"{op.name} " in checked, "no round trip in tests/filecheck/dialects/opsir/ops.mlir"


@pytest.mark.parametrize("op", ELEMENTWISE_OPS, ids=NAMES)
def test_every_op_has_instructions(op: type[ElementwiseOp]) -> None:
    """A row of the emitter, or an expansion into ops that have one, for one dtype it accepts."""
    samples = {"f": np.float32(1.5), "i": np.int32(3), "u": np.uint8(3), "b": np.bool_(True)}
    sample = next(samples[kind] for kind in "fiub" if kind in op.rule.accepts)
    function = getattr(opsir, op.short_name())
    assert np.asarray(function(*[sample] * op.arity)).shape == ()


@pytest.mark.parametrize("name", PASSES)
def test_every_pass_says_what_it_does(name: str) -> None:
    text = load(PASSES[name]).__doc__ or ""
    for part in ("Before", "After", "Requires: ", "Ensures: "):
        assert part in text, f"the docstring of {name} has no {part!r}"
