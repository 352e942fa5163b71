"""Late, repeated and reordered messages, and a node that sleeps through its lease."""

import signal

import pytest
from cluster import toml_value, with_value
from meddler import TO_CONTROLLER, Meddler
from ranks import CounterJob

# Counted from the last renewal, the lease ends after 6 s, and the job starts elsewhere after 9 s.
CLUSTER = {"nodes": 2, "cpus": 2, "settings": {
    "heartbeat": "250ms", "node_timeout": "3s", "lease": "6s", "lease_grace": "1s",
    "kill_wait": "1s", "lease_margin": "1s", "launch_retry_max": "1s"}}
FINAL = "('COMPLETED', 'FAILED', 'CANCELLED', 'TIMEOUT', 'NODE_FAIL')"


def move_worker(cluster, node, controller):
    """Restarts the node's worker with another endpoint for its controller."""
    file = cluster.config_of(node)
    before = cluster.node(node)["log_endpoint"]
    cluster.kill(node)
    file.write_text(with_value(file.read_text(), "controller", controller))
    cluster.start(node)
    cluster.wait_for(lambda: cluster.node(node)["log_endpoint"] != before
                     and node in cluster.responding(), f"{node} to respond again")


@pytest.fixture
def meddler(cluster):
    """A Meddler between n1 and the controller, which can delay, repeat or reorder messages."""
    before = toml_value(cluster.config_of("n1").read_text(), "controller")
    made = Meddler(toml_value(cluster.config.read_text(), "listen_local"))
    move_worker(cluster, "n1", made.endpoint)
    yield made
    move_worker(cluster, "n1", before)
    made.end()


def started_on_n1(cluster, folder, *options, **settings):
    """Starts a job on n1 that could also run on n2. Returns it once its ranks work."""
    cluster.cox("drain", "n2", "--reason", "not yet")
    job = CounterJob(cluster, folder, "-N1", "-n2", *options, **settings)
    job.await_steps(6, ranks=2)
    cluster.cox("resume", "n2")
    return job


def stale_ends(cluster, job):
    return [event["why"] for event in cluster.history(job) if event["what"] == "stale_completion"]


def times_ended(cluster, job):
    return [state for state, in cluster.sql(
        f"SELECT state FROM cox.job_event WHERE job_id = {job} AND what = 'state'"
        f" AND state IN {FINAL}")]


@pytest.mark.parametrize("what", ["repeat", "delay", "reverse"])
def test_f11_repeated_late_or_reordered_messages_run_each_job_once(cluster, folder, meddler, what):
    meddler.change(what)
    gang = CounterJob(cluster, folder, "-N2", "-n2", steps=8)
    alone = CounterJob(cluster, folder, "-N1", "-n1", "-w", "n1", steps=8)
    short = [cluster.submit("-n1", "-w", "n1", "-D", folder, "--", "sh", "-c",
                            f"echo >> began.{code}; exit {code}") for code in (0, 3)]
    for job in (gang, alone):
        job.await_state("COMPLETED")
        job.check_ran_once(ranks=2 if job is gang else 1, steps=8)
    assert [cluster.wait_state(job, "COMPLETED", "FAILED") for job in short] == ["COMPLETED",
                                                                                 "FAILED"]
    for job in (gang.id, alone.id, *short):
        assert len(times_ended(cluster, job)) == 1 and cluster.attempt(job) == 1
        assert not stale_ends(cluster, job)
    assert [(folder / f"began.{code}").read_text() for code in (0, 3)] == ["\n", "\n"]
    assert cluster.job(short[1])["view"]["job"]["exit_code"] == 3


def test_f12_a_late_end_of_an_attempt_does_not_affect_the_next_one(cluster, folder, meddler):
    job = started_on_n1(cluster, folder, save_every=5)
    meddler.change("hold", TO_CONTROLLER)
    job.await_attempt(2)
    job.await_steps(1, attempt=2, ranks=2)
    # Waits until no helper process of a rank runs.
    second = set(cluster.wait_for(
        lambda: len(found := cluster.ranks(job.id, 2)) == 2 and found,
        "no process but the two ranks"))
    assert cluster.nodes_of(job.id) == ["n2"] and not stale_ends(cluster, job.id)
    saved = cluster.sql(f"SELECT attempt, step FROM cox.checkpoint WHERE job_id = {job.id}"
                        " AND attempt = 1")

    meddler.change("repeat", TO_CONTROLLER)  # all messages that n1 sent meanwhile arrive now
    cluster.wait_for(lambda: stale_ends(cluster, job.id), "the late end to be recorded")
    cluster.wait_for(lambda: "n1" in cluster.responding(), "n1 to respond again")
    job.await_steps(5, attempt=2, ranks=2)
    ends = stale_ends(cluster, job.id)
    assert len(ends) == 1 and "attempt 1 " in ends[0], ends
    assert second <= set(cluster.ranks(job.id, 2)) and cluster.attempt(job.id) == 2
    assert cluster.state(job.id) == "RUNNING" and not cluster.ranks(job.id, 1)
    assert saved == cluster.sql(f"SELECT attempt, step FROM cox.checkpoint WHERE"
                                f" job_id = {job.id} AND attempt = 1")
    job.check()


def test_f10_a_node_that_slept_through_its_lease_ends_its_job_when_it_wakes(cluster, folder):
    cluster.cox("drain", "n2", "--reason", "not yet")
    job = cluster.submit("-N1", "-n2", "-D", folder, "--", "sleep", "1000")
    cluster.wait_for(lambda: len(cluster.ranks(job, 1)) == 2, "both ranks to run")
    cluster.cox("resume", "n2")
    first = cluster.ranks(job, 1)
    asleep = [cluster.process("n1"), cluster.supervisor(job, 1, "n1"), *first]
    for process in asleep:
        process.kill(signal.SIGSTOP)
    try:
        second = cluster.wait_for(lambda: len(cluster.ranks(job, 2)) == 2
                                  and cluster.ranks(job, 2), "the job to start elsewhere")
        assert all(rank.is_alive() for rank in first), "a stopped rank has ended"
    finally:
        for process in asleep:
            process.kill(signal.SIGCONT)
    cluster.wait_for(lambda: not cluster.ranks(job, 1), "the first attempt to end")
    cluster.wait_for(lambda: stale_ends(cluster, job), "its end to be recorded")
    cluster.wait_for(lambda: "n1" in cluster.responding(), "n1 to respond again")
    assert cluster.attempt(job) == 2 and cluster.nodes_of(job) == ["n2"]
    assert set(cluster.ranks(job, 2)) == set(second)
    after = CounterJob(cluster, folder, "-N1", "-n1", "-w", "n1", steps=2)
    after.await_state("COMPLETED")  # n1 gets orders by its present connection
