"""What tracing makes of NumPy's forms for views, and which it refuses at the user's line."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, cast

import numpy as np
import pytest

from opsir.diagnostics import OpsirError, OpsirIndexError, OpsirTypeError, OpsirValueError
from tests.unit.frontend import refused, traced

RECORDED: list[tuple[Callable[[Any], Any], list[str]]] = [
    (lambda x: x[1:, ::-1], ["slice a0:f32[2] [1:, ::-1]"]),
    (lambda x: x[None, 0], ["slice a0:f32[2] [0, :]", "expand_dims r0:f32[1] [0]"]),
    (lambda x: x[..., None], ["expand_dims a0:f32[2] [2]"]),
    (lambda x: x[:, np.int8(-1)], ["slice a0:f32[2] [:, -1]"]),
    (lambda x: x.T, ["permute a0:f32[2] [1, 0]"]),
    (lambda x: np.flip(x, 1), ["flip a0:f32[2] [1]"]),
    (
        lambda x: np.moveaxis(x[None], 0, -1),
        ["expand_dims a0:f32[2] [0]", "permute r0:f32[3] [1, 2, 0]"],
    ),
    (lambda x: x[None].squeeze(0), ["expand_dims a0:f32[2] [0]", "squeeze r0:f32[3] [0]"]),
    (lambda x: np.diagonal(x, -1), ["diagonal a0:f32[2] [0, 1] offset -1"]),
    (lambda x: x.reshape(-1, 2), ["reshape a0:f32[2] [-1, 2]"]),
]


@pytest.mark.parametrize(("function", "records"), RECORDED)
def test_what_is_recorded(function: Callable[[Any], Any], records: list[str]) -> None:
    found = [str(record).partition(" sizes")[0] for record in traced(function).records]
    assert found == records


def test_a_size_that_only_a_view_knows_is_a_number_of_each_call() -> None:
    program = traced(lambda x: x[1:] * x[1:].shape[0])
    assert [str(program.numbers[n]) for n in program.view_numbers] == [
        "size 0 of slice [1:, :] n0 n1"
    ]
    (view,) = program.view_sizes([np.zeros((4, 3), np.float32)])
    assert view.shape == (3,)
    assert program.hidden_values([np.zeros((4, 3), np.float32)]) == (3,)


def test_views_are_not_written() -> None:
    def sliced(x: Any) -> Any:
        y = x[1:]
        y += 1  # <- refused
        return y

    def shown(x: Any) -> Any:
        y = x + 1
        z = y.T
        y += 1  # <- refused
        return z

    def assigned(x: Any) -> Any:
        x[1:] = 0  # <- refused
        return x

    refused(sliced, "return the new value and give out= to the compiled function")
    refused(shown, "shares memory with another array and cannot be changed; use copy()")
    refused(assigned, "does not take item assignment")


VIEWS: list[tuple[Callable[[Any], Any], str, type[OpsirError]]] = [
    (lambda x: x[0, 0, 0], "too many indices: the array has 2 axes, but 3 were", OpsirIndexError),
    (lambda x: x[..., ...], "an index can only have one ellipsis", OpsirIndexError),
    (lambda x: x[1 << 70], "does not fit 64 bits", OpsirIndexError),
    (lambda x: x[None][1], "index 1 is out of bounds for axis 0 with size 1", OpsirIndexError),
    (lambda x: x[::0], "slice step cannot be zero", OpsirValueError),
    (lambda x: x[0].mT, "a matrix transpose needs at least 2 axes, got 1", OpsirValueError),
    (lambda x: x[0].diagonal(), "a diagonal needs at least 2 axes, got 1", OpsirValueError),
    (lambda x: x.diagonal(0.5), "takes an integer offset, got 0.5", OpsirTypeError),
    (lambda x: x.transpose(0, 0), r"axes [0, 0] name an axis twice", OpsirValueError),
    (lambda x: x.transpose(0), "[0] is not an order of 2 axes", OpsirValueError),
    (lambda x: x.swapaxes(0, 2), "axis 2 is out of bounds for an array of", OpsirValueError),
    (lambda x: x.swapaxes(0, 0.5), "takes integers as axes, got 0.5", OpsirTypeError),
    (lambda x: np.moveaxis(x, (0, 1), 0), "as many destinations as sources", OpsirValueError),
    (lambda x: x.squeeze(), "needs axis= in a traced function", OpsirTypeError),
    (lambda x: x[None].reshape(2, -1, -1), "only one size of", OpsirValueError),
    (lambda x: x.reshape(-2), "a size is at least 0, got -2", OpsirValueError),
    (lambda x: x.reshape(4, order="F"), "takes order='C' in a traced function", OpsirTypeError),
    (lambda x: x.reshape(-1, copy=False), "takes no copy=False", OpsirTypeError),
    (lambda x: np.rot90(x, cast("Any", 0.5)), "takes an integer and two axes", OpsirTypeError),
    (lambda x: np.expand_dims(x, tuple(range(70))), "rank 72 is above the limit", OpsirValueError),
]


@pytest.mark.parametrize(("function", "message", "error"), VIEWS)
def test_views_that_do_not_apply(
    function: Callable[[Any], Any], message: str, error: type[OpsirError]
) -> None:
    refused(function, message, error=error)
