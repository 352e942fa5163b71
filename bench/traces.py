"""./dev bench --traces: compares the scheduling engine's decisions on published traces with the
published results. bench/traces/README.md has the origins of the files and the rules."""

import csv
import gzip
import json
import os
import statistics
import subprocess
import tempfile
import time
from concurrent.futures import ThreadPoolExecutor, as_completed
from pathlib import Path

from trace_table import (Row, Simulation, at_least, no_lower_than, print_tables, times, within)

OWN_TRACES = Path(__file__).resolve().parent / "traces"
FIRST_SEED = 42
# (log, processors, target). The target: the mean bounded slowdown of the default order is at most
# this part of EASY's.
LOGS = (("lublin_256", 256, 0.55), ("hpc2n_first3145", 240, 0.75),
        ("theta2023_walltime", 4392, 0.45))
MAX_WAIT_TIMES = 1.5
SAME_WAITS = 0.001
MURI_CLUSTER = "nodes=8,gpus=8"
# Time that a preempted job needs to restart, as on Muri's testbed (bench/measured.md).
RESTART_S = 66
OPENB_NODES = "fgd-openb/openb_node_list_gpu_node.csv"
OPENB_MEANS = ((100, 93.9), (130, 94.7))
OPENB_BELOW_FGD = -0.3
GPUSPEC33_AT_100 = 87


def find_trace(file):
    """Returns the path of a trace, or None if neither bench/traces nor COX_TRACES has it."""
    folders = [OWN_TRACES]
    if os.environ.get("COX_TRACES"):
        folders.append(Path(os.environ["COX_TRACES"]))
    return next((folder / file for folder in folders if (folder / file).is_file()), None)


def table(file):
    """Returns the rows of a CSV file of bench/traces."""
    path = OWN_TRACES / file
    opened = gzip.open(path, "rt") if path.suffix == ".gz" else path.open()
    with opened as lines:
        return list(csv.DictReader(lines))


def mean_of(file, column):
    return statistics.mean(float(record[column]) for record in table(file))


def of_summary(*path):
    def value(result):
        found = result["summary"]
        for name in path:
            found = found[name]
        return found
    return value


def allocated_at(demand):
    return lambda result: result["gpu_allocated_pct_by_demand_pct"][demand]


# ---- the rows -----------------------------------------------------------------------------------


def log_rows():
    """Returns the rows of HPC logs: the exact waits of first come, first served, and the figures of
    the default order."""
    reference = {(row["log"], row["backfill"]): row for row in table("swf/reference_results.csv")
                 if row["order"] == "fcfs"}
    wait, slowdown = of_summary("wait_s", "mean"), of_summary("bounded_slowdown", "mean")
    rows, ordered = [], []
    for file, procs, slowdown_times in LOGS:
        log = file.removesuffix("_walltime")
        trace, cluster = f"swf/{file}.swf.gz", f"procs={procs}"
        for backfill in ("easy", "none"):
            simulation = Simulation(trace, cluster, ("--order", "fcfs", "--backfill", backfill))
            rows.append(Row(log, f"fcfs, {backfill}", "mean wait, s", (simulation,), wait,
                            float(reference[log, backfill]["avg_wait_s"]), "reference",
                            within(SAME_WAITS)))
        easy = reference[log, "easy"]
        beside = (log, "default", (Simulation(trace, cluster),), "FCFS + EASY")
        ordered += [
            default_row(*beside, "mean bounded slowdown", slowdown, easy["avg_bsld_10s"],
                        slowdown_times),
            default_row(*beside, "max wait, s", of_summary("wait_s", "max"), easy["max_wait_s"],
                        MAX_WAIT_TIMES)]
    return rows + ordered


def default_row(log, setting, simulations, source, figure, value, published, most):
    return Row(log, setting, figure, simulations, value, float(published), source, times(most))


def oracle_rows():
    wait = of_summary("wait_s", "mean")
    rows = []
    for backfill, target in (("easy", times(1)), ("conservative", None)):
        simulation = Simulation("oracle-easy/medium_late.json.gz", "procs=32",
                                ("--order", "fcfs", "--backfill", backfill))
        published = mean_of(f"oracle-easy/batsim_{backfill}_out_jobs.csv.gz", "waiting_time")
        rows.append(Row("medium_late", f"fcfs, {backfill}", "mean wait, s", (simulation,), wait,
                        published, "Batsim", target))
    return rows


