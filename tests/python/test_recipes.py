"""Recipes that need no cluster; tests/system runs the others."""

import json

import pytest
from conftest import RECIPES, ROOT, run_recipe


def lines(file):
    return [json.loads(line) for line in file.read_text().splitlines()]


@pytest.mark.parametrize("tracker", ["tensorboard", "wandb"])
def test_attempts_of_one_job_log_one_curve_to_each_tracker(job, monkeypatch, tmp_path, tracker):
    told = tmp_path / "told"
    job.set(SLURM_JOB_ID=17, WANDB_NOTES=told, TENSORBOARD_NOTES=told)
    words = ("track_run.py", "--with", tracker, "--steps", 5, "--step-time", 0)
    job.ask()
    assert run_recipe(monkeypatch, *words) == 75
    job.begin_anew()
    assert run_recipe(monkeypatch, *words) == 0
    begun = [line for line in lines(told) if {"id", "logdir"} & set(line)]
    if tracker == "wandb":
        assert begun == [{"project": "coxswain", "id": "job-17", "name": "job-17",
                          "resume": "allow"}] * 2
    else:
        assert begun == [{"logdir": "runs/job-17", "purge_step": 1},
                         {"logdir": "runs/job-17", "purge_step": 2}]
    logged = [line for line in lines(told) if "step" in line]
    assert [line["step"] for line in logged] == [1, 2, 3, 4, 5]
    assert [line["loss"] for line in logged] == pytest.approx([0.99 ** n for n in range(1, 6)])
    assert lines(told)[1:][0]["step"] == 1 and lines(told)[2] == {"finished": True}


def test_every_recipe_is_listed_in_the_readme():
    page = (ROOT / "examples/README.md").read_text()
    for recipe in RECIPES.iterdir():
        if recipe.is_file():
            assert f"`recipes/{recipe.name}`" in page, recipe.name
