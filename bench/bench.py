"""./dev bench: measures Coxswain beside calibrators of the same run, and beside Slurm (--peer).

A figure alone says little about any other machine. So each figure is also shown as a ratio to what
this machine reaches in the same work without Coxswain: commits, COPY, spawns. Most groups are
measured in several rounds. If the calibrator of a group moved by more than 15 % during a round, a
line says so and the round is measured again. history.csv has the records of earlier runs.
"""

import argparse
import contextlib
import json
import os
import signal
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from cluster import BenchCluster, close_on_signals
from fairness import bench_fairness
from generalise import bench_generalise
from records import bench_compare, bench_record
from rolling import bench_rolling
from sizes import chosen_sizes
from steps import bench_steps
from takeover import bench_restart, bench_takeover
from table import Figure, print_table
from traces import bench_traces

ROOT = Path(__file__).resolve().parent.parent
MOVED_MAX = 0.15
MEMORY_NEEDED = 4 << 30  # bytes that 1,000,000 queued jobs need, PostgreSQL included
REAL_CPUS = 64  # CPUs of the only real node; fake nodes have fewer


def memory_available():
    """Returns the available memory of this machine in bytes."""
    text = Path("/proc/meminfo").read_text()
    return int(text.split("MemAvailable:")[1].split()[0]) * 1024


def say(text):
    print(f"bench: {text}", file=sys.stderr, flush=True)


