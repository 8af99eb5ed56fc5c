"""How fast this machine moves memory: fill, copy, triad and read, with both kinds of stores.

Owns four kernels written as LLVM IR and the memory they run on. Independent of opsir's back end: a
limit that shared its faults would not show them.
"""

from __future__ import annotations

import ctypes
import threading
import time
from collections.abc import Callable
from typing import NamedTuple

import llvmlite.binding as llvm
import numpy as np

from benchmarks.inputs import Array

STEP = 64
"""Elements of f32 that one turn of a kernel's loop moves: four vectors of a cache line each."""


class Kernel(NamedTuple):
    """What one element moves: which of the arrays b and c are read, and whether a is written."""

    name: str
    reads: int
    writes: bool

    @property
    def bytes(self) -> int:
        """Bytes of f32 for each element."""
        return 4 * (self.reads + self.writes)


KERNELS = {
    k.name: k
    for k in (
        Kernel("fill", 0, True),
        Kernel("copy", 1, True),
        Kernel("triad", 2, True),
        Kernel("read", 1, False),
    )
}


def kernel_for(read: int, written: int) -> Kernel:
    """The kernel whose mix of reads and writes is nearest to that of the given bytes."""
    share = read / max(written, 1)
    name = "fill" if share < 0.25 else "copy" if share < 1.5 else "triad" if share < 6 else "read"
    return KERNELS[name]


def _body(kernel: Kernel, streaming: bool) -> str:
    """The instructions of one turn, with the index in %i; sums are carried in %s0 to %s3."""
    hint = ", !nontemporal !0" if streaming else ""
    lines: list[str] = []
    for part in range(4):
        lines.append(f"%o{part} = add i64 %i, {16 * part}")
        value = "%value"
        for array in "bc"[: kernel.reads]:
            lines.append(f"%{array}p{part} = getelementptr float, ptr %{array}, i64 %o{part}")
            lines.append(f"%{array}{part} = load <16 x float>, ptr %{array}p{part}, align 64")
            value = f"%b{part}"
        if kernel.reads == 2:
            value = f"%t{part}"
            lines.append(f"%m{part} = fmul contract <16 x float> %c{part}, %value")
            lines.append(f"{value} = fadd contract <16 x float> %b{part}, %m{part}")
        if kernel.writes:
            lines.append(f"%ap{part} = getelementptr float, ptr %a, i64 %o{part}")
            lines.append(f"store <16 x float> {value}, ptr %ap{part}, align 64{hint}")
        else:
            lines.append(f"%n{part} = fadd <16 x float> %s{part}, {value}")
    return "\n  ".join(lines)


def source(kernel: Kernel, streaming: bool) -> str:
    """``void run(a, b, c, elements, repeats)`` in LLVM IR; elements are a multiple of `STEP`."""
    sums, keep = "", ""
    if not kernel.writes:
        parts = range(4)
        sums = "\n  ".join(
            f"%s{k} = phi <16 x float> [%value, %again], [%n{k}, %turn]" for k in parts
        )
        keep = "\n  ".join(f"store volatile <16 x float> %n{k}, ptr %a, align 64" for k in parts)
    fence = "fence seq_cst" if streaming else ""
    return f"""
define void @run(ptr noalias %a, ptr noalias %b, ptr noalias %c, i64 %n, i64 %repeats) {{
entry:
  %one = insertelement <16 x float> undef, float 2.5, i32 0
  %value = shufflevector <16 x float> %one, <16 x float> undef, <16 x i32> zeroinitializer
  br label %again
again:
  %r = phi i64 [0, %entry], [%r1, %end]
  br label %turn
turn:
  %i = phi i64 [0, %again], [%i1, %turn]
  {sums}
  {_body(kernel, streaming)}
  %i1 = add i64 %i, {STEP}
  %more = icmp ult i64 %i1, %n
  br i1 %more, label %turn, label %end
end:
  {keep}
  {fence}
  call void asm sideeffect "", "~{{memory}}"()
  %r1 = add i64 %r, 1
  %repeat = icmp ult i64 %r1, %repeats
  br i1 %repeat, label %again, label %done
done:
  ret void
}}
!0 = !{{i32 1}}
"""


