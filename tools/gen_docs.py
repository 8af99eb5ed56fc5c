"""Writes the generated documents: `make docs`. A test fails while one of them is stale.

Owns the reference of ops and passes, which comes from the classes themselves, the map of files,
which comes from their docstrings, and the program that the README shows at every stage.
"""

from __future__ import annotations

import ast
import dataclasses
import re
import sys
from collections.abc import Callable, Iterator
from inspect import cleandoc
from pathlib import Path
from typing import Any

from xdsl.passes import get_pass_option_infos

from benchmarks.report import markdown
from benchmarks.results import load as load_record
from opsir.dialects.opsir import ELEMENTWISE_OPS
from opsir.dialects.opsir.base import ElementwiseOp
from opsir.passes import PASSES
from opsir.promotion import NUMPY_NAME
from opsir.registry import load
from tools import error_reference, one_program
from tools.check_layers import layer_of, module_name

ROOT = Path(__file__).resolve().parent.parent

_LAYERS = {
    0: "Facts. Plain values and functions; no IR.",
    1: "Dialects: what programs look like.",
    2: "Passes, one per file, and what is read off finished IR.",
    3: "Front ends, and the emitter of scalar bodies that all back ends share.",
    4: "Back ends.",
    5: "The pipeline and the compiler: the only place where all meet.",
    6: "Running: arguments, buffers, overlap, caches, calls.",
    7: "What users touch.",
}


def ops() -> str:
    """Every elementwise op, from its class."""
    rows = [_op_row(op) for op in ELEMENTWISE_OPS]
    return (
        "# Operations\n\nThe elementwise operations of the dialect `opsir`, in the order of their "
        "definition. The same op serves\ntensors and the scalars inside a kernel. *dtypes* are the "
        "kinds in which it computes: **b**ool, **u**nsigned,\nsigned **i**nteger, **f**loat; "
        "operands are promoted to them as NumPy promotes.\n\n"
        "| op | operands | dtypes | result | NumPy's rule | meaning |\n|---|---|---|---|---|---|\n"
        + "\n".join(rows)
        + "\n"
    )


def _op_row(op: type[ElementwiseOp]) -> str:
    name, rule = op.short_name(), op.rule
    result = "bool" if rule.result == "bool" else "as computed"
    meaning = cleandoc(op.__doc__ or "").split("\n\n")[0]
    meaning = " ".join(meaning.split()).replace("``", "`").replace("|", "\\|")
    cells = (f"`{name}`", op.arity, rule.accepts, result, f"`{NUMPY_NAME[name]}`", meaning)
    return "| " + " | ".join(map(str, cells)) + " |"


def passes() -> str:
    """Every pass with its docstring and options, in pipeline order."""
    parts = [
        "# Passes\n\nIn the order of the default pipeline, `opsir-opt -p opsir-default`. Each is "
        "usable alone and leaves IR that verifies."
    ]
    for name, entry in PASSES.items():
        made = load(entry)
        parts.append(f"## {name}\n\n{_as_markdown(made.__doc__ or '')}{_options(made)}")
    return "\n\n".join(parts) + "\n"


def _as_markdown(docstring: str) -> str:
    """A docstring's literal blocks become fenced ones, its double backquotes single ones."""
    text = cleandoc(docstring)
    text = re.sub(r"``([^`]+)``", r"`\1`", text)
    lines, fenced = list[str](), False
    for line in text.split("\n"):
        inside = line.startswith("    ") or (fenced and not line.strip())
        if inside and not fenced:
            lines.append("```mlir")
        elif fenced and not inside:
            while not lines[-1].strip():
                lines.pop()
            lines += ["```", ""]
        fenced = inside
        lines.append(line.removeprefix("    ") if inside else re.sub(r"::$", ":", line))
    return "\n".join([*lines, "```"] if fenced else lines)


