"""A traced function as plain frozen records: what was applied to what, and where in the source.

Owns the form of a trace and its stable digest. Knows no IR and no tracer, so that records can be
kept, compared and handed to other consumers.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from hashlib import sha256
from typing import Any, Literal

from opsir.casts import Casting
from opsir.diagnostics import Location, OpsirOverflowError, fail
from opsir.dtypes import U8, DType
from opsir.frontends.numbers import (
    Number,
    ViewSize,
    dependencies,
    evaluate_numbers,
    number_text,
)
from opsir.promotion import Operand, Weak
from opsir.signature import ArgumentKind, View
from opsir.view import ViewRule


@dataclass(frozen=True, slots=True)
class ArgSpec:
    """What tracing knows of an argument: its kind, dtype (None if weak) and number of axes."""

    kind: ArgumentKind
    dtype: DType | None = None
    ndim: int = 0

    def __str__(self) -> str:
        if self.kind == "array":
            return f"{self.dtype}[{self.ndim}]"
        return self.kind if self.dtype is None else f"{self.dtype}"


@dataclass(frozen=True, slots=True)
class OutSpec:
    """An array given as ``out=``: results are cast to its dtype and broadcast to its shape."""

    dtype: DType
    ndim: int

    def __str__(self) -> str:
        return f"{self.dtype}[{self.ndim}]"


@dataclass(frozen=True, slots=True)
class Input:
    """An argument: the caller's first, then hidden ones."""

    index: int

    def __str__(self) -> str:
        return f"a{self.index}"


@dataclass(frozen=True, slots=True)
class Result:
    """The result of an earlier record."""

    index: int

    def __str__(self) -> str:
        return f"r{self.index}"


@dataclass(frozen=True, slots=True, eq=False)
class Constant:
    """A literal: a NumPy scalar, or a Python number that stays weak."""

    value: Any

    def __str__(self) -> str:
        if type(self.value) in (int, float):
            return number_text(self.value)
        return f"{self.value.dtype}:{self.value.tobytes().hex()}"


Value = Input | Result | Constant


@dataclass(frozen=True, slots=True)
class Typed:
    """A value with its dtype (or weak kind) and number of axes; None marks a scalar."""

    value: Value
    dtype: Operand
    ndim: int | None

    @property
    def is_float(self) -> bool:
        """Whether it is a float of a dtype or a weak one."""
        return self.dtype is Weak.FLOAT if isinstance(self.dtype, Weak) else self.dtype.is_float

    def __str__(self) -> str:
        name = f"weak_{self.dtype.value}" if isinstance(self.dtype, Weak) else self.dtype.name
        return f"{self.value}:{name}" + ("" if self.ndim is None else f"[{self.ndim}]")


@dataclass(frozen=True, slots=True)
class Record:
    """One op of the opsir dialect applied to earlier values.

    ``axes`` ties operand axes to result axes and belongs to ``broadcast``, ``casting`` to
    ``cast``, ``view`` to the op of that kind. ``sizes`` names the sizes of the result of a
    broadcast or a view, as indices into the program's numbers.
    """

    op: str
    operands: tuple[Typed, ...]
    dtype: DType
    ndim: int | None
    location: Location | None = None
    axes: tuple[int, ...] | None = None
    sizes: tuple[int, ...] | None = None
    casting: Casting | None = None
    view: ViewRule | None = None

    def __str__(self) -> str:
        parts = [self.op, ", ".join(map(str, self.operands))]
        if self.view is not None:
            parts.append(str(self.view))
        if self.axes is not None:
            parts.append(f"axes {list(self.axes)}")
        if self.sizes is not None:
            parts.append(f"sizes {list(self.sizes)}")
        if self.casting is not None:
            parts.append(self.casting)
        return " ".join(parts)


@dataclass(frozen=True, slots=True, eq=False)
class Captured:
    """A hidden argument: an object that the function refers to, read anew at each call."""

    value: Any
    location: Location | None


@dataclass(frozen=True, slots=True)
class Derived:
    """A hidden argument: a number that Python computes from the arguments of each call.

    ``number`` is its index in the program's numbers; ``dtype`` is None where it stays weak.
    """

    number: int
    dtype: DType | None


