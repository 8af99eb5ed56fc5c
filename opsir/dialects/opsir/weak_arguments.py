"""What stands in for Python numbers in a function, and how the runtime learns of it.

Owns the function attribute ``opsir.weak_args`` and the arguments and literals it speaks of. Knows
no pass and no promotion: which dtypes a number is wanted in is decided elsewhere.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import cast, get_args

from xdsl.dialects.builtin import ArrayAttr, DictionaryAttr, IntegerAttr, StringAttr, i64
from xdsl.dialects.func import FuncOp
from xdsl.ir import Attribute, BlockArgument, SSAValue

from opsir.diagnostics import OpsirError, fail
from opsir.dialects import editing
from opsir.dialects.locations import fail_at, location_of
from opsir.dialects.opsir.literal import ScalarOp
from opsir.dialects.opsir.types import WeakType, dtype_of, type_of
from opsir.dtypes import BOOL, F64, I64, DType
from opsir.weak import FLAGS, Role, bind

ATTRIBUTE = "opsir.weak_args"
_ROLES: tuple[str, ...] = get_args(Role)


@dataclass(frozen=True, slots=True)
class WeakArgument:
    """Argument ``argument`` of the function is ``opsir.weak.bind(number, role, dtype)``.

    ``number`` is what the caller passes at position ``source`` of the function as it was traced.
    """

    argument: int
    source: int
    role: Role
    dtype: DType


def weak_arguments(function: FuncOp) -> tuple[WeakArgument, ...]:
    """What ``promote-types`` recorded on ``function``, by rising argument; empty if nothing."""
    recorded = function.attributes.get(ATTRIBUTE)
    if recorded is None:
        return ()
    entries = cast("ArrayAttr[Attribute]", recorded).data if _is_array(recorded) else (None,)
    found = [_read(entry, len(function.function_type.inputs.data)) for entry in entries]
    known = tuple(entry for entry in found if entry is not None)
    if len(known) < len(found):
        fail_at(
            function,
            f"has a malformed {ATTRIBUTE}: expected an array of "
            '{argument = i64, source = i64, role = "...", dtype = type} with '
            f"argument below the number of arguments and role one of {', '.join(_ROLES)}",
        )
    return known


def record_weak_arguments(function: FuncOp, entries: Sequence[WeakArgument]) -> None:
    """Write ``entries`` on ``function``."""
    function.attributes[ATTRIBUTE] = ArrayAttr(map(_entry, entries))


@lru_cache(maxsize=1024)
def _entry(entry: WeakArgument) -> Attribute:
    return DictionaryAttr(
        {
            "argument": IntegerAttr(entry.argument, i64),
            "source": IntegerAttr(entry.source, i64),
            "role": StringAttr(entry.role),
            "dtype": type_of(entry.dtype),
        }
    )


def argument_sources(function: FuncOp) -> tuple[int, ...]:
    """For each argument the position that it had before ``promote-types`` split weak ones."""
    recorded = {entry.argument: entry.source for entry in weak_arguments(function)}
    sources: list[int] = []
    for argument in range(len(function.function_type.inputs.data)):
        following = sources[-1] + 1 if sources else 0
        sources.append(recorded.get(argument, following))
    return tuple(sources)


class StandIns:
    """Replaces the weak arguments and literals of one function: one scalar per role and dtype.

    The weak ones stay in place until ``finish``, so that their uses can still be visited.
    """

    def __init__(self, function: FuncOp) -> None:
        self.function = function
        self.block = function.body.block
        arguments = self.block.args
        self._before = {argument: argument.index for argument in arguments}
        self._sources = argument_sources(function)
        self._recorded = {arguments[w.argument]: w for w in weak_arguments(function)}
        self._made: dict[tuple[SSAValue, Role, DType], SSAValue] = {}
        self.arguments = tuple(a for a in arguments if isinstance(a.type, WeakType))
        """The weak arguments, in order."""

    def get(self, number: SSAValue, role: Role, dtype: DType) -> SSAValue:
        """The scalar that stands for a weak argument or literal.

        A literal that does not fit is an OpsirOverflowError at its place.
        """
        known = self._made.get((number, role, dtype))
        if known is None:
            if isinstance(number, BlockArgument):
                kind = type_of(BOOL if role in FLAGS else dtype)
                known = self.block.insert_arg(kind, number.index, number.location)
            else:
                known = _strong_literal(cast("ScalarOp", number.owner), role, dtype)
            known.name_hint = number.name_hint
            self._made[number, role, dtype] = known
        return known

    def finish(self) -> None:
        """Drop the weak arguments and record on the function what their successors are made of.

        Each keeps at least one successor, so that the positions of all others can be recovered.
        """
        if not self.arguments:
            return
        served = {number for number, _, _ in self._made}
        for number in self.arguments:
            if number not in served:
                self.get(number, "convert", I64 if number.type == WeakType("int") else F64)
        for number in self.arguments:
            self.block.erase_arg(number)
        origin = {new: old for (old, _, _), new in self._made.items()}
        self._move_attributes(origin)
        entries = [
            WeakArgument(new.index, self._sources[self._before[old]], role, dtype)
            for (old, role, dtype), new in self._made.items()
            if isinstance(old, BlockArgument) and isinstance(new, BlockArgument)
        ]
        entries += [replace(w, argument=a.index) for a, w in self._recorded.items()]
        record_weak_arguments(self.function, sorted(entries, key=lambda w: w.argument))

    def _move_attributes(self, origin: dict[SSAValue, SSAValue]) -> None:
        """Keep the attributes of arguments in step with the arguments."""
        if self.function.arg_attrs is not None:
            old = self.function.arg_attrs.data
            order = [cast("BlockArgument", origin.get(a, a)) for a in self.block.args]
            self.function.arg_attrs = ArrayAttr(old[self._before[a]] for a in order)


def _strong_literal(literal: ScalarOp, role: Role, dtype: DType) -> SSAValue:
    try:
        value = bind(literal.python_value(), role, dtype)
    except OpsirError as error:
        fail(error.detail, location_of(literal), type(error))
    strong = ScalarOp.make(value, BOOL if role in FLAGS else dtype, like=literal)
    editing.insert_before(strong, literal)
    return strong.result


def _is_array(attribute: Attribute) -> bool:
    return isinstance(attribute, ArrayAttr)


def _read(entry: Attribute | None, arguments: int) -> WeakArgument | None:
    if not isinstance(entry, DictionaryAttr):
        return None
    argument, source, role, element = map(entry.data.get, ("argument", "source", "role", "dtype"))
    dtype = dtype_of(element) if element is not None else None
    if not (
        isinstance(argument, IntegerAttr)
        and isinstance(source, IntegerAttr)
        and isinstance(role, StringAttr)
        and role.data in _ROLES
        and dtype is not None
    ):
        return None
    position, origin = argument.value.data, source.value.data
    if not (0 <= position < arguments and 0 <= origin <= position):
        return None
    return WeakArgument(position, origin, cast("Role", role.data), dtype)
