"""The generated parts of docs/errors.md: exception classes, exit statuses and limits.

Owns which limits a user can meet; their numbers come from the package.
"""

from __future__ import annotations

from collections.abc import Iterator
from inspect import cleandoc

from opsir import diagnostics
from opsir.cli.report import EXIT_CODES
from opsir.diagnostics import OpsirError
from opsir.registry import load

LIMITS: tuple[tuple[str, str, str], ...] = (
    ("bytes of IR text", "opsir.frontends.limits:MAX_SOURCE_BYTES", "IR text"),
    ("brackets open at one place", "opsir.frontends.limits:MAX_NESTING", "IR text"),
    ("digits of one number", "opsir.frontends.limits:MAX_DIGITS", "IR text"),
    ("characters of a name", "opsir.frontends.limits:MAX_NAME", "IR text"),
    ("characters of a string", "opsir.frontends.limits:MAX_STRING", "IR text"),
    ("parts that one alias stands for", "opsir.frontends.text:MAX_ALIAS_EXPANSION", "IR text"),
    ("bits of an integer type", "opsir.frontends.text:MAX_INTEGER_BITS", "IR text"),
    ("axes of an array", "opsir.dialects.opsir.shapes:MAX_RANK", "everywhere"),
    ("bits of a Python integer", "opsir.frontends.recorder:MAX_BITS", "traced functions"),
    ("threads", "opsir.frontends.options:MAX_THREADS", "`jit`, `set_num_threads`"),
)
"""What is counted, where the number stands, and where a user meets it."""


def family() -> str:
    """Every exception class with the built-in exception that it also is."""
    rows = "\n".join(_class_row(made) for made in _classes())
    return f"| class | is also | raised when |\n|---|---|---|\n{rows}"


def _classes() -> Iterator[type[OpsirError]]:
    for made in vars(diagnostics).values():
        if isinstance(made, type) and issubclass(made, OpsirError):
            yield made


def _class_row(made: type[OpsirError]) -> str:
    others = [b for b in made.__mro__[1:] if not issubclass(b, OpsirError)]
    named = [b for b in others if sum(issubclass(o, b) for o in others) == 1]
    meaning = " ".join(cleandoc(made.__doc__ or "").split("\n\n")[0].split()).replace("``", "`")
    also = ", ".join(f"`{b.__name__}`" for b in named)
    return f"| `{made.__name__}` | {also} | {meaning} |"


def exit_codes() -> str:
    """Every exit status of the command lines."""
    rows = "\n".join(f"| {code} | {meaning} |" for code, meaning in EXIT_CODES.items())
    return f"| status | meaning |\n|---|---|\n{rows}"


def limits() -> str:
    """Every limit, with its number."""
    rows = "\n".join(f"| {what} | {load(entry):,} | {where} |" for what, entry, where in LIMITS)
    return f"| at most | | in |\n|---|---|---|\n{rows}"
