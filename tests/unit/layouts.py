"""Arrays of every layout: permuted, padded, reversed, repeated, right-aligned under one shape."""

from __future__ import annotations

from typing import Any

import numpy as np
from hypothesis import strategies as st

Array = np.ndarray[Any, Any]


@st.composite
def strided_operands(
    draw: st.DrawFn, most: int = 3, dtypes: tuple[str, ...] = ("f4", "f8", "i2")
) -> list[Array]:
    """One to ``most`` arrays that broadcast together, the first of full rank."""
    shape = draw(st.lists(st.sampled_from([2, 3, 4, 1]), min_size=1, max_size=5))
    count = draw(st.integers(1, most))
    skipped = [0, *(draw(st.sampled_from([0, 0, 1])) for _ in range(count - 1))]
    return [draw(strided(shape[n:], draw(st.sampled_from(dtypes)))) for n in skipped]


@st.composite
def strided(draw: st.DrawFn, shape: list[int], dtype: str) -> Array:
    """An array of ``shape``, or of size 1 along some axes, its elements in any order of axes."""
    order = draw(st.permutations(range(len(shape))))
    steps = [draw(st.sampled_from([1, 1, 2, -1])) for _ in shape]
    dense = np.arange(np.prod([shape[a] * abs(steps[a]) for a in order], dtype=int)).astype(dtype)
    array = dense.reshape([shape[a] * abs(steps[a]) for a in order])
    array = array.transpose([order.index(axis) for axis in range(len(shape))])
    array = array[tuple(slice(None, None, step) for step in steps)]
    for axis, size in enumerate(shape):
        match draw(st.sampled_from(["whole"] * 6 + ["one", "held"])):
            case "one":
                array = array[(slice(None),) * axis + (slice(0, 1),)]
            case "held":
                first = array[(slice(None),) * axis + (slice(0, 1),)]
                whole = (*array.shape[:axis], size, *array.shape[axis + 1 :])
                array = np.broadcast_to(first, whole)
            case _:
                pass
    return array
