"""The jitted function: from a Python call to the launch of a compiled program.

Owns dispatch, in this one place: classify the arguments, find or make the trace, find or make the
compiled program, decide where results go, launch, report flags.
"""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable, Collection, Sequence
from typing import Any

import numpy as np

from opsir.compiler import Compiled
from opsir.diagnostics import OpsirTypeError, fail
from opsir.frontends.inlining import inline, is_traced
from opsir.frontends.options import JitOptions
from opsir.frontends.parameters import signature_of_function
from opsir.frontends.places import definition_of
from opsir.frontends.records import ArgSpec, OutSpec, Program
from opsir.frontends.tracer import trace
from opsir.pipeline import Observer
from opsir.runtime.arguments import Given, given
from opsir.runtime.cache import Cache
from opsir.runtime.debug import execute_guarded
from opsir.runtime.in_place import Entangled, entangled
from opsir.runtime.launch import execute, fill
from opsir.runtime.lowered import Lowered
from opsir.runtime.notices import announce, converted, notes_of
from opsir.runtime.outputs import Destinations, destinations, out_arrays
from opsir.runtime.plain_form import watched
from opsir.runtime.prepared import Key, Prepared, is_aligned, key_of
from opsir.runtime.reporting import report
from opsir.runtime.specialise import compile_program
from opsir.runtime.target import host_caches
from opsir.signature import Signature, View, bind_symbols, signature_of

TRACES = 256
PROGRAMS = 4096
PREPARED = 256
"""Entries kept per jitted function."""

TraceKey = tuple[tuple[ArgSpec, ...], tuple[OutSpec, ...]]


class Jitted:
    """A function that compiles itself for the facts of its arguments and runs as native code.

    Called like the function it was made from; ``out=`` stores the results in arrays given by the
    caller. ``lower`` shows every stage of the compilation for given arguments.
    """

    def __init__(self, function: Callable[..., Any], options: JitOptions) -> None:
        self.function = function
        self.options = options
        self._names: tuple[str, ...] | None = None
        self._signature: inspect.Signature | None = None
        self._traces: Cache[TraceKey, Program] = Cache(TRACES)
        self._programs: Cache[tuple[TraceKey, Signature], Compiled] = Cache(PROGRAMS)
        self._prepared: dict[Key, Prepared] = {}
        self.checked = ""
        """Under ``debug=True``, what the last call looked at."""
        functools.update_wrapper(self, function)

    def __get__(self, instance: Any, owner: type[Any] | None = None) -> Any:
        if instance is None:
            return self
        fail(
            f"'{self._name}' is jitted and cannot be a method: jit a function of arrays and call "
            "it from the method",
            definition_of(self.function),
            OpsirTypeError,
        )
        return None

    def __repr__(self) -> str:
        return f"<opsir.jit of {self._name}>"

    def __reduce__(self) -> str:
        """Pickled and copied like a Python function: by the name that it has in its module."""
        return getattr(self.function, "__qualname__", self._name)

    @property
    def _name(self) -> str:
        return getattr(self.function, "__name__", type(self.function).__name__)

    def __call__(self, *args: Any, out: Any = None, **kwargs: Any) -> Any:
        outs = () if out is None else tuple(out) if isinstance(out, tuple | list) else (out,)
        key = None if kwargs else key_of(args, outs)
        prepared = self._prepared.get(key) if key is not None else None
        if prepared is not None:
            done = prepared.run(args, outs)
            if done is not None:
                return self._finish(*done, out, prepared.is_single)
        elif key is None and (is_traced(args) or is_traced(kwargs.values())):
            return inline(self.function, self.options, args, kwargs, out)
        return self._call(args, kwargs, out, key)

    def _call(self, args: tuple[Any, ...], kwargs: dict[str, Any], out: Any, key: Any) -> Any:
        """The long way; under ``key`` the call is kept for those of the same geometry."""
        call = self._classify(args, kwargs, out)
        compiled = self._compiled(call)
        entangled = call.entangled(compiled)
        if apart := call.places.over_any(entangled):
            call = call.apart(apart)
            compiled = self._compiled(call)
        filled = fill(compiled, call.everything, call.places.arrays, trusted=True)
        notes = notes_of(compiled, filled.words, [t.nbytes for t in filled.temporaries])
        costs = (*call.converted, *call.places.costs, *notes.costs)
        if costs or notes.paths:
            announce(costs, notes.paths, self.options.copies)
        if self.options.debug:
            flags, self.checked = execute_guarded(compiled, call.everything, filled)
        else:
            flags = execute(compiled, filled.words)
        call.places.finish()
        is_single = call.program.structure == "single"
        is_plain = call.is_plain and len(args) == len(call.everything)
        if key is not None and is_plain and not self.options.debug:
            if len(self._prepared) >= PREPARED:
                self._prepared.clear()
            self._prepared[key] = Prepared(
                compiled,
                call.everything,
                filled,
                call.places,
                entangled,
                notes,
                self.options,
                is_single=is_single,
            )
        return self._finish(filled.results, flags, out, is_single)

    def _finish(self, results: Sequence[Any], flags: int, out: Any, is_single: bool) -> Any:
        if flags:
            report(flags, self.options.int_errors)
        if out is not None:
            several = isinstance(out, tuple | list)
            return out[0] if several and is_single else tuple(out) if several else out
        if is_single:
            result = results[0]
            return result if result.ndim else result[()]
        return tuple([r if r.ndim else r[()] for r in results])

    def lower(self, *args: Any, out: Any = None, **kwargs: Any) -> Lowered:
        """Compile for these arguments without running: every stage can then be read."""
        call = self._classify(args, kwargs, out)
        return Lowered(lambda observe: self._make(call, observe), call.symbol_values)

    def cache_info(self) -> tuple[Any, Any]:
        """What the caches of traces and of compiled programs hold."""
        return self._traces.info(), self._programs.info()

    def cache_clear(self) -> None:
        """Forget all traces and compiled programs."""
        self._traces.clear()
        self._programs.clear()
        self._prepared.clear()

    def _classify(self, args: tuple[Any, ...], kwargs: dict[str, Any], out: Any) -> _Call:
        if kwargs or self._names is None or len(args) != len(self._names):
            args = self._bind(args, kwargs)
        names = self._names or ()
        strict = self.options.scalars == "strict"
        items = [given(value, name, strict=strict) for value, name in zip(args, names, strict=True)]
        call = _Call(self, items, out)
        call.converted = [
            converted(value, item.value, f"argument '{name}'")
            for value, item, name in zip(args, items, names, strict=True)
            if isinstance(value, list | tuple)
        ]
        return call

    def _bind(self, args: tuple[Any, ...], kwargs: dict[str, Any]) -> tuple[Any, ...]:
        """All positional values of a call, defaults applied; ``self._names`` is set."""
        if self._signature is None:
            self._signature = signature_of_function(self.function)
            self._names = tuple(self._signature.parameters)
        try:
            bound = self._signature.bind(*args, **kwargs)
        except TypeError as error:
            fail(f"{self._name}() {error}", error=OpsirTypeError)
        bound.apply_defaults()
        return bound.args

    def _trace(self, key: TraceKey) -> Program:
        return self._traces.get(key, lambda: trace(self.function, key[0], self.options, key[1]))

    def _compiled(self, call: _Call) -> Compiled:
        return self._programs.get((call.key, call.signature), lambda: self._make(call))

    def _make(self, call: _Call, observe: Any = None) -> Compiled:
        def compile(observe: Observer | None) -> Compiled:
            return compile_program(call.program, call.signature, self.options, observe=observe)

        return watched(compile, None, observe) if self.options.debug else compile(observe)


