"""The parameters of a function that is to be compiled: a fixed number of positional ones.

Owns which callables have such parameters and what is said about the others. Traces nothing.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable
from inspect import Parameter, Signature
from typing import Any, NoReturn

import numpy as np

from opsir.diagnostics import OpsirTypeError, fail
from opsir.frontends.places import definition_of

_OUT = "out"
"""The keyword by which a call of a compiled function says where its results go."""


def signature_of_function(function: Callable[..., Any]) -> Signature:
    """The positional parameters of ``function``, a NumPy ufunc included.

    A last parameter ``out=None``, as array functions have it, is left out: a call of the compiled
    function takes ``out=`` by itself. An OpsirTypeError for every other kind of parameter.
    """
    if isinstance(function, np.ufunc):
        kind = Parameter.POSITIONAL_ONLY
        return Signature([Parameter(f"x{i + 1}", kind) for i in range(function.nin)])
    try:
        signature = inspect.signature(function)
    except (ValueError, TypeError):
        _refuse(function, "does not tell Python its parameters: jit a function that calls it")
    parameters = list(signature.parameters.values())
    if parameters and parameters[-1].name == _OUT and parameters[-1].default is None:
        parameters.pop()
    if any(p.kind not in (p.POSITIONAL_ONLY, p.POSITIONAL_OR_KEYWORD) for p in parameters):
        _refuse(
            function,
            "has *args, **kwargs or keyword-only parameters; a jitted function takes a fixed "
            "number of positional ones: jit a function that calls it",
        )
    if any(p.name == _OUT for p in parameters):
        _refuse(
            function,
            "has a parameter 'out', by which a call says where results go: rename it, or jit a "
            "function that calls it",
        )
    return signature.replace(parameters=parameters)


def _refuse(function: Callable[..., Any], reason: str) -> NoReturn:
    name = getattr(function, "__name__", type(function).__name__)
    fail(f"'{name}' {reason}", definition_of(function), OpsirTypeError)
