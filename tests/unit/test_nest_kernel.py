"""The kernel op: text form, builder, accessors, and what its verifier refuses."""

from __future__ import annotations

import textwrap
from io import StringIO

import pytest
from xdsl.dialects.builtin import ModuleOp, StringAttr
from xdsl.printer import Printer

from opsir.diagnostics import OpsirError
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


BODY = "^bb0(%a : f32): nest.yield %a : f32"
WHOLE = "extents [2, 3] ins(%x : tensor<6xf32> along [12, 4]) outs(tensor<6xf32> along [12, 4])"

REFUSED = [
    # What the operands and results are.
    ("extents [6] ins(%x : tensor<6xf32>) outs(tensor<6xf32> along [4])", BODY, "without a traj"),
    ("extents [6] ins(%s : f32 along [4]) outs(tensor<6xf32> along [4])", BODY, "must be a tensor"),
    ("extents [6] ins(%w : !opsir.weak<int>) outs(tensor<6xf32> along [4])", BODY, "known dtype"),
    ("extents [6] ins(%x : tensor<6xf32> along [4]) outs(tensor<6xf32>)", BODY, "needs a traject"),
    ("extents [6] ins(%x : tensor<6xf32> along [4]) outs()", "^bb0(%a : f32): nest.yield", "one"),
    # How they move.
    ("extents [6] ins(%x : tensor<6xf32> along [4, 4]) outs(tensor<6xf32> along [4])", BODY,
     "operand #0 has 2 strides for 1 extents"),
    ("extents [6] ins(%x : tensor<6xf32> along [4]) outs(tensor<6xf32> along [])", BODY,
     "result #0 has 0 strides for 1 extents"),
    ("extents [6] ins(%x : tensor<6xf32> along [4]) outs(tensor<6xf32> along [0])", BODY,
     "stride 0 on axis 0 of extent 6"),
    ("extents [n] ins(%x : tensor<6xf32> along [4]) outs(tensor<6xf32> along [0])", BODY,
     "stride 0 on axis 0 of extent n"),
    ("extents [2, 3] ins(%x : tensor<6xf32> along [12, 4]) outs(tensor<6xf32> along [8, 4])", BODY,
     "writes overlapping elements"),
    ("extents [6] ins(%x : tensor<6xf32> along [4]) outs(tensor<6xf32> along [2])", BODY,
     "writes overlapping elements"),
    ("extents [5] ins(%x : tensor<6xf32> along [4]) outs(tensor<6xf32> along [4])", BODY,
     "has 6 elements, but extents"),
    # The space.
    ("extents [-6] ins(%x : tensor<6xf32> along [4]) outs(tensor<6xf32> along [4])", BODY,
     "extent -6 of axis 0 is negative"),
    ("extents [n*-1] ins(%x : tensor<6xf32> along [4]) outs(tensor<6xf32> along [4])", BODY,
     "is negative"),
    ("extents [4294967296, 4294967296, 0] ins() outs(tensor<0xf32> along [0, 0, 4])",
     "^bb0: %c = opsir.scalar 1.0 : f32 nest.yield %c : f32", "make more than"),
    # The body.
    (WHOLE, "^bb0(%a : f64): nest.yield %a : f64", "the body's arguments must have"),
    (WHOLE, "^bb0(%a : f32, %b : f32): nest.yield %a : f32", "the body's arguments must have"),
    (WHOLE, "^bb0(%a : f32): nest.yield %a, %a : f32, f32", "the values yielded must have"),
    (WHOLE, "^bb0(%a : f32): nest.yield", "the values yielded must have"),
    (WHOLE, "^bb0(%a : f32): %b = opsir.cast %a : f32 to i8 nest.yield %b : i8", "values yielded"),
    (WHOLE, "^bb0(%a : f32): opsir.yield %a : f32", "must end in nest.yield"),
    (WHOLE, "^bb0(%a : f32): %b = opsir.broadcast %a : f32 to tensor<2xf32> nest.yield %a : f32",
     "'opsir.broadcast' cannot be part"),
    (WHOLE, "^bb0(%a : f32): %b = opsir.scalar 1 : !opsir.weak<int> nest.yield %a : f32",
     "must give a scalar of known dtype"),
    # The schedule.
    (f"{WHOLE} attributes {{lanes = 3 : i64}}", BODY, "lanes must be a power of two from 1 to 64"),
    (f"{WHOLE} attributes {{lanes = 128 : i64}}", BODY, "lanes must be a power of two"),
    (f"{WHOLE} attributes {{lanes = 0 : i64}}", BODY, "lanes must be a power of two"),
    (f"{WHOLE} attributes {{unroll = 17 : i64}}", BODY, "unroll must be from 1 to 16, got 17"),
    (f"{WHOLE} attributes {{unroll = 0 : i64}}", BODY, "unroll must be from 1 to 16"),
    (f"{WHOLE} attributes {{tile = 257 : i64}}", BODY, "tile must be from 1 to 256, got 257"),
    (f'{WHOLE} attributes {{lanes = "8"}}', BODY, "lanes must be an integer"),
]  # fmt: skip


@pytest.mark.parametrize(("head", "body", "message"), REFUSED)
def test_refused(head: str, body: str, message: str) -> None:
    text = f"""
        func.func @f(%x : tensor<6xf32>, %s : f32, %w : !opsir.weak<int>) {{
          nest.kernel {head} {{ {body} }}
          func.return
        }}"""
    # An op with results must bind them; the names do not matter here.
    results = head.split("outs(")[1].count("along")
    text = text.replace("nest.kernel", f"%r:{results} = nest.kernel") if results else text
    with pytest.raises(OpsirError, match="<text>:3:") as caught:
        parse_module(text)
    assert message in str(caught.value)


def test_rank_limit() -> None:
    ones, zeros = ", ".join("1" * 65), ", ".join("0" * 65)
    with pytest.raises(OpsirError, match="rank 65 is above the limit of 64"):
        parse_module(f"""
            func.func @f(%s : f32) {{
              %r = nest.kernel extents [{ones}] ins(%s : f32) outs(tensor<f32> along [{zeros}]) {{
              ^bb0(%a : f32): nest.yield %a : f32
              }}
              func.return
            }}""")


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


def test_yield_belongs_in_a_kernel() -> None:
    with pytest.raises(OpsirError, match=r"'nest\.yield' expects parent op 'nest\.kernel'"):
        parse_module("func.func @f(%s : f32) { nest.yield %s : f32 }")
