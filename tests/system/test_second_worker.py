"""A worker that comes from another place than the one before it: its spool folder was emptied or
changed, or a second worker has the same name. No job runs twice, and both workers are named."""

import json
import shutil
import signal

import pytest
from cluster import with_value
from patience import DEADLINE_S, LONG_DEADLINE_S
from workers import await_served

CLUSTER = {"nodes": 2, "settings": {
    "heartbeat": "250ms", "node_timeout": "2s", "lease": "6s", "lease_grace": "1s",
    "lease_margin": "1s", "kill_wait": "1s", "launch_retry_max": "1s",
    "failures_to_avoid": 0, "failures_to_drain": 0}}


@pytest.fixture
def job(cluster, folder):
    """A job of one rank that runs on n1."""
    job = cluster.submit("-N1", "-n1", "-w", "n1", "-D", folder, "--", "sleep", "1000")
    cluster.wait_for(lambda: cluster.ranks(job, 1), "its rank")
    yield job
    cluster.cox("cancel", job, check=False)


@pytest.fixture
def second(cluster, tmp_path):
    """second(): starts a second worker of n1, with another spool folder."""
    config = tmp_path / "second.toml"
    text = cluster.config_of("n1").read_text()
    config.write_text(with_value(text, "spool_dir", str(tmp_path / "spool")))
    started = []

    def start():
        started.append(cluster.popen_program("cox-worker", "--config", config, "--log",
                                             tmp_path / "second.log"))
        return started[-1]

    start.log = tmp_path / "second.log"
    yield start
    for process in started:
        process.terminate()
        process.wait(DEADLINE_S)


def spool_of(cluster, node):
    return cluster.dir / "spool" / node


def test_no_attempt_starts_beside_one_whose_spool_folder_was_emptied(cluster, job):
    first = cluster.ranks(job, 1)
    supervisor = cluster.supervisor(job, 1, "n1")
    cluster.kill("n1", signal.SIGTERM)
    for each in spool_of(cluster, "n1").iterdir():
        shutil.rmtree(each) if each.is_dir() else each.unlink()
    cluster.start("n1")
    cluster.wait_for(lambda: cluster.ranks(job, 2), "the next attempt", LONG_DEADLINE_S)
    assert not any(rank.is_alive() for rank in [*first, supervisor])
    assert "the lease of node n1 has ended" in str(cluster.history(job))


def test_a_cancelled_job_has_ended_also_if_its_worker_has_another_spool_folder(cluster, job):
    rank, = cluster.ranks(job, 1)
    cluster.kill("n1", signal.SIGTERM)
    file = cluster.config_of("n1")
    before = file.read_text()
    other = cluster.dir / "spool" / "n1.new"
    file.write_text(with_value(before, "spool_dir", str(other)))
    cluster.start("n1")
    cluster.cox("cancel", job)
    cluster.wait_state(job, "CANCELLED", deadline_s=LONG_DEADLINE_S)
    assert not rank.is_alive()
    await_served(cluster, "n1", other)
    cluster.kill("n1", signal.SIGTERM)
    file.write_text(before)
    cluster.start("n1")
    await_served(cluster, "n1", spool_of(cluster, "n1"))


def test_what_a_paused_supervisor_left_ends_before_another_worker_starts_the_job_again(
        cluster, job):
    """A supervisor ends its ranks when the lease ends, but this one is paused."""
    rank, = cluster.ranks(job, 1)
    supervisor = cluster.supervisor(job, 1, "n1")
    cluster.kill("n1", signal.SIGTERM)
    supervisor.kill(signal.SIGSTOP)
    file = cluster.config_of("n1")
    before = file.read_text()
    file.write_text(with_value(before, "spool_dir", str(cluster.dir / "spool" / "n1.paused")))
    cluster.start("n1")
    cluster.wait_for(lambda: cluster.ranks(job, 2), "the next attempt", LONG_DEADLINE_S)
    assert not rank.is_alive() and not supervisor.is_alive()
    cluster.cox("cancel", job)
    cluster.wait_state(job, "CANCELLED")
    cluster.kill("n1", signal.SIGTERM)
    file.write_text(before)
    cluster.start("n1")
    await_served(cluster, "n1", spool_of(cluster, "n1"))


def test_a_second_worker_ends_and_both_are_named(cluster, job, second):
    assert second().wait(DEADLINE_S) == 1
    said = second.log.read_text()
    assert "node n1 has another worker: it is served by the worker at 127.0.0." in said
    own = (spool_of(cluster, "n1") / "spool_id").read_text()[:8]
    other = (second.log.parent / "spool" / "spool_id").read_text()[:8]
    assert own in said and other in said
    assert any('what="second worker"' in line and own in line and other in line
               for line in cluster.log_text("controller").splitlines())
    assert f"spool folder {other}" in json.dumps(cluster.cox_json("nodes"))
    assert "a second worker of this" in cluster.cox("nodes").stdout
    doctor = cluster.cox("doctor", check=False).stdout
    assert "n1 has a second worker, at 127.0.0." in " ".join(doctor.split())
    assert cluster.state(job) == "RUNNING" and cluster.attempt(job) == 1


def test_a_worker_that_was_replaced_while_it_was_silent_ends(cluster, second):
    cluster.process("n1").kill(signal.SIGSTOP)
    cluster.wait_for(lambda: "n1" not in cluster.responding(), "n1 to be silent")
    other = second()
    await_served(cluster, "n1", second.log.parent / "spool")
    cluster.process("n1").kill(signal.SIGCONT)
    cluster.wait_for(lambda: not cluster.runs("n1"), "the first worker to end")
    assert "is served by another worker at 127.0.0." in cluster.log_text("n1")
    job = cluster.submit("-N1", "-n1", "-w", "n1", "--", "true")
    cluster.wait_state(job, "COMPLETED")
    other.terminate()
    other.wait(DEADLINE_S)
    cluster.start("n1")
    await_served(cluster, "n1", spool_of(cluster, "n1"))
