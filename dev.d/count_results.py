"""Sums up JUnit files: count_results.py FOLDER TIMES [SUITE THAT FAILED...]

TIMES has a line "NAME SECONDS" for each part of the run. Prints the counts of each file, the time
of each part and the slowest tests. The last line is "N passed, N failed". If a suite failed but no
file names a failed test (it crashed, or ran out of time), it counts as one. Exits 1 if anything
failed.
"""

import sys
import xml.etree.ElementTree as xml
from pathlib import Path

SLOWEST = 10


def count(cases):
    """Returns how many of the test cases passed, failed and were skipped."""
    passed = failed = skipped = 0
    for case in cases:
        if case.find("failure") is not None or case.find("error") is not None:
            failed += 1
        elif case.find("skipped") is not None:
            skipped += 1
        else:
            passed += 1
    return passed, failed, skipped


def print_times(times, cases):
    """Prints the time of each part, and the slowest tests."""
    print("time of each part:")
    for line in times.splitlines():
        name, seconds = line.split()
        print(f"  {int(seconds):6} s  {name}")
    print(f"the {SLOWEST} slowest tests:")
    by_time = sorted(cases, key=lambda case: float(case.get("time", 0)), reverse=True)
    for case in by_time[:SLOWEST]:
        name = f"{case.get('classname')}.{case.get('name')}"
        print(f"  {float(case.get('time', 0)):6.0f} s  {name}")


def main(folder, times, failed_suites):
    totals = [0, 0, 0]
    all_cases = []
    for file in sorted(Path(folder).glob("*.xml")):
        cases = list(xml.parse(file).iter("testcase"))
        all_cases += cases
        counts = count(cases)
        print(f"{file.stem}: {counts[0]} passed, {counts[1]} failed, {counts[2]} skipped")
        totals = [total + one for total, one in zip(totals, counts)]
    print_times(times, all_cases)
    failed = totals[1] or len(failed_suites)
    print(f"{totals[0]} passed, {failed} failed")
    return 1 if failed else 0


sys.exit(main(sys.argv[1], sys.argv[2], sys.argv[3:]))
