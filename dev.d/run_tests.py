"""Runs suites of tests: run_tests.py RESULTS SECONDS SUITE...

SECONDS says how long packages and build took; the whole run has a limit. A test that fails is run
once more after all others, alone. The last lines are the counts of each suite, the time of each
part, the slowest modules and tests, the tests that failed, those that passed only in their second
try ("unstable"), and "N passed, N failed". The exit code is 1 if a test failed twice, or if more
than UNSTABLE_MAX tests are unstable.
"""

import re
import sys
import time
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path

from suites import (BAD, OF_PYTEST, OUT_OF_TIME, PROGRAMS, accept_interrupts, exit_of,
                    is_as_reported, results_of, run_suite, text_of)
from patience import PATIENCE  # suites adds its folder to the path

RUN_LIMIT_S = 80 * 60 * PATIENCE  # the machine that checks each change stops after 90 minutes
AT_ONCE = 2  # test programs
UNSTABLE_MAX = 3
TRIED_AGAIN_MAX = 20  # more failures have one cause most likely, and would take too long
SLOWEST = 10
NAMES_MAX = 30


class Clock:
    """The times of the parts of the run, and what is left of its limit."""

    def __init__(self, already_s):
        self.begun = time.monotonic() - already_s
        self.parts = [("build", already_s)]

    def left_s(self):
        return max(1.0, self.begun + RUN_LIMIT_S - time.monotonic())

    def measured(self, part, run):
        began = time.monotonic()
        run()
        self.parts.append((part, time.monotonic() - began))

    def show(self):
        print("time of each part:")
        for part, seconds in self.parts:
            print(f"  {seconds / 60:6.1f} min  {part}")
        print(f"  {(time.monotonic() - self.begun) / 60:6.1f} min  all")


def run_program(folder, suite, clock):
    """Runs a test program. Its output is shown only if it fails."""
    file = folder / f"{suite}.log"
    folder.mkdir(parents=True, exist_ok=True)
    with open(file, "wb") as log:
        is_well = run_suite(folder, suite, limit_s=clock.left_s(), log=log)
    text = "" if is_well else file.read_text(errors="replace")
    print(f"{suite}: {'passed' if is_well else 'FAILED'}\n{text}", end="", flush=True)


def run_programs(folder, suites, clock):
    with ThreadPoolExecutor(AT_ONCE) as pool:
        list(pool.map(lambda suite: run_program(folder, suite, clock), suites))


@dataclass(frozen=True)
class Second:
    """A second try: the suspects that it must clear, and the tests that it runs; none means all."""
    folder: Path
    suspects: list
    tests: list

    def failed(self, suite):
        """Returns the suspects that were not cleared, and what failed beside them."""
        if not is_as_reported(self.folder, suite):
            return self.suspects or [suite]
        results = results_of(self.folder, suite)
        passed = {suite, *(test for test, each in results.items() if each.outcome == "passed")}
        return [*(test for test in self.suspects if test not in passed),
                *(test for test, each in results.items() if each.outcome in BAD)]


class Verdict:
    """What one suite showed in its first and, if it failed, in its second try.

    If the suite failed otherwise than by a test (it crashed, leaked memory or ran out of time), the
    suspect is the suite itself. If a test ran at that moment, it is a suspect of its own, and the
    others run again without it.
    """

    def __init__(self, results, suite):
        self.suite, self.folder, again = suite, results / "first", results / "again"
        first = self.folder
        self.first = results_of(first, suite)
        failed = [each.test for each in self.first.values() if each.outcome in BAD]
        stopped = "" if is_as_reported(first, suite) else text_of(first, suite, "running")
        if stopped:
            self.seconds = [Second(again, [], [f"-{stopped}"]),
                            Second(results / "alone", [stopped], [stopped])]
        elif not is_as_reported(first, suite):
            self.seconds = [Second(again, [suite, *failed], [])]
        else:
            self.seconds = [Second(again, failed, failed)] if failed else []
        self.suspects = [test for each in self.seconds for test in each.suspects]

    def try_again(self, clock):
        print(f"== second try of {self.suite}: {' '.join(self.suspects)}", flush=True)
        for each in self.seconds:
            run_suite(each.folder, self.suite, each.tests, clock.left_s())

    def exits(self):
        """Returns the exit codes of its runs."""
        folders = [self.folder, *(each.folder for each in self.seconds)]
        return [exit_of(folder, self.suite) for folder in folders]

    def results(self):
        """Returns the last result of each test."""
        results = dict(self.first)
        for each in self.seconds:
            results.update(results_of(each.folder, self.suite))
        return results

    def failed(self):
        """Returns the tests that failed in each of their tries."""
        return list(dict.fromkeys(test for each in self.seconds
                                  for test in each.failed(self.suite)))

    def unstable(self):
        failed = self.failed()
        return [test for test in self.suspects if test not in failed]


