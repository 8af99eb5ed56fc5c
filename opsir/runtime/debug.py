"""Debug mode: one call in guarded memory, and everything about it that can be wrong.

Owns what is checked and how a fault is told. Results and temporaries lie in memory of their own, so
that a kernel that goes astray spoils nothing; the caller's arrays are written when all is well.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, NoReturn

import numpy as np

from opsir.abi import Buffer
from opsir.backends.cpu.program import find_function
from opsir.compiler import Compiled
from opsir.diagnostics import OpsirFaultError, fail
from opsir.dialects.locations import location_of
from opsir.dialects.nest import KernelOp
from opsir.runtime.addresses import address_of
from opsir.runtime.arguments import Given
from opsir.runtime.guarded import POISONS, Elements, Guarded
from opsir.runtime.index_map import compare
from opsir.runtime.launch import Filled, execute
from opsir.runtime.plain_form import plain_form
from opsir.runtime.views import follow, offsets
from opsir.signature import View


def execute_guarded(compiled: Compiled, given: Sequence[Given], filled: Filled) -> tuple[int, str]:
    """Run a filled block in guarded memory and store its results; the flags, and what was checked.

    The kernels run twice where an element could be unwritten. Raises a located OpsirFaultError for
    an element that no kernel wrote, a byte written outside all elements, an argument that changed,
    and an address other than that of the plain formula.
    """
    call = _Checked(compiled, given, filled)
    mapped = call.check_index_map()
    flags = call.run()
    for result, memory in zip(filled.results, call.results, strict=True):
        result[...] = memory.values(result.dtype)
    count = sum(int(np.prod(m.elements.shape)) for m in call.memory.values())
    return flags, f"{len(call.memory)} buffers guarded, {count} elements written; {mapped}"


@dataclass(frozen=True, slots=True)
class _Writer:
    """Who writes a buffer."""

    kernel: int
    buffer: Buffer


class _Checked:
    """One call: its guarded buffers, the block that points to them, and the checks."""

    def __init__(self, compiled: Compiled, given: Sequence[Given], filled: Filled) -> None:
        self.compiled = compiled
        self.words = list(filled.words)
        views = offsets(compiled.abi, self.words)
        self.env = {name: filled.words[word] for name, word in compiled.abi.symbols}
        self.memory: dict[_Writer, Guarded] = {}
        self.results: list[Guarded] = []
        self._arguments = [
            (source.position, _stored(given[source.position].value))
            for source in compiled.sources
            if isinstance(given[source.position].facts, View)
        ]
        writers = self._writers()
        for number, (slot, result) in enumerate(
            zip(compiled.abi.results, filled.results, strict=True)
        ):
            elements = Elements(result.shape, result.strides, result.itemsize)
            memory = Guarded(elements, address_of(result))
            self.results.append(memory)
            self.memory[writers[Buffer("result", number)]] = memory
            self.words[slot.pointer] = memory.address
        for number, (slot, temporary) in enumerate(
            zip(compiled.abi.temporaries, filled.temporaries, strict=True)
        ):
            elements = Elements(
                tuple(e.evaluate(self.env) for e in slot.extents),
                tuple(s.evaluate(self.env) for s in slot.trajectory.strides),
                slot.dtype.itemsize,
                slot.trajectory.start.evaluate(self.env),
            )
            memory = Guarded(elements, address_of(temporary))
            self.memory[writers[Buffer("temporary", number)]] = memory
            self.words[slot.position] = memory.address
        follow(self.words, views)

    def _writers(self) -> dict[Buffer, _Writer]:
        return {
            operand.buffer: _Writer(number, operand.buffer)
            for number, kernel in enumerate(self.compiled.kernels)
            for operand in kernel.operands
            if operand.is_written
        }

    def run(self) -> int:
        """Run the kernels, twice where the first poison is left somewhere, and check."""
        before = [array.copy() for _, array in self._arguments]
        left: dict[_Writer, Any] = {}
        flags = 0
        for byte in POISONS:
            for memory in self.memory.values():
                memory.poison(byte)
            flags = execute(self.compiled, self.words)
            self._check_damage()
            self._check_arguments(before)
            for writer, memory in self.memory.items():
                left[writer] = left.get(writer, True) & memory.unwritten(byte)
            if not any(np.any(found) for found in left.values()):
                return flags
        for writer, found in left.items():
            if np.any(found):
                self._fail_unwritten(writer, found)
        return flags

    def _check_damage(self) -> None:
        for writer, memory in self.memory.items():
            offset = memory.damage()
            if offset is not None:
                self._fail(
                    writer.kernel,
                    f"wrote at byte {offset} of {writer.buffer}, where it has no element",
                )

    def _check_arguments(self, before: Sequence[Any]) -> None:
        for (position, array), copy in zip(self._arguments, before, strict=True):
            if array.tobytes() != copy.tobytes():
                name, place = self.compiled.name, self.compiled.location
                fail(f"a kernel of '{name}' changed argument {position}", place, OpsirFaultError)

    def _fail_unwritten(self, writer: _Writer, found: Any) -> NoReturn:
        first = [int(i) for i in np.argwhere(found)[0]]
        self._fail(
            writer.kernel,
            f"did not write {int(np.sum(found))} of {np.size(found)} elements of {writer.buffer}, "
            f"first {first}",
        )

    def check_index_map(self) -> str:
        """Hold the addresses of every kernel against the plain formula; what was looked at."""
        found: list[str] = []
        pairs = zip(plain_form(self.compiled), self.compiled.kernels, strict=False)
        for number, (plain, running) in enumerate(pairs):
            compared = compare(plain, running, self.env)
            if compared.difference is not None:
                operand, index, expected, offset = compared.difference
                facts = plain.operands[operand]
                verb = "writes" if facts.is_written else "reads"
                at = "is not there" if offset is None else f"is byte {offset}"
                self._fail(
                    number,
                    f"at {list(index)}: the plain formula {verb} {facts.buffer} at byte "
                    f"{expected}, which {at} in the kernel",
                )
            how = "enumerated" if compared.looked_at == compared.iterations else "sampled"
            found.append(
                f"kernel {number}: addresses of {len(plain.operands)} operands {how} at "
                f"{compared.looked_at} of {compared.iterations} iterations"
            )
        return "; ".join(found) or "no kernel"

    def _fail(self, kernel: int, what: str) -> NoReturn:
        ops = find_function(self.compiled.module, self.compiled.name).body.block.ops
        kernels = [op for op in ops if isinstance(op, KernelOp)]
        place = location_of(kernels[kernel])
        fail(f"kernel {kernel} of '{self.compiled.name}' {what}", place, OpsirFaultError)


def _stored(array: Any) -> Any:
    """The elements that an array holds in memory of their own: a broadcast axis counts once."""
    return array[tuple(slice(0, 1) if step == 0 else slice(None) for step in array.strides)]
