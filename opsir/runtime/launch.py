"""One call of a compiled program: fill the argument block, allocate results, run, hand back.

Owns the order in which words are written and who allocates what. Decides nothing about types: the
program's facts say everything. This is the one place that calls native code.
"""

from __future__ import annotations

from array import array
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np

from opsir import abi as layout
from opsir.abi import Abi, Buffer, ScalarSlot, TensorSlots
from opsir.compiler import Compiled
from opsir.diagnostics import OpsirTypeError, OpsirValueError, fail
from opsir.dialects.opsir.weak_arguments import WeakArgument
from opsir.runtime import buffers, threads
from opsir.runtime.addresses import address_of
from opsir.runtime.arguments import Given
from opsir.runtime.buffers import COUNTS
from opsir.runtime.views import Views
from opsir.signature import View
from opsir.weak import bind

Array = np.ndarray[Any, Any]


class Filled(NamedTuple):
    """A whole argument block, and the arrays that it points to besides the arguments."""

    words: Sequence[int]
    results: list[Array]
    temporaries: list[Array]


def execute(compiled: Compiled, words: Sequence[int]) -> int:
    """Run the entry on a filled block. Returns its flags; a kernel without iterations has none."""
    block = words if isinstance(words, array) else array("q", words)
    COUNTS.calls += 1
    COUNTS.kernels += len(compiled.kernels)
    return threads.execute(compiled, block.buffer_info()[0])


def fill(
    compiled: Compiled,
    given: Sequence[Given],
    outs: Sequence[Array] | None = None,
    *,
    trusted: bool,
) -> Filled:
    """The block of a call, for arguments in the order of the traced function.

    ``outs`` are where to store the results, one array each; without them results are allocated.
    Sizes that a broadcast needs to agree, or that the program states, are always compared.
    ``trusted`` says that the arguments are those whose facts the program was made from; otherwise
    every dtype, size, stride and address range is checked first.
    """
    abi = compiled.abi
    if trusted:
        _check_fixed(compiled, given)
    else:
        _check_arguments(compiled, given)
    words = _argument_words(compiled, given)
    env = {name: words[word] for name, word in abi.symbols if word < len(words)}
    _check_equal(compiled, given)
    views = Views(compiled, given, env)
    views.place({})
    results = _allocate(abi, env) if outs is None else _checked_outs(abi, env, outs)
    for result in results:
        words.append(address_of(result))
        words += result.shape
        words += result.strides
    env |= {name: words[word] for name, word in abi.symbols if word < len(words)}
    temporaries = _temporaries(compiled, env)
    words += [address_of(t) for t in temporaries]
    if abi.views or abi.bound:
        stored = {Buffer("result", i): address_of(r) for i, r in enumerate(results)}
        stored |= {Buffer("temporary", i): address_of(t) for i, t in enumerate(temporaries)}
        views.place(stored)
        words += views.words()
    if not trusted:
        _check_launch(compiled, given, results, temporaries, views)
    return Filled(words, results, temporaries)


def _argument_words(compiled: Compiled, given: Sequence[Given]) -> list[int]:
    words: list[int] = []
    for slot, source in zip(compiled.abi.arguments, compiled.sources, strict=True):
        facts, value = given[source.position]
        if isinstance(slot, TensorSlots):
            assert isinstance(facts, View)
            words.append(facts.pointer)
            words += facts.shape
            words += facts.strides
        else:
            words.append(scalar_word(value, source.weak))
    return words


def scalar_word(value: Any, weak: WeakArgument | None) -> int:
    """The word of a scalar argument: a NumPy scalar's bits, or what ``weak`` makes of a number."""
    if weak is not None:
        value = bind(value, weak.role, weak.dtype)
    return int.from_bytes(value.tobytes(), "little", signed=True)


def _checked_outs(abi: Abi, env: Mapping[str, int], outs: Sequence[Array]) -> list[Array]:
    """The caller's arrays, of the shape that the result has: ``out=`` is never expanded."""
    for out, slots in zip(outs, abi.results, strict=True):
        sizes = slots.facts.sizes
        known = [
            e.evaluate(env) if env.keys() >= set(e.symbols) else n
            for e, n in zip(sizes, out.shape, strict=False)
        ]
        if known != list(out.shape):
            fail(
                f"out= has shape {list(out.shape)}, to which a result of {known} does not broadcast"
            )
    return list(outs)


def _allocate(abi: Abi, env: Mapping[str, int]) -> list[Array]:
    found: list[Array] = []
    for slots in abi.results:
        facts = slots.facts
        shape = tuple(extent.evaluate(env) for extent in facts.sizes)
        strides = tuple(extent.evaluate(env) for extent in facts.strides)
        if 0 in shape:
            strides = None
        elif not _is_dense(shape, strides, facts.dtype.itemsize):
            fail("a result whose type leaves gaps in memory needs an array to be stored in: out=")
        found.append(buffers.output(shape, facts.dtype, strides))
    return found


def _is_dense(shape: Sequence[int], strides: Sequence[int], itemsize: int) -> bool:
    """Whether elements fill their memory without a gap, whatever the order of the axes."""
    step = itemsize
    for stride, size in sorted(zip(strides, shape, strict=True)):
        if size != 1 and stride != step:
            return False
        step *= size
    return True


