"""Compiles single scalar ops with the body emitter, over arrays: what the body tests share."""

from __future__ import annotations

import ctypes
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from llvmlite import ir

from opsir.backends.body import (
    LIBM,
    BodyContext,
    constant,
    emit,
    load_value,
    storage_type,
    store_value,
    value_type,
)
from opsir.backends.cpu import llvm
from opsir.backends.cpu.host import can_run
from opsir.dtypes import DType
from opsir.evaluate import evaluate, evaluate_flags
from opsir.machine import MACHINES, Machine

Array = np.ndarray[Any, np.dtype[Any]]
Values = Callable[[DType], Array]

FLAGS = ("divide", "negative_power")
RUNNABLE = [machine for machine in MACHINES.values() if can_run(machine)]
_I8, _I64, _POINTER = ir.IntType(8), ir.IntType(64), ir.PointerType()


@dataclass(frozen=True)
class Case:
    """One op on operands of given dtypes, ``lanes`` elements at a time.

    The last operands may be literals, NumPy scalars of their dtypes.
    """

    name: str
    operands: tuple[DType, ...]
    result: DType
    lanes: int
    literals: tuple[Any, ...] = ()

    @property
    def symbol(self) -> str:
        values = [np.asarray(literal).tobytes().hex() for literal in self.literals]
        parts = [self.name, *map(str, self.operands), str(self.result), str(self.lanes), *values]
        return "_".join(parts)

    @property
    def variables(self) -> tuple[DType, ...]:
        return self.operands[: len(self.operands) - len(self.literals)]


@dataclass
class Flags:
    """A ``FlagSink`` that stores one byte per flag and never clears it."""

    builder: ir.IRBuilder
    place: ir.Value
    kinds: set[str] = field(default_factory=set[str])

    def raise_if(self, kind: str, mask: ir.Value) -> None:
        builder = self.builder
        if isinstance(mask.type, ir.VectorType):
            mask = builder.bitcast(mask, ir.IntType(mask.type.count))
        raised = builder.icmp_unsigned("!=", mask, mask.type(0))
        slot = builder.gep(self.place, [_I64(FLAGS.index(kind))], source_etype=_I8)
        old = builder.load(slot, typ=_I8)
        builder.store(builder.or_(old, builder.zext(raised, _I8)), slot)


def _function(module: ir.Module, case: Case, machine: Machine) -> None:
    """A loop over ``count`` elements, which ``lanes`` divides.

    The parameters are count, flags, one pointer per operand, and the result's.
    """
    arity = len(case.variables)
    kind = ir.FunctionType(ir.VoidType(), [_I64, *[_POINTER] * (arity + 2)])
    function = ir.Function(module, kind, case.symbol)
    entry, loop, leave = (function.append_basic_block(n) for n in ("entry", "loop", "leave"))
    ir.IRBuilder(entry).branch(loop)
    builder = ir.IRBuilder(loop)
    index = builder.phi(_I64)
    index.add_incoming(_I64(0), entry)
    context = BodyContext(builder, case.lanes, machine, Flags(builder, function.args[1]))

    def address(pointer: ir.Value, dtype: DType) -> ir.Value:
        return builder.gep(pointer, [index], source_etype=storage_type(dtype))

    values: list[ir.Value] = []
    for pointer, dtype in zip(function.args[2:-1], case.variables, strict=True):
        stored = context.vector(storage_type(dtype))
        loaded = builder.load(address(pointer, dtype), typ=stored, align=dtype.itemsize)
        values.append(load_value(context, loaded, dtype))
    dtypes = case.operands[len(case.variables) :]
    values += [constant(context, d, x) for d, x in zip(dtypes, case.literals, strict=True)]
    result = emit(context, case.name, values, case.operands, case.result)
    assert result.type == value_type(case.result, case.lanes)
    target = address(function.args[-1], case.result)
    builder.store(store_value(context, result, case.result), target, align=case.result.itemsize)
    following = builder.add(index, _I64(case.lanes))
    index.add_incoming(following, loop)
    builder.cbranch(builder.icmp_unsigned("<", following, function.args[0]), loop, leave)
    ir.IRBuilder(leave).ret_void()


def module_text(machine: Machine, cases: Iterable[Case]) -> str:
    tools = llvm.toolchain(machine)
    module = ir.Module("body")
    module.triple, module.data_layout = tools.triple, tools.layout
    for case in cases:
        _function(module, case, machine)
    return str(module)


@dataclass
class Library:
    """Compiled cases; calling one gives the result and the set of flags raised."""

    code: llvm.LoadedCode

    def __call__(self, case: Case, operands: Sequence[Array]) -> tuple[Array, set[str]]:
        size = operands[0].size
        count = -(-size // case.lanes) * case.lanes
        padded = [np.resize(operand, count) for operand in operands]
        result = np.zeros(count, case.result.numpy)
        flags = np.zeros(len(FLAGS), np.uint8)
        pointers = [x.ctypes.data for x in (flags, *padded, result)]
        kind = ctypes.CFUNCTYPE(None, ctypes.c_int64, *[ctypes.c_void_p] * len(pointers))
        kind(self.code.address(case.symbol))(count, *pointers)
        return result[:size], {n for n, raised in zip(FLAGS, flags, strict=True) if raised}


def compile_cases(machine: Machine, cases: Sequence[Case]) -> Library:
    """One library of this process; it may call nothing but functions of ``LIBM``."""
    image = llvm.object_code(module_text(machine, cases), machine, LIBM)
    return Library(llvm.LoadedCode(image, [case.symbol for case in cases]))


def lanes_of(machine: Machine, dtypes: Iterable[DType]) -> tuple[int, int]:
    """One lane, and as many as fill a register with the narrowest of ``dtypes``."""
    return 1, max(2, machine.vector_bytes // min(dtype.itemsize for dtype in dtypes))


def canonical(x: Array) -> Array:
    """Bit patterns in which every NaN is the same."""
    bits = x.view(np.dtype(f"u{x.dtype.itemsize}"))
    if x.dtype.kind in "biu":
        return bits
    with np.errstate(invalid="ignore"):
        return np.where(np.not_equal(x, x), ~bits.dtype.type(0), bits)


def mismatches(case: Case, operands: Sequence[Array], got: Array) -> list[str]:
    """The first few elements that differ from what the op means."""
    expected = evaluate(case.name, (*operands, *case.literals), case.result)
    wrong = np.flatnonzero(canonical(expected) != canonical(got))
    return [
        f"{case.symbol}({', '.join(str(x[i]) for x in operands)}) is {got[i]}, not {expected[i]}"
        for i in wrong[:3]
    ]


def check(machine: Machine, cases: Sequence[Case], inputs: Callable[[Case], list[Array]]) -> None:
    """Run every case on its inputs; results and flags must be those that ``evaluate`` gives."""
    library = compile_cases(machine, cases)
    found: list[str] = []
    for case in cases:
        operands = inputs(case)
        got, flags = library(case, operands)
        found += mismatches(case, operands, got)
        if flags != set(evaluate_flags(case.name, (*operands, *case.literals))):
            found.append(f"{case.symbol} raises {flags or 'no flag'}")
    assert found == []
