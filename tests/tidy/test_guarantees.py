"""Each line of docs/guarantees.md names a test that exists."""

import re
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
NAMED = re.compile(r"`(tests/[\w/]+\.(?:cpp|py))::([\w.]+)`")


def promises():
    """Returns the rows of the tables of docs/guarantees.md: {promise: the tests behind it}."""
    text = (ROOT / "docs" / "guarantees.md").read_text()
    rows = [line.split(" | ") for line in text.splitlines() if line.startswith("| ")]
    return {row[0].strip("| "): NAMED.findall(row[-1]) for row in rows if row[0] != "| promise"}


def is_there(file, test):
    path = ROOT / file
    text = path.read_text() if path.exists() else ""
    if file.endswith(".py"):
        return re.search(rf"^def {re.escape(test)}\(", text, re.MULTILINE) is not None
    suite, _, name = test.partition(".")
    return re.search(rf"^TEST(?:_F|_P)?\({suite},\s*{name}\)", text, re.MULTILINE) is not None


def test_each_guarantee_names_tests_that_exist():
    assert len(promises()) >= 10
    for promise, tests in promises().items():
        assert tests, f"no test holds: {promise}"
        missing = [f"{file}::{test}" for file, test in tests if not is_there(file, test)]
        assert not missing, f"{promise}: there is no {missing}"


def test_a_named_test_that_does_not_exist_is_found():
    assert is_there("tests/system/test_suspend.py", "test_a_suspended_job_can_be_cancelled")
    assert not is_there("tests/system/test_suspend.py", "test_a_suspended_job")
    assert not is_there("tests/system/test_no_such_file.py", "test_a_suspended_job")
    assert not is_there("tests/sim/sim_test.cpp", "Simulator.HoldsTheInvariantsInEverySee")
