"""NumPy: the expression as it is; with ``out=``, the last of its operations stores there."""

from __future__ import annotations

from functools import partial

import numpy as np

from benchmarks.expressions import outermost
from benchmarks.inputs import NAMES, Array, Problem, function_of
from benchmarks.peers.interface import Program, RefusedError


def stores_last(problem: Problem) -> str:
    """The expression in which the operation applied last has the keyword ``out``."""
    name, operands = outermost(problem.case.expression)
    if name in {"where", "to_u8", "to_f64"}:
        raise RefusedError(f"{name} takes no out=")
    return f"{name}({', '.join(operands)}, out=out)"


class NumpyPeer:
    """One pass over memory for each operation."""

    def __init__(self, threads: int) -> None:
        del threads  # NumPy's elementwise loops have one.

    def fresh(self, problem: Problem) -> Program:
        name, operands = outermost(problem.case.expression)
        direct = operands == problem.names and hasattr(np, name)
        function = getattr(np, name) if direct else problem.function(NAMES)
        return Program(partial(function, *problem.arguments.values()))

    def into(self, problem: Problem, out: Array) -> Program:
        name, operands = outermost(problem.case.expression)
        if operands == problem.names and isinstance(getattr(np, name, None), np.ufunc):
            function = getattr(np, name)
        else:
            text = stores_last(problem)
            function = function_of(text, [*problem.names, "out"], {**vars(np), **NAMES})
        arguments = dict(problem.arguments)
        if problem.case.in_place:
            arguments[problem.case.in_place] = out
        return Program(partial(function, *arguments.values(), out=out))
