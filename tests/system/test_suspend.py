"""A QOS that suspends: a victim is suspended on its nodes, and resumes there afterwards."""

import pytest
from ranks import CounterJob

CLUSTER = {"nodes": 2, "cpus": 2, "settings": {"kill_wait": "1s"}}
SLEEP = ["--", "sleep", "1000"]


@pytest.fixture
def folder(tmp_path):
    tmp_path.chmod(0o755)
    return tmp_path


@pytest.fixture
def paused(cluster):
    """The name of a QOS that suspends; the controller reads QOS when it starts."""
    if not cluster.sql("SELECT 1 FROM cox.qos WHERE name = 'paused'"):
        cluster.sql("INSERT INTO cox.qos (name, tier, preempt_mode)"
                    " VALUES ('paused', 0, 'suspend')")
        restart(cluster, "controller")
    return "paused"


def steps_of_all(job):
    return [len(job.steps(rank)) for rank in range(4)]


def restart(cluster, name):
    cluster.kill(name)
    cluster.start(name)
    cluster.await_nodes()


def test_a_job_suspended_for_another_resumes_on_its_nodes(cluster, folder, paused):
    job = CounterJob(cluster, folder, "-N2", "-n4", f"--qos={paused}", steps=60, pause_at=50)
    job.await_total_steps(5, ranks=4)
    urgent = cluster.submit("-D", folder, "-n2", "-w", "n1", "--qos=critical", *SLEEP)
    cluster.wait_state(urgent, "RUNNING")
    assert cluster.nodes_of(urgent) == ["n1"]
    assert job.await_state("SUSPENDED")
    stood = steps_of_all(job)
    why = cluster.cox("why", job.id).stdout
    assert f"suspended for job {urgent}" in why and f"held by job {urgent} of" in why
    assert cluster.sql("SELECT cpus_used FROM cox.nodes ORDER BY name") == [["2"], ["0"]]

    restart(cluster, "controller")  # a new controller and a new worker recover the suspended job
    restart(cluster, "n1")
    cluster.wait_for(lambda: cluster.state(job.id) == "SUSPENDED",
                     "the new controller to show the job")
    assert steps_of_all(job) == stood, "a suspended rank did steps"
    cluster.cox("cancel", urgent)
    job.go_on()
    job.await_state("COMPLETED")
    job.check()
    assert all(job.steps(rank) == list(range(1, 61)) for rank in range(4)), "steps were lost"
    assert cluster.attempt(job.id) == 1
    states = [event["state"] for event in cluster.history(job.id) if event["what"] == "state"]
    assert states == ["PENDING", "CONFIGURING", "RUNNING", "SUSPENDED", "RUNNING", "COMPLETING",
                      "COMPLETED"]


def test_a_suspended_job_can_save_and_be_requeued(cluster, folder, paused):
    job = CounterJob(cluster, folder, "-N2", "-n4", f"--qos={paused}", steps=40, pause_at=30)
    job.await_total_steps(5, ranks=4)
    urgent = cluster.submit("-D", folder, "-N2", "-n4", "--qos=critical", *SLEEP)
    cluster.wait_state(urgent, "RUNNING")
    job.await_state("SUSPENDED")
    cluster.cox("requeue", job.id)
    job.await_state("PENDING")
    assert cluster.sql(f"SELECT count(*) FROM cox.checkpoint WHERE job_id = {job.id}") == [["1"]]
    cluster.cox("cancel", urgent)
    job.go_on(attempt=2)
    job.await_state("COMPLETED")
    job.check()
    assert cluster.attempt(job.id) == 2


def test_a_suspended_job_can_be_cancelled(cluster, folder, paused):
    job = CounterJob(cluster, folder, "-N1", "-n2", f"--qos={paused}")
    job.await_steps(2, ranks=2)
    node = cluster.nodes_of(job.id)[0]
    urgent = cluster.submit("-D", folder, "-n2", "-w", node, "--qos=critical", *SLEEP)
    cluster.wait_state(urgent, "RUNNING")
    job.await_state("SUSPENDED")
    cluster.cox("cancel", job.id)
    job.await_state("CANCELLED")
    assert cluster.state(urgent) == "RUNNING"
