"""A callback that makes a training with Hugging Face's Trainer checkpointable.

    from coxswain.transformers import CoxswainCallback

    saver = CoxswainCallback()
    trainer = Trainer(..., callbacks=[saver])
    trainer.train(resume_from_checkpoint=saver.checkpoint)

Each checkpoint of the Trainer becomes one of the job: those of `save_steps`, and others when the
scheduler asks, at the interval, and near the time limit. When the scheduler asked, it ends the
process with exit code 75 after the save.
"""

import shutil
from pathlib import Path

from transformers import TrainerCallback

from coxswain.group import world_group
from coxswain.run import Run

FOLDER = "checkpoint"


class CoxswainCallback(TrainerCallback):
    def __init__(self, run=None):
        self.run = run if run is not None else Run()

    @property
    def checkpoint(self):
        """For trainer.train(resume_from_checkpoint=...); None for a new training."""
        folder = self.run.resume_folder
        return str(folder / FOLDER) if folder is not None else None

    def on_train_begin(self, args, state, control, **kwargs):
        self.run.join(args.process_index, args.world_size, args.local_process_index, world_group())

    def on_step_end(self, args, state, control, **kwargs):
        if self.run.should_save():
            control.should_save = True
            if self.run.stops:
                control.should_evaluate = False  # leaves the grace time to the save
        return control

    def on_save(self, args, state, control, **kwargs):
        step = state.global_step
        if step > self.run.saved_step:  # the Trainer may save the last step twice
            # Copies the checkpoint, because the Trainer counts, compares and removes its own ones.
            with self.run.checkpoint(step, shared=True) as folder:
                self.run.wait_for_ranks()
                if self.run.rank == 0:
                    shutil.copytree(Path(args.output_dir) / f"checkpoint-{step}", folder / FOLDER)
        self.run.stop()
        return control

    def on_log(self, args, state, control, logs=None, **kwargs):
        self.run.progress(state.global_step, state.max_steps, **(logs or {}))
        return control
