"""The suites of tests: how to run one, or some of its tests, and what they reported.

A suite is a folder of tests/. Its tests are in a program of GoogleTest, or are run by pytest. They
report in a JUnit file FOLDER/SUITE.xml. FOLDER/SUITE.exit has the exit code, since a suite can also
crash, leak memory or run out of time.
"""

import os
import signal
import subprocess
import sys
import xml.etree.ElementTree as xml
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT / "tests/system"))

from patience import TEST_LIMIT_S  # noqa: E402

PROGRAMS = ("sim", "store", "controller", "schedule", "simulate", "common", "worker", "client",
            "fuzz")  # the longest begins first
OF_PYTEST = ("python", "tidy", "system")
SYSTEM_AT_ONCE = 4  # modules that run at once, each with its own clusters; eight take as long
TESTS_FAILED = "1"  # the exit code of pytest and GoogleTest if a test failed, and nothing worse
STOP_S = 60  # what a suite gets to write its report when the time of the run is over


@dataclass(frozen=True)
class Result:
    suite: str
    test: str  # as pytest or --gtest_filter takes it
    outcome: str  # passed, failed or skipped
    seconds: float


def name_of(suite, case):
    group, name = case.get("classname", ""), case.get("name", "")
    if suite in PROGRAMS:
        return f"{group}.{name}"
    return f"{group.replace('.', '/')}.py::{name}" if group else name


def outcome_of(case):
    if case.find("failure") is not None or case.find("error") is not None:
        return "failed"
    return "passed" if case.find("skipped") is None else "skipped"


def results_of(folder, suite):
    """Returns the results by the name of the test. A test that fails and whose fixture fails too is
    reported twice and has one result."""
    file, results = folder / f"{suite}.xml", {}
    for case in xml.parse(file).iter("testcase") if file.exists() else ():
        result = Result(suite, name_of(suite, case), outcome_of(case), float(case.get("time", 0)))
        if result.test not in results or results[result.test].outcome != "failed":
            results[result.test] = result
    return results


def exit_of(folder, suite):
    """Returns the exit code of the suite as text, or "none" if the suite did not run."""
    file = folder / f"{suite}.exit"
    return file.read_text() if file.exists() else "none"


def command_of(suite, tests, report, at_once=None):
    if suite in PROGRAMS:
        command = [f"{os.environ['COX_BIN']}/test_{suite}", f"--gtest_output=xml:{report}"]
        return command + ([f"--gtest_filter={':'.join(tests)}"] if tests else [])
    command = ["/usr/bin/python3", "-m", "pytest", "-q", "-p", "no:cacheprovider",
               "--instafail", f"--junitxml={report}", *(tests or [f"tests/{suite}"])]
    if suite == "system" and (at_once or not tests):
        command.append(f"-n{at_once or SYSTEM_AT_ONCE}")
    return command


def accept_interrupts():
    """Called once by a program. A background job of a shell ignores SIGINT, and so would the pytest
    that it starts."""
    signal.signal(signal.SIGINT, signal.default_int_handler)


def limit_of_a_test_s(suite):
    """Returns the time limit of each test. One test of sim plays 500 seeds."""
    return int(TEST_LIMIT_S) * (3 if suite == "sim" else 1)


def run_suite(folder, suite, tests=(), limit_s=None, log=None, at_once=None):
    """Runs a suite, or these tests of it, and returns whether it exited with 0. The output goes to
    the file `log`, if there is one. `at_once`: how many modules of system tests run at once; if it
    is not given, single tests run one after the other."""
    folder.mkdir(parents=True, exist_ok=True)
    process = subprocess.Popen(command_of(suite, tests, folder / f"{suite}.xml", at_once), cwd=ROOT,
                               env=dict(os.environ, COX_TEST_LIMIT_S=str(limit_of_a_test_s(suite))),
                               stdin=subprocess.DEVNULL, stdout=log, stderr=log)
    try:
        code = process.wait(limit_s)
    except subprocess.TimeoutExpired:
        process.send_signal(signal.SIGINT)  # pytest then reports what it has
        try:
            process.wait(STOP_S)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()
        code = "out of time"
    (folder / f"{suite}.exit").write_text(str(code))
    return code == 0
