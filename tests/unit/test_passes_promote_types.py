"""promote-types against NumPy, Python's own comparisons, and itself run twice."""

from __future__ import annotations

import operator
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from xdsl.dialects.builtin import TensorType

from opsir import dtypes
from opsir.diagnostics import OpsirOverflowError, OpsirTypeError
from opsir.dialects.opsir import ELEMENTWISE_OPS, ElementwiseOp
from opsir.dialects.opsir.types import type_of
from opsir.dialects.opsir.weak_arguments import argument_sources, weak_arguments
from opsir.dtypes import DType
from opsir.passes.promote_types import PromoteTypesPass
from opsir.promotion import PromotionError, RuleSet, resolve
from tests.unit.programs import after, apply, bits, call, function_of, parse

INTEGERS = [d for d in dtypes.ALL if d.is_integer]
ONE_PER_RULE = {(op.rule, op.arity): op for op in ELEMENTWISE_OPS}.values()
COMPARISONS: dict[str, Callable[[Any, Any], Any]] = {
    "eq": operator.eq,
    "ne": operator.ne,
    "lt": operator.lt,
    "le": operator.le,
    "gt": operator.gt,
    "ge": operator.ge,
}
WEAK_INT, WEAK_FLOAT = "!opsir.weak<int>", "!opsir.weak<float>"


def program(op: str, types: list[str], result: str, attributes: str = "") -> str:
    names = [f"%x{index}" for index in range(len(types))]
    arguments = ", ".join(f"{n}: {t}" for n, t in zip(names, types, strict=True))
    body = f"%r = opsir.{op} {', '.join(names)} : ({', '.join(types)}) -> {result}"
    head = f"func.func @f({arguments}) -> {result}{attributes}"
    return f"{head} {{\n{body}\nfunc.return %r : {result}\n}}"


def tensor(dtype: DType, size: str = "4") -> str:
    return f"tensor<{size}x{dtype.mlir}>"


INFER = "tensor<4x!opsir.infer>"
INFER_3 = "tensor<3x!opsir.infer>"


@pytest.mark.parametrize("rules", ["numpy", "c"])
@pytest.mark.parametrize("op", ONE_PER_RULE, ids=lambda op: op.short_name())
def test_every_op_gets_the_dtypes_of_its_rule(op: type[ElementwiseOp], rules: RuleSet) -> None:
    """Each dtype with itself and its neighbours; what the rule refuses is refused here."""
    for index, first in enumerate(dtypes.ALL):
        given = [first, dtypes.ALL[index - 3], dtypes.ALL[index - 5]][: op.arity]
        text = program(op.short_name(), [tensor(d) for d in given], INFER)
        step = PromoteTypesPass(rules=rules)
        try:
            typed = resolve(op.rule, given, rules)
        except PromotionError:
            with pytest.raises(PromotionError, match=r"test\.mlir:2:1: error: "):
                after(text, step)
            continue
        module = after(text, step)
        (outcome,) = function_of(module).function_type.outputs.data
        assert outcome == type_of_tensor(typed.result)
        once = str(module)
        assert str(apply(module, step)) == once


def type_of_tensor(dtype: DType) -> Any:
    return TensorType(type_of(dtype), [4])


def edges(dtype: DType) -> list[int]:
    beyond = [dtype.min - 1, dtype.max + 1, -(10**30), 10**30, dtype.min - 300, dtype.max + 300]
    return sorted({dtype.min, dtype.min + 1, -1, 0, 1, dtype.max - 1, dtype.max, *beyond})


