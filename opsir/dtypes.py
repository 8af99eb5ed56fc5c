"""The thirteen element types: one frozen row each, and look-ups by every name a row is known by.

Owns every fact that depends on a dtype alone. Knows no IR, no op and no target; nothing elsewhere
may switch on a dtype by hand.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal

import ml_dtypes
import numpy as np

Kind = Literal["b", "u", "i", "f"]
"""bool, unsigned integer, signed integer, floating point."""


@dataclass(frozen=True, slots=True)
class DType:
    """One element type.

    ``bits`` is the storage width (a bool occupies 8 bits in memory). ``mantissa`` counts the
    significand bits including the implicit one, ``exponent`` the exponent field's bits; both are 0
    for integers. ``compute`` names the dtype in which arithmetic on this one is carried out before
    rounding back, ``accumulate`` the one in which sums of many are kept.
    """

    name: str
    kind: Kind
    bits: int
    mlir: str
    llvm: str
    compute_name: str
    accumulate_name: str
    mantissa: int = 0
    exponent: int = 0

    @property
    def itemsize(self) -> int:
        """Size of one element in bytes."""
        return self.bits // 8

    @property
    def is_logical(self) -> bool:
        return self.kind == "b"

    @property
    def is_signed(self) -> bool:
        """True for signed integers and floats."""
        return self.kind in "if"

    @property
    def is_float(self) -> bool:
        return self.kind == "f"

    @property
    def is_integer(self) -> bool:
        """True for signed and unsigned integers, false for bool."""
        return self.kind in "ui"

    @property
    def is_half(self) -> bool:
        """True for the 16-bit floats, whose arithmetic is carried out in a wider type."""
        return self.kind == "f" and self.bits == 16

    @property
    def numpy(self) -> np.dtype[Any]:
        return _NUMPY[self.name]

    @property
    def compute(self) -> DType:
        return BY_NAME[self.compute_name]

    @property
    def accumulate(self) -> DType:
        return BY_NAME[self.accumulate_name]

    @property
    def min(self) -> int:
        """Smallest integer value; bool counts as 0..1.  Not defined for floats."""
        assert not self.is_float
        return -(1 << (self.bits - 1)) if self.kind == "i" else 0

    @property
    def max(self) -> int:
        """Largest integer value.  Not defined for floats."""
        assert not self.is_float
        if self.kind == "b":
            return 1
        return (1 << (self.bits - (self.kind == "i"))) - 1

    def __repr__(self) -> str:
        return self.name


BOOL = DType("bool", "b", 8, "i1", "i8", "bool", "i64")
U8 = DType("u8", "u", 8, "ui8", "i8", "u8", "u64")
U16 = DType("u16", "u", 16, "ui16", "i16", "u16", "u64")
U32 = DType("u32", "u", 32, "ui32", "i32", "u32", "u64")
U64 = DType("u64", "u", 64, "ui64", "i64", "u64", "u64")
I8 = DType("i8", "i", 8, "i8", "i8", "i8", "i64")
I16 = DType("i16", "i", 16, "i16", "i16", "i16", "i64")
I32 = DType("i32", "i", 32, "i32", "i32", "i32", "i64")
I64 = DType("i64", "i", 64, "i64", "i64", "i64", "i64")
F16 = DType("f16", "f", 16, "f16", "half", "f32", "f32", 11, 5)
BF16 = DType("bf16", "f", 16, "bf16", "bfloat", "f32", "f32", 8, 8)
F32 = DType("f32", "f", 32, "f32", "float", "f32", "f32", 24, 8)
F64 = DType("f64", "f", 64, "f64", "double", "f64", "f64", 53, 11)

ALL: tuple[DType, ...] = (BOOL, U8, U16, U32, U64, I8, I16, I32, I64, F16, BF16, F32, F64)
"""Every dtype, in the fixed order used by all generated tables."""

BY_NAME: dict[str, DType] = {d.name: d for d in ALL}
BY_MLIR: dict[str, DType] = {d.mlir: d for d in ALL}

_NUMPY: dict[str, np.dtype[Any]] = {
    "bool": np.dtype(np.bool_),
    "u8": np.dtype(np.uint8),
    "u16": np.dtype(np.uint16),
    "u32": np.dtype(np.uint32),
    "u64": np.dtype(np.uint64),
    "i8": np.dtype(np.int8),
    "i16": np.dtype(np.int16),
    "i32": np.dtype(np.int32),
    "i64": np.dtype(np.int64),
    "f16": np.dtype(np.float16),
    "bf16": np.dtype(ml_dtypes.bfloat16),
    "f32": np.dtype(np.float32),
    "f64": np.dtype(np.float64),
}

_BY_NUMPY: dict[np.dtype[Any], DType] = {_NUMPY[d.name]: d for d in ALL}


def from_numpy(dtype: np.dtype[Any]) -> DType | None:
    """The row for a native-order NumPy dtype, or None where opsir has none.

    ``long`` and ``longlong`` are both i64 where they have 64 bits; a byte-swapped dtype has no row.
    """
    row = _BY_NUMPY.get(dtype)
    if row is not None or dtype.kind not in "iu" or not dtype.isnative:
        return row
    return BY_NAME.get(f"{dtype.kind}{dtype.itemsize * 8}")
