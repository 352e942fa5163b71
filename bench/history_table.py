"""The records of earlier runs of ./dev bench (history.csv), and the comparison of a run with them.

The functions take figures as in table.py: with a name, a ratio, its bounds low and high, and lower,
which is true if less is better.
"""

import csv
import re
from dataclasses import astuple, dataclass, fields

HEADINGS = ("row", "recorded", "commit", "now", "change", "noise", "verdict")
SIZES = ("quick", "full")
# A smaller difference between two runs counts as noise, even if the rounds of each run agree: a row
# of one round has no spread, and each start of a cluster has some luck of its own.
NOISE_MIN = 0.1
WORSE = "WORSE"


@dataclass(frozen=True)
class Record:
    """One figure of one run: a line of history.csv."""
    commit: str
    date: str  # end of the run in UTC, in a form that sorts as text
    machine: str
    size: str  # one of SIZES
    row: str  # name of the figure
    ratio: float  # the median of the rounds
    low: float  # the lowest round
    high: float  # the highest round


COLUMNS = [field.name for field in fields(Record)]


def parse_record(cells):
    """Returns the record of one line. Raises ValueError if the line is malformed."""
    if len(cells) != len(COLUMNS):
        raise ValueError(f"the line has {len(cells)} cells instead of {len(COLUMNS)}")
    record = Record(*cells[:5], *map(float, cells[5:]))
    if not re.fullmatch(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ", record.date):
        raise ValueError(f"{record.date!r} is not a date like 2026-11-28T12:00:00Z")
    if record.size not in SIZES:
        raise ValueError(f"{record.size!r} is not a size ({' or '.join(SIZES)})")
    if not all(cells):
        raise ValueError("a cell is empty")
    if not 0 < record.low <= record.ratio <= record.high < float("inf"):
        raise ValueError(f"the numbers are not 0 < low <= ratio <= high: {cells[5:]}")
    return record


def read_history(file):
    """Returns the records of the file, the oldest first."""
    records = []
    with file.open(encoding="utf-8", newline="") as text:
        lines = csv.reader(text, strict=True)
        try:
            if next(lines, None) != COLUMNS:
                raise ValueError(f"the heading is not {','.join(COLUMNS)}")
            for cells in lines:
                records.append(parse_record(cells))
        except (ValueError, csv.Error) as error:
            raise SystemExit(f"bench: {file}, line {max(1, lines.line_num)}: {error}") from error
    return sorted(records, key=lambda record: record.date)


def append_history(file, records):
    with file.open("a", encoding="utf-8", newline="") as text:
        lines = csv.writer(text, lineterminator="\n")
        for record in records:
            *words, ratio, low, high = astuple(record)
            lines.writerow([*words, *(f"{number:.4g}" for number in (ratio, low, high))])


def machine_from(cpuinfo):
    """Returns the CPU model and the number of cores, from the text of /proc/cpuinfo."""
    model = re.search(r"^model name\s*: (.*)$", cpuinfo, re.MULTILINE)
    cores = len(re.findall(r"^processor\s*:", cpuinfo, re.MULTILINE))
    return f"{model[1].strip() if model else 'unknown CPU'}, {cores} cores"


def newest_rows(records, machine, size=None):
    """Returns the newest record of each row on this machine, by the row's name. All are of this
    size; without a size, of the size of the newest record. Returns {} if there is none."""
    ours = [record for record in records
            if record.machine == machine and size in (None, record.size)]
    return {record.row: record for record in ours if record.size == ours[-1].size}


def no_record(records, machine, size=None):
    """Returns a message for a machine that has no record of this size."""
    others = sorted({f"  {record.machine} ({record.size})" for record in records})
    found = "\n".join(["It has records of:", *others]) if others else "It has no records at all."
    return (f"history.csv has no {size + ' ' if size else ''}record of this machine ({machine}).\n"
            f"{found}\nMake one with './dev bench --quick --record'.")


def noise(record, figure):
    """Returns the relative difference up to which two runs of a row count as the same: the larger
    spread of the two, and at least NOISE_MIN."""
    return max(NOISE_MIN, *((one.high - one.low) / one.ratio for one in (record, figure)))


def change(record, figure):
    return figure.ratio / record.ratio - 1


def verdict(record, figure):
    """Compares a figure with its record. Both the ranges and the medians must differ."""
    if figure.low <= record.high and record.low <= figure.high:
        return "same"
    if abs(change(record, figure)) <= noise(record, figure):
        return "same"
    return "better" if (figure.ratio < record.ratio) == figure.lower else WORSE


def comparison(recorded, figures, expected=()):
    """Returns the rows of the table that compares figures with their records, by name. `expected`:
    names of records; a row says so if no figure has the name."""
    rows = [HEADINGS]
    for figure in figures:
        record = recorded.get(figure.name)
        now = f"{figure.ratio:.4g}"
        rows.append((figure.name, "", "", now, "", "", "no record") if record is None else (
            figure.name, f"{record.ratio:.4g}", record.commit, now,
            f"{change(record, figure):+.1%}", f"{noise(record, figure):.1%}",
            verdict(record, figure)))
    measured = {figure.name for figure in figures}
    for name in expected:
        if name not in measured:
            record = recorded[name]
            rows.append((name, f"{record.ratio:.4g}", record.commit, "", "", "", "not measured"))
    return rows
