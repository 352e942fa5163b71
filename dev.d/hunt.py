"""Repeats tests on a busy machine to find those that fail by chance: hunt.py RESULTS N [TEST...]
hunt.py --check [TEST...] only looks whether there are such tests.

TEST is a suite (unit: all of GoogleTest), a file or a test of pytest
(tests/system/test_story.py::test_x), or SUITE:FILTER with a filter of GoogleTest. Without one, the
suites system and store are repeated. Prints how often each test failed; the output of run K is in
RESULTS/K. The exit code is 1 if a test failed.
"""

import ctypes
import os
import signal
import subprocess
import sys
import tempfile
from collections import Counter
from pathlib import Path

from suites import (BAD, OF_PYTEST, PROGRAMS, ROOT, SYSTEM_AT_ONCE, accept_interrupts,
                    is_as_reported, results_of, run_suite)

SYSTEM_AT_ONCE_HERE = 2 * SYSTEM_AT_ONCE  # so that the tests get a share beside the burners
BURNERS = 2 * (os.cpu_count() or 1)
DISK_FILE_BYTES = 256 << 20
DISK_PART_BYTES = 4 << 20
PR_SET_PDEATHSIG = 1


def burn():
    while True:
        pass


def write_to_disk():
    """Writes and flushes one file again and again, so that each flush of another process waits."""
    part = os.urandom(DISK_PART_BYTES)
    with tempfile.TemporaryFile(dir="/var/tmp") as file:
        while True:
            file.seek(0)
            for _ in range(DISK_FILE_BYTES // DISK_PART_BYTES):
                file.write(part)
                file.flush()
                os.fsync(file.fileno())


def end_with_parent():
    ctypes.CDLL(None).prctl(PR_SET_PDEATHSIG, signal.SIGKILL)


class Load:
    """Keeps all cores and the disk busy while it exists."""

    def __enter__(self):
        kinds = ["burn"] * BURNERS + ["write_to_disk"]
        self.processes = [subprocess.Popen([sys.executable, __file__, f"--{kind}"],
                                           preexec_fn=end_with_parent) for kind in kinds]

    def __exit__(self, *_):
        for process in self.processes:
            process.kill()
            process.wait()


def chosen(words):
    """Returns the tests to repeat as {suite: [test, ...]}; an empty list means all."""
    words = [name for word in words or ["system", "store"]
             for name in (PROGRAMS if word == "unit" else [word.removeprefix("./")])]
    tests = {}
    for word in words:
        suite, _, name = word.partition(":") if word.split(":")[0] in PROGRAMS else (word, "", "")
        if word.startswith("tests/"):
            suite, name = word.split("/")[1], word
        is_test = suite in OF_PYTEST and (ROOT / word.split("::")[0]).exists()
        if word.startswith("tests/") and not is_test:
            sys.exit(f"./dev test --hunt: there is no file of pytest {word.split('::')[0]}")
        if suite not in PROGRAMS + OF_PYTEST:
            sys.exit(f"./dev test --hunt: '{word}' is neither a part nor a test of pytest nor "
                     f"PART:FILTER; the parts are: unit {' '.join(PROGRAMS + OF_PYTEST)}")
        tests.setdefault(suite, []).append(name)
    return {suite: [] if "" in names else names for suite, names in tests.items()}


def failures_of(folder, suite):
    """Returns the tests of a suite that failed in a run; "all of" it if it failed otherwise, or ran
    no test."""
    results = results_of(folder, suite)
    failed = [each.test for each in results.values() if each.outcome in BAD]
    return failed if is_as_reported(folder, suite) else [*failed, f"all of {suite}"]


def repeat(folder, runs, tests):
    """Returns how often each test failed."""
    failed = Counter()
    for run in range(1, runs + 1):
        place = folder / str(run)
        place.mkdir(parents=True, exist_ok=True)
        for suite, names in tests.items():
            with open(place / f"{suite}.log", "wb") as log:
                run_suite(place, suite, names, log=log, at_once=SYSTEM_AT_ONCE_HERE)
            if run == 1 and not results_of(place, suite):
                sys.exit(f"no test of {suite} ran, or none matches; see {place / suite}.log")
            failures = failures_of(place, suite)
            failed.update(failures)
            print(f"run {run} of {runs}, {suite}: {len(results_of(place, suite))} tests, failed: "
                  f"{', '.join(failures) or 'none'}", flush=True)
    return failed


def main(folder, runs, words):
    tests = chosen(words)
    with Load():
        failed = repeat(Path(folder), runs, tests)
    for test, times in failed.most_common():
        print(f"failed in {times} of {runs} runs: {test}")
    if not failed:
        print(f"no test failed in {runs} runs")
    return 1 if failed else 0


if __name__ == "__main__":
    if sys.argv[1] == "--burn":
        burn()
    if sys.argv[1] == "--write_to_disk":
        write_to_disk()
    if sys.argv[1] == "--check":
        chosen(sys.argv[2:])
        sys.exit(0)
    accept_interrupts()
    sys.exit(main(sys.argv[1], int(sys.argv[2]), sys.argv[3:]))
