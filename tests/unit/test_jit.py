from __future__ import annotations

import sys
import threading
import warnings
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from opsir.diagnostics import (
    OpsirOverflowError,
    OpsirTypeError,
    OpsirValueError,
    OpsirZeroDivisionError,
)
from opsir.frontends.options import JitOptions
from opsir.runtime.buffers import COUNTS
from opsir.runtime.jit import Jitted
from opsir.runtime.specialise import native_cache_clear

F32 = np.float32


def jit(function: Callable[..., Any], **options: Any) -> Jitted:
    return Jitted(function, JitOptions.of(**options))


def scale(a: Any, b: Any, s: Any) -> Any:
    return a * s + b


def test_equals_numpy_and_stays_in_f32() -> None:
    a, b = np.arange(12, dtype=F32).reshape(3, 4), np.arange(4, dtype=F32)
    result = jit(scale)(a, b, 0.1)
    assert result.dtype == F32
    assert np.array_equal(result, a * F32(0.1) + b)


def test_keywords_and_defaults() -> None:
    def shifted(x: Any, by: Any = 2) -> Any:
        return x - by

    f, x = jit(shifted), np.arange(3)
    assert f(x).tolist() == [-2, -1, 0]
    assert f(by=1, x=x).tolist() == [-1, 0, 1]
    with pytest.raises(OpsirTypeError, match=r"shifted\(\) missing a required argument: 'x'"):
        f()
    with pytest.raises(OpsirTypeError, match=r"shifted\(\) got an unexpected keyword argument 'y'"):
        f(x, y=1)


def test_variadic_functions_are_refused() -> None:
    def f(*xs: Any) -> Any:
        return xs[0]

    with pytest.raises(OpsirTypeError, match="takes a fixed number of positional ones"):
        jit(f)(1.0)


def test_scalars_give_numpy_scalars() -> None:
    result = jit(lambda x, y: x + y)(F32(1), 2)
    assert type(result) is np.float32
    assert result == 3
    assert type(jit(lambda x: x * 2)(np.array(1.5))) is np.float64


def test_several_results_are_a_tuple() -> None:
    x = np.arange(5.0)
    low, high = jit(lambda x: (x - 1, x + 1))(x)
    assert np.array_equal(low, x - 1)
    assert np.array_equal(high, x + 1)


def test_one_compilation_serves_every_size_of_a_class() -> None:
    native_cache_clear()
    f = jit(scale)
    sizes = np.random.default_rng(0).integers(2, 40, (500, 2))
    COUNTS.reset()
    for n, m in sizes:
        a, b = np.ones((n, m), F32), np.ones(m, F32)
        if n != m:  # equal sizes are a class of their own
            f(a, b, 2.0)
    assert COUNTS.compiles == 1
    f(np.ones((700, 701), F32), np.ones(701, F32), 2.0)  # another bucket, the same code
    assert COUNTS.compiles == 1


def test_what_is_allocated_and_run_is_what_the_plan_says() -> None:
    def f(x: Any, v: Any) -> Any:
        return x * np.exp(v)  # exp of a row is materialised

    f_ = jit(f)
    x, v = np.ones((3, 4)), np.ones(4)
    plan = f_.lower(x, v).plan()
    assert len(plan.kernels) == 2
    f_(x, v)
    COUNTS.reset()
    f_(x, v)
    assert (COUNTS.calls, COUNTS.kernels, COUNTS.outputs, COUNTS.temporaries) == (1, 2, 1, 1)
    COUNTS.reset()
    f_(x, v, out=np.empty((3, 4)))
    assert (COUNTS.outputs, COUNTS.temporaries) == (0, 1)


def test_hoisted_exp_runs_once_per_row() -> None:
    def f(x: Any, c: Any) -> Any:
        return x * np.exp(c)

    plan = jit(f).lower(np.ones((3, 4)), np.ones((3, 1))).plan()
    (kernel,) = plan.kernels
    counts = {op.name: op.count({"s0_0": 3, "s0_1": 4}) for op in kernel.ops}
    assert (counts["exp"], counts["mul"]) == (3, 12)


