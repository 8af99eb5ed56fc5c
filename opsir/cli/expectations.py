"""Errors announced in comments: ``// expected-error {{text}}`` and their comparison with the fact.

Owns the notation: the error is expected on the comment's own line, ``@+2`` lines below or ``@-1``
above it, and must contain the text.
"""

from __future__ import annotations

import re

from opsir.diagnostics import Location, OpsirError

_COMMENT = re.compile(r"//\s*expected-error(?:@([+-][0-9]{1,6}))?\s*\{\{(.*?)\}\}")


def compare(text: str, first_line: int, name: str, error: OpsirError | None) -> list[OpsirError]:
    """What differs between the announced errors of a part of file ``name`` and the one it raised.

    A part that announces nothing and fails, or announces an error and does not raise it, differs.
    """
    wrong: list[OpsirError] = []
    met = False
    for number, line in enumerate(text.split("\n"), first_line):
        for comment in _COMMENT.finditer(line):
            place = Location(name, number + int(comment[1] or 0), 1)
            if error is not None and _is_at(error, place) and comment[2] in error.detail:
                met = True
            else:
                wrong.append(OpsirError(f"expected an error with '{comment[2]}'", place))
    if error is not None and not met:
        wrong.append(OpsirError(f"unexpected error: {error.detail}", error.location))
    return wrong


def _is_at(error: OpsirError, place: Location) -> bool:
    return (
        error.location is not None
        and error.location.file == place.file
        and error.location.line == place.line
    )
