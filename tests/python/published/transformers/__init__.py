"""A stand-in for Hugging Face's Transformers on machines without it. It has what
coxswain.transformers and its recipe use, with the published signatures and order of calls of
version 4.57."""

import json
import random
from dataclasses import asdict, dataclass, field
from pathlib import Path

import torch


@dataclass
class TrainerState:
    global_step: int = 0
    max_steps: int = 0
    log_history: list = field(default_factory=list)


@dataclass
class TrainerControl:
    should_training_stop: bool = False
    should_epoch_stop: bool = False
    should_save: bool = False
    should_evaluate: bool = False
    should_log: bool = False


@dataclass
class TrainingArguments:
    output_dir: str = "trainer_output"
    max_steps: int = -1
    per_device_train_batch_size: int = 8
    logging_steps: int = 500
    save_strategy: str = "steps"
    save_steps: int = 500
    eval_steps: int = 0
    report_to: list = field(default_factory=list)
    process_index: int = 0
    local_process_index: int = 0
    world_size: int = 1


class TrainerCallback:
    def on_train_begin(self, args, state, control, **kwargs):
        pass

    def on_step_begin(self, args, state, control, **kwargs):
        pass

    def on_step_end(self, args, state, control, **kwargs):
        pass

    def on_evaluate(self, args, state, control, **kwargs):
        pass

    def on_save(self, args, state, control, **kwargs):
        pass

    def on_log(self, args, state, control, **kwargs):
        pass


class DefaultFlowCallback(TrainerCallback):
    def on_step_end(self, args, state, control, **kwargs):
        step = state.global_step
        control.should_log = step % args.logging_steps == 0
        control.should_save = args.save_strategy == "steps" and step % args.save_steps == 0
        control.should_evaluate = args.eval_steps > 0 and step % args.eval_steps == 0
        control.should_training_stop = step >= state.max_steps
        return control


class Trainer:
    def __init__(self, model=None, args=None, train_dataset=None, callbacks=None):
        self.model, self.args, self.train_dataset = model, args, train_dataset
        self.callbacks = [DefaultFlowCallback(), *(callbacks or [])]
        self.state, self.control = TrainerState(), TrainerControl()
        self.optimizer = torch.optim.AdamW(model.parameters())
        self.evaluations = 0

    def call(self, event, **words):
        for callback in self.callbacks:
            answer = getattr(callback, event)(self.args, self.state, self.control, **words)
            self.control = self.control if answer is None else answer

    def train(self, resume_from_checkpoint=None):
        if resume_from_checkpoint is not None:
            self.load(Path(resume_from_checkpoint))
        self.state.max_steps = self.args.max_steps
        self.call("on_train_begin")
        while not self.control.should_training_stop:
            self.call("on_step_begin")
            self.train_step()
            self.state.global_step += 1
            self.call("on_step_end")
            self.maybe_log_save_evaluate()

    def train_step(self):
        size, step = self.args.per_device_train_batch_size, self.state.global_step
        batch = [self.train_dataset[(step * size + i) % len(self.train_dataset)]
                 for i in range(size)]
        inputs = {name: torch.stack([one[name] for one in batch]) for name in batch[0]}
        self.loss = self.model(**inputs)["loss"]
        self.loss.backward()
        self.optimizer.step()
        self.optimizer.zero_grad()

    def maybe_log_save_evaluate(self):
        if self.control.should_log:
            self.control.should_log = False
            self.call("on_log", logs={"loss": self.loss.item(), "epoch": 0.5})
        if self.control.should_evaluate:
            self.control.should_evaluate = False
            self.evaluations += 1
            self.call("on_evaluate", metrics={})
        if self.control.should_save:
            self.control.should_save = False
            self.save()
            self.call("on_save")

    def save(self):
        folder = Path(self.args.output_dir) / f"checkpoint-{self.state.global_step}"
        folder.mkdir(parents=True, exist_ok=True)
        torch.save(self.model.state_dict(), folder / "pytorch_model.bin")
        torch.save(self.optimizer.state_dict(), folder / "optimizer.pt")
        torch.save(random.getstate(), folder / "rng_state.pth")
        (folder / "trainer_state.json").write_text(json.dumps(asdict(self.state)))

    def load(self, folder):
        self.model.load_state_dict(torch.load(folder / "pytorch_model.bin"))
        self.optimizer.load_state_dict(torch.load(folder / "optimizer.pt"))
        self.state = TrainerState(**json.loads((folder / "trainer_state.json").read_text()))
