"""Measures how long a cluster has no leader: after the leader dies or stops and a standby takes
over, and after a restart without a standby and with a million queued jobs.

Measured from outside, from the leader's end: until a command that is called then has its answer,
and until a job that is submitted then starts.
"""

import contextlib
import json
import re
import signal
import subprocess
import time

from cluster import BenchCluster

REAL_CPUS = 64  # CPUs of the only real node, which is drained; each queued job needs all of them
PATIENCE_S = 120


def await_line(file, wanted):
    """Waits until the file matches the pattern, and returns the match."""
    end = time.monotonic() + PATIENCE_S
    while time.monotonic() < end:
        found = file.exists() and re.search(wanted, file.read_text(), re.MULTILINE)
        if found:
            return found
        time.sleep(0.01)
    raise SystemExit(f"bench: no line {wanted} in {file}")


def await_lines(file, count):
    end = time.monotonic() + PATIENCE_S
    while file.read_text().count("\n") < count:
        if time.monotonic() > end:
            raise SystemExit(f"bench: fewer than {count} lines in {file}")
        time.sleep(0.05)


def await_short_lease(cluster):
    """Waits until the leader's lease is short. While a leader loads, its lease is much longer."""
    asked = ["psql", "-XAtq", cluster.database, "-c",
             "SELECT ends_at < clock_timestamp() + interval '4 s' FROM cox.leadership"]
    end = time.monotonic() + PATIENCE_S
    while subprocess.run(asked, check=True, capture_output=True, text=True).stdout.strip() != "t":
        if time.monotonic() > end:
            raise SystemExit("bench: the leader's lease does not become short")
        time.sleep(0.05)


class Controllers:
    """Two controllers, as child processes. The cluster's configuration file names both."""

    def __init__(self, cluster):
        self.cluster = cluster
        text = cluster.config.read_text()
        local = json.loads(re.search(r'^listen_local = (".*")$', text, re.MULTILINE)[1])
        both = f"{local},{local}2"
        text = re.sub(r"^controller = .*$", f"controller = {json.dumps(both)}", text,
                      flags=re.MULTILINE)
        text = re.sub(r"^listen_tcp = .*\n", "", text, flags=re.MULTILINE)
        cluster.config.write_text(text)
        self.files = {"first": cluster.config, "second": cluster.dir / "second.toml"}
        self.files["second"].write_text(
            text.replace(f"listen_local = {json.dumps(local)}",
                         f"listen_local = {json.dumps(local + '2')}"))
        self.processes, self.logs = {}, {}

    def start(self, name):
        log = self.cluster.dir / f"{name}-{time.monotonic_ns()}.log"
        self.logs[name] = log
        self.processes[name] = subprocess.Popen(
            [self.cluster.programs / "cox-controller", "--config", self.files[name], "--log", log])
        await_line(log, "standing by leader|leading term")

    def end(self, name, number):
        self.processes[name].send_signal(number)
        return time.monotonic_ns()

    def close(self):
        for process in self.processes.values():
            process.kill()
            process.wait()


@contextlib.contextmanager
def running_jobs(bench, cluster, count):
    """Runs jobs on fake nodes, and yields the file that records each start."""
    starts = cluster.dir / "starts"
    with starts.open("w") as file:
        process = subprocess.Popen([bench.programs / "cox-bench", "running", "--config",
                                    cluster.config, "--jobs", str(count)], stdout=file)
    try:
        await_lines(starts, count)
        yield starts
        if process.poll() is not None:
            raise SystemExit("bench: the fake nodes have ended")
    finally:
        process.kill()
        process.wait()