class _Call:
    """One call under way: its arguments, trace, destinations and signature."""

    def __init__(
        self, jitted: Jitted, items: Sequence[Given], out: Any, apart: Collection[int] = ()
    ) -> None:
        self._jitted, self._items, self._out = jitted, items, out
        self.converted: list[str] = []
        outs = out_arrays(out)
        self.key: TraceKey = (tuple(_spec(i) for i in items), tuple(_out_spec(o) for o in outs))
        self.program = jitted._trace(self.key)
        hidden = [given(v) for v in self.program.hidden_values([i.value for i in items])]
        self.everything: Sequence[Given] = [*items, *hidden] if hidden else items
        inputs = [item.facts for item in self.everything]
        arrays = [facts for facts in inputs if isinstance(facts, View)]
        self.places: Destinations = destinations(outs, inputs, apart=apart)
        plain = not hidden and not self.places.copies
        self.is_plain = plain and is_aligned([*arrays, *self.places.views])
        """Whether geometry alone decides the call: no captured value, nothing stored beside."""
        l1, last_level = host_caches()
        sizes = self.program.view_sizes([item.value for item in self.everything])
        self._classified = [*inputs, *sizes]
        self.signature: Signature = signature_of(
            self._classified,
            self.places.views,
            self.places.aliasing,
            l1=l1,
            last_level=last_level,
        )

    def symbol_values(self) -> dict[str, int]:
        """The sizes and strides behind the symbols of the signature's types."""
        facts = [*self._classified, *self.places.views]
        return bind_symbols(self.signature.symbol_sources(), facts)

    def entangled(self, compiled: Compiled) -> Entangled:
        """Per result of ``out=`` the arguments over which it must not be stored."""
        views = self.places.views
        return entangled(compiled, self.everything, views) if views else ()

    def apart(self, results: Collection[int]) -> _Call:
        """The same call with some results stored away from the arguments first."""
        call = _Call(self._jitted, self._items, self._out, results)
        call.converted = self.converted
        return call


def _spec(item: Given) -> ArgSpec:
    facts = item.facts
    if isinstance(facts, View):
        return ArgSpec("array", facts.dtype, len(facts.shape))
    return ArgSpec(facts.kind, facts.dtype)


def _out_spec(array: np.ndarray[Any, Any]) -> OutSpec:
    facts = given(array, "out").facts
    assert isinstance(facts, View)
    return OutSpec(facts.dtype, len(facts.shape))
