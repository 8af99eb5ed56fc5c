"""Type promotion: the dtype in which each op computes, and the dtype of its result.

Owns one kind rule per op and the two rule sets that apply it, ``numpy`` and ``c``. Knows no IR and
no value: callers pass dtypes and learn what to cast each operand to.

No table is written down. Under ``numpy`` an op computes in the first dtype, narrowest first, that
its rule accepts and that every operand reaches by a safe cast; all operands are weighed at once,
so (u16, i16, f32) is f32 although (u16, i16) alone is i32. The rules for bf16 follow from the same
sentence. Under ``c`` the floats alone decide where there are any, and the widest integer where
there are none, unsigned at equal width; integers still compare by value.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from enum import Enum
from functools import lru_cache
from typing import Literal

from opsir.casts import can_cast
from opsir.diagnostics import OpsirTypeError, fail
from opsir.dtypes import ALL, BOOL, F32, F64, I64, U64, DType

RuleSet = Literal["numpy", "c"]


class Weak(Enum):
    """A Python number without a dtype: it takes on the dtype of the tensors that it meets."""

    INT = "int"
    FLOAT = "float"


Operand = DType | Weak


class PromotionError(OpsirTypeError):
    """The op has no meaning for the dtypes that it was given."""


@dataclass(frozen=True, slots=True)
class KindRule:
    """How an op treats the kinds of its operands; every op names one rule.

    ``accepts`` lists the kinds ("b", "u", "i", "f") in which the op computes: an operand of a
    kind that is missing is widened to one that is there.  ``bools`` says what becomes of
    operands that are all bool where "b" is missing: they widen too, or they are refused.
    """

    name: str
    accepts: str = "buif"
    bools: Literal["widen", "refuse"] = "widen"
    result: Literal["compute", "bool"] = "compute"
    operands: Literal["common", "exact", "condition", "bool"] = "common"
    """One common dtype; the same but integers compare by value; a leading condition; all bool."""
    bool_under_c: bool = True
    """Whether rule set ``c`` lets a bool take part."""
    integers_divide: bool = False
    """Whether operands that are all integers compute in the default float, whatever their width."""


ARITHMETIC = KindRule("arithmetic", bool_under_c=False)
NUMERIC = KindRule("numeric", "uif", bools="refuse", bool_under_c=False)
COUNTING = KindRule("counting", "uif", bool_under_c=False)
DIVISION = KindRule("division", "f", bool_under_c=False, integers_divide=True)
FLOAT_FUNCTION = KindRule("float function", "f")
ROUNDING = KindRule("rounding")
MINMAX = KindRule("minmax")
CLIP = KindRule("clip")
COMPARISON = KindRule("comparison", result="bool", operands="exact")
LOGICAL = KindRule("logical", result="bool", operands="bool")
BITWISE = KindRule("bitwise", "bui")
SHIFT = KindRule("shift", "ui")
PREDICATE = KindRule("predicate", result="bool")
FLOAT_PREDICATE = KindRule("float predicate", "f", result="bool")
SELECT = KindRule("select", operands="condition")

_OPS: dict[KindRule, str] = {
    ARITHMETIC: "add mul",
    NUMERIC: "sub neg positive sign",
    COUNTING: "div_trunc div_floor rem mod pow square reciprocal",
    DIVISION: "div",
    FLOAT_FUNCTION: """
        sqrt rsqrt fma rint copysign hypot heaviside nextafter
        exp exp2 expm1 log log2 log10 log1p sin cos tan asin acos atan atan2
        sinh cosh tanh asinh acosh atanh cbrt erf erfc
        sigmoid softplus silu gelu gelu_tanh""",
    ROUNDING: "floor ceil trunc round",
    MINMAX: "minimum maximum fmin fmax abs relu",
    CLIP: "clip",
    COMPARISON: "eq ne lt le gt ge",
    LOGICAL: "logical_and logical_or logical_xor logical_not",
    BITWISE: "bitwise_and bitwise_or bitwise_xor bitwise_not",
    SHIFT: "shift_left shift_right",
    PREDICATE: "isnan isinf isfinite",
    FLOAT_PREDICATE: "signbit",
    SELECT: "where",
}

OP_RULES: dict[str, KindRule] = {op: rule for rule, ops in _OPS.items() for op in ops.split()}
"""Op name to the rule that decides its dtypes."""

_RENAMED = """
    sub=subtract mul=multiply div=true_divide div_trunc=floor_divide div_floor=floor_divide
    rem=fmod mod=remainder pow=power neg=negative abs=absolute
    rsqrt=sqrt fma=hypot erf=exp erfc=exp sigmoid=exp softplus=exp silu=exp gelu=exp gelu_tanh=exp
    round=trunc relu=maximum
    eq=equal ne=not_equal lt=less le=less_equal gt=greater ge=greater_equal
    bitwise_not=invert shift_left=left_shift shift_right=right_shift
    asin=arcsin acos=arccos atan=arctan atan2=arctan2 asinh=arcsinh acosh=arccosh atanh=arctanh"""

NUMPY_NAME: dict[str, str] = {op: op for op in OP_RULES} | {
    op: name for op, _, name in (pair.partition("=") for pair in _RENAMED.split())
}
"""Op name to the NumPy function whose table of dtypes it has, also for the ops that NumPy lacks.

