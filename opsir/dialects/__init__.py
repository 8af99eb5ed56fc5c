"""Registry of dialects: name to ``"module:Dialect"``, loaded when first asked for."""

from __future__ import annotations

DIALECTS: dict[str, str] = {
    "builtin": "xdsl.dialects.builtin:Builtin",
    "func": "xdsl.dialects.func:Func",
    "opsir": "opsir.dialects.opsir:Opsir",
    "nest": "opsir.dialects.nest:Nest",
}
