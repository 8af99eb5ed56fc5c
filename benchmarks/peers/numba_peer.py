"""Numba: a loop nest over the result, one loop an axis, the outermost parallel with threads."""

from __future__ import annotations

import math
from functools import partial
from typing import Any

import numpy as np

from benchmarks.expressions import Rewriter
from benchmarks.inputs import Array, Problem
from benchmarks.peers.interface import Program, library

CALLS = {
    "where": "({1} if {0} else {2})",
    "clip": "min(max({0}, {1}), {2})",
    "sqrt": "math.sqrt({})",
    "exp": "math.exp({})",
    "to_u8": "np.uint8({})",
    "to_f64": "np.float64({})",
}


def loops(problem: Problem) -> str:
    """The source of ``kernel(out, ...)``."""
    rank = problem.reference.ndim
    dtype = "np.float64" if problem.reference.dtype == np.float64 else "np.float32"
    names = {name: _element(name, np.shape(x), rank) for name, x in problem.arguments.items()}
    rewriter = Rewriter(names, lambda number: f"{dtype}({number!r})", CALLS)
    lines = [f"def kernel(out, {', '.join(problem.names)}):"]
    for axis in range(rank):
        kind = "range" if axis else "prange"
        lines.append(f"{'    ' * (axis + 1)}for i{axis} in {kind}(out.shape[{axis}]):")
    target = _element("out", problem.reference.shape, rank, always=True)
    body = rewriter.text(problem.case.scalar or problem.case.expression)
    return "\n".join([*lines, f"{'    ' * (rank + 1)}{target} = {body}\n"])


def _element(name: str, shape: tuple[int, ...], rank: int, *, always: bool = False) -> str:
    """One element of an operand: axes of size 1 stay where they are."""
    first = rank - len(shape)
    index = [f"i{first + axis}" if n != 1 or always else "0" for axis, n in enumerate(shape)]
    return f"{name}[{', '.join(index)}]" if shape else name


class NumbaPeer:
    """Loops as one would write them, compiled for the types at hand."""

    def __init__(self, threads: int) -> None:
        self._library = library("numba")
        self._library.set_num_threads(threads)
        self._parallel = threads > 1
        self._kernels: dict[str, Any] = {}

    def _kernel(self, problem: Problem) -> Any:
        """One kernel for all sizes and forms, since compiling it takes longer than all the rest."""
        numba, text = self._library, loops(problem)
        if text not in self._kernels:
            names: dict[str, Any] = {"np": np, "math": math, "prange": numba.prange}
            exec(text, names)
            made = numba.njit(names["kernel"], parallel=self._parallel, error_model="numpy")
            self._kernels[text] = made
        return self._kernels[text]

    def _arguments(self, problem: Problem) -> list[Any]:
        return [np.float32(x) if isinstance(x, float) else x for x in problem.arguments.values()]

    def fresh(self, problem: Problem) -> Program:
        kernel, arguments = self._kernel(problem), self._arguments(problem)
        shape, dtype = problem.reference.shape, problem.reference.dtype

        def call() -> Array:
            out = np.empty(shape, dtype)
            kernel(out, *arguments)
            return out

        return Program(call)

    def into(self, problem: Problem, out: Array) -> Program:
        arguments = self._arguments(problem)
        if problem.case.in_place:
            arguments[problem.names.index(problem.case.in_place)] = out
        return Program(partial(self._kernel(problem), out, *arguments), lambda _: out)
