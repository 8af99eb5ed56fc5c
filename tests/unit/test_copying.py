"""Compiled functions are pickled and copied as Python functions are, programs as their text."""

from __future__ import annotations

import copy
import pickle
from typing import Any

import numpy as np
import pytest

import opsir
from opsir import eager

A = np.arange(3, dtype=np.float32)


@opsir.jit
def doubled(x: Any) -> Any:
    return x * 2


NEGATED = """\
func.func @f(%a: tensor<?xf32>) -> tensor<*xf32> {
  %r = opsir.neg %a : (tensor<?xf32>) -> tensor<*xf32>
  func.return %r : tensor<*xf32>
}
"""


def test_a_jitted_function_goes_by_its_name() -> None:
    reached = doubled
    assert reached(A).tolist() == [0, 2, 4]
    assert copy.deepcopy(reached) is reached
    assert copy.copy(reached) is reached
    assert doubled.__reduce__() == "doubled"


def test_one_without_a_name_says_so() -> None:
    with pytest.raises((pickle.PicklingError, AttributeError), match="Can't pickle"):
        pickle.dumps(opsir.jit(lambda x: x))


@pytest.mark.parametrize("name", sorted(eager.PUBLIC))
def test_eager_functions(name: str) -> None:
    function = getattr(opsir, name)
    assert pickle.loads(pickle.dumps(function)) is function


def test_a_program_is_compiled_again() -> None:
    program = opsir.compile(NEGATED, filename="a.mlir", int_errors="ignore")
    for other in (pickle.loads(pickle.dumps(program)), copy.deepcopy(program)):
        assert other(A).tolist() == [0, -1, -2]
        assert other.options == program.options
        assert other.name == "f"
