"""What a function of kernels needs from the outside: its argument block and what each kernel reads.

Owns the step from IR to the plain facts of ``opsir.abi``. Emits nothing and knows no machine.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, cast

from xdsl.dialects.builtin import ModuleOp
from xdsl.dialects.func import FuncOp, ReturnOp
from xdsl.ir import Attribute, Operation, SSAValue

from opsir.abi import Abi, Buffer, KernelFacts, OperandFacts, TensorFacts, ViewFacts
from opsir.diagnostics import fail
from opsir.dialects.locations import fail_at
from opsir.dialects.nest import KernelOp
from opsir.dialects.opsir.literal import ScalarOp
from opsir.dialects.opsir.sizes import DimOp, RequireEqualOp
from opsir.dialects.opsir.types import (
    AnyTensor,
    dtype_of,
    element_of,
    extents_of,
    is_tensor,
    layout_of,
    strides_of,
)
from opsir.dialects.opsir.views import BindSizesOp, ViewOp
from opsir.dtypes import DType


@dataclass(frozen=True, slots=True)
class ScalarArgument:
    """A kernel's scalar operand that is the function's argument ``index``."""

    index: int


@dataclass(frozen=True, slots=True)
class SizeOf:
    """A kernel's scalar operand that is the size of an argument along an axis, an i64."""

    argument: int
    axis: int


@dataclass(frozen=True, slots=True)
class Literal:
    """A kernel's scalar operand that is known at compile time."""

    value: Any
    dtype: DType


ScalarSource = ScalarArgument | SizeOf | Literal


@dataclass(frozen=True, slots=True)
class KernelCall:
    """One kernel in a function: where its operands come from and where its results go."""

    op: KernelOp
    inputs: tuple[Buffer | ScalarSource, ...]
    outputs: tuple[Buffer, ...]

    @property
    def facts(self) -> KernelFacts:
        """The memory that the kernel touches."""
        operands: list[OperandFacts] = []
        for index, source in enumerate(self.inputs):
            move = self.op.input_trajectory(index)
            if move is not None and isinstance(source, Buffer):
                dtype = element_dtype(self.op.inputs[index])
                operands.append(OperandFacts(source, dtype, move, is_written=False))
        for output, buffer, move in zip(
            self.op.outputs, self.outputs, self.op.output_trajectories, strict=True
        ):
            operands.append(OperandFacts(buffer, element_dtype(output), move, is_written=True))
        return KernelFacts(self.op.extents.data, tuple(operands))


@dataclass(frozen=True, slots=True)
class Program:
    """A function as a back end sees it: kernels in order, and the block that feeds them."""

    name: str
    abi: Abi
    kernels: tuple[KernelCall, ...]

    @property
    def facts(self) -> tuple[KernelFacts, ...]:
        """The memory that each kernel touches, in order."""
        return tuple(kernel.facts for kernel in self.kernels)


def element_dtype(value: SSAValue) -> DType:
    """The dtype of a scalar or of a tensor's elements; the verifier has proved that it has one."""
    dtype = dtype_of(element_of(value.type))
    assert dtype is not None
    return dtype


def functions_of(module: ModuleOp) -> dict[str, FuncOp]:
    """The functions with a body, by name."""
    return {op.sym_name.data: op for op in module.ops if isinstance(op, FuncOp) and op.body.blocks}


def find_function(module: ModuleOp, entry: str | None) -> FuncOp:
    """The function named ``entry``; without a name the only one there is."""
    functions = functions_of(module)
    if entry is None and len(functions) == 1:
        return next(iter(functions.values()))
    if entry is None or entry not in functions:
        names = ", ".join(f"'{name}'" for name in functions) or "none"
        fail(f"expected the name of a function with a body, got {entry}; the module has {names}")
    return functions[entry]


def program_of(function: FuncOp) -> Program:
    """Read a function that consists of kernels."""
    return _Reader(function).read()


