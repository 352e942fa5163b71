"""The causes that keep jobs off a node: silence, its own check, a full spool, failed launches, and
processes that survive SIGKILL."""

import os
import shutil
import signal
import subprocess
from pathlib import Path

from patience import DEADLINE_S
import pytest
from ranks import CounterJob
from workers import await_served, await_work, restart_worker

QUICK = {"nodes": 2, "cpus": 2, "lease_s": 60,
         "settings": {"node_timeout": "3s", "heartbeat": "250ms"}}
FREEZER = Path("/sys/fs/cgroup/freezer")


def events(cluster, node):
    return cluster.sql(f"SELECT what, why, actor FROM cox.node_event WHERE node = '{node}' "
                       "ORDER BY sequence")


def drains(cluster, node):
    return [event for event in events(cluster, node) if event[0] in ("drained", "resumed")]


def await_drained(cluster, node, reason):
    cluster.wait_for(lambda: cluster.node(node)["drained"], f"{node} to be drained")
    assert reason in cluster.node(node)["reason"], cluster.node(node)


def await_resumed(cluster, node):
    cluster.wait_for(lambda: not cluster.node(node)["drained"], f"{node} to be resumed")


def one_step(cluster, *options):
    return CounterJob(cluster, cluster.work, "-N1", "-n1", *options, steps=2)


def scontrol(cluster, *words):
    link = cluster.work / "scontrol"
    if not link.is_symlink():
        link.symlink_to(cluster.bin / "cox")
    return subprocess.run([link, *words], env=cluster.environment, text=True, capture_output=True,
                          timeout=DEADLINE_S, check=True).stdout


def test_a_node_that_returns_again_within_an_hour_needs_twice_as_many_good_heartbeats(make_cluster):
    cluster = make_cluster(**QUICK)
    for wanted in (3, 6):
        cluster.kill("n1", signal.SIGSTOP)
        cluster.wait_for(lambda: not cluster.node("n1")["responding"], "n1 to fall silent")
        waiting = one_step(cluster, "-w", "n1")
        cluster.kill("n1", signal.SIGCONT)
        await_work(cluster, "n1")
        waiting.await_state("COMPLETED")
        assert events(cluster, "n1")[-1] == ["returned", f"{wanted} good heartbeats in a row",
                                             "controller"]
    assert [what for what, *_ in events(cluster, "n1")] == ["not responding", "returned"] * 2


def test_a_failing_health_check_drains_its_node_and_a_passing_one_resumes_it(make_cluster):
    cluster = make_cluster(**QUICK)
    wrong = cluster.work / "wrong"
    check = cluster.work / "check"
    named = cluster.work / "named"
    check.write_text(f"#!/bin/sh\necho $SLURMD_NODENAME >> {named}\n"
                     f"[ ! -e {wrong} ] || {{ cat {wrong}; exit 1; }}\n")
    check.chmod(0o755)
    restart_worker(cluster, "n1", [f'health_check = "{check}"', 'health_check_interval = "200ms"'])
    part = cluster.work / "wrong.part"
    part.write_text("fan 3 stands still\nand more\n")
    part.rename(wrong)
    await_drained(cluster, "n1", "fan 3 stands still")
    assert set(named.read_text().split()) == {"n1"}
    assert "Reason=fan 3 stands still [" in scontrol(cluster, "show", "node", "n1")
    waiting = one_step(cluster, "-w", "n1")
    assert "its health check" in cluster.cox("resume", "n1").stdout
    assert cluster.node("n1")["drained"] and cluster.state(waiting.id) == "PENDING"
    cluster.kill("n1", signal.SIGTERM)  # the new worker reports no result until its first check
    cluster.start("n1")
    assert cluster.node("n1")["drained_by"] == "health_check"
    wrong.unlink()
    await_resumed(cluster, "n1")
    waiting.await_state("COMPLETED")
    cluster.cox("drain", "n1", "--reason", "bad fan")
    before = drains(cluster, "n1")
    wrong.write_text("fan 3 stands still\n")
    checked = cluster.work / "checked"
    check.write_text(f"#!/bin/sh\necho >> {checked}\nexit 0\n")
    cluster.wait_for(lambda: checked.exists() and len(checked.read_text()) > 2,
                     "two more checks")
    assert cluster.node("n1")["reason"] == "bad fan" and drains(cluster, "n1") == before