def seconds_until_served(cluster, starts, began_ns):
    """Calls a command and submits a job. Returns the seconds from `began_ns` until the command has
    its answer, and until the job starts."""
    submit = subprocess.Popen([cluster.programs / "cox", "submit", "--parsable", "-n1", "-o",
                               "/dev/null", "--", "true"], env=cluster.environment, cwd="/tmp",
                              stdout=subprocess.PIPE, text=True)
    # `cox status` itself waits up to 5 s for an answer.
    status = [cluster.programs / "cox", "status", "--json"]
    while subprocess.run(status, env=cluster.environment, capture_output=True).returncode != 0:
        if time.monotonic_ns() - began_ns > PATIENCE_S * 1e9:
            raise SystemExit("bench: no controller answers")
    answered = time.monotonic_ns()
    job = submit.communicate(timeout=PATIENCE_S)[0].strip()
    if submit.returncode != 0:
        raise SystemExit("bench: a submission failed")
    started = int(await_line(starts, rf"^started {job} (\d+)$")[1])
    return (answered - began_ns) / 1e9, (started - began_ns) / 1e9


@contextlib.contextmanager
def busy_cluster(bench, queued, names):
    """Starts a cluster with running and queued jobs. Yields the cluster, its controllers of these
    names, and the file that records the starts of jobs."""
    with BenchCluster(bench.programs, bench.folder, nodes=1, cpus=REAL_CPUS) as cluster:
        cluster.drain()
        bench.load("backlog", "--config", cluster.config, "--jobs", queued, "--cpus", REAL_CPUS)
        controllers = Controllers(cluster)
        cluster.end_controller()
        try:
            for name in names:
                controllers.start(name)
            with running_jobs(bench, cluster, bench.sizes.running) as starts:
                yield cluster, controllers, starts
        finally:
            controllers.close()


def bench_takeover(bench):
    queued = bench.sizes.takeover_queued
    with busy_cluster(bench, queued, ("first", "second")) as (cluster, controllers, starts):
        for how, number, gone, other, most, aim in bench.sizes.rounds * (
                ("kill -9", signal.SIGKILL, "first", "second", 5, 4),
                ("clean stop", signal.SIGTERM, "second", "first", 1, 0.7)):
            await_line(controllers.logs[other], "has read the jobs ahead")
            await_short_lease(cluster)
            began = controllers.end(gone, number)
            answered, started = seconds_until_served(cluster, starts, began)
            bench.add(f"{how} of the leader, a command's answer", answered, "s", 1, "1 s",
                      most, aim, lower=True, amount=f"{queued:,} queued")
            bench.add(f"{how} of the leader, a job's start", started, "s", 1, "1 s",
                      most, aim, lower=True, amount=f"{queued:,} queued")
            controllers.processes[gone].wait()
            await_line(controllers.logs[other], "leading term")
            controllers.start(gone)


def bench_restart(bench):
    """Measures a restart without a standby, and beside it a COPY that reads the same rows."""
    jobs = bench.jobs_that_fit()
    if jobs is None:
        return
    queued = max(1, jobs - bench.sizes.running - 10)  # max_jobs counts running jobs, too
    with busy_cluster(bench, queued, ("first",)) as (cluster, controllers, starts):
        # A table that is in use for longer has been vacuumed already. Without this VACUUM,
        # autovacuum would use a core during the measurement.
        subprocess.run(["psql", "-q", cluster.database, "-c", "VACUUM ANALYZE cox.job"],
                       check=True)
        copy = ["psql", "-q", cluster.database, "-c",
                "COPY (SELECT * FROM cox.job WHERE ended_at IS NULL) TO STDOUT"]
        began = time.monotonic()
        subprocess.run(copy, check=True, stdout=subprocess.DEVNULL)
        copied = time.monotonic() - began
        controllers.end("first", signal.SIGKILL)
        controllers.processes["first"].wait()
        again = time.monotonic_ns()
        controllers.start("first")
        _, started = seconds_until_served(cluster, starts, again)
        bench.add("restart, a job's start", started, "s", 1, "1 s", 10, 8, lower=True,
                  amount=f"{queued:,} queued")
        bench.add("restart beside COPY", started, "s", copied, "COPY of the jobs' rows", 8, 5,
                  lower=True)
