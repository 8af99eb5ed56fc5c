"""The arrays of a case at one size: made from a seed, viewed, and what NumPy makes of them.

Owns values, shapes and byte counts. Knows no other library than NumPy.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from benchmarks.cases import BF16, Case, Input, Sizes
from benchmarks.traffic import touched

Array = np.ndarray[Any, Any]
Value = Any
"""An array, or a Python float."""

PERIOD = 1 << 20
"""Elements drawn at random; longer arrays repeat them: the values matter little, time does."""

NAMES: Mapping[str, Any] = {
    "where": np.where,
    "sqrt": np.sqrt,
    "exp": np.exp,
    "clip": np.clip,
    "to_u8": lambda x: x.astype(np.uint8),
    "to_f64": lambda x: x.astype(np.float64),
}
"""The functions that expressions may name, as NumPy has them."""


def function_of(
    expression: str, arguments: list[str], names: Mapping[str, Any]
) -> Callable[..., Any]:
    """A Python function of ``arguments`` that returns ``expression``, which may use ``names``."""
    return eval(f"lambda {', '.join(arguments)}: {expression}", dict(names))


def shape_of(text: str, sizes: Sizes) -> tuple[int, ...]:
    """A shape from text such as "n 1 m"."""
    return tuple(int(word) if word.isdigit() else sizes[word] for word in text.split())


def draw(spec: Input, sizes: Sizes, generator: np.random.Generator) -> Array:
    """An array of uniformly distributed values; integers exclude ``spec.high``."""
    shape = shape_of(spec.shape, sizes)
    count = math.prod(shape)
    values = generator.uniform(spec.low, spec.high, min(count, PERIOD))
    if spec.dtype.kind in "biu":
        values = np.floor(values)
    return np.resize(values.astype(spec.dtype), count).reshape(shape)


def line_start(array: Array) -> Array:
    """The same array in new memory that begins on a cache line."""
    raw = np.empty(array.nbytes + 64, np.uint8)
    offset = -raw.ctypes.data % 64
    made = raw[offset : offset + array.nbytes].view(array.dtype).reshape(array.shape)
    made[...] = array
    return made


class Problem:
    """A case at a size: its base arrays, the arguments that are views of them, and its result.

    ``reference`` is NumPy's result. ``read`` and ``written`` count bytes in cache lines.
    """

    def __init__(self, case: Case, size: str, seed: int = 7) -> None:
        self.case, self.size = case, size
        self.sizes = case.sizes[size]
        generator = np.random.default_rng(seed)
        self.names = list(case.inputs)
        self.bases: dict[str, Value] = {
            name: line_start(draw(spec, self.sizes, generator)) if isinstance(spec, Input) else spec
            for name, spec in case.inputs.items()
        }
        self.arguments: dict[str, Value] = {
            name: self.viewed(name, base) for name, base in self.bases.items()
        }
        with np.errstate(all="ignore"):
            self.reference: Array = np.asarray(self.function(NAMES)(*self.arguments.values()))

    def viewed(self, name: str, base: Value) -> Value:
        """The argument that a base array, of any library, stands for."""
        view = self.view(name)
        return eval(view, {name: base}) if view else base

    def view(self, name: str) -> str:
        """The view of an argument, "" if it is its base array."""
        spec = self.case.inputs[name]
        return spec.view if isinstance(spec, Input) else ""

    def function(self, names: Mapping[str, Any]) -> Callable[..., Any]:
        """The case as a Python function in which functions mean what ``names`` says."""
        return function_of(self.case.expression, self.names, names)

    def empty_out(self) -> Array:
        """Memory for a result with its pages touched."""
        return line_start(np.zeros(self.reference.shape, self.reference.dtype))

    @property
    def elements(self) -> int:
        """Elements of the result."""
        return self.reference.size

    @property
    def read(self) -> int:
        """Bytes that the arguments move."""
        arrays = [x for x in self.arguments.values() if isinstance(x, np.ndarray)]
        return sum(touched(x.shape, x.strides, x.itemsize) for x in arrays)

    @property
    def written(self) -> int:
        """Bytes that the result moves."""
        return touched(self.reference.shape, self.reference.strides, self.reference.itemsize)


def difference(result: Array, reference: Array, slack: int = 0) -> str:
    """What is wrong with a result, "" if nothing is.

    Floats may be off by a few units in the last place of the largest value, because a peer may
    round a product and a sum at once; integers by ``slack``.
    """
    if result.shape != reference.shape:
        return f"shape {result.shape} where NumPy has {reference.shape}"
    if result.dtype != reference.dtype:
        return f"dtype {result.dtype} where NumPy has {reference.dtype}"
    if np.array_equal(result, reference):
        return ""
    exact = reference.astype(np.float64)
    off = np.abs(result.astype(np.float64) - exact)
    allowed = float(slack)
    if reference.dtype.kind not in "biu":
        digits = 7 if reference.dtype == BF16 else np.finfo(reference.dtype).nmant
        allowed = 4 * 2.0**-digits * float(np.abs(exact).max())
    worst = float(np.max(off))
    if worst <= allowed:
        return ""
    count = np.count_nonzero(~(off <= allowed))
    return f"{count} of {off.size} elements are wrong, by up to {worst:.3g}"
