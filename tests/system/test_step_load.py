"""Steps under load: much output, slow readers, many tasks, and many steps at the same time."""

import hashlib
import os
import time
from pathlib import Path

from cluster import PYTHON
from patience import DEADLINE_S
from processes import processes_with

CLUSTER = {"nodes": 4, "cpus": 64}
FLOOD = Path(__file__).with_name("programs") / "flood.py"
MIB = 1 << 20


def digest_of(stream):
    """Reads the stream to its end. Returns the digest and the number of bytes."""
    sum_of_all, total = hashlib.blake2b(), 0
    while piece := os.read(stream.fileno(), MIB):
        sum_of_all.update(piece)
        total += len(piece)
    return sum_of_all.hexdigest(), total


def step_daemons(job):
    return processes_with(lambda process: process.cmdline().startswith(b"cox-stepd\0%d." % job))


def memory_mib(process, field="VmRSS"):
    lines = process.read("status").decode().splitlines()
    return int(next(line for line in lines if line.startswith(field)).split()[1]) // 1024


def test_srun_prints_200_mib_of_output_whole_and_in_order(allocation):
    here = allocation(tasks=1)
    with here.start("-n1", PYTHON, FLOOD, 200, "digest") as step:
        digest, total = digest_of(step.stdout)
        assert step.wait(DEADLINE_S) == 0, step.stderr.read()
    assert total == 200 * MIB
    assert digest == (here.folder / "digest").read_text()


def test_a_reader_of_srun_that_pauses_stalls_the_task_and_loses_nothing(allocation):
    here = allocation(tasks=1)
    progress = here.folder / "progress"
    assert here.run("-n1", "true").returncode == 0
    # A child of the step daemon that is about to end still has the daemon's name, so this waits
    # until only one process has it.
    daemon, = here.cluster.wait_for(
        lambda: len(found := step_daemons(here.job)) == 1 and found, "one step daemon")
    before = memory_mib(daemon)
    with here.start("-n1", PYTHON, FLOOD, 128, "digest", "--progress", progress) as step:
        seen = {"bytes": 0, "since": time.monotonic()}

        def has_stalled():
            now = int((progress.read_text() if progress.exists() else "") or 0)
            if now != seen["bytes"]:
                seen.update(bytes=now, since=time.monotonic())
            return now > 0 and time.monotonic() - seen["since"] > 1
        here.cluster.wait_for(has_stalled, lambda: f"the task to stall: {seen}")
        assert seen["bytes"] < 32 * MIB  # only what srun, the pipes and the connection hold
        assert memory_mib(daemon) - before < 96  # half of this bound is for sanitizers
        digest, total = digest_of(step.stdout)
        assert (total, step.wait(DEADLINE_S)) == (128 * MIB, 0)
    assert digest == (here.folder / "digest").read_text()


def test_256_ranks_run_on_4_workers(allocation):
    here = allocation(nodes=4, tasks=256)
    done = here.run("-l", "sh", "-c", "echo $SLURMD_NODENAME $SLURM_LOCALID; "
                                      "test $SLURM_PROCID -lt 255 || exit 5")
    assert (set(done.stdout.decode().splitlines()) ^ {
        f"{rank:3}: n{rank // 64 + 1} {rank % 64}" for rank in range(256)}, done.stderr) == (
        set(), b"srun: error: n4: task 255: Exited with exit code 5\n")
    assert (done.stdout.count(b"\n"), done.returncode) == (256, 5)


def test_50_steps_run_at_once(allocation):
    count = 50
    here = allocation(nodes=1, tasks=64)
    go = here.folder / "go"
    steps = [here.start("--exact", "-n1", "-N1", "sh", "-c",
                        f"until [ -e {go} ]; do sleep 0.2; done; echo $SLURM_STEP_ID")
             for _ in range(count)]
    here.cluster.wait_for(lambda: sum(row[1] == "RUNNING" for row in here.steps()) == count,
                          "all steps to run at once")
    go.touch()
    said = [step.communicate(timeout=DEADLINE_S) for step in steps]
    assert sorted(out for out, _ in said) == sorted(b"%d\n" % number for number in range(count)), (
        [err for _, err in said if err])
    assert [step.returncode for step in steps] == [0] * count
    here.cluster.wait_for(lambda: all(row[1] == "COMPLETED" for row in here.steps()),
                          "all steps to be recorded")