class Bench:
    def __init__(self, programs, folder, options):
        self.programs, self.folder, self.sizes = programs, folder, chosen_sizes(options)
        self.null_round = ("--nodes", self.sizes.null_nodes, "--jobs", self.sizes.null_jobs)
        self.figures = {}  # by name
        self.unfinished = {}  # why a group could not be measured to its end, by its name
        self.peer = {}

    def load(self, *words):
        """Runs cox-bench and returns the figures that it printed, by name."""
        command = [self.programs / "cox-bench", *map(str, words)]
        try:
            done = subprocess.run(command, capture_output=True, text=True, timeout=1800)
        except subprocess.TimeoutExpired:
            raise SystemExit(f"bench: {words[0]} did not end within 30 minutes") from None
        if done.returncode != 0:
            raise SystemExit(f"bench: {words[0]}: {done.stderr.strip()}")
        lines = (line.split() for line in done.stdout.splitlines())
        return {name: float(value) for name, value, _ in lines}

    def steady(self, calibrator, group, rounds=None, repeats=None):
        """Measures the group in rounds, each between two runs of its calibrator. If the calibrator
        moved, repeats the round. Yields for each round the figures of the group, and the means of
        its calibrator."""
        repeats = self.sizes.repeats if repeats is None else repeats
        missing = self.sizes.rounds if rounds is None else rounds
        before = calibrator()
        while missing:
            measured = group()
            after = calibrator()
            moved = max(abs(after[name] / before[name] - 1) for name in before)
            mean = {name: statistics.mean((before[name], after[name])) for name in before}
            before = after
            repeated = moved > MOVED_MAX and repeats > 0
            if moved > MOVED_MAX:
                say(f"the calibrator moved by {moved:.0%}{': repeated' if repeated else ''}")
            if repeated:
                repeats -= 1
            else:
                missing -= 1
                yield measured, mean

    def add(self, name, value, unit, reference, reference_name, at_least, aim, lower=False,
            amount=""):
        """Adds a figure to the table, or one more round to a figure that is in the table."""
        figure = self.figures.setdefault(
            name, Figure(name, amount, unit, reference_name, at_least, aim, lower))
        figure.rounds.append((value, reference))
        say(f"{name}: {value:.4g} {unit}, {value / reference:.2f} x {reference_name}")

    # ---- groups -------------------------------------------------------------------------------

    def submissions(self):
        with BenchCluster(self.programs, self.folder, nodes=1, cpus=8) as cluster:
            database = ("--database", cluster.database)
            config = ("--config", cluster.config)

            def commits():
                return {"one": self.commits(cluster, 1)["commit_1"],
                        "many": self.commits(cluster, 32)["commit_32"]}

            def submits():
                one = self.load("submit", *config, "--clients", 1, "--jobs",
                                self.sizes.submits_one)
                many = self.load("submit", *config, "--clients", 32, "--jobs",
                                 self.sizes.submits_many)
                return one | many

            for measured, base in self.steady(commits, submits):
                self.add("submit, 1 client", measured["submit_1"], "jobs/s", base["one"],
                         "commits of 1 client", 0.5, 0.8)
                self.add("submit, 32 clients", measured["submit_32"], "jobs/s", base["many"],
                         "commits of 32 clients", 0.6, 1.5)
            for measured, base in self.steady(
                    lambda: self.load("copy", *database, "--jobs", self.sizes.bulk),
                    lambda: self.load("bulk", *config, "--jobs", self.sizes.bulk)):
                self.add("submit in bulk", measured["submit_bulk"], "jobs/s", base["copy"], "COPY",
                         0.35, 0.7)

    def commits(self, cluster, clients):
        return self.load("commits", "--database", cluster.database, "--clients", clients,
                         "--seconds", self.sizes.commits_s)

    def scripts(self):
        count = self.sizes.scripts
        with BenchCluster(self.programs, self.folder, nodes=4, cpus=256) as cluster:
            for measured, base in self.steady(
                    lambda: self.load("scripts", "--folder", self.folder, "--count", count),
                    lambda: self.load("script-jobs", "--config", cluster.config, "--jobs", count)):
                self.add("script jobs", measured["script_jobs"], "jobs/s", base["scripts"],
                         "sh, 2 at once", 0.3, 0.6)
                if self.peer:
                    self.add("script jobs beside Slurm", measured["script_jobs"], "jobs/s",
                             self.peer["throughput_individual_1000_median"], "Slurm", 5, 10)

    def null_executor(self):
        with BenchCluster(self.programs, self.folder, nodes=1, cpus=1) as cluster:
            config = ("--config", cluster.config)
            cluster.drain()
            nodes, seconds = self.sizes.null_nodes, self.sizes.idle_s
            for empty, base in self.steady(
                    lambda: self.lifecycles(cluster),
                    lambda: self.load("null-jobs", *config, *self.null_round)):
                self.add("null executor", empty["null_jobs"], "jobs/s", base["lifecycles"],
                         "SQL alone", 0.5, 0.8, amount=f"{nodes:,} nodes")
            idle = self.load("idle", *config, "--nodes", nodes, "--seconds", seconds, "--pid",
                             cluster.controller_pid())
            self.add("idle", idle["idle_cpu"], "cores", 1, "a core", 0.1, 0.03, lower=True,
                     amount=f"{nodes:,} nodes")

    def lifecycles(self, cluster):
        return self.load("lifecycles", "--database", cluster.database, "--jobs",
                         self.sizes.lifecycles)

    def lifecycles_elsewhere(self):
        """Runs the calibrator of job lifecycles on a cluster of its own, for groups that fill their
        cluster with jobs."""
        with BenchCluster(self.programs, self.folder, nodes=1, cpus=1) as cluster:
            return self.lifecycles(cluster)

    def history(self):
        finished, pending = self.sizes.finished, self.sizes.pending
        for rates, _ in self.steady(self.lifecycles_elsewhere, self.null_with_history, rounds=1):
            self.add("null executor, many finished and pending", rates["full"], "jobs/s",
                     rates["empty"], "the empty rate", 0.9, 0.97,
                     amount=f"{finished:,} and {pending:,}")

    def null_with_history(self):
        """Measures the null executor (fake nodes that run nothing) on an empty cluster, and again
        with finished and queued jobs. The queued jobs wait for the real node, which is full."""
        with BenchCluster(self.programs, self.folder, nodes=1, cpus=REAL_CPUS) as cluster:
            config = ("--config", cluster.config)
            cluster.cox("submit", "--exclusive", "-w", "n1", "--", "sleep", "infinity")
            measured = ("null-jobs", *config, *self.null_round, "--rounds", self.sizes.null_rounds)
            empty = self.load(*measured)["null_jobs"]
            finished, pending = self.sizes.finished, self.sizes.pending
            say(f"writing {finished:,} finished jobs, submitting {pending:,} that stay queued")
            self.load("history", "--database", cluster.database, "--jobs", finished)
            self.load("backlog", *config, "--jobs", pending, "--cpus", REAL_CPUS)
            return {"empty": empty, "full": self.load(*measured)["null_jobs"]}

    def aged(self):
        seconds = self.sizes.transaction_s
        say(f"an administrator's transaction stays open for {seconds} s")
        for rates, _ in self.steady(self.lifecycles_elsewhere, lambda: self.null_aged(seconds),
                                    rounds=1, repeats=0):
            self.add("null executor, an open transaction", rates["aged_jobs"], "jobs/s",
                     rates["young_jobs"], "the empty rate", 0.7, 0.9, amount=f"{seconds} s")

    def null_aged(self, seconds):
        with BenchCluster(self.programs, self.folder, nodes=1, cpus=1) as cluster:
            cluster.drain()
            return self.load("aged", "--config", cluster.config, "--database", cluster.database,
                             *self.null_round, "--rounds", self.sizes.null_rounds, "--seconds",
                             seconds)

    def latencies(self):
        sizes = self.sizes
        with BenchCluster(self.programs, self.folder, nodes=4, cpus=64) as cluster:
            config = ("--config", cluster.config)
            stamp = ("--program", self.programs / "cox-stamp", "--folder", self.folder)

            def pieces():
                commit = self.commits(cluster, 1)
                trip = self.load("round-trips", "--folder", self.folder, "--count",
                                 sizes.round_trips)
                spawn = self.load("spawn", "--program", self.programs / "cox-noop")
                together = self.load("spawn-together", "--program", self.programs / "cox-noop",
                                     "--count", 64)
                return {"dispatch": commit["commit_1_latency_p50"] + 2 * trip["round_trip_p50"]
                        + spawn["spawn_p50"], "together": together["spawn_64_p50"]}

            def measure():
                figures = {}
                for what, nodes, count in (("dispatch", 1, sizes.dispatches),
                                           ("dispatch", 4, sizes.gang_dispatches),
                                           ("preemption", 1, sizes.preemptions),
                                           ("preemption", 4, sizes.gang_preemptions)):
                    figures |= self.load(what, *config, *stamp, "--nodes", nodes, "--count", count)
                return figures | self.load("gang", *config, *stamp, "--count", sizes.gangs)

            for measured, base in self.steady(pieces, measure):
                self.add_latencies(measured, base)
            for _ in range(sizes.rounds):
                self.job_return(*config, *stamp)
                self.commands(cluster)

    def add_latencies(self, measured, base):
        piece = "commit + 2 round trips + spawn"
        self.add("dispatch, median", measured["dispatch_1_p50"], "ms", base["dispatch"], piece, 3,
                 2, lower=True)
        self.add("dispatch, 99 %", measured["dispatch_1_p99"], "ms", base["dispatch"], piece, 12, 6,
                 lower=True)
        for nodes, whose in ((1, "of a node"), (4, "of a gang of 4 nodes")):
            self.add(f"preemption {whose}", measured[f"preemption_{nodes}_p50"], "ms",
                     measured[f"dispatch_{nodes}_p50"], "the same dispatch", 2, 1.5, lower=True)
        self.add("64 ranks on 4 nodes", measured["gang_p50"], "ms", base["together"], "64 spawns",
                 2, 1.5, lower=True)

    def job_return(self, *words):
        """Measures how soon a preempted job runs again and has read its state. This runs alone,
        because writing the files of the state would slow the commits of other measurements."""
        mib, dispatch = self.sizes.state_mib, self.figures["dispatch, median"].value
        measured = self.load("return", *words, "--saver", self.programs / "cox-saver", "--bytes",
                             mib << 20, "--count", self.sizes.returns)
        reading = measured["state_read_p50"]
        most, aim = (2 * dispatch + times * reading for times in (1.3, 1.1))
        self.add("preempted job's return", measured["return_p50"], "ms", most,
                 "2 dispatches + 1.3 readings", 1, round(aim / most, 2), lower=True,
                 amount=f"{mib} MiB")

    def listing(self):
        """Measures squeue over many jobs, and a dispatch while squeue runs again and again."""
        with BenchCluster(self.programs, self.folder, nodes=1, cpus=REAL_CPUS) as cluster:
            dispatch = ("dispatch", "--config", cluster.config, "--program",
                        self.programs / "cox-stamp", "--folder", self.folder, "--nodes", 1,
                        "--count", self.sizes.dispatches)
            listed = self.sizes.listed
            self.load("bulk", "--config", cluster.config, "--jobs", listed)
            columns = "id, partition, name, user_name, state, started_at, nodes, held"
            rows = f"SELECT {columns} FROM cox.job WHERE ended_at IS NULL ORDER BY id"
            squeue = ["squeue", "-h"]
            for measured, base in self.steady(
                    lambda: {"psql": self.seconds(cluster, ["psql", "-At", "-c", rows,
                                                            cluster.database])},
                    lambda: {"squeue": self.seconds(cluster, squeue)}):
                self.add("squeue", measured["squeue"], "s", 1, "1 s", 1, 0.5, lower=True,
                         amount=f"{listed:,} jobs")
                self.add("squeue beside psql", measured["squeue"], "s", base["psql"],
                         "psql of the same columns", 4, 2, lower=True)
            for _ in range(self.sizes.rounds):
                alone = self.load(*dispatch)["dispatch_1_p50"]
                with self.again_and_again(cluster, squeue):
                    beside = self.load(*dispatch)["dispatch_1_p50"]
                self.add("dispatch beside squeue, median", beside, "ms", alone,
                         "the dispatch alone", 4, 2, lower=True)

    def program(self, words):
        return self.programs / "cox" if words[0] == "squeue" else words[0]

    def seconds(self, cluster, words):
        times = []
        for _ in range(self.sizes.listings):
            began = time.monotonic()
            subprocess.run(words, executable=self.program(words), env=cluster.environment,
                           check=True, stdout=subprocess.DEVNULL)
            times.append(time.monotonic() - began)
        return statistics.median(times)

    @contextlib.contextmanager
    def again_and_again(self, cluster, words):
        script = 'while :; do "$@" > /dev/null || exit 1; done'
        named = self.folder / words[0]
        if not named.is_symlink():
            named.symlink_to(self.program(words))
        loop = subprocess.Popen(["sh", "-c", script, "sh", named, *words[1:]],
                                env=cluster.environment, start_new_session=True)
        try:
            yield
            if loop.poll() is not None:
                raise SystemExit(f"bench: {words[0]} failed")
        finally:
            os.killpg(loop.pid, signal.SIGKILL)
            loop.wait()

    def commands(self, cluster):
        slowest = 0
        for words in (["cox", "queue"], ["cox", "nodes"], ["cox", "status"], ["squeue"], ["sinfo"]):
            times = []
            for _ in range(self.sizes.calls):
                began = time.monotonic()
                subprocess.run(words, executable=self.programs / "cox", env=cluster.environment,
                               check=True, capture_output=True)
                times.append((time.monotonic() - began) * 1e3)
            slowest = max(slowest, statistics.median(times))
        self.add("slowest command", slowest, "ms", 1, "1 ms", 15, 10, lower=True)

    def jobs_that_fit(self):
        """Returns how many jobs to queue, or None if too little memory is free for them."""
        jobs = self.sizes.jobs
        if memory_available() >= MEMORY_NEEDED * jobs / 1_000_000:
            return jobs
        return say(f"too little memory is free for {jobs:,} queued jobs; queue fewer with --jobs N")

    def memory(self):
        jobs = self.jobs_that_fit()
        if jobs is None:
            return
        with BenchCluster(self.programs, self.folder, nodes=1, cpus=8) as cluster:
            cluster.drain()
            before = cluster.controller_rss()
            self.load("backlog", "--config", cluster.config, "--jobs", jobs)
            per_job = (cluster.controller_rss() - before) / jobs
        self.add("memory a queued job", per_job, "bytes", 1, "1 byte", 1024, 350, lower=True,
                 amount=f"{jobs:,} jobs")

    def measure_peer(self):
        peer = ROOT / "bench/peers/slurm"
        subprocess.run([peer, "up", "4"], check=True, stdout=sys.stderr)
        try:
            done = subprocess.run([peer, "bench", "throughput", "latency"], check=True,
                                  stdout=subprocess.PIPE, text=True)
        finally:
            subprocess.run([peer, "down"], check=False, stdout=sys.stderr)
        for line in done.stdout.splitlines():
            if not line.startswith("#"):
                name, value, _ = line.split()
                self.peer[name] = float(value)


