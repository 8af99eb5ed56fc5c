"""The machine at hand as the runtime needs it: its level and its caches, found once.

Owns nothing but the answers; detection lies in the back end.
"""

from __future__ import annotations

from functools import cache
from pathlib import Path

from opsir.backends.cpu.host import host_machine
from opsir.machine import Machine


@cache
def default_machine() -> Machine:
    """The level that the CPU at hand supports."""
    return host_machine()


@cache
def host_caches() -> tuple[int, int]:
    """Bytes of one L1 data cache and of the last-level cache; common sizes where unknown."""
    found = [cache for cache in map(_data_cache, range(8)) if cache is not None]
    return min(found, default=32 << 10), max(found, default=8 << 20)


def _data_cache(index: int) -> int | None:
    """Bytes of one of the first core's caches, None where it is absent or holds no data."""
    folder = Path("/sys/devices/system/cpu/cpu0/cache") / f"index{index}"
    try:
        kind, text = ((folder / name).read_text().strip() for name in ("type", "size"))
    except OSError:
        return None
    digits, unit = (text[:-1], _UNITS[text[-1]]) if text[-1:] in _UNITS else (text, 1)
    return int(digits) * unit if kind != "Instruction" and digits.isdecimal() else None


_UNITS = {"K": 1 << 10, "M": 1 << 20}
