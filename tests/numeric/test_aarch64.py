"""Code for aarch64, run under an emulator, gives the results that the semantics demand.

Needs a cross compiler and an emulator, which few machines have; skipped without them.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from opsir.abi import FLAGS
from opsir.dtypes import BF16, F16, F32, F64, I32, U8, DType
from opsir.evaluate import cast
from tests.numeric import emulation, layouts
from tests.numeric.cases import Case, casts, operations, resolution
from tests.numeric.emulation import Emulated
from tests.numeric.oracles import LOOSE, law, law_flags, ulps
from tests.numeric.running import mismatch
from tests.numeric.values import Array, crossed, mixed

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(emulation.missing() is not None, reason=str(emulation.missing())),
]

LIBM_OPS = LOOSE | {"erf", "erfc", "sigmoid", "softplus", "silu", "gelu", "gelu_tanh"}
"""Ops that call the C library: another library for another processor, so not the same digits."""

MIXED = {(F32, F64), (I32, F32), (U8, I32), (F16, F32), (BF16, F32)}
"""Dtypes of two operands that differ, besides those that are equal."""


def _chosen() -> list[Case]:
    """Every op on operands of one dtype and on a few of two, and every cast."""
    found = [c for c in operations() if len(set(c.dtypes)) == 1 or c.dtypes in MIXED]
    return [*found, *casts()]


CASES = _chosen()


def _function(number: int, case: Case) -> str:
    names = [f"%x{i}" for i in range(len(case.dtypes))]
    types = [f"tensor<?x{d.mlir}, #opsir.layout<sizes [n]>>" for d in case.dtypes]
    arguments = ", ".join(f"{n}: {t}" for n, t in zip(names, types, strict=True))
    open_type = "tensor<*x!opsir.infer>"
    if case.target is not None:
        open_type = f"tensor<*x{case.target.mlir}>"
        body = f"%r = opsir.cast {names[0]} : {types[0]} to {open_type}"
    else:
        given = ", ".join(types)
        body = f"%r = opsir.{case.op} {', '.join(names)} : ({given}) -> {open_type}"
    return (
        f"func.func @f{number}({arguments}) -> {open_type} {{\n  {body}\n"
        f"  func.return %r : {open_type}\n}}\n"
    )


@pytest.fixture(scope="module")
def compiled(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Emulated]:
    text = "".join(_function(number, case) for number, case in enumerate(CASES))
    with Emulated(text, tmp_path_factory.mktemp("aarch64")) as program:
        yield program


def _expected(case: Case, values: list[Array]) -> Any:
    if case.target is not None:
        return cast(values[0], case.target)
    return law(case.op, *values)


def _result_dtype(case: Case) -> DType:
    if case.target is not None:
        return case.target
    found = resolution(case.op, case.dtypes)
    assert found is not None
    return found.result


def _close(result: Array, expected: Array) -> str | None:
    bound = 5 if result.dtype == np.float64 else 1
    worst = float(np.max(ulps(result, expected), initial=0.0))
    return None if worst <= bound else f"{worst} ulp"


def _complaints(program: Emulated, number: int, values: list[Array]) -> Iterator[str]:
    case = CASES[number]
    result = np.empty(len(values[0]), _result_dtype(case).numpy)
    flags = program.call(f"f{number}", values, [result])
    expected = _expected(case, values)
    loose = case.op in LIBM_OPS and result.dtype.kind not in "biu"
    wrong = _close(result, expected) if loose else mismatch(result, expected, values)
    if wrong is not None:
        yield f"{case}: {wrong}"
    wanted = frozenset[str]() if case.target else law_flags(case.op, *values)
    if flags != sum(FLAGS[name] for name in wanted):
        yield f"{case}: flags {flags}, expected {sorted(wanted)}"


@pytest.mark.parametrize("chunk", range(8))
def test_every_operation(compiled: Emulated, chunk: int) -> None:
    rng = np.random.default_rng(chunk)
    found: list[str] = []
    for number in range(chunk, len(CASES), 8):
        found += _complaints(compiled, number, crossed(CASES[number].dtypes, rng))
        for count in (0, 1, 16, 17):
            values = [mixed(dtype, count, rng) for dtype in CASES[number].dtypes]
            found += _complaints(compiled, number, values)
    assert found == []


SIGNALLING = [F16, BF16, F32, F64]


@pytest.mark.parametrize("dtype", SIGNALLING, ids=str)
def test_signalling_nans_convert_to_zero(compiled: Emulated, dtype: DType) -> None:
    pattern = (((1 << dtype.exponent) - 1) << (dtype.mantissa - 1)) | 1
    nans = np.full(33, pattern, f"u{dtype.itemsize}").view(dtype.numpy)
    assert [
        line
        for number, case in enumerate(CASES)
        if case.target is not None and case.dtypes == (dtype,)
        for line in _complaints(compiled, number, [nans])
    ] == []


LAYOUTS = """
!matrix = tensor<?x?xf32, #opsir.layout<sizes [n, m], strides [a, b]>>
!row = tensor<?xf32, #opsir.layout<sizes [m], strides [c]>>
!open = tensor<*x!opsir.infer>
func.func @f(%x: !matrix, %scale: f32, %bias: !row) -> (!open, tensor<*xui8>) {
  %0 = opsir.mul %x, %scale : (!matrix, f32) -> !open
  %1 = opsir.add %0, %bias : (!open, !row) -> !open
  %2 = opsir.cast %1 : !open to tensor<*xui8>
  func.return %1, %2 : !open, tensor<*xui8>
}
"""


def test_broadcasts_and_strides(tmp_path: Path) -> None:
    matrix = np.linspace(-300, 300, 7 * 21, dtype=np.float32).reshape(7, 21)
    row = np.arange(21, dtype=np.float32)
    views: list[Array] = [matrix, matrix[::-1], matrix[:, ::-1], matrix[::2], matrix.T.copy().T]
    views.append(layouts.unaligned(matrix))
    with Emulated(LAYOUTS, tmp_path) as program:
        for view in views:
            sums, bytes_ = np.empty(view.shape, np.float32), np.empty(view.shape, np.uint8)
            assert program.call("f", [view, np.float32(0.5), row[::-1]], [sums, bytes_]) == 0
            assert np.array_equal(sums, view * np.float32(0.5) + row[::-1])
            assert np.array_equal(bytes_, np.clip(np.trunc(sums), 0, 255).astype(np.uint8))
