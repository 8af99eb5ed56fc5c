"""The argument block: the one array of 64-bit words that a launcher fills and native code reads.

Owns which word means what, the flags that come back, and the checks that make a launch safe. Knows
no IR, no compiler and no array library.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Literal

from opsir.diagnostics import fail
from opsir.dtypes import DType
from opsir.extent import Extent
from opsir.memory_order import AxisOrder
from opsir.trajectory import Trajectory
from opsir.view import ViewRule

FLAG_DIVIDE = 1
"""Some integer division by zero, or reciprocal of zero, was executed."""
FLAG_NEGATIVE_POWER = 2
"""Some integer was raised to a negative power."""

FLAGS: dict[str, int] = {"divide": FLAG_DIVIDE, "negative_power": FLAG_NEGATIVE_POWER}
"""Flag kinds by name: the bits of what an entry returns."""

WORD_BYTES = 8


@dataclass(frozen=True, slots=True)
class TensorFacts:
    """What the type of a tensor says: sizes in elements, strides in bytes, outermost axis first.

    ``order`` lists axes by descending |stride|, those with equal ones by their number.
    """

    dtype: DType
    sizes: tuple[Extent, ...]
    strides: tuple[Extent, ...]
    order: AxisOrder = ()

    @property
    def rank(self) -> int:
        return len(self.sizes)


@dataclass(frozen=True, slots=True)
class TensorSlots:
    """A tensor's words: the address of element 0, one size per axis, one byte stride per axis."""

    facts: TensorFacts
    pointer: int

    @property
    def sizes(self) -> range:
        return range(self.pointer + 1, self.pointer + 1 + self.facts.rank)

    @property
    def strides(self) -> range:
        return range(self.sizes.stop, self.sizes.stop + self.facts.rank)


@dataclass(frozen=True, slots=True)
class ScalarSlot:
    """A scalar's word: its bits are the low bytes, a bool is 0 or 1."""

    dtype: DType
    position: int


@dataclass(frozen=True, slots=True)
class TemporarySlot:
    """A temporary's word: the address of as many bytes as ``size_bytes`` says.

    Each kernel result that the function does not return has one, in program order. Two whose lives
    do not overlap may be given the same address.
    """

    dtype: DType
    extents: tuple[Extent, ...]
    trajectory: Trajectory
    position: int

    def size_bytes(self, env: Mapping[str, int]) -> int:
        """Bytes needed from the address on, for the given values of the symbols."""
        return self.trajectory.byte_range(self.extents, env, self.dtype.itemsize)[1]


BufferKind = Literal["argument", "result", "temporary", "view"]


@dataclass(frozen=True, slots=True)
class Buffer:
    """Memory that a kernel touches: which argument, result, temporary or view of the function."""

    kind: BufferKind
    index: int

    def __str__(self) -> str:
        return f"{self.kind} {self.index}"


@dataclass(frozen=True, slots=True)
class ViewFacts:
    """A view of a buffer: ``rule`` applied to what ``base`` holds, which is a ``base_facts``."""

    facts: TensorFacts
    base: Buffer
    base_facts: TensorFacts
    rule: ViewRule


@dataclass(frozen=True, slots=True)
class ViewSlots:
    """A view's words: those of a tensor, which the launcher computes from what is viewed."""

    tensor: TensorSlots
    view: ViewFacts


@dataclass(frozen=True, slots=True)
class Abi:
    """The whole block of one compiled function.

    Arguments, then results, temporaries, views, and the symbols in ``bound``, which no word before
    holds. ``symbols`` says in which word the value of each symbol is found. The entry has the C
    type ``int32_t entry(const int64_t *block)`` and returns the OR of ``FLAGS``.
    """

    arguments: tuple[TensorSlots | ScalarSlot, ...]
    results: tuple[TensorSlots, ...]
    temporaries: tuple[TemporarySlot, ...]
    symbols: tuple[tuple[str, int], ...]
    words: int
    views: tuple[ViewSlots, ...] = ()
    bound: tuple[str, ...] = ()

    @classmethod
    def of(
        cls,
        arguments: Sequence[TensorFacts | DType],
        results: Sequence[TensorFacts],
        temporaries: Sequence[tuple[DType, tuple[Extent, ...], Trajectory]] = (),
        views: Sequence[ViewFacts] = (),
        bound: Sequence[str] = (),
    ) -> Abi:
        """Lay out a block; a DType among the arguments is a scalar.

        ``bound`` are symbols whose values the launcher computes; those found elsewhere are left
        out.
        """
        position = 0
        slots: list[TensorSlots | ScalarSlot] = []
        outputs: list[TensorSlots] = []
        for item in arguments:
            is_scalar = isinstance(item, DType)
            slots.append(ScalarSlot(item, position) if is_scalar else TensorSlots(item, position))
            position += 1 if is_scalar else 1 + 2 * item.rank
        for facts in results:
            outputs.append(TensorSlots(facts, position))
            position += 1 + 2 * facts.rank
        scratch = tuple(TemporarySlot(*t, position + i) for i, t in enumerate(temporaries))
        position += len(scratch)
        viewed: list[ViewSlots] = []
        for view in views:
            viewed.append(ViewSlots(TensorSlots(view.facts, position), view))
            position += 1 + 2 * view.facts.rank
        tensors = (*(s for s in slots if isinstance(s, TensorSlots)), *outputs)
        symbols = _symbol_words((*tensors, *(v.tensor for v in viewed)))
        rest = tuple(dict.fromkeys(name for name in bound if name not in symbols))
        symbols |= {name: position + i for i, name in enumerate(rest)}
        return cls(
            tuple(slots),
            tuple(outputs),
            scratch,
            tuple(symbols.items()),
            position + len(rest),
            tuple(viewed),
            rest,
        )

    def pointer(self, buffer: Buffer) -> int:
        """The word that holds the address of a buffer."""
        match buffer.kind:
            case "argument":
                slot = self.arguments[buffer.index]
                return slot.pointer if isinstance(slot, TensorSlots) else slot.position
            case "result":
                return self.results[buffer.index].pointer
            case "temporary":
                return self.temporaries[buffer.index].position
            case "view":
                return self.views[buffer.index].tensor.pointer

    @property
    def tensors(self) -> tuple[TensorSlots, ...]:
        """The tensor arguments, then the results, then the views."""
        given = (slot for slot in self.arguments if isinstance(slot, TensorSlots))
        return (*given, *self.results, *(slots.tensor for slots in self.views))


