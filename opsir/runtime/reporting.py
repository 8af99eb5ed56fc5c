"""What a call says after it ran: error flags become a warning or an exception.

Owns the texts and the policy of ``int_errors``; results are complete by then.
"""

from __future__ import annotations

import warnings

from opsir import abi
from opsir.diagnostics import OpsirValueError, OpsirZeroDivisionError, fail
from opsir.frontends.places import user_frame_depth


def report(flags: int, int_errors: str) -> None:
    """Report the flags of one call: at most one warning, at the user's line.

    A negative power is an OpsirValueError, as in NumPy. A division by zero warns, or is an
    OpsirZeroDivisionError under ``int_errors="raise"``.
    """
    if flags & abi.FLAG_NEGATIVE_POWER:
        fail(
            "integers to negative integer powers are not allowed: convert one operand to float",
            error=OpsirValueError,
        )
    if not flags & abi.FLAG_DIVIDE:
        return
    if int_errors == "raise":
        fail(
            "integer division by zero; the results are complete, 0 where the divisor is 0",
            error=OpsirZeroDivisionError,
        )
    warnings.warn(
        "divide by zero encountered in an integer division",
        RuntimeWarning,
        stacklevel=user_frame_depth(),
    )
