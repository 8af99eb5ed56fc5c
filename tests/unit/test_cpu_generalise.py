"""How many kernels there are: layouts and sizes that differ in run-time values share code."""

from __future__ import annotations

import itertools
import random
from collections.abc import Iterator
from dataclasses import dataclass

import pytest

from opsir.backends.cpu.codegen import CodegenOptions
from opsir.backends.cpu.generalise import generalised
from opsir.backends.cpu.program import find_function, program_of
from opsir.backends.cpu.target import kernel_text
from opsir.compiler import make_context
from opsir.dialects.nest import KernelOp
from opsir.dtypes import F32
from opsir.extent import Extent
from opsir.frontends.build import build_module
from opsir.frontends.options import JitOptions
from opsir.frontends.records import ArgSpec
from opsir.frontends.text import parse_module
from opsir.frontends.tracer import trace
from opsir.machine import X86_64_V3
from opsir.pipeline import PipelineOptions, run
from opsir.signature import Signature, View, signature_of

SIZES = (5, 7, 3)


@dataclass(frozen=True)
class Layout:
    """One way an f32 array of rank up to 3 can lie in memory, as a Signature sees it."""

    classes: tuple[str, ...]
    order: tuple[int, ...]
    step: int
    merges: tuple[bool, ...]

    def view(self, address: int) -> View:
        rank = len(self.classes)
        shape = [1 if c == "one" else SIZES[3 - rank + a] for a, c in enumerate(self.classes)]
        strides = [0] * rank
        inside = 0
        for place, axis in enumerate(reversed(self.order)):
            if place == 0:
                strides[axis] = self.step
            else:
                dense = shape[inside] * strides[inside]
                strides[axis] = dense if self.merges[place - 1] else 3 * dense
            inside = axis
        return View(address, tuple(shape), tuple(strides), F32)


def layouts() -> Iterator[Layout]:
    for rank in range(4):
        for classes in itertools.product(("one", "many", "held"), repeat=rank):
            many = [axis for axis, c in enumerate(classes) if c == "many"]
            steps = (4, -4, 8) if many else (0,)
            flags = itertools.product((True, False), repeat=max(len(many) - 1, 0))
            for order, step, merges in itertools.product(
                itertools.permutations(many), steps, flags
            ):
                yield Layout(classes, order, step, merges)


def kernels_of(signature: Signature) -> Iterator[str]:
    """The kernels of a sum that is stored where the jitted function would have it."""
    ranks = [argument.rank for argument in signature.arguments]
    program = trace(lambda a, b: a + b, [ArgSpec("array", F32, rank) for rank in ranks])
    module = build_module(program, signature.tensor_types())
    run(make_context(), module, PipelineOptions(result_order="K"))
    options = CodegenOptions(X86_64_V3, aliasing=("disjoint",))
    for call in program_of(find_function(module, None)).kernels:
        yield kernel_text(call, options)


@pytest.mark.slow
def test_few_kernels_serve_all_signatures_of_a_sum() -> None:
    pairs = list(itertools.product(layouts(), repeat=2))
    random.Random(0).shuffle(pairs)
    signatures = dict.fromkeys(
        signature_of([a.view(1 << 20), b.view(1 << 21)], l1=1 << 15, last_level=1 << 23)
        for a, b in pairs[:2500]
    )
    kernels = {text for signature in signatures for text in kernels_of(signature)}
    assert len(signatures) > 1500
    assert 30 <= len(kernels) <= 200
    # All there can be: per operand four ways to move along the innermost of 1 to 3 axes, or none;
    # and with two axes or more five ways to move along short rows.
    assert len(kernels) <= 3 * 4 * 4 + 1 + 2 * 5 * 5


def kernel(text: str) -> KernelOp:
    (op,) = (o for o in parse_module(text).walk() if isinstance(o, KernelOp))
    return op


T = "tensor<?x?xf32, #opsir.layout<sizes [n, m], strides [s, t]>>"


def test_what_stays_known() -> None:
    op = kernel(
        f"""
        func.func @f(%a: {T}) -> {T} {{
          %r = nest.kernel extents [n, m] ins(%a : {T} along [0, 4]) outs({T} along [s, t]) {{
          ^bb0(%x: f32):
            nest.yield %x : f32
          }}
          func.return %r : {T}
        }}
        """
    )
    general = generalised(op)
    assert [str(e) for e in general.space.extents] == ["n0", "n1"]
    assert [[str(s) for s in t.strides] for t in general.space.trajectories] == [
        ["s0_0", "4"],
        ["s1_0", "s1_1"],
    ]
    symbols = {str(k): str(v) for k, v in general.values.items()}
    assert symbols == {"n0": "n", "n1": "m", "s0_0": "0", "s1_0": "s", "s1_1": "t"}


def test_an_expensive_op_keeps_its_zeros_and_a_static_size_all() -> None:
    op = kernel(
        f"""
        func.func @f(%a: {T}) -> {T} {{
          %r = nest.kernel extents [n, m] ins(%a : {T} along [0, 4]) outs({T} along [s, t]) {{
          ^bb0(%x: f32):
            %e = opsir.exp %x : (f32) -> f32
            nest.yield %e : f32
          }}
          func.return %r : {T}
        }}
        """
    )
    assert generalised(op).space.trajectories[0].strides == (Extent(0), Extent(4))
    op = kernel(
        """
        func.func @f(%a: tensor<8xf32>) -> tensor<8xf32> {
          %r = nest.kernel extents [8] ins(%a : tensor<8xf32> along [4])
              outs(tensor<8xf32> along [4]) {
          ^bb0(%x: f32):
            nest.yield %x : f32
          }
          func.return %r : tensor<8xf32>
        }
        """
    )
    assert generalised(op).space == op.space


def test_options_that_change_code_are_not_shared() -> None:
    view = View(1 << 20, (5,), (4,), F32)
    signature = signature_of([view, view], l1=1 << 15, last_level=1 << 23)
    program = trace(lambda a, b: a + b, [ArgSpec("array", F32, 1)] * 2, JitOptions())
    module = build_module(program, signature.tensor_types())
    run(make_context(), module)
    (call,) = program_of(find_function(module, None)).kernels
    texts = {
        kernel_text(call, CodegenOptions(X86_64_V3, aliasing=(aliasing,)))
        for aliasing in ("disjoint", "identical")
    }
    assert len(texts) == 2
