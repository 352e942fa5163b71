"""What is not known is not taken for known: files that cannot be read, exit codes after a request
to stop, saves that nobody reported, and reports of saves without a file."""

import json

import pytest
from obedient_job import ObedientJob, preempt

CLUSTER = {"nodes": 2, "settings": {"kill_wait": "6s", "launch_retry_max": "1s"}}
ONE_RANK = ["-N1", "-n1"]


@pytest.fixture
def run(cluster, tmp_path):
    """run(ON_STOP, OPTION...): submits the job and waits until its first attempt has begun."""
    tmp_path.chmod(0o755)
    return lambda on_stop, *options, **more: ObedientJob.begun(
        cluster, tmp_path / "job", on_stop, "--checkpoint-signal=USR1", *options, **more)


# ---- exit code 0 after a request to stop --------------------------------------------------------

def test_a_job_that_exits_with_0_when_it_is_asked_to_stop_is_requeued(run, cluster):
    """The usual idiom: a handler saves and calls sys.exit(0). The training is not done then."""
    job = run("zero")
    job.save(5)
    after = cluster.submit("--dependency", f"afterok:{job.id}", "-n1", "--", "true")
    preempt(job)
    assert cluster.state(job.id) == "PENDING" and cluster.state(after) == "PENDING"
    assert job.checkpoints() == {5: "good"}
    cluster.cox("release", job.id)
    job.wait_for_file("begin", 2)
    assert job.resumed_from(2) == (1, 5)
    job.finish()
    cluster.wait_state(after, "COMPLETED")


def test_with_no_requeue_such_a_job_is_preempted_and_not_completed(run, cluster):
    job = run("zero", "--no-requeue", gang=ONE_RANK)
    cluster.cox("preempt", job.id)
    cluster.wait_state(job.id, "PREEMPTED")


def test_a_job_that_says_that_it_is_finished_is_completed(run, cluster):
    job = run("done")
    cluster.cox("preempt", job.id)
    cluster.wait_state(job.id, "COMPLETED")
    assert "had completed when it was asked to stop" in cluster.job(job.id)["view"]["job"]["why"]
    assert cluster.sql(f"SELECT finished FROM cox.attempt WHERE job_id = {job.id}") == [["t"]]


def test_only_a_rank_can_say_that_its_job_is_finished(cluster):
    outside = cluster.cox("checkpoint", "finished", check=False)
    assert outside.returncode == 1 and "COX_SUPERVISOR_SOCKET" in outside.stderr


# ---- saves that nobody reported, and reports without files --------------------------------------

def test_a_save_that_sigterm_interrupts_is_no_checkpoint(run, cluster):
    cluster.slurm("sacctmgr", "-i", "modify", "qos", "besteffort", "set", "PreemptMode=checkpoint",
                  "GraceTime=3")
    job = run("save,late", "-q", "besteffort")
    job.save(5)
    preempt(job)  # rank 0 saves step 10 and reports it; rank 1 only exits with 75, after SIGTERM
    assert job.checkpoints() == {5: "good"}
    assert any("rank 1 exited with 75 after SIGTERM" in why for why in job.whys())
    late = ("the save of step 10 took longer than the grace of 3 s, at whose end 1 of 2 ranks had"
            " reported it; ")
    assert any(late in why for why in job.whys())
    cluster.cox("release", job.id)
    job.wait_for_file("begin", 2)
    assert job.resumed_from(2) == (1, 5)
    assert "Attempt 1: its save did not become a checkpoint: " + late in (
        cluster.cox("why", job.id).stdout)
    job.finish()


def test_a_report_of_a_step_without_files_is_refused(cluster, tmp_path):
    tmp_path.chmod(0o777)
    script = tmp_path / "save.sh"
    script.write_text("""#!/bin/sh
mkdir -p $COX_CHECKPOINT_DIR/step-30/rank0
echo weights > $COX_CHECKPOINT_DIR/step-30/rank0/model
cox checkpoint done --step 30 > answer 2>&1
echo $? > code
""")
    job = cluster.submit("-n1", "-D", tmp_path, "-o", "/dev/null", script)
    cluster.wait_state(job, "COMPLETED")
    assert (tmp_path / "code").read_text() == "1\n", (tmp_path / "answer").read_text()
    answer = (tmp_path / "answer").read_text()
    assert "so this step is no checkpoint; found instead: rank0" in answer
    assert cluster.sql(f"SELECT step FROM cox.checkpoint WHERE job_id = {job}") == []


