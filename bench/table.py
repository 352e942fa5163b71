"""A figure of the benchmark, and the table of all figures."""

import statistics
from dataclasses import dataclass, field

HEADINGS = ("what", "amount", "value", "unit", "beside", "its value", "at least", "aim", "ratio",
            "spread", "met")


@dataclass
class Figure:
    """One row of the table. Each round measures its value and its reference; the table has the
    medians of the rounds."""
    name: str  # stays the same from run to run, whatever the amount of work
    amount: str  # of work, such as "1,000 jobs"; may be empty
    unit: str
    reference_name: str
    at_least: float
    aim: float
    lower: bool  # true: less is better, and "at least" and "aim" are upper bounds
    rounds: list = field(default_factory=list)  # (value, reference)

    @property
    def value(self):
        return statistics.median(value for value, _ in self.rounds)

    @property
    def reference(self):
        return statistics.median(reference for _, reference in self.rounds)

    @property
    def ratios(self):
        return [value / reference for value, reference in self.rounds]

    @property
    def ratio(self):
        return statistics.median(self.ratios)

    @property
    def low(self):
        return min(self.ratios)

    @property
    def high(self):
        return max(self.ratios)

    @property
    def met(self):
        reaches = (lambda target: self.ratio <= target) if self.lower else (
            lambda target: self.ratio >= target)
        return "aim" if reaches(self.aim) else "yes" if reaches(self.at_least) else "no"

    def as_dict(self):
        return {"name": self.name, "amount": self.amount, "value": self.value, "unit": self.unit,
                "reference": self.reference_name, "reference_value": self.reference,
                "target_ratio": self.at_least, "aim_ratio": self.aim, "lower_is_better": self.lower,
                "ratio": self.ratio, "low": self.low, "high": self.high, "met": self.met}

    def cells(self):
        sign = "≤" if self.lower else "≥"
        return (self.name, self.amount, f"{self.value:.4g}", self.unit, self.reference_name,
                f"{self.reference:.4g}", f"{sign} {self.at_least:g}", f"{sign} {self.aim:g}",
                f"{self.ratio:.2f}", f"{self.low:.2f} to {self.high:.2f}", self.met)


def print_rows(rows):
    widths = [max(map(len, column)) for column in zip(*rows)]
    for row in rows:
        print("  ".join(cell.ljust(width) for cell, width in zip(row, widths)).rstrip())


def print_table(figures, unfinished=None):
    """Prints a row for each figure. `unfinished` has the reason for each group that failed."""
    print_rows([HEADINGS, *(figure.cells() for figure in figures)])
    for group, why in (unfinished or {}).items():
        print(f"{group}  is not finished: {why}")
