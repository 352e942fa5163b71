"""Partitions for users and administrators: jobs with several partitions, states changed live,
limits, hours, and nodes of different weights."""

import datetime

import pytest

TODAY = datetime.datetime.now(datetime.timezone.utc)


def day(later):
    return (TODAY + datetime.timedelta(days=later)).strftime("%a")


# `now` is open from yesterday to tomorrow, `later` on another day, so that a midnight during the
# tests changes nothing.
TABLES = f"""
[hours]
now = "{day(-1)}, {day(0)}, {day(1)}"
later = "{day(3)}"

[[partition]]
name = "main"
nodes = "n[1-2]"

[[partition]]
name = "small"
nodes = "n3"
max_nodes = 1
time_limit_max = "01:00:00"

[[partition]]
name = "open"
hours = "now"

[[partition]]
name = "closed"
hours = "later"
"""
CLUSTER = {"nodes": 3, "cpus": 2, "settings": {"kill_wait": "1s"}, "tables": TABLES}
SLEEP = ["--", "sleep", "1000"]


@pytest.fixture
def submit(cluster, tmp_path):
    """submit(OPTION...): submits a job that sleeps."""
    tmp_path.chmod(0o755)
    return lambda *options: cluster.submit("-D", tmp_path, *options, *SLEEP)


def nodes_of(cluster, job):
    return cluster.job(job)["view"]["nodes"]


def test_a_job_of_several_partitions_runs_in_the_first_with_room(cluster, submit, tmp_path):
    first = submit("-n2", "-t", "30", "-p", "small,main")
    cluster.wait_state(first, "RUNNING")
    assert nodes_of(cluster, first) == ["n3"]
    second = cluster.submit("-D", tmp_path, "-n1", "-t", "30", "-p", "small,main", "--", "/bin/sh",
                            "-c", "echo in $SLURM_JOB_PARTITION")
    cluster.wait_state(second, "COMPLETED")
    assert cluster.job(second)["view"]["partition"] == "main"
    assert "in main" in cluster.cox("logs", second).stdout
    assert cluster.sql(f"SELECT partition FROM cox.attempt WHERE job_id = {second}") == [["main"]]


def test_a_partition_set_down_starts_no_jobs_and_stays_down_after_a_restart(cluster, submit):
    done = cluster.cox("partition", "down", "main", "--reason", "bad switch")
    assert "main: is DOWN" in done.stdout
    waiting = submit("-n1", "-p", "main")
    cluster.wait_for(lambda: cluster.job(waiting)["view"]["reason"] == "PartitionDown",
                     "the partition to be the pending reason")
    why = cluster.cox("why", waiting).stdout
    assert "partition main is DOWN (bad switch); `cox partition up main` opens it again" in why
    assert "Partition main is DOWN: bad switch" in cluster.cox("nodes").stdout
    cluster.kill("controller")
    cluster.start("controller")
    cluster.wait_for(lambda: "DOWN" in cluster.cox("show", "partitions", check=False).stdout,
                     "the new controller to answer")
    assert cluster.job(waiting)["view"]["job"]["state"] == "PENDING"
    cluster.wait_for(lambda: cluster.sql(
        f"SELECT reason FROM cox.waiting WHERE id = {waiting}") == [["PartitionDown"]],
        "the view to have the pending reason")
    assert cluster.sql("SELECT name, state, reason, waiting FROM cox.partitions"
                       " WHERE name = 'main'") == [["main", "DOWN", "bad switch", "1"]]
    cluster.cox("partition", "up", "main")
    cluster.wait_state(waiting, "RUNNING")
    cluster.cox("partition", "drain", "main")
    refused = cluster.cox("submit", "-n1", "-p", "main", "--", "true", check=False)
    assert refused.returncode == 1
    assert "partition main takes no new jobs: it is DRAIN" in refused.stderr
    assert "--partition=small" in refused.stderr
    cluster.cox("partition", "up", "main")


def test_a_job_waits_for_the_opening_hours_of_its_partition(cluster, submit):
    waiting = submit("-n1", "-p", "closed")
    running = submit("-n1", "-p", "open")
    cluster.wait_state(running, "RUNNING")
    cluster.wait_for(lambda: cluster.job(waiting)["view"]["reason"] == "PartitionDown",
                     "the partition to be the pending reason")
    why = cluster.cox("why", waiting).stdout
    assert "partition closed is closed until " in why
    assert f"(hours later: {day(3)})" in why
    shown = cluster.cox("show", "partitions").stdout
    assert "UP+CLOSED" in shown and f"Hours=later: {day(3)}" in shown
    cluster.wait_for(lambda: cluster.sql(
        f"SELECT reason FROM cox.waiting WHERE id = {waiting}") == [["PartitionDown"]],
        "the view to have the pending reason")
    cluster.cox("cancel", waiting, running)


def test_a_refusal_names_partitions_that_would_accept_the_job(cluster):
    refused = cluster.cox("submit", "-N2", "-p", "small", "--", "true", check=False)
    assert refused.returncode == 1
    assert ("the job asks for 2 nodes; partition small allows at most 1 (max_nodes)"
            in refused.stderr)
    assert "these would take it: --partition=main" in refused.stderr
    shown = cluster.cox("show", "partitions").stdout
    assert "MaxNodes=1" in shown and "01:00:00" in shown and "main*" in shown


def test_a_job_gets_the_node_with_the_lower_weight(cluster, submit):
    file = cluster.dir / "workers" / "n1.toml"
    file.write_text(file.read_text().replace("[worker]\n", "[worker]\nweight = 9\n"))
    cluster.kill("n1")
    cluster.start("n1")
    cluster.wait_for(lambda: cluster.sql("SELECT weight FROM cox.node WHERE name = 'n1'")
                     == [["9"]], "the weight to be recorded")
    cluster.await_nodes()
    job = submit("-n1", "-p", "main")
    cluster.wait_state(job, "RUNNING")
    assert nodes_of(cluster, job) == ["n2"]