class _Reader:
    """Follows values from the function's arguments through its kernels to its results."""

    def __init__(self, function: FuncOp) -> None:
        self.function = function
        self.sources: dict[SSAValue, Buffer | ScalarSource] = {}
        self.scratch: list[tuple[KernelOp, int]] = []
        self.kernels: list[KernelCall] = []
        self.views: list[ViewFacts] = []
        self.bound: list[str] = []
        self.returned = self._returned()

    def read(self) -> Program:
        arguments = self._arguments()
        for op in self.function.body.block.ops:
            self._read_op(op)
        results = [tensor_facts(self.function, v.type) for v in self.returned]
        temporaries = [
            (element_dtype(op.outputs[i]), op.extents.data, op.output_trajectories[i])
            for op, i in self.scratch
        ]
        abi = Abi.of(arguments, results, temporaries, self.views, self.bound)
        for kernel in self.kernels:
            _check_symbols(kernel.op, {name for name, _ in abi.symbols})
        return Program(self.function.sym_name.data, abi, tuple(self.kernels))

    def _returned(self) -> dict[SSAValue, int]:
        last = self.function.body.block.last_op
        if not isinstance(last, ReturnOp):
            fail_at(self.function, "must end in func.return")
        returned: dict[SSAValue, int] = {}
        for index, value in enumerate(last.arguments):
            if not isinstance(value.owner, KernelOp) or value in returned:
                fail_at(
                    last,
                    f"must return each result of a kernel at most once and nothing else; "
                    f"operand #{index} is {'returned twice' if value in returned else 'not one'}",
                )
            returned[value] = index
        return returned

    def _arguments(self) -> list[TensorFacts | DType]:
        arguments: list[TensorFacts | DType] = []
        for index, value in enumerate(self.function.body.block.args):
            if is_tensor(value.type):
                self.sources[value] = Buffer("argument", index)
                arguments.append(tensor_facts(self.function, value.type))
                continue
            dtype = dtype_of(value.type)
            if dtype is None:
                fail_at(
                    self.function,
                    f"argument #{index} of type {value.type} has no dtype: run promote-types first",
                )
            self.sources[value] = ScalarArgument(index)
            arguments.append(dtype)
        return arguments

    def _read_op(self, op: Operation) -> None:
        match op:
            case KernelOp():
                self._read_kernel(op)
            case ViewOp():
                self._read_view(op)
            case BindSizesOp():
                self.bound += [n for extent in op.binding.result for n in extent.symbols]
            case DimOp():
                source = self.sources[op.operand]
                if not isinstance(source, Buffer) or source.kind != "argument":
                    fail_at(op, "must ask for the size of a function argument: run infer-shapes")
                self.sources[op.result] = SizeOf(source.index, op.axis.value.data)
            case ScalarOp():
                dtype = dtype_of(op.result.type)
                if dtype is None:
                    fail_at(op, "has no dtype: run promote-types first")
                self.sources[op.result] = Literal(op.python_value(), dtype)
            case RequireEqualOp() | ReturnOp():
                pass  # the launcher compares sizes before it calls
            case _:
                fail_at(op, "is not part of a function of kernels: run lower-to-nest first")

    def _read_view(self, op: ViewOp) -> None:
        base = self.sources[op.operand]
        assert isinstance(base, Buffer)
        facts = tensor_facts(op, op.result.type)
        self.sources[op.result] = Buffer("view", len(self.views))
        self.views.append(ViewFacts(facts, base, tensor_facts(op, op.operand.type), op.rule))

    def _read_kernel(self, op: KernelOp) -> None:
        outputs: list[Buffer] = []
        for index, output in enumerate(op.outputs):
            if output in self.returned:
                buffer = Buffer("result", self.returned[output])
            else:
                buffer = Buffer("temporary", len(self.scratch))
                self.scratch.append((op, index))
            self.sources[output] = buffer
            outputs.append(buffer)
        inputs = tuple(self.sources[value] for value in op.inputs)
        self.kernels.append(KernelCall(op, inputs, tuple(outputs)))


def _check_symbols(kernel: KernelOp, readable: set[str]) -> None:
    space = kernel.space
    steps = (e for t in space.trajectories for e in (t.start, *t.strides))
    for extent in (*space.extents, *steps):
        for name in extent.symbols:
            if name not in readable:
                fail_at(
                    kernel,
                    f"needs symbol '{name}', which is not the size or the byte stride of any "
                    "argument or result",
                )


def tensor_facts(where: Operation, type: Attribute) -> TensorFacts:
    """Dtype, sizes and byte strides of a tensor type whose dynamic axes all have names."""
    tensor = cast("AnyTensor", type)
    sizes = extents_of(tensor) if is_tensor(type) else None
    strides = strides_of(tensor) if is_tensor(type) else None
    dtype = dtype_of(element_of(type))
    if sizes is None or strides is None or dtype is None:
        fail_at(where, f"needs a dtype and named sizes, got {type}: run infer-shapes first")
    layout = layout_of(tensor)
    order = layout.order if layout is not None else None
    return TensorFacts(dtype, sizes, strides, order or ())
