"""./dev bench --record and --compare: appends a run to history.csv, and compares a run with it.

Both take `measure`, which measures the groups that the options select and returns their figures.
"""

import subprocess
import sys
from datetime import UTC, datetime
from pathlib import Path

from history_table import (WORSE, Record, append_history, comparison, machine_from, newest_rows,
                           no_record, read_history, verdict)
from table import print_rows

ROOT = Path(__file__).resolve().parent.parent
HISTORY = "bench/history.csv"


def this_machine():
    return machine_from(Path("/proc/cpuinfo").read_text())


def git(*words):
    done = subprocess.run(["git", *words], cwd=ROOT, capture_output=True, text=True)
    if done.returncode != 0:
        raise SystemExit(f"bench: git {' '.join(words)}: {done.stderr.strip()}")
    return done.stdout.rstrip()


def bench_record(options, measure):
    """Measures, and appends the figures to history.csv."""
    read_history(ROOT / HISTORY)  # a malformed file ends the program before the measurement
    changes = git("status", "--porcelain", "--", ".", f":!{HISTORY}")
    if changes:
        raise SystemExit("bench: a record names the commit that was measured, but the tree has "
                         f"uncommitted changes. Commit or stash them first:\n{changes}")
    commit, size = git("rev-parse", "--short=10", "HEAD"), "quick" if options.quick else "full"
    figures = measure(options)
    date = datetime.now(UTC).strftime("%Y-%m-%dT%H:%M:%SZ")
    append_history(ROOT / HISTORY, [
        Record(commit, date, this_machine(), size, figure.name, figure.ratio, figure.low,
               figure.high) for figure in figures])


def bench_compare(options, measure):
    """Measures, and compares the figures with the newest records of this machine. A group with a
    figure that seems worse is measured once more. Returns the exit code."""
    records, machine = read_history(ROOT / HISTORY), this_machine()
    size = "quick" if options.quick else None
    recorded = newest_rows(records, machine, size)
    if not recorded:
        print(f"bench: {no_record(records, machine, size)}", file=sys.stderr)
        return 2
    options.quick = next(iter(recorded.values())).size == "quick"

    def is_worse(figure):
        return figure.name in recorded and verdict(recorded[figure.name], figure) == WORSE

    figures = measure(options, is_worse)
    print()
    print_rows(comparison(recorded, figures, expected=() if options.only else recorded))
    return int(any(map(is_worse, figures)))
