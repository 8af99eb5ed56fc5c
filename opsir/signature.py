"""What a compiled kernel may assume about the arguments of a call, and nothing else.

Owns the classification of sizes and strides into facts that do not change with the size of the
data, and their rendering as tensor types over symbols. Knows no array library and no IR: arrays
come in as plain pointers, shapes and byte strides.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from math import prod
from typing import Literal, NamedTuple

from opsir.argument import (
    WEAK_FLOAT,
    WEAK_INT,
    Argument,
    ArgumentKind,
    View,
    argument_of,
    scalar,
)
from opsir.dtypes import DType
from opsir.extent import ONE, ZERO, Extent
from opsir.memory_order import AxisOrder, order_of

__all__ = [
    "WEAK_FLOAT",
    "WEAK_INT",
    "Aliasing",
    "Argument",
    "ArgumentKind",
    "ArgumentType",
    "Bucket",
    "Signature",
    "Source",
    "View",
    "argument_of",
    "bind_symbols",
    "scalar",
    "signature_of",
]

Aliasing = Literal["disjoint", "identical", "temporary"]
"""An output against all inputs: no common byte; exactly an input; to be written elsewhere first."""
Bucket = Literal["small", "cached", "streaming"]


@dataclass(frozen=True, slots=True)
class Signature:
    """All that a kernel may assume about a call; equal signatures run the same kernel.

    ``outputs`` are the arrays given to write to, with one ``aliasing`` each. ``equal`` holds one
    number per ``many`` or ``held`` axis of all arguments, then outputs: axes with the same number
    have the same size, others differ. ``str`` is a stable text, fit to be a key on disk.
    """

    arguments: tuple[Argument, ...]
    outputs: tuple[Argument, ...]
    aliasing: tuple[Aliasing, ...]
    equal: tuple[int, ...]
    bucket: Bucket
    _hash: int = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        facts = (self.arguments, self.outputs, self.aliasing, self.equal, self.bucket)
        object.__setattr__(self, "_hash", hash(facts))

    def __hash__(self) -> int:
        return self._hash

    @property
    def all_arguments(self) -> tuple[Argument, ...]:
        """Inputs, then outputs: the numbering that symbol names use."""
        return self.arguments + self.outputs

    def __str__(self) -> str:
        inputs = "; ".join(map(str, self.arguments))
        pairs = zip(self.outputs, self.aliasing, strict=True)
        outputs = "; ".join(f"{output} {aliasing}" for output, aliasing in pairs)
        equal = ",".join(map(str, self.equal))
        return f"({inputs}) -> ({outputs}) equal({equal}) {self.bucket}"

    def tensor_types(self) -> tuple[ArgumentType, ...]:
        """The type of every argument, then output, over symbols for what the facts leave open."""
        names = _size_symbols(self)
        return tuple(
            _argument_type(argument, number, names)
            for number, argument in enumerate(self.all_arguments)
        )

    def symbol_sources(self) -> dict[str, Source]:
        """Where the value of each symbol of ``tensor_types`` is read."""
        sources: dict[str, Source] = {}
        for number, kind in enumerate(self.tensor_types()):
            for axis, (size, stride) in enumerate(zip(kind.sizes, kind.strides, strict=True)):
                for name in size.symbols:
                    sources.setdefault(name, Source(number, "size", axis))
                if stride.symbols == (f"t{number}_{axis}",):
                    sources[stride.symbols[0]] = Source(number, "stride", axis)
        return sources


@dataclass(frozen=True, slots=True)
class ArgumentType:
    """One argument as a tensor type: sizes in elements, strides in bytes, over symbols.

    A scalar has neither; a weak one has no dtype either. ``aligned`` promises that the address and
    every stride are multiples of the element size. ``order`` is that of the axes in memory, None
    where the strides tell it.
    """

    kind: ArgumentKind
    dtype: DType | None
    sizes: tuple[Extent, ...]
    strides: tuple[Extent, ...]
    aligned: bool
    order: AxisOrder | None = None


class Source(NamedTuple):
    """Where a symbol is read: an argument's number (outputs follow inputs), what, which axis."""

    argument: int
    quantity: Literal["size", "stride"]
    axis: int


