#!/usr/bin/env python3
"""A rank that counts training steps and can be checkpointed. It uses only the standard library.

It appends lines to FOLDER/trace.JOB: "ATTEMPT RANK STEP TIME PID" for each step, and "begin" and
"end" in place of STEP. TIME is CLOCK_BOOTTIME in seconds.

When the ranks are asked to stop, all of them stop after the same step. Each writes to the folder
FOLDER/progress.JOB.ATTEMPT the step at which it was when the signal came, and all stop at the
highest of these steps.

With --pause-at STEP, the ranks do no step after this one until the file FOLDER/go.JOB exists or
they are asked to stop.
"""

import argparse
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

EXIT_SAVED = 75
LOOK_AGAIN_S = 0.01

stop_asked = False


def on_stop(_number, _frame):
    global stop_asked
    stop_asked = True


class Counter:
    def __init__(self, options):
        self.options = options
        self.rank, self.ranks = int(os.environ["RANK"]), int(os.environ["WORLD_SIZE"])
        job, self.attempt = os.environ["COX_ATTEMPT_ID"].rpartition("/")[2].split(".")
        self.trace_file = options.folder / f"trace.{job}"
        self.go_file = options.folder / f"go.{job}"
        self.meeting = options.folder / f"progress.{job}.{self.attempt}"
        self.meeting.mkdir(exist_ok=True)

    def trace(self, what):
        # Each line is one write to a file opened for appending, so that the lines of ranks do not
        # mix.
        now = time.clock_gettime(time.CLOCK_BOOTTIME)
        line = f"{self.attempt} {self.rank} {what} {now:.6f} {os.getpid()}\n"
        with open(self.trace_file, "ab", buffering=0) as file:
            file.write(line.encode())

    def last_step_of_all(self, step):
        """Returns the step after which all ranks stop, or None until all ranks have written
        theirs."""
        mine = self.meeting / str(self.rank)
        if not mine.exists():
            part = self.meeting / f"{self.rank}.part"
            part.write_text(str(step))
            part.rename(mine)
        steps = [file for file in self.meeting.iterdir() if not file.name.endswith(".part")]
        return max(int(file.read_text()) for file in steps) if len(steps) == self.ranks else None

    def save(self, step):
        folder = Path(os.environ["COX_CHECKPOINT_DIR"]) / f"step-{step}" / f"rank-{self.rank}"
        folder.mkdir(parents=True, exist_ok=True)
        (folder / "state").write_text(str(step))
        subprocess.run(["cox", "checkpoint", "done", "--step", str(step)], check=True,
                       stdout=subprocess.DEVNULL)

    def work(self, step):
        time.sleep(self.options.step_time)
        self.trace(step)
        print(f"step {step}", flush=True)

    def run(self):
        step = 0
        if given := os.environ.get("COX_RESUME_FROM"):
            step = int((Path(given) / f"rank-{self.rank}" / "state").read_text())
        self.trace("begin")
        while step < self.options.steps:
            if step == self.options.pause_at:
                self.pause()
            step += 1
            self.work(step)
            if stop_asked:
                self.stop(step)
            elif self.options.save_every and step % self.options.save_every == 0:
                self.save(step)
        self.trace("end")

    def pause(self):
        while not stop_asked and not self.go_file.exists():
            time.sleep(LOOK_AGAIN_S)

    def stop(self, step):
        while (last := self.last_step_of_all(step)) is None:
            time.sleep(LOOK_AGAIN_S)
        while step < last:
            step += 1
            self.work(step)
        self.save(step)
        sys.exit(EXIT_SAVED)


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--steps", type=int, default=1_000_000)
    parser.add_argument("--pause-at", type=int)
    parser.add_argument("--step-time", type=float, default=0.05)
    parser.add_argument("--save-every", type=int, default=0)
    parser.add_argument("--ignore", action="store_true", help="ignore the signals that ask to stop")
    options = parser.parse_args()
    for number in (signal.SIGUSR1, signal.SIGTERM):
        signal.signal(number, signal.SIG_IGN if options.ignore else on_stop)
    Counter(options).run()


main()
