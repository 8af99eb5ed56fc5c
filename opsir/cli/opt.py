"""The command ``opsir-opt``: read IR text, run passes, print IR or what a back end makes of it.

Owns only the way in: arguments are read before anything heavy is imported, the work is done by
``opsir.cli.driver``.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence

from opsir.cli.arguments import TOOL, add_arguments
from opsir.cli.report import guarded


def main(argv: Sequence[str] | None = None) -> int:
    """Run the command and return its exit status; usage errors leave by SystemExit(2)."""
    parser = argparse.ArgumentParser(TOOL, description="Run opsir's passes and back ends on IR.")
    add_arguments(parser)
    arguments = list(sys.argv[1:] if argv is None else argv)
    parser.parse_args(arguments)
    sources: dict[str, str] = {}

    def body() -> int:
        from opsir.cli.driver import OptDriver

        driver = OptDriver(arguments, sources)
        driver.run()
        return driver.status

    return guarded(TOOL, sources, body)


if __name__ == "__main__":
    sys.exit(main())
