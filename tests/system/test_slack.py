"""examples/recipes/notify_slack.py: from a job, after a job, and as a cluster's notify_program."""

import shutil

import pytest
from cluster import PYTHON, ROOT
from slack_server import SlackServer

RECIPE = ROOT / "examples/recipes/notify_slack.py"


@pytest.fixture
def slack():
    server = SlackServer()
    yield server
    server.stop()


def test_the_slack_recipe_writes_from_a_job_and_from_one_after_it(make_cluster, slack):
    cluster = make_cluster(nodes=1, environment={"SLACK_WEBHOOK": slack.address})
    job = cluster.submit("-n1", "--", PYTHON, RECIPE, "the training has begun")
    after = cluster.submit("-n1", "-d", f"afterany:{job}", "--", RECIPE, f"job {job} has ended")
    cluster.wait_state(after, "COMPLETED")
    assert slack.texts == ["the training has begun", f"job {job} has ended"]


def test_the_slack_recipe_as_notify_program_writes_begin_and_end(make_cluster, slack, tmp_path):
    program = tmp_path / "notify"
    shutil.copy(RECIPE, program)
    (tmp_path / "slack-webhook").write_text(slack.address + "\n")
    cluster = make_cluster(nodes=1, settings={"notify_program": str(program)})
    job = cluster.submit("-n1", "-J", "train", "--", "sh", "-c", "exit 3")
    cluster.wait_state(job, "FAILED")
    cluster.wait_for(lambda: len(slack.texts) == 2, lambda: f"two messages, not {slack.texts}")
    began, ended = sorted(slack.texts)
    assert began.startswith(f"Job {job} (train) of ") and " has begun" in began
    assert " has ended: FAILED, exit code 3" in ended
