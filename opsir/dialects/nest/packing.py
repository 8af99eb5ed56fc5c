"""When a kernel can run in packed blocks: short rows as one flat axis, or strided rows gathered.

Owns the reasons against it, which the choice of a schedule and the emitter share. Whether rows are
short enough is seen at run time.
"""

from __future__ import annotations

from xdsl.ir import Attribute

from opsir.dialects.nest.kernel import KernelOp
from opsir.dialects.opsir.base import ElementwiseOp
from opsir.dialects.opsir.types import dtype_of, element_of
from opsir.extent import ZERO, Extent
from opsir.flattening import pair_kinds


def refuses_packing(kernel: KernelOp) -> str | None:
    """Why the two innermost axes can't be run as one in blocks, or None if they can."""
    if len(kernel.extents.data) < 2:
        return "there are no rows"
    if kernel.lanes == 1:
        return "one lane is no vector"
    if kernel.tile is not None:
        return "results are written in tiles"
    space = kernel.space
    kinds = pair_kinds(space)
    for index, kind in enumerate(kinds[len(kernel.tensor_inputs) :]):
        if kind != "flat":
            return f"the rows of result #{index} do not follow one after the other"
    types = [kernel.inputs[i].type for i in kernel.tensor_inputs]
    types += [output.type for output in kernel.outputs]
    for type, move in zip(types, space.trajectories, strict=True):
        dtype = dtype_of(element_of(type))
        assert dtype is not None
        if move.strides[-1] not in (ZERO, Extent(dtype.itemsize)):
            return f"elements of {type} do not lie side by side in a row"
    return None


def packed_elements(kernel: KernelOp) -> int | None:
    """Elements of a packed block where the schedule asks for one that is possible, else None."""
    return kernel.block_elements if refuses_packing(kernel) is None else None


def refuses_gathering(kernel: KernelOp) -> str | None:
    """Why rows can't be gathered into dense blocks, or why that gains nothing; None if they can.

    A block is a part of a row, so an expensive op that belongs to a row would run more often.
    """
    if not kernel.extents.data:
        return "there are no rows"
    if kernel.tile is not None:
        return "results are written in tiles"
    if any(isinstance(op, ElementwiseOp) and op.expensive for op in kernel.block.ops):
        return "an expensive op might be repeated"
    steps = [move.strides[-1] for move in kernel.space.trajectories]
    types = [kernel.inputs[i].type for i in kernel.tensor_inputs]
    types += [output.type for output in kernel.outputs]
    plain = [_plain_steps(type) for type in types]
    for index in kernel.output_indices:
        if steps[index] != plain[index][0]:
            return "a result is not dense along the rows"
    strided = any(step not in known for step, known in zip(steps, plain, strict=True))
    return None if strided else "no operand is strided"


def _plain_steps(type: Attribute) -> tuple[Extent, ...]:
    """Bytes from one element to the next in dense rows; in reversed ones; in held ones."""
    dtype = dtype_of(element_of(type))
    assert dtype is not None
    return Extent(dtype.itemsize), Extent(-dtype.itemsize), ZERO


def gathered_elements(kernel: KernelOp) -> int | None:
    """Elements of a gathered block where the schedule asks for one that is possible, else None."""
    return kernel.block_elements if refuses_gathering(kernel) is None else None
