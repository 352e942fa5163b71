"""The callback for Hugging Face's Trainer, with the library itself if it is installed."""

from pathlib import Path

import pytest
from conftest import run_recipe, settle

torch = pytest.importorskip("torch")

from coxswain.transformers import CoxswainCallback  # noqa: E402
from transformers import Trainer, TrainerCallback, TrainingArguments  # noqa: E402

import coxswain  # noqa: E402


class Model(torch.nn.Module):
    def __init__(self):
        super().__init__()
        torch.manual_seed(7)
        self.layer = torch.nn.Linear(1, 1)

    def forward(self, x, labels):
        return {"loss": (self.layer(x) - labels).square().mean()}


class AskAt(TrainerCallback):
    """Lets the scheduler ask for a save when a step begins."""

    def __init__(self, job, step):
        self.job, self.step = job, step

    def on_step_begin(self, args, state, control, **kwargs):
        if state.global_step + 1 == self.step:
            self.job.ask()


def trainer(saver, *others, **options):
    samples = [{"x": torch.tensor([n / 64.0]), "labels": torch.tensor([n / 32.0])}
               for n in range(64)]
    arguments = TrainingArguments(
        output_dir="out", max_steps=20, per_device_train_batch_size=4, report_to=[],
        **{"save_strategy": "no", "logging_steps": 5, **options})
    return Trainer(model=Model(), args=arguments, train_dataset=samples,
                   callbacks=[*others, saver])


def weights(trained):
    return [weight.tolist() for weight in trained.model.parameters()]


def test_the_trainer_callback_saves_when_asked_and_resumes_to_the_same_weights(job):
    whole = trainer(CoxswainCallback(coxswain.Run(every=None)))
    whole.train()
    saver = CoxswainCallback(coxswain.Run(every=None))
    assert saver.checkpoint is None
    with pytest.raises(SystemExit) as ended:
        trainer(saver, AskAt(job, 7)).train(resume_from_checkpoint=saver.checkpoint)
    assert ended.value.code == 75
    assert "0: checkpoint done --step 7" in job.said()
    assert Path("out/checkpoint-7").is_dir(), "the Trainer's own copy stays"
    job.begin_anew()
    saver = CoxswainCallback()
    assert saver.checkpoint.endswith("step-7/rank-0/checkpoint")
    second = trainer(saver)
    second.train(resume_from_checkpoint=saver.checkpoint)
    assert second.state.global_step == 20 and weights(second) == weights(whole)


def test_checkpoints_that_the_trainer_saves_by_itself_are_reported_to_the_job(job):
    trainer(CoxswainCallback(), save_strategy="steps", save_steps=8).train()
    assert [line for line in job.said() if "checkpoint" in line] == [
        "0: checkpoint done --step 8", "0: checkpoint done --step 16"]


def test_the_trainer_does_not_evaluate_after_a_request_to_save(job):
    asked = trainer(CoxswainCallback(), AskAt(job, 6), eval_steps=3)
    with pytest.raises(SystemExit):
        asked.train()
    assert asked.evaluations == 1, "after step 3, not after step 6"


def test_a_step_that_is_saved_twice_is_reported_once(job):
    saver = CoxswainCallback()
    trained = trainer(saver, save_strategy="steps", save_steps=20)
    trained.train()
    trained.save()
    saver.on_save(trained.args, trained.state, trained.control)
    assert [line for line in job.said() if "checkpoint" in line] == ["0: checkpoint done --step 20"]


def test_the_trainer_callback_reports_progress(job):
    saver = CoxswainCallback()
    trainer(saver).train()
    settle(saver.run)
    assert any(line.startswith("0: progress --step 5 --total 20 --metric loss=")
               for line in job.said())


def test_the_huggingface_recipe_saves_and_resumes(job, monkeypatch, capsys):
    job.ask()
    words = ("train_huggingface.py", "--steps", 60)
    assert run_recipe(monkeypatch, *words) == 75
    assert "step-1/rank-0/checkpoint/trainer_state.json" in job.saved_names()
    job.begin_anew()
    assert run_recipe(monkeypatch, *words) == 0
    assert "finished after step 60" in capsys.readouterr().out
