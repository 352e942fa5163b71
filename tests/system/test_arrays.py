"""Job arrays of real scripts: Slurm's names of tasks, and commands on tasks and whole arrays."""

from pathlib import Path

from patience import DEADLINE_S
import pytest

CLUSTER = {"nodes": 2, "cpus": 2, "settings": {"kill_wait": "1s"}}
EXAMPLE = Path(__file__).parents[2] / "examples" / "array.sh"


@pytest.fixture
def folder(tmp_path):
    tmp_path.chmod(0o755)
    return tmp_path


@pytest.fixture
def array(cluster, folder):
    """array(TASKS, COMMAND, OPTION...): submits an array of a script that runs this command."""
    def submit(tasks, command, *options):
        script = folder / "job.sh"
        script.write_text(f"#!/bin/sh\n{command}\n")
        return cluster.submit(f"--array={tasks}", "-D", folder, *options, script)
    return submit


def rows(cluster, job):
    """Returns the rows of the array in the queue, with their states: {"1_0": "RUNNING"}."""
    listed = cluster.cox("queue", "-a", job).stdout.splitlines()[1:]
    return {line.split()[0]: line.split()[4] for line in listed}


def test_each_array_task_runs_with_its_number_in_slurms_variables(cluster, array, folder):
    job = array("0-9%3", 'echo "$SLURM_ARRAY_TASK_ID of $SLURM_ARRAY_TASK_COUNT in '
                         '$SLURM_ARRAY_JOB_ID, $SLURM_ARRAY_TASK_MIN-$SLURM_ARRAY_TASK_MAX"')
    assert cluster.cox("wait", job, timeout_s=DEADLINE_S).returncode == 0
    for task in range(10):
        text = (folder / f"slurm-{job}_{task}.out").read_text()
        assert text == f"{task} of 10 in {job}, 0-9\n"
    assert set(rows(cluster, job).values()) == {"COMPLETED"}
    ids = cluster.sql(f"SELECT count(DISTINCT id), count(DISTINCT array_task) FROM cox.job"
                      f" WHERE array_job = {job}")
    assert ids == [["10", "10"]]
    assert cluster.cox("logs", f"{job}_7").stdout.startswith("7 of 10")
    assert f"task 7 of array {job}" in cluster.cox("history", f"{job}_7").stdout


def test_cancel_hold_and_throttle_of_array_tasks_survive_a_restart(cluster, array):
    job = array("0-99999%2", "sleep 1000")
    cluster.wait_state(f"{job}_1", "RUNNING")
    cluster.wait_state(f"{job}_0", "RUNNING")
    assert f"{job}_[2-99999%2]" in rows(cluster, job)
    assert cluster.job(f"{job}_60000")["view"]["reason"] == "JobArrayTaskLimit"
    assert "ArrayTaskThrottle" in cluster.cox("why", f"{job}_60000").stdout
    assert len(cluster.sql(f"SELECT id FROM cox.job WHERE array_job = {job}")) == 3
    assert cluster.sql(f"SELECT array_tasks FROM cox.queue WHERE array_job = {job}"
                       " AND state = 'PENDING'") == [["2-99999"]]
    assert f"{job}_[4-5,7]: cancelled" in cluster.cox("cancel", f"{job}_[4-5,7]").stdout
    assert len(cluster.sql(f"SELECT id FROM cox.job WHERE array_job = {job}")) == 4
    cluster.cox("hold", f"{job}_2")
    cluster.cox("cancel", f"{job}_0")
    cluster.wait_state(f"{job}_3", "RUNNING")
    cluster.cox("update", job, "ArrayTaskThrottle=3")
    cluster.wait_state(f"{job}_6", "RUNNING")
    cluster.kill("controller")
    cluster.start("controller")
    cluster.await_nodes()
    shown = rows(cluster, job)
    assert shown[f"{job}_[8-99999%3]"] == "PENDING"
    assert shown[f"{job}_2"] == "PENDING"
    assert [shown[f"{job}_{task}"] for task in (1, 3, 6)] == ["RUNNING"] * 3
    cluster.cox("cancel", job)
    cluster.wait_state(f"{job}_6", "CANCELLED")
    assert cluster.cox("wait", job, check=False, timeout_s=DEADLINE_S).returncode != 0