Hidden = Captured | Derived
Structure = Literal["single", "tuple"]


@dataclass(frozen=True, eq=False)
class Program:
    """A traced function.

    ``arguments`` are the caller's ``given`` ones, then one for each entry of ``hidden``.
    ``results`` refer to values before the conversion to ``outs``, which is one per result or
    empty.
    """

    name: str
    given: int
    arguments: tuple[ArgSpec, ...]
    names: tuple[str, ...]
    hidden: tuple[Hidden, ...]
    numbers: tuple[Number, ...]
    records: tuple[Record, ...]
    results: tuple[Typed, ...]
    structure: Structure
    outs: tuple[OutSpec, ...] = ()
    location: Location | None = None

    def hidden_values(self, arguments: Sequence[Any]) -> tuple[Any, ...]:
        """The hidden arguments of a call, given the caller's arguments (arrays and numbers).

        Raises the located errors of Python's arithmetic, a division by zero for instance.
        """
        if not self._derived:
            return self._captured
        everything = (*arguments, *self._captured_in_place)
        numbers = evaluate_numbers(self.numbers, self._derived, everything)
        return tuple(
            _converted(numbers[h.number], h.dtype) if isinstance(h, Derived) else h.value
            for h in self.hidden
        )

    def view_sizes(self, arguments: Sequence[Any]) -> tuple[View, ...]:
        """For each number of ``view_numbers`` an array of that size, which exists in name only.

        ``arguments`` are those of the call, hidden ones included. That a size is 1, or equal to
        another one, then shows in the signature of a call as it does for arguments. Raises the
        located errors of views that do not apply.
        """
        wanted = self.view_numbers
        if not wanted:
            return ()
        numbers = evaluate_numbers(self.numbers, self._view_order, arguments)
        return tuple(View(0, (numbers[i],), (1,), U8) for i in wanted)

    @cached_property
    def view_numbers(self) -> tuple[int, ...]:
        """The numbers in shapes that only the view that they belong to can tell."""
        return tuple(i for i in self._stated if isinstance(self.numbers[i], ViewSize))

    @cached_property
    def _view_order(self) -> tuple[int, ...]:
        return dependencies(self.numbers, self.view_numbers)

    @cached_property
    def _derived(self) -> tuple[int, ...]:
        wanted = [h.number for h in self.hidden if isinstance(h, Derived)]
        return dependencies(self.numbers, wanted)

    @cached_property
    def _captured(self) -> tuple[Any, ...]:
        return tuple(h.value for h in self.hidden if isinstance(h, Captured))

    @cached_property
    def _captured_in_place(self) -> tuple[Any, ...]:
        return tuple(h.value if isinstance(h, Captured) else None for h in self.hidden)

    @cached_property
    def digest(self) -> str:
        """A hash of all that decides the compiled code: no location, no value of an argument."""
        return sha256(self._text(self._stated).encode()).hexdigest()

    @cached_property
    def _stated(self) -> tuple[int, ...]:
        """The numbers that stand in shapes; all others are values of hidden arguments."""
        return dependencies(self.numbers, [n for r in self.records for n in r.sizes or ()])

    def __str__(self) -> str:
        """Equal texts are equal programs, locations and captured objects aside."""
        return self._text(sorted({*self._stated, *self._derived}))

    def _text(self, numbers: Iterable[int]) -> str:
        arguments = ", ".join(f"a{i}: {spec}" for i, spec in enumerate(self.arguments))
        lines = [f"{self.name}({arguments})"]
        lines += [f"n{i} = {self.numbers[i]}" for i in numbers]
        lines += [f"r{i}: {r.dtype} = {r}" for i, r in enumerate(self.records)]
        lines.append(f"return {self.structure} ({', '.join(map(str, self.results))})")
        if self.outs:
            lines.append(f"out ({', '.join(map(str, self.outs))})")
        return "\n".join(lines)


def _converted(number: Any, dtype: DType | None) -> Any:
    if dtype is None:
        return number
    if dtype.is_integer and not dtype.min <= number <= dtype.max:
        fail(f"{number} does not fit {dtype}", error=OpsirOverflowError)
    return dtype.numpy.type(number)
