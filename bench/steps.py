"""Steps: how long until the ranks of one run, how fast what they write comes, and how many go.

Measured from outside, with srun as people call it: its own start counts.
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
    """A job that holds all nodes, and srun in it."""

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
        self.run("true")  # the first one of a job waits for it, and starts the step daemons

    def start(self, *words, **options):
        return subprocess.Popen([self.links / "srun", *map(str, words)], cwd="/tmp",
                                env=self.environment, stdin=subprocess.DEVNULL, **options)

    def run(self, *words, **options):
        if self.start(*words, **options).wait() != 0:
            raise SystemExit(f"bench: srun {' '.join(map(str, words))} failed")


def launch_ms(steps, stamp, folder, ranks):
    """From srun's call to the first instruction of the last rank."""
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
    """What one process writes into a socket pair, and another reads of it."""
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

        launch, base = bench.steady(lambda: {"spawns": spawns(sizes.ranks)}, launches)
        bench.add(f"step of {sizes.ranks} ranks on {NODES} nodes", launch, "ms", base["spawns"],
                  f"{sizes.ranks} spawns", 2, 1.5, lower=True)
        many = median_launch_ms(steps, stamp, folder, sizes.many_ranks, sizes.many_launches)
        bench.add(f"step of {sizes.many_ranks} ranks on {NODES} nodes", many, "ms",
                  spawns(sizes.many_ranks), f"{sizes.many_ranks} spawns", 2, 1.5, lower=True)

        def step_stream():
            return mib_per_second(sizes.stream_mib, lambda out: steps.start(
                "-N1", "-n1", *flood, stdout=out), "cat")

        def pair():
            return {"pair": mib_per_second(sizes.stream_mib, lambda out: subprocess.Popen(
                flood, stdout=out), "cat")}

        stream, base = bench.steady(pair, step_stream)
        bench.add("stream of a step", stream, "MiB/s", 200, "200 MiB/s", 1, 2)
        bench.add("stream of a step beside a socket pair", stream, "MiB/s", base["pair"],
                  "cat of a socket pair", 0.1, 0.25)
        concurrent(bench, steps)


def concurrent(bench, steps):
    """All of them run at once: each waits until the last one has begun."""
    count = bench.sizes.steps_at_once
    go = bench.folder / "go"
    os.mkfifo(go)
    held = os.open(go, os.O_RDWR)  # so that whoever opens it to read need not wait
    began = time.monotonic()
    all_steps = [steps.start("--exact", "-N1", "-n1", "sh", "-c",
                             f"exec 3<{go}; echo; cat <&3 >/dev/null",
                             stdout=subprocess.PIPE) for _ in range(count)]
    for step in all_steps:
        step.stdout.readline()
    seconds = time.monotonic() - began
    os.close(held)  # the end of the file, for all that wait for it
    failed = sum(step.wait() != 0 for step in all_steps)
    if failed:
        raise SystemExit(f"bench: {failed} of {count} steps failed")
    bench.add(f"{count} steps at once, each", seconds * 1e3 / count, "ms", 1, "1 ms", 50,
              25, lower=True)