def count(verdicts, outcome):
    return sum(each.outcome == outcome for one in verdicts for each in one.results().values())


def show_slowest(verdicts):
    """Prints the slowest tests, and the slowest modules (files of tests, groups of GoogleTest)."""
    tests, modules = Counter(), Counter()
    for each in [each for one in verdicts for each in one.first.values()]:
        tests[f"{each.suite}: {each.test}"] += each.seconds
        modules[f"{each.suite}: {re.split('::|[.](?!py)', each.test)[0]}"] += each.seconds
    for what, times in (("modules", modules), ("tests", tests)):
        print(f"the {SLOWEST} slowest {what}:")
        for name, seconds in times.most_common(SLOWEST):
            print(f"  {seconds:6.0f} s  {name}")


def show_failed(verdicts, failed):
    late = [one.suite for one in verdicts if OUT_OF_TIME in one.exits()]
    if late:
        print(f"out of time: the run took longer than {RUN_LIMIT_S / 60:g} minutes; "
              f"these parts were stopped: {', '.join(late)}")
    results = {test: each for one in verdicts for test, each in one.results().items()}
    for test in failed[:NAMES_MAX]:
        is_missing = test in results and results[test].outcome == "not run"
        print(f"{'not run' if is_missing else 'failed'}: {test}")
    if len(failed) > NAMES_MAX:
        print(f"and {len(failed) - NAMES_MAX} more")


def show(verdicts, clock):
    """Prints the last lines, and returns whether the run passed."""
    for one in verdicts:
        print(f"{one.suite}: {count([one], 'passed')} passed, {len(one.failed())} failed, "
              f"{count([one], 'skipped')} skipped")
    clock.show()
    show_slowest(verdicts)
    failed = [test for one in verdicts for test in one.failed()]
    unstable = [test for one in verdicts for test in one.unstable()]
    show_failed(verdicts, failed)
    if unstable:
        print(f"unstable: {len(unstable)} ({', '.join(unstable)})")
    passed = count(verdicts, "passed")
    results = {test: each.outcome for one in verdicts for test, each in one.results().items()}
    if len(unstable) > UNSTABLE_MAX:
        print(f"more than {UNSTABLE_MAX} tests are unstable, so they count as failed")
        failed += unstable
        passed -= sum(results.get(test) == "passed" for test in unstable)
    print(f"{passed} passed, {len(failed)} failed")
    return not failed


def main(results, already_s, suites):
    clock, suites = Clock(already_s), list(dict.fromkeys(suites))
    programs = [suite for suite in PROGRAMS if suite in suites]
    if programs:
        print("== unit")
        clock.measured("unit", lambda: run_programs(results / "first", programs, clock))
    for suite in [suite for suite in OF_PYTEST if suite in suites]:
        print(f"== {suite}", flush=True)
        clock.measured(suite, lambda: run_suite(results / "first", suite, limit_s=clock.left_s()))
    verdicts = [Verdict(results, suite) for suite in suites]
    suspects = sum(len(one.suspects) for one in verdicts)
    if suspects > TRIED_AGAIN_MAX:
        print(f"no second try: {suspects} failed, and no more than {TRIED_AGAIN_MAX} are repeated")
    elif suspects:
        clock.measured("second try", lambda: [one.try_again(clock) for one in verdicts
                                              if one.suspects])
    return show(verdicts, clock)


if __name__ == "__main__":
    accept_interrupts()
    sys.exit(0 if main(Path(sys.argv[1]), int(sys.argv[2]), sys.argv[3:]) else 1)
