"""How the command lines read files, print errors and end.

Owns exit codes and the one outermost handler. Knows neither tool.
"""

from __future__ import annotations

import io
import os
import sys
import traceback
from collections.abc import Callable
from pathlib import Path
from typing import TextIO

from opsir.diagnostics import Location, OpsirError, fail

EXIT_ERROR = 1
EXIT_USAGE = 2
EXIT_INTERNAL = 70
EXIT_INTERRUPTED = 130
EXIT_CODES: dict[int, str] = {
    0: "done; under `--expect-errors` and `--verify-diagnostics`: the errors were as expected",
    EXIT_ERROR: "one or more errors, printed on standard error; `--check` found a difference",
    EXIT_USAGE: "the command line itself is wrong; usage and the mistake on standard error",
    EXIT_INTERNAL: '"internal error": a defect of opsir, whatever its input was; please report it',
    EXIT_INTERRUPTED: "interrupted from the keyboard",
}
"""What each exit status of both tools means."""


class InternalError(Exception):
    """A state that only a defect of opsir can bring about."""


def read_source(path: str, limit: int) -> bytes:
    """The content of a file, or of standard input for ``-``; at most ``limit`` + 1 bytes.

    One byte too many lets the caller see that the limit is passed without reading the rest.
    """
    if path == "-":
        return sys.stdin.buffer.read(limit + 1)
    try:
        with open(path, "rb") as file:
            return file.read(limit + 1)
    except OSError as error:
        fail(f"cannot read {path}: {error.strerror}")
    except ValueError:
        fail(f"cannot read {path!r}: not a path")


def write_output(path: str | None, text: str) -> None:
    """Write ``text`` to a file, or to standard output where ``path`` is None."""
    if path is None:
        sys.stdout.write(text)
        sys.stdout.flush()
        return
    try:
        Path(path).write_text(text, encoding="utf-8")
    except OSError as error:
        fail(f"cannot write {path}: {error.strerror}")
    except ValueError:
        fail(f"cannot write {path!r}: not a path")


def excerpt(source: str, location: Location) -> str:
    """The source line that ``location`` names and a caret below its column; "" if there is none."""
    lines = source.splitlines()
    if not 0 < location.line <= len(lines):
        return ""
    line, column = lines[location.line - 1], max(location.column - 1, 0)
    start = max(0, column - 80)
    shown, column = line[start : start + 160], column - start
    indent = "".join("\t" if c == "\t" else " " for c in shown[:column]).ljust(column)
    return f"{shown}\n{indent}^\n"


def print_error(tool: str, error: OpsirError, sources: dict[str, str], stream: TextIO) -> None:
    """One error: its located line, then the source line with a caret where the text is at hand.

    ``sources`` maps the file names that locations may hold to their text.
    """
    if error.location is None:
        print(f"{tool}: error: {error.detail}", file=stream)
        return
    print(error, file=stream)
    if (source := sources.get(error.location.file)) is not None:
        stream.write(excerpt(source, error.location))


def guarded(tool: str, sources: dict[str, str], body: Callable[[], int]) -> int:
    """Run ``body`` and turn whatever leaves it into a line on standard error and an exit status."""
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="backslashreplace")
    try:
        return body()
    except OpsirError as error:
        print_error(tool, error, sources, sys.stderr)
        return EXIT_ERROR
    except KeyboardInterrupt:
        return EXIT_INTERRUPTED
    except BrokenPipeError:
        # The reader has gone. Python would complain again when it flushes at exit.
        sys.stdout = open(os.devnull, "w")  # noqa: SIM115
        return EXIT_ERROR
    except Exception as error:
        print(f"{tool}: internal error: {_describe(error)}", file=sys.stderr)
        return EXIT_INTERNAL


def _describe(error: Exception) -> str:
    """One line that names the exception and the innermost place in opsir that it passed."""
    frames = traceback.extract_tb(error.__traceback__)
    inside = [f for f in frames if f"{os.sep}opsir{os.sep}" in f.filename] or frames
    message = " ".join(str(error).split())
    return f"{type(error).__name__}: {message} (at {inside[-1].filename}:{inside[-1].lineno})"
