"""A job that only holds its nodes, and commands that run in it: srun, sattach and others."""

import os
import select
import subprocess
import time

from patience import DEADLINE_S

NAMES = ("srun", "sattach", "squeue", "scancel", "scontrol")


class Allocation:
    """A job that only sleeps, so that a test can run srun and other commands in its allocation."""

    def __init__(self, cluster, folder, nodes=1, tasks=4, options=()):
        self.cluster, self.folder = cluster, folder
        self.job = cluster.submit(f"-N{nodes}", f"-n{tasks}", *options, "-D", folder,
                                  "--wrap=sleep 1000")
        cluster.wait_state(self.job, "RUNNING")
        self.environment = dict(cluster.environment, SLURM_JOB_ID=str(self.job),
                                SLURM_NNODES=str(nodes), SLURM_NTASKS=str(tasks),
                                PATH=f"{folder}:{cluster.environment['PATH']}")
        for name in NAMES:
            link = folder / name
            if not link.is_symlink():
                link.symlink_to(cluster.bin / "cox")

    def start(self, *words, **options):
        return subprocess.Popen([self.folder / "srun", *map(str, words)], env=self.environment,
                                cwd=self.folder, **{"stdin": subprocess.DEVNULL,
                                                    "stdout": subprocess.PIPE,
                                                    "stderr": subprocess.PIPE, **options})

    def run(self, *words, data=b"", timeout_s=DEADLINE_S, **more):
        environment = dict(self.environment, **more)
        return subprocess.run([self.folder / "srun", *map(str, words)], env=environment,
                              cwd=self.folder, input=data, capture_output=True, timeout=timeout_s)

    def slurm(self, *words):
        return subprocess.run([self.folder / words[0], *map(str, words[1:])], text=True,
                              env=self.cluster.environment, capture_output=True, timeout=DEADLINE_S)

    def steps(self):
        return self.cluster.sql(
            f"SELECT number, state, exit_code FROM cox.step WHERE job_id = {self.job} ORDER BY 1")

    def wait_step(self, number, *states):
        self.cluster.wait_for(lambda: any(int(row[0]) == number and row[1] in states
                                          for row in self.steps()),
                              lambda: f"step {number} to be {states}; there are {self.steps()}")


def lines_until(stream, wanted):
    """Reads from a pipe until the wanted text has come. Returns all that was read."""
    end, text = time.monotonic() + DEADLINE_S, b""
    while wanted not in text:
        ready, _, _ = select.select([stream], [], [], max(0, end - time.monotonic()))
        assert ready, f"waited in vain for {wanted}; the output is {text}"
        piece = os.read(stream.fileno(), 65536)
        assert piece, f"the output ended without {wanted}: {text}"
        text += piece
    return text
