"""./dev bench: each group of measurements completes and yields all its figures, here with --small,
whose sizes take seconds. An interrupt leaves nothing running.

Not tested here: --peer, which builds and starts Slurm; --traces and --fairness, which take minutes
and use only the simulator. Their tables are tested in tests/tidy, the simulator in tests/simulate.
"""

import json
import math
import os
import shutil
import signal
import subprocess
import sys

import pytest

from cluster import ROOT, find_programs
from patience import DEADLINE_S, LONG_DEADLINE_S, wait_for
from processes import processes_with

# Names of the figures of each group. No name has an amount of work in it, so that runs of different
# sizes have the same names.
FIGURES = {
    "submissions": ["submit, 1 client", "submit, 32 clients", "submit in bulk"],
    "scripts": ["script jobs"],
    "null": ["null executor", "idle"],
    "history": ["null executor, many finished and pending"],
    "latencies": ["dispatch, median", "dispatch, 99 %", "preemption of a node",
                  "preemption of a gang of 4 nodes", "64 ranks on 4 nodes",
                  "preempted job's return", "slowest command"],
    "listing": ["squeue", "squeue beside psql", "dispatch beside squeue, median"],
    "memory": ["memory a queued job"],
    "steps": ["step on 4 nodes", "large step on 4 nodes", "stream of a step",
              "stream of a step beside a socket pair", "steps at once, each"],
    "takeover": ["kill -9 of the leader, a command's answer",
                 "kill -9 of the leader, a job's start",
                 "clean stop of the leader, a command's answer",
                 "clean stop of the leader, a job's start"],
    "restart": ["restart, a job's start", "restart beside COPY"],
    "rolling": ["rolling upgrade, the longest wait for an answer",
                "rolling upgrade, a daemon's replacement"],
    "aged": ["null executor, an open transaction"],
}


def bench_command(*words):
    return [sys.executable, ROOT / "bench/bench.py", "--programs", find_programs(), *words]


@pytest.fixture
def bench_folder(tmp_path_factory):
    """The folder in which ./dev bench makes its folder. The name is short, for the paths of sockets
    in it."""
    return tmp_path_factory.mktemp("b")


def bench_environment(folder):
    return dict(os.environ, TMPDIR=str(folder))


def processes_below(folder, program=""):
    """Returns the benchmark's processes in this folder: those of its clusters, and its load
    program."""
    marks = (str(folder).encode() + b"/cox-bench-", program.encode())
    return processes_with(lambda process: all(mark in process.cmdline() for mark in marks))


def test_the_expected_figures_name_every_group_of_the_bench():
    asked = [sys.executable, "-c", "import bench; print(*bench.GROUPS)"]
    environment = dict(os.environ, PYTHONPATH=str(ROOT / "bench"), PYTHONDONTWRITEBYTECODE="1")
    groups = subprocess.run(asked, env=environment, capture_output=True, text=True, check=True)
    assert groups.stdout.split() == list(FIGURES)


@pytest.mark.parametrize("group", FIGURES)
def test_each_group_of_the_bench_yields_all_its_figures(bench_folder, group):
    table = bench_folder / "figures.json"
    done = subprocess.run(bench_command("--small", "--only", group, "--json", table),
                          env=bench_environment(bench_folder), capture_output=True, text=True,
                          timeout=LONG_DEADLINE_S)
    assert done.returncode == 0, done.stderr
    figures = json.loads(table.read_text())
    assert [figure["name"] for figure in figures] == FIGURES[group]
    for figure in figures:
        numbers = [figure[key] for key in ("value", "reference_value", "low", "ratio", "high")]
        assert all(math.isfinite(number) and number > 0 for number in numbers), figure
        assert figure["low"] <= figure["ratio"] <= figure["high"]
        assert f"\n{figure['name']} " in done.stdout  # the printed table has the figure, too
    assert not processes_below(bench_folder)
    assert list(bench_folder.iterdir()) == [table]


def psql_that_hangs(folder, query):
    """Makes a psql that hangs when it is asked this query. Returns its folder, and the file that
    it makes then."""
    hangs, place = folder / "hangs", folder / "bin"
    place.mkdir()
    (place / "psql").write_text(f"#!/bin/bash\nif [[ $* == *'{query}'* ]]; then\n"
                                f"touch {hangs}; exec sleep infinity\nfi\n"
                                f"exec {shutil.which('psql')} \"$@\"\n")
    (place / "psql").chmod(0o755)
    return place, hangs


@pytest.mark.parametrize("number", (signal.SIGINT, signal.SIGTERM))
def test_an_interrupted_bench_leaves_no_process_and_no_file(bench_folder, tmp_path, number):
    """Interrupts the group that starts the most, before it kills a controller: a cluster, two
    controllers and jobs on fake nodes."""
    place, hangs = psql_that_hangs(tmp_path, "FROM cox.leadership")
    environment = bench_environment(bench_folder)
    environment["PATH"] = f"{place}:{environment['PATH']}"
    bench = subprocess.Popen(bench_command("--small", "--only", "takeover"),
                             stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
                             env=environment)
    try:
        wait_for(hangs.exists, "the bench to ask for the leader's lease")
        assert len(processes_below(bench_folder, "cox-controller\0")) == 2
        assert processes_below(bench_folder, "cox-bench\0running\0")
        bench.send_signal(number)
        assert bench.wait(DEADLINE_S) == 128 + number
    finally:
        bench.kill()
    assert not processes_below(bench_folder)
    assert not list(bench_folder.iterdir())
