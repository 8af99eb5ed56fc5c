"""The entry of native code: argument block, floating-point environment, kernels in order."""

from __future__ import annotations

import ctypes
import gc
import threading
from collections.abc import Generator
from contextlib import contextmanager
from functools import cache

import numpy as np
import pytest

from opsir.abi import FLAG_DIVIDE, FLAG_NEGATIVE_POWER
from opsir.backends.cpu import llvm
from opsir.backends.cpu.codegen import CodegenOptions
from opsir.backends.cpu.host import can_run, host_machine, machine_named
from opsir.backends.cpu.target import compile_module, emit_asm, emit_llvm
from opsir.diagnostics import OpsirNotImplementedError, OpsirValueError
from opsir.frontends.text import parse_module
from opsir.machine import AARCH64, MACHINES, X86_64_V2, X86_64_V4
from opsir.signature import Aliasing
from tests.unit.native import call, compile_text, prepare

SCALE = """
func.func @scale(%x : tensor<?xf32, #opsir.layout<sizes [n]>>, %s : f32)
    -> tensor<?xf32, #opsir.layout<sizes [n]>> {
  %z = nest.kernel extents [n] ins(%x : tensor<?xf32, #opsir.layout<sizes [n]>> along [4], %s : f32)
      outs(tensor<?xf32, #opsir.layout<sizes [n]>> along [4]) attributes {lanes = 8 : i64} {
  ^bb0(%a : f32, %b : f32):
    %c = opsir.mul %a, %b : (f32, f32) -> f32
    nest.yield %c : f32
  }
  func.return %z : tensor<?xf32, #opsir.layout<sizes [n]>>
}"""

X86 = pytest.mark.skipif(host_machine().arch != "x86_64", reason="MXCSR is an x86 register")


@cache
def mxcsr_code() -> llvm.LoadedCode:
    text = "\n".join(
        f"declare void @llvm.x86.sse.{name}(ptr)\n"
        f"define i32 @{symbol}(ptr %p) {{ call void @llvm.x86.sse.{name}(ptr %p) ret i32 0 }}"
        for symbol, name in (("read", "stmxcsr"), ("write", "ldmxcsr"))
    )
    return llvm.LoadedCode(llvm.object_code(text, host_machine(), frozenset()), ["read", "write"])


def read_mxcsr() -> int:
    word = ctypes.c_uint32()
    read = ctypes.CFUNCTYPE(ctypes.c_int, ctypes.c_void_p)(mxcsr_code().address("read"))
    read(ctypes.addressof(word))
    return word.value


def write_mxcsr(value: int) -> None:
    word = ctypes.c_uint32(value)
    write = ctypes.CFUNCTYPE(ctypes.c_int, ctypes.c_void_p)(mxcsr_code().address("write"))
    write(ctypes.addressof(word))


@contextmanager
def mxcsr(value: int) -> Generator[None]:
    before = read_mxcsr()
    write_mxcsr(value)
    try:
        yield
    finally:
        write_mxcsr(before)


@X86
@pytest.mark.parametrize("control", [0x1F80, 0x9FC0, 0x3F80, 0x7F80])
def test_the_callers_environment_changes_nothing_and_comes_back(control: int) -> None:
    """Subnormals and roundings are IEEE's whatever the caller left in the control register."""
    code = compile_text(SCALE)
    tiny = np.float32(1e-40)
    given = np.array([tiny, 1, -1, 3e-39, 1.1], np.float32)
    out, wanted = np.zeros(5, np.float32), given * np.float32(0.3)
    run = prepare(code, [given, np.float32(0.3)], [out])
    with mxcsr(control):
        run()
        after = read_mxcsr()
    assert after == control
    np.testing.assert_array_equal(out, wanted)
    assert out[0] != 0


def test_unaligned_scalars_sizes_and_products() -> None:
    kind = "tensor<?x?xi8, #opsir.layout<sizes [n, m]>>"
    code = compile_text(f"""
        func.func @count(%flag : i1, %x : {kind}, %k : ui64) -> {kind.replace("xi8", "xi64")} {{
          %n = opsir.dim %x, 0 : {kind}
          %seven = opsir.scalar 7 : i64
          %z = nest.kernel extents [n*m] ins(%n : i64, %seven : i64, %flag : i1)
              outs({kind.replace("xi8", "xi64")} along [8]) attributes {{lanes = 4 : i64}} {{
          ^bb0(%a : i64, %b : i64, %f : i1):
            %c = opsir.mul %a, %b : (i64, i64) -> i64
            %d = opsir.where %f, %c, %a : (i1, i64, i64) -> i64
            nest.yield %d : i64
          }}
          func.return %z : {kind.replace("xi8", "xi64")}
        }}""")
    out = np.zeros((3, 5), np.int64)
    for flag in (True, False):
        call(code, [flag, np.zeros((3, 5), np.int8), 2**64 - 1], [out])
        assert (out == (21 if flag else 3)).all()