def _options(made: Any) -> str:
    """The options of a pass, each with its type, default and the docstring below its field."""
    infos = get_pass_option_infos(made)
    if not infos:
        return ""
    comments = dict(_field_comments(made))
    lines: list[str] = []
    for info in infos:
        name, kind = info.name.replace("_", "-"), info.expected_type.strip("'")
        comment = comments.get(info.name, "")
        lines.append(f"- `{name}`: {kind}, default `{info.default_value}`. {comment}")
    return "\n\nOptions:\n\n" + "\n".join(line.rstrip() for line in lines)


def _field_comments(made: Any) -> Iterator[tuple[str, str]]:
    """Fields of a dataclass with the string that stands below each."""
    source = Path(sys.modules[made.__module__].__file__ or "").read_text(encoding="utf-8")
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.ClassDef) and node.name == made.__name__:
            for field, comment in zip(node.body, node.body[1:], strict=False):
                if (
                    isinstance(field, ast.AnnAssign)
                    and isinstance(field.target, ast.Name)
                    and isinstance(comment, ast.Expr)
                    and isinstance(comment.value, ast.Constant)
                ):
                    yield field.target.id, " ".join(str(comment.value.value).split())


def files() -> str:
    """Every file of the package by layer, with the first sentence of its docstring."""
    parts: list[str] = []
    paths = sorted((ROOT / "opsir").rglob("*.py"))
    for layer, meaning in _LAYERS.items():
        parts.append(f"### Layer {layer}\n\n{meaning}\n")
        for path in paths:
            tree = ast.parse(path.read_text(encoding="utf-8"))
            if layer_of(module_name(path, ROOT)) == layer:
                parts.append(f"- `{path.relative_to(ROOT)}`: {_first_sentence(tree)}")
        parts.append("")
    return "\n".join(parts).rstrip()


def _first_sentence(tree: ast.Module) -> str:
    text = " ".join((ast.get_docstring(tree) or "").split("\n\n")[0].split())
    return text.replace("``", "`")


def benchmark_records() -> str:
    """Every committed record of the benchmarks, the latest first, with its picture."""
    parts: list[str] = []
    for path in sorted((ROOT / "benchmarks" / "results").glob("*.json"), reverse=True):
        parts.append(markdown(load_record(path)))
        pictures = sorted(path.parent.glob(f"{path.stem}-*.png"))
        parts += [f"![{p.stem}](../benchmarks/results/{p.name})" for p in pictures]
    return "\n\n".join(parts) or "No run has been recorded."


@dataclasses.dataclass(frozen=True)
class Document:
    """A generated file, or the part of one between two marker lines if ``part`` is given."""

    path: str
    make: Callable[[], str]
    part: str | None = None

    def text(self) -> str:
        """The whole file as it should be."""
        made = self.make()
        if self.part is None:
            return made
        start, end = f"<!-- generated: {self.part} -->\n", f"<!-- end of {self.part} -->"
        head, found, rest = self.current().partition(start)
        _, closed, tail = rest.partition(end)
        assert (found, closed) == (start, end), f"{self.path} has no part {self.part}"
        return f"{head}{start}\n{made}\n\n{end}{tail}"

    def current(self) -> str:
        """The file as it is; "" if there is none."""
        path = ROOT / self.path
        return path.read_text(encoding="utf-8") if path.exists() else ""


DOCUMENTS = (
    Document("docs/reference/ops.md", ops),
    Document("docs/reference/passes.md", passes),
    Document("docs/architecture.md", files, "files"),
    Document("docs/errors.md", error_reference.family, "classes"),
    Document("docs/errors.md", error_reference.exit_codes, "exit codes"),
    Document("docs/errors.md", error_reference.limits, "limits"),
    Document("docs/performance.md", benchmark_records, "records"),
    Document("README.md", one_program.page, "stages"),
)


def main() -> int:
    for document in DOCUMENTS:
        path = ROOT / document.path
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(document.text(), encoding="utf-8")
        print(document.path)
    return 0


if __name__ == "__main__":
    sys.exit(main())
