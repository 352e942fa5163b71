"""Commits of checkpoints, the checkpoint of the next attempt, and ranks that disobey."""

import json
import shutil
import signal
from pathlib import Path

import pytest
from obedient_job import ObedientJob, preempt

CLUSTER = {"nodes": 2, "settings": {"kill_wait": "1s", "launch_retry_max": "1s"}}
GRACE_MS = 3000
# On a slow machine Python needs seconds to install its handler, and again to save.
SAVES_BEFORE_ITS_LIMIT = ["--signal=USR1@6", "-t", "0:14"]


@pytest.fixture
def quick(cluster):
    """The cluster, with a short grace period, because some tests wait for its end."""
    if cluster.sql("SELECT 1 FROM cox.qos WHERE name = 'standard' AND grace_ms <> 3000"):
        cluster.sql(f"UPDATE cox.qos SET grace_ms = {GRACE_MS} WHERE name = 'standard'")
        # The controller reads the table of QOS when it starts.
        cluster.kill("controller", signal.SIGTERM)
        cluster.start("controller")
        cluster.wait_for(lambda: len(cluster.responding()) == 2, "all nodes to respond")
    return cluster


@pytest.fixture
def run(quick, tmp_path):
    """run(ON_STOP, OPTION...): submits the job and waits until its first attempt has begun."""
    tmp_path.chmod(0o755)
    return lambda on_stop, *options, **more: ObedientJob.begun(
        quick, tmp_path / "job", on_stop, "--checkpoint-signal=USR1", *options, **more)


def test_a_preempted_job_saves_and_resumes(run, quick):
    job = run("save")
    first = [job.read("begin", 1, rank) for rank in range(2)]
    preempt(job)
    assert job.checkpoints() == {10: "good"}
    for stop in job.wait_for_file("stop", 1):
        assert stop == {"reason": "preempt\n", "signals": [signal.SIGUSR1]}
    assert any("step 10 committed" in why for why in job.whys())
    quick.cox("release", job.id)
    second = job.wait_for_file("begin", 2)
    for rank in range(2):
        assert second[rank]["state"] == f"step 10 of rank {rank}\n" * 100
        assert second[rank]["resume_from"].endswith("attempt-1/step-10")
    for before, after in zip(first, second):
        assert before["resume_from"] is None
        one, two = before["environment"], after["environment"]
        assert "SLURM_RESTART_COUNT" not in one and two["SLURM_RESTART_COUNT"] == "1"
        assert one["SLURM_JOB_ID"] == two["SLURM_JOB_ID"] == str(job.id)
        assert one["MASTER_PORT"] != two["MASTER_PORT"]
        assert one["COX_CHECKPOINT_DIR"] != two["COX_CHECKPOINT_DIR"]
    job.finish()
    assert quick.job(job.id)["view"]["job"]["restarts"] == 1


def test_of_the_checkpoints_of_a_running_job_only_the_two_newest_are_kept(run):
    job = run("save")
    for step in (1, 2, 3, 4):
        job.save(step)
    assert job.checkpoints() == {1: "pruned", 2: "pruned", 3: "good", 4: "good"}
    there = {step: job.file_of(1, step, 0) for step in (1, 2, 3, 4)}
    job.cluster.wait_for(lambda: not there[1].exists() and not there[2].exists(),
                         "the files of pruned checkpoints to be removed")
    assert there[3].exists() and there[4].exists()
    job.finish()


def test_a_partial_checkpoint_is_not_committed(run):
    job = run("save,fail")
    job.save(5)
    preempt(job)  # rank 0 saves step 10, rank 1 fails instead
    assert job.checkpoints() == {5: "good"}
    job.cluster.cox("release", job.id)
    second = job.wait_for_file("begin", 2)
    assert all(each["resume_from"].endswith("attempt-1/step-5") for each in second)
    assert job.resumed_from(2) == (1, 5)
    job.finish()


