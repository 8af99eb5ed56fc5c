"""Which machine this process takes itself for."""

from __future__ import annotations

from collections.abc import Iterator

import llvmlite.binding as llvm
import pytest

from opsir.backends.cpu import host
from opsir.diagnostics import OpsirNotImplementedError
from opsir.machine import AARCH64, X86_64_V2, X86_64_V3, X86_64_V4, Machine


@pytest.fixture(autouse=True)
def forget() -> Iterator[None]:
    host.host_machine.cache_clear()
    yield
    host.host_machine.cache_clear()


def pretend(monkeypatch: pytest.MonkeyPatch, arch: str, features: tuple[str, ...]) -> None:
    monkeypatch.setattr(host.platform, "machine", lambda: arch)
    monkeypatch.setattr(llvm, "get_host_cpu_features", lambda: dict.fromkeys(features, True))


@pytest.mark.parametrize(
    ("features", "machine"),
    [(host._V2, X86_64_V2), (host._V3, X86_64_V3), (host._V4, X86_64_V4)],
)
def test_the_highest_level_counts(
    monkeypatch: pytest.MonkeyPatch, features: tuple[str, ...], machine: Machine
) -> None:
    pretend(monkeypatch, "x86_64", (*features, "sse4a"))
    assert host.host_machine() == machine
    assert host.can_run(machine)
    assert host.machine_named("host") == machine


def test_one_missing_feature_is_a_level_less(monkeypatch: pytest.MonkeyPatch) -> None:
    pretend(monkeypatch, "AMD64", tuple(f for f in host._V4 if f != "f16c"))
    assert host.host_machine() == X86_64_V2


def test_arm(monkeypatch: pytest.MonkeyPatch) -> None:
    pretend(monkeypatch, "arm64", ())
    assert host.host_machine() == AARCH64
    assert not host.can_run(X86_64_V2)


def test_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    pretend(monkeypatch, "riscv64", ())
    with pytest.raises(OpsirNotImplementedError, match="x86-64 or aarch64 CPU, got riscv64"):
        host.host_machine()
    pretend(monkeypatch, "x86_64", tuple(f for f in host._V2 if f != "popcnt"))
    with pytest.raises(OpsirNotImplementedError, match="this one lacks popcnt"):
        host.host_machine()
