"""opsir: the expression under ``opsir.jit``, on arguments that are NumPy views."""

from __future__ import annotations

from functools import partial

import opsir
from benchmarks.inputs import NAMES, Array, Problem
from benchmarks.peers.interface import Program, RefusedError
from opsir.diagnostics import OpsirError


class OpsirPeer:
    """One pass over memory for the whole expression."""

    def __init__(self, threads: int) -> None:
        try:
            opsir.set_num_threads(threads)
        except OpsirError as error:
            raise RefusedError(str(error)) from None

    def fresh(self, problem: Problem) -> Program:
        function = opsir.jit(problem.function(NAMES))
        return Program(partial(function, *problem.arguments.values()))

    def into(self, problem: Problem, out: Array) -> Program:
        function = opsir.jit(problem.function(NAMES))
        arguments = dict(problem.arguments)
        if problem.case.in_place:
            arguments[problem.case.in_place] = out
        return Program(partial(function, *arguments.values(), out=out))
