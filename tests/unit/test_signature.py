"""Signatures: golden facts, guards against equality, and types that bind back to the arrays."""

from __future__ import annotations

from itertools import pairwise
from typing import Any

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from opsir.argument import classify
from opsir.dtypes import ALL, BOOL, F32, F64, I64, U8, DType, from_numpy
from opsir.guards import Call, guards, satisfies
from opsir.memory_order import order_of
from opsir.signature import (
    WEAK_FLOAT,
    WEAK_INT,
    Aliasing,
    Argument,
    Signature,
    View,
    argument_of,
    bind_symbols,
    scalar,
    signature_of,
)

L1, LAST = 1 << 15, 1 << 23
SMALL_L1, SMALL_LAST = 16, 64
"""Cache sizes at which the arrays of the property tests fall into all three buckets."""


def view_of(array: np.ndarray[Any, Any]) -> View:
    dtype = from_numpy(array.dtype)
    assert dtype is not None
    return View(array.__array_interface__["data"][0], array.shape, array.strides, dtype)


def signature(*items: View | Argument | np.ndarray[Any, Any]) -> Signature:
    views = [view_of(item) if isinstance(item, np.ndarray) else item for item in items]
    return signature_of(views, l1=L1, last_level=LAST)


@st.composite
def views(draw: st.DrawFn, max_rank: int = 3) -> View:
    """Layouts, dense more often than not, over a handful of sizes; no memory behind them."""
    dtype = draw(st.sampled_from([U8, F32, F64]))
    rank = draw(st.integers(0, max_rank))
    shape = draw(st.lists(st.sampled_from([2, 3, 4, 1, 0, 3, 2, 4]), min_size=rank, max_size=rank))
    strides = [0] * rank
    size = dtype.itemsize
    step = draw(st.sampled_from([size, size, -size, 2 * size, 3]))
    for axis in draw(st.permutations(range(rank))):
        strides[axis] = step
        step *= shape[axis]
        other = draw(st.integers(0, 5))
        if other == 0:
            step = draw(st.sampled_from([0, size, -size, 5, 64, 6 * size]))
        if other == 1:
            strides[axis] = 0
    pointer = draw(st.sampled_from([64, 64, 128, 65, 68]))
    return View(pointer, tuple(shape), tuple(strides), dtype)


ITEMS = st.one_of(views(), st.sampled_from([WEAK_INT, WEAK_FLOAT, scalar(F32), scalar(BOOL)]))
ALIASING: tuple[Aliasing, ...] = ("disjoint", "identical", "temporary")


@st.composite
def calls(draw: st.DrawFn) -> Call:
    outputs = draw(st.lists(views(2), max_size=1))
    aliasing: list[Aliasing] = [draw(st.sampled_from(ALIASING)) for _ in outputs]
    return Call(tuple(draw(st.lists(ITEMS, max_size=3))), tuple(outputs), tuple(aliasing))


@st.composite
def pairs(draw: st.DrawFn) -> tuple[Call, Call]:
    """A call and another one that often has the same signature."""
    call = draw(calls())
    if draw(st.integers(0, 3)) == 0:
        return call, draw(calls())
    scale = draw(st.integers(1, 2))
    return call, Call(
        tuple(draw(changed(item, scale)) for item in call.arguments),
        tuple(draw(changed_view(item, scale)) for item in call.outputs),
        call.aliasing,
    )


def changed(item: View | Argument, scale: int) -> st.SearchStrategy[View | Argument]:
    return changed_view(item, scale) if isinstance(item, View) else st.just(item)


