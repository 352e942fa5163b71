"""kill -9 of workers and supervisors: ranks survive a worker, and end with a supervisor."""

import signal

import pytest
from cluster import PYTHON
from ranks import CounterJob

CLUSTER = {"nodes": 2, "settings": {"launch_retry_max": "1s", "kill_wait": "1s",
                                    "failures_to_avoid": 0, "failures_to_drain": 0}}

FORKS_AWAY = """
import os, subprocess, sys, time
for _ in range(2):
    subprocess.Popen(["/bin/sleep", "1000"], start_new_session=True)
open(sys.argv[1] + "/began." + os.environ.get("SLURM_RESTART_COUNT", "0"), "w").close()
time.sleep(1000)
"""

SAVES_WHILE_AWAY = """
mkdir -p $COX_CHECKPOINT_DIR/step-1 && echo x > $COX_CHECKPOINT_DIR/step-1/rank-0
touch saver-began
until [ -e away ]; do sleep 0.05; done
touch reports
cox checkpoint done --step 1 || exit 9
touch reported
"""


def restart_worker_to_crash(cluster, node, point):
    cluster.kill(node)
    cluster.start(node, {"COX_CRASH_AT": point})


def restart_worker_whole(cluster, node):
    """Restarts the worker without a crash point, whether it runs or has crashed."""
    if cluster.runs(node):
        cluster.kill(node)
    cluster.start(node)
    cluster.wait_for(lambda: node in cluster.responding(), f"{node} to respond")


def test_f06_a_killed_worker_loses_no_rank_and_no_output(cluster, folder):
    job = CounterJob(cluster, folder, "-N1", "-n2", "-w", "n1")
    job.await_steps(3, ranks=2)
    ranks, supervisor = cluster.ranks(job.id, 1), cluster.supervisor(job.id, 1, "n1")
    old_endpoint = cluster.node("n1")["log_endpoint"]
    cluster.kill("n1")
    job.await_steps(5, ranks=2)  # the ranks go on without the worker
    cluster.start("n1")
    cluster.wait_for(lambda: cluster.node("n1")["log_endpoint"] != old_endpoint,
                     "the hello of the new worker")
    # The new worker has adopted the ranks: it serves their output, and orders reach them.
    assert "step 3\n" in cluster.cox("logs", "-r", "0", job.id).stdout
    assert set(cluster.ranks(job.id, 1)) == set(ranks) and supervisor.is_alive()
    assert cluster.attempt(job.id) == 1
    cluster.cox("preempt", job.id)
    job.await_attempt(2)
    cluster.cox("cancel", job.id)
    job.await_state("CANCELLED")
    job.check()
    steps = job.steps(0)
    assert steps == list(range(1, len(steps) + 1))
    # Both attempts write to the same file, one after the other; each is shown by itself.
    written = [line for attempt in (1, 2) for line in
               cluster.cox("logs", "-r", "0", "-a", attempt, job.id).stdout.splitlines()]
    assert written == [f"step {step}" for step in steps]
    log = cluster.log_text("n1")
    for line in ("attempt=1 starts user=", "attempt=1 goes on under its supervisor",
                 "attempt=1 has ended ran_s=", "attempt=2 starts user="):
        assert f"job={job.id} {line}" in log, log


def test_a_job_that_ends_without_its_worker_is_completed(cluster, folder):
    job = CounterJob(cluster, folder, "-N1", "-n1", "-w", "n1", steps=8, pause_at=4)
    job.await_total_steps(2)
    supervisor = cluster.supervisor(job.id, 1, "n1")
    cluster.kill("n1")
    job.go_on()
    cluster.wait_for(lambda: not supervisor.is_alive(), "the attempt to end")
    cluster.start("n1")
    job.await_state("COMPLETED")
    job.check_ran_once(ranks=1, steps=8)


