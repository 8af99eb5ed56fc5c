"""opsir in xDSL's own tools: found by the entry point, clashing with nothing."""

from __future__ import annotations

import importlib.metadata
import tomllib
from pathlib import Path

import pytest
from xdsl.universe import XDSL_UNIVERSE, Universe
from xdsl.xdsl_opt_main import xDSLOptMain

from opsir.backends import TARGETS
from opsir.passes import PASSES
from opsir.registry import load
from opsir.universe import OPSIR_UNIVERSE

ROOT = Path(__file__).resolve().parent.parent.parent
PREFIX = "opsir-"


@pytest.fixture
def installed(monkeypatch: pytest.MonkeyPatch) -> None:
    """The entry points of xDSL and of pyproject.toml, whatever is installed."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    declared = {"xdsl": "xdsl.universe:XDSL_UNIVERSE"} | project["entry-points"]["xdsl.universe"]
    points = [
        importlib.metadata.EntryPoint(name, value, "xdsl.universe")
        for name, value in declared.items()
    ]
    monkeypatch.setattr(importlib.metadata, "entry_points", lambda group: points)


def test_both_live_side_by_side(installed: None) -> None:
    found = Universe.get_multiverse()
    assert {"opsir", "nest"} <= set(found.all_dialects)
    assert set(OPSIR_UNIVERSE.all_passes) <= set(found.all_passes)
    assert set(OPSIR_UNIVERSE.all_targets) <= set(found.all_targets)


def test_everything_is_offered_under_its_own_name() -> None:
    assert {name.removeprefix(PREFIX) for name in OPSIR_UNIVERSE.all_passes} == set(PASSES)
    assert {name.removeprefix(PREFIX) for name in OPSIR_UNIVERSE.all_targets} == set(TARGETS)
    for name, make in (OPSIR_UNIVERSE.all_passes | OPSIR_UNIVERSE.all_targets).items():
        made = make()
        assert made.name == name
        registry = PASSES | TARGETS
        assert issubclass(made, load(registry[name.removeprefix(PREFIX)]))
        assert name.startswith(PREFIX) == (
            name.removeprefix(PREFIX) in XDSL_UNIVERSE.all_passes | XDSL_UNIVERSE.all_targets
        )


def test_xdsl_opt_runs_the_pipeline(
    installed: None, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "a.mlir"
    path.write_text(
        "func.func @f(%a: tensor<?xi8>) -> tensor<*x!opsir.infer> {\n"
        "  %r = opsir.sqrt %a : (tensor<?xi8>) -> tensor<*x!opsir.infer>\n"
        "  func.return %r : tensor<*x!opsir.infer>\n}\n"
    )
    names = ["opsir-canonicalize" if name == "canonicalize" else name for name in PASSES]
    for target, expected in (("mlir", "nest.kernel"), ("opsir-llvm", "define "), ("plan", "sqrt")):
        driver = xDSLOptMain(args=[str(path), "-p", ",".join(names), "-t", target])
        driver.run()
        assert expected in capsys.readouterr().out
