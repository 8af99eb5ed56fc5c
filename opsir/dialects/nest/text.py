"""Pieces of the kernel op's text: moving operands and results, and the schedule.

Owns their grammar. Knows no op.
"""

from __future__ import annotations

from xdsl.dialects.builtin import IntegerAttr
from xdsl.ir import Attribute
from xdsl.parser import Parser, UnresolvedOperand
from xdsl.printer import Printer

from opsir.dialects.nest.attributes import parse_trajectory, trajectory_text
from opsir.trajectory import Trajectory

SCHEDULE = ("lanes", "unroll", "tile", "stream", "parallel", "block")
"""The schedule's properties, in the order in which they are printed."""


def print_moving(printer: Printer, type: Attribute, move: Trajectory | None) -> None:
    """Write ``T along [4096, 4] start 8``, or ``f32`` for a scalar."""
    printer.print_attribute(type)
    if move is not None:
        printer.print_string(f" along {trajectory_text(move)}")


def parse_moving(parser: Parser) -> tuple[Attribute, Trajectory | None]:
    """Read what ``print_moving`` writes."""
    type = parser.parse_type()
    return type, parse_trajectory(parser) if parser.parse_optional_keyword("along") else None


def parse_input(parser: Parser) -> tuple[UnresolvedOperand, Attribute, Trajectory | None]:
    """Read ``%x : T along [4096, 4]`` or ``%s : f32``."""
    name = parser.parse_unresolved_operand()
    parser.parse_punctuation(":")
    return name, *parse_moving(parser)


def parse_output(parser: Parser) -> tuple[Attribute, Trajectory]:
    """Read ``T along [4096, 4]``."""
    start = parser.pos
    type, move = parse_moving(parser)
    if move is None:
        parser.raise_error(f"a result of type {type} needs a trajectory: along [...]", start)
    return type, move


def parse_attributes(parser: Parser) -> tuple[dict[str, Attribute], dict[str, Attribute]]:
    """The schedule and all other attributes."""
    start = parser.pos
    written = parser.parse_optional_attr_dict_with_keyword()
    given = dict(written.data) if written else {}
    schedule = {name: given.pop(name) for name in SCHEDULE if name in given}
    for name, value in schedule.items():
        if not isinstance(value, IntegerAttr):
            parser.raise_error(f"{name} must be an integer, got {value}", start)
    return schedule, given
