#!/usr/bin/python3
"""The smallest checkpoint loop: one rank, one number, and the module `coxswain`.

cox submit -n1 --checkpoint-signal=USR1 -- /usr/bin/python3 examples/checkpoint_loop.py

It also runs without a cluster, and then saves into the folder `checkpoints`. In a clone of the
repository, where the module is not installed, first set PYTHONPATH=$PWD/python.
"""

import argparse
import time

import coxswain


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--steps", type=int, default=300)
    parser.add_argument("--step-time", type=float, default=0.1, help="seconds")
    options = parser.parse_args()

    run = coxswain.Run(every=10)
    step, total = run.step, 0
    if run.resume_folder:
        total = int((run.resume_folder / "total").read_text())
        print(f"resumes after step {step}", flush=True)
    while step < options.steps:
        step += 1
        total += step  # the work
        print(f"step {step}", flush=True)
        time.sleep(options.step_time)
        run.progress(step, options.steps)
        if run.should_save():
            with run.checkpoint(step) as folder:
                (folder / "total").write_text(str(total))
            run.stop()  # ends the process if the scheduler asked for the save
    print(f"total {total}")


main()
