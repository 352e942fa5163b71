"""The second part of ./dev bench --generalise: the order gittins on logs that its weights were not
chosen on. It estimates how long jobs will run from how long earlier jobs ran (lifetimes.h).

Each source is left out once: a virtual cluster of Philly, with the traces of Muri that were made
from its jobs. On the other sources the best candidate is chosen, and it is measured on the logs
that were left out. The figure is the mean completion time, as a part of that of least_attained,
which is Tiresias without knowledge of run times.
"""

import csv
import gzip
import math
import statistics
from dataclasses import dataclass
from datetime import datetime

from trace_table import Simulation, print_cells
from traces import MURI_CLUSTER, RESTART_S, find_trace, simulate_all

CLUSTER_JOBS_MIN = 400  # smaller virtual clusters say little
CLUSTER_JOBS_MAX = 6_000
LOAD = 0.9
GPUS_PER_NODE = 8
# At least 36 % of the durations of each trace occur in this virtual cluster, and at most 19 % in
# any other.
MURI_SOURCES = {"trace1": "7f04ca", "trace3": "2869ce", "cluster_trace": "2869ce"}

CANDIDATES = tuple(f"preempt_below={below}" for below in (0.1, 0.2, 0.35, 0.5, 0.7))
DEFAULT = "preempt_below=0.2"
PROGRESS = (0.5, 1)  # part of the jobs that report their progress
PEER, KNOWN = ("--order", "least_attained"), ("--order", "shortest_remaining")
HEADINGS = ("log that was left out", "chosen", "of least_attained's", "the default",
            "half of the jobs report", "all report", "run times known",
            "preemptions", "of least_attained")


@dataclass(frozen=True)
class GpuLog:
    """A log of jobs with GPUs. Logs of the same source are left out together."""
    source: str
    name: str
    trace: str
    nodes: int


def gittins(candidate, progress=0):
    return ("--order", "gittins", "--weights", candidate, "--progress", str(progress))


@dataclass(frozen=True)
class Score:
    """Mean completion time of a candidate on a log, as a part of the peer's, and preemptions."""
    part: float
    preemptions: int


def mean(scores):
    return statistics.geometric_mean(one.part for one in scores)


def chosen(scores, left_out):
    """Returns the candidate with the fewest preemptions of those that are no worse, on the logs of
    other sources, than the best candidate plus a standard error of the difference. A smaller
    difference is chance (Breiman et al., "Classification and Regression Trees", 1984, 3.4.3), and
    each preemption costs more than the simulated restart. `scores`: {candidate: {log: score}}."""
    others = {candidate: {log: one for log, one in of.items() if log.source != left_out}
              for candidate, of in scores.items()}
    best = min(others, key=lambda candidate: mean(others[candidate].values()))

    def is_as_good(candidate):
        by_source = {}
        for log, one in others[candidate].items():
            by_source.setdefault(log.source, []).append(
                math.log(one.part / others[best][log].part))
        worse = [statistics.mean(of) for of in by_source.values()]
        error = statistics.stdev(worse) / math.sqrt(len(worse)) if len(worse) > 1 else 0
        return statistics.mean(worse) <= error

    return min(filter(is_as_good, others),
               key=lambda candidate: sum(one.preemptions for one in others[candidate].values()))


# ---- the logs -----------------------------------------------------------------------------------


def muri_logs():
    return [GpuLog(source, f"muri {name.removesuffix('_trace')}", f"gpu-jct/muri_{name}.csv.gz",
                   int(MURI_CLUSTER.split("=")[1].split(",")[0]))
            for name, source in MURI_SOURCES.items()]


def nodes_for(jobs):
    """Returns how many nodes the jobs (at, run, GPUs) keep busy for LOAD of the time."""
    work = sum(run * size for _, run, size in jobs)
    gpus = max(work / (jobs[-1][0] - jobs[0][0]) / LOAD, *(size for *_, size in jobs))
    return math.ceil(gpus / GPUS_PER_NODE)


