"""What a call costs beyond its kernels' own work: copies, temporaries and slow paths, with reasons.

Owns the texts, the logger "opsir" that names each of them at level INFO, and the option that turns
copies and temporaries into a warning or an error. Decides nothing; a call without notices does not
come here.
"""

from __future__ import annotations

import logging
import warnings
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np

from opsir.abi import KernelFacts, OperandFacts
from opsir.compiler import Compiled
from opsir.diagnostics import OpsirValueError, fail
from opsir.frontends.options import Copies
from opsir.frontends.places import user_frame_depth, user_location

LOG = logging.getLogger("opsir")


class CopyWarning(UserWarning):
    """A call under ``copies="warn"`` copies elements or keeps a value in a temporary."""


class Notes(NamedTuple):
    """What a program costs in every call of one geometry."""

    costs: tuple[str, ...]
    """Its temporaries."""
    paths: tuple[str, ...]
    """Its operands that are not read or written in whole vectors."""


def notes_of(compiled: Compiled, words: Sequence[int], sizes: Sequence[int]) -> Notes:
    """What a filled argument block means; ``sizes`` has the bytes of each temporary."""
    env = {name: words[word] for name, word in compiled.abi.symbols}
    return Notes(_temporaries(compiled, sizes) if sizes else (), _general_paths(compiled, env))


def announce(costs: Sequence[str], paths: Sequence[str], copies: Copies) -> None:
    """Log what a call is about to do, before anything is written.

    ``costs``, copies and temporaries, are an OpsirValueError under "error" and one CopyWarning at
    the user's line under "warn"; ``paths``, general paths, are logged only.
    """
    for text in (*costs, *paths):
        LOG.info("%s", text)
    if not costs or copies == "allow":
        return
    text = "; ".join(costs)
    if copies == "error":
        fail(f"{text}: refused by copies='error'", user_location(), OpsirValueError)
    warnings.warn(text, CopyWarning, stacklevel=user_frame_depth())


def beside(number: int, count: int, reason: str, size: int) -> str:
    """A result that cannot be computed in the array given for it; ``size`` in bytes."""
    which = "out=" if count == 1 else f"out= for result {number}"
    return f"{which} {reason}: the result is computed beside it and copied, {size} bytes"


def converted(value: Any, array: np.ndarray[Any, Any], name: str) -> str:
    """A sequence that had to become an array."""
    return f"{name} is a {type(value).__name__}: it is copied into an array, {array.nbytes} bytes"


def _temporaries(compiled: Compiled, sizes: Sequence[int]) -> tuple[str, ...]:
    """The values that pass from kernel to kernel; ``sizes`` has the bytes of each one's memory."""
    found: list[str] = []
    known = set[int]()
    slots = iter(zip(compiled.temporary_numbers, sizes, strict=True))
    for number, kernel in enumerate(compiled.kernels):
        for operand in kernel.operands:
            if operand.is_written and operand.buffer.kind == "temporary":
                memory, size = next(slots)
                again = "memory used before" if memory in known else f"{size} bytes"
                known.add(memory)
                found.append(
                    f"kernel {number} of '{compiled.name}' keeps a value that a later kernel reads "
                    f"in a temporary, {again}"
                )
    return tuple(found)


def _general_paths(compiled: Compiled, env: Mapping[str, int]) -> tuple[str, ...]:
    """The operands and results whose elements are not side by side in the innermost loop."""
    found: list[str] = []
    for number, kernel in enumerate(compiled.kernels):
        for operand in kernel.operands:
            step = _innermost_step(kernel, operand, env)
            if step not in (0, operand.dtype.itemsize, -operand.dtype.itemsize):
                verb = "writes" if operand.is_written else "reads"
                found.append(
                    f"kernel {number} of '{compiled.name}' {verb} {_name(compiled, operand)} in "
                    f"steps of {step} bytes: its elements are not side by side"
                )
    return tuple(found)


def _innermost_step(kernel: KernelFacts, operand: OperandFacts, env: Mapping[str, int]) -> int:
    """Bytes from one iteration to the next, 0 where there is one iteration at most."""
    if not kernel.extents or kernel.extents[-1].evaluate(env) <= 1:
        return 0
    return operand.trajectory.strides[-1].evaluate(env)


def _name(compiled: Compiled, operand: OperandFacts) -> str:
    kind, index = operand.buffer.kind, operand.buffer.index
    return f"{kind} {compiled.sources[index].position if kind == 'argument' else index}"
