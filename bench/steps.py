"""Measures steps: the time until all ranks run, the speed of their output, many steps at once.

Measured from outside, with srun as people call it: the start of srun itself counts.
"""

import os
import socket
import statistics
import subprocess
import time

from cluster import BenchCluster

NODES = 4
CPUS = 256


class Steps:
    """A job that holds all nodes, and calls of srun in it."""

    def __init__(self, cluster):
        self.cluster = cluster
        self.links = cluster.dir / "links"
        self.links.mkdir()
        for name in ("srun", "sbatch"):
            (self.links / name).symlink_to(cluster.programs / "cox")
        self.environment = dict(cluster.environment)
        done = subprocess.run([self.links / "sbatch", "--parsable", f"-N{NODES}", "--exclusive",
                               "-o", "/dev/null", "--wrap=sleep infinity"], check=True, text=True,
                              env=self.environment, cwd="/tmp", stdout=subprocess.PIPE)
        self.environment["SLURM_JOB_ID"] = done.stdout.strip()
        self.run("true")  # the first step waits until the job runs, and starts the step daemons

    def start(self, *words, **options):
        return subprocess.Popen([self.links / "srun", *map(str, words)], cwd="/tmp",
                                env=self.environment, stdin=subprocess.DEVNULL, **options)

    def run(self, *words, **options):
        if self.start(*words, **options).wait() != 0:
            raise SystemExit(f"bench: srun {' '.join(map(str, words))} failed")


def launch_ms(steps, stamp, folder, ranks):
    """Returns the time from the call of srun to the first instruction of the last rank."""
    file = folder / "step.stamps"
    file.unlink(missing_ok=True)
    began = time.monotonic_ns()
    steps.run(f"-N{NODES}", f"-n{ranks}", stamp, file)
    stamps = [int(line) for line in file.read_text().split()]
    assert len(stamps) == ranks
    return (max(stamps) - began) / 1e6


def median_launch_ms(steps, stamp, folder, ranks, launches):
    return statistics.median(launch_ms(steps, stamp, folder, ranks) for _ in range(launches))


def mib_per_second(mib, source, sink):
    """Returns how fast one process reads from a socket pair what another one writes into it."""
    ours, theirs = socket.socketpair()
    began = time.monotonic()
    writer = source(ours)
    reader = subprocess.Popen(sink, stdin=theirs, stdout=subprocess.DEVNULL)
    ours.close()
    theirs.close()
    if writer.wait() != 0 or reader.wait() != 0:
        raise SystemExit("bench: a stream ended badly")
    return mib / (time.monotonic() - began)


def bench_steps(bench):
    folder, sizes = bench.folder, bench.sizes
    flood = ["head", "-c", str(sizes.stream_mib << 20), "/dev/zero"]
    with BenchCluster(bench.programs, folder, nodes=NODES, cpus=CPUS) as cluster:
        steps = Steps(cluster)
        stamp = bench.programs / "cox-stamp"

        def spawns(count):
            return bench.load("spawn-together", "--program", bench.programs / "cox-noop",
                              "--count", count)[f"spawn_{count}_p50"]

        def launches():
            return median_launch_ms(steps, stamp, folder, sizes.ranks, sizes.launches)

        for launch, base in bench.steady(lambda: {"spawns": spawns(sizes.ranks)}, launches):
            bench.add(f"step on {NODES} nodes", launch, "ms", base["spawns"], "as many spawns", 2,
                      1.5, lower=True, amount=f"{sizes.ranks} ranks")
        for _ in range(sizes.rounds):
            many = median_launch_ms(steps, stamp, folder, sizes.many_ranks, sizes.many_launches)
            bench.add(f"large step on {NODES} nodes", many, "ms", spawns(sizes.many_ranks),
                      "as many spawns", 2, 1.5, lower=True, amount=f"{sizes.many_ranks:,} ranks")

        def step_stream():
            return mib_per_second(sizes.stream_mib, lambda out: steps.start(
                "-N1", "-n1", *flood, stdout=out), "cat")

        def pair():
            return {"pair": mib_per_second(sizes.stream_mib, lambda out: subprocess.Popen(
                flood, stdout=out), "cat")}

        for stream, base in bench.steady(pair, step_stream):
            bench.add("stream of a step", stream, "MiB/s", 200, "200 MiB/s", 1, 2)
            bench.add("stream of a step beside a socket pair", stream, "MiB/s", base["pair"],
                      "cat of a socket pair", 0.1, 0.25)
        for _ in range(sizes.rounds):
            concurrent(bench, steps)


def concurrent(bench, steps):
    """Measures steps that all run at once: each waits until the last one has begun."""
    count = bench.sizes.steps_at_once
    go = bench.folder / "go"
    os.mkfifo(go)
    held = os.open(go, os.O_RDWR)  # so that a reader does not block when it opens the pipe
    began = time.monotonic()
    all_steps = [steps.start("--exact", "-N1", "-n1", "sh", "-c",
                             f"exec 3<{go}; echo; cat <&3 >/dev/null",
                             stdout=subprocess.PIPE) for _ in range(count)]
    for step in all_steps:
        step.stdout.readline()
    seconds = time.monotonic() - began
    os.close(held)  # gives every reader the end of the file
    go.unlink()
    failed = sum(step.wait() != 0 for step in all_steps)
    if failed:
        raise SystemExit(f"bench: {failed} of {count} steps failed")
    bench.add("steps at once, each", seconds * 1e3 / count, "ms", 1, "1 ms", 50, 25, lower=True,
              amount=f"{count} steps")
