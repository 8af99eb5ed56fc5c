"""A signature written out as conditions on the arguments of a call, each a text and a test.

Owns that rendering alone: the conditions hold exactly for calls whose own signature is equal, and
they are derived from the facts, not by classifying again.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import combinations, pairwise, zip_longest
from math import prod
from typing import NamedTuple

from opsir.argument import Argument, View
from opsir.signature import Aliasing, Signature


class Call(NamedTuple):
    """What the conditions are about: arguments, outputs, and the aliasing found per output."""

    arguments: tuple[View | Argument, ...]
    outputs: tuple[View, ...] = ()
    aliasing: tuple[Aliasing, ...] = ()

    def view(self, number: int) -> View:
        """An array by its number, outputs following arguments."""
        item = (*self.arguments, *self.outputs)[number]
        assert isinstance(item, View)
        return item


@dataclass(frozen=True, slots=True)
class Guard:
    """One condition: ``text`` for a reader, ``holds`` for a call.

    In the text, ``size2[0]`` is in elements and ``stride2[0]`` in bytes, of axis 0 of argument 2.
    """

    text: str
    holds: Callable[[Call], bool]


def guards(signature: Signature, *, l1: int, last_level: int) -> tuple[Guard, ...]:
    """All conditions of a signature; each may rely on those before it. Cache sizes in bytes."""
    return (
        *_call_guards(signature),
        *(
            guard
            for number, argument in enumerate(signature.all_arguments)
            if argument.kind == "array"
            for guard in _array_guards(number, argument)
        ),
        *_equality_guards(signature),
        _bucket_guard(signature, l1, last_level),
    )


def satisfies(call: Call, conditions: Sequence[Guard]) -> bool:
    """Whether a call fulfils every condition, tested in order up to the first that fails."""
    return all(guard.holds(call) for guard in conditions)


def _call_guards(signature: Signature) -> Iterator[Guard]:
    inputs, outputs = len(signature.arguments), len(signature.outputs)
    yield Guard(
        f"{inputs} arguments and {outputs} outputs",
        lambda call: (len(call.arguments), len(call.outputs)) == (inputs, outputs),
    )
    aliasing = signature.aliasing
    if aliasing:
        text = "outputs against arguments: " + ", ".join(aliasing)
        yield Guard(text, lambda call: call.aliasing == aliasing)
    for number, argument in enumerate(signature.all_arguments):
        yield _kind_guard(number, argument)


def _kind_guard(number: int, argument: Argument) -> Guard:
    if argument.kind != "array":
        text = f"argument {number} is {argument.kind} {argument.dtype or ''}".rstrip()
        return Guard(text, lambda call: (*call.arguments, *call.outputs)[number] == argument)

    def holds(call: Call) -> bool:
        item = (*call.arguments, *call.outputs)[number]
        if not isinstance(item, View):
            return False
        return item.dtype == argument.dtype and len(item.shape) == argument.rank

    return Guard(f"argument {number} is array {argument.dtype} of rank {argument.rank}", holds)


def _array_guards(number: int, argument: Argument) -> Iterator[Guard]:
    for axis, kind in enumerate(argument.classes):
        relation = "==" if kind == "one" else "!="
        yield Guard(f"size{number}[{axis}] {relation} 1", _size_is_one(number, axis, kind == "one"))
    dense = _counts_as_dense(argument)
    empty = f"argument {number} has no element" if dense else f"argument {number} has an element"
    for text, test in _layout_conditions(number, argument):
        # Without elements strides mean nothing, and the array counts as dense.
        joined = f"{empty} or {text}" if dense else f"{empty} and {text}"
        yield Guard(joined, _unless_empty(number, dense, test))


def _size_is_one(number: int, axis: int, expected: bool) -> Callable[[Call], bool]:
    return lambda call: (call.view(number).shape[axis] == 1) == expected


def _unless_empty(
    number: int, when_empty: bool, test: Callable[[View], bool]
) -> Callable[[Call], bool]:
    def holds(call: Call) -> bool:
        view = call.view(number)
        return when_empty if 0 in view.shape else test(view)

    return holds


def _counts_as_dense(argument: Argument) -> bool:
    in_order = list(argument.order) == sorted(argument.order)
    unit = argument.inner == ("unit" if argument.order else "none")
    held = "held" in argument.classes
    return in_order and unit and argument.aligned and all(argument.merges) and not held


_Condition = tuple[str, Callable[[View], bool]]


def _layout_conditions(number: int, argument: Argument) -> Iterator[_Condition]:
    for axis, kind in enumerate(argument.classes):
        if kind == "held":
            yield f"stride{number}[{axis}] == 0", _stride_is(axis, (0,), True)
        elif kind == "many":
            yield f"stride{number}[{axis}] != 0", _stride_is(axis, (0,), False)
    for (a, b), merges in zip(pairwise(argument.order), argument.merges):
        yield _order_condition(number, a, b)
        yield _merge_condition(number, a, b, merges)
    if argument.order:
        yield _inner_condition(number, argument)
    yield _alignment_condition(number, argument)


def _stride_is(axis: int, allowed: tuple[int, ...], expected: bool) -> Callable[[View], bool]:
    return lambda view: (view.strides[axis] in allowed) == expected


def _order_condition(number: int, a: int, b: int) -> _Condition:
    """Axis ``a`` lies outside axis ``b``: ties go by the axis number."""
    least = 0 if a < b else 1
    return (
        f"|stride{number}[{a}]| {'>' if least else '>='} |stride{number}[{b}]|",
        lambda view: abs(view.strides[a]) >= abs(view.strides[b]) + least,
    )


def _merge_condition(number: int, a: int, b: int, merges: bool) -> _Condition:
    relation = "==" if merges else "!="
    return (
        f"stride{number}[{a}] {relation} size{number}[{b}] * stride{number}[{b}]",
        lambda view: (view.strides[a] == view.shape[b] * view.strides[b]) == merges,
    )


def _inner_condition(number: int, argument: Argument) -> _Condition:
    axis = argument.order[-1]
    itemsize = argument.dtype.itemsize if argument.dtype else 1
    name = f"stride{number}[{axis}]"
    if argument.inner == "other":
        text = f"|{name}| != {itemsize}"
        return text, _stride_is(axis, (itemsize, -itemsize), False)
    step = itemsize if argument.inner == "unit" else -itemsize
    return f"{name} == {step}", _stride_is(axis, (step,), True)


def _alignment_condition(number: int, argument: Argument) -> _Condition:
    itemsize = argument.dtype.itemsize if argument.dtype else 1
    order, expected = argument.order, argument.aligned

    def test(view: View) -> bool:
        steps = (view.pointer, *(view.strides[axis] for axis in order))
        return all(step % itemsize == 0 for step in steps) == expected

    which = "all" if expected else "not all"
    return f"{which} of argument {number}'s address and strides are multiples of {itemsize}", test


def _equality_guards(signature: Signature) -> Iterator[Guard]:
    """Sizes of one group equal its first; the first ones of different groups differ."""
    places = [
        (number, axis)
        for number, argument in enumerate(signature.all_arguments)
        for axis, kind in enumerate(argument.classes)
        if kind != "one"
    ]
    first: dict[int, tuple[int, int]] = {}
    for place, group in zip(places, signature.equal):
        if group in first:
            yield _size_guard(first[group], place, True)
        first.setdefault(group, place)
    for a, b in combinations(first.values(), 2):
        yield _size_guard(a, b, False)


def _size_guard(a: tuple[int, int], b: tuple[int, int], expected: bool) -> Guard:
    def holds(call: Call) -> bool:
        sizes = [call.view(number).shape[axis] for number, axis in (a, b)]
        return (sizes[0] == sizes[1]) == expected

    relation = "==" if expected else "!="
    return Guard(f"size{a[0]}[{a[1]}] {relation} size{b[0]}[{b[1]}]", holds)


def _bucket_guard(signature: Signature, l1: int, last_level: int) -> Guard:
    low, high = {
        "small": (0, l1),
        "cached": (l1 + 1, last_level),
        "streaming": (max(l1, last_level) + 1, None),
    }[signature.bucket]

    def holds(call: Call) -> bool:
        volume = _volume(call)
        return low <= volume and (high is None or volume <= high)

    most = "" if high is None else f" and at most {high}"
    return Guard(f"the iteration takes at least {low}{most} bytes", holds)


def _volume(call: Call) -> int:
    """Bytes of the right-aligned broadcast of all arrays in the widest of their dtypes."""
    views = [item for item in (*call.arguments, *call.outputs) if isinstance(item, View)]
    sizes = zip_longest(*(view.shape[::-1] for view in views), fillvalue=0)
    widest = max((view.itemsize for view in views), default=1)
    return prod(max(column) for column in sizes) * widest