def test_a_node_without_the_checkpoint_folder_is_drained_with_a_reason(make_cluster):
    cluster = make_cluster(**QUICK)
    reason = "it does not see the cluster's checkpoint folder"
    restart_worker(cluster, "n1", [f'checkpoint_root = "{cluster.dir}/nowhere"'])
    cluster.wait_for(lambda: cluster.node("n1")["reason"] == reason, "the reason of n1")
    cluster.wait_for(lambda: cluster.node("n1")["drained"], "n1 to be drained")
    sinfo = cluster.slurm("sinfo", "-R", "-h", "-o", "%E|%N").stdout
    assert f"{reason}|n1" in sinfo, sinfo
    assert cluster.node("n1")["drained_by"] == "health_check"
    restart_worker(cluster, "n1", [f'checkpoint_root = "{cluster.dir}/checkpoints"'])
    await_resumed(cluster, "n1")
    assert cluster.node("n1")["reason"] == ""


def test_a_checkpoint_folder_that_goes_away_keeps_jobs_from_the_node_until_it_is_back(make_cluster):
    """The shared storage is unmounted: no job is launched there and refused."""
    cluster = make_cluster(**QUICK)
    marker = cluster.dir / "checkpoints/.coxswain-cluster"
    missed = lambda node: cluster.log_text(node).count("until it is, this node gets no jobs")
    before = {node: missed(node) for node in ("n1", "n2")}
    marker.rename(marker.with_suffix(".away"))
    for node in before:
        cluster.wait_for(lambda: missed(node) > before[node], f"{node} to miss the folder")
    job = cluster.submit("-N2", "-n2", "--", "true")
    cluster.wait_for(lambda: "checkpoint folder" in cluster.cox("why", job).stdout,
                     "cox why to say that")
    marker.with_suffix(".away").rename(marker)
    cluster.wait_state(job, "COMPLETED")
    assert cluster.sql(f"SELECT count(*) FROM cox.attempt WHERE job_id = {job}") == [["1"]]


@pytest.fixture
def small_spool():
    """small_spool(FOLDER): mounts a small file system of its own on a worker's spool folder."""
    mounted = []

    def mount(folder):
        done = subprocess.run(["mount", "-t", "tmpfs", "-o", "size=48m", "cox", folder],
                              capture_output=True, text=True, check=False)
        if done.returncode != 0:
            pytest.skip(f"no tmpfs can be mounted here: {done.stderr.strip()}")
        mounted.append(folder)
    yield mount
    for folder in mounted:
        subprocess.run(["umount", "-l", folder], check=True)


def test_f19_a_launch_into_a_full_spool_fails_fast_and_the_job_goes_elsewhere(make_cluster,
                                                                              small_spool):
    cluster = make_cluster(**QUICK)
    spool = cluster.dir / "spool" / "n1"
    cluster.kill("n1", signal.SIGTERM)
    small_spool(spool)
    cluster.start("n1")
    await_served(cluster, "n1", spool)
    await_work(cluster, "n1")
    fill = spool / "fill"
    fill.write_bytes(bytes(40 << 20))
    busy = CounterJob(cluster, cluster.work, "-N1", "-n2", "-w", "n2")
    busy.await_steps(1)
    job = one_step(cluster)
    await_drained(cluster, "n1", f"the spool folder {spool} is full")
    cluster.wait_state(job.id, "PENDING")
    assert cluster.node("n1")["failures"] == [] and not cluster.job(job.id)["view"]["job"]["held"]
    cluster.cox("cancel", busy.id)
    job.await_state("COMPLETED")
    assert cluster.nodes_of(job.id) == ["n2"]
    here = one_step(cluster, "-w", "n1")
    fill.unlink()
    await_resumed(cluster, "n1")
    here.await_state("COMPLETED")


