"""The argument block: positions, symbols, and the checks before a launch."""

from __future__ import annotations

import pytest

from opsir.abi import (
    Abi,
    Buffer,
    KernelFacts,
    OperandFacts,
    ScalarSlot,
    TensorFacts,
    TensorSlots,
    bind_symbols,
    check_ranges,
)
from opsir.backends.cpu.elf import undefined_symbols
from opsir.backends.cpu.program import find_function, program_of
from opsir.backends.cpu.target import emit_llvm
from opsir.diagnostics import OpsirError, OpsirOverflowError, OpsirValueError
from opsir.dtypes import BOOL, F32, U8
from opsir.extent import Extent
from opsir.frontends.text import parse_module
from opsir.trajectory import Trajectory

N, M = Extent.symbol("n"), Extent.symbol("m")


def facts(sizes: list[Extent | int], strides: list[Extent | int]) -> TensorFacts:
    def extents(values: list[Extent | int]) -> tuple[Extent, ...]:
        return tuple(v if isinstance(v, Extent) else Extent(v) for v in values)

    return TensorFacts(F32, extents(sizes), extents(strides))


MATRIX = facts([N, 4], [16, 4])
STRIDED = facts([M, N], [Extent.symbol("t"), M * 4])


def test_positions() -> None:
    abi = Abi.of([MATRIX, BOOL, STRIDED], [MATRIX], [(U8, (N,), Trajectory.of(1))])
    matrix, flag, strided = abi.arguments
    assert isinstance(matrix, TensorSlots)
    assert isinstance(strided, TensorSlots)
    assert flag == ScalarSlot(BOOL, 5)
    assert (matrix.pointer, list(matrix.sizes), list(matrix.strides)) == (0, [1, 2], [3, 4])
    assert (strided.pointer, list(strided.sizes), list(strided.strides)) == (6, [7, 8], [9, 10])
    assert [slots.pointer for slots in abi.results] == [11]
    assert [t.position for t in abi.temporaries] == [16]
    assert abi.words == 17
    assert dict(abi.symbols) == {"n": 1, "m": 7, "t": 9}
    assert abi.tensors == (matrix, strided, abi.results[0])


def test_an_empty_block() -> None:
    assert Abi.of([], []) == Abi((), (), (), (), 0)


def test_a_symbol_that_only_a_result_has() -> None:
    abi = Abi.of([facts([N], [4])], [facts([N], [Extent.symbol("t")])])
    assert dict(abi.symbols) == {"n": 1, "t": 5}


def test_temporary_sizes() -> None:
    (slot,) = Abi.of([MATRIX], [], [(F32, (N, Extent(4)), Trajectory.of(16, 4))]).temporaries
    assert slot.size_bytes({"n": 3}) == 48
    assert slot.size_bytes({"n": 0}) == 0


def test_bind_symbols() -> None:
    abi = Abi.of([MATRIX, STRIDED], [])
    assert bind_symbols(abi, [((3, 4), (16, 4)), ((5, 3), (-7, 20))]) == {"n": 3, "m": 5, "t": -7}
    # The strides of axes that are never stepped along say nothing.
    assert bind_symbols(abi, [((1, 4), (999, 4)), ((5, 1), (-7, 1))])["n"] == 1
    assert bind_symbols(abi, [((0, 4), (1, 1)), ((5, 0), (1, 1))])["n"] == 0


@pytest.mark.parametrize(
    ("geometry", "message"),
    [
        ([((3, 5), (16, 4)), ((5, 3), (0, 20))], "tensor 0 has size 5 on axis 1, expected 4"),
        ([((3, 4), (16, 4)), ((5, 2), (0, 20))], "size 2 on axis 1, expected n = 3"),
        ([((3, 4), (20, 4)), ((5, 3), (0, 20))], "stride of 20 bytes on axis 0, expected 16"),
        ([((3, 4), (16, 4)), ((5, 3), (0, 24))], "24 bytes on axis 1, expected m.4 = 20"),
        ([((3,), (16,)), ((5, 3), (0, 20))], r"expected a tensor of rank 2, got shape \[3\]"),
    ],
)
def test_tensors_that_are_not_what_the_types_say(
    geometry: list[tuple[tuple[int, ...], tuple[int, ...]]], message: str
) -> None:
    with pytest.raises(OpsirValueError, match=message):
        bind_symbols(Abi.of([MATRIX, STRIDED], []), geometry)


ORDERED = TensorFacts(
    F32, (N, Extent(1), M), tuple(map(Extent.symbol, ("s", "t", "u"))), order=(2, 1, 0)
)


def test_a_stated_order() -> None:
    abi = Abi.of([ORDERED], [])
    assert bind_symbols(abi, [((3, 1, 5), (-8, 999, 24))])["u"] == 24
    assert bind_symbols(abi, [((0, 1, 5), (80, 1, 4))])["s"] == 80
    # Equal steps go by the axis number.
    tied = TensorFacts(F32, (N, M), (Extent.symbol("s"), Extent.symbol("t")), order=(0, 1))
    assert bind_symbols(Abi.of([tied], []), [((3, 5), (8, -8))])["s"] == 8


@pytest.mark.parametrize("strides", [(24, 0, 8), (8, 0, -8)])
def test_an_order_other_than_the_stated_one(strides: tuple[int, ...]) -> None:
    with pytest.raises(OpsirValueError, match="axis 2 takes larger steps than axis 0"):
        bind_symbols(Abi.of([ORDERED], []), [((3, 1, 5), strides)])


