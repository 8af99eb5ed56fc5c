"""When the results of a kernel can go past the caches at all, as far as its op says.

Owns the reasons against it, which the choice of a schedule and the emitter share. What only
addresses decide is left to run time.
"""

from __future__ import annotations

from opsir.dialects.nest.kernel import KernelOp
from opsir.dialects.opsir.types import dtype_of, element_of
from opsir.extent import Extent
from opsir.machine import Machine

MIN_BYTES = 16
"""Bytes of the narrowest store that bypasses the caches."""


def refuses_streaming(kernel: KernelOp, machine: Machine) -> str | None:
    """Why no store of the kernel, with the lanes that it has, can bypass the caches; or None."""
    if not machine.has_streaming_stores:
        return f"{machine.name} has no stores that bypass the caches"
    if kernel.tile is not None:
        return "results are written in tiles"
    for index, (output, move) in enumerate(
        zip(kernel.outputs, kernel.output_trajectories, strict=True)
    ):
        dtype = dtype_of(element_of(output.type))
        assert dtype is not None
        if not move.strides or move.strides[-1] != Extent(dtype.itemsize):
            return f"result #{index} does not move one element forward"
        if kernel.lanes * dtype.itemsize < MIN_BYTES:
            return f"{kernel.lanes} lanes of {dtype} are fewer than {MIN_BYTES} bytes"
    return None