def signature_of(
    arguments: Sequence[View | Argument],
    outputs: Sequence[View] = (),
    aliasing: Sequence[Aliasing] = (),
    *,
    l1: int,
    last_level: int,
) -> Signature:
    """Classify a call: arrays as views, scalars as their facts, cache sizes in bytes.

    ``aliasing`` has one entry per output. The bucket goes by the bytes of the whole iteration in
    the widest dtype: small within ``l1``, streaming above ``last_level``.
    """
    numbers: dict[int, int] = {}
    equal: list[int] = []
    part: list[int] = []
    facts: list[Argument] = []
    previous: tuple[int, ...] | None = None
    whole: tuple[int, ...] = ()
    widest = 8
    for item in (*arguments, *outputs):
        if isinstance(item, Argument):
            facts.append(item)
            continue
        facts.append(argument_of(item))
        _, shape, _, dtype = item
        if dtype.bits > widest:
            widest = dtype.bits
        if shape != previous:
            whole = shape if previous is None else _larger(whole, shape)
            previous = shape
            part = [numbers.setdefault(size, len(numbers)) for size in shape if size != 1]
        equal += part
    volume = prod(whole) * widest >> 3
    bucket = "small" if volume <= l1 else "streaming" if volume > last_level else "cached"
    count = len(arguments)
    return _signature(
        (tuple(facts[:count]), tuple(facts[count:]), tuple(aliasing), tuple(equal), bucket)
    )


def bind_symbols(sources: Mapping[str, Source], views: Sequence[View | Argument]) -> dict[str, int]:
    """Read every symbol from the arguments, then outputs, of a call."""
    values: dict[str, int] = {}
    for name, (number, quantity, axis) in sources.items():
        view = views[number]
        assert isinstance(view, View)
        values[name] = view.shape[axis] if quantity == "size" else view.strides[axis]
    return values


_MAX_KEPT = 4096
_Parts = tuple[
    tuple[Argument, ...], tuple[Argument, ...], tuple[Aliasing, ...], tuple[int, ...], Bucket
]
_signatures: dict[_Parts, Signature] = {}


def _signature(parts: _Parts) -> Signature:
    """One Signature per combination of facts, so that looking one up compares by identity."""
    known = _signatures.get(parts)
    if known is None:
        if len(_signatures) >= _MAX_KEPT:
            _signatures.clear()
        known = _signatures[parts] = Signature(*parts)
    return known


def _larger(a: tuple[int, ...], b: tuple[int, ...]) -> tuple[int, ...]:
    """The larger of each pair of sizes, axes right-aligned."""
    apart = len(a) - len(b)
    if apart < 0:
        a, b, apart = b, a, -apart
    return a[:apart] + tuple(map(max, a[apart:], b)) if apart else tuple(map(max, a, b))


def _size_symbols(signature: Signature) -> dict[tuple[int, int], Extent]:
    """The size symbol of every (argument, axis) that isn't 1: equal sizes share the first name."""
    first: dict[int, Extent] = {}
    names: dict[tuple[int, int], Extent] = {}
    groups = iter(signature.equal)
    for number, argument in enumerate(signature.all_arguments):
        for axis, kind in enumerate(argument.classes):
            if kind != "one":
                symbol = Extent.symbol(f"s{number}_{axis}")
                names[number, axis] = first.setdefault(next(groups), symbol)
    return names


def _argument_type(
    argument: Argument, number: int, names: Mapping[tuple[int, int], Extent]
) -> ArgumentType:
    axes = range(argument.rank)
    sizes = tuple(names.get((number, axis), ONE) for axis in axes)
    strides = [ZERO] * argument.rank
    inside: int | None = None
    merges = (*argument.merges, False)
    for axis, merge in zip(reversed(argument.order), reversed(merges), strict=False):
        if inside is None:
            strides[axis] = _inner_stride(argument, f"t{number}_{axis}")
        elif merge:
            strides[axis] = sizes[inside] * strides[inside]
        else:
            strides[axis] = Extent.symbol(f"t{number}_{axis}")
        inside = axis
    steps = tuple(strides)
    order = None if order_of(sizes, steps) == argument.order else argument.order
    return ArgumentType(argument.kind, argument.dtype, sizes, steps, argument.aligned, order)


def _inner_stride(argument: Argument, name: str) -> Extent:
    if argument.inner == "other" or argument.dtype is None:
        return Extent.symbol(name)
    itemsize = argument.dtype.itemsize
    return Extent(itemsize if argument.inner == "unit" else -itemsize)
