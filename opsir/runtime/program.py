"""A function that was written as IR text: compiled once, called like a jitted one.

Owns the checks that make text safe to call; everything else is the jitted function's path.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from opsir.compiler import Compiled, compile_module, make_context
from opsir.diagnostics import OpsirTypeError, fail
from opsir.frontends.options import JitOptions, read_options
from opsir.frontends.places import user_location
from opsir.frontends.text import parse_module
from opsir.pipeline import Observer
from opsir.runtime.arguments import Given, given
from opsir.runtime.debug import execute_guarded
from opsir.runtime.in_place import entangled
from opsir.runtime.launch import Array, execute, fill
from opsir.runtime.lowered import Lowered
from opsir.runtime.notices import announce, notes_of
from opsir.runtime.outputs import destinations, out_arrays
from opsir.runtime.plain_form import watched
from opsir.runtime.reporting import report
from opsir.runtime.specialise import compile_options, shared_native


class IrProgram(Lowered):
    """One function of an IR text, ready to call.

    Arguments must have the dtypes, ranks, static sizes and strides that the text declares; each
    call checks them, and that no kernel leaves the memory handed over.
    """

    def __init__(
        self, text: str | bytes, entry: str | None, options: JitOptions, filename: str
    ) -> None:
        self.options = options
        self._text, self._entry, self._filename = text, entry, filename
        self.checked = ""
        """Under ``debug=True``, what the last call looked at."""
        super().__init__(self._make)
        self._program: Compiled = self._make(None)

    def __reduce__(self) -> tuple[Any, ...]:
        """Pickled and copied as text, and compiled again."""
        return IrProgram, (self._text, self._entry, self.options, self._filename)

    @property
    def name(self) -> str:
        """The name of the function in the text."""
        return self._program.name

    def __call__(self, *args: Any, out: Any = None) -> Any:
        count = 1 + max((s.position for s in self._program.sources), default=-1)
        if len(args) != count:
            fail(f"'{self.name}' takes {count} arguments, got {len(args)}", error=OpsirTypeError)
        items = [given(value, f"argument {index}") for index, value in enumerate(args)]
        results, flags = self._launch(items, out_arrays(out))
        if flags:
            report(flags, self.options.int_errors)
        if out is not None:
            several = isinstance(out, tuple | list)
            return out[0] if several and len(results) == 1 else tuple(out) if several else out
        values = [r if r.ndim else r[()] for r in results]
        return values[0] if len(values) == 1 else tuple(values)

    def _launch(self, items: Sequence[Given], outs: tuple[Array, ...]) -> tuple[list[Array], int]:
        compiled = self._program
        slots = compiled.abi.results
        if outs and len(outs) != len(slots):
            fail(f"out= has {len(outs)} arrays, '{self.name}' has {len(slots)} results")
        inputs = [item.facts for item in items]
        places = destinations(outs, inputs)
        for view, slot in zip(places.views, slots, strict=False):
            if view.dtype != slot.facts.dtype:
                fail(
                    f"out= is an array of {view.dtype}, '{self.name}' stores {slot.facts.dtype}",
                    error=OpsirTypeError,
                )
        if apart := places.over_any(entangled(compiled, items, places.views) if outs else ()):
            places = destinations(outs, inputs, apart=apart)
        filled = fill(compiled, items, places.arrays, trusted=False)
        notes = notes_of(compiled, filled.words, [t.nbytes for t in filled.temporaries])
        costs = (*places.costs, *notes.costs)
        if costs or notes.paths:
            announce(costs, notes.paths, self.options.copies)
        if self.options.debug:
            flags, self.checked = execute_guarded(compiled, items, filled)
        else:
            flags = execute(compiled, filled.words)
        places.finish()
        return filled.results, flags

    def _make(self, observe: Observer | None) -> Compiled:
        context = make_context()
        module = parse_module(self._text, self._filename, context=context)
        if observe is not None:
            observe("source", module)

        def compile(observe: Observer | None) -> Compiled:
            return compile_module(
                module,
                self._entry,
                compile_options(self.options),
                context=context,
                observe=observe,
                generate=shared_native,
            )

        return watched(compile, self._entry, observe) if self.options.debug else compile(observe)


def compile_text(
    text: str | bytes, entry: str | None = None, *, filename: str = "<text>", **options: Any
) -> IrProgram:
    """Compile the function ``entry`` (or the only one) of an IR text.

    ``options`` are those of ``jit``. Illegal text is a located OpsirError.
    """
    if type(text) not in (str, bytes):
        fail(f"compile takes IR text, got {text!r}", user_location(), OpsirTypeError)
    return IrProgram(text, entry, read_options(options, "compile"), filename)
