"""Recipes that need no cluster: one curve over several attempts, and messages to Slack."""

import http.server
import json
import os
import subprocess
import sys
import threading

import pytest
from conftest import RECIPES, ROOT, run_recipe


def lines(file):
    return [json.loads(line) for line in file.read_text().splitlines()]


@pytest.mark.parametrize("tracker", ["tensorboard", "wandb"])
def test_one_curve_over_several_attempts(job, monkeypatch, tmp_path, tracker):
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


@pytest.fixture
def slack():
    """A server that takes messages; they, and its address."""
    texts = []

    class Handler(http.server.BaseHTTPRequestHandler):
        def do_POST(self):
            body = self.rfile.read(int(self.headers["Content-Length"]))
            texts.append(json.loads(body)["text"])
            self.send_response(200)
            self.end_headers()

        def log_message(self, *words):
            pass

    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    yield texts, f"http://127.0.0.1:{server.server_address[1]}/services/x"
    server.shutdown()
    thread.join()
    server.server_close()


def post(address, *words, **variables):
    return subprocess.run([sys.executable, RECIPES / "notify_slack.py", *words], text=True,
                          env=dict(os.environ, **address, **variables), timeout=60,
                          capture_output=True, check=False)


def test_a_message_to_slack(slack):
    texts, address = slack
    here = {"SLACK_WEBHOOK": address}
    assert post(here, "the training", "has begun").returncode == 0
    job = {"SLURM_JOB_NAME": "train", "SLURM_JOB_USER": "ada", "SLURM_JOB_STATE": "FAILED",
           "SLURM_JOB_EXIT_CODE": "1", "SLURM_JOB_REASON": "rank 3 exited with 1"}
    assert post(here, "ended", "17", **job).returncode == 0
    assert post(here, "began", "18", SLURM_JOB_NAME="train", SLURM_JOB_USER="ada").returncode == 0
    assert texts == ["the training has begun",
                     "Job 17 (train) of ada has ended: FAILED, exit code 1: rank 3 exited with 1",
                     "Job 18 (train) of ada has begun"]


def test_slack_without_an_address():
    done = post({}, "hello")
    assert done.returncode == 1 and "set SLACK_WEBHOOK" in done.stderr


def test_every_recipe_is_listed():
    page = (ROOT / "examples/README.md").read_text()
    for recipe in RECIPES.iterdir():
        if recipe.is_file():
            assert f"`recipes/{recipe.name}`" in page, recipe.name
