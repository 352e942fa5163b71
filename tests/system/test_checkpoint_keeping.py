"""How long checkpoints are kept, and jobs that begin from checkpoints of other jobs."""

import json
import os
import shutil
from pathlib import Path

import pytest

CLUSTER = {"nodes": 2, "settings": {"kill_wait": "15s", "launch_retry_max": "1s"}}


def root_of(cluster):
    return cluster.dir / "checkpoints"


def folders(cluster):
    """Returns the names of all folders below the root: of jobs, attempts and steps."""
    root = root_of(cluster)
    # Unlike rglob, os.walk passes over a folder that is removed while it reads the tree.
    return sorted(os.path.relpath(os.path.join(above, name), root)
                  for above, names, _ in os.walk(root) for name in names)


@pytest.fixture
def saved(cluster, tmp_path):
    """saved(NAME, STEP, *OPTIONS): starts a job that saves this step; it still runs afterwards."""
    tmp_path.chmod(0o755)

    def start(name, step, *options):
        folder = tmp_path / name
        folder.mkdir()
        folder.chmod(0o777)
        job = cluster.submit_python("obedient.py", ["-N1", "-n1", "-D", folder,
                                                    "--checkpoint-signal=USR1", *options], "save")
        cluster.wait_for((folder / "begin.1.0").exists, f"job {job} to begin")
        if step is not None:
            (folder / f"save-{step}").touch()
            row = f"SELECT 1 FROM cox.checkpoint WHERE job_id = {job} AND step = {step}"
            cluster.wait_for(lambda: cluster.sql(row),
                             f"step {step} of job {job} to be committed")
            (folder / f"save-{step}").unlink()
        return job, folder
    return start


def finish(cluster, job, folder):
    (folder / "finish").touch()
    cluster.wait_state(job, "COMPLETED")


def those_left(cluster, job, number):
    """Waits until the job has this number of checkpoints and returns them. A pruned one is listed
    until its files are removed."""
    def listed():
        return cluster.cox_json("checkpoints", job)["checkpoints"]
    cluster.wait_for(lambda: len(listed()) == number, f"job {job} to have {number} checkpoints")
    return listed()


def begun_from(cluster, folder, attempt=1):
    file = folder / f"begin.{attempt}.0"
    cluster.wait_for(file.exists, f"attempt {attempt} to begin")
    return json.loads(file.read_text())["resume_from"]


def test_a_job_that_saves_nothing_leaves_no_checkpoint_folder(cluster):
    for gang in (["-N1", "-n1"], ["-N2", "-n2"]):
        job = cluster.submit(*gang, "--", "true")
        cluster.wait_state(job, "COMPLETED")
        cluster.wait_for(lambda: not folders(cluster), "its folders to be removed")


def test_the_checkpoints_of_a_completed_job_are_removed(cluster, saved):
    job, folder = saved("job", 7)
    finish(cluster, job, folder)
    cluster.wait_for(lambda: not folders(cluster), "its folders to be removed")
    removed = f"SELECT 1 FROM cox.checkpoint WHERE job_id = {job} AND removed_at IS NOT NULL"
    cluster.wait_for(lambda: cluster.sql(removed), "the row to have the time of removal")


# A cancelled job saves step 10 when it is asked to stop (programs/obedient.py).

def test_two_checkpoints_of_a_cancelled_job_are_kept_until_they_are_removed(cluster, saved):
    job, folder = saved("job", 6)
    (folder / "save-7").touch()
    those_left(cluster, job, 2)
    cluster.cox("cancel", job)
    cluster.wait_state(job, "CANCELLED")
    listed = those_left(cluster, job, 2)
    assert [each["checkpoint"]["step"] for each in listed] == [7, 10]
    assert all(each["kept_until"] for each in listed)
    assert all((Path(each["folder"]) / "rank-0").exists() for each in listed)
    size = sum(each["checkpoint"]["bytes"] for each in listed)
    assert f"2 checkpoints with {size} bytes" in cluster.cox("checkpoints", "remove", job).stdout
    cluster.wait_for(lambda: not folders(cluster), "its folders to be removed")
    assert cluster.cox_json("checkpoints")["checkpoints"] == []


def test_removing_the_checkpoints_of_a_running_job_is_refused(cluster, saved):
    job, folder = saved("job", 7)
    refused = cluster.cox("checkpoints", "remove", job, check=False)
    assert refused.returncode != 0 and "is running" in refused.stderr
    finish(cluster, job, folder)


def test_cox_checkpoints_orphans_lists_folders_without_a_row_in_the_database(cluster, saved):
    job, folder = saved("job", 7)
    orphan = root_of(cluster) / "4711-of-another-time" / "attempt-1" / "step-40"
    orphan.mkdir(parents=True)
    (orphan / "rank-0").write_text("x" * 1000)
    found = cluster.cox_json("checkpoints", "orphans")
    assert found == [{"path": str(orphan), "bytes": 1000}]
    assert str(orphan) in cluster.cox("checkpoints", "orphans").stdout
    shutil.rmtree(orphan.parent.parent)
    finish(cluster, job, folder)


