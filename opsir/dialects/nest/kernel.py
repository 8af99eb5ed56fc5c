"""The kernel op: a loop nest over operands of which only addresses and steps are known.

Owns its form, text syntax and accessors. Knows no pass and no target; a schedule never changes a
result.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Self, cast

from xdsl.dialects.builtin import ArrayAttr, IntegerAttr, UnitAttr, i64
from xdsl.ir import Attribute, Block, Operation, Region, SSAValue
from xdsl.irdl import (
    IRDLOperation,
    irdl_op_definition,
    opt_prop_def,
    prop_def,
    region_def,
    traits_def,
    var_operand_def,
    var_result_def,
)
from xdsl.parser import Parser
from xdsl.printer import Printer
from xdsl.traits import HasParent, IsolatedFromAbove, IsTerminator, Pure
from xdsl.utils.exceptions import VerifyException

from opsir.dialects.nest.attributes import (
    ExtentsAttr,
    TrajectoryAttr,
    extents_text,
    parse_extents,
)
from opsir.dialects.nest.text import (
    SCHEDULE,
    parse_attributes,
    parse_input,
    parse_output,
    print_moving,
)
from opsir.dialects.nest.verify import (
    check_extents,
    check_output,
    check_schedule,
    check_strides,
    check_tensor,
)
from opsir.dialects.opsir.base import ElementwiseOp
from opsir.dialects.opsir.cast import CastOp
from opsir.dialects.opsir.literal import ScalarOp
from opsir.dialects.opsir.types import dtype_of, element_of
from opsir.extent import Extent
from opsir.trajectory import Space, Trajectory


@irdl_op_definition
class KernelOp(IRDLOperation):
    """A loop nest that computes each element of its results once, in any order.

    Each tensor operand and each result moves along its trajectory: a start and one byte stride per
    axis, outermost axis first. A scalar operand has none. The body sees one element per operand
    and yields one per result::

        %z = nest.kernel extents [n, 8]
            ins(%x : tensor<?x8xf32, #opsir.layout<sizes [n]>> along [32, 4], %s : f32)
            outs(tensor<?x8xf32, #opsir.layout<sizes [n]>> along [32, 4])
            attributes {lanes = 8 : i64} {
        ^bb0(%a: f32, %b: f32):
          %c = opsir.add %a, %b : (f32, f32) -> f32
          nest.yield %c : f32
        }
    """

    name = "nest.kernel"

    inputs = var_operand_def()
    extents = prop_def(ExtentsAttr)
    """Iterations per axis, outermost first; without axes the body runs once."""
    input_trajectories = prop_def(ArrayAttr[TrajectoryAttr | UnitAttr])
    """One per operand; a unit for a scalar."""
    result_trajectories = prop_def(ArrayAttr[TrajectoryAttr])
    lanes_attr = opt_prop_def(IntegerAttr, prop_name="lanes")
    unroll_attr = opt_prop_def(IntegerAttr, prop_name="unroll")
    tile_attr = opt_prop_def(IntegerAttr, prop_name="tile")
    stream_attr = opt_prop_def(IntegerAttr, prop_name="stream")
    parallel_attr = opt_prop_def(IntegerAttr, prop_name="parallel")
    block_attr = opt_prop_def(IntegerAttr, prop_name="block")
    outputs = var_result_def()
    body = region_def("single_block")

    traits = traits_def(Pure(), IsolatedFromAbove())

    @classmethod
    def of(
        cls,
        extents: Sequence[Extent],
        inputs: Sequence[SSAValue],
        trajectories: Sequence[Trajectory | None],
        results: Sequence[Attribute],
        result_trajectories: Sequence[Trajectory],
        body: Region,
        *,
        like: Operation | None = None,
    ) -> Self:
        """A kernel without a schedule.

        ``trajectories`` has one entry per input, None for a scalar; ``results`` are the result
        types. ``like`` is the operation this one derives from: its location is carried over.
        """
        moves = [UnitAttr() if t is None else TrajectoryAttr(t) for t in trajectories]
        return cls.create(
            operands=inputs,
            result_types=results,
            properties={
                "extents": ExtentsAttr(tuple(extents)),
                "input_trajectories": ArrayAttr[Attribute](moves),
                "result_trajectories": ArrayAttr(map(TrajectoryAttr, result_trajectories)),
            },
            regions=[body],
            location=like.location if like is not None else None,
        )

    @property
    def block(self) -> Block:
        return self.body.block

    @property
    def yielded(self) -> Sequence[SSAValue]:
        """What the body yields, one scalar per result."""
        return cast("YieldOp", self.block.last_op).values

    @property
    def tensor_inputs(self) -> tuple[int, ...]:
        """Indices of the operands that have a trajectory."""
        moves = self.input_trajectories.data
        return tuple(i for i, t in enumerate(moves) if isinstance(t, TrajectoryAttr))

    def input_trajectory(self, index: int) -> Trajectory | None:
        """How operand ``index`` moves; None for a scalar."""
        attribute = self.input_trajectories.data[index]
        return attribute.data if isinstance(attribute, TrajectoryAttr) else None

    @property
    def output_trajectories(self) -> tuple[Trajectory, ...]:
        return tuple(t.data for t in self.result_trajectories.data)

    @property
    def space(self) -> Space:
        """Extents and all trajectories: those of the tensor operands, then those of the results."""
        moves = [self.input_trajectory(i) for i in self.tensor_inputs]
        inputs = tuple(t for t in moves if t is not None)
        return Space(self.extents.data, (*inputs, *self.output_trajectories))

    @property
    def output_indices(self) -> tuple[int, ...]:
        """Which trajectories of ``space`` are the results'."""
        first = len(self.tensor_inputs)
        return tuple(range(first, first + len(self.outputs)))

    def set_space(self, space: Space, axes: Sequence[Sequence[int]] | None = None) -> None:
        """Iterate over ``space`` instead: the same trajectories in the same order, other axes.

        ``axes`` lists for each new axis the old ones that it is made of, None for the same axes;
        an axis that the schedule names is followed.
        """
        moves = list(self.input_trajectories.data)
        for position, index in enumerate(self.tensor_inputs):
            moves[index] = TrajectoryAttr(space.trajectories[position])
        outputs = space.trajectories[len(self.tensor_inputs) :]
        self.extents = ExtentsAttr(space.extents)
        self.input_trajectories = ArrayAttr(moves)
        self.result_trajectories = ArrayAttr(map(TrajectoryAttr, outputs))
        if axes is not None and self.parallel is not None:
            followed = next((n for n, old in enumerate(axes) if self.parallel in old), None)
            self.set_schedule(**{**self.schedule, "parallel": followed})

    def schedule_value(self, name: str) -> int | None:
        """A schedule property by name, None where it is not set."""
        attribute = self.properties.get(name)
        return attribute.value.data if isinstance(attribute, IntegerAttr) else None

    @property
    def lanes(self) -> int:
        """Elements of the innermost axis computed side by side; 1 where nothing is scheduled."""
        return self.schedule_value("lanes") or 1

    @property
    def unroll(self) -> int:
        """Vectors per turn of the main loop; 1 where nothing is scheduled."""
        return self.schedule_value("unroll") or 1

    @property
    def tile(self) -> int | None:
        """Side of a square tile over the two innermost axes, in elements; None for no tiling."""
        return self.schedule_value("tile")

    @property
    def stream(self) -> bool:
        """Whether results are written past the caches, where they can be."""
        return bool(self.schedule_value("stream"))

    @property
    def parallel(self) -> int | None:
        """The first axis of which threads may take a share each; None is the outermost."""
        return self.schedule_value("parallel")

    @property
    def block_elements(self) -> int | None:
        """Elements of a packed block that stays in the first cache; None for no packing."""
        return self.schedule_value("block")

    @property
    def schedule(self) -> dict[str, int]:
        """The schedule properties that are set, by name."""
        values = {name: self.schedule_value(name) for name in SCHEDULE}
        return {name: value for name, value in values.items() if value is not None}

    def set_schedule(self, **values: int | None) -> None:
        """Replace the schedule; a value that is None or not given is left out."""
        for name in SCHEDULE:
            self.properties.pop(name, None)
            if (value := values.get(name)) is not None:
                self.properties[name] = IntegerAttr(value, i64)

    def verify_(self) -> None:
        check_extents(self.extents.data)
        self._verify_inputs()
        self._verify_outputs()
        self._verify_body()
        check_schedule(self.schedule, len(self.extents.data))

    def _verify_inputs(self) -> None:
        if len(self.input_trajectories.data) != len(self.inputs):
            raise VerifyException(
                f"has {len(self.inputs)} operands, but "
                f"{len(self.input_trajectories.data)} entries that say how they move"
            )
        for index, operand in enumerate(self.inputs):
            what, trajectory = f"operand #{index}", self.input_trajectory(index)
            if trajectory is not None:
                check_tensor(what, operand.type)
                check_strides(what, trajectory, self.extents.data)
            elif dtype_of(operand.type) is None:
                raise VerifyException(
                    f"{what} without a trajectory must be a scalar of known dtype, "
                    f"got {operand.type}"
                )

    def _verify_outputs(self) -> None:
        moves = self.output_trajectories
        if not self.outputs or len(moves) != len(self.outputs):
            raise VerifyException(
                f"has {len(self.outputs)} results and {len(moves)} trajectories for them; "
                "expected at least one, and one each"
            )
        for index, (output, trajectory) in enumerate(zip(self.outputs, moves, strict=True)):
            tensor = check_tensor(f"result #{index}", output.type)
            check_output(f"result #{index}", tensor, trajectory, self.extents.data)

    def _verify_body(self) -> None:
        last = self.block.last_op
        if not isinstance(last, YieldOp):
            raise VerifyException("the body must end in nest.yield")
        _expect_types("the body's arguments", self.block.args, self.inputs)
        _expect_types("the values yielded", last.values, self.outputs)
        for op in self.block.ops:
            if op is last:
                continue
            if not isinstance(op, ElementwiseOp | CastOp | ScalarOp):
                raise VerifyException(f"'{op.name}' cannot be part of a kernel's body")
            if any(dtype_of(r.type) is None for r in op.results):
                raise VerifyException(
                    f"'{op.name}' in a kernel's body must give a scalar of known dtype, "
                    f"got {op.results[0].type}"
                )

    def print(self, printer: Printer) -> None:
        printer.print_string(f" extents {extents_text(self.extents.data)} ins(")
        printer.print_list(range(len(self.inputs)), lambda index: self._print_input(printer, index))
        printer.print_string(") outs(")
        for index, (output, move) in enumerate(
            zip(self.outputs, self.output_trajectories, strict=True)
        ):
            printer.print_string(", " if index else "")
            print_moving(printer, output.type, move)
        printer.print_string(")")
        schedule = {n: self.properties[n] for n in SCHEDULE if n in self.properties}
        printer.print_op_attributes(schedule | self.attributes, print_keyword=True)
        printer.print_string(" ")
        printer.print_region(self.body)

    def _print_input(self, printer: Printer, index: int) -> None:
        printer.print_ssa_value(self.inputs[index])
        printer.print_string(" : ")
        print_moving(printer, self.inputs[index].type, self.input_trajectory(index))

    @classmethod
    def parse(cls, parser: Parser) -> Self:
        parser.parse_keyword("extents")
        extents = parse_extents(parser)
        parser.parse_keyword("ins")
        inputs = parser.parse_comma_separated_list(
            parser.Delimiter.PAREN, lambda: parse_input(parser)
        )
        parser.parse_keyword("outs")
        outputs = parser.parse_comma_separated_list(
            parser.Delimiter.PAREN, lambda: parse_output(parser)
        )
        schedule, attributes = parse_attributes(parser)
        op = cls.of(
            extents,
            [parser.resolve_operand(name, type) for name, type, _ in inputs],
            [move for _, _, move in inputs],
            [type for type, _ in outputs],
            [move for _, move in outputs],
            parser.parse_region(),
        )
        op.properties.update(schedule)
        op.attributes.update(attributes)
        return op


@irdl_op_definition
class YieldOp(IRDLOperation):
    """Ends a kernel's body with one scalar per result: ``nest.yield %x, %y : f32, i1``."""

    name = "nest.yield"
    values = var_operand_def()
    traits = traits_def(IsTerminator(), HasParent(KernelOp))

    assembly_format = "attr-dict ($values^ `:` type($values))?"

    @classmethod
    def of(cls, values: Sequence[SSAValue], *, like: Operation | None = None) -> Self:
        """Yield ``values``; ``like`` supplies the location."""
        location = like.location if like is not None else None
        return cls.create(operands=values, location=location)


def _expect_types(what: str, inside: Sequence[SSAValue], outside: Sequence[SSAValue]) -> None:
    found = [v.type for v in inside]
    wanted = [element_of(v.type) for v in outside]
    if found != wanted:
        raise VerifyException(
            f"{what} must have the element types ({', '.join(map(str, wanted))}), "
            f"got ({', '.join(map(str, found))})"
        )
