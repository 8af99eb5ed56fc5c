"""Damages IR files at random and sees what the command lines make of them.

Whatever the text, ``opsir-opt`` ends by itself with status 0 or 1 and, for 1, a located error: no
traceback, no hang, no crash, no status 70. With ``--run``, ``opsir-run`` executes what is still
legal on random arguments, and the machine code agrees with the reference in every bit. A case that
kills or stalls its process is found and reported by its seed.
"""

from __future__ import annotations

import argparse
import io
import multiprocessing
import random
import re
import sys
import time
from collections.abc import Iterator, Sequence
from contextlib import redirect_stderr, redirect_stdout
from dataclasses import dataclass
from multiprocessing.connection import Connection
from pathlib import Path
from typing import Any, cast

from tools.ir_edits import damaged

ROOT = Path(__file__).resolve().parent.parent
SECONDS = 20.0
"""A case that takes longer counts as a hang."""

PIPELINES = ("", "opsir-default", "promote-types,infer-shapes", "canonicalize,cse,dce")
TARGETS = ("mlir", "mlir", "llvm", "plan")
"""What a case asks for; code generation only follows a whole pipeline."""

_COMMENT = re.compile(r"//[^\n]*")
_LOCATED = re.compile(r"^\S+:\d+:\d+: error: .", re.MULTILINE)
_ERROR = re.compile(r"^\S+: error: .", re.MULTILINE)

OPT, RUN = "opsir-opt", "opsir-run"
_LARGE = re.compile(r"\d{4,}")
"""A program that mentions such a number is not run: it may be right and take for ever."""


@dataclass(frozen=True)
class Case:
    """One damaged program: everything follows from its seed."""

    seed: int
    text: str
    tool: str
    arguments: tuple[str, ...]


@dataclass(frozen=True)
class Outcome:
    """How a command ended, and what it printed on standard output and standard error."""

    status: int
    output: str
    errors: str


def complaint(case: Case, outcome: Outcome | None) -> str | None:
    """What is wrong with how a case ended; None if it ended as it may."""
    if outcome is None:
        return "crashed or hung"
    if outcome.status not in (0, 1):
        return f"ended with status {outcome.status}: {outcome.errors.strip()}"
    if "Traceback" in outcome.errors:
        return "printed a traceback"
    # An argument that a program does not take has no place in the text.
    wanted = _LOCATED if case.tool == OPT else _ERROR
    if outcome.status == 1 and not wanted.search(outcome.errors):
        return f"printed no error: {outcome.output[-300:]}{outcome.errors[:300]}"
    return None


def programs(root: Path = ROOT) -> list[str]:
    """The parts of all IR files of the project, comments left out."""
    paths = [*(root / "tests" / "filecheck").rglob("*.mlir"), *(root / "examples").glob("*.mlir")]
    texts = [path.read_text(encoding="utf-8") for path in sorted(paths)]
    parts = [part for text in texts for part in re.split(r"^// -----.*$", text, flags=re.M)]
    return [part for part in (_COMMENT.sub("", p).strip() for p in parts) if 0 < len(part) < 20_000]


def make_case(seed: int, texts: Sequence[str], tool: str = OPT) -> Case:
    """The case of a seed."""
    chance = random.Random(seed)
    gentle = 0.95 if tool == RUN else 0.6
    text = damaged(chance.choice(texts), chance.choice(texts), chance, gentle)
    if tool == RUN:
        return Case(seed, text, tool, ("-", "--random", str(seed), "--check"))
    passes = chance.choice(PIPELINES)
    arguments = ["-", "-p", passes]
    if passes == "opsir-default":
        arguments += ["-t", chance.choice(TARGETS)]
    return Case(seed, text, tool, tuple(arguments))


def run_case(case: Case) -> Outcome:
    """Run a command on a case in this process."""
    from opsir.cli import opt, run

    if case.tool == RUN and _LARGE.search(case.text):
        return Outcome(1, "", "mutate_ir: error: not run")
    output, errors = io.StringIO(), io.StringIO()
    saved, sys.stdin = sys.stdin, io.TextIOWrapper(io.BytesIO(case.text.encode()))
    try:
        with redirect_stdout(output), redirect_stderr(errors):
            if case.tool == OPT:
                status = opt.main(case.arguments)
            else:
                status = run.main([*case.arguments, *_shapes(case)])
    finally:
        sys.stdin = saved
    return Outcome(status, output.getvalue(), errors.getvalue())