TWO_KERNELS = """
func.func @chain(%x : tensor<?xi32, #opsir.layout<sizes [n]>>)
    -> (tensor<?xi32, #opsir.layout<sizes [n]>>, tensor<?xi32, #opsir.layout<sizes [n]>>) {
  %t, %u = nest.kernel extents [n] ins(%x : tensor<?xi32, #opsir.layout<sizes [n]>> along [4])
      outs(tensor<?xi32, #opsir.layout<sizes [n]>> along [4],
           tensor<?xi32, #opsir.layout<sizes [n]>> along [4]) attributes {lanes = 8 : i64} {
  ^bb0(%a : i32):
    %b = opsir.add %a, %a : (i32, i32) -> i32
    %c = opsir.mul %a, %b : (i32, i32) -> i32
    nest.yield %b, %c : i32, i32
  }
  %z = nest.kernel extents [n] ins(%t : tensor<?xi32, #opsir.layout<sizes [n]>> along [4])
      outs(tensor<?xi32, #opsir.layout<sizes [n]>> along [4]) attributes {lanes = 8 : i64} {
  ^bb0(%a : i32):
    %b = opsir.add %a, %a : (i32, i32) -> i32
    nest.yield %b : i32
  }
  func.return %z, %u : tensor<?xi32, #opsir.layout<sizes [n]>>,
      tensor<?xi32, #opsir.layout<sizes [n]>>
}"""


def test_a_temporary_between_two_kernels() -> None:
    code = compile_text(TWO_KERNELS)
    assert [t.size_bytes({"n": 9}) for t in code.abi.temporaries] == [36]
    assert len(code.kernels) == 2
    given = np.arange(9, dtype=np.int32)
    first, second = np.zeros(9, np.int32), np.zeros(9, np.int32)
    assert call(code, [given], [first, second]) == 0
    assert first.tolist() == (4 * given).tolist()
    assert second.tolist() == (2 * given * given).tolist()


DIVIDE = """
func.func @divide(%x : tensor<?xi32, #opsir.layout<sizes [n]>>, %y : tensor<?xi32, #opsir.layout<sizes [n]>>,
                  %p : tensor<?xi64, #opsir.layout<sizes [m]>>)
    -> (tensor<?xi32, #opsir.layout<sizes [n]>>, tensor<?xi64, #opsir.layout<sizes [m]>>) {
  %z = nest.kernel extents [n] ins(%x : tensor<?xi32, #opsir.layout<sizes [n]>> along [4],
                                   %y : tensor<?xi32, #opsir.layout<sizes [n]>> along [4])
      outs(tensor<?xi32, #opsir.layout<sizes [n]>> along [4]) attributes {lanes = 8 : i64} {
  ^bb0(%a : i32, %b : i32):
    %c = opsir.div_floor %a, %b : (i32, i32) -> i32
    nest.yield %c : i32
  }
  %q = nest.kernel extents [m] ins(%p : tensor<?xi64, #opsir.layout<sizes [m]>> along [8])
      outs(tensor<?xi64, #opsir.layout<sizes [m]>> along [8]) attributes {lanes = 4 : i64} {
  ^bb0(%a : i64):
    %c = opsir.pow %a, %a : (i64, i64) -> i64
    nest.yield %c : i64
  }
  func.return %z, %q : tensor<?xi32, #opsir.layout<sizes [n]>>,
      tensor<?xi64, #opsir.layout<sizes [m]>>
}"""  # noqa: E501


@pytest.mark.parametrize("size", [1, 8, 21])
def test_flags_from_any_lane(size: int) -> None:
    code = compile_text(DIVIDE)
    silent = compile_text(DIVIDE, CodegenOptions(host_machine(), int_errors="ignore"))
    ones, powers = np.ones(size, np.int32), np.ones(size, np.int64)
    outs = [ones.copy(), powers.copy()]
    assert call(code, [ones, ones, powers], outs) == 0
    for position in range(size):
        divisors, exponents = ones.copy(), powers.copy()
        divisors[position] = 0
        assert call(code, [ones, divisors, powers], outs) == FLAG_DIVIDE
        assert outs[0].tolist() == divisors.tolist()
        exponents[position] = -1
        assert call(code, [ones, ones, exponents], outs) == FLAG_NEGATIVE_POWER
        assert call(code, [ones, divisors, exponents], outs) == FLAG_DIVIDE | FLAG_NEGATIVE_POWER
        assert call(silent, [ones, divisors, exponents], outs) == 0


