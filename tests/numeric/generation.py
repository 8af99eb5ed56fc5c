"""Makes up random programs: legal, specified, and rich in sharing, shapes and dtypes.

Owns the choices. A program is the same for the same seed.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from math import prod
from typing import Any

import numpy as np

from opsir.diagnostics import OpsirOverflowError
from opsir.dtypes import ALL
from tests.numeric.cases import ARITY, resolution
from tests.numeric.oracles import operand_of
from tests.numeric.programs import VIEWS, Input, Node, Number, Program, Ref, flags_of
from tests.numeric.values import mixed

MAX_ELEMENTS = 1200
_SIZES = (1, 1, 2, 2, 3, 4, 5, 7, 8, 9, 15, 16, 17, 31, 32, 33, 63, 64, 65)
_OPS = sorted(ARITY)


def make_program(seed: int) -> Program:
    """The program of a seed."""
    maker = _Maker(np.random.default_rng(seed))
    return replace(maker.program(), note=f"seed {seed}")


class _Maker:
    """One program under construction, evaluated as it grows so that every step is legal."""

    def __init__(self, rng: np.random.Generator) -> None:
        self.rng = rng
        self.inputs: list[Input] = []
        self.nodes: list[Node] = []
        self.arguments: list[Any] = []
        self.values: list[Any] = []

    def program(self) -> Program:
        self.shape = self._shape()
        self._add_input(self._array(self.shape))
        for _ in range(int(self.rng.integers(0, 4))):
            self._add_input(self._input())
        wanted = int(self.rng.integers(2, 13))
        for _ in range(60):
            if len(self.nodes) == wanted:
                break
            self._try_node()
        refs = self._results()
        if self._chance(0.05):
            refs.append(Ref("input", 0) if self._chance(0.5) else refs[0])
        return pruned(Program(tuple(self.inputs), tuple(self.nodes), tuple(refs)))

    def _results(self) -> list[Ref]:
        """One to three nodes: values that nothing reads first, so that little is pruned."""
        read = {r.index for n in self.nodes for r in n.operands if r.kind == "node"}
        leaves = [i for i in range(len(self.nodes)) if i not in read]
        count = min(int(self.rng.integers(1, 4)), len(self.nodes))
        chosen = set(leaves[-count:])
        while len(chosen) < count:
            chosen.add(int(self.rng.integers(len(self.nodes))))
        return [Ref("node", i) for i in sorted(chosen)]

    def _chance(self, probability: float) -> bool:
        return bool(self.rng.random() < probability)

    def _pick(self, items: Sequence[Any]) -> Any:
        return items[int(self.rng.integers(len(items)))]

    def _shape(self) -> tuple[int, ...]:
        rank = int(self.rng.integers(0, 6))
        while True:
            shape = tuple(0 if self._chance(0.02) else self._pick(_SIZES) for _ in range(rank))
            if prod(shape) <= MAX_ELEMENTS:
                return shape

    def _smaller(self, shape: tuple[int, ...]) -> tuple[int, ...]:
        """A shape that broadcasts to ``shape``."""
        if self._chance(0.4):
            return shape
        kept = shape[int(self.rng.integers(0, len(shape) + 1)) :] if self._chance(0.4) else shape
        return tuple(1 if self._chance(0.3) else size for size in kept)

    def _array(self, shape: tuple[int, ...]) -> Input:
        view = "dense" if self._chance(0.5) or not shape else self._pick(list(VIEWS))
        if view == "expanded" and 0 in shape:
            view = "dense"
        dtype = self._pick(ALL).name
        return Input(dtype, shape, view, int(self.rng.integers(1 << 30)))

    def _input(self) -> Input:
        if self._chance(0.7):
            return self._array(self._smaller(self.shape))
        number = self._number()
        return Input(number.dtype, number=number)

    def _number(self) -> Number:
        kind = self._pick(("int", "float", "NumPy", "NumPy"))
        if kind == "int":
            return Number.of(int(self.rng.integers(-3, 12)))
        if kind == "float":
            return Number.of(self._pick((0.0, -0.0, 0.5, 2.0, -1.5, 0.1, 3.0, 1e10)))
        return Number.of(mixed(self._pick(ALL), 1, self.rng)[0])

    def _add_input(self, given: Input) -> None:
        self.inputs.append(given)
        self.arguments.append(given.value())

    def _ref(self) -> Ref:
        if self.nodes and self._chance(0.6):
            back = int(self.rng.geometric(0.4))
            return Ref("node", max(0, len(self.nodes) - back))
        if self._chance(0.12):
            return Ref("literal", number=self._number())
        return Ref("input", int(self.rng.integers(len(self.inputs))))

    def _value(self, ref: Ref) -> Any:
        if ref.number is not None:
            return ref.number.value()
        return self.arguments[ref.index] if ref.kind == "input" else self.values[ref.index]

    def _try_node(self) -> None:
        is_cast = self._chance(0.12)
        op = "cast" if is_cast else self._pick(_OPS)
        refs = tuple(self._ref() for _ in range(1 if is_cast else ARITY[op]))
        node = Node(op, refs, self._pick(ALL).name if is_cast else "")
        operands = [self._value(r) for r in refs]
        strong = [r for r, v in zip(refs, operands) if type(v) not in (int, float)]
        if all(r.kind == "literal" for r in strong):
            return
        if not is_cast and resolution(op, [operand_of(v) for v in operands]) is None:
            return
        try:
            if "negative_power" in flags_of(node, operands):
                return
            value = node.expected(operands)
        except OpsirOverflowError:
            return
        self.nodes.append(node)
        self.values.append(value)


def pruned(program: Program) -> Program:
    """Without nodes and inputs that no result needs."""
    needed: set[int] = set()
    todo = [r.index for r in program.results if r.kind == "node"]
    while todo:
        index = todo.pop()
        if index not in needed:
            needed.add(index)
            todo += [r.index for r in program.nodes[index].operands if r.kind == "node"]
    nodes = sorted(needed)
    refs = [r for i in nodes for r in program.nodes[i].operands] + list(program.results)
    inputs = sorted({r.index for r in refs if r.kind == "input"})
    place = {"node": {n: k for k, n in enumerate(nodes)}}
    place["input"] = {n: k for k, n in enumerate(inputs)}

    def moved(ref: Ref) -> Ref:
        return ref if ref.kind == "literal" else replace(ref, index=place[ref.kind][ref.index])

    def kept(node: Node) -> Node:
        return replace(node, operands=tuple(map(moved, node.operands)))

    return replace(
        program,
        inputs=tuple(program.inputs[i] for i in inputs),
        nodes=tuple(kept(program.nodes[i]) for i in nodes),
        results=tuple(map(moved, program.results)),
    )
