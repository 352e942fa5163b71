"""Compares the results of simulated traces with published results, and prints the tables."""

import statistics
from collections.abc import Callable
from dataclasses import dataclass

HEADINGS = ("workload", "setting", "figure", "ours", "published", "by", "ours to it", "target",
            "met")
PREEMPTION_HEADINGS = ("workload", "setting", "preemptions", "useless kills", "GPU-hours lost",
                       "GPU-hours lost a preemption")


@dataclass(frozen=True)
class Simulation:
    """A run of cox-simulate."""
    trace: str  # path below bench/traces, or below COX_TRACES
    # A value of --cluster, or the path of a table of nodes below the folder of the traces.
    cluster: str
    options: tuple = ()


@dataclass(frozen=True)
class Target:
    text: str
    reached: Callable  # (our value, published value) -> whether the target is met


def times(most):
    return Target(f"≤ {most:g} x", lambda ours, published: ours <= most * published)


def within(part):
    return Target(f"± {part * 100:g} %", lambda ours, published: abs(ours / published - 1) <= part)


def no_lower_than(difference):
    return Target(f"≥ {difference:+g}", lambda ours, published: ours - published >= difference)


def at_least(value):
    return Target(f"≥ {value:g}", lambda ours, _published: ours >= value)


@dataclass(frozen=True)
class Row:
    """One figure: the mean over some simulations, and the published value beside it."""
    workload: str
    setting: str
    figure: str
    simulations: tuple
    value: Callable  # (JSON of a simulation) -> the figure
    published: float
    source: str
    target: Target | None = None
    # True: our value and the published one are compared by their difference, not by their ratio.
    percent: bool = False

    def ours(self, results):
        """Returns our value of the figure, or None if a trace is absent."""
        if any(results[simulation] is None for simulation in self.simulations):
            return None
        return statistics.mean(self.value(results[simulation]) for simulation in self.simulations)

    def met(self, results):
        ours = self.ours(results)
        if ours is None:
            return "absent"
        if self.target is None:
            return "no target"
        return "yes" if self.target.reached(ours, self.published) else "no"

    def compared(self, ours):
        if self.percent:
            return f"{ours - self.published:+.2f}"
        return f"{ours / self.published:.3f} x"

    def as_dict(self, results):
        ours = self.ours(results)
        return {"workload": self.workload, "setting": self.setting, "figure": self.figure,
                "ours": ours, "published": self.published, "source": self.source,
                "target": self.target and self.target.text, "met": self.met(results)}

    def cells(self, results):
        ours = self.ours(results)
        return (self.workload, self.setting, self.figure,
                "absent" if ours is None else number(ours), number(self.published), self.source,
                "" if ours is None else self.compared(ours),
                self.target.text if self.target else "", self.met(results))


def number(value):
    return f"{value:,.0f}" if value >= 1000 else f"{value:.2f}"


def preemption_cells(row, results):
    """Returns the cells of a row, or None if its simulation preempted no job."""
    result = results[row.simulations[0]]
    if result is None or not result.get("summary", {}).get("preemptions"):
        return None
    summary = result["summary"]
    count, lost = summary["preemptions"], summary["lost_gpu_hours"]
    return (row.workload, row.setting, f"{count:,}", str(summary["useless_kills"]), f"{lost:.1f}",
            f"{lost / count:.3f}")


def print_cells(headings, lines):
    """Prints a table that is Markdown and has aligned columns."""
    widths = [max(len(line[i]) for line in [headings, *lines]) for i in range(len(headings))]
    for line in [headings, tuple("-" * width for width in widths), *lines]:
        print("| " + " | ".join(cell.ljust(width) for cell, width in zip(line, widths)) + " |")


def print_tables(rows, results):
    print_cells(HEADINGS, [row.cells(results) for row in rows])
    # Each different line of preemption figures once, in order.
    lines = dict.fromkeys(preemption_cells(row, results) for row in rows)
    lines.pop(None, None)
    if lines:
        print()
        print_cells(PREEMPTION_HEADINGS, list(lines))
    verdicts = [row.met(results) for row in rows]
    print(f"\n{verdicts.count('yes')} targets met, {verdicts.count('no')} not met, "
          f"{verdicts.count('absent')} rows absent")
    for row in rows:
        if row.met(results) == "no":
            print(f"not met: {row.workload}, {row.setting}, {row.figure}: "
                  f"{row.compared(row.ours(results))}, target {row.target.text}")
