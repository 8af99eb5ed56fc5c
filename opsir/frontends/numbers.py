"""Python numbers inside a traced function: arguments, sizes, and arithmetic between them.

Such a number stays a Python number: Python computes it anew at each call and it enters the kernel
where it meets an array. Owns the form of these computations, their kinds and their evaluation.
Knows neither tracers nor IR.
"""

from __future__ import annotations

import operator
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np

from opsir.diagnostics import (
    Location,
    OpsirError,
    OpsirOverflowError,
    OpsirTypeError,
    OpsirValueError,
    OpsirZeroDivisionError,
    fail,
)
from opsir.extent import Extent
from opsir.view import Reshape, ViewRule, shape_of

NumberKind = Literal["bool", "int", "float"]


def number_text(value: bool | int | float) -> str:
    """An exact text, also for integers of more digits than ``str`` is willing to write."""
    if isinstance(value, float):
        return value.hex()
    return str(value) if value.bit_length() <= 128 else hex(value)


@dataclass(frozen=True, slots=True)
class Literally:
    """A number that the function spells out."""

    value: bool | int | float

    def __str__(self) -> str:
        return number_text(self.value)


@dataclass(frozen=True, slots=True)
class Given:
    """A Python number argument."""

    argument: int

    def __str__(self) -> str:
        return f"a{self.argument}"


@dataclass(frozen=True, slots=True)
class Size:
    """The size of one axis of an array argument."""

    argument: int
    axis: int

    def __str__(self) -> str:
        return f"size a{self.argument} {self.axis}"


@dataclass(frozen=True, slots=True)
class Computed:
    """Arithmetic on earlier numbers, named as the op of the dialect; plus ``common_size``."""

    op: str
    operands: tuple[int, ...]
    kind: NumberKind
    location: Location | None = None

    def __str__(self) -> str:
        return f"{self.op} " + " ".join(f"n{i}" for i in self.operands)


@dataclass(frozen=True, slots=True)
class ViewSize:
    """The size of one axis of a view of an array whose sizes are the numbers ``operands``.

    The sizes of a reshape name numbers by the symbols ``n0``, ``n1`` and so on.
    """

    rule: ViewRule
    operands: tuple[int, ...]
    axis: int
    location: Location | None = None

    @property
    def needs(self) -> tuple[int, ...]:
        """All numbers that decide it."""
        stated = self.rule.sizes if isinstance(self.rule, Reshape) else ()
        named = [number_of(size) for size in stated]
        return (*self.operands, *(number for number in named if number is not None))

    def __str__(self) -> str:
        operands = " ".join(f"n{i}" for i in self.operands)
        return f"size {self.axis} of {self.rule.kind} {self.rule} {operands}"


Number = Literally | Given | Size | Computed | ViewSize


def extent_of(index: int, number: Number) -> Extent:
    """A size in terms of ``opsir.view_symbols``: an integer, or the symbol of number ``index``."""
    return Extent(int(number.value)) if isinstance(number, Literally) else Extent(1, (f"n{index}",))


def number_of(extent: Extent) -> int | None:
    """The number that a symbol of ``extent_of`` stands for; None for an integer."""
    return int(extent.symbols[0][1:]) if extent.symbols else None


def _quotient_toward_zero(a: Any, b: Any) -> Any:
    quotient = abs(a) // abs(b)
    return quotient if (a < 0) == (b < 0) else -quotient


def _remainder_toward_zero(a: Any, b: Any) -> Any:
    return a - b * _quotient_toward_zero(a, b)


def _common_size(a: int, b: int) -> int:
    """The broadcast size; whether the two fit is checked by the kernel's own shape checks."""
    return b if a == 1 else a


_FUNCTIONS: dict[str, Callable[..., Any]] = {
    "add": operator.add,
    "sub": operator.sub,
    "mul": operator.mul,
    "div": operator.truediv,
    "div_floor": operator.floordiv,
    "div_trunc": _quotient_toward_zero,
    "mod": operator.mod,
    "rem": _remainder_toward_zero,
    "pow": operator.pow,
    "neg": operator.neg,
    "positive": operator.pos,
    "abs": abs,
    "bitwise_and": operator.and_,
    "bitwise_or": operator.or_,
    "bitwise_xor": operator.xor,
    "bitwise_not": operator.invert,
    "shift_left": operator.lshift,
    "shift_right": operator.rshift,
    "eq": operator.eq,
    "ne": operator.ne,
    "lt": operator.lt,
    "le": operator.le,
    "gt": operator.gt,
    "ge": operator.ge,
    "truth": bool,
    "common_size": _common_size,
}

