"""LightningModule and Trainer: one process, automatic optimization."""

import torch

from lightning.pytorch.callbacks import Callback  # noqa: F401


class LightningModule(torch.nn.Module):
    trainer = None

    def log(self, name, value):
        self.trainer.callback_metrics[name] = value.detach()


class Trainer:
    def __init__(self, *, num_nodes=1, devices="auto", max_epochs=None, max_steps=-1, logger=None,
                 enable_checkpointing=None, callbacks=None, accumulate_grad_batches=1):
        self.max_epochs, self.max_steps, self.callbacks = max_epochs, max_steps, callbacks or []
        self.accumulate_grad_batches = accumulate_grad_batches
        self.global_rank, self.local_rank, self.world_size = 0, 0, 1
        self.callback_metrics = {}
        self.global_step = self.batches_done = 0

    @property
    def estimated_stepping_batches(self):
        if self.max_epochs == -1:
            return float("inf")
        return self.max_epochs * len(self.loader) // self.accumulate_grad_batches

    def call(self, hook, *words):
        for callback in self.callbacks:
            getattr(callback, hook)(self, self.module, *words)

    def fit(self, model, train_dataloaders=None, val_dataloaders=None, datamodule=None,
            ckpt_path=None):
        self.module, self.loader, model.trainer = model, train_dataloaders, self
        self.optimizer = model.configure_optimizers()
        try:
            self.call("on_fit_start")
            if ckpt_path is not None:
                self.restore(ckpt_path)
            self.call("on_train_start")
            for epoch in range(self.batches_done // len(self.loader), self.max_epochs):
                self.run_epoch(epoch)
        except BaseException as failure:
            self.call("on_exception", failure)
            raise

    def run_epoch(self, epoch):
        for index, batch in enumerate(self.loader):
            if epoch * len(self.loader) + index < self.batches_done:
                continue  # this batch was done before the checkpoint
            loss = self.module.training_step(batch, index)
            loss.backward()
            self.batches_done += 1
            if self.batches_done % self.accumulate_grad_batches == 0:
                self.optimizer.step()
                self.optimizer.zero_grad()
                self.global_step += 1
            self.call("on_train_batch_end", {"loss": loss.detach()}, batch, index)

    def save_checkpoint(self, filepath, weights_only=False, storage_options=None):
        torch.save({"state_dict": self.module.state_dict(), "global_step": self.global_step,
                    "optimizer_states": [self.optimizer.state_dict()],
                    "batches_done": self.batches_done}, filepath)

    def restore(self, path):
        state = torch.load(path)
        self.module.load_state_dict(state["state_dict"])
        self.optimizer.load_state_dict(state["optimizer_states"][0])
        self.global_step, self.batches_done = state["global_step"], state["batches_done"]
