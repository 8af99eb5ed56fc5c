"""Questions answered without data: result dtypes, broadcast shapes, plans.

Owns what may stand for an operand that is not there. Every answer comes from the rules and passes
that compilation uses.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, cast

import numpy as np
from xdsl.dialects.builtin import ModuleOp, TensorType
from xdsl.dialects.func import FuncOp
from xdsl.ir import BlockArgument

from opsir import eager, pipeline
from opsir.compiler import make_context
from opsir.description import Plan, plan_of
from opsir.diagnostics import OpsirError, OpsirTypeError, fail
from opsir.dialects.locations import location_of
from opsir.dialects.opsir import RequireEqualOp
from opsir.dialects.opsir.shapes import DYNAMIC, MAX_RANK
from opsir.dialects.opsir.weak_arguments import argument_sources
from opsir.dtypes import BOOL, F64, I64, DType
from opsir.extent import checked_int64, checked_product
from opsir.frontends.build import build_module
from opsir.frontends.numpy_api import UFUNCS
from opsir.frontends.options import JitOptions
from opsir.frontends.places import user_location
from opsir.frontends.records import ArgSpec
from opsir.frontends.tracer import trace
from opsir.frontends.values import array_dtype, as_dtype
from opsir.promotion import OP_RULES, Operand, PromotionError, Weak, resolve
from opsir.runtime.jit import Jitted
from opsir.runtime.specialise import compile_options
from opsir.runtime.target import host_caches
from opsir.signature import (
    WEAK_FLOAT,
    WEAK_INT,
    Argument,
    View,
    bind_symbols,
    scalar,
    signature_of,
)
from opsir.sizes import Mismatch, broadcast, constant

_DEFAULTS = JitOptions()


def result_type(
    op: Any,
    *operands: Any,
    rules: str = "numpy",
    scalars: str = "weak",
    default_float: Any = None,
) -> np.dtype[Any]:
    """The dtype of ``op`` applied to operands: dtypes, arrays, NumPy scalars or Python numbers.

    ``op`` is a name, an eager function or a NumPy ufunc; the options are those of ``jit``. Raises
    OpsirTypeError for dtypes that the op does not take.
    """
    options = JitOptions.of(rules=rules, scalars=scalars, default_float=default_float)
    name = op_name(op)
    _check_arity(name, len(operands))
    given = [_operand(value, options) for value in operands]
    default = options.settled_default_float
    try:
        return resolve(OP_RULES[name], given, options.rules, default, name).result.numpy
    except PromotionError as error:
        fail(error.detail, user_location(), PromotionError)


def broadcast_shapes(*shapes: Any) -> tuple[int, ...]:
    """The common shape of right-aligned shapes, each a tuple of sizes or one size.

    Raises OpsirValueError for sizes that do not fit or are negative, OpsirOverflowError for a
    result of more elements than 64 bits count.
    """
    sizes = [_shape(shape) for shape in shapes]
    try:
        common = broadcast([tuple(map(constant, shape)) for shape in sizes] or [()], [])
    except Mismatch as error:
        fail(str(error), user_location())
    result = tuple(axis.size.extent().value for axis in common)
    checked_product(result, "the number of elements")
    return result


def plan(op: Any, *operands: Any) -> Plan:
    """How ``op``, a jitted function or a function of arrays would run on operands.

    Each operand is an array, a pair (shape, dtype) standing for a dense one, a dtype standing for
    a scalar, or a Python number. Nothing is compiled to machine code.
    """
    function, options = _function(op)
    given = [_facts(value, options) for value in operands]
    program = trace(function, [_spec(facts) for facts in given], options)
    stand_ins = [_stand_in(f, v) for f, v in zip(given, operands, strict=True)]
    hidden = program.hidden_values(stand_ins)
    given += [_facts(value, options) for value in hidden]
    l1, last_level = host_caches()
    sizes = program.view_sizes([*stand_ins, *hidden])
    signature = signature_of([*given, *sizes], l1=l1, last_level=last_level)
    module = build_module(program, signature.tensor_types(), options)
    chosen = compile_options(options, bucket=signature.bucket)
    pipeline.run(make_context(), module, chosen.pipeline)
    _check_sizes(module, given)
    return plan_of(module, bind_symbols(signature.symbol_sources(), [*given, *sizes]))


def refuses_broadcast(*shapes: Any) -> str | None:
    """Why shapes have no common shape, or None if they have one: a question of sizes alone."""
    return _refusal(lambda: broadcast_shapes(*shapes))


def refuses_plan(op: Any, *operands: Any) -> str | None:
    """Why ``op`` can't be compiled for operands, given as for ``plan``, or None if it can.

    Operands that broadcast may be refused all the same: for their dtypes, their rank, or because
    the program states other sizes.
    """
    return _refusal(lambda: plan(op, *operands))


def _refusal(ask: Callable[[], object]) -> str | None:
    try:
        ask()
    except OpsirError as error:
        return error.detail
    return None


def _stand_in(facts: View | Argument, value: Any) -> Any:
    """An array of the right shape without memory of its own; a number is itself."""
    if isinstance(facts, View):
        return np.broadcast_to(facts.dtype.numpy.type(0), facts.shape)
    return value


def _check_sizes(module: ModuleOp, given: Sequence[View | Argument]) -> None:
    """Refuse sizes that have to agree and do not, as a call does before it runs."""
    for op in module.walk():
        if isinstance(op, FuncOp):
            _check_stated(op, given)
        elif isinstance(op, RequireEqualOp):
            sources = argument_sources(cast("FuncOp", op.parent_op()))
            values = [cast("BlockArgument", operand) for operand in op.operands]
            views = [cast("View", given[sources[value.index]]) for value in values]
            shapes = [view.shape for view in views]
            sizes = [s[axis] for s, axis in zip(shapes, op.axis_pair(), strict=True)]
            if sizes[0] != sizes[1]:
                first, second = map(list, shapes)
                fail(
                    f"shapes {first} and {second} do not broadcast: sizes {sizes[0]} and "
                    f"{sizes[1]} have to be equal",
                    location_of(op),
                )


def _check_stated(function: FuncOp, given: Sequence[View | Argument]) -> None:
    """Refuse sizes other than those that a shape in the function fixes."""
    sources = argument_sources(function)
    for argument, source in zip(function.body.block.args, sources, strict=True):
        if not isinstance(argument.type, TensorType):
            continue
        shape, stated = cast("View", given[source]).shape, argument.type.get_shape()
        if any(wanted not in (DYNAMIC, size) for size, wanted in zip(shape, stated, strict=True)):
            fail(
                f"operand {source} has shape {list(shape)}, but a shape or a contract in the "
                f"function asks for {argument.type}",
                location_of(function),
            )


def op_name(op: Any) -> str:
    """The op of the dialect for one of its public names, an eager function or a NumPy ufunc."""
    if isinstance(op, np.ufunc):
        name = UFUNCS.get(op)
    else:
        public = op if isinstance(op, str) else getattr(op, "__name__", "")
        name = getattr(getattr(eager, public, None), "__name__", None)
    if name not in OP_RULES:
        fail(f"{op!r} is no op; there are {', '.join(sorted(OP_RULES))}", user_location())
    return name


def _check_arity(name: str, given: int) -> None:
    arity = eager.BY_NAME[name].arity
    if given != arity:
        fail(f"{name} takes {arity} operands, got {given}", user_location(), OpsirTypeError)


def _operand(value: Any, options: JitOptions) -> Operand:
    facts = _facts(value, options)
    if facts is WEAK_INT or facts is WEAK_FLOAT:
        return Weak.INT if facts is WEAK_INT else Weak.FLOAT
    return cast("DType", facts.dtype)


def _facts(value: Any, options: JitOptions) -> View | Argument:
    """What stands for an operand: strided memory at no address, or a scalar's facts."""
    if type(value) is bool:
        return scalar(BOOL)
    if type(value) is int or type(value) is float:
        is_int = type(value) is int
        if options.scalars == "strict":
            return scalar(I64 if is_int else F64)
        return WEAK_INT if is_int else WEAK_FLOAT
    if isinstance(value, np.ndarray):
        dtype = array_dtype(value, "an operand", user_location())
        return View(0, value.shape, value.strides, dtype)
    if isinstance(value, np.generic):
        return scalar(array_dtype(value, "an operand", user_location()))
    if isinstance(value, tuple):
        return _dense(cast("tuple[Any, ...]", value))
    return scalar(as_dtype(value, user_location()))


