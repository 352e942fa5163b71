"""Gives each test a time limit. When it strikes, pytest-timeout prints the stacks of all threads,
the test fails, and the others go on. If the test does not return to the interpreter, or what hangs
is no test, the process ends WATCH_S later. Writes for ./dev test (dev.d/suites.py) which tests
there are, and which of them runs.
"""

import faulthandler
import os
import sys
from pathlib import Path

import pytest
from _pytest.junitxml import bin_xml_escape

sys.path.insert(0, str(Path(__file__).resolve().parent / "system"))

from patience import TEST_LIMIT_S  # noqa: E402

WATCH_S = 60
stacks = []  # a descriptor that pytest does not capture


def write(variable, text):
    if variable in os.environ:
        Path(os.environ[variable]).write_text(text)


def watch(limit_s):
    """Ends the process, with the stacks of all threads, if it is not called again in time."""
    faulthandler.dump_traceback_later(limit_s + WATCH_S, exit=True, file=stacks[0])


def pytest_configure():
    stacks.append(os.dup(2))


def pytest_unconfigure():
    write("COX_TEST_RUNNING", "")
    # A thread that does not end would keep the process. A worker of xdist waits for the others, and
    # is ended by xdist.
    if "PYTEST_XDIST_WORKER" not in os.environ:
        watch(0)


@pytest.hookimpl(hookwrapper=True)
def pytest_collection():
    watch(TEST_LIMIT_S)
    yield
    faulthandler.cancel_dump_traceback_later()


def pytest_collection_modifyitems(items):
    for item in items:
        if item.get_closest_marker("timeout") is None:
            item.add_marker(pytest.mark.timeout(TEST_LIMIT_S, method="signal"))


def pytest_collection_finish(session):
    if session.items:
        write("COX_TESTS_COLLECTED",
              "".join(f"{bin_xml_escape(item.nodeid)}\n" for item in session.items))


@pytest.hookimpl(hookwrapper=True)
def pytest_runtest_protocol(item):
    watch(TEST_LIMIT_S)
    if "PYTEST_XDIST_WORKER" not in os.environ:  # xdist itself says which test ended a worker
        write("COX_TEST_RUNNING", item.nodeid)
    yield
    # No watch until the next test: a worker of xdist may have to wait for the end of others.
    faulthandler.cancel_dump_traceback_later()


@pytest.hookimpl(tryfirst=True)
def pytest_runtest_teardown():
    watch(TEST_LIMIT_S)  # pytest ends the watch when a test fails
