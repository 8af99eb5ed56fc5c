"""Leaves out tests that need several GiB, unless ``-m large_memory`` asks for them."""

from __future__ import annotations

import pytest


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    if "large_memory" in str(config.getoption("markexpr")):
        return
    large = [item for item in items if item.get_closest_marker("large_memory")]
    if large:
        config.hook.pytest_deselected(items=large)
        items[:] = [item for item in items if item not in large]