def _shapes(case: Case) -> Iterator[str]:
    """``--shape`` for every argument whose sizes the program leaves open; none for illegal text."""
    from opsir.backends.cpu.program import functions_of
    from opsir.cli.inputs import declared_arguments
    from opsir.diagnostics import OpsirError
    from opsir.dialects.opsir.types import extents_of
    from opsir.frontends.text import parse_module

    try:
        functions = functions_of(parse_module(case.text))
    except OpsirError:
        return
    chance = random.Random(case.seed)
    sizes: dict[object, int] = {}
    for declared in declared_arguments(next(iter(functions.values()))) if functions else []:
        if declared.sizes is None or -1 not in declared.sizes:
            continue
        names = extents_of(cast("Any", declared.type)) or declared.sizes
        chosen = (
            size if size >= 0 else sizes.setdefault(name, chance.choice((0, 1, 3, 8, 17, 33)))
            for size, name in zip(declared.sizes, names, strict=True)
        )
        yield f"--shape={declared.index}:{'x'.join(map(str, chosen))}"


def _serve(pipe: Connection) -> None:
    while (case := pipe.recv()) is not None:
        try:
            pipe.send(run_case(case))
        except BaseException as error:
            pipe.send(Outcome(-1, "", f"{type(error).__name__}: {error}"))


class _Worker:
    """A process that runs cases until one kills or stalls it; then another takes over."""

    def __init__(self) -> None:
        context = multiprocessing.get_context("spawn")
        self._pipe, inside = context.Pipe()
        self._process = context.Process(target=_serve, args=(inside,), daemon=True)
        self._process.start()
        inside.close()
        self._started = False

    def run(self, case: Case) -> Outcome | None:
        """The outcome, or None if the process has not answered; it is then of no more use."""
        self._pipe.send(case)
        # The first case pays for the imports.
        if self._pipe.poll(SECONDS if self._started else 3 * SECONDS):
            self._started = True
            try:
                return self._pipe.recv()
            except EOFError:
                return None
        return None

    def stop(self) -> None:
        self._process.kill()
        self._process.join()


def run_cases(cases: Sequence[Case]) -> Iterator[tuple[Case, Outcome | None]]:
    """Outcomes in order; None for a case that crashed or hung its process."""
    worker = _Worker()
    for case in cases:
        outcome = worker.run(case)
        yield case, outcome
        if outcome is None:
            worker.stop()
            worker = _Worker()
    worker.stop()


@dataclass
class Summary:
    """How many cases ended how; ``failed`` pairs each unacceptable one with the reason."""

    accepted: int
    refused: int
    failed: list[tuple[Case, str]]


def summary(seeds: Sequence[int], tool: str = OPT) -> Summary:
    """Run the cases of ``seeds``."""
    texts = programs()
    found = Summary(0, 0, [])
    for case, outcome in run_cases([make_case(seed, texts, tool) for seed in seeds]):
        if (wrong := complaint(case, outcome)) is not None:
            found.failed.append((case, wrong))
        elif outcome is not None and outcome.status == 0:
            found.accepted += 1
        else:
            found.refused += 1
    return found


def main() -> int:
    parser = argparse.ArgumentParser(description="Damage IR files and run opsir-opt on them.")
    parser.add_argument("--count", type=int, default=2000, help="number of cases")
    parser.add_argument("--first", type=int, default=0, help="seed of the first case")
    parser.add_argument("--run", action="store_true", help="execute what is legal: opsir-run")
    parser.add_argument("--show", action="store_true", help="print the text of failing cases")
    args = parser.parse_args()
    started = time.perf_counter()
    seeds = range(args.first, args.first + args.count)
    found = summary(seeds, RUN if args.run else OPT)
    for case, wrong in found.failed:
        print(f"seed {case.seed}, {case.tool} {' '.join(case.arguments)}: {wrong}")
        if args.show:
            print(case.text)
    seconds = time.perf_counter() - started
    print(
        f"{args.count} cases in {seconds:.0f} s: {found.accepted} accepted, "
        f"{found.refused} refused, {len(found.failed)} failed"
    )
    return 1 if found.failed else 0


if __name__ == "__main__":
    sys.exit(main())
