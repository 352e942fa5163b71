"""A host of a gang is cut off: a PyTorch training (DDP over gloo) resumes on the other hosts by
itself, and its weights equal those of an undisturbed training."""

import shutil
import subprocess

import history
import hosts
from patience import DEADLINE_S, LONG_DEADLINE_S
import pytest
from cluster import PYTHON, ROOT
from real_cluster import HASTY, NODES, RealCluster, SharedFolder

STEPS, SAVE_EVERY, STEP_TIME_S, RANKS = 100, 20, 0.1, 2
# Ranks give up waiting for a lost peer after so many seconds, as with NCCL. This is less than the
# lease of the peer's node, and longer than a rank may take to save.
COLLECTIVE_TIMEOUT_S = 10
TIMES = HASTY.replace('lease = "9s"', 'lease = "20s"')


@pytest.fixture(scope="module")
def cluster():
    reason = hosts.why_not()
    if reason:
        pytest.skip(reason)
    tried = subprocess.run([PYTHON, "-c", "import torch"], capture_output=True, timeout=DEADLINE_S,
                           check=False)
    if tried.returncode != 0:
        pytest.fail(f"{PYTHON} has no torch: ./dev test installs it (python3-torch)")
    made = RealCluster(times=TIMES)
    shutil.copytree(ROOT / "examples/digits", made.base / "digits")
    try:
        yield made.up()
    finally:
        made.down()


def training(cluster, folder):
    return [PYTHON, cluster.base / "digits/train.py", "--steps", STEPS, "--weights",
            f"{folder}/weights"]


def undisturbed_weights(cluster, folder):
    words = [*training(cluster, folder), "--standalone-ranks", RANKS]
    subprocess.run([str(word) for word in words], check=True, timeout=LONG_DEADLINE_S,
                   capture_output=True)
    return (folder / "weights").read_bytes()


def saved_step(cluster, job):
    """Returns the last step that the job's first attempt has committed."""
    assert cluster.state(job) != "FAILED", f"job {job} is FAILED\n{cluster.logs()}"
    rows = cluster.sql(f"SELECT max(step) FROM cox.checkpoint WHERE job_id = {job} AND attempt = 1")
    return int(rows[0][0]) if rows and rows[0][0] else 0


def states(cluster, *jobs):
    """Returns the changes of these jobs' states in their order, as (job, state)."""
    listed = ", ".join(map(str, jobs))
    return [(int(job), state) for job, state in cluster.sql(
        f"SELECT job_id, state FROM cox.job_event WHERE what = 'state' AND job_id IN ({listed})"
        " ORDER BY sequence")]


def test_a_training_resumes_when_a_host_is_cut_off(cluster, tmp_path):
    folder = SharedFolder(cluster)
    job = cluster.submit("-N2", "-n2", "--exclusive", "-D", folder, "--",
                         *training(cluster, folder), "--checkpoint-every", SAVE_EVERY,
                         "--step-time", STEP_TIME_S, "--collective-timeout", COLLECTIVE_TIMEOUT_S)
    cluster.wait_for(lambda: saved_step(cluster, job), "a committed checkpoint",
                     deadline_s=LONG_DEADLINE_S)
    healthy, lost = cluster.nodes_of(job)
    # The healthy node runs another job while the first one waits for the lost node.
    other = cluster.submit("-N1", "-n1", "--exclusive", "-w", healthy, "-D", folder, "--",
                           "/bin/true")
    cluster.cut(lost)

    def is_explained():
        why = cluster.cox("why", job).stdout
        return f"node {lost} has been silent for" in why and f"cox fence {lost}" in why

    cluster.wait_for(is_explained, "the lost node to be named as the reason")
    cluster.wait_state(job, "COMPLETED", deadline_s=LONG_DEADLINE_S)
    first, second = cluster.job(job)["attempts"]
    assert first["stop"]["why"] == "nodelost", first["outcome"]
    assert second["resume"]["step"] == saved_step(cluster, job) > 0
    assert sorted(node["grant"]["node"] for node in second["nodes"]) == sorted(set(NODES) - {lost})
    order = states(cluster, job, other)
    waits = order.index((job, "COMPLETING"))
    assert waits < order.index((other, "CONFIGURING")) < order.index((job, "PENDING"), waits), \
        f"the healthy node was not released at once: {order}"
    assert (folder / "weights").read_bytes() == undisturbed_weights(cluster, tmp_path)

    cluster.wait_state(other, "COMPLETED")
    cluster.mend(lost)
    cluster.wait_for(lambda: lost in cluster.responding(), "the host to respond again")
    history.check(cluster)
