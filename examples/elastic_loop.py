#!/usr/bin/python3
"""An elastic gang with only the standard library: it continues with fewer or more ranks.

cox submit -N1-4 --checkpoint-signal=USR1 -- /usr/bin/python3 examples/elastic_loop.py

Each step handles the same numbers, however many ranks share them. So the result does not depend on
the number of ranks.
"""

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

STEPS = 3000
NUMBERS_A_STEP = 48
SAVE_EVERY = 20

# Tasks of srun have only Slurm's variables.
RANK = int(os.environ.get("RANK") or os.environ["SLURM_PROCID"])
WORLD_SIZE = int(os.environ.get("WORLD_SIZE") or os.environ["SLURM_NTASKS"])

stop_asked = False


def on_stop(_signal_number, _frame):
    global stop_asked
    stop_asked = True


def save(step, total):
    folder = Path(os.environ["COX_CHECKPOINT_DIR"]) / f"step-{step}" / f"rank-{RANK}"
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "total").write_text(str(total))
    subprocess.run(["cox", "checkpoint", "done", "--step", str(step)], check=True)


def resumed():
    """Returns the saved step, and this rank's part of the totals that the earlier ranks saved."""
    if not (given := os.environ.get("COX_RESUME_FROM")):
        return 0, 0
    saved = sorted(Path(given).glob("rank-*/total"))  # one part for each rank that saved
    mine = saved[RANK::WORLD_SIZE]  # each part goes to one rank; some ranks may get none
    print(f"rank {RANK} of {WORLD_SIZE} takes {len(mine)} of {len(saved)} parts", flush=True)
    step = int(Path(given).name.removeprefix("step-"))
    return step, sum(int(part.read_text()) for part in mine)


def main():
    signal.signal(signal.SIGUSR1, on_stop)
    step, total = resumed()
    while step < STEPS:
        numbers = range(step * NUMBERS_A_STEP, (step + 1) * NUMBERS_A_STEP)
        total += sum(numbers[RANK::WORLD_SIZE])  # the work
        step += 1
        time.sleep(0.05)
        # The ranks do not communicate, so all save at the same fixed steps. A rank that is asked to
        # stop continues to the next of these.
        if step % SAVE_EVERY == 0:
            save(step, total)
            if stop_asked:
                sys.exit(75)  # saved, run me again
    print(f"rank {RANK} of {WORLD_SIZE} total {total}")


main()