def kernel(extents: list[Extent], trajectory: Trajectory) -> KernelFacts:
    operand = OperandFacts(Buffer("argument", 0), F32, trajectory, is_written=False)
    return KernelFacts(tuple(extents), (operand,))


def test_ranges_inside() -> None:
    facts = kernel([N], Trajectory.of(-4, start=12))
    check_ranges([facts], {"n": 4}, {Buffer("argument", 0): (0, 16)})
    check_ranges([facts], {"n": 0}, {Buffer("argument", 0): (0, 0)})


@pytest.mark.parametrize(
    ("size", "held", "message"),
    [
        (5, (0, 16), r"kernel 0 touches bytes \[-4, 16\) of argument 0, which holds \[0, 16\)"),
        (4, (0, 15), r"touches bytes \[0, 16\)"),
        (-1, (0, 16), "extent n of axis 0 is negative"),
    ],
)
def test_ranges_outside(size: int, held: tuple[int, int], message: str) -> None:
    with pytest.raises(OpsirValueError, match=message):
        check_ranges(
            [kernel([N], Trajectory.of(-4, start=12))], {"n": size}, {Buffer("argument", 0): held}
        )


def test_offsets_beyond_64_bits() -> None:
    with pytest.raises(OpsirOverflowError):
        check_ranges(
            [kernel([N], Trajectory.of(1 << 60))], {"n": 100}, {Buffer("argument", 0): (0, 1)}
        )


def test_the_facts_of_a_program() -> None:
    module = parse_module("""
        func.func @f(%x : tensor<4xf32>, %s : f32) -> tensor<4xf32> {
          %t = nest.kernel extents [4] ins(%x : tensor<4xf32> along [4], %s : f32)
              outs(tensor<4xf32> along [4]) {
          ^bb0(%a : f32, %b : f32): nest.yield %a : f32
          }
          %z = nest.kernel extents [4] ins(%t : tensor<4xf32> along [-4] start 12)
              outs(tensor<4xf32> along [4]) {
          ^bb0(%a : f32): nest.yield %a : f32
          }
          func.return %z : tensor<4xf32>
        }""")
    first, second = program_of(find_function(module, None)).facts
    assert [(str(o.buffer), o.is_written) for o in first.operands] == [
        ("argument 0", False),
        ("temporary 0", True),
    ]
    assert [str(o.buffer) for o in second.operands] == ["temporary 0", "result 0"]
    assert second.operands[0].trajectory == Trajectory.of(-4, start=12)


KERNEL = """%z = nest.kernel extents [EXTENT] ins(%x : tensor<4xf32> along [4])
    outs(tensor<4xf32> along [4]) {{
^bb0(%a : f32): nest.yield %a : f32
}}"""


@pytest.mark.parametrize(
    ("body", "returns", "message"),
    [
        (KERNEL.replace("EXTENT", "k"), "%z : tensor<4xf32>", "3:1: .*needs symbol 'k'"),
        ("", "%x : tensor<4xf32>", "operand #0 is not one"),
        (KERNEL.replace("EXTENT", "4"), "%z, %z : tensor<4xf32>, tensor<4xf32>", "returned twice"),
        ("%z = opsir.neg %x : (tensor<4xf32>) -> tensor<4xf32>", "", "run lower-to-nest first"),
        ("%z = opsir.scalar 1 : !opsir.weak<int>", "", "run promote-types first"),
    ],
)
def test_functions_that_are_not_kernels_yet(body: str, returns: str, message: str) -> None:
    kind = ", ".join(["tensor<4xf32>"] * returns.count("tensor"))
    text = f"""
func.func @f(%x : tensor<4xf32>) -> ({kind}) {{
{body.replace("{{", "{").replace("}}", "}")}
func.return {returns}
}}"""
    with pytest.raises(OpsirError, match=message):
        emit_llvm(parse_module(text))


@pytest.mark.parametrize(
    ("argument", "message"),
    [
        ("%x : tensor<?xf32>", "needs a dtype and named sizes"),
        ("%x : !opsir.weak<float>", "argument #0 of type !opsir.weak<float> has no dtype"),
    ],
)
def test_arguments_without_facts(argument: str, message: str) -> None:
    with pytest.raises(OpsirError, match=message):
        emit_llvm(parse_module(f"func.func @f({argument}) {{ func.return }}"))


def test_undefined_symbols_of_something_else() -> None:
    with pytest.raises(AssertionError):
        undefined_symbols(b"not an object file")


def test_the_size_of_something_that_is_no_argument() -> None:
    text = """
        func.func @f(%x : tensor<4xf32>) -> tensor<i64> {
          %t = nest.kernel extents [4] ins(%x : tensor<4xf32> along [4])
              outs(tensor<4xf32> along [4]) {
          ^bb0(%a : f32): nest.yield %a : f32
          }
          %n = opsir.dim %t, 0 : tensor<4xf32>
          %z = nest.kernel extents [] ins(%n : i64) outs(tensor<i64> along []) {
          ^bb0(%a : i64): nest.yield %a : i64
          }
          func.return %z : tensor<i64>
        }"""
    with pytest.raises(OpsirError, match=r"7:11: .*must ask for the size of a function argument"):
        emit_llvm(parse_module(text))


def test_a_function_without_a_return() -> None:
    module = parse_module("func.func @f() { %c = opsir.scalar 1.0 : f32 }", verified=False)
    with pytest.raises(OpsirError, match=r"must end in func\.return"):
        emit_llvm(module)
