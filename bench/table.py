"""One figure of the benchmark, and the table of all."""

from dataclasses import dataclass

HEADINGS = ("what", "value", "unit", "beside", "its value", "at least", "aim", "ratio", "met")


@dataclass
class Figure:
    name: str
    value: float
    unit: str
    reference: float
    reference_name: str
    at_least: float
    aim: float
    lower: bool  # less is better: "at least" and "aim" are the most it may be

    @property
    def ratio(self):
        return self.value / self.reference

    @property
    def met(self):
        reaches = (lambda target: self.ratio <= target) if self.lower else (
            lambda target: self.ratio >= target)
        return "aim" if reaches(self.aim) else "yes" if reaches(self.at_least) else "no"

    def as_dict(self):
        return {"name": self.name, "value": self.value, "unit": self.unit,
                "reference": self.reference_name, "reference_value": self.reference,
                "target_ratio": self.at_least, "aim_ratio": self.aim, "lower_is_better": self.lower,
                "ratio": self.ratio, "met": self.met}

    def cells(self):
        sign = "≤" if self.lower else "≥"
        return (self.name, f"{self.value:.4g}", self.unit, self.reference_name,
                f"{self.reference:.4g}", f"{sign} {self.at_least:g}", f"{sign} {self.aim:g}",
                f"{self.ratio:.2f}", self.met)


def print_table(figures):
    rows = [HEADINGS] + [figure.cells() for figure in figures]
    widths = [max(len(row[i]) for row in rows) for i in range(len(HEADINGS))]
    for row in rows:
        print("  ".join(cell.ljust(width) for cell, width in zip(row, widths)).rstrip())
