"""Damages IR files at random and sees what ``opsir-opt`` makes of them.

Whatever the text, the command ends by itself with status 0 or 1 and, for 1, a located error: no
traceback, no hang, no crash, no status 70. Every case runs in a process that survives many, and a
case that kills or stalls it is found and reported by its seed.
"""

from __future__ import annotations

import argparse
import io
import multiprocessing
import random
import re
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import redirect_stderr, redirect_stdout
from dataclasses import dataclass
from multiprocessing.connection import Connection
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
SECONDS = 20.0
"""A case that takes longer counts as a hang."""

PIPELINES = ("", "opsir-default", "promote-types,infer-shapes", "canonicalize,cse,dce")
TARGETS = ("mlir", "mlir", "llvm", "plan")
"""What a case asks for; code generation only follows a whole pipeline."""

_TOKEN = re.compile(r'"[^"\n]*"|[%@#!^]?[\w$.]+|->|\s+|.', re.DOTALL)
_COMMENT = re.compile(r"//[^\n]*")
_LOCATED = re.compile(r"^\S+:\d+:\d+: error: .", re.MULTILINE)

_NUMBER = re.compile(r"\d+")
_ELEMENTS = ("f16", "bf16", "f32", "f64", "i1", "i8", "ui8", "i16", "i32", "ui64", "i64")
_ELEMENT = re.compile(rf"(?<![a-z.])({'|'.join(_ELEMENTS)})(?![\w.])")
_OPS = tuple(
    tuple(f"opsir.{name}" for name in names.split())
    for names in (
        "neg abs sign square sqrt reciprocal exp tanh logical_not bitwise_not isnan rint erf gelu",
        "add sub mul div div_floor div_trunc mod rem pow minimum fmax eq lt logical_and shift_left "
        "bitwise_xor copysign hypot nextafter atan2 heaviside",
        "fma clip where",
        "broadcast cast scalar dim require_equal fused yield",
    )
)
_EXTREMES = ("0", "-1", "1", "2", "64", "65", "2147483648", "9223372036854775807")
_WORDS = (
    *("f16", "bf16", "f32", "f64", "i1", "i8", "ui8", "i32", "ui64", "i64", "index", "none"),
    *("tensor<4xf32>", "tensor<?xf32>", "tensor<*xf32>", "tensor<f32>", "tensor<0x3xi8>"),
    *("!opsir.infer", "!opsir.weak<int>", "!opsir.weak<float>", "tensor<4x!opsir.infer>"),
    *("opsir.add", "opsir.exp", "opsir.where", "opsir.cast", "opsir.fused", "nest.kernel"),
    *("func.return", "opsir.yield", "nest.yield", "builtin.module", "func.func", "memref<4xf32>"),
    *("1.0", "0x7F800000", "1e400", "n", "n*m", "-n", "[", "]", "<", ">", "(", ")", "{", "}", "*"),
)


@dataclass(frozen=True)
class Case:
    """One damaged program: everything follows from its seed."""

    seed: int
    text: str
    arguments: tuple[str, ...]


@dataclass(frozen=True)
class Outcome:
    """How the command ended, and what it printed on standard error."""

    status: int
    errors: str

    def complaint(self) -> str | None:
        """What is wrong with this ending; None for an acceptable one."""
        if self.status not in (0, 1):
            return f"ended with status {self.status}: {self.errors.strip()}"
        if "Traceback" in self.errors:
            return "printed a traceback"
        if self.status == 1 and not _LOCATED.search(self.errors):
            return f"printed no located error: {self.errors.strip()[:300]}"
        return None


def programs(root: Path = ROOT) -> list[str]:
    """The parts of all IR files of the project, comments left out."""
    paths = [*(root / "tests" / "filecheck").rglob("*.mlir"), *(root / "examples").glob("*.mlir")]
    texts = [path.read_text(encoding="utf-8") for path in sorted(paths)]
    parts = [part for text in texts for part in re.split(r"^// -----.*$", text, flags=re.M)]
    return [part for part in (_COMMENT.sub("", p).strip() for p in parts) if 0 < len(part) < 20_000]


def damaged(text: str, other: str, chance: random.Random) -> str:
    """``text`` after one to four random edits of its tokens, half of them ones that often parse."""
    tokens, foreign = _TOKEN.findall(text), _TOKEN.findall(other)
    for _ in range(chance.choice((1, 1, 1, 2, 2, 3, 4))):
        edit = chance.choice(_GENTLE if chance.random() < 0.6 else _ROUGH)
        tokens = edit(tokens, foreign, chance)
    return "".join(tokens)


Edit = Callable[[list[str], list[str], random.Random], list[str]]
"""Tokens of a program, those of another one, chance: the tokens after the edit."""


def _span(tokens: list[str], chance: random.Random) -> tuple[int, int]:
    start = chance.randrange(len(tokens) or 1)
    return start, start + chance.choice((1, 1, 1, 2, 5, 20))


def _delete(tokens: list[str], foreign: list[str], chance: random.Random) -> list[str]:
    start, end = _span(tokens, chance)
    return tokens[:start] + tokens[end:]


def _repeat(tokens: list[str], foreign: list[str], chance: random.Random) -> list[str]:
    start, end = _span(tokens, chance)
    return tokens[:end] + tokens[start:]


def _insert(tokens: list[str], foreign: list[str], chance: random.Random) -> list[str]:
    start, _ = _span(tokens, chance)
    return [*tokens[:start], chance.choice(_WORDS), *tokens[start:]]


def _overwrite(tokens: list[str], foreign: list[str], chance: random.Random) -> list[str]:
    start, end = _span(tokens, chance)
    return [*tokens[:start], chance.choice(_WORDS), *tokens[end:]]


