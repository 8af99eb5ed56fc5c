"""Python's operators on traced values, each by the name of its op.

Owns the spelling of operators and the refusal of what Python does with plain numbers only. Knows
nothing of how an operation is recorded.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from typing import Any, NoReturn

import numpy as np

from opsir.diagnostics import OpsirTypeError, fail
from opsir.frontends.places import user_location

_NO_TRUTH = (
    "has no truth value while the function is traced: it is compiled once for all values; "
    "use np.where instead of if, & | ~ instead of and, or, not, and (a < b) & (b < c) for a < b < c"
)


class Operators(ABC):
    """Mixed into whatever stands for a value of a traced function."""

    __slots__ = ()

    @abstractmethod
    def _operator(self, op: str, *operands: Any) -> Any:
        """Record ``op`` on the operands, of which this is one."""

    @abstractmethod
    def _divmod(self, left: Any, right: Any) -> tuple[Any, Any]:
        """The floor quotient and its remainder, under all rules."""

    @abstractmethod
    def _describe(self) -> str:
        """What this value is, as the subject of a message."""

    def _refuse(self, message: str) -> NoReturn:
        """Raise an OpsirTypeError at the user's line, about this value."""
        refuse(self._describe(), message)

    def __hash__(self) -> int:
        self._refuse("is not hashable: it has no value while the function is traced")

    def __add__(self, other: Any) -> Any:
        return self._operator("add", self, other)

    def __radd__(self, other: Any) -> Any:
        return self._operator("add", other, self)

    def __sub__(self, other: Any) -> Any:
        return self._operator("sub", self, other)

    def __rsub__(self, other: Any) -> Any:
        return self._operator("sub", other, self)

    def __mul__(self, other: Any) -> Any:
        return self._operator("mul", self, other)

    def __rmul__(self, other: Any) -> Any:
        return self._operator("mul", other, self)

    def __truediv__(self, other: Any) -> Any:
        return self._operator("div", self, other)

    def __rtruediv__(self, other: Any) -> Any:
        return self._operator("div", other, self)

    def __floordiv__(self, other: Any) -> Any:
        return self._operator("div_floor", self, other)

    def __rfloordiv__(self, other: Any) -> Any:
        return self._operator("div_floor", other, self)

    def __mod__(self, other: Any) -> Any:
        return self._operator("mod", self, other)

    def __rmod__(self, other: Any) -> Any:
        return self._operator("mod", other, self)

    def __divmod__(self, other: Any) -> Any:
        return self._divmod(self, other)

    def __rdivmod__(self, other: Any) -> Any:
        return self._divmod(other, self)

    def __pow__(self, other: Any, modulus: Any = None) -> Any:
        if modulus is not None:
            self._refuse("takes no modulus in pow(); write (x ** y) % m")
        return self._operator("pow", self, other)

    def __rpow__(self, other: Any) -> Any:
        return self._operator("pow", other, self)

    def __and__(self, other: Any) -> Any:
        return self._operator("bitwise_and", self, other)

    def __rand__(self, other: Any) -> Any:
        return self._operator("bitwise_and", other, self)

    def __or__(self, other: Any) -> Any:
        return self._operator("bitwise_or", self, other)

    def __ror__(self, other: Any) -> Any:
        return self._operator("bitwise_or", other, self)

    def __xor__(self, other: Any) -> Any:
        return self._operator("bitwise_xor", self, other)

    def __rxor__(self, other: Any) -> Any:
        return self._operator("bitwise_xor", other, self)

    def __lshift__(self, other: Any) -> Any:
        return self._operator("shift_left", self, other)

    def __rlshift__(self, other: Any) -> Any:
        return self._operator("shift_left", other, self)

    def __rshift__(self, other: Any) -> Any:
        return self._operator("shift_right", self, other)

    def __rrshift__(self, other: Any) -> Any:
        return self._operator("shift_right", other, self)

    def __neg__(self) -> Any:
        return self._operator("neg", self)

    def __pos__(self) -> Any:
        return self._operator("positive", self)

    def __abs__(self) -> Any:
        return self._operator("abs", self)

    def __invert__(self) -> Any:
        return self._operator("bitwise_not", self)

    def __eq__(self, other: object) -> Any:
        return self._operator("eq", self, other)

    def __ne__(self, other: object) -> Any:
        return self._operator("ne", self, other)

    def __lt__(self, other: Any) -> Any:
        return self._operator("lt", self, other)

    def __le__(self, other: Any) -> Any:
        return self._operator("le", self, other)

    def __gt__(self, other: Any) -> Any:
        return self._operator("gt", self, other)

    def __ge__(self, other: Any) -> Any:
        return self._operator("ge", self, other)

    def __bool__(self) -> bool:
        self._refuse(_NO_TRUTH)

    def __int__(self) -> int:
        self._refuse("has no value while the function is traced, so it is no int()")

    def __float__(self) -> float:
        self._refuse(
            "has no value while the function is traced, so it is no float(); use NumPy's functions "
            "instead of math's"
        )

    def __complex__(self) -> complex:
        self._refuse("has no value while the function is traced, so it is no complex()")

    def __index__(self) -> int:
        self._refuse(
            "has no value while the function is traced, so it cannot be an index, a range() or a "
            "shape of NumPy's"
        )

    def __round__(self, digits: Any = None) -> Any:
        self._refuse("is not rounded by round(); use np.round(x), opsir.rint or opsir.round")

    def __format__(self, spec: str) -> str:
        if spec:
            self._refuse("has no value while the function is traced, so it has no format")
        return repr(self)

    def __matmul__(self, other: Any) -> Any:
        self._refuse("has no matrix product in this version: opsir works element by element")

    def __rmatmul__(self, other: Any) -> Any:
        self._refuse("has no matrix product in this version: opsir works element by element")

    def __iter__(self) -> Any:
        self._refuse("cannot be iterated: opsir works on whole arrays, element by element")

    def __contains__(self, item: Any) -> bool:
        self._refuse("cannot be searched with 'in': the answer is not known while tracing")


