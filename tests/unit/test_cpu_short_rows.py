"""Short rows in packed blocks: every length of rows, every kind of operand, no byte beside."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import opsir
from opsir.dtypes import ALL, BOOL, F32, F64, U8, U16, DType
from tests.unit.native import Array, call, compile_text

POISON = 0xA5


def text_of(dtypes: list[DType], schedule: str, strides: list[str], result: str) -> str:
    """A kernel that copies each of its operands to a result; strides over n, p and bytes."""
    names, types, moves = [], [], []
    for number, (dtype, along) in enumerate(zip(dtypes, strides, strict=True)):
        names.append(f"%x{number}")
        outer, inner = along.split(", ")
        layout = f"sizes [n, p], strides [{outer}, {inner}]"
        types.append(f"tensor<?x?x{dtype.mlir}, #opsir.layout<{layout}>>")
        moves.append(f"{names[-1]} : {types[-1]} along [{along}]")
    outs = [f"tensor<?x?x{d.mlir}, #opsir.layout<sizes [n, p]>>" for d in dtypes]
    along = [f"{out} along [{result.format(d.itemsize)}]" for out, d in zip(outs, dtypes)]
    scalars = [f"%a{i}: {d.mlir}" for i, d in enumerate(dtypes)]
    values = ", ".join(f"%a{i}" for i in range(len(dtypes)))
    kinds = ", ".join(d.mlir for d in dtypes)
    results = ", ".join(f"%z#{i}" for i in range(len(dtypes))) if len(dtypes) > 1 else "%z"
    count = f":{len(dtypes)}" if len(dtypes) > 1 else ""
    arguments = ", ".join(f"{name}: {type}" for name, type in zip(names, types))
    return f"""
      func.func @copy({arguments}) -> ({", ".join(outs)}) {{
        %z{count} = nest.kernel extents [n, p] ins({", ".join(moves)})
            outs({", ".join(along)}) attributes {{{schedule}}} {{
        ^bb0({", ".join(scalars)}):
          nest.yield {values} : {kinds}
        }}
        func.return {results} : {", ".join(outs)}
      }}"""


def source(dtype: DType, kind: str, n: int, p: int, rng: Any) -> Array:
    """An operand of one kind, at an odd address."""
    size = dtype.itemsize
    raw = rng.integers(0, 2 if dtype is BOOL else 256, (n + 1) * (p + 3) * size + 1, np.uint8)
    memory = raw[1 : 1 + (n + 1) * (p + 3) * size].view(dtype.numpy)
    views = {
        "flat": lambda: memory[: n * p].reshape(n, p),
        "row": lambda: np.broadcast_to(memory[:p], (n, p)),
        "column": lambda: np.broadcast_to(memory[:n].reshape(n, 1), (n, p)),
        "other": lambda: memory[: n * (p + 2)].reshape(n, p + 2)[:, :p],
        "backward": lambda: memory[: n * p].reshape(n, p)[::-1],
        "fixed": lambda: np.broadcast_to(memory[0], (n, p)),
    }
    return views[kind]()


KINDS = ("flat", "row", "column", "other", "backward", "fixed")
STRIDES = {
    "flat": "p*{0}, {0}",
    "row": "0, {0}",
    "column": "{0}, 0",
    "other": "s, {0}",
    "backward": "p*-{0}, {0}",
    "fixed": "0, 0",
}


def check(dtype: DType, kinds: list[str], sizes: list[tuple[int, int]], schedule: str) -> None:
    strides = [STRIDES[kind].format(dtype.itemsize) for kind in kinds]
    code = compile_text(text_of([dtype] * len(kinds), schedule, strides, "p*{0}, {0}"))
    rng = np.random.default_rng(3)
    for n, p in sizes:
        operands = [source(dtype, kind, n, p, rng) for kind in kinds]
        room = np.full((len(kinds), n * p * dtype.itemsize + 128), POISON, np.uint8)
        results = [r[63 : 63 + n * p * dtype.itemsize].view(dtype.numpy) for r in room]
        call(code, operands, [r.reshape(n, p) for r in results])
        for operand, result in zip(operands, results, strict=True):
            assert operand.tobytes() == result.tobytes(), (kinds, n, p)
        assert (room[:, :63] == POISON).all()
        assert (room[:, 63 + n * p * dtype.itemsize :] == POISON).all()


SIZES = [(n, p) for n in (1, 2, 7, 8, 9, 31, 200) for p in (1, 2, 3, 5, 8, 9, 31, 32, 33, 70)]


@pytest.mark.parametrize("dtype", [U8, BOOL, U16, F32, F64], ids=str)
@pytest.mark.parametrize("kind", KINDS)
def test_every_kind_of_operand(kind: str, dtype: DType) -> None:
    lanes = 32 // dtype.itemsize
    check(dtype, [kind, "row"], SIZES, f"lanes = {lanes} : i64, block = 256 : i64")


@settings(max_examples=25, deadline=None)
@given(
    st.lists(st.sampled_from(KINDS), min_size=1, max_size=4),
    st.sampled_from(ALL),
    st.sampled_from((1, 2, 4, 8, 16, 64)),
    st.sampled_from((1, 2)),
    st.integers(1, 6000),
    st.lists(st.tuples(st.integers(0, 200), st.integers(1, 70)), min_size=1, max_size=4),
)
def test_no_schedule_changes_what_is_copied(
    kinds: list[str],
    dtype: DType,
    lanes: int,
    unroll: int,
    block: int,
    sizes: list[tuple[int, int]],
) -> None:
    schedule = f"lanes = {lanes} : i64, unroll = {unroll} : i64, block = {block} : i64"
    check(dtype, kinds, [(n, p) for n, p in sizes if n], schedule)


def test_sizes_known_at_compile_time_and_outer_axes() -> None:
    rng = np.random.default_rng(5)
    images = rng.integers(0, 256, (3, 17, 19, 3), np.uint8)
    scale = np.array([1.1, 0.9, 1.3], np.float32)

    @opsir.jit
    def f(image: Any, scale: Any) -> Any:
        return opsir.cast(np.clip(image * scale - 10, 0.0, 255.0), np.uint8)

    for image in (images, images[:, ::2], images[..., ::-1], images[:, :, 1:5], images[::-1]):
        expected = np.clip(image * scale - np.float32(10), 0, 255).astype(np.uint8)
        assert np.array_equal(f(image, scale), expected)
        out = np.zeros_like(images)[: len(image), : image.shape[1], : image.shape[2]]
        f(image, scale, out=out)
        assert np.array_equal(out, expected)


def test_in_place_and_division_flags() -> None:
    f = opsir.jit(lambda a, b: a // b)
    a = np.arange(3000, dtype=np.int32).reshape(1000, 3)
    expected = a // np.array([1, 2, 3], np.int32)
    f(a, np.array([1, 2, 3], np.int32), out=a)
    assert np.array_equal(a, expected)
    with pytest.warns(RuntimeWarning, match="divide by zero"):
        f(a, np.array([1, 0, 3], np.int32))
    column = np.ones((1000, 1), np.int32)
    assert np.array_equal(f(a, column), a)
    column[999] = 0
    with pytest.warns(RuntimeWarning, match="divide by zero"):
        f(a, column)


def test_an_expensive_column_is_still_computed_once_a_row() -> None:
    plan = opsir.plan(opsir.jit(lambda a, b: np.exp(a) * b), np.ones((50, 1)), np.ones((50, 3)))
    (kernel,) = plan.kernels
    assert {str(op.name): len(op.times) for op in kernel.ops}["exp"] == 1


def test_rows_known_to_be_long_are_not_packed() -> None:
    add = opsir.jit(lambda a, b: a + b)
    text = add.lower(np.ones((9, 3), np.float32), np.ones(3, np.float32)).ir("schedule")
    assert "block = 4096" in text
    long = opsir.compile(
        "func.func @f(%a: tensor<9x64xf32>, %b: tensor<64xf32>) -> tensor<9x64xf32> {\n"
        "  %r = opsir.add %a, %b : (tensor<9x64xf32>, tensor<64xf32>) -> tensor<9x64xf32>\n"
        "  func.return %r : tensor<9x64xf32>\n}\n"
    )
    assert "block" not in long.ir("schedule")
    assert np.array_equal(
        long(np.ones((9, 64), np.float32), np.ones(64, np.float32)), np.full((9, 64), 2)
    )