def _temporaries(compiled: Compiled, env: Mapping[str, int]) -> list[Array]:
    """One array per temporary of the block; those that share memory are the same array."""
    sizes: dict[int, int] = {}
    slots = compiled.abi.temporaries
    for slot, number in zip(slots, compiled.temporary_numbers, strict=True):
        sizes[number] = max(sizes.get(number, 0), slot.size_bytes(env))
    memory = {number: buffers.temporary_bytes(size) for number, size in sizes.items()}
    return [memory[number] for number in compiled.temporary_numbers]


def _check_arguments(compiled: Compiled, given: Sequence[Given]) -> None:
    for slot, source in zip(compiled.abi.arguments, compiled.sources, strict=True):
        facts, value = given[source.position]
        what = f"argument {source.position} of '{compiled.name}'"
        if isinstance(slot, ScalarSlot):
            if source.weak is not None:
                _check_number(what, value, source.weak)
            elif isinstance(facts, View) or facts.dtype != slot.dtype:
                fail(f"{what} is a scalar {slot.dtype}, got {_kind(value)}", error=OpsirTypeError)
        elif not isinstance(facts, View) or facts.dtype != slot.facts.dtype:
            dtype = slot.facts.dtype
            fail(f"{what} is a tensor of {dtype}, got {_kind(value)}", error=OpsirTypeError)
        elif len(facts.shape) != slot.facts.rank:
            fail(f"{what} is a tensor of rank {slot.facts.rank}, got shape {list(facts.shape)}")


def _check_number(what: str, value: Any, weak: WeakArgument) -> None:
    """An integer dtype takes a Python int; a float, or the truth of a number, a float too."""
    allowed = (int, float) if weak.dtype.kind in "bf" else (int,)
    if type(value) not in allowed:
        names = " or ".join(t.__name__ for t in allowed)
        fail(f"{what} is a Python {names}, got {_kind(value)}", error=OpsirTypeError)


def _kind(value: Any) -> str:
    if isinstance(value, np.ndarray):
        return f"an array of {value.dtype}"
    if isinstance(value, np.generic):
        return f"a NumPy scalar of {value.dtype}"
    return f"a Python {type(value).__name__}"


def _check_fixed(compiled: Compiled, given: Sequence[Given]) -> None:
    """Refuse sizes other than those that a shape or a contract in the program states."""
    for position, axis, size in compiled.fixed:
        facts = given[position].facts
        assert isinstance(facts, View)
        if facts.shape[axis] != size:
            fail(
                f"argument {position} of '{compiled.name}' has shape {list(facts.shape)}, but a "
                f"shape or a contract in the function asks for size {size} on axis {axis}",
                compiled.location,
                OpsirValueError,
            )


def _check_equal(compiled: Compiled, given: Sequence[Given]) -> None:
    """Refuse sizes that a broadcast needs to agree and that do not."""
    for check in compiled.checks:
        left, right = (given[position].facts for position in check.positions)
        assert isinstance(left, View)
        assert isinstance(right, View)
        sizes = left.shape[check.axes[0]], right.shape[check.axes[1]]
        if sizes[0] != sizes[1]:
            hint = "; an axis written '?' never has size 1" if 1 in sizes else ""
            fail(
                f"shapes {list(left.shape)} and {list(right.shape)} do not broadcast: size "
                f"{sizes[0]} on axis {check.axes[0]} meets size {sizes[1]} on axis "
                f"{check.axes[1]}{hint}",
                check.location,
                OpsirValueError,
            )


def _check_launch(
    compiled: Compiled,
    given: Sequence[Given],
    results: Sequence[Array],
    temporaries: Sequence[Array],
    views: Views,
) -> None:
    given_views = [given[s.position].facts for s in compiled.sources]
    geometry = [(f.shape, f.strides) for f in given_views if isinstance(f, View)]
    geometry += [(r.shape, r.strides) for r in results]
    geometry += [(v.shape, v.strides) for v in views.placed]
    layout.bind_symbols(compiled.abi, geometry, views.env)
    ranges: dict[Buffer, tuple[int, int]] = {}
    for index, facts in enumerate(given_views):
        if isinstance(facts, View):
            ranges[Buffer("argument", index)] = _bounds(facts.shape, facts.strides, facts.itemsize)
    for index, result in enumerate(results):
        ranges[Buffer("result", index)] = _bounds(result.shape, result.strides, result.itemsize)
    for index, temporary in enumerate(temporaries):
        ranges[Buffer("temporary", index)] = (0, temporary.nbytes)
    for index, view in enumerate(views.placed):
        ranges[Buffer("view", index)] = _bounds(view.shape, view.strides, view.itemsize)
    layout.check_ranges(compiled.kernels, views.env, ranges)


def _bounds(shape: Sequence[int], strides: Sequence[int], itemsize: int) -> tuple[int, int]:
    """The half-open range of byte offsets that an array's elements occupy."""
    if 0 in shape:
        return 0, 0
    spans = [(n - 1) * step for n, step in zip(shape, strides, strict=True)]
    return sum(min(s, 0) for s in spans), sum(max(s, 0) for s in spans) + itemsize
