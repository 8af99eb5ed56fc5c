"""Documents cannot lag: generated ones are regenerated, examples are run."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from opsir.frontends.text import parse_module
from tools import gen_docs, one_program

ROOT = Path(__file__).resolve().parent.parent.parent


@pytest.mark.parametrize("document", gen_docs.DOCUMENTS, ids=lambda d: d.path)
def test_generated_documents_are_fresh(document: gen_docs.Document) -> None:
    assert document.current() == document.text(), "run `make docs`"


def test_every_stage_of_the_readme_is_legal_ir() -> None:
    for stage, text in one_program.stages().items():
        parse_module(f"{one_program.ALIASES}\n{text}", stage)


def test_the_python_example_of_the_readme_runs() -> None:
    text = (ROOT / "README.md").read_text(encoding="utf-8")
    exec(re.findall(r"```python\n(.*?)```", text, re.DOTALL)[0], {})


def test_links_lead_somewhere() -> None:
    for path in [ROOT / "README.md", *(ROOT / "docs").rglob("*.md")]:
        for link in re.findall(r"\]\(([^)#]+)", path.read_text(encoding="utf-8")):
            if "://" not in link:
                assert (path.parent / link).exists(), f"{path.name}: {link}"
