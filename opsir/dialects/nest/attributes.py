"""Attributes of the ``nest`` dialect: a kernel's extents, and how one operand's address moves.

Owns their text form. What may be done to a space lies in ``opsir.trajectory``; knows no op.
"""

from __future__ import annotations

from collections.abc import Sequence

from xdsl.ir import Data
from xdsl.irdl import irdl_attr_definition
from xdsl.parser import AttrParser
from xdsl.printer import Printer

from opsir.dialects.opsir.layout import parse_extent
from opsir.extent import ZERO, Extent
from opsir.trajectory import Trajectory


@irdl_attr_definition
class ExtentsAttr(Data[tuple[Extent, ...]]):
    """``#nest.extents<[n, 1024]>``: iterations per axis, outermost axis first."""

    name = "nest.extents"

    @classmethod
    def parse_parameter(cls, parser: AttrParser) -> tuple[Extent, ...]:
        with parser.in_angle_brackets():
            return parse_extents(parser)

    def print_parameter(self, printer: Printer) -> None:
        with printer.in_angle_brackets():
            printer.print_string(extents_text(self.data))


@irdl_attr_definition
class TrajectoryAttr(Data[Trajectory]):
    """``#nest.trajectory<[4096, 4] start 8>``: a byte stride per axis, outermost axis first.

    ``start`` is the byte offset of the first iteration's element from the operand's base address;
    0 is left out.
    """

    name = "nest.trajectory"

    @classmethod
    def parse_parameter(cls, parser: AttrParser) -> Trajectory:
        with parser.in_angle_brackets():
            return parse_trajectory(parser)

    def print_parameter(self, printer: Printer) -> None:
        with printer.in_angle_brackets():
            printer.print_string(trajectory_text(self.data))


def extents_text(extents: Sequence[Extent]) -> str:
    """``[n, 1024]``."""
    return f"[{', '.join(map(str, extents))}]"


def trajectory_text(trajectory: Trajectory) -> str:
    """``[4096, 4] start 8``; a start of 0 is left out."""
    strides = extents_text(trajectory.strides)
    return strides if trajectory.start == ZERO else f"{strides} start {trajectory.start}"


def parse_extents(parser: AttrParser) -> tuple[Extent, ...]:
    """Read ``[n, 1024]``."""
    return tuple(
        parser.parse_comma_separated_list(parser.Delimiter.SQUARE, lambda: parse_extent(parser))
    )


def parse_trajectory(parser: AttrParser) -> Trajectory:
    """Read ``[4096, 4] start 8``."""
    strides = parse_extents(parser)
    start = parse_extent(parser) if parser.parse_optional_keyword("start") else ZERO
    return Trajectory(start, strides)
