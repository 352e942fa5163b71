"""The suites of tests: how to run one, or some of its tests, and what they reported.

A suite is a folder of tests/. Its tests are in a program of GoogleTest, or are run by pytest. They
report in a JUnit file FOLDER/SUITE.xml. FOLDER/SUITE.exit has the exit code, since a suite can also
crash, leak memory or run out of time. While a test runs, FOLDER/SUITE.running has its name, or
GROUP.* of GoogleTest before and after its tests. FOLDER/SUITE.collected has the tests of pytest.
"""

import contextlib
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
OUT_OF_TIME = "out of time"  # the exit code of a suite that was stopped
STOP_S = 60  # what a suite gets to write its report when the time of the run is over
BAD = ("failed", "not run")
# The beginnings of variables that choose other tests, or give pytest other options.
FOREIGN = ("GTEST_", "PYTEST_")

running = set()  # the processes of the suites that run now


@dataclass(frozen=True)
class Result:
    suite: str
    test: str  # as pytest or --gtest_filter takes it
    outcome: str  # passed, failed, skipped or not run
    seconds: float


def name_of(suite, case):
    group, name = case.get("classname", ""), case.get("name", "")
    if suite in PROGRAMS:
        return f"{group}.{name}"
    if not group:  # a file of pytest that could not be read
        return f"{name.replace('.', '/')}.py"
    return f"{group.replace('.', '/')}.py::{name}"


def outcome_of(case):
    if case.find("failure") is not None or case.find("error") is not None:
        return "failed"
    is_skipped = case.find("skipped") is not None or case.get("status") == "notrun"
    return "skipped" if is_skipped else "passed"


def cases_of(file):
    """Returns the test cases of a JUnit file; none if it cannot be read, as after a crash."""
    try:
        return list(xml.parse(file).iter("testcase"))
    except (OSError, xml.ParseError):
        return []


def text_of(folder, suite, what):
    file = folder / f"{suite}.{what}"
    return file.read_text() if file.exists() else ""


def results_of(folder, suite):
    """Returns the results by the name of the test. A test that fails and whose fixture fails too is
    reported twice and has one result. A test that was collected and has no result is "not run"."""
    results = {}
    for case in cases_of(folder / f"{suite}.xml"):
        result = Result(suite, name_of(suite, case), outcome_of(case), float(case.get("time", 0)))
        if result.test not in results or results[result.test].outcome != "failed":
            results[result.test] = result
    for test in text_of(folder, suite, "collected").splitlines():
        results.setdefault(test, Result(suite, test, "not run", 0))
    return results


def exit_of(folder, suite):
    """Returns the exit code of the suite as text, or "none" if the suite did not run."""
    return text_of(folder, suite, "exit") or "none"


def is_as_reported(folder, suite):
    """Whether a suite has reported all that happened: it did not crash, leak or run out of time."""
    outcomes = {each.outcome for each in results_of(folder, suite).values()}
    expected = TESTS_FAILED if "failed" in outcomes else "0"
    return bool(outcomes - {"not run"}) and exit_of(folder, suite) == expected


def command_of(suite, tests, report, at_once=None):
    if suite in PROGRAMS:
        command = [f"{os.environ['COX_BIN']}/test_{suite}", f"--gtest_output=xml:{report}"]
        return command + ([f"--gtest_filter={':'.join(tests)}"] if tests else [])
    left_out = [f"--deselect={test[1:]}" for test in tests if test.startswith("-")]
    tests = [test for test in tests if not test.startswith("-")]
    command = ["/usr/bin/python3", "-m", "pytest", "-q", "-p", "no:cacheprovider", "--instafail",
               "-rs", f"--junitxml={report}", *left_out, *(tests or [f"tests/{suite}"])]
    if suite == "system" and (at_once or not tests):
        command.append(f"-n{at_once or SYSTEM_AT_ONCE}")
    return command


def environment_of(folder, suite):
    """Returns the environment of a suite."""
    own = {name: value for name, value in os.environ.items() if not name.startswith(FOREIGN)}
    return dict(own, COX_TEST_LIMIT_S=str(limit_of_a_test_s(suite)),
                COX_TEST_RUNNING=str(folder / f"{suite}.running"),
                COX_TESTS_COLLECTED=str(folder / f"{suite}.collected"))


def interrupt(*_):
    for process in list(running):  # threads that run other suites change it
        process.send_signal(signal.SIGINT)
    raise KeyboardInterrupt


def accept_interrupts():
    """Called once by a program. A background job of a shell ignores SIGINT, and so would the pytest
    that it starts."""
    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, interrupt)


def end(process, limit_s):
    """Returns the exit code of a suite. When its time is over it is interrupted. No process that it
    has started in its group is left."""
    running.add(process)
    try:
        return process.wait(limit_s)
    except subprocess.TimeoutExpired:
        process.send_signal(signal.SIGINT)  # pytest then reports what it has
        return OUT_OF_TIME
    finally:
        try:
            with contextlib.suppress(subprocess.TimeoutExpired):
                process.wait(STOP_S)
        finally:  # even if the person has no patience and interrupts again
            with contextlib.suppress(ProcessLookupError):  # all its processes have ended
                os.killpg(process.pid, signal.SIGKILL)
            process.wait()
            running.discard(process)


def limit_of_a_test_s(suite):
    """Returns the time limit of each test. One test of sim plays 500 seeds."""
    return int(TEST_LIMIT_S) * (3 if suite == "sim" else 1)


def run_suite(folder, suite, tests=(), limit_s=None, log=None, at_once=None):
    """Runs a suite, or these tests of it, and returns whether it exited with 0. A test with a -
    before it is left out. The output goes to the file `log`, if there is one. `at_once`: how many
    modules of system tests run at once; if it is not given, single tests run one after the other.
    """
    folder.mkdir(parents=True, exist_ok=True)
    folder = folder.resolve()  # a test may work in another folder
    try:
        process = subprocess.Popen(command_of(suite, tests, folder / f"{suite}.xml", at_once),
                                   cwd=ROOT, env=environment_of(folder, suite),
                                   stdin=subprocess.DEVNULL, stdout=log, stderr=log,
                                   start_new_session=True)
    except OSError as error:
        print(f"{suite}: {error}", flush=True)
        code = "did not start"
    else:
        code = end(process, limit_s)
    (folder / f"{suite}.exit").write_text(str(code))
    return code == 0