def test_failed_launches_count_against_the_node_and_a_job_that_starts_nowhere_is_held(make_cluster):
    cluster = make_cluster(**QUICK)
    broken = ['supervisor_program = "/bin/false"']
    restart_worker(cluster, "n1", broken)
    failing = [one_step(cluster, "-w", "n1") for _ in range(2)]
    cluster.wait_for(lambda: len(cluster.node("n1")["failures"]) == 2, "two failures")
    score, = cluster.sql("SELECT failure_score > 1.9 FROM cox.nodes WHERE name = 'n1'")
    assert score == ["t"]
    shown = scontrol(cluster, "show", "node", "n1")
    assert "FailureScore=" in shown and "FailedJobs=" in shown, shown
    cluster.cox("cancel", *[job.id for job in failing])
    restart_worker(cluster, "n2", broken)
    nowhere = one_step(cluster)
    cluster.wait_for(lambda: cluster.job(nowhere.id)["view"]["job"]["held"],
                     "the job to be held")
    assert cluster.job(nowhere.id)["view"]["reason"] == "JobHoldMaxRequeue"
    detail = cluster.job(nowhere.id)["view"]["reason_detail"]
    assert "launch failed on n" in detail and "supervisor" in detail, detail
    assert not any(cluster.node(name)["drained"] for name in ("n1", "n2"))
    for name in ("n1", "n2"):
        failed = [str(failure["job"]) for failure in cluster.node(name)["failures"]]
        assert str(nowhere.id) not in failed, "the failure counts against the node"
    for name in ("n1", "n2"):
        restart_worker(cluster, name, [f'supervisor_program = "{cluster.bin}/cox-supervisor"'])
    cluster.cox("release", nowhere.id)
    nowhere.await_state("COMPLETED")


@pytest.fixture
def freezer():
    """Freezes processes so that SIGKILL has no effect until they are thawed (cgroup v1)."""
    folder = FREEZER / f"cox-test-{os.getpid()}"
    try:
        folder.mkdir()
    except OSError as error:
        pytest.skip(f"no freezer here: {error}")

    def freeze(processes):
        for process in processes:
            (folder / "cgroup.procs").write_text(str(process.pid))
        (folder / "freezer.state").write_text("FROZEN")

    freeze.thaw = lambda: (folder / "freezer.state").write_text("THAWED")
    yield freeze
    freeze.thaw()
    shutil.rmtree(folder, ignore_errors=True)
    if folder.exists():
        folder.rmdir()


def test_f23_processes_that_survive_sigkill_drain_a_node_and_hold_resources(make_cluster, freezer):
    settings = dict(QUICK["settings"], unkillable_step_timeout="1s", kill_wait="500ms")
    cluster = make_cluster(**dict(QUICK, settings=settings))
    job = CounterJob(cluster, cluster.work, "-N1", "-n2", "-w", "n1")
    job.await_steps(1)
    ranks = cluster.ranks(job.id, 1)
    freezer(ranks)
    cluster.cox("cancel", job.id)
    await_drained(cluster, "n1", "Kill task failed")
    job.await_state("CANCELLED")
    assert all(rank.is_alive() for rank in ranks)
    assert "DRAIN" in scontrol(cluster, "show", "node", "n1")
    cluster.cox("resume", "n1")
    waiting = one_step(cluster, "-w", "n1")
    other = one_step(cluster)
    other.await_state("COMPLETED")
    assert cluster.nodes_of(other.id) == ["n2"] and cluster.state(waiting.id) == "PENDING"
    cluster.kill("controller")
    cluster.start("controller")
    another = one_step(cluster, "-w", "n2")
    another.await_state("COMPLETED")
    assert cluster.state(waiting.id) == "PENDING" and all(rank.is_alive() for rank in ranks)
    freezer.thaw()
    waiting.await_state("COMPLETED")
    assert not any(rank.is_alive() for rank in ranks)
