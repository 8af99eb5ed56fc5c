"""Where scalar ops are emitted: the builder, the lane count, and values and constants of a dtype.

Owns how a value of each dtype is represented in LLVM IR, in a register and in memory. Knows no op.

In a register a bool is an ``i1``, an f16 or bf16 the ``i16`` that holds its bit pattern; every
other dtype has the LLVM type of its name. With ``lanes`` > 1 a value is a vector of that many such
elements. A ``half`` exists only within a conversion: LLVM would turn tests of its bits into
comparisons, for which a machine without conversions calls a routine.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, Protocol

import numpy as np
from llvmlite import ir

from opsir.dtypes import DType
from opsir.machine import Machine

HALF = ir.HalfType()
FLOAT = ir.FloatType()
DOUBLE = ir.DoubleType()
I1 = ir.IntType(1)
I8 = ir.IntType(8)
I16 = ir.IntType(16)
I32 = ir.IntType(32)
I64 = ir.IntType(64)

_INTEGERS: dict[int, ir.IntType] = {8: I8, 16: I16, 32: I32, 64: I64}
_FLOATS: dict[str, ir.Type] = {"f16": I16, "bf16": I16, "f32": FLOAT, "f64": DOUBLE}


class FlagSink(Protocol):
    """Takes note of conditions that a kernel reports after it has run."""

    def raise_if(self, kind: str, mask: ir.Value) -> None:
        """Raise flag ``kind`` ("divide" or "negative_power") if any lane of ``mask`` is true.

        ``mask`` is an ``i1`` or a vector of ``lanes`` of them.
        """
        ...


@dataclass(slots=True)
class BodyContext:
    """What every row of the emitter's table needs.

    ``builder`` stands where code is to be put; a row adds instructions there and never ends the
    block.  Without ``flags`` integer errors are not reported.
    """

    builder: ir.IRBuilder
    lanes: int
    machine: Machine
    flags: FlagSink | None = None
    constants: dict[tuple[str, int], ir.Value] = field(default_factory=dict[Any, Any])
    """Constants made so far, by element type and bit pattern."""

    def vector(self, element: ir.Type) -> ir.Type:
        """The type of one value: ``element`` itself, or a vector of ``lanes`` of it."""
        return element if self.lanes == 1 else ir.VectorType(element, self.lanes)


def scalar_type(dtype: DType) -> ir.Type:
    """The element type of a value in a register."""
    if dtype.is_logical:
        return I1
    return _FLOATS[dtype.name] if dtype.is_float else _INTEGERS[dtype.bits]


def value_type(dtype: DType, lanes: int) -> ir.Type:
    """The type of a value in a register: a scalar for one lane, else a vector."""
    element = scalar_type(dtype)
    return element if lanes == 1 else ir.VectorType(element, lanes)


def storage_type(dtype: DType) -> ir.Type:
    """The element type in memory, of ``dtype.itemsize`` bytes; a bool is a byte."""
    return I8 if dtype.is_logical else scalar_type(dtype)


def load_value(ctx: BodyContext, stored: ir.Value, dtype: DType) -> ir.Value:
    """Turn what was loaded into a value: a bool byte that is not 0 counts as true."""
    if not dtype.is_logical:
        return stored
    return ctx.builder.icmp_unsigned("!=", stored, pattern(ctx, I8, 0))


def store_value(ctx: BodyContext, value: ir.Value, dtype: DType) -> ir.Value:
    """Turn a value into what is stored: a bool becomes the byte 0 or 1."""
    return ctx.builder.zext(value, ctx.vector(I8)) if dtype.is_logical else value


def pattern(ctx: BodyContext, element: ir.Type, bits: int) -> ir.Value:
    """The constant whose every lane is ``element`` with this bit pattern.

    Integers are taken modulo their width.
    """
    key = (str(element), bits)
    known = ctx.constants.get(key)
    if known is None:
        known = ctx.constants[key] = _constant_of(ctx, element, bits)
    return known


def _constant_of(ctx: BodyContext, element: ir.Type, bits: int) -> ir.Value:
    text = _literal(element, bits)
    if ctx.lanes > 1:
        text = f"splat ({element} {text})"
    made = ir.FormattedConstant(element, text)
    made.type = ctx.vector(element)  # given to the constructor, a vector type would take text apart
    return made


def _literal(element: ir.Type, bits: int) -> str:
    """The spelling of a constant: floats by their bits, which no decimal round trip can change."""
    if isinstance(element, ir.IntType):
        if element.width == 1:
            return "true" if bits & 1 else "false"
        return str(bits & ((1 << element.width) - 1))
    return f"0x{_widened(bits) if element == FLOAT else bits:016X}"


def _widened(bits: int) -> int:
    """The f64 pattern by which LLVM spells an f32: of the same value, and of the same payload."""
    single = np.array(bits, np.uint32).view(np.float32)
    if np.isnan(single):  # a conversion would make it quiet
        return (bits >> 31) << 63 | 0x7FF << 52 | (bits & 0x7FFFFF) << 29
    return int(single.astype(np.float64).view(np.uint64))


def floating(ctx: BodyContext, element: ir.Type, value: float) -> ir.Value:
    """The constant ``value`` in every lane of a ``float`` or ``double``, rounded once."""
    if element == FLOAT:
        return pattern(ctx, FLOAT, int(np.array(value, np.float32).view(np.uint32)))
    return pattern(ctx, DOUBLE, int(np.array(value, np.float64).view(np.uint64)))


def constant(ctx: BodyContext, dtype: DType, value: Any) -> ir.Value:
    """The Python or NumPy scalar ``value`` as a constant of ``dtype`` in every lane.

    The value must be one that ``dtype`` has, or a number that NumPy converts to it.
    """
    if not dtype.is_float:
        return pattern(ctx, scalar_type(dtype), int(value) & ((1 << dtype.bits) - 1))
    stored = np.array(value, dtype.numpy)
    bits = int(stored.view(np.dtype(f"u{dtype.itemsize}")))
    return pattern(ctx, scalar_type(dtype), bits)


def known_bits(ctx: BodyContext, value: ir.Value) -> int | None:
    """The bit pattern that a constant has in every lane; None for what varies at run time."""
    if not isinstance(value, ir.Constant):
        return None
    return next((bits for (_, bits), known in ctx.constants.items() if known is value), None)


def splat(ctx: BodyContext, scalar: ir.Value) -> ir.Value:
    """Repeat a scalar register in every lane."""
    if ctx.lanes == 1:
        return scalar
    builder = ctx.builder
    undefined = ir.Constant(ir.VectorType(scalar.type, ctx.lanes), ir.Undefined)
    first = builder.insert_element(undefined, scalar, ir.Constant(I32, 0))
    zeros = ir.Constant(ir.VectorType(I32, ctx.lanes), None)
    return builder.shuffle_vector(first, undefined, zeros)