def test_an_empty_kernel_raises_no_flag() -> None:
    code = compile_text("""
        func.func @f(%x : tensor<?x4xi32, #opsir.layout<sizes [n]>>, %y : i32)
            -> tensor<?x4xi32, #opsir.layout<sizes [n]>> {
          %z = nest.kernel extents [4, n]
              ins(%x : tensor<?x4xi32, #opsir.layout<sizes [n]>> along [4, 16], %y : i32)
              outs(tensor<?x4xi32, #opsir.layout<sizes [n]>> along [4, 16]) {
          ^bb0(%a : i32, %b : i32):
            %q = opsir.div_floor %b, %b : (i32, i32) -> i32
            %c = opsir.add %a, %q : (i32, i32) -> i32
            nest.yield %c : i32
          }
          func.return %z : tensor<?x4xi32, #opsir.layout<sizes [n]>>
        }""")
    for rows, flags in ((0, 0), (1, FLAG_DIVIDE)):
        given = np.ones((rows, 4), np.int32)
        out = np.zeros((rows, 4), np.int32)
        assert call(code, [given, 0], [out]) == flags
        assert (out == 1).all()


def test_in_place_and_swapped_results() -> None:
    code = compile_text("""
        func.func @swap(%x : tensor<37xi32>, %y : tensor<37xi32>)
            -> (tensor<37xi32>, tensor<37xi32>) {
          %a, %b = nest.kernel extents [37]
              ins(%x : tensor<37xi32> along [4], %y : tensor<37xi32> along [4])
              outs(tensor<37xi32> along [4], tensor<37xi32> along [4])
              attributes {lanes = 8 : i64, unroll = 2 : i64} {
          ^bb0(%p : i32, %q : i32):
            nest.yield %q, %p : i32, i32
          }
          func.return %a, %b : tensor<37xi32>, tensor<37xi32>
        }""")
    first, second = np.arange(37, dtype=np.int32), -np.arange(37, dtype=np.int32)
    call(code, [first, second], [first, second])
    assert first.tolist() == [-i for i in range(37)]
    assert second.tolist() == list(range(37))


@pytest.mark.parametrize(
    ("aliasing", "count"),
    [((), 1), (("disjoint", "identical"), 2), (("disjoint", "temporary"), 3)],
)
def test_only_disjoint_results_are_noalias(aliasing: tuple[Aliasing, ...], count: int) -> None:
    options = CodegenOptions(host_machine(), aliasing=aliasing)
    assert emit_llvm(parse_module(TWO_KERNELS), options=options).count("noalias") == count


@pytest.mark.parametrize("name", [*MACHINES, "host"])
def test_every_machine_has_assembly(name: str) -> None:
    text = emit_asm(parse_module(SCALE), machine_named(name))
    mark = {"x86-64-v2": "xmm", "x86-64-v3": "ymm", "x86-64-v4": "ymm", "aarch64": "v1.4s"}
    assert mark.get(name, "") in text


def test_machines_that_are_not_this_one_are_refused() -> None:
    foreign = AARCH64 if host_machine().arch == "x86_64" else X86_64_V2
    with pytest.raises(OpsirNotImplementedError, match="cannot run here"):
        compile_text(SCALE, CodegenOptions(foreign))
    with pytest.raises(OpsirValueError, match="no CPU 'pentium'; there are host, x86-64-v2"):
        machine_named("pentium")


@pytest.mark.parametrize("name", list(MACHINES))
def test_every_runnable_machine_gives_the_same_bits(name: str) -> None:
    machine = machine_named(name)
    if not can_run(machine):
        pytest.skip(f"this CPU does not run {name}")
    given = np.random.default_rng(0).random(101).astype(np.float32)
    out = np.zeros(101, np.float32)
    call(compile_text(SCALE, CodegenOptions(machine)), [given, np.float32(0.7)], [out])
    np.testing.assert_array_equal(out, given * np.float32(0.7))


def test_a_v4_machine_runs_lower_levels_only() -> None:
    assert can_run(X86_64_V2) == (host_machine().arch == "x86_64")
    assert can_run(X86_64_V4) == (host_machine() == X86_64_V4)


def test_functions_of_a_module_by_name() -> None:
    module = parse_module(SCALE + TWO_KERNELS)
    assert compile_module(module, entry="chain").abi.words == 3 + 2 * 3 + 1
    for entry, given in ((None, "None"), ("missing", "missing")):
        with pytest.raises(OpsirValueError, match=f"got {given}; the module has 'scale', 'chain'"):
            compile_module(module, entry=entry)


def test_compiling_and_freeing_in_threads() -> None:
    failures: list[Exception] = []

    def work(seed: int) -> None:
        try:
            for _ in range(5):
                code = compile_text(SCALE)
                given = np.full(50, seed, np.float32)
                out = np.zeros(50, np.float32)
                call(code, [given, np.float32(2)], [out])
                assert (out == 2 * seed).all()
                del code
                gc.collect()
        except Exception as error:
            failures.append(error)

    threads = [threading.Thread(target=work, args=(seed,)) for seed in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not failures


def test_an_unknown_library_call_is_refused() -> None:
    text = "declare void @elsewhere()\ndefine void @f() { call void @elsewhere() ret void }"
    with pytest.raises(OpsirNotImplementedError, match="would call elsewhere"):
        llvm.object_code(text, host_machine(), frozenset({"exp"}))
