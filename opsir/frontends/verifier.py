"""Verification that ends in one located error, and the checks on IR text that xDSL leaves out.

Owns the translation of xDSL's VerifyException. Knows no single op and no pass.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NoReturn

from xdsl.ir import Operation, Region, SSAValue
from xdsl.utils.exceptions import VerifyException

from opsir.diagnostics import OpsirError
from opsir.dialects.locations import fail_at
from opsir.dialects.opsir.types import layout_problem

_PREFIX = "Operation does not verify: "
_LEAKS = (KeyError, AttributeError, IndexError)
"""What xDSL's ops raise when an op around them lacks what they rely on: inner ones come first."""


def verify(module: Operation) -> None:
    """Raise a located OpsirError for the first operation in ``module`` that does not verify.

    Beyond xDSL's own verifier, regions hold one block, values are defined before their uses, and
    layouts fit the ranks of their tensors.
    """
    _check_order(module, set())
    try:
        module.verify()
    except (VerifyException, OpsirError, *_LEAKS) as error:
        _fail_located(module, error)
    except ValueError as error:
        # xDSL reports broken parent pointers and erased operands this way.
        fail_at(module, f"is broken IR: {error}")


def _fail_located(module: Operation, error: Exception) -> NoReturn:
    """Find the operation that xDSL's verifier stopped at: it names none in its exception."""
    for op in module.walk():
        try:
            op.verify(verify_nested_ops=False)
        except VerifyException as inner:
            fail_at(op, str(inner).removeprefix(_PREFIX))
        except OpsirError as inner:
            fail_at(op, inner.detail, type(inner))
        except _LEAKS as inner:
            fail_at(op, f"is broken IR: {type(inner).__name__} {inner}")
    text = str(error).removeprefix(_PREFIX)
    for op in module.walk():
        if any(not block.ops for region in op.regions for block in region.blocks):
            fail_at(op, text)
    fail_at(module, text)


def _check_order(op: Operation, visible: set[SSAValue]) -> None:
    """Every operand is a value defined earlier, here or in a region around it."""
    for index, operand in enumerate(op.operands):
        if operand not in visible:
            fail_at(op, f"operand #{index} is used before it is defined")
    for region in op.regions:
        _check_region(op, region, visible)
    visible.update(op.results)
    _check_layouts(op, op.results)


def _check_region(op: Operation, region: Region, visible: set[SSAValue]) -> None:
    if len(region.blocks) > 1:
        fail_at(op, f"regions hold one block, got {len(region.blocks)}")
    for block in region.blocks:
        visible.update(block.args)
        _check_layouts(op, block.args)
        for inner in block.ops:
            _check_order(inner, visible)


def _check_layouts(op: Operation, values: Sequence[SSAValue]) -> None:
    for value in values:
        if (problem := layout_problem(value.type)) is not None:
            fail_at(op, problem)
