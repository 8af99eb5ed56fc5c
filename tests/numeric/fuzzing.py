"""Checks one random program, and makes a failing one small.

Owns the comparison of fused, unfused and evaluated results, and the search for a smaller program
that still fails.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from opsir.diagnostics import OpsirOverflowError
from tests.numeric.generation import pruned
from tests.numeric.programs import Expected, Input, Node, Program, Ref, Unspecified
from tests.numeric.running import Probe, mismatch, observe

POLICIES = ("never", "default", "always")
REGRESSIONS = Path(__file__).parent / "regressions"


def problems(program: Program, policies: Sequence[str] = POLICIES) -> list[str]:
    """What is wrong with the program's results under each fusion policy, a line each.

    Raises Unspecified for a program without a definite meaning.
    """
    arguments = program.arguments()
    try:
        expected = program.expected(arguments)
    except (OpsirOverflowError, AssertionError, ValueError) as error:
        raise Unspecified from error
    return [line for policy in policies for line in _run(program, arguments, expected, policy)]


def _run(
    program: Program, arguments: Sequence[Any], expected: Expected, policy: str
) -> Iterator[str]:
    probe = Probe(program.function(), fusion=policy)
    try:
        seen = observe(probe, *arguments)
    except Exception as error:
        yield f"{policy}: {type(error).__name__}: {error}"
        return
    for text in seen.complaints():
        yield f"{policy}: {text}"
    flagged = expected.flagged and seen.divides
    if seen.warned != flagged and not expected.empty:
        yield f"{policy}: warned {seen.warned}, expected {flagged}"
    for index, (result, wanted) in enumerate(zip(seen.results, expected.results, strict=True)):
        wrong = mismatch(result, wanted, arguments)
        if wrong is not None:
            yield f"{policy}: result {index}: {wrong}"


def fails(program: Program) -> bool:
    """Whether a program has a meaning and does not get it."""
    try:
        return bool(problems(program))
    except Unspecified:
        return False


def shrunk(
    program: Program, still_fails: Callable[[Program], bool] = fails, budget: int = 400
) -> Program:
    """The smallest program found that still fails, trying at most ``budget`` ones."""
    while budget > 0:
        for candidate in _smaller(program):
            if candidate == program:
                continue
            budget -= 1
            if budget <= 0 or still_fails(candidate):
                break
        else:
            return program
        if budget > 0:
            program = candidate
    return program


def _smaller(program: Program) -> Iterator[Program]:
    """Simpler programs, the boldest cuts first."""
    if len(program.results) > 1:
        for result in program.results:
            yield pruned(replace(program, results=(result,)))
    for index in range(len(program.nodes)):
        yield pruned(replace(program, results=(Ref("node", index),)))
    for index, node in enumerate(program.nodes):
        for operand in node.operands:
            if operand.kind != "literal":
                yield pruned(_without_node(program, index, operand))
    yield from _smaller_shapes(program)
    for index, given in enumerate(program.inputs):
        if given.number is None and given.view != "dense":
            yield _with_input(program, index, replace(given, view="dense"))


def _without_node(program: Program, index: int, instead: Ref) -> Program:
    def swapped(ref: Ref) -> Ref:
        return instead if ref.kind == "node" and ref.index == index else ref

    def rewired(node: Node) -> Node:
        return replace(node, operands=tuple(map(swapped, node.operands)))

    nodes = tuple(map(rewired, program.nodes))
    return replace(program, nodes=nodes, results=tuple(map(swapped, program.results)))


def _smaller_shapes(program: Program) -> Iterator[Program]:
    """Each axis, counted from the last, left out or shortened in all inputs."""
    rank = max((len(i.shape) for i in program.inputs), default=0)
    for axis in range(1, rank + 1):
        if axis == rank:
            yield _with_axis(program, axis, lambda size: None)
        for change in (lambda n: 1, lambda n: n // 2, lambda n: n - 1):
            yield _with_axis(program, axis, lambda n, f=change: f(n) if n > 1 else n)


def _with_axis(program: Program, axis: int, change: Callable[[int], int | None]) -> Program:
    def changed(given: Input) -> Input:
        if len(given.shape) < axis:
            return given
        shape = list(given.shape)
        size = change(shape[-axis])
        if size is None:
            del shape[-axis]
        else:
            shape[-axis] = size
        view = given.view if shape else "dense"
        return replace(given, shape=tuple(shape), view=view)

    inputs = tuple(map(changed, program.inputs))
    return program if inputs == program.inputs else replace(program, inputs=inputs)


def _with_input(program: Program, index: int, given: Input) -> Program:
    inputs = (*program.inputs[:index], given, *program.inputs[index + 1 :])
    return replace(program, inputs=inputs)


def keep(program: Program, name: str) -> Path:
    """Write a failing program where the tests replay it for ever."""
    found = problems(program)
    path = REGRESSIONS / f"{name}.json"
    path.write_text(replace(program, note=f"{program.note}: {found[0][:300]}").text())
    return path
