"""A compiled function called while another one is traced: its operations join the outer trace.

Owns when that is possible. Knows no compiled function but its Python function and options.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import Any

from opsir.diagnostics import OpsirTypeError, fail
from opsir.frontends.options import JitOptions
from opsir.frontends.places import user_location
from opsir.frontends.traced import TracedArray, TracedNumber

TRACED: frozenset[type] = frozenset({TracedArray, TracedNumber})
"""The types whose values make a call part of a trace."""

_SHARED = ("rules", "scalars", "default_float", "intermediates", "rank_extension")
"""Options that change results or refusals, so that both functions must agree on them."""


def is_traced(values: Iterable[Any]) -> bool:
    """Whether one of the values of a call is traced."""
    return any(type(value) in TRACED for value in values)


def inline(
    function: Callable[..., Any],
    options: JitOptions,
    args: tuple[Any, ...],
    kwargs: Mapping[str, Any],
    out: Any,
) -> Any:
    """Call ``function`` in the trace that its arguments belong to.

    Refuses ``out=``, a contract of its own, and options that differ from those of the trace.
    """
    name = getattr(function, "__name__", "function")
    traced = next(value for value in (*args, *kwargs.values()) if type(value) in TRACED)
    outer = traced._trace.recorder.options
    different = [o for o in _SHARED if getattr(outer, o) != getattr(options, o)]
    if different:
        fail(
            f"'{name}' is called in a function that is compiled with another "
            f"{', '.join(different)}; use the same for both",
            user_location(),
            OpsirTypeError,
        )
    if options.contract is not None or out is not None:
        what = "a contract" if out is None else "out="
        fail(
            f"'{name}' is called in a traced function, where {what} of its own is not possible",
            user_location(),
            OpsirTypeError,
        )
    return function(*args, **kwargs)
