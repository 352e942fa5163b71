"""./dev bench: Coxswain's figures beside calibrators of the same run, and beside Slurm (--peer).

A figure alone says little on a machine nobody else has, so each stands as a ratio to what the
machine itself takes for the same work: commits, COPY, spawns. A group whose calibrator moved more
than 15 % while it ran says so and is measured again.
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
from rolling import bench_rolling
from sizes import chosen_sizes
from steps import bench_steps
from takeover import bench_restart, bench_takeover
from table import Figure, print_table
from traces import bench_traces

ROOT = Path(__file__).resolve().parent.parent
MOVED_MAX = 0.15
MEMORY_NEEDED = 4 << 30  # bytes for 1,000,000 queued jobs, PostgreSQL's share and more
REAL_CPUS = 64  # of the only real node beside fake ones, which have fewer


def memory_available():
    """Bytes."""
    text = Path("/proc/meminfo").read_text()
    return int(text.split("MemAvailable:")[1].split()[0]) * 1024


def say(text):
    print(f"bench: {text}", file=sys.stderr, flush=True)


class Bench:
    def __init__(self, programs, folder, options):
        self.programs, self.folder, self.sizes = programs, folder, chosen_sizes(options)
        self.null_round = ("--nodes", self.sizes.null_nodes, "--jobs", self.sizes.null_jobs)
        self.figures = []
        self.peer = {}

    def load(self, *words):
        """Figures that cox-bench printed, by name."""
        command = [self.programs / "cox-bench", *map(str, words)]
        done = subprocess.run(command, capture_output=True, text=True, timeout=1800)
        if done.returncode != 0:
            raise SystemExit(f"bench: {' '.join(map(str, words))}: {done.stderr.strip()}")
        lines = (line.split() for line in done.stdout.splitlines())
        return {name: float(value) for name, value, _ in lines}

    def steady(self, calibrator, group, repeats=None):
        """Measures the group between two runs of its calibrator; again when that has moved."""
        repeats = self.sizes.repeats if repeats is None else repeats
        before = calibrator()
        for attempt in range(repeats + 1):
            measured = group()
            after = calibrator()
            moved = max(abs(after[name] / before[name] - 1) for name in before)
            if moved <= MOVED_MAX:
                break
            last = attempt == repeats
            say(f"its calibrator moved by {moved:.0%}; {'kept so' if last else 'measured again'}")
            if not last:
                before = after
        mean = {name: statistics.mean((before[name], after[name])) for name in before}
        return measured, mean

    def add(self, name, value, unit, reference, reference_name, at_least, aim, lower=False):
        self.figures.append(Figure(name, value, unit, reference, reference_name, at_least, aim,
                                   lower))
        figure = self.figures[-1]
        say(f"{name}: {value:.4g} {unit}, {figure.ratio:.2f} x {reference_name}")

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

            measured, base = self.steady(commits, submits)
            self.add("submit, 1 client", measured["submit_1"], "jobs/s", base["one"],
                     "commits of 1 client", 0.5, 0.8)
            self.add("submit, 32 clients", measured["submit_32"], "jobs/s", base["many"],
                     "commits of 32 clients", 0.6, 1.5)
            measured, base = self.steady(
                lambda: self.load("copy", *database, "--jobs", self.sizes.bulk),
                lambda: self.load("bulk", *config, "--jobs", self.sizes.bulk))
            self.add("submit in bulk", measured["submit_bulk"], "jobs/s", base["copy"], "COPY",
                     0.35, 0.7)

    def commits(self, cluster, clients):
        return self.load("commits", "--database", cluster.database, "--clients", clients,
                         "--seconds", self.sizes.commits_s)

    def scripts(self):
        count = self.sizes.scripts
        with BenchCluster(self.programs, self.folder, nodes=4, cpus=256) as cluster:
            measured, base = self.steady(
                lambda: self.load("scripts", "--folder", self.folder, "--count", count),
                lambda: self.load("script-jobs", "--config", cluster.config, "--jobs", count))
        self.add("script jobs", measured["script_jobs"], "jobs/s", base["scripts"], "sh, 2 at once",
                 0.3, 0.6)
        if self.peer:
            self.add("script jobs beside Slurm", measured["script_jobs"], "jobs/s",
                     self.peer["throughput_individual_1000_median"], "Slurm", 5, 10)

    def null_executor(self):
        with BenchCluster(self.programs, self.folder, nodes=1, cpus=1) as cluster:
            config = ("--config", cluster.config)
            cluster.drain()
            empty, base = self.steady(
                lambda: self.lifecycles(cluster),
                lambda: self.load("null-jobs", *config, *self.null_round))
            self.add("null executor", empty["null_jobs"], "jobs/s", base["lifecycles"],
                     "SQL alone", 0.5, 0.8)
            nodes, seconds = self.sizes.null_nodes, self.sizes.idle_s
            idle = self.load("idle", *config, "--nodes", nodes, "--seconds", seconds, "--pid",
                             cluster.controller_pid())
            self.add(f"idle, {nodes:,} nodes", idle["idle_cpu"], "cores", 1, "a core", 0.1, 0.03,
                     lower=True)

    def lifecycles(self, cluster):
        return self.load("lifecycles", "--database", cluster.database, "--jobs",
                         self.sizes.lifecycles)

    def lifecycles_elsewhere(self):
        """On a cluster of its own: for groups that fill theirs."""
        with BenchCluster(self.programs, self.folder, nodes=1, cpus=1) as cluster:
            return self.lifecycles(cluster)

    def history(self):
        finished, pending = self.sizes.finished, self.sizes.pending
        rates, _ = self.steady(self.lifecycles_elsewhere, self.null_with_history)
        self.add(f"null executor, {finished:,} finished and {pending:,} pending", rates["full"],
                 "jobs/s", rates["empty"], "the empty rate", 0.9, 0.97)

    def null_with_history(self):
        """The null executor where much has been, and much waits for the room of the real node."""
        with BenchCluster(self.programs, self.folder, nodes=1, cpus=REAL_CPUS) as cluster:
            config = ("--config", cluster.config)
            cluster.cox("submit", "--exclusive", "-w", "n1", "--", "sleep", "infinity")
            measured = ("null-jobs", *config, *self.null_round, "--rounds", self.sizes.null_rounds)
            empty = self.load(*measured)["null_jobs"]
            finished, pending = self.sizes.finished, self.sizes.pending
            say(f"writing {finished:,} finished jobs, submitting {pending:,} that wait")
            self.load("history", "--database", cluster.database, "--jobs", finished)
            self.load("backlog", *config, "--jobs", pending, "--cpus", REAL_CPUS)
            return {"empty": empty, "full": self.load(*measured)["null_jobs"]}

    def aged(self):
        seconds = self.sizes.transaction_s
        say(f"an administrator's transaction stays open for {seconds} s")
        rates, _ = self.steady(self.lifecycles_elsewhere, lambda: self.null_aged(seconds), 0)
        self.add(f"null executor, a transaction open for {seconds} s", rates["aged_jobs"], "jobs/s",
                 rates["young_jobs"], "the empty rate", 0.7, 0.9)

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

            measured, base = self.steady(pieces, measure)
            piece = "commit + 2 round trips + spawn"
            self.add("dispatch, median", measured["dispatch_1_p50"], "ms", base["dispatch"], piece,
                     3, 2, lower=True)
            self.add("dispatch, 99 %", measured["dispatch_1_p99"], "ms", base["dispatch"], piece,
                     12, 6, lower=True)
            for nodes, whose in ((1, "of a node"), (4, "of a gang of 4 nodes")):
                self.add(f"preemption {whose}", measured[f"preemption_{nodes}_p50"], "ms",
                         measured[f"dispatch_{nodes}_p50"], "the same dispatch", 2, 1.5,
                         lower=True)
            self.add("64 ranks on 4 nodes", measured["gang_p50"], "ms", base["together"],
                     "64 spawns", 2, 1.5, lower=True)
            self.job_return(measured["dispatch_1_p50"], *config, *stamp)
            self.commands(cluster)

    def job_return(self, dispatch, *words):
        """Its files are written beside no other measurement: they would disturb its commits."""
        mib = self.sizes.state_mib
        measured = self.load("return", *words, "--saver", self.programs / "cox-saver", "--bytes",
                             mib << 20, "--count", self.sizes.returns)
        reading = measured["state_read_p50"]
        most, aim = (2 * dispatch + times * reading for times in (1.3, 1.1))
        self.add(f"preempted job's return, {mib} MiB", measured["return_p50"], "ms", most,
                 "2 dispatches + 1.3 readings", 1, round(aim / most, 2), lower=True)

    def listing(self):
        """squeue over many jobs, and what a dispatch takes while it asks without a pause."""
        with BenchCluster(self.programs, self.folder, nodes=1, cpus=REAL_CPUS) as cluster:
            dispatch = ("dispatch", "--config", cluster.config, "--program",
                        self.programs / "cox-stamp", "--folder", self.folder, "--nodes", 1,
                        "--count", self.sizes.dispatches)
            listed = self.sizes.listed
            self.load("bulk", "--config", cluster.config, "--jobs", listed)
            columns = "id, partition, name, user_name, state, started_at, nodes, held"
            rows = f"SELECT {columns} FROM cox.job WHERE ended_at IS NULL ORDER BY id"
            squeue = ["squeue", "-h"]
            measured, base = self.steady(
                lambda: {"psql": self.seconds(cluster, ["psql", "-At", "-c", rows,
                                                        cluster.database])},
                lambda: {"squeue": self.seconds(cluster, squeue)})
            self.add(f"squeue, {listed:,} jobs", measured["squeue"], "s", 1, "1 s", 1, 0.5,
                     lower=True)
            self.add("the same beside psql", measured["squeue"], "s", base["psql"],
                     "psql of the same columns", 4, 2, lower=True)
            alone = self.load(*dispatch)["dispatch_1_p50"]
            with self.again_and_again(cluster, squeue):
                beside = self.load(*dispatch)["dispatch_1_p50"]
            self.add("dispatch beside it, median", beside, "ms", alone, "the dispatch alone", 4, 2,
                     lower=True)

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
        """How many are to be queued; None: they would not fit into what memory is free."""
        jobs = self.sizes.jobs
        if memory_available() >= MEMORY_NEEDED * jobs / 1_000_000:
            return jobs
        return say(f"too little memory is free for {jobs:,} queued jobs; say fewer: --jobs N")

    def memory(self):
        jobs = self.jobs_that_fit()
        if jobs is None:
            return
        with BenchCluster(self.programs, self.folder, nodes=1, cpus=8) as cluster:
            cluster.drain()
            before = cluster.controller_rss()
            self.load("backlog", "--config", cluster.config, "--jobs", jobs)
            per_job = (cluster.controller_rss() - before) / jobs
        self.add(f"memory a queued job, {jobs:,}", per_job, "bytes", 1, "1 byte", 1024, 350,
                 lower=True)

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


def measure(bench, options):
    if options.peer:
        bench.measure_peer()
    for name in options.only or GROUPS:
        say(f"== {name}")
        GROUPS[name](bench)


def main():
    parser = argparse.ArgumentParser(prog="./dev bench", description=__doc__.splitlines()[0])
    parser.add_argument("--json", type=Path, metavar="FILE", help="the table for programs")
    parser.add_argument("--peer", action="store_true", help="beside Slurm on this machine, too")
    parser.add_argument("--only", choices=sorted(GROUPS), action="append", metavar="GROUP",
                        help=f"one of {', '.join(GROUPS)}; may be given several times")
    parser.add_argument("--traces", action="store_true",
                        help="instead: the scheduler's decisions on published traces")
    parser.add_argument("--fairness", action="store_true",
                        help="instead: what accounts get of what is theirs, over a month")
    parser.add_argument("--seeds", type=positive, default=10, metavar="N",
                        help="of every workload that is drawn by chance (--traces)")
    parser.add_argument("--jobs", type=positive, metavar="N",
                        help="queued in the groups memory and restart, 1,000,000 by default and at "
                             "most; running in the group rolling, 1,000 by default and at most")
    parser.add_argument("--transaction-seconds", type=positive, metavar="S",
                        help="how long the transaction of the group aged stays open, 600 s by "
                             "default")
    parser.add_argument("--small", action="store_true",
                        help="checks only that the groups work: each takes seconds, and its "
                             "figures mean nothing")
    parser.add_argument("--programs", type=Path, required=True, help=argparse.SUPPRESS)
    options = parser.parse_args()
    program = options.programs.resolve() / "cox-simulate"
    if options.fairness:
        return bench_fairness(program, options.json, say)
    if options.traces:
        return bench_traces(program, options.seeds, options.json, say)
    close_on_signals()
    with tempfile.TemporaryDirectory(prefix="cox-bench-") as folder:
        Path(folder).chmod(0o755)
        bench = Bench(options.programs.resolve(), Path(folder), options)
        try:
            measure(bench, options)
        finally:  # what was measured is told, whatever ended the run
            print_table(bench.figures)
            if options.json:
                table = [figure.as_dict() for figure in bench.figures]
                options.json.write_text(json.dumps(table, indent=2) + "\n")


if __name__ == "__main__":
    main()
