"""The options of ``opsir.jit``: what may be chosen, and a clear refusal of everything else.

Owns names, defaults and validation. Knows nothing of how an option takes effect.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal, NoReturn

from opsir.contract import Contract, parse
from opsir.diagnostics import (
    OpsirError,
    OpsirNotImplementedError,
    OpsirTypeError,
    OpsirValueError,
    fail,
)
from opsir.dtypes import F32, F64, DType
from opsir.frontends.places import user_location
from opsir.frontends.values import find_dtype
from opsir.promotion import RuleSet

Scalars = Literal["weak", "strict"]
Intermediates = Literal["rounded", "wide"]
IntErrors = Literal["warn", "ignore", "raise"]
RankExtension = Literal["allow", "error"]
Copies = Literal["allow", "warn", "error"]

MAX_THREADS = 1024

_CHOICES: dict[str, tuple[str, ...]] = {
    "rules": ("numpy", "c"),
    "scalars": ("weak", "strict", "compat"),
    "intermediates": ("rounded", "wide"),
    "accuracy": ("cr", "fast"),
    "int_errors": ("warn", "ignore", "raise"),
    "rank_extension": ("allow", "error"),
    "copies": ("allow", "warn", "error"),
}


@dataclass(frozen=True, slots=True)
class JitOptions:
    """Validated options of one jitted function, equal and hashable by value.

    ``default_float`` is the dtype that a Python float makes of integers (None: f64 under rules
    ``numpy``, f32 under ``c``). ``contract`` constrains shapes, ``rank_extension="error"`` refuses
    operands of different rank. ``threads`` bounds the threads of a kernel (None: as many as the
    process allows at the time of a call). ``copies`` says what happens where a call has to copy
    elements or keep a value in a temporary.
    """

    rules: RuleSet = "numpy"
    scalars: Scalars = "weak"
    default_float: DType | None = None
    intermediates: Intermediates = "rounded"
    accuracy: Literal["cr"] = "cr"
    threads: int | None = None
    int_errors: IntErrors = "warn"
    contract: Contract | None = None
    rank_extension: RankExtension = "allow"
    copies: Copies = "allow"
    debug: bool = False

    @classmethod
    def of(
        cls,
        *,
        rules: str = "numpy",
        scalars: str = "weak",
        default_float: Any = None,
        intermediates: str = "rounded",
        accuracy: str = "cr",
        threads: int | None = None,
        int_errors: str = "warn",
        contract: str | None = None,
        rank_extension: str = "allow",
        copies: str = "allow",
        debug: bool = False,
    ) -> JitOptions:
        """Check what a user chose.

        A value outside the choices is an OpsirValueError, a wrong type an OpsirTypeError, and a
        choice whose effect does not exist an OpsirNotImplementedError.
        """
        chosen = {
            "rules": rules,
            "scalars": scalars,
            "intermediates": intermediates,
            "accuracy": accuracy,
            "int_errors": int_errors,
            "rank_extension": rank_extension,
            "copies": copies,
        }
        for name, value in chosen.items():
            _check_choice(name, value, _CHOICES[name])
        if accuracy == "fast":
            _refuse("accuracy='fast' is not offered yet; leave it at 'cr'")
        _check_debug(debug)
        return cls(
            rules="c" if rules == "c" else "numpy",
            scalars="strict" if scalars == "strict" else "weak",
            default_float=_float_dtype(default_float),
            intermediates="wide" if intermediates == "wide" else "rounded",
            threads=None if threads is None else thread_count(threads, "threads"),
            int_errors=_int_errors(int_errors),
            contract=_contract(contract),
            rank_extension="error" if rank_extension == "error" else "allow",
            copies="error" if copies == "error" else "warn" if copies == "warn" else "allow",
            debug=debug,
        )

    @property
    def settled_default_float(self) -> DType:
        """``default_float``, or what the rule set says where it is None."""
        return self.default_float or (F64 if self.rules == "numpy" else F32)


def read_options(given: Mapping[str, Any], taker: str) -> JitOptions:
    """The options that keywords of ``taker`` name; an OpsirTypeError for one that there is not."""
    known = JitOptions.__dataclass_fields__
    if unknown := sorted(given.keys() - known.keys()):
        names = ", ".join(map(repr, unknown))
        _refuse(f"{taker} has no option {names}; it has {', '.join(known)}", OpsirTypeError)
    return JitOptions.of(**given)


def _refuse(message: str, error: type[OpsirError] = OpsirNotImplementedError) -> NoReturn:
    fail(message, user_location(), error)


def _check_choice(name: str, value: object, allowed: Sequence[str]) -> None:
    if not isinstance(value, str) or value not in allowed:
        choices = " or ".join(map(repr, allowed))
        _refuse(f"{name} is {choices}, got {value!r}", OpsirValueError)


def thread_count(value: object, what: str) -> int:
    """A number of threads; OpsirTypeError or OpsirValueError, naming ``what``, if it is none."""
    if type(value) is not int:
        _refuse(f"{what} is an int, got {value!r}", OpsirTypeError)
    if not 1 <= value <= MAX_THREADS:
        shown = value if value.bit_length() <= 64 else "a much larger one"
        _refuse(f"{what} is from 1 to {MAX_THREADS}, got {shown}", OpsirValueError)
    return value


def _check_debug(debug: object) -> None:
    if type(debug) is not bool:
        _refuse(f"debug is True or False, got {debug!r}", OpsirTypeError)


def _float_dtype(value: object) -> DType | None:
    if value is None:
        return None
    dtype = find_dtype(value)
    if dtype not in (F32, F64):
        _refuse(f"default_float is 'f32' or 'f64', got {value!r}", OpsirValueError)
    return dtype


def _int_errors(value: str) -> IntErrors:
    return "raise" if value == "raise" else "ignore" if value == "ignore" else "warn"


def _contract(text: object) -> Contract | None:
    if text is None:
        return None
    if not isinstance(text, str):
        _refuse(f"contract is a string such as '(n,c),(c)->(n,c)', got {text!r}", OpsirTypeError)
    try:
        return parse(text)
    except OpsirError as error:
        _refuse(error.detail, type(error))
