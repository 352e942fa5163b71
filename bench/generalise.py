"""./dev bench --generalise: orders on logs that their constants were not chosen on. Here the
default order; estimates.py has the order gittins.

Each log is left out once, with all that was made from it (its parts, and the same on faster or more
loaded clusters). On the other logs the best candidate is chosen; then it is measured on those that
were left out. Only these figures count. A candidate is a way to keep jobs
from starving: a fixed max_age, or one that follows from the waits of late (wait_memory).
"""

import csv
import gzip
import json
import math
import random
import statistics
import tempfile
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path

from estimates import bench_estimates
from synthetic import limit_for, lublin, read_swf, scaled, write_swf
from trace_table import Simulation, print_cells
from traces import FIRST_SEED, find_trace, simulate_all

SLOWDOWN_MAX = 0.75  # of FCFS with EASY backfill, as is the next
WAIT_MAX = 1.5
PHILLY_CLUSTERS = 6
JOBS_MAX = 12_000  # of a log; more would only take longer
MODEL_JOBS = 6_000
DAY_S = 86_400

CANDIDATES = {
    f"max_age {days} d": ("--weights", f"age=350,max_age={days * DAY_S},max_age_min={days * DAY_S}")
    for days in (1, 3, 10, 30)
} | {
    f"wait_memory {times}": ("--weights", f"wait_memory={times}") for times in (2, 5, 10, 20, 40)
}
BEFORE = "max_age 10 d"  # the default until it followed from the waits
EASY = ("--order", "fcfs")
HEADINGS = ("log that was left out", "chosen", "slowdown and longest wait of EASY's",
            f"with {BEFORE}")
TOTALS = ("candidate", "both targets met", "slowdown, geometric mean",
          "longest wait, geometric mean", "longest wait, worst")


@dataclass(frozen=True)
class Log:
    """A log of jobs. Logs of the same source are left out together."""
    source: str
    name: str
    processors: int
    jobs: tuple


@dataclass(frozen=True)
class Score:
    """Mean bounded slowdown and longest wait of a candidate on a log, as parts of EASY's."""
    slowdown: float
    wait: float

    @property
    def met(self):
        return self.slowdown <= SLOWDOWN_MAX and self.wait <= WAIT_MAX


def chosen(scores, left_out):
    """Returns the candidate with the least slowdown (geometric mean) of those that meet both
    targets on as many logs of other sources as the best candidate does, less one standard error: a
    smaller difference is chance (Breiman et al., "Classification and Regression Trees", 1984,
    3.4.3). `scores`: {candidate: {log: score}}."""
    others = {candidate: [one for log, one in of.items() if log.source != left_out]
              for candidate, of in scores.items()}
    met = {candidate: sum(one.met for one in of) for candidate, of in others.items()}
    best, count = max(met.values()), len(next(iter(others.values())))
    error = math.sqrt(best * (count - best) / count)
    return min((candidate for candidate in others if met[candidate] >= best - error),
               key=lambda candidate: statistics.geometric_mean(
                   one.slowdown for one in others[candidate]))


# ---- the logs -----------------------------------------------------------------------------------


