"""The kernel op: text form, builder and accessors; what it refuses is in FileCheck tests."""

from __future__ import annotations

import textwrap
from io import StringIO

import pytest
from xdsl.dialects.builtin import ModuleOp, StringAttr
from xdsl.printer import Printer

from opsir.dialects.nest import KernelOp
from opsir.extent import Extent
from opsir.frontends.text import parse_module
from opsir.trajectory import Trajectory


def printed(module: ModuleOp, *, generic: bool = False) -> str:
    out = StringIO()
    Printer(out, print_generic_format=generic).print_op(module)
    return out.getvalue()


def kernel_in(module: ModuleOp) -> KernelOp:
    return next(op for op in module.walk() if isinstance(op, KernelOp))


def docstring_example() -> str:
    doc = textwrap.dedent((KernelOp.__doc__ or "").split("::", 1)[1])
    return f"""
        func.func @f(%x : tensor<?x8xf32, #opsir.layout<sizes [n]>>, %s : f32)
            -> tensor<?x8xf32, #opsir.layout<sizes [n]>> {{
          {doc}
          func.return %z : tensor<?x8xf32, #opsir.layout<sizes [n]>>
        }}"""


def test_the_example_in_the_docstring_parses_and_round_trips() -> None:
    module = parse_module(docstring_example())
    text = printed(module)
    assert printed(parse_module(text)) == text
    assert printed(parse_module(printed(module, generic=True))) == text


def test_text_form() -> None:
    text = printed(parse_module(docstring_example()))
    head = next(line.strip() for line in text.splitlines() if "nest.kernel" in line)
    kind = "tensor<?x8xf32, #opsir.layout<sizes [n]>>"
    assert head == (
        f"%z = nest.kernel extents [n, 8] ins(%x : {kind} along [32, 4], %s : f32) "
        f"outs({kind} along [32, 4]) attributes {{lanes = 8 : i64}} {{"
    )


def test_accessors() -> None:
    kernel = kernel_in(parse_module(docstring_example()))
    assert kernel.extents.data == (Extent.symbol("n"), Extent(8))
    assert kernel.tensor_inputs == (0,)
    assert kernel.input_trajectory(0) == Trajectory.of(32, 4)
    assert kernel.input_trajectory(1) is None
    assert kernel.output_trajectories == (Trajectory.of(32, 4),)
    assert kernel.space.trajectories == (Trajectory.of(32, 4), Trajectory.of(32, 4))
    assert kernel.output_indices == (1,)
    assert (kernel.lanes, kernel.unroll, kernel.tile) == (8, 1, None)


def test_set_space_and_schedule() -> None:
    module = parse_module(docstring_example())
    kernel = kernel_in(module)
    kernel.set_space(kernel.space.coalesce()[0])
    kernel.set_schedule(lanes=16, tile=4)
    assert kernel.extents.data == (Extent.parse("n*8"),)
    assert kernel.input_trajectory(1) is None
    assert kernel.schedule_value("unroll") is None
    module.verify()
    assert "attributes {lanes = 16 : i64, tile = 4 : i64}" in printed(module)
    assert "extents [n*8] ins(" in printed(module)


def test_of_carries_the_location_and_has_no_schedule() -> None:
    source = kernel_in(parse_module(docstring_example()))
    made = KernelOp.of(
        source.extents.data,
        list(source.inputs),
        [Trajectory.of(32, 4), None],
        [source.outputs[0].type],
        source.output_trajectories,
        source.body.clone(),
        like=source,
    )
    made.verify()
    assert made.location == source.location
    assert made.lanes == 1


def test_other_attributes_survive() -> None:
    module = parse_module(docstring_example())
    kernel_in(module).attributes["destinations"] = StringAttr("here")
    text = printed(module)
    assert 'attributes {lanes = 8 : i64, destinations = "here"}' in text
    assert printed(parse_module(text)) == text


@pytest.mark.parametrize(
    ("extents", "strides"),
    [("[n, m]", "[m*4, 4]"), ("[n, m]", "[s, t]"), ("[1, 6]", "[0, 4]"), ("[n]", "[-4]"),
     ("[0]", "[0]"), ("[3, 2]", "[4, 12]")],
)  # fmt: skip
def test_outputs_that_could_be_injective_are_accepted(extents: str, strides: str) -> None:
    size = 0 if extents == "[0]" else 6
    parse_module(f"""
        func.func @f(%s : f32) {{
          %r = nest.kernel extents {extents} ins(%s : f32) outs(tensor<{size}xf32> along {strides}) {{
          ^bb0(%a : f32): nest.yield %a : f32
          }}
          func.return
        }}""")  # noqa: E501


def test_a_named_axis_follows_new_axes() -> None:
    kernel = kernel_in(parse_module(docstring_example()))
    kernel.set_schedule(lanes=8, parallel=1)
    assert kernel.schedule == {"lanes": 8, "parallel": 1}
    space, groups = kernel.space.coalesce()
    kernel.set_space(space, groups)
    assert kernel.schedule == {"lanes": 8, "parallel": 0}
