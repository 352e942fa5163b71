"""The main job end to end: a real training is preempted by an urgent gang and resumes elsewhere,
with the weights of an undisturbed training."""

import hashlib
import subprocess

from patience import DEADLINE_S, LONG_DEADLINE_S
import pytest
from cluster import PYTHON, ROOT

CLUSTER = {"nodes": 4, "cpus": 2, "features": ["fast=n[1-2]"]}
TRAIN = ROOT / "examples/digits/train.py"
STEPS = 200
STEPS_BEFORE_URGENT = 40
STEP_TIME_S = 0.05
RANKS = 4
UNTIL_DONE = ["--", "/bin/sh", "-c", "until [ -e done ]; do sleep 0.1; done"]


@pytest.fixture(scope="module", autouse=True)
def torch_is_there():
    tried = subprocess.run([PYTHON, "-c", "import torch"], capture_output=True, timeout=DEADLINE_S,
                           check=False)
    if tried.returncode != 0:
        pytest.fail(f"{PYTHON} has no torch: ./dev test installs it (python3-torch)")


def training(folder, step_time):
    return ["--", PYTHON, TRAIN, "--steps", STEPS, "--step-time", step_time, "--trace",
            folder / "trace", "--weights", folder / "weights"]


def traces(folder):
    """Returns the trace of each rank: (attempt, step, loss), in the order written."""
    found = []
    for rank in range(RANKS):
        lines = (folder / "trace" / f"rank-{rank}").read_text().splitlines()
        words = [line.split() for line in lines]
        found.append([(int(attempt), int(step), loss) for attempt, step, loss in words])
    return found


def steps_done(folder):
    file = folder / "trace" / "rank-0"
    return len(file.read_text().splitlines()) if file.exists() else 0


def test_a_preempted_training_ends_with_the_weights_of_an_undisturbed_one(cluster, tmp_path):
    tmp_path.chmod(0o755)
    folders = {name: tmp_path / name for name in ("short", "training", "urgent", "reference")}
    for folder in folders.values():
        folder.mkdir()

    def submit(name, *words):
        return cluster.submit("-N2", "-n4", "-J", name, "-D", folders[name], *words)

    short = submit("short", "-w", "n[3-4]", *UNTIL_DONE)
    cluster.wait_state(short, "RUNNING")
    job = submit("training", "--checkpoint-signal=USR1",
                 *training(folders["training"], STEP_TIME_S))
    cluster.wait_for(lambda: steps_done(folders["training"]) >= STEPS_BEFORE_URGENT,
                     "the training to do some steps", deadline_s=LONG_DEADLINE_S)
    assert cluster.nodes_of(job) == ["n1", "n2"]

    urgent = submit("urgent", "--qos=critical", "-C", "fast", *UNTIL_DONE)
    cluster.wait_state(urgent, "RUNNING")
    assert cluster.nodes_of(urgent) == ["n1", "n2"]
    assert cluster.state(job) == "PENDING"
    saved = {row[0] for row in cluster.sql(
        f"SELECT saved_step[1] FROM cox.rank WHERE job_id = {job} AND attempt = 1")}
    assert len(saved) == 1, "the four ranks saved different steps"
    committed = int(saved.pop())
    checkpoints = cluster.sql(
        f"SELECT state, attempt, step FROM cox.checkpoints WHERE job_id = {job}")
    assert checkpoints == [["good", "1", str(committed)]]

    (folders["short"] / "done").touch()
    cluster.wait_state(job, "RUNNING")
    assert cluster.nodes_of(job) == ["n3", "n4"]
    (folders["urgent"] / "done").touch()
    cluster.wait_state(job, "COMPLETED", deadline_s=LONG_DEADLINE_S)
    cluster.wait_state(urgent, "COMPLETED")

    reference = submit("reference", *training(folders["reference"], 0))
    cluster.wait_state(reference, "COMPLETED", deadline_s=LONG_DEADLINE_S)
    disturbed, undisturbed = traces(folders["training"]), traces(folders["reference"])
    for rank in range(RANKS):
        steps = [(attempt, step) for attempt, step, _ in disturbed[rank]]
        assert steps == [(1 if step <= committed else 2, step) for step in range(1, STEPS + 1)]
        assert [loss for *_, loss in disturbed[rank]] == [loss for *_, loss in undisturbed[rank]]
    digests = [hashlib.sha256((folders[name] / "weights").read_bytes()).hexdigest()
               for name in ("training", "reference")]
    assert digests[0] == digests[1]
    states = [event["state"] for event in cluster.history(job) if event["what"] == "state"]
    assert states == ["PENDING", "CONFIGURING", "RUNNING", "SIGNALING", "COMPLETING", "PENDING",
                      "CONFIGURING", "RUNNING", "COMPLETING", "COMPLETED"]
