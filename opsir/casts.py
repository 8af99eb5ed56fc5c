"""Facts about converting one dtype to another: which casts are allowed, and what each may lose.

Owns the casting levels that promotion and stores consult. Knows no op and no value: how a cast
computes its result belongs to the evaluator and to the emitters.
"""

from __future__ import annotations

from typing import Literal

from opsir.dtypes import DType

Casting = Literal["safe", "same_kind"]
"""Strictness of an implicit conversion, in NumPy's words."""

CastClass = Literal["identity", "widen", "wrap", "saturate", "round", "to_bool"]
"""What a cast does to values, see :func:`cast_class`."""

_RANK = {"b": 0, "u": 1, "i": 2, "f": 3}
"""Kinds in the order in which ``same_kind`` lets values move: never to a lower rank."""


def can_cast(src: DType, dst: DType, casting: Casting) -> bool:
    """Whether ``src`` converts to ``dst`` without being asked, as ``np.can_cast`` answers.

    ``safe`` casts keep every value, except that the 64-bit integers (and no smaller ones) also go
    to f64.  ``same_kind`` adds every cast that stays in its kind or moves up in the order bool,
    unsigned, signed, float.  bf16 is a float like the others: bool, u8 and i8 reach it safely, it
    reaches f32 and f64 safely, and by ``same_kind`` every dtype rounds to it and it rounds to f16.
    The last is the one answer that differs from ml_dtypes', which allows f16 to bf16 only.
    """
    if is_exact(src, dst):
        return True
    if casting == "safe":
        return src.is_integer and dst.is_float and dst.bits == 64
    return _RANK[src.kind] <= _RANK[dst.kind]


def is_exact(src: DType, dst: DType) -> bool:
    """Whether every value of ``src`` (a NaN counts as one value) survives in ``dst`` unchanged."""
    if src == dst or src.is_logical:
        return True
    if dst.is_logical:
        return False
    if src.is_float:
        return dst.is_float and dst.mantissa >= src.mantissa and dst.exponent >= src.exponent
    if dst.is_float:
        # An extreme signed value is a power of two, so the sign bit needs no significand bit; the
        # exponent range of each float with enough significand bits is ample.
        return src.bits - (src.kind == "i") <= dst.mantissa
    return dst.min <= src.min and src.max <= dst.max


def cast_class(src: DType, dst: DType) -> CastClass:
    """The class of one of the 169 casts.

    ``identity``: same dtype.  ``to_bool``: whether the value differs from 0.  ``widen``: exact.
    ``wrap``: integers modulo 2**bits.  ``saturate``: a float is truncated, clamped to the range
    of the integer, and NaN gives 0.  ``round``: one rounding to nearest even, to infinity beyond
    the range.
    """
    if src == dst:
        return "identity"
    if dst.is_logical:
        return "to_bool"
    if is_exact(src, dst):
        return "widen"
    if dst.is_float:
        return "round"
    return "saturate" if src.is_float else "wrap"
