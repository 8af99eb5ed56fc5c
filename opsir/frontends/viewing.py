"""Views of traced arrays: the methods of an array that show its elements along other axes.

Owns which of NumPy's forms trace and how they are spelled as views. How a view is recorded belongs
to the tracer.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Sequence
from typing import Any, Self, cast

from opsir.diagnostics import fail
from opsir.frontends.indexing import views_of_index
from opsir.frontends.operators import ArrayOperators, refuse
from opsir.frontends.places import user_location
from opsir.view import Diagonal, ExpandDims, Flip, Permute, Squeeze, ViewRule, is_identity


class Viewable(ArrayOperators):
    """The forms of NumPy that make a view of an array."""

    __slots__ = ()

    @property
    @abstractmethod
    def ndim(self) -> int:
        """The number of axes."""

    @abstractmethod
    def _viewed_by(self, rule: ViewRule) -> Self:
        """Record a view of this array."""

    @abstractmethod
    def _reshaped(self, shape: Any) -> Self:
        """Record a reshape; one size may be -1."""

    @abstractmethod
    def copy(self, order: str = "C") -> Self:
        """The same values, as a result of the function's own."""

    def __getitem__(self, index: Any) -> Any:
        found = self
        for rule in views_of_index(index, self.ndim, user_location()):
            found = found._viewed_by(rule)
        return found if found is not self else self._viewed_by(_whole(self.ndim))

    @property
    def T(self) -> Self:  # noqa: N802 - NumPy's name
        """The axes in reverse order."""
        return self.transpose()

    @property
    def mT(self) -> Self:  # noqa: N802 - NumPy's name
        """The last two axes exchanged."""
        if self.ndim < 2:
            fail(f"a matrix transpose needs at least 2 axes, got {self.ndim}", user_location())
        return self.swapaxes(-1, -2)

    def transpose(self, *axes: Any) -> Self:
        """The axes in the order given, by default reversed."""
        order: Any = axes[0] if len(axes) == 1 else axes
        if order is None or len(axes) == 0:
            return self._viewed_by(Permute(tuple(reversed(range(self.ndim)))))
        return self._viewed_by(Permute(_axes("transpose", order, self.ndim)))

    def swapaxes(self, axis1: Any, axis2: Any) -> Self:
        """Two axes exchanged."""
        first, second = (_axis("swapaxes", a, self.ndim) for a in (axis1, axis2))
        order = list(range(self.ndim))
        order[first], order[second] = second, first
        return self._viewed_by(Permute(tuple(order)))

    def reshape(self, *shape: Any, order: str = "C", copy: bool | None = None) -> Self:
        """The same elements in row-major order under other sizes, of which one may be -1."""
        _check_order("reshape", order)
        found = self._reshaped(shape[0] if len(shape) == 1 else shape)
        if copy is False:
            refuse("reshape", "takes no copy=False in a traced function: its plan names copies")
        return found.copy() if copy else found

    def ravel(self, order: str = "C") -> Self:
        """All elements along one axis, in row-major order."""
        _check_order("ravel", order)
        return self._reshaped((-1,))

    def flatten(self, order: str = "C") -> Self:
        """A copy with all elements along one axis, in row-major order."""
        return self.ravel(order).copy()

    def squeeze(self, axis: Any = None) -> Self:
        """Without the axes given, whose sizes are 1."""
        if axis is None:
            refuse(
                "squeeze",
                "needs axis= in a traced function: which axes have size 1 is known at each call "
                "only",
            )
        return self._viewed_by(Squeeze(tuple(sorted(_axes("squeeze", axis, self.ndim)))))

    def diagonal(self, offset: Any = 0, axis1: Any = 0, axis2: Any = 1) -> Self:
        """The diagonal along two axes, as the last axis."""
        if self.ndim < 2:
            fail(f"a diagonal needs at least 2 axes, got {self.ndim}", user_location())
        axes = _axes("diagonal", (axis1, axis2), self.ndim)
        if type(offset) is not int:
            refuse("diagonal", f"takes an integer offset, got {offset!r}")
        return self._viewed_by(Diagonal(offset, (axes[0], axes[1])))

    def _flipped(self, axis: Any) -> Self:
        axes = range(self.ndim) if axis is None else _axes("flip", axis, self.ndim)
        return self._viewed_by(Flip(tuple(sorted(axes))))

    def _expanded(self, axis: Any) -> Self:
        given = len(cast("Sequence[Any]", axis)) if isinstance(axis, tuple | list) else 1
        axes = _axes("expand_dims", axis, self.ndim + given)
        return self._viewed_by(ExpandDims(tuple(sorted(axes))))

    def _moved(self, source: Any, destination: Any) -> Self:
        sources = _axes("moveaxis", source, self.ndim)
        places = _axes("moveaxis", destination, self.ndim)
        if len(sources) != len(places):
            fail("moveaxis takes as many destinations as sources", user_location())
        order = [axis for axis in range(self.ndim) if axis not in sources]
        for place, axis in sorted(zip(places, sources, strict=True)):
            order.insert(place, axis)
        return self._viewed_by(Permute(tuple(order)))

    def _rotated(self, k: Any, axes: Any) -> Self:
        plane = _axes("rot90", axes, self.ndim)
        if type(k) is not int or len(plane) != 2:
            refuse("rot90", f"takes an integer and two axes, got {k!r} and {axes!r}")
        match k % 4:
            case 0:
                return self._viewed_by(_whole(self.ndim))
            case 1:
                return self._flipped(plane[1]).swapaxes(*plane)
            case 2:
                return self._flipped(plane)
            case _:
                return self.swapaxes(*plane)._flipped(plane[1])


def _whole(rank: int) -> ViewRule:
    rule = Permute(tuple(range(rank)))
    assert is_identity(rule)
    return rule


def _axis(name: str, axis: Any, rank: int) -> int:
    if type(axis) is bool or not hasattr(axis, "__index__"):
        refuse(name, f"takes integers as axes, got {axis!r}")
    position = int(axis)
    if not -rank <= position < rank:
        fail(
            f"{name}: axis {position} is out of bounds for an array of rank {rank}",
            user_location(),
        )
    return position % rank


def _axes(name: str, axes: Any, rank: int) -> tuple[int, ...]:
    given: Sequence[Any] = axes if isinstance(axes, tuple | list) else (axes,)
    found = tuple([_axis(name, axis, rank) for axis in given])
    if len(set(found)) < len(found):
        fail(f"{name}: axes {list(found)} name an axis twice", user_location())
    return found


def _check_order(name: str, order: Any) -> None:
    if order != "C":
        refuse(name, f"takes order='C' in a traced function, got {order!r}")