GROUPS = {"submissions": Bench.submissions, "scripts": Bench.scripts,
          "null": Bench.null_executor, "history": Bench.history, "latencies": Bench.latencies,
          "listing": Bench.listing, "memory": Bench.memory, "steps": bench_steps,
          "takeover": bench_takeover, "restart": bench_restart, "rolling": bench_rolling,
          "aged": Bench.aged}


def positive(text):
    number = int(text)
    if number < 1:
        raise argparse.ArgumentTypeError(f"{text} is not 1 or more")
    return number


def measure_groups(bench, options, seems_worse):
    if options.peer:
        bench.measure_peer()
    for name in options.only or GROUPS:
        say(f"== {name}")
        before = len(bench.figures)
        try:
            GROUPS[name](bench)
            if any(map(seems_worse, list(bench.figures.values())[before:])):
                say(f"a row seems worse than its record: {name} is measured once more")
                GROUPS[name](bench)
        except SystemExit as end:
            if not isinstance(end.code, str):  # a signal
                raise
            say(f"{name} is not finished: {end.code.removeprefix('bench: ')}")
            bench.unfinished[name] = end.code.removeprefix("bench: ")


def measure(options, seems_worse=lambda figure: False):
    """Measures the groups and prints their table. Measures a group with a figure that seems worse
    once more, which adds rounds to its figures. A group that fails is a row that says so, and ends
    the run after the others with exit code 1. Returns the figures."""
    close_on_signals()
    with tempfile.TemporaryDirectory(prefix="cox-bench-") as folder:
        Path(folder).chmod(0o755)
        bench = Bench(options.programs.resolve(), Path(folder), options)
        try:
            measure_groups(bench, options, seems_worse)
        finally:  # prints what was measured, however the run ended
            print_table(bench.figures.values(), bench.unfinished)
            if options.json:
                table = [figure.as_dict() for figure in bench.figures.values()]
                options.json.write_text(json.dumps(table, indent=2) + "\n")
    if bench.unfinished:
        raise SystemExit(f"bench: not finished: {', '.join(bench.unfinished)}")
    return bench.figures.values()


