"""Fixtures of the tests of the Python module: the environment of a rank with a fake `cox` that
records its calls, and ranks as processes of their own."""

import multiprocessing
import os
import runpy
import signal
import sys
from pathlib import Path

import pytest

from patience import DEADLINE_S

ROOT = Path(__file__).resolve().parents[2]
RECIPES = ROOT / "examples/recipes"
PUBLISHED = Path(__file__).resolve().parent / "published"
sys.path.insert(0, str(ROOT / "python"))
# The stand-ins are last in the path: if a library is installed, it is used instead.
sys.path.append(str(PUBLISHED))

FAKE_COX = """#!/bin/sh
[ ! -e "$COX_NOTES.late" ] || sleep 0.3
echo "$COX_RANK: $*" >> "$COX_NOTES"
[ ! -e "$COX_NOTES.slow" ] || exec sleep 1000
[ -e "$COX_NOTES.refused" ] || exit 0
echo "cox: it is refused" >&2
exit "$(cat "$COX_NOTES.refused")"
"""


@pytest.fixture(autouse=True)
def own_signals():
    """Restores signal handlers after each test, since a Run sets those of this process."""
    kept = {number: signal.getsignal(number)
            for number in (signal.SIGUSR1, signal.SIGUSR2, signal.SIGTERM, signal.SIGHUP)}
    yield
    for number, handler in kept.items():
        signal.signal(number, handler)


@pytest.fixture(autouse=True)
def no_job(monkeypatch, tmp_path):
    """Starts each test outside of any job, in a folder of its own."""
    for name in list(os.environ):
        if name.startswith(("COX", "SLURM_")) or name in ("RANK", "WORLD_SIZE", "LOCAL_RANK"):
            monkeypatch.delenv(name)
    monkeypatch.chdir(tmp_path)
    yield
    os.environ.pop("COXSWAIN_RUN", None)


class Job:
    """The environment of a rank, and the recorded calls of `cox`."""

    def __init__(self, monkeypatch, folder):
        self.monkeypatch, self.folder = monkeypatch, folder
        self.checkpoints, self.notes = folder / "job" / "attempt-1", folder / "notes"
        self.reason_file = folder / "reason"
        self.checkpoints.mkdir(parents=True)
        (folder / "bin").mkdir()
        (folder / "bin" / "cox").write_text(FAKE_COX)
        (folder / "bin" / "cox").chmod(0o755)
        self.set(PATH=f"{folder / 'bin'}:{os.environ['PATH']}", COX_NOTES=self.notes, COX_RANK=0,
                 COX_SUPERVISOR_SOCKET=folder / "socket", COX_CHECKPOINT_DIR=self.checkpoints,
                 COX_STOP_REASON_FILE=self.reason_file)

    def set(self, **variables):
        for name, value in variables.items():
            self.monkeypatch.setenv(name, str(value))

    def ask(self, reason="preempt"):
        self.reason_file.write_text(reason + "\n")

    def begin_anew(self):
        """Becomes the next attempt, which resumes from the newest save of this one."""
        steps = sorted(self.checkpoints.iterdir(), key=lambda step: int(step.name[5:]))
        self.checkpoints = self.checkpoints.with_name("attempt-2")
        self.checkpoints.mkdir()
        self.set(COX_RESUME_FROM=steps[-1], COX_CHECKPOINT_DIR=self.checkpoints)
        self.reason_file.unlink(missing_ok=True)

    def said(self):
        """Returns the recorded calls as lines "RANK: WORDS", in order."""
        return self.notes.read_text().splitlines() if self.notes.exists() else []

    def refuse(self, exit_code):
        self.notes.with_name("notes.refused").write_text(str(exit_code))

    def saved_names(self):
        """Returns the files below the attempt's folder."""
        return [str(file.relative_to(self.checkpoints))
                for file in sorted(self.checkpoints.rglob("*")) if file.is_file()]

    def saved(self):
        """Returns {file below the attempt's folder: its text}."""
        return {name: (self.checkpoints / name).read_text() for name in self.saved_names()}


@pytest.fixture
def job(monkeypatch, tmp_path):
    return Job(monkeypatch, tmp_path)


def settle(run):
    """Waits for the end of the command with which a run reported last. A run itself does not wait
    for it."""
    if run._progress._child is not None:
        run._progress._child.wait(DEADLINE_S)


def run_recipe(monkeypatch, name, *words):
    """Runs a file of examples/recipes in this process. Returns its exit code."""
    monkeypatch.setattr(sys, "argv", [name, *map(str, words)])
    try:
        runpy.run_path(str(RECIPES / name), run_name="__main__")
    except SystemExit as ended:
        return ended.code or 0
    return 0


class Meeting:
    """Lets ranks that are processes of one machine agree: all get the highest number."""

    def __init__(self, context, size):
        self.barrier, self.numbers = context.Barrier(size), context.Array("i", size)

    def of(self, rank):
        def highest(number):
            self.numbers[rank] = number
            self.barrier.wait(DEADLINE_S)
            found = max(self.numbers)
            self.barrier.wait(DEADLINE_S)
            return found
        return highest


def run_ranks(work, environments):
    """Forks a process for each environment, which runs work(rank, agreement). Returns their exit
    codes."""
    context = multiprocessing.get_context("fork")
    meeting = Meeting(context, len(environments))

    def begin(rank):
        os.environ.update({name: str(value) for name, value in environments[rank].items()})
        work(rank, meeting.of(rank))

    ranks = [context.Process(target=begin, args=(rank,)) for rank in range(len(environments))]
    for rank in ranks:
        rank.start()
    for rank in ranks:
        rank.join(DEADLINE_S)
        rank.kill()  # has no effect on a rank that has ended
        rank.join()
    return [rank.exitcode for rank in ranks]


def gang(size):
    """Returns the environment that the scheduler gives each rank of a gang."""
    return [{"RANK": rank, "WORLD_SIZE": size, "COX_RANK": rank, "SLURM_STEP_ID": 0,
             "SLURM_STEP_NUM_TASKS": size} for rank in range(size)]


def torchrun(tasks, workers):
    """Returns the environments that torchrun gives its workers, on nodes with one task each."""
    return [{"RANK": task * workers + local, "WORLD_SIZE": tasks * workers, "LOCAL_RANK": local,
             "COX_RANK": task, "SLURM_STEP_ID": 0, "SLURM_STEP_NUM_TASKS": tasks}
            for task in range(tasks) for local in range(workers)]
