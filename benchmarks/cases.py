"""What is measured: each case one expression over arrays whose shapes are written in named sizes.

Owns the table of cases. Knows no library: every peer derives its own program from the expression.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping
from typing import Any

import ml_dtypes
import numpy as np

Dtype = np.dtype[Any]
Sizes = Mapping[str, int]
"""A value for each name that stands in the shapes of a case."""

SIZES = {
    "T": "10 elements: what a call costs",
    "M": "1e5 elements: in the cache",
    "F": "the shape of the case, in the cache",
    "L": "3e7 elements: in memory",
}


@dataclasses.dataclass(frozen=True)
class Input:
    """One argument: its dtype, shape as text such as "n 1 m", range of values and view.

    ``view`` is an expression over the array, such as "a.T"; the argument is what it gives.
    """

    dtype: Dtype
    shape: str
    low: float = 0.5
    high: float = 2.0
    view: str = ""


@dataclasses.dataclass(frozen=True)
class Case:
    """An elementwise expression over named inputs.

    ``inputs`` maps an argument to an `Input`, or to a number that is known only when it runs.
    ``sizes`` maps a letter of `SIZES` to the named sizes. ``scalar`` is the expression over single
    elements where a loop would be written differently, ``refuses`` names peers that cannot run it
    and why. ``broadcast`` cases are also compared with a dense one of equal traffic, ``compute``
    ones are not held against the memory's limit.
    """

    name: str
    expression: str
    inputs: Mapping[str, Input | float]
    sizes: Mapping[str, Sizes]
    scalar: str = ""
    in_place: str = ""
    broadcast: bool = False
    compute: bool = False
    slack: int = 0
    refuses: Mapping[str, str] = dataclasses.field(default_factory=dict[str, str])

    @property
    def title(self) -> str:
        """The expression with the shapes and views of its arguments."""
        shown = ", ".join(
            f"{name}: {x.dtype.name}[{x.shape.replace(' ', ',')}]{f' as {x.view}' * bool(x.view)}"
            for name, x in self.inputs.items()
            if isinstance(x, Input)
        )
        done = f"{self.in_place} = " if self.in_place else ""
        return f"{done}{self.expression} ({shown})"


F16: Dtype = np.dtype(np.float16)
F32: Dtype = np.dtype(np.float32)
F64: Dtype = np.dtype(np.float64)
BF16: Dtype = np.dtype(ml_dtypes.bfloat16)
I32: Dtype = np.dtype(np.int32)
U8: Dtype = np.dtype(np.uint8)
BOOL: Dtype = np.dtype(np.bool_)

FLAT: Mapping[str, Sizes] = {"M": {"n": 100_000}, "L": {"n": 30_000_000}}
WITH_TINY: Mapping[str, Sizes] = {"T": {"n": 10}, **FLAT}
SQUARE: Mapping[str, Sizes] = {"M": {"n": 320}, "L": {"n": 5500}}
MATRIX: Mapping[str, Sizes] = {"F": {"n": 512, "m": 1024}, "L": {"n": 30_000, "m": 1000}}

NO_HALF = {"numexpr": "has no 16-bit floats", "numba": "has no 16-bit floats"}


def _flat(names: str, dtype: Dtype = F32, low: float = 0.5, high: float = 2.0) -> dict[str, Input]:
    return {name: Input(dtype, "n", low, high) for name in names}


def _pair(first: str, second: str, view: str = "") -> dict[str, Input]:
    return {"a": Input(F32, first, view=view), "b": Input(F32, second)}


ARITHMETIC = (
    Case("add", "a + b", _flat("ab"), WITH_TINY),
    Case("scale_shift", "2.5 * a + 1.5", _flat("a"), WITH_TINY),
    Case("axpy", "s * a + b", {"s": 2.5, **_flat("ab")}, FLAT),
    Case("multiply_add", "a + b * c", _flat("abc"), FLAT),
    Case("chain8", "((a + b) * c - d) * a + b * c - d + a", _flat("abcd"), WITH_TINY),
    Case("where", "where(a > b, a, b) * c", _flat("abc"), FLAT),
    Case("hypot", "sqrt(a * a + b * b)", _flat("ab"), FLAT),
    Case("cube", "a ** 3", _flat("a", low=-3, high=3), FLAT, scalar="a * a * a"),
    Case("in_place", "a + b", {**_flat("a"), **_flat("b", low=0, high=1e-3)}, FLAT, in_place="a"),
)

BROADCASTS = (
    Case("scalar", "a * 2.5", {"a": Input(F32, "n m")}, MATRIX, broadcast=True),
    Case("row", "a + b", _pair("n m", "m"), MATRIX, broadcast=True),
    Case("column", "a + b", _pair("n m", "n 1"), MATRIX, broadcast=True),
    Case(
        "outer",
        "a + b",
        _pair("1 m", "n 1"),
        {"F": {"n": 512, "m": 1024}, "L": {"n": 5500, "m": 5500}},
        broadcast=True,
    ),
    Case(
        "middle",
        "a + b",
        _pair("n 1 m", "1 k 1"),
        {"F": {"n": 64, "k": 96, "m": 128}, "L": {"n": 512, "k": 229, "m": 256}},
        broadcast=True,
    ),
    Case(
        "channel",
        "a * b",
        _pair("n c m", "c 1"),
        {"F": {"n": 16, "c": 32, "m": 1024}, "L": {"n": 256, "c": 64, "m": 1800}},
        broadcast=True,
    ),
    Case(
        "rows5",
        "a + b",
        _pair("n 5", "5"),
        {"F": {"n": 100_000}, "L": {"n": 6_000_000}},
        broadcast=True,
    ),
    Case(
        "columns3",
        "a * b",
        _pair("n 3", "n 1"),
        {"F": {"n": 100_000}, "L": {"n": 10_000_000}},
        broadcast=True,
    ),
    Case(
        "rank6",
        "a + b",
        _pair("8 6 10 12 14 16", "12 1 16 8 1 10", view="a.transpose(3, 1, 5, 0, 4, 2)"),
        {"F": {}},
        broadcast=True,
    ),
)

VIEWS = (
    Case("transposed", "a + b", _pair("n n", "n n", view="a.T"), SQUARE),
    Case(
        "every_second",
        "a + b",
        _pair("n k", "n m", view="a[:, ::2]"),
        {"M": {"n": 250, "k": 800, "m": 400}, "L": {"n": 5500, "k": 11_000, "m": 5500}},
    ),
    Case("reversed", "a + b", _pair("n", "n", view="a[::-1]"), FLAT),
)

TYPES = (
    Case("i32_add", "a + b", _flat("ab", I32, -1000, 1000), FLAT),
    Case(
        "i32_floor_divide",
        "a // b",
        {**_flat("a", I32, -100_000, 100_000), **_flat("b", I32, 1, 100)},
        FLAT,
        compute=True,
        refuses={"numexpr": "its // truncates"},
    ),
    Case(
        "image_u8",
        "to_u8(clip(a * s + b, 0.0, 255.0))",
        {
            "a": Input(U8, "h w 3", 0, 256),
            "s": Input(F32, "3", 0.5, 1.5),
            "b": Input(F32, "3", -20, 20),
        },
        {"M": {"h": 185, "w": 180}, "L": {"h": 3160, "w": 3160}},
        slack=1,  # a * s + b with one rounding falls on the other side of a whole number
        refuses={"numexpr": "has no 8-bit results"},
    ),
    Case("f16_add", "a + b", _flat("ab", F16), FLAT, refuses=NO_HALF),
    Case("bf16_chain", "(a * b + c) * a - b", _flat("abc", BF16), FLAT, refuses=NO_HALF),
    Case("f64_add", "a + b", _flat("ab", F64), FLAT),
    Case("f64_exp", "exp(a)", _flat("a", F64, -4, 4), FLAT, compute=True),
    Case("mixed", "a + b", {**_flat("a"), **_flat("b", F64)}, FLAT),
    Case("select", "where(c, a, b)", {**_flat("c", BOOL, 0, 2), **_flat("ab")}, FLAT),
    Case(
        "widen",
        "to_f64(a) * 0.1",
        _flat("a"),
        FLAT,
        refuses={"numexpr": "has no cast"},
    ),
)

CASES = (*ARITHMETIC, *BROADCASTS, *VIEWS, *TYPES)