def test_resume_from_starts_a_job_from_a_checkpoint_of_another_job(cluster, saved):
    first, folder = saved("first", 7)
    (folder / "save-8").touch()
    row = f"SELECT 1 FROM cox.checkpoint WHERE job_id = {first} AND step = 8"
    cluster.wait_for(lambda: cluster.sql(row), "step 8 to be committed")
    second, its_folder = saved("second", None, f"--resume-from={first}:7")
    assert begun_from(cluster, its_folder).endswith("attempt-1/step-7")
    (folder / "save-8").unlink()
    cluster.cox("cancel", first)
    cluster.wait_state(first, "CANCELLED")
    third, folder_of_third = saved("third", None, f"--resume-from={first}")
    assert begun_from(cluster, folder_of_third).endswith("attempt-1/step-10")
    assert f"step 10 of job {first}" in cluster.cox("show", "job", third).stdout
    assert cluster.job(third)["attempts"][0]["resume"]["job"] == first
    finish(cluster, second, its_folder)
    finish(cluster, third, folder_of_third)


def test_checkpoints_of_an_array_task_are_found_by_its_name(cluster, saved, tmp_path):
    script = tmp_path / "task.sh"
    script.write_text("#!/bin/sh\n"
                      'saved="$COX_CHECKPOINT_DIR/step-$SLURM_ARRAY_TASK_ID/rank-0"\n'
                      'mkdir -p "$saved"; echo "$SLURM_ARRAY_TASK_ID" > "$saved/state"\n'
                      'cox checkpoint done --step "$SLURM_ARRAY_TASK_ID"; exit 3\n')
    array = cluster.submit("--array=1-2", "-N1", "-n1", "-D", tmp_path, script)
    cluster.wait_for(lambda: len(cluster.sql(
        f"SELECT 1 FROM cox.job WHERE array_job = {array} AND state = 'FAILED'")) == 2,
        "both tasks to end")
    for task in (1, 2):
        listed, = those_left(cluster, f"{array}_{task}", 1)
        assert listed["checkpoint"]["step"] == task
        job, folder = saved(f"from-{task}", None, f"--resume-from={array}_{task}")
        assert begun_from(cluster, folder).endswith(f"step-{task}")
        finish(cluster, job, folder)
    for words in (["submit", f"--resume-from={array}", "--", "true"], ["checkpoints", array],
                  ["checkpoints", "remove", array]):
        refused = cluster.cox(*words, check=False)
        assert refused.returncode != 0
        assert f"array {array} has 2 tasks, and each has its own checkpoints" in refused.stderr
    assert f"{array}_1 " in cluster.cox("checkpoints", f"{array}_1").stdout
    refused = cluster.cox("submit", f"--resume-from={array}_2:1", "--", "true", check=False)
    assert refused.returncode != 0 and "has no checkpoint of step 1" in refused.stderr
    cluster.cox("checkpoints", "remove", f"{array}_2")
    cluster.wait_for(lambda: [
        each["checkpoint"]["step"] for each in
        cluster.cox_json("checkpoints", f"{array}_1", f"{array}_2")["checkpoints"]] == [1],
        "only the checkpoint of the second task to be removed")
    cluster.cox("checkpoints", "remove", f"{array}_1")


@pytest.mark.parametrize("how", ["cox", "scontrol"])
def test_an_ended_job_resumes_from_its_last_checkpoint_when_it_is_requeued(cluster, saved, how):
    job, folder = saved("job", 7)
    cluster.cox("cancel", job)
    cluster.wait_state(job, "CANCELLED")
    if how == "cox":
        answer = cluster.cox("requeue", job).stdout
        assert "it is to resume from step 10, if that verifies" in answer
    else:
        cluster.slurm("scontrol", "requeue", job)
    assert begun_from(cluster, folder, attempt=2).endswith("attempt-1/step-10")
    finish(cluster, job, folder)


def test_resume_from_a_missing_checkpoint_is_refused(cluster):
    job = cluster.submit("-N1", "-n1", "--", "true")
    cluster.wait_state(job, "COMPLETED")
    refused = cluster.cox("submit", f"--resume-from={job}:3", "--", "true", check=False)
    assert refused.returncode != 0
    assert f"job {job} has no checkpoint of step 3 to resume from" in refused.stderr
    refused = cluster.cox("submit", "--resume-from=x", "--", "true", check=False)
    assert refused.returncode != 0 and "names no checkpoint" in refused.stderr


def test_a_job_whose_resume_from_checkpoint_is_damaged_is_held(cluster, saved):
    first, _ = saved("first", 7)
    cluster.cox("cancel", first)
    cluster.wait_state(first, "CANCELLED")
    _, listed = those_left(cluster, first, 2)
    for file in (Path(listed["folder"]) / "rank-0").iterdir():
        file.write_text("damaged")
    second = cluster.submit("-N1", "-n1", f"--resume-from={first}", "--", "true")
    cluster.wait_for(lambda: cluster.job(second)["view"]["job"]["held"], "the job to be held")
    assert f"step 10 of job {first}, is gone or does not verify" in \
        cluster.cox("why", second).stdout.replace("\n", " ")
    cluster.cox("cancel", second)