def philly_logs(folder):
    """Writes the first jobs of each virtual cluster into the folder, in the format of Muri."""
    path = find_trace("gpu-jct/philly_all_jobs.csv.gz")
    clusters = {}
    if path is not None:
        with gzip.open(path, "rt") as text:
            for row in csv.DictReader(text):
                run, size = float(row["duration"]), int(row["num_gpus"])
                if run > 0 and size > 0:
                    clusters.setdefault(row["cluster"], []).append(
                        (datetime.fromisoformat(row["timestamp"]).timestamp(), run, size))
    logs = []
    for name in sorted(clusters, key=lambda one: -len(clusters[one])):
        jobs = sorted(clusters[name])[:CLUSTER_JOBS_MAX]
        if len(jobs) < CLUSTER_JOBS_MIN:
            continue
        trace = folder / f"philly_{name}.csv"
        with trace.open("w") as text:
            text.write("job_id,num_gpu,submit_time,duration\n")
            for number, (at, run, size) in enumerate(jobs, 1):
                text.write(f"{number},{size},{1000 * (at - jobs[0][0]):.0f},{1000 * run:.0f}\n")
        logs.append(GpuLog(name, f"Philly {name}", str(trace), nodes_for(jobs)))
    return logs


# ---- running ------------------------------------------------------------------------------------


def simulation(log, options):
    return Simulation(log.trace, f"nodes={log.nodes},gpus={GPUS_PER_NODE}",
                      (*options, "--restart-time", str(RESTART_S)))


def run_all(program, pairs, say):
    """Returns {(options, log): (mean completion time, number of preemptions)}."""
    runs = {(options, log): simulation(log, options) for options, log in pairs}
    results = simulate_all(program, list(runs.values()), say)
    summaries = {pair: results[run]["summary"] for pair, run in runs.items()}
    return {pair: (summary["completion_s"]["mean"], summary["preemptions"])
            for pair, summary in summaries.items()}


def print_totals(scores, picks):
    def cells(name, of):
        return (name, f"{mean(of):.3f} x", f"{max(one.part for one in of):.3f} x",
                f"{sum(one.preemptions for one in of):,}")
    print()
    without = [scores[pick][log] for log, pick in picks.items()]
    print_cells(("candidate", "of least_attained's, geometric mean", "worst", "preemptions"),
                [cells("chosen without the log", without),
                 *(cells(name, of.values()) for name, of in scores.items())])


def bench_estimates(program, folder, say):
    """Prints the tables. Returns what `--json` writes."""
    logs = muri_logs() + philly_logs(folder)
    settings = (PEER, KNOWN, *map(gittins, CANDIDATES))
    runs = run_all(program, [(options, log) for options in settings for log in logs], say)

    def score(options, log):
        completion, preemptions = runs[options, log]
        return Score(completion / runs[PEER, log][0], preemptions)

    scores = {candidate: {log: score(gittins(candidate), log) for log in logs}
              for candidate in CANDIDATES}
    picks = {log: chosen(scores, log.source) for log in logs}
    runs |= run_all(program, [(gittins(pick, part), log) for part in PROGRESS
                              for log, pick in picks.items()], say)
    lines, columns = [], []
    for log, pick in picks.items():
        columns.append([scores[pick][log], scores[DEFAULT][log],
                        *(score(gittins(pick, part), log) for part in PROGRESS),
                        score(KNOWN, log)])
        lines.append((log.name, pick, *(f"{one.part:.3f} x" for one in columns[-1]),
                      f"{scores[pick][log].preemptions:,}", f"{runs[PEER, log][1]:,}"))
    lines.append(("geometric mean", "", *(f"{mean(of):.3f} x" for of in zip(*columns)), "", ""))
    print_cells(HEADINGS, lines)
    print_totals(scores, picks)
    return [{"source": log.source, "log": log.name, "candidate": pick,
             "parts": dict(zip(HEADINGS[2:], (one.part for one in column)))}
            for (log, pick), column in zip(picks.items(), columns)]
