#!/usr/bin/python3
"""Hugging Face's Trainer with a callback that saves and resumes. The lines of Coxswain are marked.

    cox submit -N2 -n4 --checkpoint-signal=USR1 -- \\
        /usr/bin/python3 examples/recipes/train_huggingface.py --output-dir $PWD/trained

The folder must be one that all nodes share.
"""

import argparse

from coxswain.transformers import CoxswainCallback

saver = CoxswainCallback()  # Coxswain: before the slow imports

import torch  # noqa: E402
from transformers import Trainer, TrainingArguments  # noqa: E402


class Classifier(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.network = torch.nn.Sequential(torch.nn.Linear(16, 32), torch.nn.ReLU(),
                                           torch.nn.Linear(32, 2))

    def forward(self, samples, labels):
        logits = self.network(samples)
        return {"loss": torch.nn.functional.cross_entropy(logits, labels), "logits": logits}


def dataset():
    samples = torch.randn(4096, 16, generator=torch.Generator().manual_seed(7))
    labels = (samples.sum(dim=1) > 0).long()
    return [{"samples": one, "labels": label} for one, label in zip(samples, labels)]


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--output-dir", default="trained")
    parser.add_argument("--steps", type=int, default=500)
    options = parser.parse_args()
    arguments = TrainingArguments(
        output_dir=options.output_dir, max_steps=options.steps, per_device_train_batch_size=32,
        logging_steps=50, save_strategy="no", report_to=[])
    trainer = Trainer(model=Classifier(), args=arguments, train_dataset=dataset(),
                      callbacks=[saver])  # Coxswain
    trainer.train(resume_from_checkpoint=saver.checkpoint)  # Coxswain
    print(f"finished after step {trainer.state.global_step}")


main()