_TO_BOOL = frozenset({"eq", "ne", "lt", "le", "gt", "ge", "truth"})
_INTEGERS_ONLY = frozenset(
    {"bitwise_and", "bitwise_or", "bitwise_xor", "bitwise_not", "shift_left", "shift_right"}
)
_BOOL_STAYS = frozenset({"bitwise_and", "bitwise_or", "bitwise_xor"})

_TYPES: dict[NumberKind, type] = {"bool": bool, "int": int, "float": float}


def computed_kind(op: str, kinds: Sequence[NumberKind], location: Location | None) -> NumberKind:
    """What Python's operator makes of operands of these kinds; an OpsirTypeError if nothing."""
    if op in _TO_BOOL:
        return "bool"
    if op in _INTEGERS_ONLY and "float" in kinds:
        fail(
            f"{op} takes integers, got a Python float; write int(...) outside the function",
            location,
            OpsirTypeError,
        )
    if op in _BOOL_STAYS and all(kind == "bool" for kind in kinds):
        return "bool"
    return "float" if op == "div" or "float" in kinds else "int"


def dependencies(numbers: Sequence[Number], wanted: Sequence[int]) -> tuple[int, ...]:
    """The ``wanted`` numbers and all that they depend on, in an order fit for evaluation."""
    needed = set[int]()
    pending = list(wanted)
    while pending:
        index = pending.pop()
        if index not in needed:
            needed.add(index)
            number = numbers[index]
            if isinstance(number, Computed):
                pending.extend(number.operands)
            elif isinstance(number, ViewSize):
                pending.extend(number.needs)
    return tuple(sorted(needed))


def evaluate_numbers(
    numbers: Sequence[Number], order: Sequence[int], arguments: Sequence[Any]
) -> dict[int, Any]:
    """The values of the numbers in ``order``, by index.

    ``arguments`` are those of the call, hidden arrays included. What Python's arithmetic raises
    comes back as the located OpsirError of the same built-in kind.
    """
    values: dict[int, Any] = {}
    for index in order:
        values[index] = _evaluate(numbers[index], values, arguments)
    return values


def _evaluate(number: Number, values: dict[int, Any], arguments: Sequence[Any]) -> Any:
    match number:
        case Literally():
            return number.value
        case Given():
            return arguments[number.argument]
        case Size():
            return int(np.shape(arguments[number.argument])[number.axis])
        case Computed():
            return _compute(number, [values[i] for i in number.operands])
        case ViewSize():
            return _size_of_view(number, values)


def _size_of_view(number: ViewSize, values: dict[int, Any]) -> int:
    rule = number.rule
    try:
        if isinstance(rule, Reshape):
            rule = rule.bound({f"n{i}": values[i] for i in number.needs})
        return shape_of(rule, [values[i] for i in number.operands])[number.axis]
    except OpsirError as error:
        fail(error.detail, number.location, type(error))


def _compute(number: Computed, operands: Sequence[Any]) -> Any:
    shown = ", ".join(map(_shown, operands))
    try:
        value = _FUNCTIONS[number.op](*operands)
    except ZeroDivisionError:
        fail(f"{number.op}({shown}) divides by zero", number.location, OpsirZeroDivisionError)
    except OverflowError:
        fail(f"{number.op}({shown}) is too large", number.location, OpsirOverflowError)
    except ValueError as error:
        fail(f"{number.op}({shown}): {error}", number.location)
    if type(value) is not _TYPES[number.kind]:
        fail(
            f"{number.op}({shown}) is the {type(value).__name__} {_shown(value)}, but the function "
            f"was compiled for an {number.kind} here; make an operand a float",
            number.location,
            OpsirValueError,
        )
    return value


def _shown(value: Any) -> str:
    if isinstance(value, int) and value.bit_length() > 128:
        return f"an integer of {value.bit_length()} bits"
    return str(value)
