"""Nodes that fall silent, with a short lease: the reactions of the controller and supervisors."""

import signal

from ranks import CounterJob

# `cox up --lease 6`: heartbeats each 750 ms, node_timeout 3 s, 6 s to save, 5 s from SIGTERM to
# SIGKILL, 6 s of margin: 23 s from the last renewal until the job starts elsewhere. On a busy
# machine, heartbeats of a healthy node may be late by up to 6 s, the lease.
CLUSTER = {"nodes": 3, "cpus": 3, "lease_s": 6,
           "settings": {"failures_to_avoid": 0, "failures_to_drain": 0}}
PATIENT = {"nodes": 2, "cpus": 2, "lease_s": 60,
           "settings": {"node_timeout": "1s", "heartbeat": "250ms"}}


def await_silence(cluster, node):
    cluster.wait_for(lambda: not cluster.node(node)["responding"],
                     f"{node} to be shown as not responding")


def await_return(cluster, node):
    cluster.wait_for(lambda: cluster.node(node)["responding"], f"{node} to respond again")


def check_runs_on(cluster, folder, node):
    job = CounterJob(cluster, folder, "-N1", "-n1", "-w", node, steps=2)
    job.await_state("COMPLETED")


def test_a_silent_node_gets_no_new_jobs_and_keeps_its_running_ones(make_cluster):
    cluster = make_cluster(**PATIENT)
    job = CounterJob(cluster, cluster.work, "-N1", "-n1", "-w", "n1")
    job.await_steps(2)
    ranks = cluster.ranks(job.id, 1)
    cluster.kill("n1", signal.SIGSTOP)
    await_silence(cluster, "n1")
    assert "n1" in cluster.cox("nodes").stdout and "Not responding" in cluster.node("n1")["reason"]
    wanting = CounterJob(cluster, cluster.work, "-N1", "-n1", "-w", "n1", steps=2)
    gang = CounterJob(cluster, cluster.work, "-N2", "-n2", steps=2)
    elsewhere = CounterJob(cluster, cluster.work, "-N1", "-n1", steps=2)
    elsewhere.await_state("COMPLETED")
    assert [node["grant"]["node"] for node in cluster.job(elsewhere.id)["attempts"][0]["nodes"]] \
        == ["n2"]
    assert cluster.state(wanting.id) == cluster.state(gang.id) == "PENDING"
    job.await_steps(5)
    assert cluster.state(job.id) == "RUNNING"
    cluster.kill("n1", signal.SIGCONT)
    await_return(cluster, "n1")
    for each in (wanting, gang):
        each.await_state("COMPLETED")
    assert set(cluster.ranks(job.id, 1)) == set(ranks) and cluster.attempt(job.id) == 1


def test_f06_after_the_lease_a_job_resumes_elsewhere_and_the_node_comes_back(cluster, folder):
    job = CounterJob(cluster, folder, "-N1", "-n2", save_every=5)
    cluster.wait_for(lambda: cluster.job(job.id)["checkpoints"], "a committed checkpoint")
    node, = cluster.nodes_of(job.id)
    first, supervisor = cluster.ranks(job.id, 1), cluster.supervisor(job.id, 1, node)
    cluster.kill(node)
    await_silence(cluster, node)
    assert cluster.attempt(job.id) == 1, "the job started elsewhere during its lease"

    def moved_on():
        # Once the second attempt has ranks, all ranks of the first one are gone.
        second = cluster.ranks(job.id, 2)
        assert not (second and any(rank.is_alive() for rank in first))
        return second

    cluster.wait_for(moved_on, "the job to start elsewhere")
    assert not supervisor.is_alive()
    job.await_attempt(2)
    assert node not in cluster.nodes_of(job.id)
    assert any("lease" in why for why in job.whys()), job.whys()
    job.check()
    second = cluster.job(job.id)["attempts"][1]
    assert second["resume"]["step"] >= 5 and min(job.steps(0, attempt=2)) > second["resume"]["step"]
    cluster.start(node)
    await_return(cluster, node)
    check_runs_on(cluster, folder, node)
    assert cluster.attempt(job.id) == 2
    cluster.cox("cancel", job.id)
    job.await_state("CANCELLED")
    job.check()


def turn_off(cluster, job, node):
    """Kills the worker, the job's supervisor and its ranks, like a power failure of the machine."""
    supervisor = cluster.supervisor(job.id, 1, node)
    ranks = [rank for rank in cluster.ranks(job.id, 1) if rank.parent() == supervisor.pid]
    cluster.kill(node)
    for process in (supervisor, *ranks):
        process.kill(signal.SIGKILL)
    return ranks


