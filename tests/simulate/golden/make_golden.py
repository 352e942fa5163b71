#!/usr/bin/python3
"""Writes the golden schedules that tests of the simulator expect: when each job of a published log
starts under first come, first served with EASY backfilling, if only numbers of processors count.
The rules are those of bench/traces/README.md for reference_results.csv. This program shares no code
with the scheduling engine, and checks its results against that table.

    tests/simulate/golden/make_golden.py FOLDER     FOLDER has the traces, laid out as bench/traces
"""

import csv
import gzip
import heapq
import sys
from pathlib import Path

HERE = Path(__file__).resolve().parent
REFERENCE = HERE.parents[2] / "bench/traces/swf/reference_results.csv"
LOGS = (("lublin_256", 256), ("hpc2n_first3145", 240), ("theta2023_walltime", 4392))


def jobs_of(path, procs_max):
    """Returns (submit time, run time, processors, time estimate) of each simulated job, sorted by
    submission time. Times are in seconds.
    """
    jobs = []
    for line in gzip.open(path, "rt"):
        if line.startswith(";") or not line.strip():
            continue
        field = line.split()
        submit, run, estimate = (round(float(field[at])) for at in (1, 3, 8))
        procs = int(field[7]) if int(field[7]) > 0 else int(field[4])
        if run > 0 and 0 < procs <= procs_max:
            jobs.append((submit, run, procs, max(estimate, run)))
    return sorted(jobs, key=lambda job: job[0])


def shadow_of(head_procs, free, running):
    """Returns when head_procs processors will be free if the running jobs end as estimated, and how
    many are free then.
    """
    shadow = None
    for end, procs in sorted(running.values()):
        if shadow is not None and end > shadow:
            break
        free += procs
        if free >= head_procs:
            shadow = end
    return shadow, free


def starts_of(jobs, procs_max):
    starts, line, ends, running = [None] * len(jobs), [], [], {}
    free, arrived = procs_max, 0

    def start(at, now):
        nonlocal free
        _, run, procs, estimate = jobs[at]
        starts[at], running[at] = now, (now + estimate, procs)
        free -= procs
        heapq.heappush(ends, (now + run, at))

    while arrived < len(jobs) or ends:
        now = min(([jobs[arrived][0]] if arrived < len(jobs) else []) +
                  ([ends[0][0]] if ends else []))
        while ends and ends[0][0] == now:
            free += running.pop(heapq.heappop(ends)[1])[1]
        while arrived < len(jobs) and jobs[arrived][0] == now:
            line.append(arrived)
            arrived += 1
        while line and jobs[line[0]][2] <= free:
            start(line.pop(0), now)
        if not line:
            continue
        head_procs = jobs[line[0]][2]
        shadow, free_then = shadow_of(head_procs, free, running)
        spare = free_then - head_procs
        left = line[:1]
        for at in line[1:]:
            _, _, procs, estimate = jobs[at]
            over_by_then = now + estimate <= shadow
            if procs <= free and (over_by_then or procs <= spare):
                start(at, now)
                spare -= 0 if over_by_then else procs
            else:
                left.append(at)
        line = left
    return starts


def main(folder):
    table = {row["log"]: row for row in csv.DictReader(REFERENCE.open())
             if (row["order"], row["backfill"]) == ("fcfs", "easy")}
    for file, procs in LOGS:
        jobs = jobs_of(folder / f"swf/{file}.swf.gz", procs)
        starts = starts_of(jobs, procs)
        waits = [start - job[0] for start, job in zip(starts, jobs)]
        published = table[file.removesuffix("_walltime")]
        mean = sum(waits) / len(waits)
        print(file, len(jobs), "jobs, mean wait", mean, "longest", max(waits), "in the table",
              published["avg_wait_s"], published["max_wait_s"])
        assert len(jobs) == int(published["jobs"])
        assert abs(mean - float(published["avg_wait_s"])) < 0.001 * mean
        text = "wait_s\n" + "".join(f"{wait}\n" for wait in waits)
        with (HERE / f"{file}_easy.csv.gz").open("wb") as written:
            written.write(gzip.compress(text.encode(), 9, mtime=0))


main(Path(sys.argv[1]))
