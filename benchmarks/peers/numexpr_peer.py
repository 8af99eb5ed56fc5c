"""numexpr: the expression as text, with the numbers as typed scalars so that f32 stays f32."""

from __future__ import annotations

from functools import partial
from typing import Any

import numpy as np

from benchmarks.expressions import Rewriter
from benchmarks.inputs import Array, Problem
from benchmarks.peers.interface import Program, library


class NumexprPeer:
    """Blocks of the arrays run through a virtual machine."""

    def __init__(self, threads: int) -> None:
        self._library = library("numexpr")
        self._library.set_num_threads(threads)

    def _evaluation(self, problem: Problem) -> Any:
        dtype = np.result_type(problem.reference.dtype, np.float32).type
        values = {
            name: dtype(x) if isinstance(x, float) else x for name, x in problem.arguments.items()
        }

        def named(number: float) -> str:
            name = f"number{len(values)}"
            values[name] = dtype(number)
            return name

        text = Rewriter({}, named, {}).text(problem.case.expression)
        return partial(
            self._library.evaluate, text, local_dict=values, global_dict={}, casting="same_kind"
        )

    def fresh(self, problem: Problem) -> Program:
        return Program(self._evaluation(problem))

    def into(self, problem: Problem, out: Array) -> Program:
        evaluation = self._evaluation(problem)
        if problem.case.in_place:
            evaluation.keywords["local_dict"][problem.case.in_place] = out
        return Program(partial(evaluation, out=out))
