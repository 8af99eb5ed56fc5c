"""Runs code for another processor under an emulator: compiled here, linked by a cross compiler.

Owns the way from IR text to a program and the pipe to it. Knows no op; what the program does for
each request is in emulated_main.c.
"""

from __future__ import annotations

import ctypes
import shutil
import subprocess
from collections.abc import Sequence
from pathlib import Path
from types import TracebackType
from typing import Any

import numpy as np

from opsir import pipeline
from opsir.abi import Abi, ScalarSlot, bind_symbols
from opsir.backends.body.libm import LIBM
from opsir.backends.cpu import llvm
from opsir.backends.cpu.codegen import entry_symbol
from opsir.backends.cpu.program import functions_of, program_of
from opsir.backends.cpu.target import emit_llvm
from opsir.frontends.text import make_context, parse_module
from opsir.machine import AARCH64
from tests.numeric.values import Array

COMPILER = "aarch64-linux-gnu-gcc"
EMULATOR = "qemu-aarch64"
MAIN = Path(__file__).with_name("emulated_main.c")


def missing() -> str | None:
    """What this machine lacks, with the name of Debian's package; None where nothing is."""
    packages = {COMPILER: "gcc-aarch64-linux-gnu", EMULATOR: "qemu-user"}
    absent = [packages[tool] for tool in packages if shutil.which(tool) is None]
    return f"needs {' and '.join(absent)}" if absent else None


class Emulated:
    """The functions of a module as one running aarch64 program; a context manager."""

    def __init__(self, text: str, folder: Path) -> None:
        context = make_context()
        module = parse_module(text, context=context)
        pipeline.run(context, module, pipeline.PipelineOptions(machine=AARCH64))
        functions = functions_of(module)
        self._names = list(functions)
        self._abis = [program_of(function).abi for function in functions.values()]
        (folder / "code.o").write_bytes(llvm.object_code(emit_llvm(module, AARCH64), AARCH64, LIBM))
        (folder / "entries.c").write_text(_entries(self._names))
        program = folder / "program"
        command = [COMPILER, "-O1", "-static", "-o", str(program), str(MAIN)]
        subprocess.run(
            [*command, str(folder / "entries.c"), str(folder / "code.o"), "-lm"],
            check=True,
            capture_output=True,
            timeout=300,
        )
        pipe = subprocess.PIPE
        self._process = subprocess.Popen([EMULATOR, str(program)], stdin=pipe, stdout=pipe)

    def __enter__(self) -> Emulated:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._process.kill()
        self._process.communicate()

    def call(self, name: str, arguments: Sequence[Any], results: Sequence[Array]) -> int:
        """Run one function into ``results``, dense arrays; its flags.

        Arguments are dense arrays, views of them by steps of the whole, and NumPy scalars.
        """
        index = self._names.index(name)
        request = _Request(self._abis[index], arguments, results)
        pipe_in, pipe_out = self._process.stdin, self._process.stdout
        assert pipe_in is not None
        assert pipe_out is not None
        pipe_in.write(request.encoded(index))
        pipe_in.flush()
        (flags,) = np.frombuffer(pipe_out.read(8), np.int64)
        contents = [pipe_out.read(len(data)) for data, _ in request.buffers]
        for result, position in zip(results, request.result_buffers, strict=True):
            result[...] = np.frombuffer(contents[position], result.dtype).reshape(result.shape)
        return int(flags)


def _entries(names: Sequence[str]) -> str:
    """The table of entries in C; their symbols are no C names."""
    lines = ["#include <stdint.h>"]
    for number, name in enumerate(names):
        symbol = entry_symbol(name)
        lines.append(f'extern int32_t f{number}(const int64_t *) __asm__("{symbol}");')
    table = ", ".join(f"f{number}" for number in range(len(names)))
    lines.append(f"int32_t (*const entries[])(const int64_t *) = {{{table}}};")
    return "\n".join(lines) + "\n"


class _Request:
    """What one call sends: buffers, and words that may be addresses in them."""

    def __init__(self, abi: Abi, arguments: Sequence[Any], results: Sequence[Array]) -> None:
        self.buffers: list[tuple[bytes, int]] = []
        self.result_buffers: list[int] = []
        self._words: list[tuple[int, int]] = []
        arrays: list[Array] = []
        for slot, value in zip(abi.arguments, arguments, strict=True):
            if isinstance(slot, ScalarSlot):
                raw = np.asarray(value, slot.dtype.numpy).tobytes().ljust(8, b"\0")
                self._words.append((-1, int.from_bytes(raw, "little", signed=True)))
            else:
                arrays.append(value)
                self._add(value)
        for result in results:
            self.result_buffers.append(len(self.buffers))
            self._add(result)
        env = bind_symbols(abi, [(a.shape, a.strides) for a in (*arrays, *results)])
        for slot in abi.temporaries:
            self._words.append((len(self.buffers), 0))
            self.buffers.append((bytes(slot.size_bytes(env)), 0))

    def _add(self, array: Array) -> None:
        """One array: the bytes that it spans, starting where the array starts in 64 bytes."""
        low = sum(min(0, (n - 1) * s) for n, s in zip(array.shape, array.strides) if n)
        high = sum(max(0, (n - 1) * s) for n, s in zip(array.shape, array.strides) if n)
        size = high - low + array.itemsize if array.size else 0
        content = ctypes.string_at(array.ctypes.data + low, size)
        start = (array.ctypes.data + low) % 64
        self._words.append((len(self.buffers), -low))
        self._words += [(-1, int(word)) for word in (*array.shape, *array.strides)]
        self.buffers.append((content, start))

    def encoded(self, entry: int) -> bytes:
        parts = [np.array([entry, len(self.buffers)], np.int64).tobytes()]
        for data, start in self.buffers:
            parts += [np.array([len(data), start], np.int64).tobytes(), data]
        parts.append(np.array([len(self._words)], np.int64).tobytes())
        parts.append(np.array(self._words, np.int64).reshape(-1, 2).tobytes())
        return b"".join(parts)
