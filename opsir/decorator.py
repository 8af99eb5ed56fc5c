"""``opsir.jit``, ``opsir.compile`` and the process-wide settings around them.

Owns the spelling of options as keywords. Everything else is the runtime's.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, overload

from opsir.diagnostics import OpsirTypeError, fail
from opsir.frontends.options import read_options, thread_count
from opsir.frontends.places import user_location
from opsir.runtime.jit import Jitted
from opsir.runtime.pool import POOL
from opsir.runtime.program import compile_text
from opsir.runtime.specialise import native_cache_clear, native_cache_info
from opsir.runtime.threads import SETTINGS


@overload
def jit(function: Callable[..., Any], /) -> Jitted: ...
@overload
def jit(
    function: None = None,
    /,
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
) -> Callable[[Callable[..., Any]], Jitted]: ...
def jit(function: Callable[..., Any] | None = None, /, **options: Any) -> Any:
    """Compile a function of arrays and numbers when it is called: ``@jit`` or ``@jit(...)``.

    ``rules``: "numpy", or "c" (``/`` and ``%`` of integers truncate, floats win over integers).
    ``scalars``: "weak" Python numbers take on the dtype of the arrays they meet, "strict" ones are
    i64 and f64. ``default_float``: "f64" or "f32", what a Python float makes of integers.
    ``intermediates``: "rounded" gives the bits of op by op, "wide" keeps f16 and bf16 chains in
    f32. ``int_errors``: "warn", "ignore" or "raise" for integer division by zero. ``contract``:
    shapes such as "(n,c),(c)->(n,c)" that every call must have. ``rank_extension``: "error"
    refuses operands of different rank. ``threads``: how many may share out a kernel, 1 to 1024;
    None goes by ``set_num_threads``. ``copies``: "allow", "warn" or "error" where a call has to
    copy elements or keep a value in a temporary; the logger "opsir" names each with its
    reason. ``debug``: True runs each call in guarded memory and checks every element and address.
    ``accuracy`` takes its default only in this version.
    """
    chosen = read_options(options, "jit")

    def decorate(function: Any) -> Jitted:
        if isinstance(function, Jitted):
            fail(f"{function!r} is jitted already", user_location(), OpsirTypeError)
        if not callable(function):
            fail(f"jit takes a function, got {function!r}", user_location(), OpsirTypeError)
        return Jitted(function, chosen)

    return decorate if function is None else decorate(function)


compile = compile_text
cache_info = native_cache_info


def cache_clear() -> None:
    """Forget compiled code that no program uses, and give free result memory to the system."""
    native_cache_clear()
    POOL.clear()


def set_num_threads(count: int) -> None:
    """Let kernels run on up to ``count`` threads where that is worth it, 1 to 1024.

    Counts for calls from now on, of functions without a ``threads`` option. At the start it is
    what the environment variable OPSIR_NUM_THREADS says, else 1. Results do not depend on it.
    Raises OpsirTypeError for anything but an int, OpsirValueError for one out of range.
    """
    SETTINGS.threads = thread_count(count, "a number of threads")


def get_num_threads() -> int:
    """The number of threads that kernels may run on."""
    return SETTINGS.threads
