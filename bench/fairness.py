"""./dev bench --fairness: simulates a month and measures whether each account gets its share.

The jobs are drawn at random from a seed. With COX_TRACES, a real site's configuration and stream of
jobs are simulated too. docs/simulation.md and bench/measured.md explain the measurement."""

import gzip
import json
import os
import random
import subprocess
import tempfile
from dataclasses import dataclass, replace
from pathlib import Path

from trace_table import print_cells

PLOTS = Path(__file__).resolve().parent / "fairness"
SEED = 42
DAY_S = 86_400
MONTH_S = 30 * DAY_S
NODES, NODE_GPUS, NODE_CPUS = 16, 8, 64
DEMAND = 1.15  # demand of each account, as a multiple of its entitlement
DEVIATION_MAX = 0.05
SAVE_S, RESTART_S = 300, 60
HALF_LIFE_S = 2 * DAY_S
# Days of the real stream of jobs; number of its copies that make a month.
REAL_DAYS, REAL_TIMES = 3, 10
DAY_COLUMNS = ("job_id,eligible,started,ended,run_s,nodes,tasks,cpus_per_task,memory_mb,gpus,"
               "gpu_type,time_limit_s,tier,partition,constraint,gpu_milli,account,user")
HEADINGS = ("workload", "account", "shares", "entitled", "used", "deviation", "always waited",
            "worst wait, h", "short of guarantee, s")


@dataclass(frozen=True)
class Leaf:
    """An account with users, and the kind of jobs that they submit."""
    name: str
    parent: str
    shares: int
    part: float  # the part of the cluster to which shares entitle the account
    gpus: tuple  # each job asks for one of these numbers of GPUs
    hours: float  # median run time of the account's jobs
    users: int


INNER = (("physics", "root", 5), ("industry", "root", 3), ("life", "root", 2))
LEAVES = (
    Leaf("qcd", "physics", 3, 0.30, (8, 16), 4, 4),
    Leaf("astro", "physics", 2, 0.20, (2, 4), 3, 9),
    Leaf("cars", "industry", 1, 0.30, (4, 8), 4, 3),
    Leaf("genomes", "life", 1, 0.10, (1, 2), 4, 12),
    Leaf("proteins", "life", 1, 0.10, (4, 8), 3, 2),
)
ALIKE_GPUS, ALIKE_HOURS = (1, 2, 4, 8), 4
# (account, guaranteed GPUs, median hours of a job). About once a day the account asks for its whole
# guarantee at once.
GUARANTEED = (("urgent", 32, 0.5), ("weather", 16, 1.0))


@dataclass(frozen=True)
class Job:
    submit_s: int
    run_s: int
    limit_s: int
    gpus: int
    account: str
    user: str


