"""The callback for PyTorch Lightning, with the library itself if it is installed."""

import pytest
from conftest import run_recipe

torch = pytest.importorskip("torch")

from coxswain.lightning import CoxswainCallback  # noqa: E402
from lightning import pytorch as pl  # noqa: E402

import coxswain  # noqa: E402

BATCHES = 12


class Model(pl.LightningModule):
    """A model that records its batches, and calls a function at each."""

    def __init__(self, at_batch=lambda batches: None):
        super().__init__()
        self.layer = torch.nn.Linear(1, 1)
        self.at_batch, self.batches = at_batch, []

    def training_step(self, batch, batch_idx):
        self.batches.append(int(batch[0]))
        self.at_batch(len(self.batches))
        loss = self.layer(batch.reshape(-1, 1) / BATCHES).sum()
        self.log("loss", loss)
        return loss

    def configure_optimizers(self):
        return torch.optim.Adam(self.parameters(), lr=0.1)


def loader():
    return torch.utils.data.DataLoader(torch.arange(float(BATCHES)), batch_size=1)


def trainer(saver, **options):
    return pl.Trainer(max_epochs=2, logger=False, enable_checkpointing=False, callbacks=[saver],
                      **options)


def weights(model):
    return [weight.tolist() for weight in model.parameters()]


def test_the_lightning_callback_saves_when_asked_and_resumes_to_the_same_weights(job, monkeypatch):
    torch.manual_seed(7)
    whole = Model()
    trainer(CoxswainCallback(coxswain.Run(every=None))).fit(whole, loader())
    torch.manual_seed(7)
    first = Model(lambda batches: job.ask() if batches == 17 else None)
    saver = CoxswainCallback(coxswain.Run(every=None))
    assert saver.ckpt_path is None
    with pytest.raises(SystemExit) as ended:
        trainer(saver).fit(first, loader(), ckpt_path=saver.ckpt_path)
    assert ended.value.code == 75 and len(first.batches) == 17
    assert "0: checkpoint done --step 17" in job.said()
    job.begin_anew()
    saver, second = CoxswainCallback(), Model()
    assert saver.ckpt_path.endswith("step-17/rank-0/trainer.ckpt")
    trainer(saver).fit(second, loader(), ckpt_path=saver.ckpt_path)
    assert weights(second) == weights(whole)


def test_the_lightning_callback_saves_only_after_accumulated_gradients(job):
    model = Model(lambda batches: job.ask() if batches == 5 else None)
    with pytest.raises(SystemExit):
        trainer(CoxswainCallback(), accumulate_grad_batches=4).fit(model, loader())
    assert len(model.batches) == 8
    assert "0: checkpoint done --step 2" in job.said()


def test_the_lightning_callback_saves_at_its_interval_and_reports_progress(job):
    fit = trainer(CoxswainCallback(coxswain.Run(every=0)))
    fit.fit(Model(), loader())
    assert sum("checkpoint done" in line for line in job.said()) == 2 * BATCHES
    assert any(line.startswith("0: progress --step 1 --total 24 --metric loss=")
               for line in job.said())


def test_the_lightning_recipe_saves_and_resumes(job, monkeypatch, capsys):
    job.ask()
    assert run_recipe(monkeypatch, "fit_lightning.py", "--epochs", 1) == 75
    assert list(job.saved_names()) == ["step-1/rank-0/trainer.ckpt"]
    job.begin_anew()
    assert run_recipe(monkeypatch, "fit_lightning.py", "--epochs", 1) == 0
    assert "finished after step 128" in capsys.readouterr().out