@pytest.mark.parametrize("nth", [1, 3, 5, 8])
@pytest.mark.parametrize("point", ["worker.before_send", "worker.after_send"])
def test_a_worker_that_crashes_starts_no_rank_twice(cluster, folder, point, nth):
    old = CounterJob(cluster, folder, "-N1", "-n1", "-w", "n1")
    old.await_steps(1)
    ranks = cluster.ranks(old.id, 1)
    restart_worker_to_crash(cluster, "n1", f"{point}:{nth}")
    job = CounterJob(cluster, folder, "-N2", "-n2", steps=6)
    cluster.wait_for(lambda: not cluster.runs("n1"), f"the worker to crash {point}")
    cluster.start("n1")
    job.await_state("COMPLETED")
    job.check_ran_once(ranks=2, steps=6)
    assert set(cluster.ranks(old.id, 1)) == set(ranks)
    assert cluster.attempt(old.id) == 1


@pytest.mark.parametrize("point", [
    "supervisor.before_status:1", "supervisor.after_status:1", "supervisor.before_ready",
    "supervisor.before_status:2", "supervisor.after_status:2", "supervisor.after_start",
    "supervisor.before_status:3", "supervisor.after_status:3", "supervisor.before_seal",
    "supervisor.before_status:6"])
def test_a_job_whose_supervisor_crashes_is_run_again_and_completes(cluster, folder, point):
    # The worker is started with the crash point, because its supervisors inherit its environment.
    restart_worker_to_crash(cluster, "n1", point)
    job = CounterJob(cluster, folder, "-N2", "-n2", steps=20, save_every=4)
    cluster.wait_for(lambda: cluster.attempt(job.id) >= 2 or cluster.state(job.id) == "PENDING"
                     and len(job.whys()) > 3, "the attempt to end")
    restart_worker_whole(cluster, "n1")
    job.await_state("COMPLETED")
    job.check()
    assert cluster.attempt(job.id) >= 2
    assert any("supervisor" in why for why in job.whys()), job.whys()


def test_the_ranks_of_a_killed_supervisor_end(cluster, folder):
    job = CounterJob(cluster, folder, "-N2", "-n4", steps=60, save_every=10, pause_at=30)
    cluster.wait_for(lambda: cluster.job(job.id)["checkpoints"], "a committed checkpoint")
    first = cluster.ranks(job.id, 1)
    cluster.supervisor(job.id, 1, "n1").kill(signal.SIGKILL)
    cluster.wait_for(lambda: not any(rank.is_alive() for rank in first),
                     "all ranks of the gang to end")
    job.go_on(attempt=2)
    job.await_state("COMPLETED")
    job.check()
    assert any("supervisor lost on node n1" in why for why in job.whys()), job.whys()
    assert cluster.job(job.id)["attempts"][1]["resume"]["step"] >= 10
    assert [step for step in job.steps(3, attempt=2) if step <= 10] == []


def test_a_spool_folder_that_is_away_for_a_moment_ends_no_job(cluster, folder):
    options = ["-N1", "-n1", "-w", "n1", "-D", folder, "--", "sh", "-c"]
    saver = cluster.submit(*options, SAVES_WHILE_AWAY)
    other = cluster.submit(*options, "touch began; until [ -e away ]; do sleep 0.05; done")
    cluster.wait_for(lambda: (folder / "saver-began").exists() and (folder / "began").exists(),
                     "both jobs to begin")
    spool = cluster.dir / "spool" / "n1"
    spool.rename(spool.with_name("n1.away"))
    try:
        (folder / "away").touch()
        cluster.wait_state(other, "COMPLETED")
        cluster.wait_for((folder / "reports").exists, "the rank to report its save")
        assert not (folder / "reported").exists()
    finally:
        spool.with_name("n1.away").rename(spool)
    cluster.wait_state(saver, "COMPLETED")
    assert cluster.attempt(saver) == cluster.attempt(other) == 1


def test_forked_processes_end_with_a_killed_supervisor(cluster, folder):
    job = cluster.submit("-N1", "-n1", "-w", "n1", "-D", folder, "--", PYTHON, "-c", FORKS_AWAY,
                         folder)
    cluster.wait_for(lambda: (folder / "began.0").exists(), "the rank to fork its sleepers")
    first = cluster.wait_for(lambda: len(cluster.ranks(job, 1)) >= 3 and cluster.ranks(job, 1),
                             "the sleepers to run")
    cluster.supervisor(job, 1, "n1").kill(signal.SIGKILL)
    cluster.wait_for(lambda: (folder / "began.1").exists(), "the next attempt to begin")
    assert not any(process.is_alive() for process in first)