def muri_rows():
    """Returns the rows of GPU jobs that may be preempted: their mean completion time."""
    simulated = {(row["trace"], row["policy"]): float(row["avg_jct_s"])
                 for row in table("gpu-jct/muri_published_sim.csv")}
    testbed = {policy: mean_of(f"gpu-jct/muri_cluster_result_{policy}.csv.gz", "JCT")
               for policy in ("SRTF", "tiresias")}
    rows = []
    for order, beside in (
            ("shortest_remaining", (("trace1", "SRSF", simulated["trace1", "SRSF"], 0.975),
                                    ("trace3", "SRSF", simulated["trace3", "SRSF"], 0.94),
                                    ("cluster_trace", "SRTF", testbed["SRTF"], 0.9))),
            ("gittins", (("trace1", "Tiresias-L", simulated["trace1", "Tiresias-L"], 0.5),
                         ("trace3", "Tiresias-L", simulated["trace3", "Tiresias-L"], 0.5),
                         ("cluster_trace", "Tiresias", testbed["tiresias"], None)))):
        for trace, source, published, most in beside:
            simulation = Simulation(f"gpu-jct/muri_{trace}.csv.gz", MURI_CLUSTER,
                                    ("--order", order, "--restart-time", str(RESTART_S)))
            rows.append(Row(f"muri {trace.removesuffix('_trace')}", order, "mean completion, s",
                            (simulation,), of_summary("completion_s", "mean"), published, source,
                            times(most) if most else None))
    return rows


def openb_rows(seeds):
    """Returns the rows that show how full a GPU cluster gets, as means over the seeds."""
    fgd = {row["workload"]: row for row in table("fgd-openb/published_alloc_summary.csv")
           if row["policy"].endswith("FGD")}
    simulations = {
        workload: tuple(Simulation(f"fgd-openb/openb_pod_list_{workload}.csv.gz", OPENB_NODES,
                                   ("--seed", str(seed)))
                        for seed in range(FIRST_SEED, FIRST_SEED + seeds)) for workload in fgd}

    def row(workload, demand, published, runs, target):
        return Row(f"openb {workload}", f"{demand} % asked for", "GPUs allocated, %", runs,
                   allocated_at(demand), published, "FGD", target, percent=True)

    def published_at(demand, workload):
        return float(fgd[workload][f"alloc_pct_at_{demand}_mean"])

    rows = [row(workload, demand, published_at(demand, workload), simulations[workload],
                no_lower_than(OPENB_BELOW_FGD))
            for workload in fgd for demand, _ in OPENB_MEANS]
    everything = tuple(run for runs in simulations.values() for run in runs)
    rows += [row("mean of all", demand,
                 statistics.mean(published_at(demand, workload) for workload in fgd), everything,
                 at_least(least)) for demand, least in OPENB_MEANS]
    rows.append(row("gpuspec33", 100, published_at(100, "gpuspec33"), simulations["gpuspec33"],
                    at_least(GPUSPEC33_AT_100)))
    return rows


# ---- running ------------------------------------------------------------------------------------


def simulate(program, simulation, folder):
    """Returns the simulation's JSON without the jobs, or None if the trace is absent."""
    trace = find_trace(simulation.trace)
    if trace is None:
        return None
    cluster = find_trace(simulation.cluster) or simulation.cluster
    with tempfile.NamedTemporaryFile(dir=folder, suffix=".json") as written:
        done = subprocess.run([program, "--trace", trace, "--cluster", cluster, "--json",
                               written.name, *simulation.options], capture_output=True, text=True)
        if done.returncode != 0:
            raise SystemExit(f"bench: {simulation.trace}: {done.stderr.strip()}")
        result = json.load(written)
    result.pop("jobs", None)
    summary = result.get("summary")
    if summary and summary["jobs_ended"] < summary["jobs"]:
        raise SystemExit(f"bench: {simulation.trace}: only {summary['jobs_ended']} of "
                         f"{summary['jobs']} jobs ended, so nothing compares with it")
    return result


def simulate_all(program, simulations, say):
    """Returns {simulation: its result}. Runs as many simulations at a time as there are cores."""
    cores = len(os.sched_getaffinity(0))
    began = time.monotonic()
    results = {}
    with tempfile.TemporaryDirectory(prefix="cox-bench-") as folder, \
            ThreadPoolExecutor(cores) as pool:
        running = {pool.submit(simulate, program, simulation, folder): simulation
                   for simulation in simulations}
        try:
            for future in as_completed(running):
                simulation = running[future]
                results[simulation] = future.result()
                absent = " is absent" if results[simulation] is None else ""
                say(f"{len(results)} of {len(running)} after {time.monotonic() - began:.0f} s: "
                    f"{' '.join([simulation.trace, *simulation.options])}{absent}")
        finally:  # after a failure, no further simulation begins
            pool.shutdown(cancel_futures=True)
    return results


def bench_traces(program, seeds, json_file, say):
    rows = log_rows() + oracle_rows() + muri_rows() + openb_rows(seeds)
    simulations = dict.fromkeys(simulation for row in rows for simulation in row.simulations)
    results = simulate_all(program, simulations, say)
    print_tables(rows, results)
    absent = sorted({simulation.trace for simulation in simulations if results[simulation] is None})
    if absent:
        print(f"absent: {', '.join(absent)}: no licence allows a copy in bench/traces; set "
              "COX_TRACES to a folder that has them")
    if json_file:
        written = [row.as_dict(results) for row in rows]
        json_file.write_text(json.dumps(written, indent=2) + "\n")
