"""Loads and stores of one operand over a number of lanes, by how the innermost axis moves.

Owns the instruction pattern of each kind of stride. Addresses only ever grow by byte offsets from
a base pointer, and no access assumes an alignment but those that its caller has established.
"""

from __future__ import annotations

from collections.abc import Iterator

from llvmlite import ir

from opsir.backends.body.context import (
    I8,
    I32,
    I64,
    BodyContext,
    load_value,
    storage_type,
    store_value,
)
from opsir.dtypes import DType
from opsir.extent import Extent

POINTER = ir.PointerType()


def offset(builder: ir.IRBuilder, pointer: ir.Value, distance: ir.Value) -> ir.Value:
    """The address ``distance`` bytes after ``pointer``."""
    return builder.gep(pointer, [distance], source_etype=I8)


def load(
    ctx: BodyContext, pointer: ir.Value, dtype: DType, stride: Extent, step: ir.Value
) -> ir.Value:
    """Read ``ctx.lanes`` elements, the first at ``pointer``, each ``stride`` bytes further.

    ``step`` is the stride as a value.
    """
    if ctx.lanes == 1:
        return load_value(ctx, _read(ctx, pointer, storage_type(dtype)), dtype)
    stored = _load_stored(ctx, pointer, dtype, stride, step)
    return load_value(ctx, stored, dtype)


def store(
    ctx: BodyContext,
    value: ir.Value,
    pointer: ir.Value,
    dtype: DType,
    stride: Extent,
    step: ir.Value,
    *,
    streamed: bool = False,
) -> None:
    """Write ``ctx.lanes`` elements, the first to ``pointer``, each ``stride`` bytes further.

    ``streamed`` elements lie one after the other from a vector boundary on; more than one of them
    go past the caches.
    """
    stored = store_value(ctx, value, dtype)
    direction = _direction(stride, dtype)
    if streamed and ctx.lanes > 1:
        written = ctx.builder.store(stored, pointer, align=ctx.lanes * dtype.itemsize)
        written.set_metadata("nontemporal", ctx.builder.module.add_metadata([I32(1)]))
    elif ctx.lanes == 1 or direction == 1:
        ctx.builder.store(stored, pointer, align=1)
    elif direction == -1:
        ctx.builder.store(_reverse(ctx, stored), _lowest(ctx, pointer, dtype), align=1)
    else:
        for lane, address in enumerate(_addresses(ctx, pointer, step)):
            element = ctx.builder.extract_element(stored, I32(lane))
            ctx.builder.store(element, address, align=1)


def _load_stored(
    ctx: BodyContext, pointer: ir.Value, dtype: DType, stride: Extent, step: ir.Value
) -> ir.Value:
    element = storage_type(dtype)
    direction = _direction(stride, dtype)
    if direction == 1:
        return _read(ctx, pointer, ctx.vector(element))
    if direction == -1:
        return _reverse(ctx, _read(ctx, _lowest(ctx, pointer, dtype), ctx.vector(element)))
    gathered: ir.Value = ir.Constant(ctx.vector(element), ir.Undefined)
    for lane, address in enumerate(_addresses(ctx, pointer, step)):
        gathered = ctx.builder.insert_element(gathered, _read(ctx, address, element), I32(lane))
    return gathered


def _direction(stride: Extent, dtype: DType) -> int:
    """1 for dense elements, -1 for dense ones in reverse, else 0."""
    if stride == Extent(dtype.itemsize):
        return 1
    return -1 if stride == Extent(-dtype.itemsize) else 0


def _read(ctx: BodyContext, pointer: ir.Value, type: ir.Type) -> ir.Value:
    return ctx.builder.load(pointer, align=1, typ=type)


def _lowest(ctx: BodyContext, pointer: ir.Value, dtype: DType) -> ir.Value:
    """The address of the last of ``ctx.lanes`` elements that lie in reverse."""
    return offset(ctx.builder, pointer, I64((1 - ctx.lanes) * dtype.itemsize))


def _reverse(ctx: BodyContext, vector: ir.Value) -> ir.Value:
    order = ir.Constant(
        ir.VectorType(I32, ctx.lanes), [I32(lane) for lane in reversed(range(ctx.lanes))]
    )
    return ctx.builder.shuffle_vector(vector, ir.Constant(vector.type, ir.Undefined), order)


def _addresses(ctx: BodyContext, pointer: ir.Value, step: ir.Value) -> Iterator[ir.Value]:
    """The address of each lane, one step after the other."""
    for lane in range(ctx.lanes):
        if lane:
            pointer = offset(ctx.builder, pointer, step)
        yield pointer