@st.composite
def changed_view(draw: st.DrawFn, view: View, scale: int) -> View:
    """The view with its sizes and its steps grown alike, and now and then one of them changed."""
    shape = [n if n == 1 else n * scale for n in view.shape]
    strides = list(view.strides)
    for axis, stride in enumerate(strides):
        inside = [n for n, s in zip(view.shape, view.strides) if n > 1 and 0 < abs(s) < abs(stride)]
        strides[axis] = stride * scale ** len(inside)
    if shape and draw(st.integers(0, 2)) == 0:
        axis = draw(st.integers(0, len(shape) - 1))
        shape[axis] = draw(st.sampled_from([0, 1, 2, 5, shape[axis]]))
        strides[axis] = draw(st.sampled_from([0, 4, -4, 40, strides[axis], -strides[axis]]))
    pointer = draw(st.sampled_from([view.pointer, view.pointer, 256, 66]))
    return View(pointer, tuple(shape), tuple(strides), view.dtype)


def signed(call: Call) -> Signature:
    return signature_of(
        call.arguments, call.outputs, call.aliasing, l1=SMALL_L1, last_level=SMALL_LAST
    )


@settings(max_examples=250)
@given(pairs())
@example((Call((View(3, (0, 4), (1, 3), F32),)), Call((View(64, (3, 4), (16, 4), F32),))))
@example((Call((View(64, (0,), (0,), F32),)), Call((View(64, (3,), (0,), F32),))))
def test_guards_hold_exactly_for_equal_signatures(pair: tuple[Call, Call]) -> None:
    for first, second in (pair, pair[::-1]):
        mine = signed(first)
        conditions = guards(mine, l1=SMALL_L1, last_level=SMALL_LAST)
        assert satisfies(first, conditions)
        equal = signed(second) == mine
        assert satisfies(second, conditions) == equal
        assert (str(signed(second)) == str(mine)) == equal
        if equal:
            assert hash(signed(second)) == hash(mine)


def test_the_pairs_reach_both_answers_and_all_buckets() -> None:
    """The property above would be empty if equal or unequal pairs were never drawn."""
    answers: set[bool] = set()
    buckets: set[str] = set()

    @settings(max_examples=200, database=None, derandomize=True)
    @given(pairs())
    def look(pair: tuple[Call, Call]) -> None:
        mine = signed(pair[0])
        buckets.add(mine.bucket)
        if pair[0].arguments != pair[1].arguments:
            answers.add(signed(pair[1]) == mine)

    look()
    assert answers == {True, False}
    assert buckets == {"small", "cached", "streaming"}


@settings(max_examples=150)
@given(calls())
def test_binding_the_types_gives_the_arrays_back(call: Call) -> None:
    mine = signed(call)
    items = (*call.arguments, *call.outputs)
    env = bind_symbols(mine.symbol_sources(), items)
    used: set[str] = set()
    for item, kind in zip(items, mine.tensor_types(), strict=True):
        used |= {name for e in (*kind.sizes, *kind.strides) for name in e.symbols}
        if not isinstance(item, View):
            assert (kind.kind, kind.dtype, kind.sizes) == (item.kind, item.dtype, ())
            continue
        assert kind.dtype == item.dtype
        assert tuple(size.evaluate(env) for size in kind.sizes) == item.shape
        if 0 not in item.shape:
            strides = [s if n != 1 else 0 for n, s in zip(item.shape, item.strides)]
            assert [stride.evaluate(env) for stride in kind.strides] == strides
    assert used == set(env)


@settings(max_examples=150)
@given(views())
def test_facts_are_those_of_the_definition(view: View) -> None:
    facts = argument_of(view)
    assert facts is classify(*view)
    assert facts == Argument("array", view.dtype, *definition(view))


def definition(view: View) -> tuple[Any, ...]:
    """The facts worked out the long way."""
    strides, item = list(view.strides), view.itemsize
    empty = 0 in view.shape
    classes = tuple(
        "one" if n == 1 else "held" if s == 0 and not empty else "many"
        for n, s in zip(view.shape, strides)
    )
    many = [axis for axis, kind in enumerate(classes) if kind == "many"]
    if empty:
        return classes, tuple(many), "unit" if many else "none", (True,) * (len(many) - 1), True
    order = sorted(many, key=lambda axis: (-abs(strides[axis]), axis))
    inner = {item: "unit", -item: "reversed"}.get(strides[order[-1]], "other") if order else "none"
    merges = [strides[a] == view.shape[b] * strides[b] for a, b in pairwise(order)]
    aligned = all(x % item == 0 for x in [view.pointer, *(strides[a] for a in many)])
    return classes, tuple(order), inner, tuple(merges), aligned


