"""The contract that a function states about its shapes, held against shapes under inference.

Owns the function attribute ``opsir.contract`` and the places at which its violations are reported.
What a contract demands is decided in ``opsir.contract``; knows no pass.
"""

from __future__ import annotations

from collections.abc import MutableMapping

from xdsl.dialects.builtin import StringAttr
from xdsl.dialects.func import FuncOp, ReturnOp
from xdsl.ir import SSAValue

from opsir.contract import Binding, parse
from opsir.diagnostics import OpsirError
from opsir.dialects.locations import fail_at
from opsir.dialects.opsir.weak_arguments import argument_sources
from opsir.sizes import Equality, Mismatch, Shape

ATTRIBUTE = "opsir.contract"


def contract_of(function: FuncOp) -> Binding | None:
    """The contract of ``function``, nothing bound yet; None where it states none."""
    text = function.attributes.get(ATTRIBUTE)
    if text is None:
        return None
    if not isinstance(text, StringAttr):
        fail_at(function, f"{ATTRIBUTE} is a string, got {text}")
    try:
        return Binding(parse(text.data))
    except OpsirError as error:
        fail_at(function, error.detail)


def bind_arguments(
    binding: Binding, function: FuncOp, shapes: MutableMapping[SSAValue, Shape]
) -> list[Equality]:
    """Label the argument shapes as the contract says; what a call must check is returned.

    Patterns count as the traced function's arguments did; captured ones behind them are free.
    """
    sources = argument_sources(function)
    given, stated = max(sources, default=-1) + 1, len(binding.contract.arguments)
    if stated > given:
        contract = binding.contract
        fail_at(function, f"has {given} arguments, but its contract '{contract}' states {stated}")
    for argument, source in zip(function.body.block.args, sources, strict=True):
        try:
            shape = binding.argument(source, shapes.get(argument, ()))
        except Mismatch as error:
            fail_at(function, f"{error}, by its contract '{binding.contract}'")
        if argument in shapes:
            shapes[argument] = shape
    return _taken(binding)


def check_results(
    binding: Binding, last: ReturnOp, shapes: MutableMapping[SSAValue, Shape]
) -> list[Equality]:
    """Hold the returned shapes against the contract; what a call must check is returned."""
    contract, given = binding.contract, len(last.arguments)
    if contract.results is not None and len(contract.results) != given:
        stated = len(contract.results)
        fail_at(last, f"returns {given} results, but the contract '{contract}' states {stated}")
    for index, value in enumerate(last.arguments):
        try:
            binding.result(index, shapes.get(value, ()))
        except Mismatch as error:
            fail_at(last, f"{error}, by the contract '{contract}'")
    return _taken(binding)


def _taken(binding: Binding) -> list[Equality]:
    equalities, binding.equalities = binding.equalities, []
    return equalities
