"""opsir: an elementwise compiler with NumPy's semantics.

Owns the public names. They load when first used, so that ``import opsir`` is quick: ops come from
``opsir.eager``, everything else from where ``_HOMES`` says.
"""

from __future__ import annotations

from importlib import import_module
from importlib.util import find_spec
from typing import TYPE_CHECKING, Any

from opsir.diagnostics import OpsirAttributeError as OpsirAttributeError
from opsir.diagnostics import OpsirError as OpsirError
from opsir.diagnostics import OpsirFaultError as OpsirFaultError
from opsir.diagnostics import OpsirIndexError as OpsirIndexError
from opsir.diagnostics import OpsirNotImplementedError as OpsirNotImplementedError
from opsir.diagnostics import OpsirOverflowError as OpsirOverflowError
from opsir.diagnostics import OpsirTypeError as OpsirTypeError
from opsir.diagnostics import OpsirValueError as OpsirValueError
from opsir.diagnostics import OpsirZeroDivisionError as OpsirZeroDivisionError
from opsir.diagnostics import fail as _fail

if TYPE_CHECKING:
    from opsir.decorator import cache_clear as cache_clear
    from opsir.decorator import cache_info as cache_info
    from opsir.decorator import compile as compile
    from opsir.decorator import get_num_threads as get_num_threads
    from opsir.decorator import jit as jit
    from opsir.decorator import set_num_threads as set_num_threads
    from opsir.eager import abs as abs
    from opsir.eager import absolute as absolute
    from opsir.eager import acos as acos
    from opsir.eager import acosh as acosh
    from opsir.eager import add as add
    from opsir.eager import align as align
    from opsir.eager import arccos as arccos
    from opsir.eager import arccosh as arccosh
    from opsir.eager import arcsin as arcsin
    from opsir.eager import arcsinh as arcsinh
    from opsir.eager import arctan as arctan
    from opsir.eager import arctan2 as arctan2
    from opsir.eager import arctanh as arctanh
    from opsir.eager import asin as asin
    from opsir.eager import asinh as asinh
    from opsir.eager import atan as atan
    from opsir.eager import atan2 as atan2
    from opsir.eager import atanh as atanh
    from opsir.eager import bitwise_and as bitwise_and
    from opsir.eager import bitwise_invert as bitwise_invert
    from opsir.eager import bitwise_left_shift as bitwise_left_shift
    from opsir.eager import bitwise_not as bitwise_not
    from opsir.eager import bitwise_or as bitwise_or
    from opsir.eager import bitwise_right_shift as bitwise_right_shift
    from opsir.eager import bitwise_xor as bitwise_xor
    from opsir.eager import broadcast_to as broadcast_to
    from opsir.eager import cast as cast
    from opsir.eager import cbrt as cbrt
    from opsir.eager import ceil as ceil
    from opsir.eager import clip as clip
    from opsir.eager import copysign as copysign
    from opsir.eager import cos as cos
    from opsir.eager import cosh as cosh
    from opsir.eager import div as div
    from opsir.eager import div_floor as div_floor
    from opsir.eager import div_trunc as div_trunc
    from opsir.eager import divide as divide
    from opsir.eager import divide_floor as divide_floor
    from opsir.eager import divide_trunc as divide_trunc
    from opsir.eager import eq as eq
    from opsir.eager import equal as equal
    from opsir.eager import erf as erf
    from opsir.eager import erfc as erfc
    from opsir.eager import exp as exp
    from opsir.eager import exp2 as exp2
    from opsir.eager import expm1 as expm1
    from opsir.eager import floor as floor
    from opsir.eager import floor_divide as floor_divide
    from opsir.eager import fma as fma
    from opsir.eager import fmax as fmax
    from opsir.eager import fmin as fmin
    from opsir.eager import fmod as fmod
    from opsir.eager import ge as ge
    from opsir.eager import gelu as gelu
    from opsir.eager import gelu_tanh as gelu_tanh
    from opsir.eager import greater as greater
    from opsir.eager import greater_equal as greater_equal
    from opsir.eager import gt as gt
    from opsir.eager import heaviside as heaviside
    from opsir.eager import hypot as hypot
    from opsir.eager import invert as invert
    from opsir.eager import isfinite as isfinite
    from opsir.eager import isinf as isinf
    from opsir.eager import isnan as isnan
    from opsir.eager import le as le
    from opsir.eager import left_shift as left_shift
    from opsir.eager import less as less
    from opsir.eager import less_equal as less_equal
    from opsir.eager import log as log
    from opsir.eager import log1p as log1p
    from opsir.eager import log2 as log2
    from opsir.eager import log10 as log10
    from opsir.eager import logical_and as logical_and
    from opsir.eager import logical_not as logical_not
    from opsir.eager import logical_or as logical_or
    from opsir.eager import logical_xor as logical_xor
    from opsir.eager import lt as lt
    from opsir.eager import maximum as maximum
    from opsir.eager import minimum as minimum
    from opsir.eager import mod as mod
    from opsir.eager import mul as mul
    from opsir.eager import multiply as multiply
    from opsir.eager import ne as ne
    from opsir.eager import neg as neg
    from opsir.eager import negative as negative
    from opsir.eager import nextafter as nextafter
    from opsir.eager import not_equal as not_equal
    from opsir.eager import positive as positive
    from opsir.eager import pow as pow
    from opsir.eager import power as power
    from opsir.eager import reciprocal as reciprocal
    from opsir.eager import relu as relu
    from opsir.eager import rem as rem
    from opsir.eager import remainder as remainder
    from opsir.eager import right_shift as right_shift
    from opsir.eager import rint as rint
    from opsir.eager import round as round
    from opsir.eager import rsqrt as rsqrt
    from opsir.eager import shift_left as shift_left
    from opsir.eager import shift_right as shift_right
    from opsir.eager import sigmoid as sigmoid
    from opsir.eager import sign as sign
    from opsir.eager import signbit as signbit
    from opsir.eager import silu as silu
    from opsir.eager import sin as sin
    from opsir.eager import sinh as sinh
    from opsir.eager import softplus as softplus
    from opsir.eager import sqrt as sqrt
    from opsir.eager import square as square
    from opsir.eager import sub as sub
    from opsir.eager import subtract as subtract
    from opsir.eager import tan as tan
    from opsir.eager import tanh as tanh
    from opsir.eager import true_divide as true_divide
    from opsir.eager import trunc as trunc
    from opsir.eager import where as where
    from opsir.queries import broadcast_shapes as broadcast_shapes
    from opsir.queries import plan as plan
    from opsir.queries import refuses_broadcast as refuses_broadcast
    from opsir.queries import refuses_plan as refuses_plan
    from opsir.queries import result_type as result_type
    from opsir.runtime.notices import CopyWarning as CopyWarning
    from opsir.runtime.pool import pool_info as pool_info
    from opsir.runtime.pool import set_pool_limit as set_pool_limit

_HOMES = {
    **dict.fromkeys(("cache_clear", "cache_info", "compile"), "opsir.decorator"),
    **dict.fromkeys(("get_num_threads", "jit", "set_num_threads"), "opsir.decorator"),
    **dict.fromkeys(("broadcast_shapes", "plan", "result_type"), "opsir.queries"),
    **dict.fromkeys(("refuses_broadcast", "refuses_plan"), "opsir.queries"),
    "CopyWarning": "opsir.runtime.notices",
    **dict.fromkeys(("pool_info", "set_pool_limit"), "opsir.runtime.pool"),
}
"""The module of each name that is no op."""


def _ops() -> dict[str, Any]:
    return import_module("opsir.eager").PUBLIC


def __getattr__(name: str) -> Any:
    if name in _HOMES:
        value = getattr(import_module(_HOMES[name]), name)
    elif name.startswith("_") or find_spec(f"opsir.{name}") or name not in _ops():
        # A module of the package is found by the import that asks, before it asks for ops.
        _fail(f"module 'opsir' has no attribute '{name}'", error=OpsirAttributeError)
    else:
        value = _ops()[name]
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted({*globals(), *_HOMES, *_ops()})