def _symbol_words(tensors: Sequence[TensorSlots]) -> dict[str, int]:
    """The first word that holds exactly a symbol: sizes before strides."""
    words: dict[str, int] = {}
    for pick in (_size_words, _stride_words):
        for slots in tensors:
            for extent, word in pick(slots):
                if extent.coefficient == 1 and len(extent.symbols) == 1:
                    words.setdefault(extent.symbols[0], word)
    return words


def _size_words(slots: TensorSlots) -> Iterator[tuple[Extent, int]]:
    return zip(slots.facts.sizes, slots.sizes, strict=True)


def _stride_words(slots: TensorSlots) -> Iterator[tuple[Extent, int]]:
    return zip(slots.facts.strides, slots.strides, strict=True)


Geometry = tuple[Sequence[int], Sequence[int]]
"""A tensor as it is handed over: sizes in elements and strides in bytes."""


def bind_symbols(
    abi: Abi, tensors: Sequence[Geometry], bound: Mapping[str, int] | None = None
) -> dict[str, int]:
    """Read the symbols from tensors, which follow ``abi.tensors``, and hold them against the types.

    ``bound`` are the symbols that the launcher has computed. Every size must be what the type
    says; strides and their order must where the axis has more than one position. Anything else is
    an OpsirValueError.
    """
    env = dict(bound or {})
    words = dict(abi.symbols)
    for slots, (sizes, strides) in zip(abi.tensors, tensors, strict=True):
        if len(sizes) != slots.facts.rank:
            fail(f"expected a tensor of rank {slots.facts.rank}, got shape {list(sizes)}")
        given = dict(zip((*slots.sizes, *slots.strides), (*sizes, *strides), strict=True))
        env |= {name: given[word] for name, word in words.items() if word in given}
    for number, (slots, geometry) in enumerate(zip(abi.tensors, tensors, strict=True)):
        _check_geometry(number, slots.facts, geometry, env)
    return env


def _check_geometry(
    number: int, facts: TensorFacts, geometry: Geometry, env: Mapping[str, int]
) -> None:
    sizes, strides = geometry
    for axis, (size, extent) in enumerate(zip(sizes, facts.sizes, strict=True)):
        expected = extent.evaluate(env)
        if size != expected:
            name = "" if extent.is_constant else f"{extent} = "
            fail(f"tensor {number} has size {size} on axis {axis}, expected {name}{expected}")
    if 0 in sizes:
        return
    for axis, (stride, extent) in enumerate(zip(strides, facts.strides, strict=True)):
        expected = extent.evaluate(env)
        if sizes[axis] != 1 and stride != expected:
            name = "" if extent.is_constant else f"{extent} = "
            fail(
                f"tensor {number} has a stride of {stride} bytes on axis {axis}, "
                f"expected {name}{expected}"
            )
    _check_order(number, facts.order, geometry)


def _check_order(number: int, order: AxisOrder, geometry: Geometry) -> None:
    sizes, strides = geometry
    moving = [axis for axis in order if sizes[axis] != 1]
    for outer, inner in pairwise(moving):
        least = abs(strides[inner]) + (outer > inner)
        if abs(strides[outer]) < least:
            fail(
                f"tensor {number} has strides of {list(strides)} bytes, but its type says that "
                f"axis {outer} takes larger steps than axis {inner}"
            )


@dataclass(frozen=True, slots=True)
class OperandFacts:
    """One tensor operand or result of a kernel: where it lies and how it moves."""

    buffer: Buffer
    dtype: DType
    trajectory: Trajectory
    is_written: bool


@dataclass(frozen=True, slots=True)
class KernelFacts:
    """What one kernel of a function touches; operands first, then results."""

    extents: tuple[Extent, ...]
    operands: tuple[OperandFacts, ...]


def check_ranges(
    kernels: Sequence[KernelFacts],
    env: Mapping[str, int],
    ranges: Mapping[Buffer, tuple[int, int]],
) -> None:
    """Refuse a launch in which some kernel would leave a buffer that was handed over.

    ``ranges`` gives for each buffer the half-open range of byte offsets from its address that may
    be touched; ``env`` the values of the symbols. All arithmetic is checked: an offset beyond 64
    bits is an OpsirOverflowError, one outside its buffer an OpsirValueError.
    """
    for number, kernel in enumerate(kernels):
        for axis, extent in enumerate(kernel.extents):
            if extent.evaluate(env) < 0:
                fail(f"kernel {number}: extent {extent} of axis {axis} is negative")
        for operand in kernel.operands:
            low, end = operand.trajectory.byte_range(kernel.extents, env, operand.dtype.itemsize)
            first, last = ranges[operand.buffer]
            if low < end and not first <= low <= end <= last:
                fail(
                    f"kernel {number} touches bytes [{low}, {end}) of {operand.buffer}, "
                    f"which holds [{first}, {last})"
                )
