from __future__ import annotations

from pathlib import Path

import pytest

from tools import check_layers


def test_imports_point_one_way() -> None:
    assert check_layers.violations() == []


def _package(root: Path, files: dict[str, str]) -> Path:
    for name, text in {"__init__.py": "", **files}.items():
        path = root / "opsir" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    return root


@pytest.mark.parametrize(
    ("files", "complaint"),
    [
        (
            {"dtypes.py": "def f():\n    from opsir import compiler\n", "compiler.py": ""},
            "opsir.dtypes:2: layer 0 imports opsir.compiler of layer 5",
        ),
        (
            {"passes/a.py": "import opsir.passes.b\n", "passes/b.py": ""},
            "opsir.passes.a:1: a pass imports the pass opsir.passes.b",
        ),
        (
            {"backends/cpu/a.py": "from opsir.backends.ptx import b\n", "backends/ptx/b.py": ""},
            "opsir.backends.cpu.a:1: layer 4 imports opsir.backends.ptx.b of layer 4",
        ),
        (
            {"a.py": "from opsir.b import x\n", "b.py": "def f():\n    import opsir.a\n"},
            "cycle: opsir.a -> opsir.b -> opsir.a",
        ),
        (
            {"a.py": "x = 'opsir.compiler:Compiler'\n"},
            "opsir.a:1: names 'opsir.compiler:Compiler' but is no registry",
        ),
        (
            {"a.py": "from importlib import import_module\nimport_module('opsir.b')\n"},
            "opsir.a: imports by name; only opsir.registry does",
        ),
        (
            {"string_utils.py": ""},
            "opsir.string_utils: name a file after the noun it owns, not 'string_utils'",
        ),
    ],
)
def test_each_violation_is_seen(tmp_path: Path, files: dict[str, str], complaint: str) -> None:
    assert check_layers.violations(_package(tmp_path, files)) == [complaint]


def test_downward_imports_and_own_folder_pass(tmp_path: Path) -> None:
    files = {
        "dtypes.py": "",
        "evaluate/a.py": "from opsir import dtypes\n",
        "passes/a.py": "from opsir.dialects import b\n",
        "dialects/b.py": "",
        "compiler.py": "def f():\n    import opsir.passes.a\n",
        "passes/__init__.py": "PASSES = {'a': 'opsir.passes.a:APass'}\n",
    }
    assert check_layers.violations(_package(tmp_path, files)) == []
