"""Traced values: what a function's arguments are replaced by while its operations are recorded.

Owns how they behave as Python objects: operators, NumPy's protocols, the attributes of an array
and the refusal of everything else. What an operation means belongs to the recorder.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, Literal

import numpy as np

from opsir.casts import Casting
from opsir.diagnostics import Location, OpsirAttributeError, OpsirTypeError, fail
from opsir.dtypes import DType
from opsir.frontends import numpy_api
from opsir.frontends.numbers import Literally, Size
from opsir.frontends.operators import Operators, refuse, refuse_ambiguous_division
from opsir.frontends.places import user_location
from opsir.frontends.recorder import Recorder
from opsir.frontends.records import Typed
from opsir.frontends.shapes import checked_axes, reshape_rule, stated_shape
from opsir.frontends.values import array_dtype, as_array, as_dtype
from opsir.frontends.viewing import Viewable
from opsir.view import ViewRule

Role = Literal["argument", "local", "view"]
"""Whose memory a traced array stands for: the caller's, its own, or that of another one."""


class Trace:
    """One run of a function on traced arguments: turns Python objects into typed values."""

    def __init__(self, recorder: Recorder) -> None:
        self.recorder = recorder
        self.finished = False

    def apply(self, op: str, *operands: Any) -> TracedArray:
        """Record an op on traced values, arrays and numbers, in the order of its operands."""
        location = user_location()
        typed = [self.operand(o, location) for o in operands]
        return TracedArray(self, self.recorder.apply(op, typed, location))

    def operator(self, op: str, *operands: Any) -> TracedArray | TracedNumber:
        """Record one of Python's operators; between Python numbers it stays a Python number."""
        location = user_location()
        if not any(isinstance(o, TracedArray) for o in operands):
            numbers = [n for n in map(self.number, operands) if n is not None]
            if len(numbers) == len(operands):
                is_float = any(self.recorder.kinds[n] == "float" for n in numbers)
                return self.compute(self.recorder.spelled(op, is_float), *numbers)
        typed = [self.operand(o, location) for o in operands]
        return TracedArray(self, self.recorder.operator(op, typed, location))

    def compute(self, op: str, *numbers: int) -> TracedNumber:
        """Arithmetic between Python numbers, under the name of the op."""
        return TracedNumber(self, self.recorder.compute(op, numbers, user_location()))

    def operand(self, value: Any, location: Location | None) -> Typed:
        """The typed value of anything that may stand beside a traced array."""
        if self.finished:
            fail(
                "a traced value is used after the function that it belongs to has returned; "
                "return it instead of keeping it elsewhere",
                location,
                OpsirTypeError,
            )
        if isinstance(value, TracedArray | TracedNumber):
            if value._trace is not self:
                fail("a traced value of another function is used here", location, OpsirTypeError)
            if isinstance(value, TracedArray):
                return value._typed
            return self.recorder.number_operand(value._number, location)
        if type(value) is int or type(value) is float:
            return self.recorder.literal(value, None, location)
        if type(value) is bool:
            value = np.bool_(value)
        if isinstance(value, np.generic):
            return self.recorder.literal(value, array_dtype(value, "a number", location), location)
        array = as_array(value, "an operand", location)
        dtype = array_dtype(array, "a captured array", location)
        return self.recorder.capture(value, dtype, array.ndim, location)

    def number(self, value: Any) -> int | None:
        """The index of a number of Python's; None for anything else."""
        match value:
            case TracedNumber() if value._trace is self:
                return value._number
            case bool() | int() | float() if type(value) in (bool, int, float):
                kind = "bool" if type(value) is bool else "int" if type(value) is int else "float"
                return self.recorder.number(Literally(value), kind)
            case _:
                return None

    def lift(self, value: Any) -> TracedArray:
        """The traced array (or scalar) that stands for any operand."""
        if isinstance(value, TracedArray):
            return value
        return TracedArray(self, self.operand(value, user_location()))

    def dtype_like(self, value: Any) -> Any:
        """What ``np.result_type`` takes in place of an operand."""
        if isinstance(value, TracedArray):
            return value.dtype
        if isinstance(value, TracedNumber):
            return 0.0 if self.recorder.kinds[value._number] == "float" else 0
        return value

    def is_weak_integer(self, value: Any) -> bool:
        """Whether an operand is a Python integer that takes on the dtype of what it meets."""
        number = self.number(value)
        is_int = number is not None and self.recorder.kinds[number] == "int"
        return is_int and not self.recorder.strict