def _dense(pair: tuple[Any, ...]) -> View:
    if len(pair) != 2:
        fail(f"an operand is a pair (shape, dtype), got {pair!r}", user_location(), OpsirTypeError)
    shape, dtype = _shape(pair[0]), as_dtype(pair[1], user_location())
    if len(shape) > MAX_RANK:
        fail(f"rank {len(shape)} is above the limit of {MAX_RANK}", user_location())
    checked_product((*shape, dtype.itemsize), "the number of bytes")
    strides: list[int] = []
    step = dtype.itemsize
    for size in reversed(shape):
        strides.append(step)
        step *= size
    return View(0, shape, tuple(reversed(strides)), dtype)


def _shape(shape: Any) -> tuple[int, ...]:
    items: Sequence[Any] = shape if isinstance(shape, tuple | list) else (shape,)
    for size in items:
        if isinstance(size, bool) or not isinstance(size, int | np.integer) or size < 0:
            fail(f"a shape holds sizes of at least 0, got {shape!r}", user_location())
    return tuple(checked_int64(int(size), "a size") for size in items)


def _spec(facts: View | Argument) -> ArgSpec:
    if isinstance(facts, View):
        return ArgSpec("array", facts.dtype, len(facts.shape))
    return ArgSpec(facts.kind, facts.dtype)


def _function(op: Any) -> tuple[Callable[..., Any], JitOptions]:
    if isinstance(op, Jitted):
        return op.function, op.options
    try:
        return getattr(eager, op_name(op)), _DEFAULTS
    except OpsirError:
        if not callable(op):
            raise
        return op, _DEFAULTS
