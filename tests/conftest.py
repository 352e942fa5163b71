"""Gives each test a time limit. When it strikes, pytest-timeout prints the stacks of all threads,
the test fails, and the others go on."""

import sys
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).resolve().parent / "system"))

from patience import TEST_LIMIT_S  # noqa: E402


def pytest_collection_modifyitems(items):
    for item in items:
        if item.get_closest_marker("timeout") is None:
            item.add_marker(pytest.mark.timeout(TEST_LIMIT_S, method="signal"))
