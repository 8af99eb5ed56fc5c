"""Random programs give the same bits fused, unfused and evaluated one operation at a time."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import pytest

from opsir.dtypes import ALL
from tests.numeric.cases import ARITY
from tests.numeric.fuzzing import REGRESSIONS, problems
from tests.numeric.generation import make_program
from tests.numeric.programs import VIEWS, Program, Unspecified
from tools import records

CHUNKS, SEEDS = 21, 16
"""336 programs, of which a few mean nothing definite."""


@pytest.mark.parametrize("chunk", range(CHUNKS))
def test_fused_equals_unfused_equals_semantics(chunk: int) -> None:
    found: list[str] = []
    for seed in range(chunk * SEEDS, (chunk + 1) * SEEDS):
        try:
            found += [f"seed {seed}: {line}" for line in problems(make_program(seed))]
        except Unspecified:
            continue
    assert found == []


def test_programs_are_rich() -> None:
    programs = [make_program(seed) for seed in range(CHUNKS * SEEDS)]
    definite = 0
    for program in programs:
        try:
            program.expected(program.arguments())
            definite += 1
        except Unspecified:
            continue
    assert definite >= 300
    assert {i.dtype for p in programs for i in p.inputs} >= {d.name for d in ALL}
    assert {len(i.shape) for p in programs for i in p.inputs} == set(range(6))
    assert {i.view for p in programs for i in p.inputs} == set(VIEWS)
    assert {n.op for p in programs for n in p.nodes} == {*ARITY, "cast"}
    assert {len(p.results) for p in programs} >= {1, 2, 3}
    assert max(len(p.nodes) for p in programs) == 12
    uses = Counter(r for p in programs for r in _shared(p))
    assert uses[True] > len(programs) / 2


def _shared(program: Program) -> list[bool]:
    """For each node whether several operations or results read it."""
    read = Counter(
        r.index
        for refs in [*(n.operands for n in program.nodes), program.results]
        for r in refs
        if r.kind == "node"
    )
    return [read[i] > 1 for i in range(len(program.nodes))]


@pytest.mark.parametrize("path", sorted(REGRESSIONS.glob("*.json")), ids=lambda path: path.stem)
def test_regression(path: Path) -> None:
    program = Program.parse(path.read_text(encoding="utf-8"))
    assert problems(program) == []


def test_text_of_a_program_reads_back() -> None:
    for seed in range(40):
        program = make_program(seed)
        assert Program.parse(program.text()) == program


def test_long_run_is_on_record() -> None:
    assert records.complaint("fuzz-dags", {"programs": 6_000}) is None
    if older := records.outdated("fuzz-dags"):
        pytest.skip(older)
