"""The two innermost axes as one: the kinds of walk, and the flat space, by enumeration."""

from __future__ import annotations

import pytest

from opsir.extent import Extent
from opsir.flattening import flattened, pair_kind, pair_kinds
from opsir.trajectory import Space, Trajectory

N, P = Extent.symbol("n"), Extent.symbol("p")


@pytest.mark.parametrize(
    ("strides", "kind"),
    [
        ((P * Extent(4), Extent(4)), "flat"),
        ((P * Extent(-4), Extent(-4)), "flat"),
        ((Extent(0), Extent(4)), "row"),
        ((Extent(4), Extent(0)), "column"),
        ((Extent.symbol("s"), Extent(0)), "column"),
        ((Extent(0), Extent(0)), "fixed"),
        ((Extent.symbol("s"), Extent(4)), "other"),
        ((Extent(16), Extent(4)), "other"),
        ((Extent(4), N * Extent(4)), "other"),
    ],
)
def test_kinds(strides: tuple[Extent, Extent], kind: str) -> None:
    outer = Extent.symbol("t")
    assert pair_kind((N, P), Trajectory(Extent(0), strides)) == kind
    assert pair_kind((Extent(3), N, P), Trajectory(Extent(0), (outer, *strides))) == kind


def test_a_flat_operand_visits_the_same_addresses_in_the_flat_space() -> None:
    space = Space(
        (Extent(2), Extent(3), Extent(5)),
        (Trajectory.of(100, 20, 4), Trajectory.of(100, -10, -2), Trajectory.of(7, 0, 0)),
    )
    kinds = pair_kinds(space)
    assert kinds == ("flat", "flat", "fixed")
    flat = flattened(space, kinds, (4, 2, 8))
    as_one = Space((Extent(2), Extent(15)), flat.trajectories)
    assert list(as_one.enumerate({})) == list(space.enumerate({}))


def test_other_operands_become_dense_copies() -> None:
    space = Space((N, P), (Trajectory.of(0, 4), Trajectory.of(8, 0), Trajectory.of(1, 1)))
    flat = flattened(space, pair_kinds(space), (4, 8, 1))
    assert [t.strides for t in flat.trajectories] == [(Extent(4),), (Extent(8),), (Extent(1),)]
    assert flat.extents == (Extent.symbol("flat"),)
