"""infer-shapes against NumPy's broadcasting, on static, dynamic and mixed shapes."""

from __future__ import annotations

import re
from functools import partial, reduce
from typing import Any, cast

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from xdsl.dialects.builtin import ModuleOp, TensorType
from xdsl.dialects.func import ReturnOp
from xdsl.ir import BlockArgument, SSAValue

from opsir.contract import Contract, Pattern
from opsir.contract import parse as parse_contract
from opsir.diagnostics import OpsirError, OpsirValueError
from opsir.dialects.opsir import BroadcastOp, DimOp, ElementwiseOp, RequireEqualOp
from opsir.dialects.opsir.types import AnyTensor, extents_of, strides_of
from opsir.extent import Extent
from opsir.passes.infer_shapes import InferShapesPass
from tests.unit.programs import after, apply, bits, call, function_of, parse


def tensor(shape: list[Any], layout: str = "") -> str:
    sizes = "".join(f"{size}x" for size in shape)
    return f"tensor<{sizes}f32{', #opsir.layout<' + layout + '>' if layout else ''}>"


def chain(types: list[str]) -> str:
    """The sum of all arguments, from left to right, shapes undeclared."""
    arguments = ", ".join(f"%x{index}: {type}" for index, type in enumerate(types))
    lines, total, kind = list[str](), "%x0", types[0]
    for index, type in enumerate(types[1:], 1):
        lines.append(
            f"%s{index} = opsir.add {total}, %x{index} : ({kind}, {type}) -> tensor<*xf32>"
        )
        total, kind = f"%s{index}", "tensor<*xf32>"
    body = "\n".join(lines)
    return f"func.func @f({arguments}) -> {kind} {{\n{body}\nfunc.return {total} : {kind}\n}}"


@st.composite
def shapes(draw: st.DrawFn) -> list[list[int]]:
    """Two to four shapes, most of them of one broadcast family, now and then one that is not."""
    full = draw(st.lists(st.sampled_from([0, 1, 2, 3, 5]), max_size=4))
    found: list[list[int]] = []
    for _ in range(draw(st.integers(2, 4))):
        shape = full[draw(st.integers(0, len(full))) :]
        shape = [1 if draw(st.integers(0, 3)) == 0 else size for size in shape]
        if shape and draw(st.integers(0, 9)) == 0:
            shape[draw(st.integers(0, len(shape) - 1))] = 4
        found.append(shape)
    return found


def arrays(given_shapes: list[list[int]]) -> list[np.ndarray[Any, Any]]:
    return [
        np.arange(int(np.prod(shape)), dtype=np.float32).reshape(shape) * 10**k
        for k, shape in enumerate(given_shapes)
    ]


@settings(max_examples=150, deadline=None)
@given(given_shapes=shapes(), known=st.integers(0, 2**16 - 1))
def test_shapes_are_those_of_numpy(given_shapes: list[list[int]], known: int) -> None:
    """Axes become dynamic at random; a size of 1 stays static, since ``?`` never means it."""
    types, position = list[str](), 0
    for shape in given_shapes:
        written: list[Any] = []
        for size in shape:
            written.append("?" if size != 1 and known >> position & 1 else size)
            position += 1
        types.append(tensor(written))
    try:
        wanted = np.broadcast_shapes(*map(tuple, given_shapes))
    except ValueError:
        wanted = None
    try:
        module = after(chain(types), InferShapesPass())
    except OpsirValueError as error:
        message = str(error)
        assert wanted is None
        assert re.search(r"shapes \[.*\] and \[.*\] do not broadcast: axis \d", message)
        return
    checks = [op for op in function_of(module).body.block.ops if isinstance(op, RequireEqualOp)]
    assert all(map(partial(holds, given_shapes), checks)) == (wanted is not None)
    if wanted is None:
        return
    once = str(module)
    assert str(apply(module, InferShapesPass())) == once
    assert str(parse(once)) == once
    inputs = arrays(given_shapes)
    (found,) = call(module, *inputs)
    assert bits(found) == bits(reduce(np.add, inputs))
    check_types(module, given_shapes, found.shape)


