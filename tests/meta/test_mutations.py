"""Damaged IR ends as it may; and what may not happen would be seen."""

from __future__ import annotations

import pytest

from tools import mutate_ir
from tools.mutate_ir import OPT, RUN, Case, Outcome


@pytest.mark.slow
def test_two_thousand_damaged_programs() -> None:
    found = mutate_ir.summary(range(2000))
    assert found.failed == []
    assert found.accepted > 50
    assert found.refused > 50


@pytest.mark.slow
def test_what_is_still_legal_runs_as_the_reference_says() -> None:
    found = mutate_ir.summary(range(500), RUN)
    assert found.failed == []
    assert found.accepted > 10


@pytest.mark.parametrize(
    ("tool", "outcome", "wrong"),
    [
        (OPT, Outcome(0, "", ""), None),
        (OPT, Outcome(1, "", "<stdin>:1:2: error: no\n"), None),
        (RUN, Outcome(1, "", "opsir-run: error: no\n"), None),
        (OPT, None, "crashed or hung"),
        (OPT, Outcome(70, "", "internal error"), "ended with status 70"),
        (OPT, Outcome(1, "", "opsir-opt: error: no\n"), "printed no error"),
        (OPT, Outcome(1, "", "Traceback (most recent call last)"), "printed a traceback"),
        (RUN, Outcome(1, "result 0: 1 of 4 elements differ", ""), "printed no error"),
    ],
)
def test_each_unacceptable_ending_is_seen(
    tool: str, outcome: Outcome | None, wrong: str | None
) -> None:
    found = mutate_ir.complaint(Case(0, "", tool, ()), outcome)
    assert found == wrong or (found is not None and wrong is not None and found.startswith(wrong))


def test_a_case_follows_from_its_seed() -> None:
    texts = mutate_ir.programs()
    assert mutate_ir.make_case(7, texts) == mutate_ir.make_case(7, texts)
    assert len({mutate_ir.make_case(seed, texts).text for seed in range(50)}) > 40
