"""The public names: all there, lazy, and working on arrays and on traced values."""

from __future__ import annotations

import ast
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import opsir
from opsir import eager
from opsir.diagnostics import (
    OpsirAttributeError,
    OpsirOverflowError,
    OpsirTypeError,
    OpsirValueError,
)
from opsir.dialects.opsir import BY_NAME
from opsir.frontends.numpy_api import UFUNCS
from opsir.promotion import PromotionError
from tests.unit.frontend import FLOAT, MATRIX, VECTOR, ops, refused, traced

A = np.arange(6, dtype=np.float32).reshape(2, 3)


def test_every_op_is_public_under_its_name_and_numpys() -> None:
    names = {name: function.__name__ for name, function in eager.PUBLIC.items()}
    assert {name: op for name, op in names.items() if name in BY_NAME} == {n: n for n in BY_NAME}
    assert all(names[ufunc.__name__] == op for ufunc, op in UFUNCS.items())
    assert names["divide_floor"] == "div_floor"
    assert names["divide_trunc"] == "div_trunc"
    others = {n for n, op in names.items() if op not in BY_NAME}
    assert others == {"cast", "broadcast_to", "align"}


def test_type_checkers_see_every_public_name() -> None:
    tree = ast.parse(Path(opsir.__file__).read_text())
    imports = [n for n in ast.walk(tree) if isinstance(n, ast.ImportFrom)]
    seen = {a.asname for n in imports if n.module == "opsir.eager" for a in n.names}
    assert seen == set(eager.PUBLIC)


@pytest.mark.parametrize("name", sorted(BY_NAME))
def test_every_op_traces_and_documents_itself(name: str) -> None:
    function: Any = getattr(opsir, name)
    arity = BY_NAME[name].arity
    spec = VECTOR if BY_NAME[name].rule.accepts.endswith("f") else None
    if spec is not None:
        program = traced(lambda x: function(*[x] * arity), spec)
        assert [r.op for r in program.records] == [name]
    assert (BY_NAME[name].__doc__ or "?").partition("\n")[0] in function.__doc__


def test_importing_opsir_loads_nothing_heavy() -> None:
    code = (
        "import sys, opsir\n"
        "heavy = {'numpy', 'xdsl', 'llvmlite'} & set(sys.modules)\n"
        "assert not heavy, heavy\n"
        "assert opsir.OpsirError and opsir.jit\n"
    )
    subprocess.run([sys.executable, "-c", code], check=True)


def test_names_that_do_not_exist() -> None:
    with pytest.raises(OpsirAttributeError, match="module 'opsir' has no attribute 'nonsense'"):
        _ = opsir.nonsense
    with pytest.raises(AttributeError):
        _ = opsir.np
    assert {"add", "jit", "compile", "plan", "OpsirError"} <= set(dir(opsir))


def test_eager_functions_run() -> None:
    assert np.array_equal(opsir.add(A, 1.5), A + np.float32(1.5))
    assert opsir.add(A, 1.5).dtype == np.float32
    out = np.empty((2, 3))
    assert opsir.multiply(A, [1, 2, 3], out=out) is out
    assert np.array_equal(out, A * np.array([1, 2, 3]))
    assert opsir.where([True, False], 1, 2).tolist() == [1, 2]
    assert opsir.fma(2.0, 3.0, 1.0) == 7.0
    total = opsir.add(1, 2)
    assert (total, type(total)) == (3, np.int64)
    assert opsir.cast([1.5, 300, np.nan], "i8").tolist() == [1, 127, 0]
    assert opsir.divide_trunc(-7, 2) == -3
    assert opsir.divide_floor(-7, 2) == -4


def test_eager_views() -> None:
    assert opsir.broadcast_to([1, 2], (3, 2)).strides[0] == 0
    assert opsir.align(np.ones(3), 1, 4).shape == (1, 3, 1, 1)
    assert opsir.align(np.ones((2, 3)), (0, -2), 4).shape == (2, 1, 3, 1)
    with pytest.raises(OpsirValueError, match="one axis, in rising order, for each of the 2 axes"):
        opsir.align(np.ones((2, 3)), (2, 1), 4)
    with pytest.raises(OpsirTypeError, match="x is a str; opsir takes arrays"):
        opsir.align("abc", 0, 1)


