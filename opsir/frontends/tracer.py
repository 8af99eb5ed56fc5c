"""Runs a Python function once on traced arguments and keeps what it did as a program.

Owns the making of traced arguments and the reading of what the function returns. How traced values
behave belongs to the tracer.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, NoReturn

import numpy as np

from opsir.casts import can_cast
from opsir.diagnostics import Location, OpsirTypeError, OpsirValueError, fail
from opsir.frontends.numbers import Given
from opsir.frontends.options import JitOptions
from opsir.frontends.places import definition_of, user_location
from opsir.frontends.recorder import Recorder
from opsir.frontends.records import ArgSpec, OutSpec, Program, Structure, Typed
from opsir.frontends.traced import Trace, TracedArray, TracedNumber
from opsir.promotion import Weak

DEFAULTS = JitOptions()


def trace(
    function: Callable[..., Any],
    arguments: Sequence[ArgSpec],
    options: JitOptions = DEFAULTS,
    outs: Sequence[OutSpec] = (),
) -> Program:
    """Call ``function`` with one traced value per argument and record what it does.

    ``outs`` describes the arrays given as ``out=``, one per result, or is empty. Whatever the
    function does that cannot be compiled is an OpsirError at the user's line; its own exceptions
    pass through.
    """
    where = definition_of(function)
    name = getattr(function, "__name__", "function")
    recorder = Recorder(arguments, options)
    run = Trace(recorder)
    traced = [_traced(run, index, spec) for index, spec in enumerate(arguments)]
    try:
        returned = function(*traced)
        results, structure = _results(run, returned, name, where)
    finally:
        run.finished = True
    _check_contract(options, len(arguments), len(results), where)
    _check_outs(results, outs, options)
    return Program(
        name=name,
        given=len(arguments),
        arguments=tuple(recorder.arguments),
        names=_names(function, len(arguments)),
        hidden=tuple(recorder.hidden),
        numbers=tuple(recorder.numbers),
        records=tuple(recorder.records),
        results=results,
        structure=structure,
        outs=tuple(outs),
        location=where,
    )


def _traced(run: Trace, index: int, spec: ArgSpec) -> TracedArray | TracedNumber:
    if spec.kind == "weak_int":
        return TracedNumber(run, run.recorder.number(Given(index), "int"))
    if spec.kind == "weak_float":
        return TracedNumber(run, run.recorder.number(Given(index), "float"))
    return TracedArray(run, run.recorder.argument(index), "argument")


def _results(
    run: Trace, returned: Any, name: str, where: Location | None
) -> tuple[tuple[Typed, ...], Structure]:
    if isinstance(returned, tuple | list):
        items: Sequence[Any] = returned
        if not items:
            _refuse_result(returned, name, where)
        return tuple(_result(run, item, name, where) for item in items), "tuple"
    return (_result(run, returned, name, where),), "single"


def _result(run: Trace, item: Any, name: str, where: Location | None) -> Typed:
    known = TracedArray | TracedNumber | np.ndarray | np.generic | bool | int | float
    if not isinstance(item, known):
        _refuse_result(item, name, where)
    typed = run.operand(item, where)
    if isinstance(typed.dtype, Weak):
        return run.recorder.cast(typed, run.recorder.settled(typed.dtype), where)
    return typed


def _refuse_result(item: Any, name: str, where: Location | None) -> NoReturn:
    what = "None" if item is None else f"a value of type {type(item).__name__}"
    if isinstance(item, tuple | list) and not item:
        what = f"an empty {type(item).__name__}"
    fail(
        f"'{name}' returns {what}; a traced function returns an array or a number, or a tuple or "
        "list of them",
        where,
        OpsirTypeError,
    )


def _check_contract(
    options: JitOptions, arguments: int, results: int, where: Location | None
) -> None:
    contract = options.contract
    if contract is None:
        return
    stated = None if contract.results is None else len(contract.results)
    if len(contract.arguments) != arguments or stated not in (None, results):
        fail(
            f"contract '{contract}' is one of {len(contract.arguments)} arguments and "
            f"{stated} results, but the function has {arguments} and {results}",
            where,
        )


def _check_outs(results: Sequence[Typed], outs: Sequence[OutSpec], options: JitOptions) -> None:
    where = user_location() if outs else None
    if outs and len(outs) != len(results):
        fail(
            f"out= needs one array for each of the {len(results)} results, got {len(outs)}",
            where,
            OpsirValueError,
        )
    for index, (result, out) in enumerate(zip(results, outs, strict=False)):
        assert not isinstance(result.dtype, Weak)
        if not can_cast(result.dtype, out.dtype, "same_kind"):
            fail(
                f"out= of dtype {out.dtype} cannot hold result {index} of dtype {result.dtype} "
                "under casting='same_kind'; cast it in the function",
                where,
                OpsirTypeError,
            )
        rank = result.ndim or 0
        if rank > out.ndim or (options.rank_extension == "error" and 0 < rank < out.ndim):
            fail(f"out= has rank {out.ndim}, but result {index} has rank {rank}", where)


def _names(function: Callable[..., Any], count: int) -> tuple[str, ...]:
    code = getattr(function, "__code__", None)
    known: tuple[str, ...] = code.co_varnames[: code.co_argcount] if code is not None else ()
    if hasattr(function, "__self__"):
        known = known[1:]
    return tuple(known[i] if i < len(known) else f"arg{i}" for i in range(count))