@given(calls())
def test_types_tell_the_order_in_memory(call: Call) -> None:
    mine = signed(call)
    items = (*call.arguments, *call.outputs)
    for kind, facts, item in zip(mine.tensor_types(), mine.all_arguments, items, strict=True):
        told = order_of(kind.sizes, kind.strides, kind.order)
        assert told == facts.order
        if isinstance(item, View) and 0 not in item.shape:
            values = [abs(item.strides[axis]) for axis in told]
            assert values == sorted(values, reverse=True)


BASE = np.zeros((12, 10), np.float32)


@pytest.mark.parametrize(
    ("array", "text"),
    [
        (BASE, "f32[many,many] order(0,1) inner(unit) merges(yes) aligned"),
        (BASE.T, "f32[many,many] order(1,0) inner(unit) merges(yes) aligned"),
        (BASE[:, :4], "f32[many,many] order(0,1) inner(unit) merges(no) aligned"),
        (BASE[:, ::2], "f32[many,many] order(0,1) inner(other) merges(yes) aligned"),
        (BASE[::-1, ::-1], "f32[many,many] order(0,1) inner(reversed) merges(yes) aligned"),
        (BASE[::-1], "f32[many,many] order(0,1) inner(unit) merges(no) aligned"),
        (BASE[:, :1], "f32[many,one] order(0) inner(other) merges() aligned"),
        (BASE[:1, :1], "f32[one,one] order() inner(none) merges() aligned"),
        (np.float32(1) + np.zeros(()), "f64[] order() inner(none) merges() aligned"),
        (
            np.broadcast_to(BASE[0], (12, 10)),
            "f32[held,many] order(1) inner(unit) merges() aligned",
        ),
        (
            np.broadcast_to(BASE[0, 0], (12, 10)),
            "f32[held,held] order() inner(none) merges() aligned",
        ),
        (
            np.frombuffer(bytes(41), np.float32, offset=1),
            "f32[many] order(0) inner(unit) merges() unaligned",
        ),
        (BASE[:0, 1:], "f32[many,many] order(0,1) inner(unit) merges(yes) aligned"),
        (BASE[:, :0].T, "f32[many,many] order(0,1) inner(unit) merges(yes) aligned"),
    ],
)
def test_facts(array: np.ndarray[Any, Any], text: str) -> None:
    assert str(argument_of(view_of(np.asarray(array)))) == text


def test_types_of_layouts() -> None:
    def types(*arrays: np.ndarray[Any, Any]) -> list[tuple[str, str]]:
        return [
            (",".join(map(str, kind.sizes)), ",".join(map(str, kind.strides)))
            for kind in signature(*arrays).tensor_types()
        ]

    dense = ("s0_0,s0_1", "s0_1*4,4")
    assert types(BASE, BASE) == [dense, dense]
    assert types(BASE, BASE[0]) == [dense, ("s0_1", "4")]
    assert types(BASE, BASE[:1]) == [dense, ("1,s0_1", "0,4")]
    assert types(BASE[:, :1], BASE) == [("s0_0,1", "t0_0,0"), ("s0_0,s1_1", "s1_1*4,4")]
    assert types(BASE.T) == [("s0_0,s0_1", "4,s0_0*4")]
    assert types(BASE[:, :4].T) == [("s0_0,s0_1", "4,t0_1")]
    assert types(BASE[::-1, ::-1]) == [("s0_0,s0_1", "s0_1*-4,-4")]
    assert types(BASE[::2, ::5]) == [("s0_0,s0_1", "t0_0,t0_1")]
    assert types(BASE[:, ::2]) == [("s0_0,s0_1", "s0_1*t0_1,t0_1")]
    assert types(np.broadcast_to(BASE[:, :1], (12, 10))) == [("s0_0,s0_1", "t0_0,0")]
    assert types(np.zeros((5, 5), np.float32)) == [("s0_0,s0_0", "s0_0*4,4")]


