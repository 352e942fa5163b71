"""A task that requeues its own job in the handler of its signal, as submitit does: it saves, calls
`scontrol requeue`, ignores SIGTERM, and exits with an error. It writes each signal to a file.

    self_requeue.py FILE
"""

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

SECOND_SIGNAL_S = 1.0  # a second signal, caused by the requeue, would come within so many seconds

record = Path(sys.argv[1])


def note(text):
    with record.open("a") as file:
        file.write(text + "\n")


def requeue(_number, _frame):
    note("USR2")
    subprocess.run(["scontrol", "requeue", os.environ["SLURM_JOB_ID"]], check=True)
    note("requeued")
    end = time.monotonic() + SECOND_SIGNAL_S
    while time.monotonic() < end:
        time.sleep(0.05)
    sys.exit(-1)


if record.exists():
    note("resumed")
    sys.exit(0)
signal.signal(signal.SIGUSR2, requeue)
signal.signal(signal.SIGTERM, lambda number, frame: note("TERM"))
note("ready")
while True:
    signal.pause()
