"""Runs a function of kernels, given as IR text, on NumPy arrays: what the CPU tests share."""

from __future__ import annotations

import ctypes
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from opsir.abi import Abi, ScalarSlot, bind_symbols
from opsir.backends.cpu.codegen import CodegenOptions
from opsir.backends.cpu.target import NativeCode, compile_module
from opsir.frontends.text import parse_module

ENTRY = ctypes.CFUNCTYPE(ctypes.c_int32, ctypes.c_void_p)

Array = np.ndarray[Any, np.dtype[Any]]


def compile_text(text: str, options: CodegenOptions | None = None) -> NativeCode:
    return compile_module(parse_module(text), options)


def tensor_words(array: Array) -> list[int]:
    return [array.ctypes.data, *array.shape, *array.strides]


def scalar_word(value: Any, slot: ScalarSlot) -> int:
    raw = np.asarray(value, slot.dtype.numpy).tobytes()
    return int.from_bytes(raw.ljust(8, b"\0"), "little", signed=True)


def fill_block(
    abi: Abi, arguments: Sequence[Any], results: Sequence[Array]
) -> tuple[Any, list[Array]]:
    """The argument block, and the temporaries whose addresses are in it."""
    words: list[int] = []
    arrays = [a for a in arguments if isinstance(a, np.ndarray)]
    for slot, value in zip(abi.arguments, arguments, strict=True):
        if isinstance(slot, ScalarSlot):
            words.append(scalar_word(value, slot))
        else:
            words.extend(tensor_words(value))
    for result in results:
        words.extend(tensor_words(result))
    env = bind_symbols(abi, [(a.shape, a.strides) for a in (*arrays, *results)])
    scratch = [np.zeros(t.size_bytes(env) + 1, np.uint8) for t in abi.temporaries]
    words.extend(t.ctypes.data for t in scratch)
    assert len(words) == abi.words
    return (ctypes.c_int64 * len(words))(*words), scratch


def prepare(
    code: NativeCode, arguments: Sequence[Any], results: Sequence[Array]
) -> Callable[[], int]:
    """All that can be done before the call: what it returns runs ``code`` and nothing else."""
    block, scratch = fill_block(code.abi, arguments, results)
    entry, address = ENTRY(code.address), ctypes.addressof(block)
    kept = (block, scratch, arguments, results)
    return lambda kept=kept: entry(address)


def call(code: NativeCode, arguments: Sequence[Any], results: Sequence[Array]) -> int:
    """Run ``code`` into ``results`` and return its flags."""
    return prepare(code, arguments, results)()
