"""Sums up JUnit files: count_results.py FOLDER [SUITE THAT FAILED...]

The last line is "N passed, N failed". A suite that failed while no file names a failed test (it
crashed, or ran out of time) counts as one. Exits 1 when anything failed.
"""

import sys
import xml.etree.ElementTree as xml
from pathlib import Path


def count(file):
    """Passed, failed and skipped of one file."""
    passed = failed = skipped = 0
    for case in xml.parse(file).iter("testcase"):
        if case.find("failure") is not None or case.find("error") is not None:
            failed += 1
        elif case.find("skipped") is not None:
            skipped += 1
        else:
            passed += 1
    return passed, failed, skipped


def main(folder, failed_suites):
    totals = [0, 0, 0]
    for file in sorted(Path(folder).glob("*.xml")):
        counts = count(file)
        print(f"{file.stem}: {counts[0]} passed, {counts[1]} failed, {counts[2]} skipped")
        totals = [total + one for total, one in zip(totals, counts)]
    failed = totals[1] or len(failed_suites)
    print(f"{totals[0]} passed, {failed} failed")
    return 1 if failed else 0


sys.exit(main(sys.argv[1], sys.argv[2:]))