def test_comparisons_with_python_integers_are_exact() -> None:
    """On either side, as a literal and as an argument, for integers of any size."""
    for dtype in (*INTEGERS, dtypes.BOOL):
        wide = dtypes.I64 if dtype.is_logical else dtype
        values = np.array([dtype.min, dtype.max // 2, dtype.max], dtype.numpy)
        plain = values.tolist()
        flexible = after(comparisons(tensor(dtype, "3"), None), PromoteTypesPass())
        fixed = after(comparisons(tensor(dtype, "3"), edges(wide)), PromoteTypesPass())
        literal = iter(call(fixed, values))
        for number in edges(wide):
            found = iter(call(flexible, values, number))
            for compare in COMPARISONS.values():
                for wanted in (
                    [compare(x, number) for x in plain],
                    [compare(number, x) for x in plain],
                ):
                    assert next(found).tolist() == wanted
                    assert next(literal).tolist() == wanted


def comparisons(kind: str, literals: list[int] | None) -> str:
    """Every comparison of a tensor, on each side, with an argument or with each literal."""
    lines, results = list[str](), list[str]()
    numbers = ["%n"] if literals is None else [f"%c{i}" for i in range(len(literals))]
    for number, value in zip(numbers, literals or [0], strict=True):
        if literals is not None:
            lines.append(f"{number} = opsir.scalar {value} : {WEAK_INT}")
        for op in COMPARISONS:
            for operands, types in (
                (f"%a, {number}", f"({kind}, {WEAK_INT})"),
                (f"{number}, %a", f"({WEAK_INT}, {kind})"),
            ):
                results.append(f"%r{len(results)}")
                lines.append(f"{results[-1]} = opsir.{op} {operands} : {types} -> {INFER_3}")
    outputs = ", ".join([INFER_3] * len(results))
    argument = f", %n: {WEAK_INT}" if literals is None else ""
    return (
        f"func.func @f(%a: {kind}{argument}) -> ({outputs}) {{\n"
        + "\n".join(lines)
        + f"\nfunc.return {', '.join(results)} : {outputs}\n}}"
    )


@pytest.mark.parametrize("dtype", INTEGERS, ids=str)
def test_clip_bounds_go_by_value(dtype: DType) -> None:
    module = after(
        program("clip", [tensor(dtype, "3"), WEAK_INT, WEAK_INT], "tensor<3x!opsir.infer>"),
        PromoteTypesPass(),
    )
    values = np.array([dtype.min, dtype.max // 2, dtype.max], dtype.numpy)
    for low in (-(10**30), dtype.min - 1, dtype.min, 1, dtype.max):
        for high in (dtype.min, 2, dtype.max, dtype.max + 1, 10**30):
            wanted = [min(max(x, low), high) for x in values.tolist()]
            assert call(module, values, low, high)[0].tolist() == wanted
    for low, high in ((dtype.max + 1, 10**30), (dtype.min, dtype.min - 1)):
        with pytest.raises(OpsirOverflowError, match="does not fit"):
            call(module, values, low, high)


ARRAYS = {d: np.array([1, 0, 1, 1], d.numpy) for d in dtypes.ALL}


@pytest.mark.parametrize("op", ["add", "mul", "sub", "div", "div_floor", "pow", "maximum"])
@pytest.mark.parametrize("number", [2, 2.5])
def test_weak_numbers_follow_numpy(op: str, number: float) -> None:
    """Operators of arrays with Python numbers, for every dtype but bf16, which NumPy widens."""
    ufuncs: dict[str, Any] = {"sub": np.subtract, "mul": np.multiply, "div": np.true_divide}
    ufuncs |= {"div_floor": np.floor_divide, "pow": np.power}
    ufunc = ufuncs.get(op) or getattr(np, op)
    weak = WEAK_INT if isinstance(number, int) else WEAK_FLOAT
    for dtype in dtypes.ALL:
        if dtype is dtypes.BF16:
            continue
        module = after(program(op, [tensor(dtype), weak], INFER), PromoteTypesPass())
        (found,) = call(module, ARRAYS[dtype], number)
        with np.errstate(all="ignore"):
            assert bits(found) == bits(ufunc(ARRAYS[dtype], number))


def test_an_argument_is_passed_once_per_dtype_and_role() -> None:
    module = after(
        f"""func.func @f(%a: tensor<4xi8>, %n: {WEAK_INT}, %b: tensor<4xf16>, %u: {WEAK_FLOAT})
            -> ({INFER}, {INFER}, {INFER}) {{
          %x = opsir.add %a, %n : (tensor<4xi8>, {WEAK_INT}) -> {INFER}
          %y = opsir.add %n, %b : ({WEAK_INT}, tensor<4xf16>) -> {INFER}
          %z = opsir.lt %a, %n : (tensor<4xi8>, {WEAK_INT}) -> {INFER}
          func.return %x, %y, %z : {INFER}, {INFER}, {INFER}
        }}""",
        PromoteTypesPass(),
    )
    function = function_of(module)
    found = [(w.argument, w.source, w.role, w.dtype) for w in weak_arguments(function)]
    assert found == [
        (1, 1, "convert", dtypes.I8),
        (2, 1, "convert", dtypes.F16),
        (3, 1, "clamp", dtypes.I8),
        (4, 1, "above", dtypes.I8),
        (6, 3, "convert", dtypes.F64),
    ]
    assert argument_sources(function) == (0, 1, 1, 1, 1, 2, 3)


def test_ops_of_numbers_alone_give_a_dtype() -> None:
    """Python's own arithmetic never arrives here; a NumPy function of numbers is strong."""
    text = f"""func.func @f(%a: tensor<4xf32>, %s: {WEAK_FLOAT}, %n: {WEAK_INT}) -> {INFER} {{
      %d = opsir.sub %n, %s : ({WEAK_INT}, {WEAK_FLOAT}) -> !opsir.infer
      %r = opsir.mul %a, %d : (tensor<4xf32>, !opsir.infer) -> {INFER}
      func.return %r : {INFER}
    }}"""
    a = np.array([1, 2, 3, 4], np.float32)
    for step in (PromoteTypesPass(), PromoteTypesPass(scalars="strict")):
        (found,) = call(after(text, step), a, 0.9, 1)
        assert bits(found) == bits(a * np.subtract(1, 0.9))
    (found,) = call(after(text, PromoteTypesPass(rules="c")), a, 0.9, 1)
    assert bits(found) == bits(a * (np.float32(1) - np.float32(0.9)))


@pytest.mark.parametrize("dtype", dtypes.ALL, ids=str)
@pytest.mark.parametrize("number", [3, 300, -1, 2**70, 0.1, 1e39, -2.5])
def test_literals_and_arguments_bind_alike(dtype: DType, number: float) -> None:
    weak = WEAK_INT if isinstance(number, int) else WEAK_FLOAT
    cast = f"%r = opsir.cast %c : {weak} to {dtype.mlir}\nfunc.return %r : {dtype.mlir}\n}}"
    written = repr(number).replace("e+", ".0e+") if isinstance(number, float) else str(number)
    literal = f"func.func @f() -> {dtype.mlir} {{\n%c = opsir.scalar {written} : {weak}\n{cast}"
    argument = f"func.func @f(%c: {weak}) -> {dtype.mlir} {{\n{cast}"
    outcomes: list[Any] = []
    for text, given in ((literal, ()), (argument, (number,))):
        try:
            outcomes.append(bits(call(after(text, PromoteTypesPass()), *given)[0]))
        except OpsirOverflowError as error:
            outcomes.append(error.detail)
    assert outcomes[0] == outcomes[1]
    fits = dtype.is_float or dtype.is_logical or isinstance(number, float)
    assert isinstance(outcomes[0], str) == (not fits and not dtype.min <= number <= dtype.max)


def test_attributes_of_arguments_move_with_them() -> None:
    module = after(
        f"""func.func @f(%n: {WEAK_INT} {{a.b = 1 : i64}}, %a: tensor<4xi8> {{c.d = 2 : i64}})
            -> (tensor<4xi1>) {{
          %x = opsir.lt %a, %n : (tensor<4xi8>, {WEAK_INT}) -> {INFER}
          %y = opsir.cast %x : {INFER} to tensor<4xi1>
          func.return %y : tensor<4xi1>
        }}""",
        PromoteTypesPass(),
    )
    attributes = function_of(module).arg_attrs
    assert attributes is not None
    assert [list(a.data) for a in attributes.data] == [["a.b"], ["a.b"], ["c.d"]]


def test_same_kind_is_checked_once_dtypes_are_known() -> None:
    text = f"""func.func @f(%a: tensor<4xi8>, %b: tensor<4xf32>) -> tensor<4xi8> {{
      %x = opsir.add %a, %b : (tensor<4xi8>, tensor<4xf32>) -> {INFER}
      %y = opsir.cast %x {{casting = "same_kind"}} : {INFER} to tensor<4xi8>
      func.return %y : tensor<4xi8>
    }}"""
    with pytest.raises(OpsirTypeError, match=r"test\.mlir:3:\d+: .*cannot cast f32 to i8"):
        after(text, PromoteTypesPass())


def test_running_twice_keeps_the_record() -> None:
    module = parse(program("lt", [tensor(dtypes.I8), WEAK_INT], INFER))
    once = str(apply(module, PromoteTypesPass()))
    assert str(apply(module, PromoteTypesPass(rules="c", scalars="strict"))) == once