def holds(given_shapes: list[list[int]], check: RequireEqualOp) -> bool:
    first, second = check.axis_pair()
    lhs, rhs = (cast("BlockArgument", o) for o in (check.lhs, check.rhs))
    return given_shapes[lhs.index][first] == given_shapes[rhs.index][second]


def check_types(module: ModuleOp, given_shapes: list[list[int]], result: tuple[int, ...]) -> None:
    """Types say what the arrays are, in terms of one size per symbol; no broadcast is implicit."""
    env: dict[str, int] = {}
    block = function_of(module).body.block
    for argument, shape in zip(block.args, given_shapes, strict=True):
        for extent, size in zip(extents(argument), shape, strict=True):
            for symbol in extent.symbols:
                assert env.setdefault(symbol, size) == size
            assert extent.evaluate(env) == size
    for op in block.ops:
        if isinstance(op, ElementwiseOp):
            assert {extents(operand) for operand in op.operands} == {extents(op.result)}
    last = block.last_op
    assert isinstance(last, ReturnOp)
    assert tuple(e.evaluate(env) for e in extents(last.arguments[0])) == result


def extents(value: SSAValue) -> tuple[Extent, ...]:
    found = extents_of(cast("AnyTensor", value.type))
    assert found is not None
    return found


def test_symbols_are_the_first_ones_and_strides_follow() -> None:
    module = after(
        chain(
            [
                tensor(["?", "?"], "sizes [a, b], strides [b*8, 8], start b*4"),
                tensor(["?"], "sizes [c], strides [c*4]"),
                tensor([3]),
            ]
        ),
        InferShapesPass(),
    )
    first, second, third = (str(a.type) for a in function_of(module).body.block.args)
    assert first == tensor(["?", 3], "sizes [a], strides [24, 8], start 12")
    assert second == tensor([3], "strides [12]")
    assert third == tensor([3])
    checks = [op for op in function_of(module).body.block.ops if isinstance(op, RequireEqualOp)]
    assert [check.axis_pair() for check in checks] == [(1, 0), (1, 0)]


def test_fresh_symbols_do_not_clash() -> None:
    module = after(chain([tensor(["?"], "sizes [s1_0]"), tensor(["?", 1])]), InferShapesPass())
    _, second = function_of(module).body.block.args
    assert str(second.type) == tensor(["?", 1], "sizes [s1_0_]")


def test_sizes_of_intermediate_values_are_asked_of_arguments() -> None:
    text = f"""func.func @f(%a: {tensor(["?", 4])}, %b: {tensor([1, 1])}) -> (i64, i64) {{
      %s = opsir.add %b, %a : ({tensor([1, 1])}, {tensor(["?", 4])}) -> tensor<*xf32>
      %n = opsir.dim %s, 0 : tensor<*xf32>
      %m = opsir.dim %s, 1 : tensor<*xf32>
      func.return %n, %m : i64, i64
    }}"""
    module = after(text, InferShapesPass())
    (dim,) = (op for op in function_of(module).body.block.ops if isinstance(op, DimOp))
    assert dim.operand is function_of(module).body.block.args[0]
    assert call(module, np.zeros((7, 4), np.float32), np.zeros((1, 1), np.float32)) == [7, 4]


def test_results_of_a_broadcast_keep_their_strides_and_may_bring_a_size() -> None:
    wide = tensor(["?", "?", 4], "sizes [o, n], strides [t, 16, 4]")
    text = f"""func.func @f(%a: {tensor(["?", 4], "sizes [n]")}) -> {wide} {{
      %z = opsir.broadcast %a : {tensor(["?", 4], "sizes [n]")} to {wide}
      func.return %z : {wide}
    }}"""
    module = after(text, InferShapesPass())
    (outcome,) = function_of(module).function_type.outputs.data
    assert str(outcome) == wide
    assert strides_of(cast("AnyTensor", outcome)) is not None