def test_a_fence_program_that_succeeds_ends_the_wait_for_a_silent_node(make_cluster, tmp_path):
    """With lease_s=0 the lease never ends, so only the fence ends the job's wait for the node."""
    program, fenced = tmp_path / "power-off", tmp_path / "fenced"
    program.write_text(f"#!/bin/sh\necho outlet of $1 is off\necho $1 >> {fenced}\n")
    program.chmod(0o755)
    cluster = make_cluster(nodes=3, cpus=2, lease_s=0, settings={
        "heartbeat": "250ms", "node_timeout": "3s", "fence_after": "6s", "kill_wait": "1s",
        "fence_program": str(program)})
    job = CounterJob(cluster, cluster.work, "-N2", "-n2", "--exclusive", save_every=5)
    cluster.wait_for(lambda: cluster.job(job.id)["checkpoints"], "a committed checkpoint")
    lost = cluster.nodes_of(job.id)[-1]
    turn_off(cluster, job, lost)
    job.await_attempt(2)
    assert lost not in cluster.nodes_of(job.id)
    assert fenced.read_text() == f"{lost}\n", "it did not run once, with the node's name"
    assert "outlet of" in cluster.log_text("controller")
    assert any(f"node {lost} was fenced by fence_program" in why for why in job.whys()), job.whys()
    cluster.start(lost)
    await_return(cluster, lost)
    cluster.cox("cancel", job.id)
    job.await_state("CANCELLED")
    job.check()


def test_cox_fence_works_only_for_a_silent_node(make_cluster):
    cluster = make_cluster(nodes=2, cpus=2, lease_s=0, settings={
        "heartbeat": "250ms", "node_timeout": "1s", "kill_wait": "1s"})
    job = CounterJob(cluster, cluster.work, "-N1", "-n1", save_every=5)
    cluster.wait_for(lambda: cluster.job(job.id)["checkpoints"], "a committed checkpoint")
    node, = cluster.nodes_of(job.id)
    refused = cluster.cox("fence", node, "--confirm", check=False)
    assert refused.returncode != 0 and "responds, so it cannot be fenced" in refused.stderr, refused
    turn_off(cluster, job, node)
    await_silence(cluster, node)
    why = cluster.cox("why", job.id).stdout
    assert f"node {node} has been silent for" in why and "its lease never ends" in why, why
    assert "--confirm" in cluster.cox("fence", node, check=False).stderr
    assert "1 job no longer waits" in cluster.cox("fence", node, "--confirm").stdout
    job.await_attempt(2)
    assert node not in cluster.nodes_of(job.id)
    cluster.start(node)
    await_return(cluster, node)
    cluster.cox("cancel", job.id)
    job.await_state("CANCELLED")
    job.check()


def test_ranks_that_ignore_sigterm_are_gone_before_the_job_starts_elsewhere(cluster, folder):
    job = CounterJob(cluster, folder, "-N1", "-n2", ignore=True)
    job.await_steps(2, ranks=2)
    node, = cluster.nodes_of(job.id)
    first = cluster.ranks(job.id, 1)
    # A paused worker is as silent as one behind a broken network.
    cluster.kill(node, signal.SIGSTOP)
    job.await_attempt(2)
    assert not any(rank.is_alive() for rank in first)
    job.check()
    cluster.kill(node, signal.SIGCONT)
    await_return(cluster, node)
    check_runs_on(cluster, folder, node)
    assert cluster.attempt(job.id) == 2


def kill_node(cluster, node, *jobs):
    """Kills all that runs on the node at once, like a power failure of the machine."""
    processes = [cluster.process(node)]
    for job in jobs:
        supervisor = cluster.supervisor(job.id, 1, node)
        ranks = [rank for rank in cluster.ranks(job.id, 1) if rank.parent() == supervisor.pid]
        assert ranks
        processes += [supervisor, *ranks]
    for process in processes:
        process.kill(signal.SIGKILL)


def test_f07_a_gang_resumes_without_a_dead_node(cluster, folder):
    job = CounterJob(cluster, folder, "-N2", "-n4", "--ntasks-per-node=2", save_every=5)
    cluster.wait_for(lambda: cluster.job(job.id)["checkpoints"], "a committed checkpoint")
    dead, alive = cluster.nodes_of(job.id)
    final = CounterJob(cluster, folder, "-N1", "-n1", "-w", dead, "--no-requeue")
    final.await_steps(1)
    first = cluster.ranks(job.id, 1)
    kill_node(cluster, dead, job, final)
    job.await_attempt(2)
    assert not any(rank.is_alive() for rank in first)
    assert dead not in cluster.nodes_of(job.id) and alive in cluster.nodes_of(job.id)
    assert "Not responding" in cluster.node(dead)["reason"]
    job.check()
    assert cluster.job(job.id)["attempts"][1]["resume"]["step"] >= 5
    assert cluster.job(job.id)["view"]["job"]["restarts"] == 1
    final.await_state("NODE_FAIL")
    cluster.start(dead)
    await_return(cluster, dead)
    check_runs_on(cluster, folder, dead)
    assert cluster.attempt(job.id) == 2


def test_a_job_runs_again_at_once_when_its_dead_node_comes_back_without_its_ranks(make_cluster):
    cluster = make_cluster(nodes=1, cpus=2, lease_s=600)
    job = CounterJob(cluster, cluster.work, "-N1", "-n2", save_every=5)
    cluster.wait_for(lambda: cluster.job(job.id)["checkpoints"], "a committed checkpoint")
    kill_node(cluster, "n1", job)
    cluster.wait_for(lambda: not cluster.runs("n1"), "the worker to end")
    cluster.start("n1")
    # Without the node's report, the job would wait for the lease of 600 s.
    job.await_attempt(2)
    job.check()
