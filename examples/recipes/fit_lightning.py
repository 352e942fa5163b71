#!/usr/bin/python3
"""PyTorch Lightning with a callback that saves and resumes. The lines of Coxswain are marked.

    cox submit -N2 --ntasks-per-node=4 --gres=gpu:4 --checkpoint-signal=USR1 -- \\
        /usr/bin/python3 examples/recipes/fit_lightning.py --nodes 2 --devices 4
"""

import argparse

from coxswain.lightning import CoxswainCallback

# Coxswain: before the Trainer, which then leaves the signal to the callback
saver = CoxswainCallback()

import torch  # noqa: E402

try:
    import lightning.pytorch as pl
except ImportError:
    import pytorch_lightning as pl


class Classifier(pl.LightningModule):
    def __init__(self):
        super().__init__()
        self.network = torch.nn.Sequential(torch.nn.Linear(16, 32), torch.nn.ReLU(),
                                           torch.nn.Linear(32, 2))

    def training_step(self, batch, batch_idx):
        images, labels = batch
        loss = torch.nn.functional.cross_entropy(self.network(images), labels)
        self.log("loss", loss)
        return loss

    def configure_optimizers(self):
        return torch.optim.SGD(self.parameters(), lr=0.1, momentum=0.9)


def images():
    samples = torch.randn(4096, 16, generator=torch.Generator().manual_seed(7))
    labels = (samples.sum(dim=1) > 0).long()
    return torch.utils.data.TensorDataset(samples, labels)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--nodes", type=int, default=1)
    parser.add_argument("--devices", type=int, default=1, help="of each node")
    parser.add_argument("--epochs", type=int, default=10)
    options = parser.parse_args()
    loader = torch.utils.data.DataLoader(images(), batch_size=32)
    trainer = pl.Trainer(
        num_nodes=options.nodes, devices=options.devices, max_epochs=options.epochs, logger=False,
        enable_checkpointing=False, callbacks=[saver])  # Coxswain
    trainer.fit(Classifier(), loader, ckpt_path=saver.ckpt_path)  # Coxswain
    print(f"finished after step {trainer.global_step}")


main()
