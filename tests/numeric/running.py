"""Runs jitted functions under observation: values, dtypes, kernels, allocations, warnings.

Owns the comparison of one call with what it must give. Knows no single operation.
"""

from __future__ import annotations

import inspect
import warnings
from collections.abc import Callable, Generator, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

import opsir
from opsir.compiler import Compiled, compile_module
from opsir.frontends.build import build_module
from opsir.frontends.options import JitOptions
from opsir.runtime.buffers import COUNTS
from opsir.runtime.jit import Jitted
from opsir.runtime.specialise import compile_options, shared_native
from tests.numeric.cases import numpy_function
from tests.numeric.values import Array, differing

DIVIDE = "divide by zero encountered in"


class Probe(Jitted):
    """A jitted function that keeps what it last compiled and fuses by a policy of choice."""

    def __init__(
        self, function: Callable[..., Any], fusion: str = "default", **options: Any
    ) -> None:
        super().__init__(function, JitOptions.of(**options))
        self.fusion = fusion
        self.last: Compiled | None = None

    def _compiled(self, call: Any) -> Compiled:
        self.last = super()._compiled(call)
        return self.last

    def _make(self, call: Any, observe: Any = None) -> Compiled:
        module = build_module(call.program, call.signature.tensor_types(), self.options)
        apart = ("disjoint",) * len(call.program.results)
        chosen = compile_options(self.options, call.signature.aliasing or apart)
        pipeline = replace(chosen.pipeline, fusion=self.fusion)
        chosen = replace(chosen, pipeline=pipeline)
        return compile_module(module, None, chosen, observe=observe, generate=shared_native)


def with_parameters(function: Callable[..., Any], count: int) -> Callable[..., Any]:
    """Give a function of ``*args`` a fixed number of positional parameters."""
    kind = inspect.Parameter.POSITIONAL_ONLY
    names = [inspect.Parameter(f"x{i}", kind) for i in range(count)]
    function.__dict__["__signature__"] = inspect.Signature(names)
    return function


def jitted(function: Callable[..., Any], count: int = 2) -> Any:
    """``function`` of ``count`` operands, compiled."""
    return opsir.jit(with_parameters(lambda *operands: function(*operands), count))


def spelled(op: str) -> Callable[..., Any]:
    """How a user writes an op: NumPy's function where there is one, else opsir's."""
    function = numpy_function(op)
    if function is None:
        function = getattr(opsir, op)
    return function


DIVIDING = frozenset({"div_floor", "div_trunc", "mod", "rem", "reciprocal"})
"""Ops that warn of a division by zero on integers."""


@dataclass(slots=True)
class Observed:
    """One call: its results as a tuple, and the kernels and arrays that it took."""

    results: tuple[Any, ...]
    kernels: int
    planned_kernels: int
    outputs: int
    temporaries: int
    planned_temporaries: int
    warned: bool
    divides: bool
    """Whether an integer division is left in the program: one whose result no one needs may go."""

    def complaints(self) -> Iterator[str]:
        """What differs from the plan."""
        if self.kernels != self.planned_kernels:
            yield f"ran {self.kernels} kernels, planned {self.planned_kernels}"
        if self.outputs != len(self.results):
            yield f"allocated {self.outputs} outputs for {len(self.results)} results"
        if self.temporaries != self.planned_temporaries:
            yield f"allocated {self.temporaries} temporaries, planned {self.planned_temporaries}"


def observe(probe: Probe, *arguments: Any) -> Observed:
    """Call a probe and record what happened. A warning other than the one of division is raised."""
    COUNTS.reset()
    with _divisions() as said:
        value = probe(*arguments)
    compiled = probe.last
    assert compiled is not None
    return Observed(
        results=value if isinstance(value, tuple) else (value,),
        kernels=COUNTS.kernels,
        planned_kernels=len(compiled.plan().kernels),
        outputs=COUNTS.outputs,
        temporaries=COUNTS.temporaries,
        planned_temporaries=len(set(compiled.temporary_numbers)),
        warned=bool(said),
        divides=any(
            op.name in DIVIDING and op.dtype.is_integer
            for kernel in compiled.plan().kernels
            for op in kernel.ops
        ),
    )


@contextmanager
def _divisions() -> Generator[list[str]]:
    """Collect the warnings of integer division by zero; there may be one a call."""
    said: list[str] = []
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        yield said
    for warning in caught:
        assert DIVIDE in str(warning.message), warning.message
        said.append(str(warning.message))
    assert len(said) <= 1, said


def mismatch(result: Any, expected: Any, inputs: Sequence[Any] = ()) -> str | None:
    """Why a result is not the expected one, bit for bit; None if it is."""
    given, wanted = np.asarray(result), np.asarray(expected)
    if given.dtype != wanted.dtype:
        return f"dtype {given.dtype}, expected {wanted.dtype}"
    if given.shape != wanted.shape:
        return f"shape {given.shape}, expected {wanted.shape}"
    if given.ndim == 0 and isinstance(result, np.ndarray):
        return "a 0-d array, expected a NumPy scalar"
    if given.dtype == np.bool_ and given.size and given.view(np.uint8).max() > 1:
        return "a bool byte that is neither 0 nor 1"
    wrong = differing(given, wanted)
    if not wrong.any():
        return None
    where = tuple(int(i) for i in np.argwhere(wrong)[0])
    values = [_element(x, given.shape, where) for x in inputs]
    return (
        f"{int(wrong.sum())} of {wrong.size} elements, first at {where}: {given[where]!r}, "
        f"expected {wanted[where]!r} from {values}"
    )


def _element(value: Any, shape: tuple[int, ...], where: tuple[int, ...]) -> Any:
    if not isinstance(value, np.ndarray):
        return value
    array: Array = value
    return np.broadcast_to(array, shape)[where]
