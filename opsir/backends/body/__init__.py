"""The one emitter of scalar ops: LLVM instructions for a number of lanes, for every target.

Owns the table from (op, kind) to builder calls. Knows neither loops nor memory: the back ends put
its values between their loads and stores.
"""

from __future__ import annotations

from opsir.backends.body.casts import emit_cast
from opsir.backends.body.context import (
    BodyContext,
    FlagSink,
    constant,
    load_value,
    splat,
    storage_type,
    store_value,
    value_type,
)
from opsir.backends.body.libm import LIBM
from opsir.backends.body.table import TABLE, emit, kind_of

__all__ = [
    "LIBM",
    "TABLE",
    "BodyContext",
    "FlagSink",
    "constant",
    "emit",
    "emit_cast",
    "kind_of",
    "load_value",
    "splat",
    "storage_type",
    "store_value",
    "value_type",
]
