"""A training that saves and requeues its job at SIGUSR1, shortly before its time limit."""

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

rank, job = int(os.environ["SLURM_PROCID"]), os.environ["SLURM_JOB_ID"]
checkpoint = Path(f"checkpoint-{rank}.txt")


def save_and_requeue(number, frame):
    checkpoint.write_text("saved\n")
    if rank == 0:
        print("SIGUSR1: saved, requeueing", flush=True)
        subprocess.run(["scontrol", "requeue", job], check=True)
    while True:  # the requeue ends this process
        time.sleep(1)


signal.signal(signal.SIGUSR1, save_and_requeue)
if not checkpoint.exists():
    if rank == 0:
        print("starting from scratch", flush=True)
    while True:
        time.sleep(0.1)
if rank == 0:
    print(f"resuming, restart {os.environ['SLURM_RESTART_COUNT']}", flush=True)
sys.exit(0)
