"""The main job on a real photograph: `make demo`.

Normalises the picture twice, from IR text through ``opsir-run`` and from a Python function through
``@opsir.jit``, compares both with NumPy bit for bit, saves the pictures, and prints the IR before
and after the pipeline.
"""

from __future__ import annotations

import shlex
import subprocess
import sys
import time
from collections.abc import Callable
from importlib import metadata
from pathlib import Path
from typing import Any

import numpy as np
from PIL import Image

import opsir

ROOT = Path(__file__).resolve().parent.parent
PROGRAM = ROOT / "examples" / "normalise.mlir"
OUTPUT = ROOT / "build" / "demo"

Array = np.ndarray[Any, Any]


@opsir.jit
def normalise(image: Any, scale: Any, bias: Any) -> Any:
    """Scale and shift each channel, limit to a byte's range, round to the nearest byte."""
    return opsir.cast(np.rint(np.clip(image * scale + bias, 0, 255)), np.uint8)


def with_numpy(image: Array, scale: Array, bias: Array) -> Array:
    """The same in NumPy: six loops over memory where opsir runs one."""
    return np.rint(np.clip(image * scale + bias, 0, 255)).astype(np.uint8)


def photograph() -> Array:
    """A temple in China, bytes [427, 640, 3], from the package scikit-learn."""
    files = metadata.files("scikit-learn") or []
    found = next(file for file in files if file.match("datasets/images/china.jpg"))
    with Image.open(str(found.locate())) as picture:
        return np.asarray(picture.convert("RGB"))


def targets(image: Array) -> tuple[Array, Array]:
    """Scale and bias that give each channel mean 128 and standard deviation 56."""
    mean, deviation = image.mean((0, 1)), image.std((0, 1))
    scale = (56 / deviation).astype(np.float32)
    return scale, (128 - mean * scale).astype(np.float32)


def run_text(image: Array, scale: Array, bias: Array) -> Array:
    """The result of ``opsir-run``, which reads and writes arrays in files."""
    command = [str(Path(sys.executable).with_name("opsir-run")), str(PROGRAM)]
    for name, array in (("image", image), ("scale", scale), ("bias", bias)):
        np.save(OUTPUT / f"{name}.npy", array)
        command += ["--input", str(OUTPUT / f"{name}.npy")]
    command += ["--output", str(OUTPUT / "result.npy"), "--check", "--time"]
    print("$", shlex.join(command).replace(f"{ROOT}/", ""), flush=True)
    subprocess.run(command, check=True)
    return np.load(OUTPUT / "result.npy")


def best(call: Callable[[], object], count: int = 30) -> float:
    """Shortest of ``count`` calls in milliseconds."""
    times: list[float] = []
    for _ in range(count):
        started = time.perf_counter()
        call()
        times.append(time.perf_counter() - started)
    return min(times) * 1e3


def agree(name: str, result: Array, expected: Array) -> bool:
    equal = result.dtype == expected.dtype and np.array_equal(result, expected)
    print(f"{name}: {'equal to NumPy in every bit' if equal else 'DIFFERS from NumPy'}")
    return bool(equal)


def main() -> int:
    OUTPUT.mkdir(parents=True, exist_ok=True)
    image = photograph()
    arguments = (image, *targets(image))
    expected = with_numpy(*arguments)

    lowered = normalise.lower(*arguments)
    print(f"--- the program, {PROGRAM.relative_to(ROOT)}\n{PROGRAM.read_text()}")
    print(f"--- the Python function, as traced\n{lowered.ir('trace')}\n")
    print(f"--- the Python function, after the pipeline\n{lowered.ir(lowered.stages[-1])}\n")
    print(f"--- its plan\n{lowered.plan()}\n")

    print(f"--- a photograph, {image.dtype} {list(image.shape)}")
    same = agree("IR text through opsir-run", run_text(*arguments), expected)
    result = normalise(*arguments)
    same &= agree("Python through @opsir.jit", result, expected)
    ours, theirs = best(lambda: normalise(*arguments)), best(lambda: with_numpy(*arguments))
    print(f"one call: opsir {ours:.2f} ms, NumPy {theirs:.2f} ms")

    for name, array in (("before", image), ("after", result)):
        Image.fromarray(array).save(OUTPUT / f"{name}.png")
        print(f"{name}: {(OUTPUT / f'{name}.png').relative_to(ROOT)}")
    return 0 if same else 1


if __name__ == "__main__":
    sys.exit(main())
