"""The import rule: a file imports from lower layers and, without cycles, from its own folder.

Imports inside functions and under TYPE_CHECKING count. Registries name what lies beside or above
them as ``"module:Name"`` text, and nobody else does. Prints each violation; the status is 1 if
there is one.
"""

from __future__ import annotations

import ast
import re
import sys
from collections.abc import Iterator, Mapping
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent

FACTS = 0
FOLDERS: dict[str, int] = {
    "evaluate": 0,
    "dialects": 1,
    "passes": 2,
    "backends": 3,
    "backends.body": 3,
    "frontends": 3,
    "backends.cpu": 4,
    "backends.reference": 4,
    "backends.ptx": 4,
    "runtime": 6,
    "cli": 7,
}
"""Layer of each folder, the innermost named one deciding."""

FILES: dict[str, int] = {
    "address_trace": 2,
    "description": 2,
    "pipeline": 5,
    "compiler": 5,
    "__init__": 7,
    "decorator": 7,
    "eager": 7,
    "queries": 7,
    "universe": 7,
}
"""Layer of the files directly in ``opsir``; those that are not named are facts."""

REGISTRIES = {"opsir.dialects", "opsir.passes", "opsir.backends"}
LOADER = "opsir.registry"
TOP = 7
"""Files of this layer may load by name too: that is how the command lines start quickly."""

VAGUE = re.compile(r"(^|_)(utils?|common|helpers?|misc|tools?)($|_)")
_ENTRY = re.compile(r"^opsir(\.\w+)+:\w+$")

Graph = dict[str, list[tuple[str, int]]]
"""Module to the modules it imports, each with the line."""


def folder_of(module: str) -> str:
    """The named folder that a module belongs to; "" for the files directly in ``opsir``."""
    inside = module.removeprefix("opsir").lstrip(".")
    found = [f for f in FOLDERS if inside == f or inside.startswith(f + ".")]
    return max(found, key=len, default="")


def layer_of(module: str) -> int:
    """The layer of a module of the package."""
    folder = folder_of(module)
    if folder:
        return FOLDERS[folder]
    return FILES.get(module.removeprefix("opsir").lstrip(".") or "__init__", FACTS)


def module_name(path: Path, root: Path) -> str:
    """The dotted name of a file."""
    parts = path.relative_to(root).with_suffix("").parts
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


def imports_of(tree: ast.AST, known: set[str]) -> Iterator[tuple[str, int]]:
    """Modules of the package that a file imports, at any depth, with the line."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            for alias in node.names:
                if alias.name in known:
                    yield alias.name, node.lineno
        elif isinstance(node, ast.ImportFrom) and node.module is not None:
            for alias in node.names:
                submodule = f"{node.module}.{alias.name}"
                if (found := submodule if submodule in known else node.module) in known:
                    yield found, node.lineno


def read(root: Path) -> tuple[dict[str, ast.Module], Graph]:
    """Syntax trees and import graph of the package below ``root``."""
    paths = sorted((root / "opsir").rglob("*.py"))
    trees = {module_name(p, root): ast.parse(p.read_text(encoding="utf-8")) for p in paths}
    return trees, {m: list(imports_of(tree, set(trees))) for m, tree in trees.items()}


def upward(graph: Graph) -> Iterator[str]:
    """Imports that do not point downwards."""
    passes = {m for m in graph if m.startswith("opsir.passes.") and m != "opsir.passes.stages"}
    for module, imported in graph.items():
        for target, line in imported:
            ours, theirs = layer_of(module), layer_of(target)
            beside = folder_of(module) == folder_of(target) or ours in (FACTS, TOP)
            if theirs > ours or (theirs == ours and not beside):
                yield f"{module}:{line}: layer {ours} imports {target} of layer {theirs}"
            if module in passes and target in passes and not _is_private_part(module, target):
                yield f"{module}:{line}: a pass imports the pass {target}"


def _is_private_part(module: str, target: str) -> bool:
    """A pass too long for one file is a folder, whose files may import each other."""
    return module.split(".")[2] == target.split(".")[2]


def cycles(graph: Mapping[str, list[tuple[str, int]]]) -> Iterator[str]:
    """Each import that closes a cycle."""
    done: set[str] = set()

    def visit(module: str, trail: tuple[str, ...]) -> Iterator[str]:
        if module in trail:
            yield "cycle: " + " -> ".join([*trail[trail.index(module) :], module])
            return
        if module in done:
            return
        for target, _ in graph[module]:
            if target != module:
                yield from visit(target, (*trail, module))
        done.add(module)

    for module in graph:
        yield from visit(module, ())


def by_name(trees: Mapping[str, ast.Module]) -> Iterator[str]:
    """``"module:Name"`` text outside the registries, and imports by computed name."""
    for module, tree in trees.items():
        for node in ast.walk(tree):
            if isinstance(node, ast.Constant) and isinstance(node.value, str):
                allowed = module in REGISTRIES or layer_of(module) == TOP
                if _ENTRY.match(node.value) and not allowed:
                    yield f"{module}:{node.lineno}: names {node.value!r} but is no registry"
            called = ast.unparse(node.func) if isinstance(node, ast.Call) else ""
            if called.endswith(("import_module", "__import__")) and not (
                module == LOADER or layer_of(module) == TOP
            ):
                yield f"{module}: imports by name; only {LOADER} does"


def vague_names(trees: Mapping[str, ast.Module]) -> Iterator[str]:
    """Files called after what they are for nobody in particular."""
    for module in trees:
        for part in module.split("."):
            if VAGUE.search(part):
                yield f"{module}: name a file after the noun it owns, not {part!r}"


def violations(root: Path = ROOT) -> list[str]:
    """All of them, for the package below ``root``."""
    trees, graph = read(root)
    return [*upward(graph), *cycles(graph), *by_name(trees), *vague_names(trees)]


def main() -> int:
    found = violations()
    print("\n".join(found) or "imports point one way")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
