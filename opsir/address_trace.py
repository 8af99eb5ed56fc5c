"""The first steps of every kernel as text: coordinates, byte offsets, and what moved.

Owns the table and the target that prints it; the steps themselves are ``opsir.walk``'s.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import islice
from typing import IO

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp
from xdsl.utils.target import Target

from opsir.description import operand_names
from opsir.diagnostics import fail
from opsir.dialects.locations import fail_at
from opsir.dialects.nest import KernelOp
from opsir.walk import Step, walk

STEPS = 16
"""Steps that are shown where nobody says how many."""


@dataclass(frozen=True)
class AddressTarget(Target):
    """``-t addresses``: the first steps of each kernel of a lowered module of known sizes."""

    name = "addresses"

    steps: int = STEPS
    """How many iterations of each kernel are shown."""

    def emit(self, ctx: Context, module: ModuleOp, output: IO[str]) -> None:
        output.write(f"{trace_addresses(module, self.steps)}\n")


def trace_addresses(
    module: ModuleOp, steps: int = STEPS, sizes: Mapping[str, int] | None = None
) -> str:
    """The first ``steps`` iterations of every kernel of a lowered module, one table each.

    Offsets are in bytes from an operand's base address. ``sizes`` holds the values of the symbols.
    Raises OpsirValueError for a negative count and for a symbol without a value.
    """
    if steps < 0:
        fail(f"addresses: the number of steps is at least 0, got {steps}")
    kernels = [op for op in module.walk() if isinstance(op, KernelOp)]
    return "\n".join(
        "\n".join(_table(number, kernel, steps, sizes or {}))
        for number, kernel in enumerate(kernels)
    )


def _table(number: int, kernel: KernelOp, steps: int, sizes: Mapping[str, int]) -> Iterator[str]:
    space = kernel.space
    used = [*space.extents, *(s for t in space.trajectories for s in (t.start, *t.strides))]
    unknown = sorted({name for extent in used for name in extent.symbols} - sizes.keys())
    if unknown:
        fail_at(kernel, f"no address is known: {', '.join(unknown)} depends on the arguments")
    extents = [extent.evaluate(sizes) for extent in space.extents]
    yield f"kernel {number} extents {extents}"
    shown = list(islice(walk(space, sizes), steps))
    names = [operand_names(kernel)[index] for index in kernel.tensor_inputs]
    names += [f"out{index}" for index in range(len(kernel.outputs))]
    rows = [["step", "at", *names], *(_row(place, step) for place, step in enumerate(shown))]
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    for row in rows:
        yield "  " + "  ".join(map(str.ljust, row, widths)).rstrip()


def _row(place: int, step: Step) -> Sequence[str]:
    moved = zip(step.offsets, step.motions, strict=True)
    return [str(place), str(list(step.coordinates)), *(f"{at} {motion}" for at, motion in moved)]
