"""A rolling upgrade as users see it: all controllers and workers are replaced one after another
while jobs run and are queued, and commands are called all the time."""

import contextlib
import json
import re
import signal
import socket
import subprocess
import threading
import time

from cluster import BenchCluster
from takeover import await_line

NODES = 4
PATIENCE_S = 300
NO_ANSWER = 3  # the exit code of a command that found no controller


def free_port():
    with socket.create_server(("127.0.0.1", 0)) as server:
        return server.getsockname()[1]


def value_of(text, key):
    return json.loads(re.search(rf'^{key} = (".*")$', text, re.MULTILINE)[1])


def with_value(text, key, value):
    return re.sub(rf"^{key} = .*$", f"{key} = {json.dumps(value)}", text, flags=re.MULTILINE)


class Daemons:
    """Two controllers and the nodes' workers, as child processes."""

    def __init__(self, cluster):
        self.cluster = cluster
        text = cluster.config.read_text()
        places = {key: value_of(text, key) for key in ("listen_local", "listen_tcp")}
        others = {"listen_local": places["listen_local"] + "2",
                  "listen_tcp": f"tcp://127.0.0.1:{free_port()}"}
        asked = with_value(text, "controller",
                           f"{places['listen_local']},{others['listen_local']}")
        cluster.config.write_text(asked)
        second = cluster.dir / "second.toml"
        for key, place in others.items():
            asked = with_value(asked, key, place)
        second.write_text(asked)
        self.files = {"first": cluster.config, "second": second}
        for number in range(1, NODES + 1):
            file = cluster.dir / "workers" / f"n{number}.toml"
            file.write_text(with_value(file.read_text(), "controller",
                                       f"{places['listen_tcp']},{others['listen_tcp']}"))
            self.files[f"n{number}"] = file
        self.processes, self.logs = {}, {}

    def start(self, name):
        is_worker = name not in ("first", "second")
        program = "cox-worker" if is_worker else "cox-controller"
        log = self.cluster.dir / f"{name}-{time.monotonic_ns()}.log"
        self.logs[name] = log
        self.processes[name] = subprocess.Popen(
            [self.cluster.programs / program, "--config", self.files[name], "--log", log])
        await_line(log, "serving node" if is_worker else "standing by leader|leading term")

    def take_over(self):
        """Replaces the daemons that `cox up` started."""
        lines = (self.cluster.dir / "pids").read_text().splitlines()
        pids = {line.split()[0]: int(line.split()[1]) for line in lines}
        for name, file in self.files.items():
            known = {"first": "controller"}.get(name, f"worker-{name}")
            if known in pids:
                self.cluster.end_process(pids[known])
            self.start(name)

    def replace(self, name):
        process = self.processes[name]
        process.send_signal(signal.SIGTERM)
        process.wait(PATIENCE_S)
        self.start(name)

    def close(self):
        for process in self.processes.values():
            process.kill()
            process.wait()


def count_of(cluster, state):
    done = subprocess.run(["psql", "-X", "-At", "-d", cluster.database, "-c",
                           f"SELECT count(*) FROM cox.job WHERE state = '{state}'"],
                          check=True, capture_output=True, text=True)
    return int(done.stdout)


def await_count(cluster, state, count):
    end = time.monotonic() + PATIENCE_S
    while count_of(cluster, state) != count:
        if time.monotonic() > end:
            raise SystemExit(f"bench: {count_of(cluster, state)} jobs are {state}, not {count}")
        time.sleep(0.1)


def nodes_up(cluster):
    views = json.loads(cluster.cox("nodes", "--json"))["nodes"]
    return sum(view["node"]["responding"] for view in views)


def supervisors(cluster):
    return {file.read_text() for file in cluster.dir.glob("spool/*/*/identity")}


class Commands:
    """Calls one command after the other, and records the longest time without an answer. One that
    gives up because no controller answers is called again, and the time goes on."""

    def __init__(self, cluster):
        self.cluster, self.longest, self.over = cluster, 0, threading.Event()
        self.failures = []
        self.thread = threading.Thread(target=self.run)

    def run(self):
        began = time.monotonic()
        while not self.over.is_set():
            done = subprocess.run([self.cluster.programs / "cox", "status", "--json"],
                                  env=self.cluster.environment, cwd="/tmp", capture_output=True,
                                  stdin=subprocess.DEVNULL, text=True)
            self.longest = max(self.longest, time.monotonic() - began)
            if done.returncode == NO_ANSWER:
                continue
            if done.returncode != 0:
                self.failures.append(done.stderr)
            began = time.monotonic()

    def __enter__(self):
        self.thread.start()
        return self

    def __exit__(self, *_):
        self.over.set()
        self.thread.join()


@contextlib.contextmanager
def daemons_of(cluster):
    daemons = Daemons(cluster)
    try:
        daemons.take_over()
        yield daemons
    finally:
        daemons.close()


def replace_all(cluster, daemons):
    for name in ("second", "first"):  # the standby first
        daemons.replace(name)
    for number in range(1, NODES + 1):
        daemons.replace(f"n{number}")
        end = time.monotonic() + PATIENCE_S
        while nodes_up(cluster) != NODES:
            if time.monotonic() > end:
                raise SystemExit(f"bench: node n{number} does not come back")
            time.sleep(0.1)


def bench_rolling(bench):
    running = min(bench.sizes.running, bench.sizes.jobs)
    queued = min(bench.sizes.rolling_queued, 10 * running)
    with (BenchCluster(bench.programs, bench.folder, nodes=NODES, cpus=running // NODES) as cluster,
          daemons_of(cluster) as daemons):
        jobs = running // NODES * NODES
        cluster.cox("submit", f"--array=0-{jobs - 1}", "-n1", "-c1", "-o", "/dev/null", "--",
                    "sleep", "infinity")
        await_count(cluster, "RUNNING", jobs)
        bench.load("backlog", "--config", cluster.config, "--jobs", queued, "--cpus",
                   running // NODES)
        before = supervisors(cluster)
        with Commands(cluster) as commands:
            began = time.monotonic()
            replace_all(cluster, daemons)
            took = time.monotonic() - began
        if commands.failures:
            raise SystemExit(f"bench: a command failed: {commands.failures[0]}")
        await_count(cluster, "RUNNING", jobs)
        await_count(cluster, "PENDING", queued)
        if supervisors(cluster) != before:
            raise SystemExit("bench: running jobs were started again")
        amount = f"{jobs:,} running, {queued:,} queued"
        bench.add("rolling upgrade, the longest wait for an answer", commands.longest, "s", 1,
                  "1 s", 5, 1, lower=True, amount=amount)
        bench.add("rolling upgrade, a daemon's replacement", took / (NODES + 2), "s", 1, "1 s", 10,
                  5, lower=True, amount=amount)