def test_eager_functions_record_in_a_trace() -> None:
    def f(x: Any, v: Any, s: Any) -> Any:
        y = opsir.fma(x, s, opsir.align(v, 1, 2))
        return opsir.cast(opsir.sigmoid(y), "u8"), opsir.broadcast_to(v, x.shape)

    assert [r.op for r in traced(f, MATRIX, VECTOR, FLOAT).records] == [
        *("broadcast", "fma", "sigmoid", "cast", "broadcast")
    ]
    captured = traced(lambda x: opsir.broadcast_to(A[0], (x.shape[0], 3)) + x)
    assert ops(captured)[0] == "broadcast a1:f32[1] sizes [0, 2]"


def test_refusals_in_a_trace() -> None:
    out = np.empty((2, 3))
    refused(lambda x: opsir.add(x, 1, out=out), "opsir.add takes no out= in a traced function")
    refused(lambda x: opsir.neg(x, out=out), "opsir.neg takes no out= in a traced function")
    refused(lambda x: opsir.fma(x, x, x, out=out), "opsir.fma takes no out= in a traced function")
    refused(lambda x: opsir.cast(x, "i4", out=out), "opsir.cast takes no out= in a traced")
    message = "align takes one axis, in rising order, for each of the 2 axes of the operand"
    refused(lambda x: opsir.align(x, (1, 0), 3), message, error=OpsirValueError)
    refused(lambda x: opsir.align(x, (0, 3), 3), "from -3 to 2, got (0, 3)", error=OpsirValueError)
    refused(lambda x: opsir.align(x, (0, 1), 1), "an ndim from 2 to 64", error=OpsirValueError)
    refused(lambda x: opsir.align(x, 0, x.shape[0]), "an ndim from 2 to 64", error=OpsirValueError)


def test_jitted_functions_are_inlined() -> None:
    inner = opsir.jit(lambda x, y=2: x * y)
    program = traced(lambda x: inner(x, y=x) + inner(x, 3))
    assert [r.op for r in program.records] == ["mul", "mul", "add"]
    assert opsir.jit(lambda x: inner(x, 2) + 1)(A).tolist() == (A * 2 + 1).tolist()


def test_jitted_functions_with_other_options_are_not() -> None:
    other = opsir.jit(rules="c", scalars="strict")(lambda x: x / 2)
    with_contract = opsir.jit(contract="(n,c)->(n,c)")(lambda x: x)
    plain = opsir.jit(lambda x: x)
    refused(lambda x: other(x), "compiled with another rules, scalars; use the same for both")
    refused(lambda x: with_contract(x), "where a contract of its own is not possible")
    refused(lambda x: plain(x, out=A), "where out= of its own is not possible")


def test_result_types() -> None:
    f16, f32, f64, i32 = (np.dtype(n) for n in ("f2", "f4", "f8", "i4"))
    assert opsir.result_type("add", "f16", 1.5) == f16
    assert opsir.result_type(np.divide, np.int32, A) == f64
    assert opsir.result_type(opsir.divide, i32, i32, rules="c") == f32
    assert opsir.result_type("add", "f16", 1.5, scalars="strict") == f64
    assert opsir.result_type("subtract", True, np.int32(1)) == i32
    assert opsir.result_type("less", "u8", -1) == np.dtype(bool)
    assert opsir.result_type("fma", "f16", 2, 0.5) == f16


