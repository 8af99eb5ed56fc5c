"""Collects the records of one trace: dtypes and ranks decided op by op, hidden arguments found.

Owns the growing program and what an operation on typed values means. Knows no Python object that a
user holds: the tracer turns those into typed values first.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from typing import Any

import numpy as np

from opsir.casts import Casting, can_cast
from opsir.diagnostics import Location, OpsirError, OpsirOverflowError, OpsirTypeError, fail
from opsir.dtypes import BOOL, F64, I64, DType
from opsir.frontends.numbers import (
    Computed,
    Given,
    Literally,
    Number,
    NumberKind,
    Size,
    ViewSize,
    computed_kind,
    extent_of,
    number_of,
)
from opsir.frontends.options import JitOptions
from opsir.frontends.records import (
    ArgSpec,
    Captured,
    Constant,
    Derived,
    Hidden,
    Input,
    Record,
    Result,
    Typed,
)
from opsir.promotion import OP_RULES, Operand, PromotionError, RuleSet, Weak, resolve
from opsir.view import ViewRule
from opsir.view_symbols import sizes_of

MAX_RANK = 64
MAX_BITS = 4096
"""Of a Python integer; the largest f64 has 1024."""

_AS_IN_C = {"div": "div_trunc", "mod": "rem"}
"""What the operators ``/`` and ``%`` mean on integers under rules ``c``."""


@lru_cache(maxsize=4096)
def _result_dtype(
    op: str, operands: tuple[Operand, ...], rules: RuleSet, default_float: DType
) -> DType:
    return resolve(OP_RULES[op], operands, rules, default_float, op).result


class Recorder:
    """The state of one trace.

    ``numbers`` are Python's numbers, see ``opsir.frontends.numbers``; ``arguments`` grows by the
    hidden arguments that the trace comes upon.
    """

    def __init__(self, arguments: Sequence[ArgSpec], options: JitOptions) -> None:
        self.options = options
        self.arguments = list(arguments)
        self.hidden: list[Hidden] = []
        self.records: list[Record] = []
        self.numbers: list[Number] = []
        self.kinds: list[NumberKind] = []
        self._number_of: dict[tuple[NumberKind, str], int] = {}
        self._captured: dict[int, Typed] = {}
        self._entered: dict[int, Typed] = {}
        self._sizes: list[tuple[int, ...]] = []
        self.strict = options.scalars == "strict"

    # ---- operations on values

    def argument(self, index: int) -> Typed:
        """The typed value of an argument that is no Python number."""
        spec = self.arguments[index]
        assert spec.dtype is not None
        return Typed(Input(index), spec.dtype, spec.ndim if spec.kind == "array" else None)

    def apply(self, op: str, operands: Sequence[Typed], location: Location | None) -> Typed:
        """Record an elementwise op; a PromotionError names the user's line."""
        dtype = self._resolve(op, tuple([o.dtype for o in operands]), location)
        ranks = [o.ndim for o in operands if o.ndim is not None]
        if self.options.rank_extension == "error" and len(ranks) > 1:
            _refuse_rank_extension(op, ranks, location)
        ndim = max(ranks) if ranks else None
        return self._append(Record(op, tuple(operands), dtype, ndim, location))

    def _resolve(self, op: str, operands: tuple[Operand, ...], location: Location | None) -> DType:
        options = self.options
        try:
            return _result_dtype(op, operands, options.rules, options.settled_default_float)
        except PromotionError as error:
            fail(error.detail, location, PromotionError)

    def operator(self, op: str, operands: Sequence[Typed], location: Location | None) -> Typed:
        """Record what an operator of Python means under the chosen rules."""
        return self.apply(self.spelled(op, any(o.is_float for o in operands)), operands, location)

    def spelled(self, op: str, is_float: bool) -> str:
        """The op that an operator stands for: ``/`` and ``%`` of integers depend on the rules."""
        return op if is_float or self.options.rules == "numpy" else _AS_IN_C.get(op, op)

    def cast(
        self,
        operand: Typed,
        dtype: DType,
        location: Location | None,
        casting: Casting | None = None,
    ) -> Typed:
        """Record a conversion; ``casting`` refuses one that loses too much."""
        source = self.settled(operand.dtype)
        if casting is not None and not can_cast(source, dtype, casting):
            fail(
                f"cannot cast {source} to {dtype} under casting='{casting}'; "
                f"use astype({dtype.name!r}) to force it",
                location,
                OpsirTypeError,
            )
        return self._append(
            Record("cast", (operand,), dtype, operand.ndim, location, casting=casting)
        )

    def settled(self, operand: Operand) -> DType:
        """The dtype that a value gets where nothing it meets decides."""
        if isinstance(operand, DType):
            return operand
        return I64 if operand is Weak.INT else self.options.settled_default_float

    def broadcast(
        self,
        operand: Typed,
        sizes: Sequence[int],
        location: Location | None,
        axes: tuple[int, ...] | None = None,
    ) -> Typed:
        """Record a broadcast to ``sizes``, given as numbers; ``axes`` ties operand axes to them."""
        if len(sizes) > MAX_RANK:
            fail(f"rank {len(sizes)} is above the limit of {MAX_RANK}", location)
        if operand.ndim is not None and operand.ndim > len(sizes):
            fail(
                f"cannot broadcast an array of rank {operand.ndim} to the lower rank {len(sizes)}",
                location,
            )
        dtype = self.settled(operand.dtype)
        if dtype != operand.dtype:
            operand = self.cast(operand, dtype, location)
        return self._append(
            Record("broadcast", (operand,), dtype, len(sizes), location, axes, tuple(sizes))
        )

    def view(self, operand: Typed, rule: ViewRule, location: Location | None) -> Typed:
        """Record a view. Raises at the user's line what no sizes can satisfy."""
        if operand.ndim is None:
            operand = self.broadcast(operand, (), location)
        dtype = self.settled(operand.dtype)
        own = self.sizes(operand)
        try:
            found = sizes_of(rule, [extent_of(i, self.numbers[i]) for i in own])
        except OpsirError as error:
            fail(error.detail, location, type(error))
        if len(found) > MAX_RANK:
            fail(f"rank {len(found)} is above the limit of {MAX_RANK}", location)
        sizes: list[int] = []
        for axis, extent in enumerate(found):
            number: Number = ViewSize(rule, own, axis, location)
            if extent is not None:
                known = number_of(extent)
                number = Literally(extent.value) if known is None else self.numbers[known]
            sizes.append(self.number(number, "int"))
        return self._append(
            Record(
                rule.kind, (operand,), dtype, len(found), location, None, tuple(sizes), None, rule
            )
        )

    def _append(self, record: Record) -> Typed:
        self.records.append(record)
        return Typed(Result(len(self.records) - 1), record.dtype, record.ndim)

    # ---- operands that are no traced values

    def literal(self, value: Any, dtype: DType | None, location: Location | None) -> Typed:
        """A NumPy scalar of ``dtype``, or a Python number, which stays weak unless strict."""
        if dtype is None:
            weak = Weak.INT if type(value) is int else Weak.FLOAT
            if weak is Weak.INT and value.bit_length() > MAX_BITS:
                fail(
                    f"a Python integer of {value.bit_length()} bits is above the limit of "
                    f"{MAX_BITS} bits",
                    location,
                    OpsirOverflowError,
                )
            if not self.strict:
                return Typed(Constant(value), weak, None)
            dtype = I64 if weak is Weak.INT else F64
            if weak is Weak.INT and not I64.min <= value <= I64.max:
                fail(f"{value} does not fit i64", location, OpsirOverflowError)
            value = dtype.numpy.type(value)
        return Typed(Constant(value), dtype, None)

    def capture(self, value: Any, dtype: DType, ndim: int, location: Location | None) -> Typed:
        """The hidden argument for an array (or sequence) that the function refers to."""
        known = self._captured.get(id(value))
        if known is None:
            known = Typed(Input(len(self.arguments)), dtype, ndim)
            self.arguments.append(ArgSpec("array", dtype, ndim))
            self.hidden.append(Captured(value, location))
            self._captured[id(value)] = known
        return known

    # ---- Python's numbers

    def number(self, number: Number, kind: NumberKind) -> int:
        """The index of a number, entered once."""
        key = (kind, str(number))  # As text, since 1 == 1.0 == True and 0.0 == -0.0.
        index = self._number_of.get(key)
        if index is None:
            index = self._number_of[key] = len(self.numbers)
            self.numbers.append(number)
            self.kinds.append(kind)
        return index

    def compute(self, op: str, operands: Sequence[int], location: Location | None) -> int:
        """The number that Python's operator named ``op`` makes of numbers."""
        kinds: list[NumberKind] = [self.kinds[i] for i in operands]
        kind = computed_kind(op, kinds, location)
        if op == "pow" and kind == "int":
            exponent = self.numbers[operands[1]]
            if isinstance(exponent, Literally) and exponent.value < 0:
                kind = "float"
        return self.number(Computed(op, tuple(operands), kind, location), kind)

    def number_operand(self, index: int, location: Location | None) -> Typed:
        """A number as an operand: a literal, the argument that it is, or a hidden argument."""
        number, kind = self.numbers[index], self.kinds[index]
        if isinstance(number, Literally):
            if kind == "bool":
                return self.literal(np.bool_(number.value), BOOL, location)
            return self.literal(number.value, None, location)
        known = self._entered.get(index)
        if known is None:
            known = self._entered[index] = self._enter(index, number, kind)
        return known

    def _enter(self, index: int, number: Number, kind: NumberKind) -> Typed:
        if isinstance(number, Given):
            return Typed(Input(number.argument), Weak.INT if kind == "int" else Weak.FLOAT, None)
        position = Input(len(self.arguments))
        strong = BOOL if kind == "bool" else I64 if kind == "int" else F64
        if kind == "bool" or self.strict:
            self.arguments.append(ArgSpec("scalar", strong))
            self.hidden.append(Derived(index, strong))
            return Typed(position, strong, None)
        self.arguments.append(ArgSpec("weak_int" if kind == "int" else "weak_float"))
        self.hidden.append(Derived(index, None))
        return Typed(position, Weak.INT if kind == "int" else Weak.FLOAT, None)

    def sizes(self, value: Typed) -> tuple[int, ...]:
        """The sizes of a value's axes as numbers, outermost first."""
        if isinstance(value.value, Input):
            argument = value.value.index
            return tuple(
                self.number(Size(argument, axis), "int") for axis in range(value.ndim or 0)
            )
        if isinstance(value.value, Constant):
            return ()
        for record in self.records[len(self._sizes) : value.value.index + 1]:
            self._sizes.append(self._sizes_of(record))
        return self._sizes[value.value.index]

    def _sizes_of(self, record: Record) -> tuple[int, ...]:
        if record.sizes is not None:
            return record.sizes
        sizes: list[int | None] = [None] * (record.ndim or 0)
        for operand in record.operands:
            own = self._known_sizes(operand)
            for axis, size in enumerate(own, len(sizes) - len(own)):
                sizes[axis] = self._common_size(sizes[axis], size)
        return tuple(size for size in sizes if size is not None)

    def _known_sizes(self, operand: Typed) -> tuple[int, ...]:
        if isinstance(operand.value, Result):
            return self._sizes[operand.value.index]
        return self.sizes(operand)

    def _common_size(self, first: int | None, second: int) -> int:
        one = Literally(1)
        if first is None or first == second or self.numbers[first] == one:
            return second
        if self.numbers[second] == one:
            return first
        return self.number(Computed("common_size", (first, second), "int"), "int")


def _refuse_rank_extension(op: str, ranks: Sequence[int], location: Location | None) -> None:
    """Rank 0 counts as a scalar: it has no axis that could be mistaken for another."""
    different = {rank for rank in ranks if rank}
    if len(different) > 1:
        fail(
            f"{op} takes operands of ranks {' and '.join(map(str, ranks))}, and rank_extension is "
            "'error'; tie the axes with opsir.align or opsir.broadcast_to",
            location,
        )
