"""Logs of jobs for ./dev bench --generalise: synthetic ones, and logs that are cut or scaled.

A job is (submission in s, run time in s, processors, time limit in s). All is drawn from a seed, so
that every run has the same logs.
"""

import gzip
import math
import random

HALF_HOUR = 1800
# Time limits that users choose, in minutes. Most users round up to one of a few values (Tsafrir,
# Etsion, Feitelson: "Modeling User Runtime Estimates", JSSPP'05).
LIMITS_MIN = (5, 10, 15, 20, 30, 45, 60, 90, 120, 180, 240, 300, 360, 480, 600, 720, 1080, 1440,
              2160, 2880, 4320, 7200, 10080)


def limit_for(run, rng):
    """Returns a time limit for a job of this run time: some users know it, most ask for more."""
    longest = max(run, 48 * 3600)
    wanted = run if rng.random() < 0.15 else min(run / max(0.03, rng.random()), longest)
    return max(run, next((60 * limit for limit in LIMITS_MIN if 60 * limit >= wanted), wanted))


def day_cycle():
    """Returns the relative rate of submissions in each half hour of the day: a gamma distribution
    that begins at 5:30."""
    def density(half):
        return half ** 7.1737 * math.exp(-half / 3.9631)
    weights = {half % 48: density(half) for half in range(11, 59)}
    mean = sum(weights.values()) / len(weights)
    return [max(0.05, weights[half] / mean) for half in range(48)]


def lublin(processors, jobs, load, seed):
    """Returns a log by the batch part of the model of Lublin and Feitelson (JPDC 63(11), 2003):
    sizes by a two-stage uniform distribution of their logarithm, run times by a hyper-gamma
    distribution that depends on the size, submissions in a daily cycle. The time between
    submissions is scaled so that the jobs ask for the part `load` of the processors."""
    rng = random.Random(seed)
    largest = math.log2(processors)
    middle = max(0.8, largest - 2.5)
    cycle = day_cycle()
    drawn, at, half = [], 0.0, 0
    left = float(HALF_HOUR)
    for _ in range(jobs):
        size = 1
        if rng.random() > 0.244:
            low, high = (0.8, middle) if rng.random() <= 0.86 else (middle, largest)
            power = rng.uniform(low, high)
            size = round(2 ** (round(power) if rng.random() <= 0.576 else power))
        size = min(max(size, 1), processors)
        short = min(max(0.78 - 0.0054 * size * 256 / processors, 0), 1)
        run = 0.0
        while not 1 <= run <= 72 * 3600:
            run = math.exp(rng.gammavariate(4.2, 0.94) if rng.random() <= short else
                           rng.gammavariate(312, 0.03))
        gap = 2 ** rng.gammavariate(10.2303, 0.4871)
        while gap > left * cycle[half % 48]:
            gap -= left * cycle[half % 48]
            at, left, half = at + left, float(HALF_HOUR), half + 1
        left -= gap / cycle[half % 48]
        at += gap / cycle[half % 48]
        drawn.append((at, math.floor(run), size, math.ceil(limit_for(run, rng))))
    return at_load(drawn, processors, load)


def at_load(jobs, processors, load):
    """Returns the jobs with other times of submission, so that they ask for this part of the
    processors."""
    work = sum(run * size for _, run, size, _ in jobs)
    factor = work / (processors * load) / (jobs[-1][0] - jobs[0][0])
    return [((at - jobs[0][0]) * factor, run, size, limit) for at, run, size, limit in jobs]


def scaled(jobs, times):
    """Returns the jobs on a cluster that is faster: all times are multiplied, but a job runs for a
    second at least."""
    return [(at * times, max(1, run * times), size, max(1, run * times, limit * times))
            for at, run, size, limit in jobs]


def read_swf(path, processors):
    """Returns the jobs of a log in the Standard Workload Format that fit, in order of
    submission."""
    jobs = []
    with gzip.open(path, "rt") as text:
        for line in text:
            if line.startswith(";") or not line.strip():
                continue
            fields = line.split()
            run, size = float(fields[3]), int(fields[7])
            size = size if size > 0 else int(fields[4])
            asked = float(fields[8])
            if run > 0 and 0 < size <= processors:
                jobs.append((float(fields[1]), run, size, max(asked, run)))
    return sorted(jobs, key=lambda job: job[0])  # jobs of one instant keep the order of the log


def write_swf(path, jobs):
    with path.open("w", encoding="ascii") as text:
        for number, (at, run, size, limit) in enumerate(jobs, 1):
            text.write(f"{number} {at:.0f} -1 {max(run, 1):.0f} {size} -1 -1 {size} "
                       f"{math.ceil(limit)} " + "-1 " * 8 + "-1\n")
