"""Counted loops in LLVM IR: one in which a nest continues, and a chain of stages over one axis.

Owns block structure and induction variables. Knows no operand and no op.
"""

from __future__ import annotations

from collections.abc import Callable, Generator
from contextlib import contextmanager

from llvmlite import ir

from opsir.backends.body.context import I64

STRAIGHT = 4
"""A loop of at most so many known iterations is written out."""

Prepare = Callable[[], Callable[[ir.Value], None]]
"""Emits what a loop needs once, in front of it; returns what emits its body at an index."""


@contextmanager
def counted(
    builder: ir.IRBuilder, start: ir.Value, stop: ir.Value, step: int | ir.Value, name: str
) -> Generator[ir.Value]:
    """A loop whose body the ``with`` block emits; yields its index.

    The index runs from ``start`` while below ``stop``; there is at least one iteration.
    """
    before = builder.block
    body, after = builder.append_basic_block(name), builder.append_basic_block(f"{name}.end")
    builder.branch(body)
    builder.position_at_end(body)
    index = builder.phi(I64, name=f"{name}.index")
    index.add_incoming(start, before)
    yield index
    following = builder.add(index, I64(step) if isinstance(step, int) else step)
    index.add_incoming(following, builder.block)
    builder.cbranch(builder.icmp_signed("<", following, stop), body, after)
    builder.position_at_end(after)


def stage(
    builder: ir.IRBuilder,
    position: ir.Value,
    stop: ir.Value,
    step: int,
    name: str,
    prepare: Prepare,
) -> ir.Value:
    """Steps of ``step`` elements from ``position`` while they fit below ``stop``.

    Returns the position of the first element that is left over. Where both ends are constants no
    branch is emitted that never, or always, goes one way.
    """
    first, last = _known(position), _known(stop)
    if first is not None and last is not None:
        count = max(last - first, 0) // step
        return _known_stage(builder, first, count, step, name, prepare)
    before = builder.block
    enter = builder.append_basic_block(f"{name}.enter")
    after = builder.append_basic_block(f"{name}.end")
    limit = builder.sub(stop, I64(step))
    builder.cbranch(builder.icmp_signed("<=", position, limit), enter, after)
    builder.position_at_end(enter)
    following = _loop(builder, position, limit, step, name, prepare(), after)
    left = builder.phi(I64, name=f"{name}.left")
    left.add_incoming(position, before)
    left.add_incoming(following[0], following[1])
    return opaque(builder, left)


def smaller(builder: ir.IRBuilder, one: ir.Value, other: ir.Value) -> ir.Value:
    """The smaller of two signed integers: where a block ends that may be cut off."""
    return builder.select(builder.icmp_signed("<", one, other), one, other)


def opaque(builder: ir.IRBuilder, value: ir.Value) -> ir.Value:
    """The same i64, of which LLVM can't tell where it comes from; no instruction.

    Else it sees that the addresses of the elements left over continue those of the loop before, and
    has that loop count them along: half of its instructions.
    """
    return builder.asm(ir.FunctionType(I64, [I64]), "", "=r,0", [value], side_effect=False)


def _known_stage(
    builder: ir.IRBuilder, first: int, count: int, step: int, name: str, prepare: Prepare
) -> ir.Value:
    end = first + count * step
    if count == 0:
        return I64(end)
    emit = prepare()
    if count <= STRAIGHT:
        for position in range(first, end, step):
            emit(I64(position))
    else:
        after = builder.append_basic_block(f"{name}.end")
        _loop(builder, I64(first), I64(end - step), step, name, emit, after)
    return I64(end)


def _loop(
    builder: ir.IRBuilder,
    start: ir.Value,
    limit: ir.Value,
    step: int,
    name: str,
    emit: Callable[[ir.Value], None],
    after: ir.Block,
) -> tuple[ir.Value, ir.Block]:
    """Loop while the next index is at most ``limit``; goes on to ``after``.

    Returns the index after the last and the block that it comes from.
    """
    before = builder.block
    body = builder.append_basic_block(name)
    builder.branch(body)
    builder.position_at_end(body)
    index = builder.phi(I64, name=f"{name}.index")
    index.add_incoming(start, before)
    emit(index)
    following, latch = builder.add(index, I64(step)), builder.block
    index.add_incoming(following, latch)
    builder.cbranch(builder.icmp_signed("<=", following, limit), body, after)
    builder.position_at_end(after)
    return following, latch


def _known(value: ir.Value) -> int | None:
    return value.constant if isinstance(value, ir.Constant) else None
