"""Random programs as data: inputs, a graph of operations, results; run as Python and by the law.

Owns the form of a program, its text for regression files, and its two meanings. How programs are
made up is in generation.py.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass, field
from math import prod
from typing import Any, Literal

import numpy as np

import opsir
from opsir.dtypes import BY_NAME, DType
from opsir.evaluate import cast
from tests.numeric import layouts
from tests.numeric.cases import resolution
from tests.numeric.oracles import law, law_flags, operand_of
from tests.numeric.running import spelled, with_parameters
from tests.numeric.values import Array, mixed

View = Literal["dense", "reversed", "every second", "transposed", "unaligned", "expanded"]
VIEWS: dict[str, Callable[[Array], Array]] = {
    "dense": layouts.dense,
    "reversed": layouts.reversed_,
    "every second": layouts.every_second,
    "transposed": layouts.transposed,
    "unaligned": layouts.unaligned,
    "expanded": layouts.expanded,
}


@dataclass(frozen=True, slots=True)
class Number:
    """A number: a Python one where ``dtype`` is "int" or "float", else a NumPy scalar.

    ``text`` is decimal for a Python int, hexadecimal for a Python float, and the bytes of a NumPy
    scalar in hexadecimal.
    """

    dtype: str
    text: str

    def value(self) -> Any:
        if self.dtype == "int":
            return int(self.text)
        if self.dtype == "float":
            return float.fromhex(self.text)
        return np.frombuffer(bytes.fromhex(self.text), BY_NAME[self.dtype].numpy)[0]

    @classmethod
    def of(cls, value: Any) -> Number:
        if type(value) is int:
            return cls("int", str(value))
        if type(value) is float:
            return cls("float", value.hex())
        row = operand_of(value)
        assert isinstance(row, DType)
        return cls(row.name, value.tobytes().hex())


@dataclass(frozen=True, slots=True)
class Input:
    """An argument: an array filled from a seed, or a number."""

    dtype: str
    shape: tuple[int, ...] = ()
    view: str = "dense"
    seed: int = 0
    number: Number | None = None

    def value(self) -> Any:
        if self.number is not None:
            return self.number.value()
        values = mixed(BY_NAME[self.dtype], prod(self.shape), np.random.default_rng(self.seed))
        return VIEWS[self.view](values.reshape(self.shape))


@dataclass(frozen=True, slots=True)
class Ref:
    """What an operation reads: input or node ``index``, or a literal."""

    kind: Literal["input", "node", "literal"]
    index: int = 0
    number: Number | None = None


@dataclass(frozen=True, slots=True)
class Node:
    """One operation; ``target`` names the dtype of a cast."""

    op: str
    operands: tuple[Ref, ...]
    target: str = ""

    def apply(self, operands: Sequence[Any]) -> Any:
        """As a user writes it."""
        if self.target:
            return opsir.cast(operands[0], self.target)
        return spelled(self.op)(*operands)

    def expected(self, operands: Sequence[Any]) -> Any:
        """By the semantics."""
        if self.target:
            return cast(operands[0], BY_NAME[self.target])
        return law(self.op, *operands)


class Unspecified(Exception):
    """The program depends on what the semantics leave open, or means nothing."""


@dataclass(frozen=True, slots=True)
class Program:
    """Nodes in order, each reading earlier ones; every node is needed by a result."""

    inputs: tuple[Input, ...]
    nodes: tuple[Node, ...]
    results: tuple[Ref, ...]
    note: str = field(default="", compare=False)

    def arguments(self) -> list[Any]:
        return [given.value() for given in self.inputs]

    def function(self) -> Callable[..., tuple[Any, ...]]:
        """The program as a Python function of as many parameters as there are inputs."""

        def program(*arguments: Any) -> tuple[Any, ...]:
            values: list[Any] = []
            for node in self.nodes:
                values.append(node.apply([_read(r, arguments, values) for r in node.operands]))
            return tuple(_read(r, arguments, values) for r in self.results)

        return with_parameters(program, len(self.inputs))

    def expected(self, arguments: Sequence[Any]) -> Expected:
        """The results by the semantics, evaluated one operation after the other."""
        values: list[Any] = []
        flagged, empty = False, False
        for node in self.nodes:
            operands = [_read(r, arguments, values) for r in node.operands]
            flags = flags_of(node, operands)
            if "negative_power" in flags or _sees_unspecified_nan(node, operands):
                raise Unspecified
            flagged = flagged or "divide" in flags
            values.append(node.expected(operands))
            empty = empty or np.asarray(values[-1]).size == 0
        results = tuple(_read(r, arguments, values) for r in self.results)
        return Expected(tuple(map(_clean, results)), flagged, empty)

    def text(self) -> str:
        """As JSON."""
        return json.dumps(asdict(self), indent=1) + "\n"

    @classmethod
    def parse(cls, text: str) -> Program:
        raw = json.loads(text)
        return cls(
            tuple(_input(i) for i in raw["inputs"]),
            tuple(
                Node(n["op"], tuple(map(_ref, n["operands"])), n["target"]) for n in raw["nodes"]
            ),
            tuple(map(_ref, raw["results"])),
            raw["note"],
        )


@dataclass(frozen=True, slots=True)
class Expected:
    """What a call must give; ``empty`` says that some value has no element."""

    results: tuple[Any, ...]
    flagged: bool
    empty: bool


def _number(raw: Any) -> Number | None:
    return None if raw is None else Number(**raw)


def _ref(raw: Any) -> Ref:
    return Ref(raw["kind"], raw["index"], _number(raw["number"]))


def _input(raw: Any) -> Input:
    number = _number(raw["number"])
    return Input(raw["dtype"], tuple(raw["shape"]), raw["view"], raw["seed"], number)


def _read(ref: Ref, arguments: Sequence[Any], values: Sequence[Any]) -> Any:
    if ref.number is not None:
        return ref.number.value()
    return arguments[ref.index] if ref.kind == "input" else values[ref.index]


def flags_of(node: Node, operands: Sequence[Any]) -> frozenset[str]:
    """The conditions that one node reports."""
    return frozenset() if node.target else law_flags(node.op, *operands)


def _sees_unspecified_nan(node: Node, operands: Sequence[Any]) -> bool:
    """Whether a node shows the sign of a NaN that came out of a computation or a conversion."""
    shown = {"signbit": 0, "copysign": 1}.get(node.op)
    if shown is None:
        return False
    value, ref = np.asarray(operands[shown]), node.operands[shown]
    if value.dtype.kind in "iub":
        return False
    found = resolution(node.op, [operand_of(v) for v in operands])
    assert found is not None
    moved = ref.kind != "node" and found.operands[shown].numpy == value.dtype
    return not moved and bool(np.any(np.isnan(value)))


def _clean(value: Any) -> Any:
    """A result: a bool byte that is not 0 is 1, a Python number gets its dtype."""
    array = np.asarray(value)
    return cast(array, BY_NAME["bool"]) if array.dtype == np.bool_ else array