def parse_options():
    parser = argparse.ArgumentParser(prog="./dev bench", description=__doc__.splitlines()[0])
    parser.add_argument("--json", type=Path, metavar="FILE", help="write the table as JSON to FILE")
    parser.add_argument("--peer", action="store_true", help="also measure Slurm on this machine")
    parser.add_argument("--only", choices=sorted(GROUPS), action="append", metavar="GROUP",
                        help=f"one of {', '.join(GROUPS)}; may be given several times")
    parser.add_argument("--traces", action="store_true",
                        help="instead: compare the scheduler's decisions on published traces")
    parser.add_argument("--fairness", action="store_true",
                        help="instead: compare what accounts get with their shares, over a month")
    parser.add_argument("--generalise", action="store_true",
                        help="instead: choose the scheduler's constants on all logs but one, and "
                             "measure them on that one")
    parser.add_argument("--seeds", type=positive, default=10, metavar="N",
                        help="number of seeds for each workload that is drawn at random (--traces)")
    parser.add_argument("--jobs", type=positive, metavar="N",
                        help="jobs that are queued in the groups memory and restart (default and "
                             "maximum 1,000,000), or run in the group rolling (1,000)")
    parser.add_argument("--transaction-seconds", type=positive, metavar="S",
                        help="how long the transaction of the group aged stays open, 600 s by "
                             "default")
    size = parser.add_mutually_exclusive_group()
    size.add_argument("--quick", action="store_true",
                      help="measure all groups with less work, in about five minutes")
    size.add_argument("--small", action="store_true",
                      help="checks only that the groups work: each takes seconds, and its "
                           "figures mean nothing")
    records = parser.add_mutually_exclusive_group()
    records.add_argument("--record", action="store_true",
                         help="append the ratios to bench/history.csv; needs a tree without "
                              "uncommitted changes")
    records.add_argument("--compare", action="store_true",
                         help="compare with the newest records of this machine in "
                              "bench/history.csv, and of the same size (with --quick: the newest "
                              "quick ones); exit code 1: a row is worse, 2: there is no record")
    parser.add_argument("--programs", type=Path, required=True, help=argparse.SUPPRESS)
    options = parser.parse_args()
    if (options.record or options.compare) and (
            options.small or options.traces or options.fairness or options.generalise or
            options.jobs or options.transaction_seconds):
        parser.error("--record and --compare do not go with --small, --jobs, "
                     "--transaction-seconds, --traces, --fairness or --generalise")
    return options


def main():
    options = parse_options()
    program = options.programs.resolve() / "cox-simulate"
    if options.fairness:
        return bench_fairness(program, options.json, say)
    if options.generalise:
        return bench_generalise(program, options.json, say)
    if options.traces:
        return bench_traces(program, options.seeds, options.json, say)
    if options.compare:
        return bench_compare(options, measure)
    if options.record:
        return bench_record(options, measure)
    measure(options)


if __name__ == "__main__":
    sys.exit(main())