def test_result_types_refused() -> None:
    def refuse(error: type[Exception], message: str, *args: Any, **options: Any) -> None:
        with pytest.raises(error, match=message):
            opsir.result_type(*args, **options)

    refuse(PromotionError, r"neg does not take \(bool\)", "neg", "bool")
    refuse(OpsirValueError, "'frobnicate' is no op; there are abs, acos", "frobnicate", 1)
    refuse(OpsirValueError, "is no op", np.logaddexp, 1, 1)
    refuse(OpsirValueError, "is no op", opsir.broadcast_to, 1)
    refuse(OpsirTypeError, "add takes 2 operands, got 1", "add", "f32")
    refuse(OpsirTypeError, "'c8' is no dtype that opsir has", "neg", "c8")
    refuse(OpsirTypeError, "an operand has dtype complex128", "neg", np.ones(1, complex))
    refuse(OpsirValueError, "rules is 'numpy' or 'c'", "neg", "i4", rules="java")


def test_broadcast_shapes() -> None:
    assert opsir.broadcast_shapes() == ()
    assert opsir.broadcast_shapes((2, 1, 5), (1, 3, 1), 5) == (2, 3, 5)
    assert opsir.broadcast_shapes((0, 1), (1, 5)) == (0, 5)
    assert opsir.broadcast_shapes([np.int64(2)], (1,)) == (2,)
    with pytest.raises(OpsirValueError, match=r"shapes \[2,3\] and \[4\] do not broadcast"):
        opsir.broadcast_shapes((2, 3), (4,))
    with pytest.raises(OpsirValueError, match="do not broadcast"):
        opsir.broadcast_shapes((0,), (2,))
    with pytest.raises(OpsirValueError, match=r"sizes of at least 0, got \(-1,\)"):
        opsir.broadcast_shapes((-1,))
    with pytest.raises(OpsirValueError, match=r"sizes of at least 0, got 1\.5"):
        opsir.broadcast_shapes(1.5)
    with pytest.raises(OpsirOverflowError, match="beyond a signed 64-bit integer"):
        opsir.broadcast_shapes((1 << 40, 1), (1, 1 << 40), (0, 1, 1))


def test_plans_without_data() -> None:
    plan = opsir.plan("add", ((3, 4), "f32"), ((4,), "f32"))
    assert [k.ops[0].name for k in plan.kernels] == ["add"]
    assert [o.operand_class for o in plan.kernels[0].operands] == ["dense", "row"]
    fused = opsir.plan(opsir.jit(lambda a, s: a * s + 1), A, 0.5)
    assert [op.name for op in fused.kernels[0].ops] == ["mul", "add"]
    hidden = opsir.plan(lambda a: (a + A) / a.shape[0], ((2, 3), "f32"))
    assert [o.operand_class for o in hidden.kernels[0].operands] == ["dense", "dense", "scalar"]
    assert "dense" in str(opsir.plan(lambda a: a + a, ((1 << 40,), np.int8)))


def test_plans_refused() -> None:
    with pytest.raises(OpsirTypeError, match=r"a pair \(shape, dtype\), got \(3,\)"):
        opsir.plan("neg", (3,))
    with pytest.raises(OpsirValueError, match="do not broadcast"):
        opsir.plan("add", ((3,), "f32"), ((4,), "f32"))
    with pytest.raises(OpsirOverflowError, match="the number of bytes is"):
        opsir.plan("neg", ((1 << 62,), "f32"))
    with pytest.raises(OpsirValueError, match="is no op"):
        opsir.plan(3, ((3,), "f32"))


def test_shapes_that_fit_may_be_refused_for_other_reasons() -> None:
    assert opsir.refuses_broadcast((2, 3), (3,)) is None
    assert "axis 1 of the result would need 3 and 4" in str(opsir.refuses_broadcast((2, 3), (4,)))
    assert opsir.refuses_plan("add", ((2, 3), "f4"), ((3,), "f4")) is None
    assert "sizes 3 and 4 have to be equal" in str(
        opsir.refuses_plan("add", ((2, 3), "f4"), ((4,), "f4"))
    )
    assert opsir.refuses_broadcast((1,) * 65) is None
    assert opsir.refuses_plan("negative", ((1,) * 65, "f4")) == "rank 65 is above the limit of 64"
    assert opsir.refuses_plan("bitwise_and", ((3,), "f4"), ((3,), "f4")) is not None
