"""`database` in coxswain.toml names another, empty database by a slip. The jobs run on, and the
right database has them again."""

import signal

import pytest
from cluster import toml_value, with_value
from patience import LONG_DEADLINE_S

CLUSTER = {"nodes": 1, "settings": {"node_timeout": "5s", "kill_wait": "1s"}}


@pytest.fixture
def job(cluster, folder):
    """A job of one rank that runs."""
    job = cluster.submit("-n1", "-D", folder, "--", "sleep", "1000")
    cluster.wait_for(lambda: cluster.ranks(job, 1), "its rank")
    yield job
    cluster.cox("cancel", job)


@pytest.fixture
def lead_on(cluster):
    """lead_on(DATABASE, WORDS...): restarts the controller with another database of the server."""
    before = cluster.config.read_text()
    words = toml_value(before, "database").split()

    def name_database(name):
        conninfo = " ".join(f"dbname={name}" if word.startswith("dbname=") else word
                            for word in words)
        cluster.config.write_text(with_value(before, "database", conninfo))

    def start(name):
        cluster.kill("controller", signal.SIGTERM)
        name_database(name)
        cluster.start("controller")

    start.name_database = name_database

    yield start
    cluster.kill("controller", signal.SIGTERM)
    cluster.config.write_text(before)
    cluster.start("controller")
    cluster.await_nodes()


def test_an_empty_database_by_a_slip_ends_no_job(cluster, job, lead_on):
    rank, = cluster.ranks(job, 1)
    old, = [word.partition("=")[2] for word in
            toml_value(cluster.config.read_text(), "database").split()
            if word.startswith("dbname=")]
    cluster.sql("CREATE DATABASE slip")
    # The workers obey a second term now, and an empty database begins with the first.
    lead_on(old)
    cluster.await_nodes()
    lead_on.name_database("slip")
    refused = cluster.slurm("scontrol", "reconfigure")
    assert refused.returncode == 1
    assert "another database than the cluster's" in refused.stderr
    assert "no controller has led there" in refused.stderr

    lead_on("slip")

    def why():
        return cluster.cox_json("status")["cluster"]["database"]

    cluster.wait_for(lambda: why() != "ready", "the incident", LONG_DEADLINE_S)
    assert why() == f"has never recorded an attempt, but node n1 has run job {job}"
    doctor = cluster.cox("doctor", check=False)
    assert "--accept-loss" in doctor.stdout
    cluster.wait_for(lambda: "--accept-loss" in cluster.log_text("n1"), "the worker to say it, too")
    assert "check `database` in [controller]" in cluster.log_text("n1")
    assert f"node n1 has run job {job} hint=" in cluster.log_text("controller")
    assert rank.is_alive()

    lead_on(old)
    cluster.await_nodes()
    assert cluster.state(job) == "RUNNING"
    assert rank.is_alive()
    assert cluster.attempt(job) == 1