def test_cox_wait_show_and_history_of_an_array_cover_all_its_tasks(cluster, array):
    job = array("0-5", 'test "$SLURM_ARRAY_TASK_ID" = 1 && exit 3; '
                       'echo "I am $SLURM_ARRAY_TASK_ID"; '
                       'test "$SLURM_ARRAY_TASK_ID" != 4 || exit 7')
    ended = cluster.cox("wait", job, check=False, timeout_s=DEADLINE_S)
    assert ended.returncode == 7
    assert "4 COMPLETED, 2 FAILED  (the highest exit code is 7)" in ended.stderr
    assert cluster.cox("wait", f"{job}_0").returncode == 0
    shown = cluster.cox("show", "job", job).stdout
    assert "0-5: 4 COMPLETED, 2 FAILED" in shown
    assert [line.split() for line in shown.splitlines() if line.startswith(f"{job}_")] == [
        [f"{job}_[0,2-3,5]", "COMPLETED", "4"],
        [f"{job}_1", "FAILED", "1", "exit", "code", "3"],
        [f"{job}_4", "FAILED", "1", "exit", "code", "7"]]
    logs = cluster.cox("logs", job, check=False)
    assert logs.returncode == 1 and f"`cox logs {job}_" in logs.stderr
    assert cluster.cox("logs", f"{job}_2").stdout == "I am 2\n"
    whose = {line.split()[0] for line in cluster.cox("history", job).stdout.splitlines()[1:]}
    assert whose == {str(job)} | {f"{job}_{task}" for task in range(6)}
    assert cluster.cox("cancel", job).stdout == (
        f"{job}: had already ended: 4 COMPLETED, 2 FAILED\n")
    assert cluster.sql("SELECT job, array_job, array_task, account FROM cox.history"
                       " WHERE exit_code = 7") == [[f"{job}_4", str(job), "4", ""]]


def test_cox_commands_accept_a_row_of_tasks_as_cox_queue_shows_it(cluster, array):
    job = array("0-5%2", "sleep 1000", "--hold")
    cluster.cox("release", f"{job}_[1-2]")
    cluster.cox("hold", f"{job}_[3-4]")
    shown = rows(cluster, job)
    assert f"{job}_[0,3-5%2]" in shown
    row = f"{job}_[0,3-5%2]"
    assert f"`cox release {job}_[0,3-5]` releases it" in cluster.cox("why", row).stdout
    assert cluster.cox("show", "job", row).stdout.startswith("job ")
    assert cluster.cox("history", row).returncode == 0
    refused = cluster.cox("why", f"{job}_[0-1]", check=False)
    assert f"{job}_[0-1] is not one row of the queue" in refused.stderr
    assert f"{job}_[0,3-5]: cancelled" in cluster.cox("cancel", row).stdout
    assert cluster.cox("wait", row, check=False).returncode == 1


def test_an_unsatisfiable_dependency_on_an_array_names_the_failed_task(cluster, array):
    first = array("0-3", 'test "$SLURM_ARRAY_TASK_ID" != 3')
    job = cluster.submit("-d", f"afterok:{first}", "--", "true")
    cluster.wait_state(f"{first}_3", "FAILED")
    cluster.cox("wait", first, check=False, timeout_s=DEADLINE_S)
    fact = (f"waits in vain for array {first} to complete successfully: "
            f"task 3 of array {first} ({first}_3) FAILED")
    assert fact in cluster.cox("why", job).stdout
    assert cluster.sql("SELECT on_job, on_row, on_state, never FROM cox.dependencies") == [
        [str(first), f"{first}_3", "FAILED", "t"]]
    assert fact in cluster.sql(f"SELECT lines[1] FROM cox.waiting WHERE id = {job}")[0][0]


def test_an_aftercorr_task_waits_for_the_task_of_the_same_number(cluster, array):
    first = array("1-3", 'test "$SLURM_ARRAY_TASK_ID" != 2')
    second = array("1-3", "true", "-d", f"aftercorr:{first}")
    for task in (1, 3):
        cluster.wait_state(f"{second}_{task}", "COMPLETED")
    cluster.wait_state(f"{first}_2", "FAILED")
    assert cluster.job(f"{second}_2")["view"]["reason"] == "DependencyNeverSatisfied"


def test_the_example_of_an_array_runs(cluster, folder):
    job = cluster.submit("-D", folder, EXAMPLE)
    assert cluster.cox("wait", job, timeout_s=DEADLINE_S).returncode == 0
    assert (folder / f"squares-{job}_12.log").read_text() == "12 of 12: 144\n"


def test_a_backwards_array_and_the_cancel_of_a_missing_task_are_refused(cluster, array):
    refused = cluster.cox("submit", "--array=5-1", "--wrap", "true", check=False)
    assert "runs backwards" in refused.stderr
    job = array("0-1", "sleep 1000", "--hold")
    assert "has no task 7" in cluster.cox("cancel", f"{job}_7", check=False).stderr


def test_slurm_commands_do_not_show_tasks_cancelled_before_their_start(cluster, array):
    job = array("0-3", "true", "--hold")
    cluster.slurm("scancel", f"{job}_3")
    gone = cluster.slurm("scontrol", "show", "job", f"{job}_3")
    assert gone.returncode == 1 and "Invalid job id specified" in gone.stderr
    assert f"{job}_3" not in cluster.slurm("squeue", "-t", "all", "-r").stdout
    assert rows(cluster, job)[f"{job}_3"] == "CANCELLED"
    cluster.slurm("scancel", job)
    shown = cluster.slurm("scontrol", "-o", "show", "job", job).stdout
    assert len(shown.splitlines()) == 1 and " JobState=CANCELLED " in shown
