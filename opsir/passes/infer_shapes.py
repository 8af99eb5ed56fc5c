"""The pass ``infer-shapes``: every value gets a shape, every broadcast becomes an op.

Owns the walk that reads and writes tensor types. Which sizes fit and which must be equal is
decided in ``opsir.sizes``. Knows no dtypes and no memory order beyond keeping written strides.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import cast

from xdsl.context import Context
from xdsl.dialects.builtin import IntegerAttr, ModuleOp, TensorType, i64
from xdsl.dialects.func import FuncOp, ReturnOp
from xdsl.ir import Attribute, Operation, SSAValue
from xdsl.passes import ModulePass

from opsir.diagnostics import fail
from opsir.dialects import editing
from opsir.dialects.locations import fail_at
from opsir.dialects.opsir import (
    BindSizesOp,
    BroadcastOp,
    CastOp,
    CopyOp,
    DimOp,
    ElementwiseOp,
    FusedOp,
    RequireEqualOp,
    ScalarOp,
    ViewOp,
)
from opsir.dialects.opsir.contracts import bind_arguments, check_results, contract_of
from opsir.dialects.opsir.symbols import Symbols, extents_of_shape, with_memory_order
from opsir.dialects.opsir.types import (
    DYNAMIC,
    AnyTensor,
    element_of,
    is_tensor,
    layout_of,
    tensor_type,
)
from opsir.dialects.opsir.view_sizes import ViewSizes
from opsir.dtypes import I64
from opsir.extent import Extent
from opsir.sizes import (
    FIRST_VIEW,
    Axis,
    Equality,
    Mismatch,
    Shape,
    Size,
    broadcast,
    shape_text,
    unify,
)

_Typed = ElementwiseOp | CastOp | BroadcastOp | CopyOp | ViewOp


@dataclass(frozen=True)
class InferShapesPass(ModulePass):
    """Give every value its shape, with a symbol per size known at run time only.

    Before::

        func.func @f(%a: tensor<?x4xf32>, %b: tensor<?x1xf32>) -> tensor<*xf32> {
          %r = opsir.add %a, %b : (tensor<?x4xf32>, tensor<?x1xf32>) -> tensor<*xf32>
          func.return %r : tensor<*xf32>
        }

    After, with ``#n`` for ``#opsir.layout<sizes [s0_0]>``::

        func.func @f(%a: tensor<?x4xf32, #n>, %b: tensor<?x1xf32, #n>) -> tensor<?x4xf32, #n> {
          opsir.require_equal %a[0], %b[0] : tensor<?x4xf32, #n>, tensor<?x1xf32, #n>
          %c = opsir.broadcast %b : tensor<?x1xf32, #n> to tensor<?x4xf32, #n>
          %r = opsir.add %a, %c : (tensor<?x4xf32, #n>, tensor<?x4xf32, #n>)
              -> tensor<?x4xf32, #n>
          func.return %r : tensor<?x4xf32, #n>
        }

    Equal sizes share the symbol that came first, or are the constant that one of them is. Strides
    written on an argument are kept in terms of those symbols. ``opsir.dim`` of any value becomes
    one of an argument, or a literal. A function attribute ``opsir.contract`` is checked: its names
    never meet other names or sizes, and what only a call can tell becomes ``require_equal``.

    Requires: promote-types, no fused groups. Ensures: no unranked tensors; every dynamic axis has
    a symbol that an argument binds; tensor operands have the shape of the result.
    """

    name = "infer-shapes"

    rank_extension: str = "allow"
    """"error" refuses tensors of different ranks (scalars and rank 0 aside) in one op."""

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        if self.rank_extension not in ("allow", "error"):
            given = self.rank_extension
            fail(f"infer-shapes: rank-extension is one of allow, error, got '{given}'")
        for function in editing.functions_of(op):
            _Inference(function, self.rank_extension == "error").run()


class _Inference:
    """The walk over one function: shapes first, types when all equalities are known."""

    def __init__(self, function: FuncOp, strict_ranks: bool) -> None:
        self.function = function
        self.strict_ranks = strict_ranks
        self.block = function.body.block
        self.shapes: dict[SSAValue, Shape] = {}
        stated = [op.result.type for op in self.block.ops if isinstance(op, ViewOp)]
        self.symbols = Symbols([*(argument.type for argument in self.block.args), *stated])
        self.views = ViewSizes(self.symbols)
        self.extents: dict[Shape, tuple[Extent, ...]] = {}
        self.expanded: dict[tuple[SSAValue, tuple[Extent, ...]], SSAValue] = {}
        self.needed: list[tuple[Equality, Operation]] = []
        self.contract = contract_of(function)

    def run(self) -> None:
        self._read_arguments()
        if self.contract is not None:
            equalities = bind_arguments(self.contract, self.function, self.shapes)
            self.needed.extend((equality, self.function) for equality in equalities)
        ops = list(self.block.ops)
        self.views.read(ops)
        for op in ops:
            if isinstance(op, RequireEqualOp):
                self._unify(op, *(self._size(o, a) for o, a in _sides(op)))
        for op in ops:
            self._visit(op)
        last = self.block.last_op
        if self.contract is not None and isinstance(last, ReturnOp):
            equalities = check_results(self.contract, last, self.shapes)
            self.needed.extend((equality, last) for equality in equalities)
        self._write_types()
        for op in ops:
            if isinstance(op, ElementwiseOp):
                self._write_broadcasts(op)
            elif isinstance(op, DimOp):
                self._write_dim(op)
        self.views.write(self.shapes, [equality for equality, _ in self.needed])
        self._write_checks()
        editing.update_function_type(self.function)

    def _read_arguments(self) -> None:
        for argument in self.block.args:
            if not is_tensor(argument.type):
                continue
            if not isinstance(argument.type, TensorType):
                fail_at(
                    self.function,
                    f"argument #{argument.index} has type {argument.type}: an argument needs a "
                    "rank, as in tensor<?x?xf32>",
                )
            try:
                tensor = cast("AnyTensor", argument.type)
                self.shapes[argument] = self.symbols.argument_shape(argument.index, tensor)
            except Mismatch as error:
                fail_at(self.function, f"argument #{argument.index} has type {error}")

    def _visit(self, op: Operation) -> None:
        if isinstance(op, ElementwiseOp):
            self._visit_elementwise(op)
        elif isinstance(op, CastOp | CopyOp):
            if is_tensor(op.operand.type):
                self._set(op, self.shapes[op.operand])
        elif isinstance(op, ViewOp):
            self._set(op, self.views.shape(op, self.shapes[op.operand]))
        elif isinstance(op, BroadcastOp):
            self._visit_broadcast(op)
        elif not isinstance(op, RequireEqualOp | BindSizesOp | DimOp | ReturnOp | ScalarOp):
            for result in op.results:
                if is_tensor(result.type):
                    self.shapes[result] = self._stated(op, result.type, {})

    def _visit_elementwise(self, op: ElementwiseOp) -> None:
        shapes = [self.shapes[o] for o in op.operands if is_tensor(o.type)]
        if not shapes:
            return
        if len(shapes) == 1 or all(shape is shapes[0] for shape in shapes):
            self._set(op, shapes[0])
            return
        if self.strict_ranks and len({len(shape) for shape in shapes if shape}) > 1:
            given = " and ".join(shape_text(shape) for shape in shapes if shape)
            fail_at(op, f"combines shapes {given}: extending ranks is an error here; reshape first")
        equalities: list[Equality] = []
        try:
            shape = broadcast(shapes, equalities)
        except Mismatch as error:
            fail_at(op, str(error) if self.contract is None else f"{error} under its contract")
        self.needed.extend((equality, op) for equality in equalities)
        self._set(op, shape)

    def _visit_broadcast(self, op: BroadcastOp) -> None:
        source = self.shapes[op.operand] if is_tensor(op.operand.type) else ()
        if not isinstance(op.result.type, TensorType):
            fail_at(op, f"needs the shape to broadcast to, got {op.result.type}")
        sizes = cast("AnyTensor", op.result.type).get_shape()
        offset = len(sizes) - len(source)
        explicit = op.axes is not None
        axes = op.axis_map() if explicit else tuple(range(offset, offset + len(source)))
        if len(axes) != len(source) or not all(0 <= a < len(sizes) for a in axes):
            fail_at(op, f"cannot broadcast shape {shape_text(source)} to {op.result.type}")
        along = dict(zip(axes, source, strict=True))
        lent = {a: found for a, found in along.items() if not found.expands}
        target = self._stated(op, op.result.type, lent)
        for axis, found in lent.items():
            if target[axis].expands and found.label is None:
                fail_at(op, f"cannot broadcast shape {shape_text(source)} to {op.result.type}")
            what = f"to broadcast {shape_text(source)} to {shape_text(target)} on axis {axis}"
            self._unify(op, found.size, target[axis].size, what=what)
        # An axis that is not expanded keeps its label.
        self._set(op, tuple(lent.get(axis, stated) for axis, stated in enumerate(target)))

    def _stated(self, op: Operation, type: Attribute, lent: Mapping[int, Axis]) -> Shape:
        returned = isinstance(op, BroadcastOp) and all(
            isinstance(use.operation, ReturnOp) for use in op.result.uses
        )
        try:
            return self.symbols.stated_shape(type, lent, may_introduce=returned)
        except Mismatch as error:
            fail_at(op, f"has a result of type {error}")

    def _set(self, op: _Typed, shape: Shape) -> None:
        """Record a result's shape; names that its type already gives are taken at their word."""
        self.shapes[op.result] = shape
        if not isinstance(op.result.type, TensorType):
            return
        tensor = cast("AnyTensor", op.result.type)
        sizes, layout = tensor.get_shape(), layout_of(tensor)
        if len(sizes) != len(shape):
            self._refuse_result(op, shape)
        named = iter(layout.sizes if layout else ())
        for axis, declared in zip(shape, sizes, strict=True):
            root = axis.size.root()
            if declared == DYNAMIC:
                name = next(named, None)
                if name is not None:
                    self._unify(op, root, self.symbols.sizes.setdefault(name.symbols[0], root))
            elif root.constant != declared:
                self._refuse_result(op, shape)

    def _refuse_result(self, op: _Typed, shape: Shape) -> None:
        fail_at(
            op,
            f"declared result {op.result.type} is not the shape {shape_text(shape)} that its "
            "operands give",
        )

    def _size(self, value: SSAValue, axis: int) -> Size:
        return self.shapes[value][axis].size

    def _unify(self, op: Operation, a: Size, b: Size, *, what: str = "here") -> None:
        try:
            equality = unify(a, b)
        except Mismatch as error:
            fail_at(op, f"needs equal sizes {what}, got {error}")
        if equality is not None and not isinstance(op, RequireEqualOp):
            self.needed.append((equality, op))

    def _write_types(self) -> None:
        renamed = self.symbols.renamed()
        self.extents = {shape: extents_of_shape(shape) for shape in set(self.shapes.values())}
        for value, shape in self.shapes.items():
            given = value.type
            layout = layout_of(cast("AnyTensor", given)) if isinstance(given, TensorType) else None
            type = tensor_type(element_of(given), self.extents[shape])
            if layout is not None:
                type = with_memory_order(type, layout, renamed)
            if type is not given:
                editing.retype(value, type)
        for op in self.block.ops:
            if isinstance(op, FusedOp):
                _check_group(op)

    def _write_broadcasts(self, op: ElementwiseOp) -> None:
        shape = self.shapes.get(op.result)
        if shape is None:
            return
        target = self.extents[shape]
        for index, operand in enumerate(op.operands):
            own = self.shapes.get(operand)
            if own is None or own is shape or self.extents[own] == target:
                continue
            wide = self.expanded.get((operand, target))
            if wide is None:
                type = tensor_type(element_of(operand.type), target)
                expansion = BroadcastOp.of(operand, type, like=op)
                editing.insert_before(expansion, op)
                wide = self.expanded[operand, target] = expansion.result
            op.operands[index] = wide

    def _write_dim(self, op: DimOp) -> None:
        """Ask an argument instead, so that no intermediate value is needed for its size."""
        axis = op.axis.value.data
        shape = self.shapes[op.operand]
        if axis >= len(shape):
            fail_at(op, f"axis {axis} is outside 0 .. {len(shape) - 1} of {shape_text(shape)}")
        size = shape[axis].size.root()
        if size.constant is not None:
            editing.replace_by_op(op, ScalarOp.make(size.constant, I64, like=op))
        elif size.source is not None:
            number, position = size.source
            if number >= FIRST_VIEW:
                fail_at(op, "asks for the size of a view, which only a call can tell")
            op.operands[0] = self.block.args[number]
            op.axis = IntegerAttr(position, i64)

    def _write_checks(self) -> None:
        first = self.block.first_op
        written: set[Equality] = set()
        for equality, op in self.needed:
            if equality in written or first is None:
                continue
            written.add(equality)
            (a, a_axis), (b, b_axis) = equality
            views = [source for source in equality if source[0] >= FIRST_VIEW]
            if not views:
                args = self.block.args
                check = RequireEqualOp.of(args[a], a_axis, args[b], b_axis, like=op)
                editing.insert_before(check, first)
            for source in views:
                self.views.check(source, self.shapes, op)


def _sides(op: RequireEqualOp) -> tuple[tuple[SSAValue, int], tuple[SSAValue, int]]:
    first, second = op.axis_pair()
    return (op.lhs, first), (op.rhs, second)


def _check_group(op: FusedOp) -> None:
    """Groups are not looked into, so what surrounds them must have its names already."""
    last = op.block.last_op
    yielded = () if last is None else last.operands
    inside = [v.type for v in (*op.block.args, *yielded)]
    if inside != [v.type for v in (*op.inputs, *op.outputs)]:
        fail_at(
            op,
            "has sizes that were not named before fusing: infer-shapes runs before "
            "fuse-elementwise, or name them in the types with #opsir.layout<sizes [...]>",
        )