class _Traced(Operators):
    """What traced arrays and traced numbers share: NumPy's protocols."""

    __slots__ = ("_trace",)
    _trace: Trace

    def _divmod(self, left: Any, right: Any) -> tuple[Any, Any]:
        return self._operator("div_floor", left, right), self._trace.apply("mod", left, right)

    def __array_ufunc__(self, ufunc: np.ufunc, method: str, *inputs: Any, **kwargs: Any) -> Any:
        trace, location = self._trace, user_location()
        if trace.recorder.options.rules == "c":
            refuse_ambiguous_division(ufunc, inputs, lambda v: trace.operand(v, location).is_float)
        return numpy_api.call_ufunc(self._trace, ufunc, method, inputs, kwargs)

    def __array_function__(
        self,
        func: Callable[..., Any],
        types: Any,
        args: Sequence[Any],
        kwargs: dict[str, Any],
    ) -> Any:
        return numpy_api.call_function(self._trace, func, args, kwargs)

    def __array__(self, dtype: Any = None, copy: Any = None) -> Any:
        self._refuse("cannot become a NumPy array: it has no value while the function is traced")


class TracedNumber(_Traced):
    """A Python number of a traced function: an argument, a size, or what operators make of them.

    It is computed by Python at each call, stays weak as Python numbers do, and enters the compiled
    function where it meets an array.
    """

    __slots__ = ("_number",)

    def __init__(self, trace: Trace, number: int) -> None:
        self._trace = trace
        self._number = number

    def _operator(self, op: str, *operands: Any) -> Any:
        return self._trace.operator(op, *operands)

    def _divmod(self, left: Any, right: Any) -> tuple[Any, Any]:
        numbers = [self._trace.number(left), self._trace.number(right)]
        known = [n for n in numbers if n is not None]
        if len(known) < 2:
            return super()._divmod(left, right)
        return self._trace.compute("div_floor", *known), self._trace.compute("mod", *known)

    def _describe(self) -> str:
        recorder = self._trace.recorder
        if isinstance(recorder.numbers[self._number], Size):
            return "the size of a traced array"
        return f"a traced Python {recorder.kinds[self._number]}"

    def __getattr__(self, name: str) -> Any:
        message = f"{self._describe()} has no attribute '{name}'"
        fail(message, user_location(), OpsirAttributeError)

    def __repr__(self) -> str:
        return f"<{self._describe()}>"


