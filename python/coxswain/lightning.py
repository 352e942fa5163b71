"""A callback that makes a training with PyTorch Lightning checkpointable.

    from coxswain.lightning import CoxswainCallback

    saver = CoxswainCallback()
    trainer = Trainer(..., callbacks=[saver])
    trainer.fit(model, ckpt_path=saver.ckpt_path)

It saves the whole state of the trainer when the scheduler asks, at the interval, and near the time
limit. When the scheduler asked, it ends the process with exit code 75 after the save.
"""

import math

from coxswain.group import world_group
from coxswain.run import Run

try:
    from lightning.pytorch.callbacks import Callback
except ImportError:
    from pytorch_lightning.callbacks import Callback

FILE = "trainer.ckpt"  # some strategies of Lightning make it a folder


class CoxswainCallback(Callback):
    """Create it before the Trainer: then Lightning leaves the signals alone, and does not requeue
    the job in its own way."""

    def __init__(self, run=None):
        self.run = run if run is not None else Run()
        self._step = 0
        self._total = None

    @property
    def ckpt_path(self):
        """For trainer.fit(): the checkpoint to resume from; None for a new training."""
        folder = self.run.resume_folder
        return str(folder / FILE) if folder is not None else None

    def on_fit_start(self, trainer, pl_module):
        self.run.join(trainer.global_rank, trainer.world_size, trainer.local_rank, world_group())

    def on_train_start(self, trainer, pl_module):
        self._step = trainer.global_step
        total = trainer.max_steps
        if total is None or total < 0:
            total = trainer.estimated_stepping_batches
        self._total = int(total) if math.isfinite(total) else None

    def on_train_batch_end(self, trainer, pl_module, outputs, batch, batch_idx):
        if trainer.global_step == self._step:
            # The optimizer has not stepped: a checkpoint would lose the accumulated gradients.
            return
        self._step = trainer.global_step
        self.run.progress(self._step, self._total, **trainer.callback_metrics)
        if self.run.should_save():
            # All ranks name the same file; the strategy decides which of them write it.
            with self.run.checkpoint(self._step, shared=True) as folder:
                trainer.save_checkpoint(folder / FILE)
            self.run.stop()
