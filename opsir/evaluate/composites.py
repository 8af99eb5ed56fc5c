"""Activation functions as sequences of f64 operations, one list for every back end.

Owns the definitions as data: the evaluator runs them step by step and the compiler rewrites an op
into the very same steps, so both give the same bits. Every step is one primitive op on f64 (a
comparison gives bool); operands of narrower float dtypes are converted first and the value is
rounded once at the end.

All stay within 4 ulp of the real function in f64 wherever the C library's exp, log1p and erfc are
as accurate as glibc's, subnormal results included. NaN gives NaN; where the function tends to 0
from below (silu, gelu and gelu_tanh at -infinity) the value is -0.
"""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Step:
    """``result = op(args)``: an argument names an earlier result, or ``x``, or is a constant."""

    result: str
    op: str
    args: tuple[str | float, ...]


def _steps(text: str) -> tuple[Step, ...]:
    """Read one step a line, ``result = op arg ...``; "#" starts a comment."""
    lines = (line.partition("#")[0].split() for line in text.splitlines())
    return tuple(
        Step(result, op, tuple(_argument(word) for word in words))
        for result, _, op, *words in filter(None, lines)
    )


def _argument(word: str) -> str | float:
    return word if word[0].isalpha() else float(word)


_RSQRT = """
    root        = sqrt x
    value       = div 1 root
"""

# exp(-|x|) cannot overflow; for negative x the fraction is multiplied through by it.
_SIGMOID = """
    size        = abs x
    fall        = neg size
    power       = exp fall
    denominator = add power 1
    negative    = lt x 0
    numerator   = where negative power 1
    value       = div numerator denominator
"""

_SOFTPLUS = """
    size        = abs x
    fall        = neg size
    power       = exp fall
    rest        = log1p power
    ramp        = maximum x 0
    value       = add ramp rest
"""

# x * sigmoid(x). Below -600 the power would lose bits as a subnormal before x makes it larger, so
# it is computed e**535 times too large; 535 is subtracted exactly, and the f64 nearest to e**-535
# is off by less than 2**-61 of it. Bounding x keeps -infinity away from a product with 0.
_SILU = """
    size        = abs x
    far         = lt x -600
    shift       = where far 535 0
    scale       = where far 4.492128611109229e-233 1
    shifted     = sub size shift
    fall        = neg shifted
    power       = exp fall
    denominator = add power 1       # 1 where far: the power is below e**-65
    negative    = lt x 0
    numerator   = where negative power 1
    bounded     = maximum x -1000
    product     = mul bounded numerator
    scaled      = mul product scale
    value       = div scaled denominator
"""

# x * sigmoid(w) with w = 2*sqrt(2/pi) * (x + 0.044715*x**3), computed for |x| as a sum of two f64
# (w + w_low): an error in w would grow by |w| in the exponential. From |x| = 40 on the power is 0.
_GELU_TANH = """
    size        = abs x
    near        = minimum size 40
    square      = mul near near
    square_neg  = neg square
    square_low  = fma near near square_neg
    cubic       = mul 0.07135481627260025 square
    cubic_neg   = neg cubic
    cubic_error = fma 0.07135481627260025 square cubic_neg
    cubic_part  = mul 0.07135481627260025 square_low
    cubic_rest  = mul -6.175149918155315e-19 square
    cubic_sum   = add cubic_part cubic_rest
    cubic_low   = add cubic_error cubic_sum
    slope       = add 1.5957691216057308 cubic
    part        = sub slope 1.5957691216057308
    slope_part  = sub slope part
    lost        = sub 1.5957691216057308 slope_part
    lost_cubic  = sub cubic part
    slope_error = add lost lost_cubic
    slope_rest  = add cubic_low -9.96930880911092e-17
    slope_low   = add slope_error slope_rest
    w           = mul near slope
    w_neg       = neg w
    w_error     = fma near slope w_neg
    w_rest      = mul near slope_low
    w_low       = add w_error w_rest
    negative    = lt x 0
    fallen      = where negative w 0
    far         = gt fallen 600
    shift       = where far 535 0
    scale       = where far 4.492128611109229e-233 1
    shifted     = sub w shift
    fall        = neg shifted
    rough       = exp fall
    excess      = mul rough w_low
    power       = sub rough excess
    denominator = add power 1       # 1 where far, as in silu
    numerator   = where negative power 1
    bounded     = maximum x -40
    product     = mul bounded numerator
    scaled      = mul product scale
    value       = div scaled denominator
"""

# x * erfc(z)/2 with z + slip = -x/sqrt(2). The slip is the rounding error of z, which erfc would
# multiply by 2*z*z; its effect is that of the derivative, and erfc'/erfc is -(z + sqrt(z*z + 2)) up
# to a few percent. Below -36, where erfc is about to become subnormal and the value is not yet, it
# is the asymptotic series -exp(-x*x/2)/sqrt(2*pi) * (1 - 1/x**2 + 3/x**4 - ...).
_GELU = """
    bounded     = maximum x -40
    near        = minimum bounded 40
    z           = mul near -0.7071067811865476
    z_neg       = neg z
    z_error     = fma near -0.7071067811865476 z_neg
    z_rest      = mul near 4.833646656726457e-17
    z_low       = add z_error z_rest
    negative    = lt x 0
    slip        = where negative z_low 0
    z_square    = mul z z
    under_root  = add z_square 2
    root        = sqrt under_root
    ratio       = add z root
    change      = mul slip ratio
    rough       = erfc z
    loss        = mul rough change
    tail        = sub rough loss
    half        = mul bounded 0.5
    central     = mul half tail
    square      = mul near near
    square_neg  = neg square
    square_low  = fma near near square_neg
    fall        = mul square -0.5
    power       = exp fall
    excess_half = mul square_low 0.5
    excess      = mul power excess_half
    density     = sub power excess
    v           = div 1 square
    v6          = mul v 10395
    p5          = sub v6 945
    v5          = mul v p5
    p4          = add v5 105
    v4          = mul v p4
    p3          = sub v4 15
    v3          = mul v p3
    p2          = add v3 3
    v2          = mul v p2
    p1          = sub v2 1
    v1          = mul v p1
    series      = add v1 1
    scaled      = mul density -0.3989422804014327
    far_value   = mul scaled series
    far         = lt x -36
    value       = where far far_value central
"""

COMPOSITES: dict[str, tuple[Step, ...]] = {
    "rsqrt": _steps(_RSQRT),
    "sigmoid": _steps(_SIGMOID),
    "softplus": _steps(_SOFTPLUS),
    "silu": _steps(_SILU),
    "gelu": _steps(_GELU),
    "gelu_tanh": _steps(_GELU_TANH),
}
"""Op name to its steps on the one operand ``x``; the last step gives the value."""

POWERS: dict[int, tuple[Step, ...]] = {
    -4: _steps("square = mul x x \n power = mul square square \n value = div 1 power"),
    -3: _steps("square = mul x x \n power = mul square x \n value = div 1 power"),
    -2: _steps("square = mul x x \n value = div 1 square"),
    -1: _steps("value = div 1 x"),
    0: _steps("size = abs x \n never = lt size 0 \n value = where never x 1"),
    1: _steps("value = positive x"),
    2: _steps("value = mul x x"),
    3: _steps("square = mul x x \n value = mul square x"),
    4: _steps("square = mul x x \n value = mul square square"),
}
"""``pow`` with a known exponent: f64 holds the square of an f32, so that all but -3 and -4 round
once."""

EXACT_POWERS = frozenset({-1, 0, 1, 2})
"""The exponents of ``POWERS`` whose steps round once whatever the f64 operand."""