def flip(file):
    blob = bytearray(file.read_bytes())
    blob[len(blob) // 2] ^= 1
    file.write_bytes(blob)


def truncate(file):
    file.write_bytes(file.read_bytes()[:-1])


def empty(file):
    file.write_bytes(b"")


def seal_otherwise(file):
    """Replaces the manifest by that of another step."""
    manifest = file.parent.with_suffix(".manifest")
    shutil.copy(manifest.parent.parent / "step-5" / manifest.name, manifest)


@pytest.mark.parametrize("damage", [flip, truncate, empty, seal_otherwise],
                         ids=["flip", "truncate", "empty", "seal-otherwise"])
def test_f21_a_damaged_newest_checkpoint_is_skipped(run, damage):
    job = run("save")
    job.save(5)
    preempt(job)
    assert job.checkpoints() == {5: "good", 10: "good"}
    damage(job.file_of(1, 10, 1))
    job.cluster.cox("release", job.id)
    job.cluster.wait_for(lambda: job.checkpoints()[10] == "damaged", "step 10 to be damaged")
    job.cluster.wait_state(job.id, "RUNNING")
    attempt = job.cluster.attempt(job.id)
    begun = job.wait_for_file("begin", attempt)
    assert all(each["resume_from"].endswith("attempt-1/step-5") for each in begun)
    assert any("step 10 is damaged and is skipped" in why for why in job.whys())
    assert job.cluster.job(job.id)["view"]["job"]["avoid_nodes"] == []
    job.finish()


def test_f21_a_job_whose_checkpoints_are_all_damaged_is_held(run):
    """It never begins anew unasked. Its owner may let the nodes look again, or begin anew."""
    job = run("save")
    job.save(5)
    preempt(job)
    for step in (5, 10):
        flip(job.file_of(1, step, 0))
    job.cluster.cox("release", job.id)
    job.wait_held("its checkpoints of steps 5, 10 are damaged")
    flip(job.file_of(1, 5, 0))  # as it was
    job.cluster.cox("release", job.id)
    job.cluster.wait_state(job.id, "RUNNING")
    assert job.resumed_from(job.cluster.attempt(job.id)) == (1, 5)
    assert job.checkpoints() == {5: "good", 10: "damaged"}
    job.finish()


def test_a_job_begins_anew_without_its_checkpoints_if_its_owner_says_so(run):
    job = run("save")
    preempt(job)
    assert "begins anew" in job.cluster.cox("release", "--begin-anew", job.id).stdout
    job.cluster.wait_state(job.id, "RUNNING")
    begun = job.wait_for_file("begin", 2)
    assert [each["resume_from"] for each in begun] == [None, None]
    assert job.checkpoints() == {10: "set aside"} and job.file_of(1, 10, 0).exists()
    job.finish()


def test_a_running_job_is_requeued_from_an_older_checkpoint(run, quick):
    job = run("save")
    job.save(5)
    job.save(8)
    wrong = quick.cox("requeue", "--from", 7, job.id, check=False)
    assert wrong.returncode == 1 and "has those of step 5, 8" in wrong.stderr
    said = quick.cox("requeue", "--from", 5, job.id).stdout
    assert "being stopped; it is to resume from step 5" in said
    begun = job.wait_for_file("begin", 2)
    assert all(each["resume_from"].endswith("attempt-1/step-5") for each in begun)
    states = job.checkpoints()
    assert states.pop(5) == "good" and set(states.values()) == {"set aside"}
    assert job.file_of(1, 8, 0).exists()
    job.finish()


def test_a_damaged_checkpoint_is_verified_when_somebody_asks(run, quick):
    job = run("save")
    job.save(5)
    preempt(job)
    verify = lambda: quick.cox("checkpoints", "verify", job.id).stdout
    assert "2 checkpoints are being read on n" in verify()
    quick.wait_for(lambda: sum("verifies" in why for why in job.whys()) == 2, "both to be read")
    flip(job.file_of(1, 10, 1))
    verify()
    quick.wait_for(lambda: job.checkpoints() == {5: "good", 10: "damaged"}, "step 10 to be damaged")
    assert any("step 10 is damaged: " in why and "content has changed" in why
               for why in job.whys())
    flip(job.file_of(1, 10, 1))  # as it was
    verify()
    quick.wait_for(lambda: job.checkpoints() == {5: "good", 10: "good"}, "step 10 to be good")
    quick.cox("cancel", job.id)


def exit_signals(cluster, job):
    return cluster.sql("SELECT rank, exit_signal FROM cox.rank WHERE attempt = 1"
                       f" AND job_id = {job.id} ORDER BY rank")


def test_f22_a_job_preempted_while_it_saves_resumes_from_the_previous_checkpoint(run, quick):
    """The job neither ends its save of step 9 nor obeys a signal. Its newest checkpoint is still
    that of step 5."""
    job = run("ignore")
    job.save(5)
    half = job.file_of(1, 9, 0)
    job.do("half-9")
    quick.wait_for(half.exists, "rank 0 to begin to save step 9")
    urgent = quick.submit("-N2", "-n2", "--exclusive", "-q", "critical", "-D", job.folder, "--",
                          "sleep", "60")
    quick.wait_state(urgent, "RUNNING")
    assert job.checkpoints() == {5: "good"} and quick.state(job.id) == "PENDING"
    assert exit_signals(quick, job) == [["0", "9"], ["1", "9"]], "its save was awaited"
    quick.cox("cancel", urgent)
    begun = job.wait_for_file("begin", 2)
    assert all(each["resume_from"].endswith("attempt-1/step-5") for each in begun)
    job.undo("half-9")
    job.finish()


def test_a_rank_that_ignores_sigterm_is_killed(run, quick):
    job = run("ignore")
    job.save(5)
    preempt(job)
    assert exit_signals(quick, job) == [["0", "9"], ["1", "9"]]
    took = quick.sql("SELECT extract(epoch FROM ended_at - stop_asked_at) FROM cox.attempt"
                     f" WHERE job_id = {job.id}")
    assert GRACE_MS / 1000 + 1 <= float(took[0][0])  # neither grace nor kill_wait was cut short
    assert job.read("stop", 1, 0)["signals"] == [signal.SIGUSR1]
    quick.cox("release", job.id)
    job.wait_for_file("begin", 2)
    assert job.resumed_from(2) == (1, 5)
    job.finish()


def test_a_stopped_job_is_requeued_if_one_rank_exits_with_0_and_others_save(run, quick):
    job = run("zero,save")
    job.save(5)
    preempt(job)
    assert quick.state(job.id) == "PENDING"
    assert job.checkpoints() == {5: "good"}
    quick.cox("release", job.id)
    job.wait_for_file("begin", 2)
    assert job.resumed_from(2) == (1, 5)
    job.finish()


def test_a_preempted_job_without_a_checkpoint_begins_anew(run, quick):
    job = run("fail")
    preempt(job)
    assert quick.state(job.id) == "PENDING"  # a job is never FAILED after a request to stop
    quick.cox("release", job.id)
    assert [each["resume_from"] for each in job.wait_for_file("begin", 2)] == [None, None]
    job.finish()


def test_exit_code_75_commits_an_unreported_save(run, quick):
    job = run("leave")
    preempt(job)
    assert job.checkpoints() == {10: "good"}
    quick.cox("release", job.id)
    job.wait_for_file("begin", 2)
    assert job.resumed_from(2) == (1, 10)
    job.finish()


def test_rank_0_alone_saves_with_checkpoint_by_rank0(run, quick):
    job = run("save,zero", "--checkpoint-by=rank0")
    preempt(job)
    assert quick.state(job.id) == "PENDING"
    assert job.checkpoints() == {10: "good"}
    quick.cox("release", job.id)
    second = job.wait_for_file("begin", 2)
    assert [each["state"] is not None for each in second] == [True, False]
    assert job.resumed_from(2) == (1, 10)
    job.finish()


def test_exit_code_75_after_a_checkpoint_requeues_the_job_without_a_request_to_stop(run, quick):
    job = run("save")
    job.save(5)
    quick.cox("hold", job.id)
    job.do("quit-75")
    quick.wait_state(job.id, "PENDING")
    job.undo("quit-75")
    quick.cox("release", job.id)
    quick.wait_for(lambda: quick.state(job.id) == "RUNNING", "the job to run")
    assert job.resumed_from(2) == (1, 5)
    job.finish()


def test_exit_code_75_without_a_checkpoint_signal_is_a_failure(quick, tmp_path):
    script = tmp_path / "temporary.sh"
    script.write_text("#!/bin/sh\nexit 75\n")
    job = quick.submit("-o", "/dev/null", str(script))
    quick.wait_state(job, "FAILED")
    assert quick.sql(f"SELECT attempt, exit_code FROM cox.job WHERE id = {job}") == [["1", "75"]]
    assert "--checkpoint-signal" in quick.cox("why", job).stdout


def test_exit_code_75_without_a_new_checkpoint_is_a_failure(run, quick):
    job = run("save")
    job.do("quit-75")
    quick.wait_state(job.id, "FAILED")
    assert quick.attempt(job.id) == 1
    assert "no checkpoint of this attempt" in quick.cox("why", job.id).stdout


def lost_saves(job):
    """Returns the lost saves from SQL: (attempt, saved steps by rank, ranks without a save, lost
    CPU-seconds)."""
    rows = job.cluster.sql("SELECT attempt, saved_steps, ranks_without, cpu_seconds FROM"
                           f" cox.lost_saves WHERE job_id = {job.id} ORDER BY attempt")
    return [(int(attempt), json.loads(saved), without, int(lost))
            for attempt, saved, without, lost in rows]


def test_a_save_of_different_steps_is_reported_by_rank(run, quick):
    job = run("save,ahead")
    preempt(job)
    assert job.checkpoints() == {}
    text = "its save did not become a checkpoint: rank 0 saved step 10, rank 1 saved step 11; lost:"
    event = next(each for each in quick.history(job.id) if each["what"] == "lost_save")
    assert event["why"].startswith(text) and event["why"].endswith(" CPU-seconds")
    assert text in quick.cox("why", job.id).stdout
    assert text in quick.cox("show", "job", job.id).stdout
    (attempt, saved, without, lost), = lost_saves(job)
    assert (attempt, saved, without) == (1, {"0": 10, "1": 11}, "{}") and lost >= 0
    ranks = quick.job(job.id)["attempts"][0]["ranks"]
    assert [rank["saved"][-1]["step"] for rank in ranks] == [10, 11]
    quick.cox("release", job.id)
    job.wait_for_file("begin", 2)
    assert job.resumed_from(2) == (None, None)
    job.finish()
    assert len(lost_saves(job)) == 1  # only that of the first attempt: the second one completed


def test_a_rank_that_does_not_save_is_named(run, quick):
    job = run("save,zero")
    preempt(job)
    assert any("rank 0 saved step 10, rank 1 reported no save; lost: " in why for why in job.whys())
    (_, saved, without, _), = lost_saves(job)
    assert (saved, without) == ({"0": 10}, "{1}")
    quick.cox("release", job.id)
    job.wait_for_file("begin", 2)
    job.finish()


def test_a_requeued_rank_gets_the_stop_reason_requeue(run, quick):
    job = run("save", gang=["-N1", "-n1"])
    quick.cox("hold", job.id)
    quick.cox("requeue", job.id)
    quick.wait_state(job.id, "PENDING")
    assert job.read("stop", 1, 0)["reason"] == "requeue\n"
    assert job.checkpoints() == {10: "good"}
    quick.cox("release", job.id)
    job.wait_for_file("begin", 2)
    job.finish()


def test_the_default_checkpoint_signal_is_sigterm(quick, tmp_path):
    tmp_path.chmod(0o755)
    job = ObedientJob(quick, tmp_path / "job", "save", gang=["-N1", "-n1"])
    job.wait_for_file("begin", 1)
    preempt(job)
    assert job.read("stop", 1, 0)["signals"] == [signal.SIGTERM]
    assert job.checkpoints() == {10: "good"}
    quick.cox("cancel", job.id)
    quick.wait_state(job.id, "CANCELLED")


def test_a_job_saves_before_its_time_limit_and_ends_with_timeout(run, quick):
    job = run("save", *SAVES_BEFORE_ITS_LIMIT)
    quick.wait_state(job.id, "TIMEOUT")
    assert job.read("stop", 1, 0)["reason"] == "timelimit\n"
    assert job.checkpoints() == {10: "good"}
    assert job.file_of(1, 10, 0).exists()


def test_a_job_with_requeue_on_timeout_resumes_after_its_time_limit(run, quick):
    job = run("save", *SAVES_BEFORE_ITS_LIMIT, "--requeue-on-timeout")
    job.wait_for_file("begin", 2)
    assert job.resumed_from(2) == (1, 10)
    job.finish()


def test_a_job_without_a_signal_gets_sigterm_at_its_time_limit(quick, tmp_path):
    tmp_path.chmod(0o755)
    job = ObedientJob(quick, tmp_path / "job", "ignore", "-t", "0:08", gang=["-N1", "-n1"])
    quick.wait_state(job.id, "TIMEOUT")
    rows = quick.sql(f"SELECT exit_signal FROM cox.rank WHERE job_id = {job.id}")
    assert rows == [["9"]]
    assert job.read("stop", 1, 0) == {"reason": "timelimit\n", "signals": [signal.SIGTERM]}


def test_checkpoint_done_outside_a_job_is_refused(quick, tmp_path):
    outside = quick.cox("checkpoint", "done", "--step", "1", check=False)
    assert outside.returncode != 0 and "COX_SUPERVISOR_SOCKET" in outside.stderr