class TestOut:
    def test_returns_and_fills_it(self) -> None:
        x, out = np.arange(4.0), np.zeros(4)
        assert jit(lambda x: x + 1)(x, out=out) is out
        assert out.tolist() == [1, 2, 3, 4]

    def test_may_be_larger_and_of_another_dtype(self) -> None:
        out = np.zeros((2, 3), np.float64)
        jit(lambda x: x + F32(1))(np.arange(3, dtype=F32), out=out)
        assert out.tolist() == [[1, 2, 3], [1, 2, 3]]

    def test_strided_reversed_unaligned(self) -> None:
        f, x = jit(lambda x: x * 2), np.arange(6, dtype=F32)
        holder = np.zeros(12, F32)
        f(x, out=holder[::-2])
        assert holder[::-2].tolist() == [0, 2, 4, 6, 8, 10]
        raw = np.zeros(25, np.uint8)
        view = raw[1:].view(F32)
        f(x, out=view)
        assert view.tolist() == [0, 2, 4, 6, 8, 10]
        assert raw[0] == 0

    def test_several(self) -> None:
        f, x = jit(lambda x: (x + 1, x - 1)), np.arange(3.0)
        outs = np.zeros(3), np.zeros(3)
        f(x, out=outs)
        assert outs[0].tolist() == [1, 2, 3]
        assert outs[1].tolist() == [-1, 0, 1]
        with pytest.raises(OpsirValueError, match="one array for each of the 2 results, got 1"):
            f(x, out=np.zeros(3))

    def test_the_same_array_twice_keeps_the_last_result(self) -> None:
        x = np.arange(3.0)
        out = np.zeros(3)
        jit(lambda x: (x + 1, x - 1))(x, out=(out, out))
        assert out.tolist() == [-1, 0, 1]

    @pytest.mark.parametrize("n", [4, 300])
    def test_any_overlap_is_safe(self, n: int) -> None:
        f = jit(lambda a, b: a - b)
        for target, first, second in [
            (slice(1, None), slice(1, None), slice(None, -1)),
            (slice(None, -1), slice(1, None), slice(None, -1)),
            (slice(None), slice(None), slice(None, None, -1)),
        ]:
            d = np.arange(n, dtype=np.int64) ** 2
            expected = d.copy()
            expected[target] = d[first] - d[second]
            f(d[first], d[second], out=d[target])
            assert np.array_equal(d, expected)

    def test_identical_with_two_kernels_reads_the_old_values(self) -> None:
        def f(x: Any, v: Any) -> Any:
            return x * np.exp(v) + v

        v = np.arange(4.0)
        expected = v * np.exp(v) + v
        jit(f)(v, v, out=v)
        assert np.allclose(v, expected)
        m = np.ones((4, 4))
        row = m[0]
        jit(f)(m, row, out=m)
        assert np.allclose(m, np.e + 1)

    def test_refusals(self) -> None:
        f, x = jit(lambda x: x + 1), np.arange(4.0)
        frozen = np.zeros(4)
        frozen.flags.writeable = False
        with pytest.raises(OpsirValueError, match="out= is read-only"):
            f(x, out=frozen)
        with pytest.raises(OpsirValueError, match="elements that share memory"):
            f(x, out=np.lib.stride_tricks.as_strided(np.zeros(1), (4,), (0,)))
        with pytest.raises(OpsirTypeError, match="out= takes NumPy arrays, got list"):
            f(x, out=[[0.0] * 4])
        with pytest.raises((OpsirTypeError, OpsirValueError), match="same_kind"):
            f(x, out=np.zeros(4, np.int32))
        with pytest.raises(OpsirValueError, match=r"out= has shape \[3\], to which a result of"):
            f(x, out=np.zeros(3))
        with pytest.raises(OpsirValueError, match="out= has rank 0, but result 0 has rank 1"):
            f(x, out=np.zeros(()))


