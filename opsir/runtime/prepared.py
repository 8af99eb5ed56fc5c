"""Calls that were seen before: the same sizes, strides and dtypes need no decision again.

Owns what of a call can be kept for the next one of equal geometry, and what has to be looked at
each time: addresses, alignment, overlap with ``out=`` and the values of scalars. Whatever isn't as
it was then goes the long way.
"""

from __future__ import annotations

from array import array
from collections.abc import Iterable, Sequence
from typing import Any, NamedTuple

import numpy as np

from opsir.abi import TensorSlots
from opsir.compiler import Compiled
from opsir.dialects.opsir.weak_arguments import WeakArgument
from opsir.frontends.options import Copies, JitOptions
from opsir.runtime import buffers
from opsir.runtime.addresses import address_of
from opsir.runtime.arguments import Given, given
from opsir.runtime.buffers import Form
from opsir.runtime.in_place import Entangled
from opsir.runtime.launch import Filled, execute, scalar_word
from opsir.runtime.notices import Notes, announce
from opsir.runtime.outputs import Destinations
from opsir.runtime.overlap import byte_extent
from opsir.runtime.views import follow, offsets
from opsir.signature import Aliasing, View

Array = np.ndarray[Any, Any]
Key = tuple[object, ...]

_NUMBERS = frozenset({int, float, bool})


def key_of(args: Sequence[Any], outs: Sequence[Any]) -> Key | None:
    """What a call must have in common with an earlier one; None for unusual arguments."""
    key: list[object] = [len(args)]
    for value in args:
        kind = type(value)
        if kind is np.ndarray:
            key += (value.shape, value.strides, value.dtype)
        elif kind in _NUMBERS or issubclass(kind, np.generic):
            key.append(kind)
        else:
            return None
    for value in outs:
        if type(value) is not np.ndarray:
            return None
        key += (value.shape, value.strides, value.dtype)
    return tuple(key)


class _Place(NamedTuple):
    """An array of the call: its position in it, and what does not change with its address."""

    position: int
    word: int
    low: int
    """Offset in bytes of its first byte from its address, at most 0."""
    end: int
    """Offset behind its last byte; ``low`` for an array without elements."""
    mask: int
    """The low bits of its address, which are 0."""
    like: tuple[object, ...]
    """Equal for arrays that are the same elements in order if their addresses are equal."""


class Prepared:
    """A compiled program with a filled argument block that lacks only addresses and scalars.

    The addresses of all arrays are multiples of their element sizes.
    """

    def __init__(
        self,
        compiled: Compiled,
        everything: Sequence[Given],
        filled: Filled,
        places: Destinations,
        entangled: Entangled,
        notes: Notes,
        options: JitOptions,
        *,
        is_single: bool,
    ) -> None:
        self.is_single = is_single
        self._compiled, self._strict = compiled, options.scalars == "strict"
        self._words = array("q", filled.words)
        self._inputs: list[_Place] = []
        self._scalars: list[tuple[int, int, WeakArgument | None]] = []
        for slot, source in zip(compiled.abi.arguments, compiled.sources, strict=True):
            facts = everything[source.position].facts
            if isinstance(slot, TensorSlots) and isinstance(facts, View):
                self._inputs.append(_place(facts, source.position, slot.pointer))
            elif not isinstance(slot, TensorSlots):
                self._scalars.append((source.position, slot.position, source.weak))
        self._pointers = [(p.position, p.word, p.mask) for p in self._inputs]
        pointers = [slot.pointer for slot in compiled.abi.results]
        self._outs = [_place(v, i, pointers[i]) for i, v in enumerate(places.views)]
        self._aliasing: list[Aliasing] = places.aliasing
        self._entangled = entangled
        self._notes = notes if any(notes) else None
        self._copies: Copies = options.copies
        self._fresh: list[tuple[int, Form]] = []
        if not self._outs:
            self._fresh = list(zip(pointers, map(Form.of, filled.results), strict=True))
        self._temporaries: dict[int, tuple[int, list[int]]] = {}
        for number, slot, temporary in zip(
            compiled.temporary_numbers, compiled.abi.temporaries, filled.temporaries, strict=True
        ):
            shared = self._temporaries.setdefault(number, (temporary.nbytes, []))
            shared[1].append(slot.position)
        self._views = offsets(compiled.abi, self._words)

    def run(self, args: Sequence[Any], outs: Sequence[Array]) -> tuple[Sequence[Array], int] | None:
        """Results and flags, or None if something but the geometry differs from the first call."""
        words = self._words[:]
        for position, word, mask in self._pointers:
            pointer = address_of(args[position])
            if pointer & mask:
                return None
            words[word] = pointer
        results: Sequence[Array] = outs
        if not self._outs:
            results = self._allocated(words)
        elif not self._store_in(words, outs):
            return None
        for position, word, weak in self._scalars:
            value = args[position]
            if weak is None and not isinstance(value, np.generic):
                value = given(value, strict=self._strict).value
            words[word] = scalar_word(value, weak)
        temporaries: list[Array] = []
        for size, shared in self._temporaries.values():
            temporaries.append(buffers.temporary_bytes(size))
            for word in shared:
                words[word] = address_of(temporaries[-1])
        follow(words, self._views)
        if self._notes is not None:
            announce(*self._notes, self._copies)
        return results, execute(self._compiled, words)

    def _allocated(self, words: array[int]) -> list[Array]:
        results: list[Array] = []
        for word, form in self._fresh:
            result = buffers.output_like(form)
            words[word] = address_of(result)
            results.append(result)
        return results

    def _store_in(self, words: array[int], outs: Sequence[Array]) -> bool:
        """Take the caller's arrays if each lies to all others as it did."""
        written: list[tuple[int, int]] = []
        for place, out, aliasing, entangled in zip(
            self._outs, outs, self._aliasing, self._entangled, strict=True
        ):
            _, word, first, last, mask, like = place
            pointer = address_of(out)
            if pointer & mask or not out.flags.writeable:
                return False
            low, end = pointer + first, pointer + last
            found: Aliasing = "disjoint"
            for position, other, start, stop, _, theirs in self._inputs:
                base = words[other]
                if base + stop <= low or end <= base + start:
                    continue
                if base != pointer or theirs != like or position in entangled:
                    return False
                found = "identical"
            if found != aliasing or any(end > s and low < e for s, e in written):
                return False
            words[word] = pointer
            written.append((low, end))
        return True


def is_aligned(views: Iterable[View]) -> bool:
    """Whether every address is a multiple of the element size, as a prepared call needs."""
    return not any(view.pointer % view.itemsize for view in views)


def _place(view: View, position: int, word: int) -> _Place:
    low, end = (bound - view.pointer for bound in byte_extent(view))
    steps = tuple((n, s) for n, s in zip(view.shape, view.strides, strict=True) if n != 1)
    like = (view.shape, view.itemsize, steps)
    return _Place(position, word, low, end, view.itemsize - 1, like)
