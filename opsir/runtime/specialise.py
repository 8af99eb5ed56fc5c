"""From a traced program and a signature to a compiled program.

Owns how the options of a jitted function become those of the compiler. Programs whose final IR is
the same share one compilation.
"""

from __future__ import annotations

from xdsl.dialects.builtin import ModuleOp, StringAttr

from opsir.backends.cpu.codegen import CodegenOptions
from opsir.backends.cpu.program import find_function
from opsir.backends.cpu.target import NativeCode
from opsir.backends.cpu.target import compile_module as compile_native
from opsir.compiler import Compiled, CompileOptions, compile_module
from opsir.frontends.build import build_module
from opsir.frontends.options import JitOptions
from opsir.frontends.records import Program
from opsir.pipeline import Observer, PipelineOptions
from opsir.runtime.buffers import COUNTS
from opsir.runtime.cache import Cache, CacheInfo
from opsir.runtime.target import default_machine
from opsir.signature import Aliasing, Bucket, Signature

_NATIVE: Cache[tuple[str, CodegenOptions], NativeCode] = Cache(4096)
"""Final IR, without the function's name, to code: kept for as long as the process runs."""


def shared_native(module: ModuleOp, options: CodegenOptions, entry: str) -> NativeCode:
    """Compile ``entry``, or take the code that was compiled from the same final IR before."""
    function = find_function(module, entry)
    name, function.sym_name = function.sym_name, StringAttr("")
    text = str(function)
    function.sym_name = name

    def generate() -> NativeCode:
        COUNTS.compiles += 1
        return compile_native(module, options, entry)

    return _NATIVE.get((text, options), generate)


def native_cache_info() -> CacheInfo:
    """How often final IR was found compiled, and how much is kept."""
    return _NATIVE.info()


def native_cache_clear() -> None:
    """Forget compiled code; programs that use it keep it alive."""
    _NATIVE.clear()


def compile_program(
    program: Program, signature: Signature, options: JitOptions, *, observe: Observer | None = None
) -> Compiled:
    """Build the module of ``program`` for arguments that have ``signature``, and compile it."""
    module = build_module(program, signature.tensor_types(), options)
    if observe is not None:
        observe("trace", module)
    allocated: tuple[Aliasing, ...] = ("disjoint",) * len(program.results)
    order = "C" if signature.outputs else "K"
    aliasing = signature.aliasing or allocated
    chosen = compile_options(options, aliasing, signature.bucket, result_order=order)
    return compile_module(module, None, chosen, observe=observe, generate=shared_native)


def compile_options(
    options: JitOptions,
    aliasing: tuple[Aliasing, ...] = (),
    bucket: Bucket = "cached",
    *,
    result_order: str = "C",
) -> CompileOptions:
    """What the compiler is told; ``aliasing`` has one entry per result that is known to be apart.

    Results beyond its end may be identical to an argument. ``result_order`` "K" lets results lie
    as NumPy's do, and not row-major.
    """
    apart = all(known == "disjoint" for known in aliasing)
    chosen = PipelineOptions(
        rules=options.rules,
        scalars=options.scalars,
        default_float=options.default_float.name if options.default_float else None,
        rank_extension=options.rank_extension,
        intermediates=options.intermediates,
        result_order=result_order,
        machine=default_machine(),
        bucket=bucket,
        results="apart" if apart else "reused",
    )
    return CompileOptions(chosen, options.int_errors, aliasing, options.threads)