All are ufuncs but ``where``. ``clip`` is the ternary ufunc behind ``np.clip``, ``relu`` has the
diagonal of ``maximum``, and ``fma`` extends the table of ``hypot`` to three operands.
"""


@dataclass(frozen=True, slots=True)
class Resolution:
    """The dtype that each operand is cast to, and the dtype of the op's result."""

    operands: tuple[DType, ...]
    result: DType


def _width(dtype: DType) -> tuple[bool, bool, int, bool, int]:
    """Sort key: bool, integers, floats; then by width, with i before u and f16 before bf16."""
    return (dtype.is_float, dtype.is_integer, dtype.bits, dtype.kind == "u", -dtype.mantissa)


_NARROWEST_FIRST: tuple[DType, ...] = tuple(sorted(ALL, key=_width))


def resolve(
    rule: KindRule,
    operands: Sequence[Operand],
    rules: RuleSet = "numpy",
    default_float: DType | None = None,
    op: str = "",
) -> Resolution:
    """Decide the dtypes of one op from those of its operands, in order.

    ``default_float`` is what a Python float makes of bools and integers, what integers divide in
    and, under ``c``, what a float function makes of them; unless stated it is f64 under ``numpy``
    and f32 under ``c``.  ``op`` is the name that the ``PromotionError`` gives, which dtypes
    without a meaning for the rule raise.
    """
    default = default_float or (F64 if rules == "numpy" else F32)
    return _resolve(rule, tuple(operands), rules, default, op)


@lru_cache(maxsize=4096)
def _resolve(
    rule: KindRule, operands: tuple[Operand, ...], rules: RuleSet, default: DType, op: str
) -> Resolution:
    if rule.operands == "bool":
        return Resolution((BOOL,) * len(operands), BOOL)
    conditions = 1 if rule.operands == "condition" else 0
    dtypes = _settle_weak(operands[conditions:], default)
    if rule.operands == "exact" and _only_64_bits_hold(dtypes):
        return Resolution(tuple(I64 if d.is_signed else U64 for d in dtypes), BOOL)
    refused = _refuses_bool(rule, operands, dtypes, rules)
    compute = None if refused else _compute_dtype(rule, dtypes, rules, default)
    if compute is None:
        fail(_explain(rule, operands, rules, op, refused), error=PromotionError)
    casts = (BOOL,) * conditions + (compute,) * (len(operands) - conditions)
    return Resolution(casts, BOOL if rule.result == "bool" else compute)


def _settle_weak(operands: Sequence[Operand], default_float: DType) -> list[DType]:
    """The dtypes that decide, once Python numbers have joined the tensors or outranked them."""
    strong = [operand for operand in operands if isinstance(operand, DType)]
    if Weak.FLOAT in operands and not any(d.is_float for d in strong):
        return [default_float]
    if Weak.INT in operands and all(d.is_logical for d in strong):
        return [I64]
    return strong


def _only_64_bits_hold(dtypes: Sequence[DType]) -> bool:
    """Whether no integer dtype holds these integers: u64 beside a signed one, compared by value."""
    integers = all(d.is_integer for d in dtypes)
    return integers and _narrowest(BITWISE.accepts, dtypes) is None


def _refuses_bool(
    rule: KindRule, operands: Sequence[Operand], dtypes: Sequence[DType], rules: RuleSet
) -> bool:
    """``c`` refuses a bool wherever it stands, ``numpy`` only bools that stand alone."""
    if rules == "c" and not rule.bool_under_c:
        return BOOL in operands
    return rule.bools == "refuse" and all(d.is_logical for d in dtypes)


def _compute_dtype(
    rule: KindRule, dtypes: Sequence[DType], rules: RuleSet, default_float: DType
) -> DType | None:
    """The dtype in which the op computes, or None where no accepted one holds every operand."""
    floats = [d for d in dtypes if d.is_float]
    if not floats and (rule.integers_divide or (rules == "c" and rule.accepts == "f")):
        return default_float
    by_value = rule.operands == "exact" and not floats
    if rules == "c" and not by_value:
        dtypes = floats or [max(dtypes, key=_width)]
    return _narrowest(rule.accepts, dtypes)


def _narrowest(accepts: str, dtypes: Sequence[DType]) -> DType | None:
    """The narrowest dtype of an accepted kind to which every one of ``dtypes`` casts safely."""
    for candidate in _NARROWEST_FIRST:
        if candidate.kind in accepts and all(can_cast(d, candidate, "safe") for d in dtypes):
            return candidate
    return None


_KIND_NAMES = {"b": "bool", "u": "unsigned", "i": "signed", "f": "float"}


def _explain(
    rule: KindRule, operands: Sequence[Operand], rules: RuleSet, op: str, refused: bool
) -> str:
    """The message of a ``PromotionError``: what was given, what is allowed, what to do."""
    given = ", ".join(f"Python {o.value}" if isinstance(o, Weak) else o.name for o in operands)
    head = f"{op or rule.name} does not take ({given}) under rules '{rules}'"
    if refused:
        return f"{head}: bool is not a number here; cast it to an integer or float dtype first"
    kinds = ", ".join(_KIND_NAMES[kind] for kind in rule.accepts)
    return (
        f"{head}: it computes in a dtype of one of the kinds {kinds}, and none of them holds "
        "every operand; cast an operand first"
    )
