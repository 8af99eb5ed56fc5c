"""What it costs until a first result is there: every sample is a new process.

Owns the small programs, one a peer, that time their own import and first calls. They compute
``a * b + c`` on 1000 f32.
"""

from __future__ import annotations

import json
import statistics
import subprocess
import sys
from collections.abc import Mapping, Sequence
from typing import NamedTuple


class Start(NamedTuple):
    """How a peer is imported, and how ``f``, and a second function ``g``, are made and called."""

    imports: str
    function: str
    second: str
    call: str = "{0}(a, b, c)"


STARTS: Mapping[str, Start] = {
    "numexpr": Start(
        "import numexpr",
        "f = lambda a, b, c: numexpr.evaluate('a * b + c')",
        "g = lambda a, b, c: numexpr.evaluate('sqrt(a * a + b * b) - c')",
    ),
    "numba": Start(
        "import numba",
        "f = numba.njit(lambda a, b, c: a * b + c)",
        "g = numba.njit(lambda a, b, c: np.sqrt(a * a + b * b) - c)",
    ),
    "jax": Start(
        "import jax",
        "f = jax.jit(lambda a, b, c: a * b + c)",
        "g = jax.jit(lambda a, b, c: jax.numpy.sqrt(a * a + b * b) - c)",
        "{0}(a, b, c).block_until_ready()",
    ),
    "torch.compile": Start(
        "import torch",
        "a, b, c = map(torch.from_numpy, (a, b, c)); f = torch.compile(lambda a, b, c: a * b + c)",
        "g = torch.compile(lambda a, b, c: torch.sqrt(a * a + b * b) - c)",
    ),
    "opsir": Start(
        "import opsir",
        "f = opsir.jit(lambda a, b, c: a * b + c)",
        "g = opsir.jit(lambda a, b, c: np.sqrt(a * a + b * b) - c)",
    ),
}

PROGRAM = """
import json, time
import numpy as np
a, b, c = (np.arange(1000, dtype=np.float32) % 7 + k for k in range(3))
marks = [time.perf_counter()]
{imports}
marks.append(time.perf_counter())
{function}
{first_call}
marks.append(time.perf_counter())
{second}
{second_call}
marks.append(time.perf_counter())
print(json.dumps([end - start for start, end in zip(marks, marks[1:])]))
"""


def program(start: Start) -> str:
    """The source that times one start and prints three numbers: import, first and second result."""
    return PROGRAM.format(
        imports=start.imports,
        function=start.function,
        second=start.second,
        first_call=start.call.format("f"),
        second_call=start.call.format("g"),
    )


def sample(name: str, environment: Mapping[str, str]) -> list[float]:
    """Seconds to import, to the first result and to that of another function, in a new process."""
    command = [sys.executable, "-c", program(STARTS[name])]
    done = subprocess.run(
        command, env=dict(environment), capture_output=True, text=True, check=True
    )
    return json.loads(done.stdout.splitlines()[-1])


def measure(
    names: Sequence[str], environment: Mapping[str, str], times: int = 3
) -> dict[str, dict[str, float]]:
    """Medians for each peer that has a start, taken in turns."""
    names = [name for name in names if name in STARTS]
    found: dict[str, list[list[float]]] = {name: [] for name in names}
    for _ in range(times):
        for name in names:
            found[name].append(sample(name, environment))
    parts = ("import", "first result", "second function")
    return {
        name: {
            part: statistics.median(sample[k] for sample in samples) for k, part in enumerate(parts)
        }
        for name, samples in found.items()
    }
