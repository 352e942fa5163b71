#!/usr/bin/python3
"""The smallest checkpoint loop, standard library alone: one rank, one number.

cox submit -n1 --checkpoint-signal=USR1 -- /usr/bin/python3 examples/checkpoint_loop.py
"""

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

STEPS = 300
SAVE_EVERY = 100  # also without being asked: less to repeat after a lost node

RANK = os.environ.get("RANK") or os.environ["SLURM_PROCID"]  # tasks of srun have the second alone

stop_asked = False


def on_stop(_signal_number, _frame):
    global stop_asked
    stop_asked = True


def save(step, total):
    folder = Path(os.environ["COX_CHECKPOINT_DIR"]) / f"step-{step}" / f"rank-{RANK}"
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "total").write_text(str(total))
    subprocess.run(["cox", "checkpoint", "done", "--step", str(step)], check=True)
    print(f"saved step {step}", flush=True)


def main():
    signal.signal(signal.SIGUSR1, on_stop)
    step, total = 0, 0
    if given := os.environ.get("COX_RESUME_FROM"):
        step = int(Path(given).name.removeprefix("step-"))
        total = int((Path(given) / f"rank-{RANK}" / "total").read_text())
        print(f"resumes after step {step}", flush=True)
    while step < STEPS:
        step += 1
        total += step  # the work
        time.sleep(0.1)
        if stop_asked:
            save(step, total)
            sys.exit(75)  # saved, run me again
        if step % SAVE_EVERY == 0:
            save(step, total)
    print(f"total {total}")


main()