CONTRACTS = [
    ("(n,c),(n,1)->(n,c)", ["?", "?"], ["?", 1], None),
    ("(n,c),(c)->(n,c)", ["?", "?"], ["?"], None),
    ("(n,c),(c)", [5, 5], [5], None),
    ("(*,c),(c)->(*,c)", ["?", "?", "?"], ["?"], None),
    ("(*),()->(*)", ["?", 3], [], None),
    ("(4,c),(1,c)->(4,c)", ["?", "?"], [1, "?"], None),
    ("(n,c),(n)->(n,c)", ["?", "?"], ["?"], r"shapes \[n,c\] and \[n\] do not broadcast: axis 1"),
    ("(n,c),(n)->(n,c)", [5, 5], [5], r"would need c and n under its contract"),
    ("(n,c),(n)->(n,c)", [1, 5], [1], r"would need c and n under its contract"),
    ("(n,1),(n)->(n,1)", [5, 1], [5], r"result #0 has shape \[n,n\], expected \(n,1\)"),
    ("(n,c),(n,1)->(n,c)", [5, 3], [1, 1], r"argument #1 .*expected \(n,1\): 'n' would be 5 and 1"),
    ("(n,c),(n,1)->(n,c)", [5, 3], [5, 3], r"argument #1 .*: '1' would be 1 and 3"),
    ("(n,c),(c)->(n,c)", [5, 3], [1, 3], r"argument #1 has shape \[1,3\], expected \(c\)"),
    ("(n,4),(4)->(n,c)", ["?", 4], [4], r"result #0 has shape \[n,4\], expected \(n,c\)"),
    ("(n),(n)->(n),(n)", [4], [4], r"returns 1 results, but the contract .* states 2"),
    ("(n),(n),(n)->(n)", [4], [4], r"has 2 arguments, but its contract .* states 3"),
    ("(n),(n", [4], [4], r"contract '\(n\),\(n' is malformed at 'the end'"),
]


@pytest.mark.parametrize(("text", "first", "second", "message"), CONTRACTS)
def test_contracts(text: str, first: list[Any], second: list[Any], message: str | None) -> None:
    program = chain([tensor(first), tensor(second)]).replace(
        "tensor<*xf32> {", f'tensor<*xf32> attributes {{opsir.contract = "{text}"}} {{', 1
    )
    if message is None:
        module = after(program, InferShapesPass())
        once = str(module)
        assert str(apply(module, InferShapesPass())) == once
        return
    with pytest.raises(OpsirError, match=r"test\.mlir:\d+:\d+: error: .*" + message):
        after(program, InferShapesPass())


def test_implicit_rank_extension_can_be_refused() -> None:
    strict = InferShapesPass(rank_extension="error")
    for fine in ([tensor([3, 4]), tensor([3, 1])], [tensor([3]), tensor([])], [tensor([2]), "f32"]):
        after(chain(fine), strict)
    with pytest.raises(OpsirValueError, match=r"combines shapes \[3,4\] and \[4\]"):
        after(chain([tensor([3, 4]), tensor([4])]), strict)


def test_contracts_read_back_as_written() -> None:
    for text in ("(n,c),(n,1),()->(n,c)", "(*,c)", "(*)->(*),(4)", "->()"):
        assert str(parse_contract(text)) == text
    assert parse_contract(" ( n , 1, ) -> ( n ) ") == Contract(
        (Pattern(("n", 1)),), (Pattern(("n",)),)
    )


@pytest.mark.parametrize("text", ["n", "(n", "(n)->", "(n)(m)", "(n,*)", "(n),->", "(n;m)", "(-1)"])
def test_other_contracts_are_refused(text: str) -> None:
    if text in ("(n)->",):
        assert parse_contract(text).results == ()
        return
    with pytest.raises(OpsirValueError, match="is malformed at"):
        parse_contract(text)


def test_a_broadcast_is_written_once_per_shape() -> None:
    kind, row = tensor([2, 3]), tensor([3])
    text = f"""func.func @f(%a: {kind}, %b: {row}) -> {kind} {{
      %s = opsir.add %a, %b : ({kind}, {row}) -> {kind}
      %p = opsir.mul %s, %b : ({kind}, {row}) -> {kind}
      func.return %p : {kind}
    }}"""
    module = after(text, InferShapesPass())
    found = [op for op in function_of(module).body.block.ops if isinstance(op, BroadcastOp)]
    assert len(found) == 1
    assert isinstance(found[0].result.type, TensorType)
