"""Which results of a program may be stored exactly over which of its arguments.

Owns the rule that makes ``f(a, b, out=a)`` safe without a copy. Works on what the kernels are known
to touch; how arrays lie to each other is decided elsewhere.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from opsir.abi import Buffer, KernelFacts, OperandFacts, TensorSlots
from opsir.compiler import Compiled
from opsir.extent import Extent
from opsir.runtime.arguments import Given
from opsir.runtime.views import Views
from opsir.signature import View

Entangled = tuple[frozenset[int], ...]
"""Per result of a program a set of arguments, by their position."""


def entangled(compiled: Compiled, given: Sequence[Given], results: Sequence[View]) -> Entangled:
    """Per result the arguments over which it must not be stored, by their position in ``given``.

    A result may take the place of an argument if the kernel that writes it reads the argument, if
    at all, at the very address that it writes in the same iteration, and no later kernel reads it.
    One that is read through a view is taken to be read elsewhere.
    """
    env = symbol_values(compiled, given, results)
    positions = [source.position for source in compiled.sources]
    if compiled.bindings or compiled.abi.views:
        Views(compiled, given, env).place({})
    if len(env) < len(compiled.abi.symbols):
        return tuple(frozenset(positions) for _ in compiled.abi.results)
    found: list[set[int]] = [set() for _ in compiled.abi.results]
    for number, kernel in enumerate(compiled.kernels):
        later = {b for k in compiled.kernels[number + 1 :] for b in _read(k)}
        for written in kernel.operands:
            if written.is_written and written.buffer.kind == "result":
                buffers = later | _read_elsewhere(kernel, written, env)
                found[written.buffer.index] |= {positions[b.index] for b in buffers}
                found[written.buffer.index] |= compiled.viewed
    return tuple(map(frozenset, found))


def symbol_values(
    compiled: Compiled, given: Sequence[Given], results: Sequence[View]
) -> dict[str, int]:
    """The sizes and strides that the program's symbols stand for in a call."""
    views = [given[source.position].facts for source in compiled.sources]
    words: dict[int, int] = {}
    for slots, view in zip(
        (*compiled.abi.arguments, *compiled.abi.results), (*views, *results), strict=True
    ):
        if not isinstance(slots, TensorSlots) or not isinstance(view, View):
            continue
        if len(view.shape) == slots.facts.rank:
            words.update(zip((*slots.sizes, *slots.strides), (*view.shape, *view.strides)))
    return {name: words[word] for name, word in compiled.abi.symbols if word in words}


def _read(kernel: KernelFacts) -> set[Buffer]:
    """The arguments that a kernel reads."""
    reads = (o.buffer for o in kernel.operands if not o.is_written)
    return {buffer for buffer in reads if buffer.kind == "argument"}


def _read_elsewhere(
    kernel: KernelFacts, written: OperandFacts, env: Mapping[str, int]
) -> set[Buffer]:
    """The arguments that a kernel reads at other places than those where it writes a result."""
    place = _steps(kernel.extents, written, env)
    return {
        operand.buffer
        for operand in kernel.operands
        if operand.buffer.kind == "argument"
        and not operand.is_written
        and _steps(kernel.extents, operand, env) != place
    }


def _steps(
    extents: Sequence[Extent], operand: OperandFacts, env: Mapping[str, int]
) -> tuple[int, ...]:
    """The start and the strides of all axes with more than one position, in bytes."""
    move = operand.trajectory
    strides = [
        stride.evaluate(env)
        for extent, stride in zip(extents, move.strides, strict=True)
        if extent.evaluate(env) != 1
    ]
    return (move.start.evaluate(env), *strides)
