from __future__ import annotations

from itertools import permutations, product

import pytest

from opsir.diagnostics import OpsirIndexError, OpsirValueError
from opsir.extent import ONE, Extent
from opsir.view import (
    Diagonal,
    ExpandDims,
    Flip,
    Permute,
    Reshape,
    Slice,
    Span,
    Squeeze,
    ViewRule,
    place,
    shape_of,
)
from opsir.view_symbols import SizeBinding, needs_check, sizes_of, strides_of

N, M, S, T = (Extent.symbol(name) for name in "nmst")
ENV = {"n": 6, "m": 4, "s": 40, "t": -8}

RULES: list[ViewRule] = [
    *(Permute(order) for order in permutations(range(3))),
    *(Slice((Span(), Span(None, None, step), item)) for step in (1, -1) for item in (0, Span())),
    *(Slice((Span(*bounds), 1, Span(1))) for bounds in ((1, None, 2), (None, -1, 1), (9, 2, -3))),
    Flip((0, 2)),
    ExpandDims((0, 3)),
    Squeeze((2,)),
    Diagonal(0, (0, 1)),
    Diagonal(-2, (1, 0)),
]


@pytest.mark.parametrize("extents", [(N, M, Extent(1)), (N, N, ONE), (Extent(6), M, Extent(1))])
@pytest.mark.parametrize("rule", RULES, ids=str)
def test_what_symbols_say_holds_for_their_values(
    rule: ViewRule, extents: tuple[Extent, ...]
) -> None:
    strides = (S, T, Extent(4))
    shape = [extent.evaluate(ENV) for extent in extents]
    sizes = sizes_of(rule, extents)
    expected = shape_of(rule, shape)
    assert len(sizes) == len(expected)
    for found, size in zip(sizes, expected, strict=True):
        assert found is None or found.evaluate(ENV) == size
    placed = place(rule, shape, [s.evaluate(ENV) for s in strides], 4)
    steps = strides_of(rule, extents, strides, [Extent(size) for size in expected])
    assert placed is not None
    assert steps is not None
    for step, known in zip(steps, placed[1], strict=True):
        assert step is None or step.evaluate(ENV) == known


def test_sizes_that_only_a_call_can_tell() -> None:
    assert sizes_of(Slice((Span(1), Span())), (N, M)) == (None, M)
    assert sizes_of(Diagonal(0, (0, 1)), (N, N)) == (N,)
    assert sizes_of(Diagonal(1, (0, 1)), (N, N)) == (None,)
    assert sizes_of(Reshape((Extent(-1), Extent(4))), (N, Extent(4))) == (N, Extent(4))
    assert sizes_of(Reshape((Extent(-1),)), (N, Extent(4))) == (None,)
    assert sizes_of(Reshape((M, Extent(-1))), (N, Extent(4))) == (M, None)


def test_what_no_call_can_satisfy_is_refused_at_once() -> None:
    with pytest.raises(OpsirIndexError, match="index 4 is out of bounds for axis 1 with size 4"):
        sizes_of(Slice((Span(), 4)), (N, Extent(4)))
    with pytest.raises(OpsirValueError, match="cannot squeeze axis 0"):
        sizes_of(Squeeze((0,)), (N, M))


def test_which_views_a_call_has_to_check() -> None:
    assert needs_check(Slice((0,)), (N,))
    assert not needs_check(Slice((0,)), (Extent(4),))
    assert not needs_check(Slice((Span(1),)), (N,))
    assert needs_check(Reshape((Extent(-1),)), (N, M))
    assert not needs_check(Flip((0,)), (N,))


RESHAPES: list[tuple[tuple[Extent, ...], tuple[Extent, ...], tuple[Extent, ...]]] = [
    ((N, M), (M * 4, Extent(4)), (N * M,)),
    ((N, M), (S, Extent(4)), (N, Extent(2), Extent(2))),
    ((N, M), (S, T), (N, ONE, M)),
    ((N, ONE), (S, T), (Extent(3), Extent(2))),
    ((N, M, Extent(3)), (S, Extent(12), Extent(4)), (N, M * 3)),
    ((ONE, ONE), (S, T), (ONE,)),
]


@pytest.mark.parametrize(("extents", "strides", "sizes"), RESHAPES)
def test_a_reshape_that_is_a_view(
    extents: tuple[Extent, ...], strides: tuple[Extent, ...], sizes: tuple[Extent, ...]
) -> None:
    found = strides_of(Reshape(sizes), extents, strides, sizes)
    numbers = [[e.evaluate(ENV) for e in row] for row in (extents, strides, sizes)]
    placed = place(Reshape(tuple(map(Extent, numbers[2]))), numbers[0], numbers[1], 4)
    assert found is not None
    assert placed is not None
    for size, step, known in zip(numbers[2], found, placed[1], strict=True):
        assert size == 1 or step is not None
        assert size == 1 or (step is not None and step.evaluate(ENV) == known)


def test_a_reshape_that_is_not_known_to_be_a_view() -> None:
    assert strides_of(Reshape((N * M,)), (N, M), (S, Extent(4)), (N * M,)) is None
    assert strides_of(Reshape((N * M,)), (N, M), (Extent(4), N * 4), (N * M,)) is None


def test_a_binding_adds_and_compares() -> None:
    env = {"n": 5}
    SizeBinding(Slice((Span(1),)), (N,), (M,)).bind(env)
    assert env == {"n": 5, "m": 4}
    with pytest.raises(OpsirValueError, match=r"slice \[2:\] of shape \[5\] has size 3 on axis 0"):
        SizeBinding(Slice((Span(2),)), (N,), (M,)).bind(env)
    SizeBinding(Reshape((Extent(-1), M)), (M, N), (N, M)).bind(env)


def test_every_pair_of_axes_and_steps_of_a_slice() -> None:
    for steps in product((-2, -1, 1, 3), repeat=2):
        rule = Slice(tuple(Span(None, None, step) for step in steps))
        assert strides_of(rule, (N, M), (S, T), (N, M)) == (S * steps[0], T * steps[1])
