"""The one door through which every user-visible error leaves.

Owns the exception family, the located message format and nothing else. Each class is also the
built-in exception that a NumPy user expects, so ``except ValueError`` keeps working.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import NoReturn


@dataclass(frozen=True, slots=True)
class Location:
    """A place in a user's source: a Python line (column 0 if unknown) or a position in IR text."""

    file: str
    line: int
    column: int = 0

    def __str__(self) -> str:
        return f"{self.file}:{self.line}:{self.column}"


class OpsirError(Exception):
    """Base of all errors that opsir raises on purpose."""

    location: Location | None = None
    detail: str = ""

    def __init__(self, message: str, location: Location | None = None) -> None:
        self.location = location
        self.detail = message
        super().__init__(f"{location}: error: {message}" if location else message)


class OpsirValueError(OpsirError, ValueError):
    """A value is outside what is allowed: shapes that do not fit, a malformed program."""


class OpsirTypeError(OpsirError, TypeError):
    """A dtype, rank or kind of object that the operation does not take."""


class OpsirIndexError(OpsirError, IndexError):
    """A position outside its axis."""


class OpsirAttributeError(OpsirTypeError, AttributeError):
    """An attribute that a traced value does not offer."""


class OpsirOverflowError(OpsirError, OverflowError):
    """A number that its dtype cannot hold, or a size product beyond 64 bits."""


class OpsirZeroDivisionError(OpsirError, ZeroDivisionError):
    """An integer division by zero under ``int_errors="raise"``."""


class OpsirFaultError(OpsirError, RuntimeError):
    """A kernel did not do what its description says: found by debug mode, never expected."""


class OpsirNotImplementedError(OpsirError, NotImplementedError):
    """Something that is meaningful but that opsir does not offer."""


def fail(
    message: str,
    location: Location | None = None,
    error: type[OpsirError] = OpsirValueError,
) -> NoReturn:
    """Raise ``error``: say what was given, what is allowed, and where.

    The rendered text is ``file:line:col: error: message`` when a location is known.
    """
    raise error(message, location) from None
