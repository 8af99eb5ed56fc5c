"""Cost formulas: their text, their values, and the numbers of a plan."""

from __future__ import annotations

import numpy as np
import pytest

import opsir
from opsir.costs import Amount, Costs
from opsir.extent import ONE, ZERO, Extent
from opsir.frontends.options import JitOptions
from opsir.runtime.jit import Jitted

N, M = Extent.symbol("n"), Extent.symbol("m")
F32 = np.float32


def test_amounts() -> None:
    total = Amount.total([Amount.of((N, M), 4), Amount.of((M, N), 4), Amount.of((), 12)])
    assert total.text({}) == "m*n*8 + 12"
    assert total.text({"n": 3}) == "m*n*8 + 12"
    assert total.text({"n": 3, "m": 5}) == "m*n*8 + 12 = 132"
    assert Amount.of((N,)).text({}) == "n"
    assert Amount.of((N, ZERO)) == Amount() == Amount.of((N,), 0)
    assert Amount().text({"n": 3}) == "0"
    assert Amount.of((ONE,), 7).text({}) == "7"


def test_an_amount_may_need_more_than_64_bits() -> None:
    assert Amount.of((Extent(1 << 62), Extent(8))).text({}) == str(1 << 65)


def costs(inner: Extent, *, lanes: int = 8, unroll: int = 1) -> Costs:
    rows = Amount.of((N,))
    return Costs(rows, rows, rows, inner, lanes, unroll, 3, rows, rows)


@pytest.mark.parametrize(
    ("m", "lanes", "unroll", "turns"),
    [(0, 8, 1, 0), (8, 8, 1, 1), (9, 8, 1, 2), (15, 8, 1, 8), (41, 8, 2, 4), (24, 8, 2, 2)],
)
def test_turns_count_groups_vectors_and_single_elements(
    m: int, lanes: int, unroll: int, turns: int
) -> None:
    split = costs(M, lanes=lanes, unroll=unroll)
    assert split.loop_turns({"n": 2, "m": m}) == 2 + 2 * turns
    assert split.lines({"n": 2, "m": m})[1] == (
        f"loop control: n + n * (m / {lanes * unroll}) = {2 + 2 * turns} turns"
    )
    assert split.lines({"n": 2})[1] == f"loop control: n + n * (m / {lanes * unroll}) turns"


def test_the_plan_of_a_call_has_numbers() -> None:
    jitted = Jitted(lambda a, b: a + b, JitOptions())
    plan = jitted.lower(np.zeros((4, 16), F32), np.zeros(16, F32)).plan()
    text = str(plan)
    assert "moves s0_0*s0_1*4 = 256 bytes" in text
    assert "cost arithmetic: s0_0*s0_1 = 64 evaluations" in text
    assert "cost memory: s0_0*s0_1*4 + s0_1*4 = 320 bytes read" in text
    assert ", in result 0" in text
    assert text.splitlines()[-1] == "kernels: 1, copies: 0, results in temporaries: 0"


def test_the_plan_without_data_has_numbers_too() -> None:
    text = str(opsir.plan("add", ((4, 16), "f4"), ((4, 1), "f4")))
    assert "column" in text
    assert "s0_0*4 = 16 bytes" in text


def test_copies_and_temporaries_are_counted() -> None:
    def twice(a: np.ndarray, b: np.ndarray) -> np.ndarray:
        return np.exp(b) * a  # exp is not repeated along the rows that do not move it.

    plan = Jitted(twice, JitOptions()).lower(np.ones((3, 4), F32), np.ones(4, F32)).plan()
    assert [r.destination for k in plan.kernels for r in k.results] == ["temporary 0", "result 0"]
    assert len(plan.temporaries) == 1
    copy = Jitted(lambda a: opsir.positive(a), JitOptions()).lower(np.ones(3, F32)).plan()
    assert [kernel.is_copy for kernel in copy.kernels] == [not k.ops for k in copy.kernels]


def test_every_choice_of_the_schedule_is_printed() -> None:
    program = opsir.compile(
        """func.func @f(%x: tensor<6xf32>) -> tensor<6xf32> {
             %r = nest.kernel extents [2, 3] ins(%x : tensor<6xf32> along [12, 4])
               outs(tensor<6xf32> along [12, 4])
               attributes {lanes = 2, unroll = 2, tile = 4, stream = 1, parallel = 0, block = 16} {
             ^bb0(%a: f32):
               nest.yield %a : f32
             }
             func.return %r : tensor<6xf32>
           }"""
    )
    text = str(program.plan())
    wanted = "lanes 2, unroll 2, tile 4, stream 1, parallel 0, block 16, a copy"
    assert wanted in text or "extents [6] elements, " + wanted in text
    assert "copies: 1" in text
