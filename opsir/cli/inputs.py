"""The arguments of a program for ``opsir-run``: read from files and numbers, or made at random.

Owns the reading of ``.npy`` files and of ``--shape``. Runs nothing.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, cast

import numpy as np
from xdsl.dialects.builtin import TensorType
from xdsl.dialects.func import FuncOp
from xdsl.ir import Attribute

from opsir.diagnostics import Location, fail
from opsir.dialects.locations import location_of
from opsir.dialects.opsir.types import (
    DYNAMIC,
    AnyTensor,
    WeakType,
    dtype_of,
    element_of,
    extents_of,
    is_tensor,
    strides_of,
)
from opsir.dtypes import BF16, DType
from opsir.extent import Extent, checked_product

Array = np.ndarray[Any, Any]

_SHAPE = re.compile(r"(?a:([0-9]{1,3}):((?:[0-9]{1,19}(?:x[0-9]{1,19})*)?))")
_SMALL = 1000
"""Random weak integers stay below this: they must fit whatever dtype they meet."""


@dataclass(frozen=True)
class Declared:
    """One argument as the function declares it; ``dtype`` is None for a Python number."""

    index: int
    type: Attribute
    dtype: DType | None
    location: Location | None

    @property
    def sizes(self) -> tuple[int, ...] | None:
        """Sizes outermost first, -1 for one known at run time only; None for a scalar.

        Also () for a tensor whose rank is not known.
        """
        if isinstance(self.type, TensorType):
            return cast("AnyTensor", self.type).get_shape()
        return () if is_tensor(self.type) else None

    def __str__(self) -> str:
        return f"argument {self.index} of type {self.type}"


def declared_arguments(function: FuncOp) -> list[Declared]:
    """What ``function`` takes, in order."""
    where = location_of(function)
    return [
        Declared(index, type, dtype_of(element_of(type)), where)
        for index, type in enumerate(function.function_type.inputs.data)
    ]


def read_argument(text: str, declared: Declared) -> Any:
    """The value of one ``--input``: a ``.npy`` file, or a number for a scalar argument."""
    if declared.sizes is None:
        return _read_number(text, declared)
    try:
        array = np.load(text, allow_pickle=False)
    except OSError as error:
        fail(f"cannot read {text}: {error.strerror or error}")
    except (ValueError, EOFError, MemoryError) as error:
        fail(f"cannot read {text}: {' '.join(str(error).split())}")
    if not isinstance(array, np.ndarray):
        fail(f"{text} holds several arrays; expected a .npy file with one")
    found = cast("Array", array)
    if declared.dtype == BF16 and found.dtype == np.dtype("V2"):
        # The .npy format has no name for bfloat16: NumPy saves it as two bytes of no kind.
        return found.view(BF16.numpy)
    return found


def _read_number(text: str, declared: Declared) -> Any:
    words: dict[str, Any] = {"true": True, "false": False}
    value: Any = words.get(text.lower())
    for read in (int, float):
        if value is None:
            try:
                value = read(text)
            except ValueError:
                continue
    if value is None:
        fail(f"{declared} takes a number, got {text!r}")
    if declared.dtype is None:
        return value
    try:
        return declared.dtype.numpy.type(value)
    except OverflowError:
        fail(f"{declared} takes a {declared.dtype}, got {text}, which does not fit")


def parse_shapes(texts: Sequence[str]) -> dict[int, tuple[int, ...]]:
    """``["0:4x1", "2:"]`` as a map from argument to sizes; nothing behind the colon is rank 0."""
    shapes: dict[int, tuple[int, ...]] = {}
    for text in texts:
        found = _SHAPE.fullmatch(text)
        if found is None:
            fail(f"--shape takes an argument's number and its sizes, as 0:4x1, got {text!r}")
        shapes[int(found[1])] = tuple(int(size) for size in found[2].split("x") if size)
    return shapes


def random_arguments(
    arguments: Sequence[Declared], shapes: Mapping[int, tuple[int, ...]], seed: int
) -> list[Any]:
    """One value per argument, the same for the same seed; ``shapes`` gives sizes left open."""
    for index in shapes:
        if index >= len(arguments):
            fail(f"--shape {index}: the function takes {len(arguments)} arguments")
    generator = np.random.default_rng(seed)
    sizes: dict[str, int] = {}
    return [_random(a, shapes.get(a.index), sizes, generator) for a in arguments]


def _random(
    declared: Declared,
    shape: tuple[int, ...] | None,
    sizes: dict[str, int],
    generator: np.random.Generator,
) -> Any:
    if declared.sizes is None:
        return _random_scalar(declared, generator)
    if declared.dtype is None or not isinstance(declared.type, TensorType):
        fail(f"{declared} cannot be made at random", declared.location)
    actual = tuple(_settle(declared, shape, sizes))
    checked_product((*actual, declared.dtype.itemsize), f"the size in bytes of {declared}")
    layout = strides_of(cast("AnyTensor", declared.type))
    if layout is None:
        return _random_values(declared.dtype, actual, generator)
    return _strided(declared, actual, _evaluated(declared, layout, sizes), generator)


def _settle(
    declared: Declared, shape: tuple[int, ...] | None, sizes: dict[str, int]
) -> Iterator[int]:
    """Sizes of one argument; ``sizes`` maps the symbols met so far and is added to."""
    static = declared.sizes or ()
    names = extents_of(cast("AnyTensor", declared.type)) or (None,) * len(static)
    if shape is not None and len(shape) != len(static):
        fail(f"--shape gives {len(shape)} sizes for {declared}", declared.location)
    for axis, (size, name) in enumerate(zip(static, names, strict=True)):
        symbol = None if name is None or name.is_constant else str(name)
        known = size if size != DYNAMIC else sizes.get(symbol or "")
        given = None if shape is None else shape[axis]
        if known is None and given is None:
            fail(f"give the sizes of {declared} with --shape {declared.index}:...")
        if known is not None and given not in (None, known):
            fail(f"--shape gives size {given} for axis {axis} of {declared}, expected {known}")
        actual = known if known is not None else given
        assert actual is not None
        if symbol is not None:
            sizes[symbol] = actual
        yield actual


def _evaluated(
    declared: Declared, strides: Sequence[Extent], sizes: Mapping[str, int]
) -> tuple[int, ...]:
    """Byte strides as numbers; one that depends on no size must come with an input file."""
    unknown = [s for stride in strides for s in stride.symbols if s not in sizes]
    if unknown:
        fail(f"{declared} has the stride {unknown[0]}, which no size decides: give it by --input")
    return tuple(stride.evaluate(sizes) for stride in strides)


def _strided(
    declared: Declared,
    shape: tuple[int, ...],
    strides: tuple[int, ...],
    generator: np.random.Generator,
) -> Array:
    """An array with these byte strides, inside a dense buffer that is as large as they need."""
    dtype = declared.dtype
    assert dtype is not None
    if any(stride % dtype.itemsize for stride in strides):
        fail(f"{declared} has strides that are no multiple of its elements: give it by --input")
    steps = [(size - 1) * stride for size, stride in zip(shape, strides, strict=True) if size]
    low = sum(step for step in steps if step < 0)
    high = sum(step for step in steps if step > 0)
    elements = checked_product(((high - low) // dtype.itemsize + 1,), f"the extent of {declared}")
    buffer = _random_values(dtype, (elements,), generator)
    start = buffer[-low // dtype.itemsize :]
    return np.lib.stride_tricks.as_strided(start, shape, strides)


def _random_values(dtype: DType, shape: tuple[int, ...], generator: np.random.Generator) -> Array:
    try:
        if dtype.is_float:
            return (4 * generator.standard_normal(shape)).astype(dtype.numpy)
        if dtype.is_logical:
            return generator.integers(0, 1, shape, np.bool_, endpoint=True)
        return generator.integers(dtype.min, dtype.max, shape, dtype.numpy, endpoint=True)
    except (MemoryError, ValueError) as error:
        fail(f"cannot make random values of shape {list(shape)}: {error}")


def _random_scalar(declared: Declared, generator: np.random.Generator) -> Any:
    if isinstance(declared.type, WeakType):
        whole = int(generator.integers(1, _SMALL))
        return whole if declared.type.data == "int" else whole / 64
    if declared.dtype is None:
        fail(f"{declared} cannot be made at random", declared.location)
    return _random_values(declared.dtype, (), generator)[()]
