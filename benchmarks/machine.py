"""Where and of what a run was made: processor, system, commit, versions.

Owns nothing but looking; reads files of Linux where there are any.
"""

from __future__ import annotations

import os
import platform
import subprocess
from collections.abc import Sequence
from importlib import metadata
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent


def describe() -> dict[str, str]:
    """Processor, cores, caches, pages and system, as far as they can be found."""
    found = {
        "processor": _processor(),
        "cores": str(os.cpu_count()),
        "caches": _caches(),
        "huge pages": _read("/sys/kernel/mm/transparent_hugepage/enabled"),
        "system": platform.platform(),
        "Python": platform.python_version(),
        "load": " ".join(f"{x:.1f}" for x in os.getloadavg()),
    }
    return {key: value for key, value in found.items() if value}


def _read(path: str) -> str:
    try:
        return Path(path).read_text("ascii").strip()
    except OSError:
        return ""


def _processor() -> str:
    lines = _read("/proc/cpuinfo").splitlines()
    names = [line.partition(":")[2].strip() for line in lines if line.startswith("model name")]
    return names[0] if names else platform.processor()


def _caches() -> str:
    folder = Path("/sys/devices/system/cpu/cpu0/cache")
    return " ".join(
        f"L{_read(f'{index}/level')} {_read(f'{index}/size')}"
        for index in sorted(folder.glob("index*"))
        if _read(f"{index}/type") != "Instruction"
    )


def commit() -> str:
    """The commit checked out, with a + if files differ from it; "" outside a repository."""
    try:
        head = _git("rev-parse", "--short=12", "HEAD")
        return head + "+" * bool(_git("status", "--porcelain", "--untracked-files=no"))
    except (OSError, subprocess.CalledProcessError):
        return ""


def _git(*words: str) -> str:
    command = ["git", "-C", str(ROOT), *words]
    return subprocess.run(command, capture_output=True, text=True, check=True).stdout.strip()


def versions(names: Sequence[str]) -> dict[str, str]:
    """The installed version of each distribution that is there."""
    found: dict[str, str] = {}
    for name in names:
        try:
            found[name] = metadata.version(name)
        except metadata.PackageNotFoundError:
            continue
    return found


def available_memory() -> int:
    """Bytes that can be had without swapping; 0 if unknown."""
    for line in _read("/proc/meminfo").splitlines():
        if line.startswith("MemAvailable"):
            return int(line.split()[1]) * 1024
    return 0
