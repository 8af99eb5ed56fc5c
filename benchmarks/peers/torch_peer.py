"""PyTorch, one operation at a time and under ``torch.compile``."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from typing import Any

import numpy as np

from benchmarks.cases import BF16
from benchmarks.inputs import Array, Problem, function_of
from benchmarks.peers.interface import Program, RefusedError, library
from benchmarks.peers.numpy_peer import stores_last


class TorchPeer:
    """Eager: one pass over memory for each operation, on views where PyTorch has them."""

    def __init__(self, threads: int) -> None:
        self._torch = library("torch")
        self._torch.set_num_threads(threads)
        self._torch.set_grad_enabled(False)

    def tensor(self, value: Any) -> Any:
        """The tensor in the same memory as an array; numbers stay."""
        if not isinstance(value, np.ndarray):
            return value
        if value.dtype == BF16:
            return self._torch.from_numpy(value.view(np.int16)).view(self._torch.bfloat16)
        return self._torch.from_numpy(value)

    def array(self, tensor: Any) -> Array:
        """The array in the same memory as a tensor."""
        if tensor.dtype is self._torch.bfloat16:
            return tensor.view(self._torch.int16).numpy().view(BF16)
        return tensor.numpy()

    def _names(self) -> Mapping[str, Any]:
        torch = self._torch
        return {
            **{name: getattr(torch, name) for name in ("where", "sqrt", "exp", "clip")},
            "add": torch.add,
            "subtract": torch.sub,
            "multiply": lambda a, b, out: torch.mul(
                *((b, a) if isinstance(a, float) else (a, b)), out=out
            ),
            "power": torch.pow,
            "floor_divide": torch.floor_divide,
            "to_u8": lambda x: x.to(torch.uint8),
            "to_f64": lambda x: x.to(torch.float64),
        }

    def _viewed(self, problem: Problem, name: str, base: Any) -> Any:
        view = problem.view(name)
        if "::-1" in view:
            return self._torch.flip(base, (0,))
        return problem.viewed(name, base) if "transpose" not in view else base.permute(*_axes(view))

    def _arguments(self, problem: Problem) -> list[Any]:
        if any("::-1" in problem.view(name) for name in problem.names):
            raise RefusedError("has no negative strides")
        tensors = map(self.tensor, problem.bases.values())
        return [self._viewed(problem, *pair) for pair in zip(problem.names, tensors, strict=True)]

    def fresh(self, problem: Problem) -> Program:
        function = problem.function(self._names())
        return Program(partial(function, *self._arguments(problem)), self.array)

    def into(self, problem: Problem, out: Array) -> Program:
        arguments, target = self._arguments(problem), self.tensor(out)
        if problem.case.in_place:
            arguments[problem.names.index(problem.case.in_place)] = target
        names = [*problem.names, "out"]
        function = function_of(stores_last(problem), names, self._names())
        return Program(partial(function, *arguments, out=target), self.array)


class TorchCompilePeer(TorchPeer):
    """Compiled with its views inside, for the sizes at hand."""

    def _compiled(self, problem: Problem) -> Any:
        inner = problem.function(self._names())

        def viewed(*bases: Any) -> Any:
            return inner(*(self._viewed(problem, *p) for p in zip(problem.names, bases)))

        return viewed

    def fresh(self, problem: Problem) -> Program:
        function = self._torch.compile(self._compiled(problem), dynamic=False)
        return Program(partial(function, *map(self.tensor, problem.bases.values())), self.array)

    def into(self, problem: Problem, out: Array) -> Program:
        inner = self._compiled(problem)
        target = self.tensor(out)
        bases = [self.tensor(x) for x in problem.bases.values()]
        if problem.case.in_place:
            bases[problem.names.index(problem.case.in_place)] = target

        def stored(out: Any, *bases: Any) -> None:
            out.copy_(inner(*bases))

        function = self._torch.compile(stored, dynamic=False)
        return Program(partial(function, target, *bases), lambda _: out)


def _axes(view: str) -> list[int]:
    """The axes of a view such as "a.transpose(2, 0, 1)"."""
    return [int(word) for word in view.partition("(")[2].rstrip(")").split(",")]
