"""Stores that go past the caches: what they need of addresses, before them and after them.

Owns the condition, decided once at run time, the way to a vector boundary, and the fence. Emits no
loop and no store.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from llvmlite import ir

from opsir.backends.body.context import I64
from opsir.dtypes import DType
from opsir.trajectory import Trajectory

MIN_VECTORS = 16
"""Vectors in a row below which its two ends cost more than the streaming of the rest gains."""


@dataclass(frozen=True, slots=True)
class Result:
    """Where one result begins, how it moves, and what its elements are."""

    pointer: ir.Value
    move: Trajectory
    dtype: DType

    @property
    def shift(self) -> ir.Constant:
        """Bits by which a distance in bytes is shifted to count elements."""
        return I64(self.dtype.itemsize.bit_length() - 1)


def may_stream(
    builder: ir.IRBuilder,
    results: Sequence[Result],
    steps: Sequence[Sequence[ir.Value]],
    row_elements: ir.Value,
    lanes: int,
) -> ir.Value:
    """Whether one peel brings all results to a vector boundary in every row, and rows are long.

    ``steps`` are each result's strides in bytes along all axes but the innermost. Holds where
    every address and step is a whole number of elements, and all results are the same number of
    elements away from a boundary.
    """
    places = [
        (builder.ptrtoint(result.pointer, I64), *own)
        for result, own in zip(results, steps, strict=True)
    ]
    wrong: ir.Value = I64(0)
    for together in zip(*places, strict=True):
        leading = builder.ashr(together[0], results[0].shift)
        for result, place in zip(results, together, strict=True):
            odd = builder.and_(place, I64(result.dtype.itemsize - 1))
            away = builder.xor(builder.ashr(place, result.shift), leading)
            apart = builder.and_(away, I64(lanes - 1))
            wrong = builder.or_(wrong, builder.or_(apart, odd))
    long = builder.icmp_signed(">=", row_elements, I64(MIN_VECTORS * lanes))
    return builder.and_(long, builder.icmp_signed("==", wrong, I64(0)))


def boundary(builder: ir.IRBuilder, result: Result, lanes: int, stop: ir.Value) -> ir.Value:
    """Elements from a result's address to the next whole vector, at most ``stop``."""
    elements = builder.lshr(builder.ptrtoint(result.pointer, I64), result.shift)
    away = builder.and_(builder.sub(I64(0), elements), I64(lanes - 1))
    return builder.select(builder.icmp_signed("<", away, stop), away, stop)


def fence(builder: ir.IRBuilder) -> None:
    """Order what was streamed before everything that is stored from here on."""
    function = builder.module.globals.get("llvm.x86.sse.sfence")
    if function is None:
        kind = ir.FunctionType(ir.VoidType(), [])
        function = ir.Function(builder.module, kind, "llvm.x86.sse.sfence")
    builder.call(function, [])
