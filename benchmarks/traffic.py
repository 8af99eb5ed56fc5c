"""How many bytes of memory an array makes a kernel move, counted in whole cache lines.

A view that skips elements inside a line still moves the line; one that skips lines does not; an
axis of stride 0 moves nothing again.
"""

from __future__ import annotations

from collections.abc import Sequence

LINE = 64
"""Bytes in a cache line."""


def touched(shape: Sequence[int], strides: Sequence[int], itemsize: int) -> int:
    """Bytes of the cache lines that a view covers, if each run of bytes starts on a line.

    ``strides`` are in bytes. Axes are joined from the closest to the farthest: where less than a
    line lies between two steps the run goes on, elsewhere there are that many runs.
    """
    if 0 in shape:
        return 0
    run, runs = itemsize, 1
    steps = sorted((abs(s), n) for s, n in zip(strides, shape, strict=True) if n > 1 and s)
    for stride, count in steps:
        if runs == 1 and stride - run < LINE:
            run += stride * (count - 1)
        else:
            runs *= count
    return runs * -(-run // LINE) * LINE