class Ceilings:
    """The compiled kernels, and three arrays of f32 that grow to the largest size asked for."""

    def __init__(self, threads: int) -> None:
        self.threads = threads
        self._arrays: list[Array] = []
        self._linked: list[llvm.ResourceTracker] = []
        llvm.initialize_native_target()
        llvm.initialize_native_asmprinter()
        # Default code generation of this processor, without passes that know memset and memcpy.
        target = llvm.Target.from_triple(llvm.get_process_triple())
        self._machine = target.create_target_machine(cpu=llvm.get_host_cpu_name(), opt=3)
        self._jit = llvm.create_lljit_compiler(self._machine)
        self._run = {
            (kernel.name, streaming): self._compiled(kernel, streaming)
            for kernel in KERNELS.values()
            for streaming in ((False, True) if kernel.writes else (False,))
        }

    def _compiled(self, kernel: Kernel, streaming: bool) -> Callable[..., None]:
        module = llvm.parse_assembly(source(kernel, streaming), llvm.create_context())
        module.verify()
        library = llvm.JITLibraryBuilder().add_object_img(self._machine.emit_object(module))
        name = f"{kernel.name}{'_streaming' * streaming}"
        tracker = library.export_symbol("run").link(self._jit, name)
        self._linked.append(tracker)
        pointer, count = ctypes.c_void_p, ctypes.c_int64
        return ctypes.CFUNCTYPE(None, pointer, pointer, pointer, count, count)(tracker["run"])

    def run(
        self, kernel: Kernel, streaming: bool, arrays: list[Array], elements: int, repeats: int
    ) -> None:
        """Run a kernel on three arrays that begin on cache lines."""
        addresses = [array.ctypes.data for array in arrays]
        self._run[kernel.name, streaming](*addresses, elements, repeats)

    def _memory(self, elements: int) -> list[int]:
        """Addresses of the three arrays, each on a cache line and off the others' pages."""
        if not self._arrays or self._arrays[0].size < elements + 4096:
            self._arrays = []
            self._arrays = [np.full(elements + 4096, 1.0, np.float32) for _ in range(3)]
        starts = [array.ctypes.data for array in self._arrays]
        return [start + -start % 64 + 1344 * k for k, start in enumerate(starts)]

    def bandwidth(
        self, kernel: Kernel, streaming: bool, total_bytes: int, seconds: float, threads: int
    ) -> float:
        """Bytes a second of one sample of about ``seconds`` over ``total_bytes`` of memory."""
        part = max(total_bytes // kernel.bytes // threads // STEP, 1) * STEP
        addresses = self._memory(part * threads)
        run = self._run[kernel.name, streaming]
        repeats = max(1, int(seconds * 40e9 / (part * threads * kernel.bytes)))
        spans: list[tuple[float, float]] = []
        barrier = threading.Barrier(threads)

        def work(thread: int) -> None:
            at = [address + 4 * part * thread for address in addresses]
            run(*at, part, 1)
            barrier.wait()
            start = time.perf_counter()
            run(*at, part, repeats)
            spans.append((start, time.perf_counter()))

        others = [threading.Thread(target=work, args=(k,)) for k in range(1, threads)]
        for other in others:
            other.start()
        work(0)
        for other in others:
            other.join()
        elapsed = max(end for _, end in spans) - min(start for start, _ in spans)
        return part * threads * kernel.bytes * repeats / elapsed

    def best(self, kernel: Kernel, total_bytes: int, seconds: float) -> float:
        """Bytes a second with the better kind of stores, on the threads of the run or on one."""
        kinds = (False, True) if kernel.writes else (False,)
        return max(
            self.bandwidth(kernel, streaming, total_bytes, seconds, threads)
            for streaming in kinds
            for threads in sorted({1, self.threads})
        )

    def table(self, sizes: dict[str, int], samples: int = 5) -> dict[str, dict[str, float]]:
        """Median bytes a second of each kernel, kind of store and size in bytes."""
        rows: dict[str, dict[str, float]] = {}
        for name, streaming in self._run:
            row = rows.setdefault(name + " streaming" * streaming, {})
            for size, count in sizes.items():
                found = [
                    self.bandwidth(KERNELS[name], streaming, count, 1e-3, self.threads)
                    for _ in range(samples)
                ]
                row[size] = float(np.median(found))
        return rows
