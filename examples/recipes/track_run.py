#!/usr/bin/python3
"""One curve over all attempts of a job, with TensorBoard or Weights & Biases.

    cox submit -n1 --checkpoint-signal=USR1 -- \\
        /usr/bin/python3 examples/recipes/track_run.py --with tensorboard

A preempted job keeps its number when it runs again, so the number names the run. Steps after the
last checkpoint are done twice: TensorBoard keeps the second value (purge_step), Weights & Biases
the first.
"""

import argparse
import os
import time

import coxswain


class TensorBoard:
    def __init__(self, name, first_step):
        try:
            from torch.utils.tensorboard import SummaryWriter
        except ImportError:
            from tensorboardX import SummaryWriter
        self.writer = SummaryWriter(f"runs/{name}", purge_step=first_step)

    def log(self, step, values):
        for key, value in values.items():
            self.writer.add_scalar(key, value, global_step=step)

    def close(self):
        self.writer.close()


class WeightsAndBiases:
    def __init__(self, name, first_step):
        import wandb

        self.run = wandb.init(project="coxswain", id=name, name=name, resume="allow")

    def log(self, step, values):
        self.run.log(values, step=step)

    def close(self):
        self.run.finish()


TRACKERS = {"tensorboard": TensorBoard, "wandb": WeightsAndBiases}


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--with", choices=TRACKERS, default="tensorboard", dest="tracker")
    parser.add_argument("--steps", type=int, default=300)
    parser.add_argument("--step-time", type=float, default=0.1, help="seconds")
    options = parser.parse_args()

    run = coxswain.Run()
    loss = 1.0
    if run.resume_folder:
        loss = float((run.resume_folder / "loss").read_text())
    name = f"job-{os.environ.get('SLURM_JOB_ID', 'local')}"
    tracker = TRACKERS[options.tracker](name, run.step + 1)
    for step in range(run.step + 1, options.steps + 1):
        time.sleep(options.step_time)
        loss *= 0.99  # the work
        tracker.log(step, {"loss": loss})
        run.progress(step, options.steps, loss=loss)
        if run.should_save():
            with run.checkpoint(step) as folder:
                (folder / "loss").write_text(repr(loss))
            if run.stops:
                tracker.close()  # otherwise its buffered values would be lost
            run.stop()
    tracker.close()
    print(f"loss {loss:.4f}")


main()
