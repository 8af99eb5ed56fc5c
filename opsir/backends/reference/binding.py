"""What a caller hands to a function of IR: checked against its types, symbols read off.

Owns the way from Python values to the arguments and symbols of one run. Evaluates no op.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, cast

import numpy as np
from xdsl.dialects.builtin import TensorType
from xdsl.dialects.func import FuncOp, ReturnOp
from xdsl.ir import Attribute

from opsir.diagnostics import OpsirTypeError, fail
from opsir.dialects.locations import fail_at
from opsir.dialects.opsir.types import (
    DYNAMIC,
    AnyTensor,
    dtype_of,
    element_of,
    extents_of,
    is_tensor,
    strides_of,
)
from opsir.dialects.opsir.weak_arguments import WeakArgument, argument_sources, weak_arguments
from opsir.dtypes import DType, from_numpy
from opsir.evaluate import cast as convert
from opsir.extent import Extent
from opsir.weak import bind

Array = np.ndarray[Any, np.dtype[Any]]
Value = Array | np.generic
"""A tensor, or a scalar of any dtype."""


def bind_arguments(function: FuncOp, arguments: Sequence[Any]) -> list[Value]:
    """The values of the function's own arguments, from those of the function as it was traced.

    Tensors take arrays and scalars NumPy scalars of exactly the declared dtype; what was a weak
    number takes a Python number. A wrong kind, dtype or rank is an OpsirTypeError, a number that
    does not fit an OpsirOverflowError.
    """
    types = [argument.type for argument in function.body.block.args]
    sources = argument_sources(function)
    weak = {entry.argument: entry for entry in weak_arguments(function)}
    expected = 1 + max(sources, default=-1)
    name = function.sym_name.data
    if len(arguments) != expected:
        fail(f"'{name}' takes {expected} arguments, got {len(arguments)}", error=OpsirTypeError)
    values: list[Value] = []
    for index, (type, source) in enumerate(zip(types, sources, strict=True)):
        given, what = arguments[source], f"argument {source} of '{name}'"
        given = np.bool_(given) if isinstance(given, bool) else given
        if (entry := weak.get(index)) is not None:
            values.append(_number(what, given, entry))
        else:
            dtype = dtype_of(element_of(type))
            if dtype is None:
                fail_at(function, f"has an argument of type {type}: run promote-types first")
            values.append(_typed(what, given, type, dtype))
    return values


def _number(what: str, given: Any, entry: WeakArgument) -> Value:
    allowed = (int, float) if entry.dtype.is_float else (int,)
    if type(given) not in allowed:
        names = " or ".join(kind.__name__ for kind in allowed)
        fail(f"{what} takes a Python {names}, got {_shown(given)}", error=OpsirTypeError)
    return bind(given, entry.role, entry.dtype)


def _typed(what: str, given: Any, type: Attribute, dtype: DType) -> Value:
    kind = np.ndarray if is_tensor(type) else np.generic
    if not isinstance(given, kind) or from_numpy(given.dtype) is not dtype:
        wanted = "an array" if is_tensor(type) else "a NumPy scalar"
        fail(f"{what} takes {wanted} of {dtype}, got {_shown(given)}", error=OpsirTypeError)
    if isinstance(type, TensorType) and np.ndim(given) != cast("AnyTensor", type).get_num_dims():
        shape = list(np.shape(given))
        fail(f"{what} has type {type}, got an array of shape {shape}", error=OpsirTypeError)
    return convert(given, dtype)


def _shown(given: Any) -> str:
    if isinstance(given, np.ndarray):
        return f"an array of {cast('Array', given).dtype}"
    if isinstance(given, np.generic):
        return f"a NumPy scalar of {given.dtype}"
    return f"a Python {type(given).__name__}"


def bind_symbols(
    function: FuncOp, arguments: Sequence[Any], outs: Sequence[Array]
) -> dict[str, int]:
    """The value of every symbol in the types of the function's arguments and results.

    Sizes decide before byte strides, arguments before ``outs``, which are the arrays that the
    results are meant for. A size other than its type says is an OpsirValueError.
    """
    last = function.body.block.last_op
    results = [v.type for v in last.arguments] if isinstance(last, ReturnOp) else []
    sources = argument_sources(function)
    given = [arguments[source] for source in sources]
    types = [argument.type for argument in function.body.block.args]
    tensors = [
        (cast("AnyTensor", type), array)
        for type, array in [*zip(types, given, strict=True), *zip(results, outs)]
        if isinstance(type, TensorType)
    ]
    env: dict[str, int] = {}
    for type, array in tensors:
        _read(env, extents_of(type), array.shape)
    for type, array in tensors:
        _read(env, strides_of(type), array.strides)
    for number, (type, array) in enumerate(tensors):
        _check_sizes(number, type, array, env)
    return env


def _read(env: dict[str, int], extents: Sequence[Extent] | None, numbers: Sequence[int]) -> None:
    for extent, number in zip(extents or (), numbers):
        if extent.coefficient == 1 and len(extent.symbols) == 1:
            env.setdefault(extent.symbols[0], number)


def _check_sizes(number: int, type: AnyTensor, array: Array, env: dict[str, int]) -> None:
    """Hold the sizes of an array against its type; a rank that differs is a size that does."""
    extents = extents_of(type)
    sizes = type.get_shape() if extents is None else [e.evaluate(env) for e in extents]
    fits = len(sizes) == array.ndim and all(
        wanted in (DYNAMIC, size) for wanted, size in zip(sizes, array.shape, strict=True)
    )
    if not fits:
        fail(
            f"tensor {number} of type {type} expects the shape "
            f"{[size if size != DYNAMIC else '?' for size in sizes]}, got {list(array.shape)}"
        )
