"""When the rows of a kernel can run as one flat axis in packed blocks, as far as its op says.

Owns the reasons against it, which the choice of a schedule and the emitter share. Whether rows are
short enough is seen at run time.
"""

from __future__ import annotations

from opsir.dialects.nest.kernel import KernelOp
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
