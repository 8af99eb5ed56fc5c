"""The sizes of views under inference: those of the operand, known ones, and new symbols.

Owns which symbols a function's views introduce and the ops that bind and check them at run time.
Knows no pass; what a view does to sizes lies in ``opsir.view_symbols``.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import cast

from xdsl.dialects.builtin import TensorType
from xdsl.ir import Operation, SSAValue

from opsir.diagnostics import OpsirError
from opsir.dialects import editing
from opsir.dialects.locations import fail_at
from opsir.dialects.opsir.symbols import Symbols, extents_of_shape
from opsir.dialects.opsir.types import DYNAMIC, AnyTensor, layout_of
from opsir.dialects.opsir.views import BindSizesOp, ReshapeOp, ViewOp
from opsir.extent import Extent
from opsir.sizes import FIRST_VIEW, Axis, Equality, Shape, Size, Source, constant, shape_text
from opsir.view import Reshape, ViewRule, origins
from opsir.view_symbols import needs_check, sizes_of

OPEN = Extent(-1)


class ViewSizes:
    """The views of one function in the order in which they are visited."""

    def __init__(self, symbols: Symbols) -> None:
        self.symbols = symbols
        self.views: list[ViewOp] = []
        self.sources: dict[ViewOp, Shape] = {}
        self.open: dict[Source, Size | None] = {}
        """Axes whose size the operand does not say: the symbol they bring, None if declared."""
        self._written: set[tuple[object, ...]] = set()

    def read(self, ops: Iterable[Operation]) -> None:
        """Note what a function binds already, so that nothing is bound twice."""
        for op in ops:
            if isinstance(op, BindSizesOp):
                self._written.add(_key(op))
                for name in (n for extent in op.binding.result for n in extent.symbols):
                    self.symbols.sizes.setdefault(name, Size(name, None))

    def shape(self, op: ViewOp, source: Shape) -> Shape:
        """The shape of a view of a value of shape ``source``; a located error if it has none."""
        number = FIRST_VIEW + len(self.views)
        self.views.append(op)
        self.sources[op] = source
        extents = extents_of_shape(source)
        rule = self._rule(op)
        try:
            found = sizes_of(rule, extents)
        except OpsirError as error:
            fail_at(op, f"{error.detail} (of shape {shape_text(source)})", type(error))
        declared = _declared(op, len(found))
        kept = _kept(rule, len(source))
        return tuple(
            self._axis(size, declared[axis], (number, axis), kept[axis], source)
            for axis, size in enumerate(found)
        )

    def _rule(self, op: ViewOp) -> ViewRule:
        """The view; a reshape leaves open the size whose name is new."""
        if not isinstance(op, ReshapeOp):
            return op.rule
        if not isinstance(op.result.type, TensorType):
            fail_at(op, f"needs the sizes to reshape to, got {op.result.type}")
        return Reshape(tuple(map(self._stated, cast("Reshape", op.rule).sizes)))

    def _stated(self, size: Extent) -> Extent:
        if not size.symbols:
            return size
        known = self.symbols.sizes.get(size.symbols[0])
        return OPEN if known is None else known.extent()

    def _axis(
        self,
        size: Extent | None,
        declared: int | str | None,
        place: Source,
        kept: int | None,
        source: Shape,
    ) -> Axis:
        if size is None:
            return self._open_axis(declared, place)
        if size.is_constant:
            same = kept is not None and source[kept].size.extent() == size
            return source[kept] if same and kept is not None else constant(size.value)
        if kept is not None:
            return source[kept]
        return Axis(self.symbols.sizes[size.symbols[0]])

    def _open_axis(self, declared: int | str | None, place: Source) -> Axis:
        self.open[place] = None
        if isinstance(declared, int):
            return constant(declared)
        if declared is not None and declared in self.symbols.sizes:
            return Axis(self.symbols.sizes[declared])
        name = declared or self.symbols.fresh(f"v{place[0] - FIRST_VIEW}_{place[1]}")
        size = self.symbols.sizes[name] = self.open[place] = Size(name, None, place)
        return Axis(size)

    def write(self, shapes: Mapping[SSAValue, Shape], needed: Sequence[Equality]) -> None:
        """Put in front of each view the op that binds its new symbols and checks the others."""
        explained = {source for equality in needed for source in equality}
        for index, op in enumerate(self.views):
            number, shape = FIRST_VIEW + index, shapes[op.result]
            opened = [self.open.get((number, a)) for a in range(len(shape))]
            checked = needs_check(self._final(op), extents_of_shape(self.sources[op]))
            if checked or any((number, a) in self.open for a in range(len(shape))):
                targets = [
                    Extent(1, (own.symbol,)) if own and (number, a) in explained else e
                    for a, (own, e) in enumerate(zip(opened, extents_of_shape(shape), strict=True))
                ]
                self._bind(op, targets, op)

    def check(self, source: Source, shapes: Mapping[SSAValue, Shape], like: Operation) -> None:
        """Hold the sizes of the view at ``source`` against what ``like`` needs, in front of it."""
        op = self.views[source[0] - FIRST_VIEW]
        self._bind(op, extents_of_shape(shapes[op.result]), like)

    def _final(self, op: ViewOp) -> ViewRule:
        """The view once types are written; what a reshape left open stays so."""
        if not isinstance(op, ReshapeOp):
            return op.rule
        number = FIRST_VIEW + self.views.index(op)
        sizes = cast("Reshape", op.rule).sizes
        return Reshape(
            tuple(
                OPEN if self.open.get((number, axis)) is not None else size
                for axis, size in enumerate(sizes)
            )
        )

    def _bind(self, op: ViewOp, result: Sequence[Extent], like: Operation) -> None:
        operand = extents_of_shape(self.sources[op])
        bound = BindSizesOp.of(self._final(op), operand, result, like=like)
        if _key(bound) not in self._written:
            self._written.add(_key(bound))
            editing.insert_before(bound, like)


def _key(op: BindSizesOp) -> tuple[object, ...]:
    """Equal for ops that do the same; which size a reshape leaves open makes no difference."""
    binding = op.binding
    rule = Reshape.kind if isinstance(binding.view, Reshape) else binding.view
    return rule, binding.operand, binding.result


def _declared(op: ViewOp, rank: int) -> list[int | str | None]:
    """What the type of the result says of each axis: a size, a name, or nothing."""
    if not isinstance(op.result.type, TensorType):
        return [None] * rank
    tensor = cast("AnyTensor", op.result.type)
    if tensor.get_num_dims() != rank:
        fail_at(op, f"declared result {tensor} is not of rank {rank}, which the view has")
    layout = layout_of(tensor)
    names = iter(layout.sizes if layout else ())
    found: list[int | str | None] = []
    for size in tensor.get_shape():
        name = next(names, None) if size == DYNAMIC else None
        found.append(size if size != DYNAMIC else name.symbols[0] if name else None)
    return found


def _kept(rule: ViewRule, rank: int) -> list[int | None]:
    """Per result axis the operand axis whose size it may have; None where it has none."""
    if isinstance(rule, Reshape):
        return [None] * len(rule.sizes)
    return [parts[0].axis if len(parts) == 1 else None for parts in origins(rule, rank)]