def run_of(chance, hours):
    run = int(min(max(chance.lognormvariate(0, 0.8) * hours * 3600, 60), DAY_S))
    return run, min(int(run * chance.uniform(1, 3)) // 600 * 600 + 600, 2 * DAY_S)


def jobs_of(leaf, seed, demand=DEMAND):
    """Returns the account's jobs, submitted at random times of the month, a tenth of them on the
    first day. Together they ask for `demand` times the account's entitlement."""
    chance = random.Random(f"{seed} {leaf.name}")
    left = demand * leaf.part * NODES * NODE_GPUS * MONTH_S
    jobs = []
    while left > 0:
        run, limit = run_of(chance, leaf.hours)
        gpus = chance.choice(leaf.gpus)
        begin = chance.uniform(0, DAY_S if chance.random() < 0.1 else MONTH_S)
        jobs.append(Job(int(begin), run, limit, gpus, leaf.name,
                        f"{leaf.name}{chance.randrange(leaf.users)}"))
        left -= run * gpus
    return jobs


def guaranteed_jobs(seed):
    """Returns jobs of whole nodes: about once a day, as many as an account's guarantee holds."""
    chance = random.Random(f"{seed} guaranteed")
    jobs = []
    for account, gpus, hours in GUARANTEED:
        at = chance.uniform(0, DAY_S)
        while at < MONTH_S - DAY_S:
            for _ in range(gpus // NODE_GPUS):
                run, limit = run_of(chance, hours)
                jobs.append(Job(int(at), run, limit, NODE_GPUS, account, account))
            at += chance.uniform(0.5, 1.5) * DAY_S
    return jobs


def write_day(path, jobs):
    """Writes the jobs to a trace in the format `cox`, which docs/simulation.md describes."""
    lines = [DAY_COLUMNS]
    for number, job in enumerate(sorted(jobs, key=lambda job: job.submit_s)):
        nodes = -(-job.gpus // NODE_GPUS)
        lines.append(f"{number},{job.submit_s},{job.submit_s},{job.submit_s + job.run_s},"
                     f"{job.run_s},{nodes},{job.gpus},4,0,{job.gpus // nodes},,{job.limit_s},2,,,"
                     f"1000,{job.account},{job.user}")
    path.write_text("\n".join(lines) + "\n")


def write_accounts(path, guarantees):
    lines = [f"add account {name} parent={parent} fairshare={shares}"
             for name, parent, shares in INNER]
    lines += [f"add account {leaf.name} parent={leaf.parent} fairshare={leaf.shares}"
              for leaf in LEAVES]
    if guarantees:
        lines += [f"add account {account} fairshare=1 guarantee=gres/gpu={gpus}"
                  for account, gpus, _hours in GUARANTEED]
    path.write_text("\n".join(lines) + "\n")


def write_real_month(path, events):
    """Writes the stream REAL_TIMES times, each copy REAL_DAYS days later than the one before."""
    with gzip.open(events, "rt") as opened:
        lines = opened.readlines()
    with path.open("w") as out:
        for turn in range(REAL_TIMES):
            for line in lines:
                words = line.split()
                words[1] = f"{float(words[1]) + turn * REAL_DAYS * DAY_S:.2f}"
                out.write(" ".join(words) + "\n")


def simulate(program, folder, title, trace, cluster, accounts, *options):
    """Returns the simulation's JSON. Writes the drawing into bench/fairness."""
    written = folder / f"{title}.json"
    PLOTS.mkdir(exist_ok=True)
    done = subprocess.run([program, "--trace", trace.name, "--cluster", cluster, "--accounts",
                           accounts, "--json", written, "--svg", PLOTS / f"{title}.svg", *options],
                          cwd=folder, capture_output=True, text=True)
    if done.returncode != 0:
        raise SystemExit(f"bench: {title}: {done.stderr.strip()}")
    return json.loads(written.read_text())


def cells(title, account):
    short = account["short_of_guarantee_s"]
    return (title, account["account"], str(account["shares"]),
            f"{100 * account['entitled_part']:.2f} %", f"{100 * account['used_part']:.2f} %",
            f"{100 * account['deviation']:+.2f} %", "yes" if account["always_waited"] else "no",
            f"{account['worst_wait_s'] / 3600:.1f}", "" if short is None else f"{short:.0f}")


def verdicts(title, result):
    """Returns (description, whether it is met) for each target."""
    accounts = result["fairness"]["accounts"]
    never = result["summary"]["jobs_never_started"]
    told = [(f"{title}: {never} jobs never started, target 0", never == 0)]
    most = result["fairness"]["deviation_max"]
    if most is not None:
        told.append((f"{title}: shares deviate by {100 * most:.2f} % at most, target "
                     f"≤ {100 * DEVIATION_MAX:g} %", most <= DEVIATION_MAX))
    shorts = [account["short_of_guarantee_s"] for account in accounts
              if account["short_of_guarantee_s"] is not None]
    grace = result["setting"]["save_time_s"]
    if shorts:
        told.append((f"{title}: short of a guarantee for {max(shorts):.0f} s at most, target "
                     f"≤ {grace:.0f} s", max(shorts) <= grace))
    return told


def generated(program, folder, seed):
    cluster = f"nodes={NODES},gpus={NODE_GPUS},cpus={NODE_CPUS}"
    cost = ("--save-time", str(SAVE_S), "--restart-time", str(RESTART_S), "--half-life",
            str(HALF_LIFE_S))
    unlike = [job for leaf in LEAVES for job in jobs_of(leaf, seed)]
    alike = [job for leaf in LEAVES
             for job in jobs_of(replace(leaf, gpus=ALIKE_GPUS, hours=ALIKE_HOURS), seed)]
    for title, drawn, guarantees in (
            ("month", alike, False), ("month_with_guarantees", alike, True),
            ("month_of_unlike_jobs", unlike, False)):
        trace, accounts = folder / f"{title}.csv", folder / f"{title}.accounts"
        write_day(trace, drawn + (guaranteed_jobs(seed) if guarantees else []))
        write_accounts(accounts, guarantees)
        yield title, simulate(program, folder, title, trace, cluster, accounts, *cost)


def real(program, folder):
    """Simulates the real site. Yields nothing if COX_TRACES does not have its files."""
    site = Path(os.environ.get("COX_TRACES", "/nowhere")) / "slurm-sim"
    events = site / "workload_5k.events.gz"
    if not events.is_file():
        return
    trace = folder / "ubhpc.events"
    write_real_month(trace, events)
    yield "ubhpc", simulate(program, folder, "ubhpc", trace, site / "slurm.conf",
                            site / "sacctmgr.script", "--half-life", str(MONTH_S))


def bench_fairness(program, json_file, say):
    rows, told, results = [], [], {}
    with tempfile.TemporaryDirectory(prefix="cox-bench-") as name:
        folder = Path(name)
        for runs in (generated(program, folder, SEED), real(program, folder)):
            for title, result in runs:
                say(f"{title} is simulated")
                rows += [cells(title, account) for account in result["fairness"]["accounts"]]
                told += verdicts(title, result)
                results[title] = result["fairness"]
    print_cells(HEADINGS, rows)
    print()
    for what, met in told:
        print(("met: " if met else "not met: ") + what)
    if "ubhpc" not in results:
        print("absent: slurm-sim: no licence allows a copy in bench; set COX_TRACES to a folder "
              "that has it")
    if json_file:
        json_file.write_text(json.dumps(results, indent=2) + "\n")
