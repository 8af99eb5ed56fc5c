"""Resolves a registry entry ``"module:Name"``; registries name what lies beside or above as text.

This is the one place where something is imported by name, so start-up loads only what is used.
"""

from __future__ import annotations

from importlib import import_module
from typing import Any


def load(entry: str) -> Any:
    """The object that ``"module:Name"`` names, importing its module when first asked for."""
    module, _, name = entry.partition(":")
    return getattr(import_module(module), name)
