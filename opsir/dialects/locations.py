"""Source locations on operations: between xDSL's location attributes and diagnostics' ``Location``.

Owns how an error about an operation finds its place in the user's source. Knows no single op.
"""

from __future__ import annotations

from typing import NoReturn

from xdsl.dialects.builtin import (
    ArrayAttr,
    CallSiteLoc,
    FileLineColLoc,
    FusedLoc,
    IntAttr,
    NameLoc,
    StringAttr,
)
from xdsl.ir import Attribute, Operation

from opsir.diagnostics import Location, OpsirError, OpsirValueError, fail


def location_attribute(location: Location) -> FileLineColLoc:
    """The attribute that an operation carries for a place in a user's source."""
    return FileLineColLoc(
        StringAttr(location.file), IntAttr(location.line), IntAttr(location.column)
    )


def source_location(attribute: Attribute) -> Location | None:
    """The first place that a location attribute names; None where it names none.

    A call site answers with the callee's place, a fused location with its first known part.
    """
    match attribute:
        case FileLineColLoc():
            return Location(attribute.filename.data, attribute.line.data, attribute.column.data)
        case NameLoc():
            return source_location(attribute.location)
        case CallSiteLoc():
            return source_location(attribute.callee) or source_location(attribute.caller)
        case FusedLoc(locations=ArrayAttr() as parts):
            found = (source_location(part) for part in parts)
            return next((place for place in found if place is not None), None)
        case _:
            return None


def location_of(op: Operation) -> Location | None:
    """Where ``op`` comes from; an op without a place of its own answers with its parent's."""
    place: Operation | None = op
    while place is not None:
        if (location := source_location(place.location)) is not None:
            return location
        place = place.parent_op()
    return None


def fail_at(op: Operation, message: str, error: type[OpsirError] = OpsirValueError) -> NoReturn:
    """Raise the located error ``'dialect.name' op message``; see ``diagnostics.fail``."""
    fail(f"'{op.name}' op {message}", location_of(op), error)
