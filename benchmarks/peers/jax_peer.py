"""JAX: the expression with its views under ``jax.jit``, called and waited for."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from benchmarks.inputs import Array, Problem
from benchmarks.peers.interface import Program, RefusedError, library


class JaxPeer:
    """XLA on the CPU. Arrays live on its device before the clock starts."""

    def __init__(self, threads: int) -> None:
        del threads  # taken from the environment when the library starts
        self._library = library("jax")
        config = self._library.config
        config.update("jax_enable_x64", True)
        # Otherwise every small call crosses to another thread and back: ten times the latency.
        config.update("jax_cpu_enable_async_dispatch", False)

    def _names(self) -> Mapping[str, Any]:
        jnp = self._library.numpy
        return {
            **{name: getattr(jnp, name) for name in ("where", "sqrt", "exp", "clip")},
            "to_u8": lambda x: x.astype(jnp.uint8),
            "to_f64": lambda x: x.astype(jnp.float64),
        }

    def _function(self, problem: Problem) -> Any:
        inner = problem.function(self._names())

        def viewed(*bases: Any) -> Any:
            return inner(*map(problem.viewed, problem.names, bases))

        return viewed

    def _on_device(self, problem: Problem) -> list[Any]:
        put = self._library.device_put
        return [put(x) if isinstance(x, np.ndarray) else x for x in problem.bases.values()]

    def fresh(self, problem: Problem) -> Program:
        function, bases = self._library.jit(self._function(problem)), self._on_device(problem)
        return Program(lambda: function(*bases).block_until_ready())

    def into(self, problem: Problem, out: Array) -> Program:
        if not problem.case.in_place:
            raise RefusedError("returns new arrays only")
        position = problem.names.index(problem.case.in_place)
        function = self._library.jit(self._function(problem), donate_argnums=position)
        bases = self._on_device(problem)
        bases[position] = self._library.numpy.array(out, copy=True)

        def step() -> Any:
            bases[position] = function(*bases).block_until_ready()
            return bases[position]

        return Program(step)