class TestIntErrors:
    zero = np.array([1, 0], np.int32)

    def test_one_warning_at_the_users_line(self) -> None:
        f = jit(lambda a: 7 // a)
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            assert f(self.zero).tolist() == [7, 0]
            line = sys._getframe().f_lineno - 1
        (warning,) = caught
        assert (warning.filename, warning.lineno) == (__file__, line)
        assert warning.category is RuntimeWarning

    def test_ignore_and_raise(self) -> None:
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            assert jit(lambda a: 7 % a, int_errors="ignore")(self.zero).tolist() == [0, 0]
        out = np.full(2, 9, np.int32)
        with pytest.raises(OpsirZeroDivisionError, match="integer division by zero"):
            jit(lambda a: 7 // a, int_errors="raise")(self.zero, out=out)
        assert out.tolist() == [7, 0]

    def test_no_flag_without_a_zero_or_without_an_element(self) -> None:
        f = jit(lambda a, b: a // b, int_errors="raise")
        assert f(np.arange(9), np.arange(1, 10)).tolist() == [0] * 9
        assert f(np.zeros((0, 3), int), np.zeros(3, int)).shape == (0, 3)
        assert f(np.arange(9), 3).tolist() == [0, 0, 0, 1, 1, 1, 2, 2, 2]

    def test_min_by_minus_one_is_no_error(self) -> None:
        low = np.array([-(2**31)], np.int32)
        f = jit(lambda a, b: (a // b, a % b), int_errors="raise")
        assert [r.tolist() for r in f(low, np.int32(-1))] == [[-(2**31)], [0]]

    def test_negative_power(self) -> None:
        f = jit(lambda a, b: a**b)
        assert f(np.array([2, 0]), np.array([10, 0])).tolist() == [1024, 1]
        with pytest.raises(OpsirValueError, match="negative integer powers"):
            f(np.array([2]), np.array([-1]))


class TestWeakNumbers:
    def test_run_time_values_not_part_of_the_key(self) -> None:
        f = jit(lambda a, s: a * s)
        a = np.arange(3, dtype=F32)
        assert f(a, 2.0).tolist() == [0, 2, 4]
        COUNTS.reset()
        assert f(a, 3.0).tolist() == [0, 3, 6]
        assert COUNTS.compiles == 0

    def test_one_that_does_not_fit_is_refused_at_the_call(self) -> None:
        f = jit(lambda a, s: a + s)
        assert f(np.arange(3, dtype=np.uint8), 200).tolist() == [200, 201, 202]
        for number in (300, -19, 10**40):
            with pytest.raises(OpsirOverflowError, match="does not fit u8"):
                f(np.arange(3, dtype=np.uint8), number)

    @pytest.mark.parametrize("number", [-(10**30), -129, -128, -1, 0, 5, 127, 128, 10**30])
    def test_comparisons_go_by_value(self, number: int) -> None:
        x = np.arange(-128, 128, dtype=np.int8)
        f = jit(lambda a, s: (a < s, a <= s, a > s, a >= s, a == s, a != s, s < a, s == a))
        wide = [int(v) for v in x]
        expected = [
            [v < number for v in wide],
            [v <= number for v in wide],
            [v > number for v in wide],
            [v >= number for v in wide],
            [v == number for v in wide],
            [v != number for v in wide],
            [number < v for v in wide],
            [number == v for v in wide],
        ]
        assert [r.tolist() for r in f(x, number)] == expected


def test_captured_arrays_are_read_at_each_call() -> None:
    held = np.arange(3.0)

    def f(x: Any) -> Any:
        return x + held

    f_ = jit(f)
    assert f_(np.ones(3)).tolist() == [1, 2, 3]
    held[:] = 10
    assert f_(np.ones(3)).tolist() == [11, 11, 11]


def test_zero_sizes() -> None:
    f = jit(lambda a, b: a + b)
    assert f(np.zeros((0, 1)), np.zeros((1, 5))).shape == (0, 5)
    assert f(np.float32(1), np.zeros((0, 2, 2), F32)).shape == (0, 2, 2)
    assert f(np.zeros(1), np.zeros(0)).shape == (0,)
    with pytest.raises(OpsirValueError, match="broadcast"):
        f(np.zeros(3), np.zeros(0))


def test_broadcast_errors_name_shapes_axis_and_line() -> None:
    def f(a: Any, b: Any) -> Any:
        return a + b

    line = f.__code__.co_firstlineno + 1
    with pytest.raises(OpsirValueError, match="do not broadcast") as caught:
        jit(f)(np.zeros((3, 4)), np.zeros((2, 4)))
    assert str(caught.value).startswith(f"{__file__}:{line}:")


def test_many_threads_compile_and_call() -> None:
    f = jit(lambda a, b: a * b + 1)
    failures: list[BaseException] = []

    def work(seed: int) -> None:
        try:
            for rank in range(1, 4):
                for dtype in (F32, np.float64, np.int32):
                    x = np.arange(2**rank * 3, dtype=dtype).reshape((*(2,) * (rank - 1), 6))
                    assert np.array_equal(f(x, x), x * x + 1)
        except BaseException as error:  # collected for the main thread, whatever it is
            failures.append(error)

    threads = [threading.Thread(target=work, args=(n,)) for n in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert failures == []


def test_lowered_shows_every_stage() -> None:
    lowered = jit(scale).lower(np.ones((3, 4), F32), np.ones(4, F32), 0.5)
    assert lowered.stages[0] == "trace"
    assert lowered.stages[-1] == "plan-memory"
    assert "!opsir.weak<float>" in lowered.ir("trace")
    assert "nest.kernel" in lowered.ir("coalesce-axes")
    assert "<8 x float>" in lowered.llvm() or "x float>" in lowered.llvm()
    assert "ret" in lowered.asm()
    with pytest.raises(OpsirValueError, match="no stage 'nest'; there are trace, promote-types"):
        lowered.ir("nest")


def test_a_method_is_refused() -> None:
    class Model:
        f = jit(scale)

    with pytest.raises(OpsirTypeError, match="cannot be a method"):
        _ = Model().f


def test_result_too_large_is_one_clear_error() -> None:
    f = jit(lambda a, b: a + b)
    row = np.lib.stride_tricks.as_strided(np.zeros(1, np.int8), (1, 1 << 40), (0, 0))
    column = np.lib.stride_tricks.as_strided(np.zeros(1, np.int8), (1 << 40, 1), (0, 0))
    with pytest.raises(OpsirOverflowError, match="beyond a signed 64-bit integer"):
        f(row, column)