def variants(name, processors, jobs):
    """Returns the log itself, its second half, and the log on clusters that are 10 and 50 times as
    fast."""
    changed = {"": jobs, ", second half": jobs[len(jobs) // 2:], ", times x 0.1": scaled(jobs, 0.1),
               ", times x 0.02": scaled(jobs, 0.02)}
    return [Log(name, name + what, processors, tuple(some)) for what, some in changed.items()]


def published_logs():
    logs = []
    for name, file, processors in (("lublin_256", "lublin_256", 256),
                                   ("hpc2n", "hpc2n_first3145", 240),
                                   ("theta2023", "theta2023_walltime", 4392)):
        path = find_trace(f"swf/{file}.swf.gz")
        if path is not None:
            logs += variants(name, processors, read_swf(path, processors))
    return logs


def philly_logs():
    """Returns the jobs of the largest virtual clusters of Philly, each on so many GPUs that they
    are busy for 70 or 90 % of the time. The trace has no time limits, so they are drawn."""
    path = find_trace("gpu-jct/philly_all_jobs.csv.gz")
    if path is None:
        return []
    rng = random.Random(FIRST_SEED)
    clusters = {}
    with gzip.open(path, "rt") as text:
        for row in csv.DictReader(text):
            run, size = float(row["duration"]), int(row["num_gpus"])
            if run > 0 and size > 0:
                at = datetime.fromisoformat(row["timestamp"]).timestamp()
                clusters.setdefault(row["cluster"], []).append(
                    (at, run, size, limit_for(run, rng)))
    logs = []
    for name in sorted(clusters, key=lambda one: -len(clusters[one]))[:PHILLY_CLUSTERS]:
        jobs = sorted(clusters[name], key=lambda job: job[0])[:JOBS_MAX]
        begun = jobs[0][0]
        jobs = tuple((at - begun, *rest) for at, *rest in jobs)
        work = sum(run * size for _, run, size, _ in jobs)
        for load in (0.7, 0.9):
            gpus = max(math.ceil(work / jobs[-1][0] / load), *(size for _, _, size, _ in jobs))
            title = f"Philly {name}, load {load}"
            logs += [Log(name, title, gpus, jobs),
                     Log(name, f"{title}, times x 0.1", gpus, tuple(scaled(jobs, 0.1)))]
    return logs


def model_logs():
    titles = {(processors, load, seed): f"model, {processors} processors, load {load}, seed {seed}"
              for processors in (64, 128, 512) for load in (0.5, 0.7, 0.9)
              for seed in (FIRST_SEED, FIRST_SEED + 1)}
    return [Log(title, title, processors, tuple(lublin(processors, MODEL_JOBS, load, seed)))
            for (processors, load, seed), title in titles.items()]


# ---- running ------------------------------------------------------------------------------------


def score_all(program, logs, folder, say):
    """Returns {candidate: {log: score}}."""
    runs = {}
    for number, log in enumerate(logs):
        trace = folder / f"{number}.swf"
        write_swf(trace, log.jobs)
        for name, options in {**CANDIDATES, "EASY": EASY}.items():
            runs[name, log] = Simulation(str(trace), f"procs={log.processors}", options)
    results = simulate_all(program, list(runs.values()), say)

    def figures(name, log):
        summary = results[runs[name, log]]["summary"]
        return summary["bounded_slowdown"]["mean"], summary["wait_s"]["max"]

    def score(name, log):
        ours, easy = figures(name, log), figures("EASY", log)
        return Score(ours[0] / easy[0], ours[1] / max(easy[1], 1))

    return {name: {log: score(name, log) for log in logs} for name in CANDIDATES}


def mark(score):
    return f"{score.slowdown:.3f} x, {score.wait:.2f} x{'' if score.met else ' (no)'}"


def total_cells(name, scores):
    return (name, f"{sum(one.met for one in scores)} of {len(scores)}",
            f"{statistics.geometric_mean(one.slowdown for one in scores):.3f} x",
            f"{statistics.geometric_mean(one.wait for one in scores):.2f} x",
            f"{max(one.wait for one in scores):.2f} x")


def generalise_default(program, folder, say):
    """Prints the tables of the default order. Returns what `--json` writes."""
    logs = published_logs() + philly_logs() + model_logs()
    scores = score_all(program, logs, folder, say)
    lines, left = [], []
    for log in logs:
        candidate = chosen(scores, log.source)
        left.append((log, candidate, scores[candidate][log]))
        lines.append((log.name, candidate, mark(scores[candidate][log]),
                      mark(scores[BEFORE][log])))
    print_cells(HEADINGS, lines)
    print()
    everything = {"chosen without the log": [one for _, _, one in left],
                  **{name: list(of.values()) for name, of in scores.items()}}
    print_cells(TOTALS, [total_cells(name, of) for name, of in everything.items()])
    return [{"source": log.source, "log": log.name, "chosen": candidate,
             "slowdown_of_easy": one.slowdown, "longest_wait_of_easy": one.wait}
            for log, candidate, one in left]


def bench_generalise(program, json_file, say):
    with tempfile.TemporaryDirectory(prefix="cox-bench-") as folder:
        of_default = generalise_default(program, Path(folder), say)
        print()
        of_gittins = bench_estimates(program, Path(folder), say)
    if json_file:
        json_file.write_text(json.dumps({"multifactor": of_default, "gittins": of_gittins},
                                        indent=2) + "\n")