def test_a_step_that_is_reported_again_with_other_files_is_refused(cluster, tmp_path):
    tmp_path.chmod(0o777)
    script = tmp_path / "save.sh"
    script.write_text("""#!/bin/sh
saved=$COX_CHECKPOINT_DIR/step-30/rank-0
mkdir -p $saved
for content in one one two!; do
  printf $content > $saved/model
  cox checkpoint done --step 30 >> answers 2>&1
  echo $? >> codes
done
""")
    job = cluster.submit("-n1", "-D", tmp_path, "-o", "/dev/null", script)
    cluster.wait_state(job, "COMPLETED")
    answers = (tmp_path / "answers").read_text()
    assert (tmp_path / "codes").read_text() == "0\n0\n1\n", answers
    assert "step 30 was already reported with 3 bytes in 1 file, and rank-0/model has changed" in (
        answers)


def test_a_save_that_cannot_be_read_at_the_exit_does_not_end_the_job(cluster, tmp_path):
    """The storage is away just when the rank has saved and exits with 75."""
    tmp_path.chmod(0o777)
    script = """mkdir -p $COX_CHECKPOINT_DIR/step-10/rank-0
echo weights > $COX_CHECKPOINT_DIR/step-10/rank-0/model
mv $COX_CHECKPOINT_DIR $COX_CHECKPOINT_DIR.away
exit 75"""
    job = cluster.submit("-n1", "--checkpoint-signal=USR1", "-D", tmp_path, "--", "sh", "-c",
                         script)
    cluster.wait_for(lambda: any("whether it has saved is not known" in event["why"]
                                 for event in cluster.history(job)), "the end of an attempt")
    assert cluster.state(job) != "FAILED"
    cluster.cox("cancel", job)


def test_a_report_waits_until_the_checkpoint_folder_is_back(cluster, tmp_path):
    """The shared storage is away from before the report until after the first refusal."""
    tmp_path.chmod(0o777)
    script = """mkdir -p $COX_CHECKPOINT_DIR/step-10
echo weights > $COX_CHECKPOINT_DIR/step-10/rank-0
touch saved
until [ -e away ]; do sleep 0.05; done
cox checkpoint done --step 10"""
    job = cluster.submit("-n1", "-D", tmp_path, "--", "sh", "-c", script)
    cluster.wait_for((tmp_path / "saved").exists, "the save")
    restore = hide(cluster.dir / "checkpoints")
    try:
        (tmp_path / "away").touch()
        cluster.wait_for(lambda: any("cannot be found" in event["why"]
                                     for event in cluster.history(job)), "the first refusal")
        assert cluster.state(job) == "RUNNING"
    finally:
        restore()
    cluster.wait_state(job, "COMPLETED")
    assert cluster.attempt(job) == 1
    assert cluster.sql(f"SELECT step FROM cox.checkpoint WHERE job_id = {job}") == [["10"]]


# ---- files that cannot be read ------------------------------------------------------------------

def hide(path):
    away = path.with_name(path.name + ".away")
    path.rename(away)
    return lambda: away.rename(path)


@pytest.mark.parametrize("hidden", ["the folder of the job", "a file", "a manifest"])
def test_checkpoints_whose_folder_is_away_are_not_damaged(run, cluster, hidden):
    """A storage that hiccups, a mount that comes late: two nodes cannot read the files, so the job
    is held with the path and the error, and resumes when the files are back."""
    job = run("save", gang=ONE_RANK)
    job.save(5)
    preempt(job)
    file = job.file_of(1, 10, 0)
    path = {"the folder of the job": file.parents[3], "a file": file,
            "a manifest": file.parent.with_suffix(".manifest")}[hidden]
    restore = hide(path)
    cluster.cox("release", job.id)
    job.wait_held("cannot read: No such file or directory")
    assert job.checkpoints() == {5: "good", 10: "good"}
    restore()
    cluster.cox("release", job.id)
    cluster.wait_state(job.id, "RUNNING")
    assert job.resumed_from(cluster.attempt(job.id)) == (1, 10)
    assert [json.loads(row[0]) for row in cluster.sql(
        "SELECT to_jsonb(drained) FROM cox.node")] == [False, False], "no node is to blame"
    job.finish()
