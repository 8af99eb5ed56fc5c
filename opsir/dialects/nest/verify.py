"""What a kernel must satisfy so that emitters need not look twice.

Owns the checks on spaces, trajectories and schedule values as plain functions that raise
VerifyException. Knows no op class and no target.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from math import prod

from xdsl.dialects.builtin import TensorType
from xdsl.ir import Attribute
from xdsl.utils.exceptions import VerifyException

from opsir.dialects.nest.attributes import extents_text
from opsir.dialects.opsir.shapes import MAX_RANK
from opsir.dialects.opsir.types import DYNAMIC, AnyTensor, dtype_of
from opsir.extent import INT64_MAX, ONE, ZERO, Extent
from opsir.trajectory import Trajectory

MAX_LANES = 64
RANGES = {"unroll": (1, 16), "tile": (1, 256), "stream": (0, 1), "block": (1, 65536)}
"""Lowest and highest value of each schedule property that is a plain number."""


def check_extents(extents: Sequence[Extent]) -> None:
    """At most 64 axes, none negative, and a count of iterations that fits 64 bits."""
    if len(extents) > MAX_RANK:
        raise VerifyException(f"rank {len(extents)} is above the limit of {MAX_RANK}")
    for axis, extent in enumerate(extents):
        if extent.coefficient < 0:
            raise VerifyException(f"extent {extent} of axis {axis} is negative")
    count = prod(e.coefficient for e in extents if e != ZERO)
    if count > INT64_MAX:
        raise VerifyException(
            f"extents {extents_text(extents)} make more than {INT64_MAX} iterations"
        )


def check_strides(what: str, trajectory: Trajectory, extents: Sequence[Extent]) -> None:
    """One stride per axis."""
    if len(trajectory.strides) != len(extents):
        raise VerifyException(
            f"{what} has {len(trajectory.strides)} strides for {len(extents)} extents, "
            "expected one per axis"
        )


def check_output(
    what: str, type: AnyTensor, trajectory: Trajectory, extents: Sequence[Extent]
) -> None:
    """Every element of the result is written at most once, and none is left out for sure."""
    check_strides(what, trajectory, extents)
    dtype = dtype_of(type.element_type)
    assert dtype is not None
    for axis, (extent, stride) in enumerate(zip(extents, trajectory.strides, strict=True)):
        if stride == ZERO and extent not in (ZERO, ONE) and ZERO not in extents:
            raise VerifyException(
                f"{what} has stride 0 on axis {axis} of extent {extent}: "
                "an element would be written more than once"
            )
    if trajectory.is_injective(extents, dtype.itemsize) is False:
        raise VerifyException(
            f"{what} writes overlapping elements: strides {extents_text(trajectory.strides)} "
            f"over extents {extents_text(extents)} with {dtype.itemsize} bytes per element"
        )
    shape = type.get_shape()
    if DYNAMIC in shape or not all(e.is_constant for e in extents):
        return
    if prod(shape) != prod(e.value for e in extents):
        raise VerifyException(
            f"{what} of type {type} has {prod(shape)} elements, "
            f"but extents {extents_text(extents)} write {prod(e.value for e in extents)}"
        )


def check_tensor(what: str, type: Attribute) -> AnyTensor:
    """A tensor of known rank and dtype."""
    if not isinstance(type, TensorType) or dtype_of(type.element_type) is None:
        raise VerifyException(f"{what} must be a tensor of known rank and dtype, got {type}")
    return type


def check_schedule(schedule: Mapping[str, int], rank: int) -> None:
    """Ranges of the schedule of a kernel of ``rank`` axes; no value can change a result."""
    lanes = schedule.get("lanes", 1)
    if not (1 <= lanes <= MAX_LANES and lanes & (lanes - 1) == 0):
        raise VerifyException(f"lanes must be a power of two from 1 to {MAX_LANES}, got {lanes}")
    for name, (low, high) in RANGES.items():
        value = schedule.get(name, low)
        if not low <= value <= high:
            raise VerifyException(f"{name} must be from {low} to {high}, got {value}")
    parallel = schedule.get("parallel")
    if parallel is not None and not 0 <= parallel < rank:
        allowed = f"an axis from 0 to {rank - 1}" if rank else "left out where there is no axis"
        raise VerifyException(f"parallel must be {allowed}, got {parallel}")
