"""Small edits of IR that several passes make, in place and without xDSL's pattern driver.

Owns the shortcuts that keep a pass well under a millisecond: a value is retyped where it stands.
Knows no single op but the function around it, and no pass.
"""

from __future__ import annotations

from collections.abc import Iterator

from xdsl.dialects.builtin import FunctionType
from xdsl.dialects.func import FuncOp, ReturnOp
from xdsl.ir import Attribute, Block, Operation, SSAValue


def functions_of(module: Operation) -> Iterator[FuncOp]:
    """The functions of a module that have a body."""
    for region in module.regions:
        for op in region.block.ops:
            if isinstance(op, FuncOp) and op.body.blocks:
                yield op


def blocks_of(module: Operation) -> Iterator[Block]:
    """Every block of every function, an inner one before the block around it."""
    for function in functions_of(module):
        yield from _inner_blocks(function)


def _inner_blocks(op: Operation) -> Iterator[Block]:
    for region in op.regions:
        for block in region.blocks:
            for inner in block.ops:
                if inner.regions:
                    yield from _inner_blocks(inner)
            yield block


def retype(value: SSAValue, type: Attribute) -> None:
    """Give ``value`` another type; its users are the caller's business."""
    value._type = type


def insert_before(new: Operation, old: Operation) -> None:
    """Put ``new`` in front of ``old``, in its block."""
    block = old.parent
    assert block is not None
    block.insert_op_before(new, old)


def insert_after(new: Operation, old: Operation) -> None:
    """Put ``new`` behind ``old``, in its block."""
    block = old.parent
    assert block is not None
    block.insert_op_after(new, old)


def replace_by_value(op: Operation, value: SSAValue) -> None:
    """Let the users of the one result of ``op`` use ``value``, and drop ``op``."""
    result = op.results[0]
    if value.name_hint is None:
        value.name_hint = result.name_hint
    result.replace_all_uses_with(value)
    block = op.parent
    assert block is not None
    block.erase_op(op)


def replace_by_op(op: Operation, new: Operation) -> None:
    """Put ``new`` in the place of ``op``; both have one result."""
    insert_before(new, op)
    replace_by_value(op, new.results[0])


def update_function_type(function: FuncOp) -> None:
    """Read the function's type again from its arguments and its return."""
    block = function.body.block
    last = block.last_op
    outputs = (
        [value.type for value in last.arguments]
        if isinstance(last, ReturnOp)
        else function.function_type.outputs.data
    )
    function.function_type = FunctionType.from_lists([a.type for a in block.args], list(outputs))