def test_scalars_are_facts_without_sizes() -> None:
    mine = signature(BASE, WEAK_FLOAT, scalar(I64))
    array, weak, strong = mine.tensor_types()
    assert array.kind == "array"
    assert (weak.kind, weak.dtype, weak.sizes, weak.strides) == ("weak_float", None, (), ())
    assert (strong.kind, strong.dtype) == ("scalar", I64)
    assert scalar(I64) is scalar(I64)
    assert str(mine).startswith("(f32[many,many] order(0,1)")
    assert "weak_float; i64)" in str(mine)


def test_sizes_never_change_a_signature() -> None:
    def of(n: int, m: int) -> Signature:
        return signature(np.zeros((n, m), np.float32), np.zeros(m, np.float32))

    assert len({of(n, m) for n in range(2, 9) for m in range(10, 16)}) == 1
    assert of(1, 5) != of(2, 5)
    assert of(5, 5) != of(4, 5)


def test_every_dtype_and_its_alignment() -> None:
    def facts(dtype: DType, pointer: int, stride: int) -> Argument:
        return argument_of(View(pointer, (3,), (stride,), dtype))

    for dtype in ALL:
        size = dtype.itemsize
        assert facts(dtype, 64, size).aligned
        assert facts(dtype, 64, -size).inner == "reversed"
        assert facts(dtype, 65, size).aligned == (size == 1)
        assert facts(dtype, 64, size + 1).aligned == (size == 1)
    assert len({facts(dtype, 64, dtype.itemsize) for dtype in ALL}) == len(ALL)


def test_buckets() -> None:
    def bucket(*shapes: tuple[int, ...]) -> str:
        return signature(*(np.broadcast_to(np.float32(0), shape) for shape in shapes)).bucket

    assert bucket((L1 // 4,)) == "small"
    assert bucket((L1 // 4 + 1,)) == "cached"
    assert bucket((LAST // 4,)) == "cached"
    assert bucket((LAST // 4 + 1,)) == "streaming"
    assert bucket((100, 1), (1, 100)) == "cached"
    assert bucket((3, 4), (100, 1, 100, 4), (4,)) == "cached"
    assert bucket() == bucket(()) == bucket((0, 5)) == "small"


def test_aliasing_is_a_fact() -> None:
    view = view_of(BASE)
    made = [signature_of([view], [view], [kind], l1=L1, last_level=LAST) for kind in ALIASING]
    assert len(set(made)) == 3
    assert made[0].all_arguments == (made[0].arguments[0],) * 2


def test_guards_read_well() -> None:
    dense = View(64, (3, 4), (16, 4), F32)
    row = View(64, (3, 4), (0, 4), F32)
    texts = [g.text for g in guards(signature(dense, row, WEAK_INT), l1=L1, last_level=LAST)]
    assert texts == [
        "3 arguments and 0 outputs",
        "argument 0 is array f32 of rank 2",
        "argument 1 is array f32 of rank 2",
        "argument 2 is weak_int",
        *(f"size0[{axis}] != 1" for axis in range(2)),
        "argument 0 has no element or stride0[0] != 0",
        "argument 0 has no element or stride0[1] != 0",
        "argument 0 has no element or |stride0[0]| >= |stride0[1]|",
        "argument 0 has no element or stride0[0] == size0[1] * stride0[1]",
        "argument 0 has no element or stride0[1] == 4",
        "argument 0 has no element or all of argument 0's address and strides are multiples of 4",
        *(f"size1[{axis}] != 1" for axis in range(2)),
        "argument 1 has an element and stride1[0] == 0",
        "argument 1 has an element and stride1[1] != 0",
        "argument 1 has an element and stride1[1] == 4",
        "argument 1 has an element and all of argument 1's address and strides are multiples of 4",
        *(f"size0[{axis}] == size1[{axis}]" for axis in range(2)),
        "size0[0] != size0[1]",
        "the iteration takes at least 0 and at most 32768 bytes",
    ]