def _graft(tokens: list[str], foreign: list[str], chance: random.Random) -> list[str]:
    start, end = _span(tokens, chance)
    first, last = _span(foreign, chance)
    return tokens[:start] + foreign[first:last] + tokens[end:]


def _truncate(tokens: list[str], foreign: list[str], chance: random.Random) -> list[str]:
    return tokens[: chance.randrange(len(tokens) + 1)]


def _swap(tokens: list[str], foreign: list[str], chance: random.Random) -> list[str]:
    one, two = chance.randrange(len(tokens) or 1), chance.randrange(len(tokens) or 1)
    if tokens:
        tokens[one], tokens[two] = tokens[two], tokens[one]
    return tokens


def _change_number(tokens: list[str], foreign: list[str], chance: random.Random) -> list[str]:
    """A number becomes another one, in one place or wherever it stands."""
    numbers = [n for token in tokens for n in _NUMBER.findall(token)]
    if not numbers:
        return tokens
    old, new = chance.choice(numbers), chance.choice(_EXTREMES)
    if chance.random() < 0.5:
        return [re.sub(rf"(?<![\d.]){old}(?![\d.])", new, token) for token in tokens]
    at = chance.choice([i for i, token in enumerate(tokens) if old in token])
    return [*tokens[:at], tokens[at].replace(old, new, 1), *tokens[at + 1 :]]


def _change_type(tokens: list[str], foreign: list[str], chance: random.Random) -> list[str]:
    """An element type becomes another one, in one place or wherever it stands."""
    places = [i for i, token in enumerate(tokens) if _ELEMENT.search(token)]
    if not places:
        return tokens
    at, new = chance.choice(places), chance.choice(_ELEMENTS)
    old = chance.choice(_ELEMENT.findall(tokens[at]))
    if chance.random() < 0.7:
        return [_ELEMENT.sub(lambda m: new if m[0] == old else m[0], t) for t in tokens]
    return [*tokens[:at], _ELEMENT.sub(new, tokens[at], count=1), *tokens[at + 1 :]]


def _change_alike(tokens: list[str], foreign: list[str], chance: random.Random) -> list[str]:
    """A token becomes another one that starts alike: a value, an op, a symbol."""
    at = chance.randrange(len(tokens) or 1)
    if at < len(tokens):
        pool = tokens if chance.random() < 0.5 else tokens + foreign
        tokens[at] = chance.choice([t for t in pool if t[0] == tokens[at][0]])
    return tokens


def _change_op(tokens: list[str], foreign: list[str], chance: random.Random) -> list[str]:
    """An op becomes another one, of the same number of operands more often than not."""
    places = [i for i, token in enumerate(tokens) if token.startswith("opsir.")]
    if places:
        at = chance.choice(places)
        family = next((ops for ops in _OPS if tokens[at] in ops), chance.choice(_OPS))
        tokens[at] = chance.choice(family)
    return tokens


_ROUGH: tuple[Edit, ...] = (_delete, _repeat, _insert, _overwrite, _graft, _truncate, _swap)
_GENTLE: tuple[Edit, ...] = (_change_number, _change_type, _change_alike, _change_op)


def make_case(seed: int, texts: Sequence[str]) -> Case:
    """The case of a seed."""
    chance = random.Random(seed)
    text = damaged(chance.choice(texts), chance.choice(texts), chance)
    passes = chance.choice(PIPELINES)
    arguments = ["-", "-p", passes]
    if passes == "opsir-default":
        arguments += ["-t", chance.choice(TARGETS)]
    return Case(seed, text, tuple(arguments))


def run_case(case: Case) -> Outcome:
    """Run ``opsir-opt`` on a case in this process."""
    from opsir.cli import opt

    output, errors = io.StringIO(), io.StringIO()
    saved, sys.stdin = sys.stdin, io.TextIOWrapper(io.BytesIO(case.text.encode()))
    try:
        with redirect_stdout(output), redirect_stderr(errors):
            status = opt.main(list(case.arguments))
    finally:
        sys.stdin = saved
    return Outcome(status, errors.getvalue())


def _serve(pipe: Connection) -> None:
    while (case := pipe.recv()) is not None:
        try:
            pipe.send(run_case(case))
        except BaseException as error:
            pipe.send(Outcome(-1, f"{type(error).__name__}: {error}"))


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


def summary(seeds: Sequence[int]) -> Summary:
    """Run the cases of ``seeds``."""
    texts = programs()
    found = Summary(0, 0, [])
    for case, outcome in run_cases([make_case(seed, texts) for seed in seeds]):
        complaint = "crashed or hung" if outcome is None else outcome.complaint()
        if complaint is not None:
            found.failed.append((case, complaint))
        elif outcome is not None and outcome.status == 0:
            found.accepted += 1
        else:
            found.refused += 1
    return found


def main() -> int:
    parser = argparse.ArgumentParser(description="Damage IR files and run opsir-opt on them.")
    parser.add_argument("--count", type=int, default=2000, help="number of cases")
    parser.add_argument("--first", type=int, default=0, help="seed of the first case")
    parser.add_argument("--show", action="store_true", help="print the text of failing cases")
    args = parser.parse_args()
    started = time.perf_counter()
    found = summary(range(args.first, args.first + args.count))
    for case, complaint in found.failed:
        print(f"seed {case.seed}, opsir-opt {' '.join(case.arguments)}: {complaint}")
        if args.show:
            print(case.text)
    seconds = time.perf_counter() - started
    print(
        f"{args.count} cases in {seconds:.0f} s: {found.accepted} accepted, "
        f"{found.refused} refused, {len(found.failed)} failed"
    )
    return 1 if found.failed else 0


if __name__ == "__main__":
    sys.path.insert(0, str(ROOT))
    sys.exit(main())
