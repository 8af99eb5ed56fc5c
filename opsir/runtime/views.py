"""The views of a call: sizes bound and checked, addresses and strides computed from what is viewed.

Owns the words that stand for views in the argument block. Knows no NumPy array and runs nothing.
"""

from __future__ import annotations

from collections.abc import Mapping, MutableSequence, Sequence
from typing import NamedTuple

from opsir.abi import Abi, Buffer, TensorSlots, ViewSlots
from opsir.compiler import Compiled
from opsir.diagnostics import Location, OpsirError, fail
from opsir.runtime.arguments import Given
from opsir.signature import View
from opsir.view import Reshape, place, shape_of


class Offset(NamedTuple):
    """A word of the block that holds the address in another one plus ``start`` bytes."""

    word: int
    base: int
    start: int


def offsets(abi: Abi, words: Sequence[int]) -> list[Offset]:
    """Where each view starts in what it is a view of, in the order in which to add them up.

    They are the same for every call of the geometry with which the block ``words`` was filled.
    """
    pairs = [(slots.tensor.pointer, abi.pointer(slots.view.base)) for slots in abi.views]
    return [Offset(word, base, words[word] - words[base]) for word, base in pairs]


def follow(words: MutableSequence[int], starts: Sequence[Offset]) -> None:
    """Give the views their addresses anew after those of what they view have changed."""
    for word, base, start in starts:
        words[word] = words[base] + start


class Views:
    """What a call makes of the views of a compiled function.

    ``env`` holds the values of the symbols; those that the views bring are added to it.
    """

    def __init__(self, compiled: Compiled, given: Sequence[Given], env: dict[str, int]) -> None:
        self.compiled, self.env = compiled, env
        self._known: dict[Buffer, View] = {}
        if compiled.abi.views:
            for index, source in enumerate(compiled.sources):
                facts = given[source.position].facts
                if isinstance(facts, View):
                    self._known[Buffer("argument", index)] = facts
        for binding, location in compiled.bindings:
            try:
                binding.bind(env)
            except OpsirError as error:
                fail(error.detail, location, type(error))

    def place(self, stored: Mapping[Buffer, int]) -> None:
        """Compute each view of an argument or of a buffer whose address is in ``stored``."""
        for index, slots in enumerate(self.compiled.abi.views):
            buffer = Buffer("view", index)
            base = self._base(slots, stored)
            if buffer not in self._known and base is not None:
                location = self.compiled.view_locations[index]
                view = self._known[buffer] = _view(slots, base, self.env, location)
                for name, word in _symbols(slots.tensor, view):
                    self.env.setdefault(name, word)

    def _base(self, slots: ViewSlots, stored: Mapping[Buffer, int]) -> View | None:
        base, facts = slots.view.base, slots.view.base_facts
        if base not in stored:
            return self._known.get(base)
        sizes, strides = (
            tuple(extent.evaluate(self.env) for extent in extents)
            for extents in (facts.sizes, facts.strides)
        )
        return View(stored[base], sizes, strides, facts.dtype)

    @property
    def placed(self) -> list[View]:
        """Every view, once all have been computed."""
        return [self._known[Buffer("view", i)] for i in range(len(self.compiled.abi.views))]

    def words(self) -> list[int]:
        """The words behind the temporaries: those of the views, then symbols of no other word."""
        words: list[int] = []
        for view in self.placed:
            words.append(view.pointer)
            words += view.shape
            words += view.strides
        return words + [self.env[name] for name in self.compiled.abi.bound]


def _view(slots: ViewSlots, base: View, env: Mapping[str, int], location: Location | None) -> View:
    rule = slots.view.rule
    if isinstance(rule, Reshape):
        rule = rule.bound(env)
    try:
        shape = shape_of(rule, base.shape)
        placed = place(rule, base.shape, base.strides, base.itemsize)
    except OpsirError as error:
        fail(error.detail, location, type(error))
    if placed is None:
        fail(
            f"an array of shape {list(base.shape)} with strides of {list(base.strides)} bytes "
            f"has no view of shape {list(shape)}; use opsir.copy first",
            location,
        )
    start, strides = placed
    return View(base.pointer + start, shape, strides, base.dtype)


def _symbols(slots: TensorSlots, view: View) -> list[tuple[str, int]]:
    """The symbols that a view's type names, with the values that this one gives them."""
    extents = (*slots.facts.sizes, *slots.facts.strides)
    values = (*view.shape, *view.strides)
    return [
        (extent.symbols[0], value)
        for extent, value in zip(extents, values, strict=True)
        if extent.coefficient == 1 and len(extent.symbols) == 1
    ]