class ArrayOperators(Operators):
    """What arrays have beyond numbers: changes in place, and the refusal of item assignment."""

    __slots__ = ()

    @abstractmethod
    def _in_place(self, op: str, other: Any) -> Any:
        """Replace the value of this array by ``op`` of it and ``other``, if it may be changed."""

    def __iadd__(self, other: Any) -> Any:
        return self._in_place("add", other)

    def __isub__(self, other: Any) -> Any:
        return self._in_place("sub", other)

    def __imul__(self, other: Any) -> Any:
        return self._in_place("mul", other)

    def __itruediv__(self, other: Any) -> Any:
        return self._in_place("div", other)

    def __ifloordiv__(self, other: Any) -> Any:
        return self._in_place("div_floor", other)

    def __imod__(self, other: Any) -> Any:
        return self._in_place("mod", other)

    def __ipow__(self, other: Any) -> Any:
        return self._in_place("pow", other)

    def __iand__(self, other: Any) -> Any:
        return self._in_place("bitwise_and", other)

    def __ior__(self, other: Any) -> Any:
        return self._in_place("bitwise_or", other)

    def __ixor__(self, other: Any) -> Any:
        return self._in_place("bitwise_xor", other)

    def __ilshift__(self, other: Any) -> Any:
        return self._in_place("shift_left", other)

    def __irshift__(self, other: Any) -> Any:
        return self._in_place("shift_right", other)

    def __len__(self) -> int:
        self._refuse("has no len() while the function is traced; use x.shape[0]")

    def __setitem__(self, index: Any, value: Any) -> None:
        self._refuse(
            "does not take item assignment; return the new value (np.where selects elements) and "
            "give out= to the compiled function to write it into an array"
        )

    def __delitem__(self, index: Any) -> None:
        self._refuse("does not take item deletion")


def refuse(subject: str, message: str) -> NoReturn:
    """An OpsirTypeError at the user's line: ``subject`` says what kind of value it is about."""
    fail(f"{subject} {message}", user_location(), OpsirTypeError)


def refuse_ambiguous_division(
    ufunc: np.ufunc, inputs: Sequence[Any], is_float: Callable[[Any], bool]
) -> None:
    """NumPy turns ``W / x`` into np.true_divide, so under rules ``c`` its meaning is lost."""
    if ufunc not in (np.true_divide, np.remainder):
        return
    if isinstance(inputs[0], np.ndarray | np.generic) and not any(map(is_float, inputs)):
        fail(
            f"np.{ufunc.__name__} and the operator cannot be told apart when a NumPy array comes "
            "first, and under rules='c' they differ on integers; use opsir.divide, "
            "opsir.divide_trunc, opsir.remainder or opsir.fmod",
            user_location(),
            OpsirTypeError,
        )
