"""Registry of targets: name to ``"module:Class"`` of an xDSL Target, loaded when asked for."""

from __future__ import annotations

TARGETS: dict[str, str] = {
    "llvm": "opsir.backends.cpu.target:LlvmTarget",
    "asm": "opsir.backends.cpu.target:AsmTarget",
    "plan": "opsir.description:PlanTarget",
    "addresses": "opsir.address_trace:AddressTarget",
}
