"""One small program shown at every stage, as the README prints it.

Owns the choice of program, machine and stages, and the abbreviations that make IR readable. All
text comes from the compiler itself.
"""

from __future__ import annotations

import inspect
import re
from io import StringIO
from textwrap import dedent, indent
from typing import Any

import numpy as np

import opsir
from opsir import pipeline
from opsir.backends.cpu.target import AsmTarget
from opsir.frontends.text import make_context, parse_module
from opsir.machine import X86_64_V3
from opsir.pipeline import PipelineOptions

MACHINE = X86_64_V3
"""A fixed one, so that the text does not depend on where it is written."""

SHOWN = {
    "trace": "What the Python function recorded. Nothing is decided yet: element types are open "
    "(`!opsir.infer`), `0.5` will be any Python number (`!opsir.weak`), shapes follow later.",
    "promote-types": "NumPy's rules give every value its dtype; the Python number becomes an f32.",
    "infer-shapes": "Every value gets its shape, every broadcast becomes an op. `m` stands for one "
    "size that both arguments share.",
    "fuse-elementwise": "Ops that can share one loop over memory become one group.",
    "coalesce-axes": "The group is a loop nest: per operand nothing but how many bytes its address "
    "moves along each axis, outermost first. 0 is a broadcast. Axes are in the order in which "
    "memory is best read, and those that are one axis for every operand have been merged.",
    "plan-memory": "The schedule is chosen (8 lanes of f32 in a 256-bit register) and every result "
    "has its place.",
}
"""Stages worth a look, with what to look at; the others change nothing in this program."""


@opsir.jit
def affine(x: Any, scale: Any, bias: Any) -> Any:
    return x * scale + bias


def stages() -> dict[str, str]:
    """The IR after each stage, abbreviated."""
    lowered = affine.lower(*_example())
    texts = {"trace": lowered.ir("trace")}
    context = make_context()
    module = parse_module(texts["trace"], context=context)
    pipeline.run(
        context,
        module,
        PipelineOptions(machine=MACHINE),
        observe=lambda stage, module: texts.__setitem__(stage, str(module)),
    )
    return {stage: abbreviated(text) for stage, text in texts.items()}


def _example() -> tuple[Any, ...]:
    return np.ones((10, 640), np.float32), 0.5, np.ones(640, np.float32)


def assembly() -> str:
    """The hot loop in assembly: from the label of the vector loop to its back edge."""
    context = make_context()
    module = parse_module(affine.lower(*_example()).ir("trace"), context=context)
    pipeline.run(context, module, PipelineOptions(machine=MACHINE))
    output = StringIO()
    AsmTarget(cpu=MACHINE.name).emit(context, module, output)
    found = re.search(r"^\.\w+:\s+# %vector\n(.*?\n\tj\w+\t\S+)", output.getvalue(), re.M | re.S)
    assert found is not None
    lines = [line.split("#")[0].rstrip() for line in found[1].split("\n")]
    return "\n".join(line.lstrip().expandtabs(12) for line in lines if line)


TYPES = {
    "!matrix": "tensor<?x?xf32, #opsir.layout<sizes [n, m]>>",
    "!row": "tensor<?xf32, #opsir.layout<sizes [m]>>",
    "!open": "tensor<*x!opsir.infer>",
}
ALIASES = "\n".join(f"{alias} = {type}" for alias, type in TYPES.items())
"""Short names that make every stage, printed below them, legal IR."""


def abbreviated(text: str) -> str:
    """IR that says the same below ``ALIASES``: sizes get short names, long types get aliases."""
    names = {"s0_0": "n", "s0_1": "m"}
    text = re.sub(r"\bs\d_\d\b", lambda found: names.get(found[0], found[0]), text)
    for alias, type in TYPES.items():
        text = text.replace(type, alias)
    text = re.sub(r" attributes \{opsir\.weak_args = .*?\}\]\} \{$", " {", text, flags=re.M)
    return dedent("\n".join(_folded(text.strip().split("\n")[1:-1])))


def _folded(lines: list[str]) -> list[str]:
    """Break a kernel's line where its parts begin."""
    out: list[str] = []
    for line in lines:
        margin = line[: len(line) - len(line.lstrip())] + "    "
        if len(line) > 100:
            line = re.sub(r" (ins\(|outs\(|attributes)", rf"\n{margin}\1", line)
        out += line.split("\n")
    return out


def page() -> str:
    """Markdown: the Python function and its text after each stage worth a look."""
    texts = stages()
    heads = dict.fromkeys(texts, "") | {"trace": ALIASES + "\n"}
    source = inspect.getsource(affine.function)
    function = source.replace(": Any", "").replace(" -> Any", "")
    parts = [
        f"```python\n{function}\naffine(np.ones((10, 640), np.float32), 0.5, "
        "np.ones(640, np.float32))\n```"
    ]
    for stage, comment in SHOWN.items():
        parts.append(f"**{stage}.** {comment}\n\n```mlir\n{heads[stage]}{texts[stage]}\n```")
    parts.append(
        "**Machine code.** The hot loop for x86-64-v3; what is left of a row runs through the same "
        f"body one element at a time.\n\n```asm\n{indent(assembly(), '    ')}\n```"
    )
    return "\n\n".join(parts)