class TracedArray(Viewable, _Traced):
    """A traced array or NumPy scalar: dtype and rank are known, values and sizes are not."""

    __slots__ = ("_role", "_typed", "_viewed")

    def __init__(self, trace: Trace, typed: Typed, role: Role = "local") -> None:
        self._trace = trace
        self._typed = typed
        self._role: Role = role
        self._viewed = False

    @property
    def dtype(self) -> np.dtype[Any]:
        return self._dtype.numpy

    @property
    def _dtype(self) -> DType:
        return self._trace.recorder.settled(self._typed.dtype)

    @property
    def ndim(self) -> int:
        return self._typed.ndim or 0

    @property
    def itemsize(self) -> int:
        """Size of one element in bytes."""
        return self._dtype.itemsize

    @property
    def shape(self) -> tuple[Any, ...]:
        """One size per axis, outermost first; known sizes are plain integers."""
        return tuple(map(self._size, self._trace.recorder.sizes(self._typed)))

    def _size(self, number: int) -> Any:
        known = self._trace.recorder.numbers[number]
        return known.value if isinstance(known, Literally) else TracedNumber(self._trace, number)

    @property
    def size(self) -> Any:
        """The number of elements."""
        size: Any = 1
        for extent in self.shape:
            size = extent if type(size) is int and size == 1 else size * extent
        return size

    def astype(
        self,
        dtype: Any,
        order: str = "K",
        casting: str = "unsafe",
        subok: bool = True,
        copy: bool = True,
    ) -> TracedArray:
        """Convert; ``casting`` "unsafe", "same_kind" or "safe" says which conversions may be."""
        location = user_location()
        levels: dict[str, Casting | None] = {
            "unsafe": None,
            "same_kind": "same_kind",
            "safe": "safe",
        }
        if casting not in levels:
            refuse("astype", f"takes casting {', '.join(levels)}, got {casting!r}")
        target = as_dtype(dtype, location)
        if target == self._typed.dtype:
            return self.copy()
        recorded = self._trace.recorder.cast(self._typed, target, location, levels[casting])
        return TracedArray(self._trace, recorded)

    def copy(self, order: str = "C") -> TracedArray:
        """The same values, as a result of the function's own."""
        return TracedArray(self._trace, self._typed)

    def clip(self, min: Any = None, max: Any = None, **kwargs: Any) -> Any:
        """``np.clip``; a bound of None does not bind."""
        numpy_api.check_keywords("clip", kwargs)
        return numpy_api.clip(self._trace, self, min, max)

    def round(self, decimals: Any = 0, out: Any = None) -> Any:
        """Round to whole numbers, halves to even; integers stay as they are."""
        numpy_api.check_keywords("round", {"out": out})
        if type(decimals) is not int or decimals != 0:
            refuse("round", f"takes decimals=0 in a traced function, got {decimals!r}")
        if self._dtype.is_integer:
            return self.copy()
        return self._trace.apply("rint", self)

    def _broadcast_to(self, shape: Any) -> TracedArray:
        location = user_location()
        recorder = self._trace.recorder
        sizes = stated_shape(recorder, shape, self._trace.number, location)
        return self._view(recorder.broadcast(self._typed, sizes, location))

    def _align(self, axes: Any, ndim: Any) -> TracedArray:
        location = user_location()
        recorder = self._trace.recorder
        placed = checked_axes(axes, ndim, self.ndim, location)
        sizes = [recorder.number(Literally(1), "int")] * ndim
        for axis, size in zip(placed, recorder.sizes(self._typed), strict=True):
            sizes[axis] = size
        return self._view(recorder.broadcast(self._typed, sizes, location, placed))

    def _viewed_by(self, rule: ViewRule) -> TracedArray:
        return self._view(self._trace.recorder.view(self._typed, rule, user_location()))

    def _reshaped(self, shape: Any) -> TracedArray:
        recorder, location = self._trace.recorder, user_location()
        return self._viewed_by(reshape_rule(recorder, shape, self._trace.number, location))

    def _view(self, typed: Typed) -> TracedArray:
        self._viewed = True
        return TracedArray(self._trace, typed, "view")

    def _filled_like(self, value: Any, dtype: Any) -> TracedArray:
        target = self._dtype if dtype is None else as_dtype(dtype, user_location())
        filled = self._trace.lift(value).astype(target)
        return filled._broadcast_to(self.shape).copy() if self.ndim else filled

    def _operator(self, op: str, *operands: Any) -> Any:
        return self._trace.operator(op, *operands)

    def _in_place(self, op: str, other: Any) -> Any:
        if self._role == "argument" and self._typed.ndim is not None:
            self._refuse(
                "is an argument and cannot be changed; return the new value and give out= to the "
                "compiled function to write it into an array"
            )
        if self._role == "view" or self._viewed:
            self._refuse(
                "shares memory with another array and cannot be changed; use copy(), or return the "
                "new value and give out= to the compiled function"
            )
        result = self._operator(op, self, other)
        if not self.ndim:
            return result
        if result.ndim > self.ndim:
            self._refuse(f"cannot hold a result of rank {result.ndim}")
        kept = result.astype(self._dtype, casting="same_kind")._typed
        if isinstance(other, TracedArray | np.ndarray) and other.ndim:
            sizes = self._trace.recorder.sizes(self._typed)
            kept = self._trace.recorder.broadcast(kept, sizes, user_location())
        self._typed = kept
        return self

    def _describe(self) -> str:
        if self._typed.ndim is None:
            return f"a traced {self._dtype} scalar"
        return f"a traced {self._dtype} array of rank {self.ndim}"

    def __getattr__(self, name: str) -> Any:
        if hasattr(np.ndarray, name) and not name.startswith("__"):
            message = (
                f"{self._describe()} does not offer '{name}' in this version (reductions are still "
                "to come); it has dtype, ndim, shape, size, itemsize, astype, clip, copy, round, "
                "the methods that make views, and operators, indexing and NumPy's elementwise "
                "functions work on it"
            )
        else:
            message = f"{self._describe()} has no attribute '{name}'"
        fail(message, user_location(), OpsirAttributeError)

    def __repr__(self) -> str:
        return f"<{self._describe()}>"
