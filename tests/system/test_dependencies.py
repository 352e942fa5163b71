"""Jobs that wait for other jobs, or for a time of day."""

import datetime
import json

import pytest

CLUSTER = {"nodes": 2, "cpus": 2, "settings": {"kill_wait": "1s"}}
SLEEP = ["--", "sleep", "1000"]


@pytest.fixture
def submit(cluster, tmp_path):
    """submit(OPTION...): submits a job that sleeps."""
    tmp_path.chmod(0o755)
    return lambda *options: cluster.submit("-D", tmp_path, *options, *SLEEP)


@pytest.fixture
def run(cluster, submit):
    """run(OPTION...): submits a job that sleeps, and waits until it runs."""
    def start(*options):
        job = submit(*options)
        cluster.wait_state(job, "RUNNING")
        return job
    return start


def test_a_chain_runs_in_order_and_an_unsatisfiable_dependency_is_reported(cluster, submit, run):
    first = run("-n1")
    good = submit("-n1", "-d", f"afterany:{first}")
    vain = submit("-n1", "-d", f"afterok:{first}")
    killed = submit("-n1", f"--dependency=aftercorr:{first}", "--kill-on-invalid-dep=yes")
    assert "(RUNNING) to complete successfully" in cluster.cox("why", vain).stdout
    assert [row[1:] for row in cluster.sql(
        "SELECT job_id, kind, on_state, never FROM cox.dependencies ORDER BY job_id")] == [
            ["afterany", "RUNNING", "f"], ["afterok", "RUNNING", "f"],
            ["aftercorr", "RUNNING", "f"]]
    cluster.cox("cancel", first)
    cluster.wait_state(good, "RUNNING")
    cluster.wait_state(killed, "CANCELLED")
    assert cluster.job(vain)["view"]["reason"] == "DependencyNeverSatisfied"
    assert f"waits in vain for job {first} (CANCELLED) to complete successfully" in cluster.cox(
        "why", vain).stdout
    fact = f"waits in vain for job {first} (CANCELLED) to complete successfully"
    waiting = cluster.sql(f"SELECT reason, detail, lines[1] FROM cox.waiting WHERE id = {vain}")
    assert waiting == [["DependencyNeverSatisfied", fact,
                        f"{fact}; `cox cancel {vain}`, and submit it again"]]


def test_cox_why_names_the_job_that_a_singleton_waits_for(cluster, submit, run):
    first = run("-n1", "-J", "daily")
    second = submit("-n1", "-J", "daily", "-d", "singleton")
    user = cluster.sql(f"SELECT user_name FROM cox.job WHERE id = {first}")[0][0]
    assert f"waits for job {first} (RUNNING) of {user}/daily to end" in cluster.cox(
        "why", second).stdout
    seen = cluster.sql("SELECT job_id, on_job, on_state, on_user, on_name FROM cox.dependencies")
    assert seen == [[str(second), str(first), "RUNNING", user, "daily"]]


def test_delayed_and_unsatisfiable_dependencies_are_explained(cluster, submit, run):
    first = run("-n1")
    later = submit("-n1", "-d", f"after:{first}+5")
    assert f": 5 min after job {first} (RUNNING) began" in cluster.cox("why", later).stdout
    assert cluster.sql("SELECT on_row, delay_s, due_at > now() FROM cox.dependencies") == [
        [str(first), "300", "t"]]
    detail = cluster.sql(f"SELECT detail FROM cox.waiting WHERE id = {later}")[0][0]
    assert detail.endswith(f": 5 min after job {first} began"), detail
    cluster.cox("cancel", first)
    cluster.wait_state(first, "CANCELLED")
    warning = cluster.cox("submit", "-d", f"afterok:{first}", *SLEEP).stderr
    assert (f"waits in vain for job {first} (CANCELLED) to complete successfully; `cox cancel"
            in warning), warning


def test_dependencies_in_slurms_other_spellings(cluster, submit, run):
    """A script that chains jobs has no job to name in its first round."""
    first = run("-n1")
    array = submit("-n1", "-H", "-a", "1-3")
    waits = ("SELECT coalesce(json_agg(json_build_array(kind, on_job, on_task) ORDER BY on_job, "
             "on_task), '[]') FROM cox.dependencies WHERE job_id = ")
    for text, expected in (("", []), ("0", []), (f"{first}", [["afterany", first, None]]),
                           (f"afterok:{first},{array}_2",
                            [["afterok", first, None], ["afterany", array, 2]]),
                           (f"afterok:{array}_[1,3]",
                            [["afterok", array, 1], ["afterok", array, 3]]),
                           (f"afterany:{array}_*", [["afterany", array, None]])):
        job = submit("-n1", "-H", f"--dependency={text}")
        assert json.loads(cluster.sql(waits + str(job))[0][0]) == expected, text
        cluster.cox("update", job, f"Dependency={first}")
        cluster.cox("update", job, f"Dependency={text}")
        assert json.loads(cluster.sql(waits + str(job))[0][0]) == expected, text
        cluster.cox("cancel", job)


def test_dependencies_and_begin_times_survive_a_restart(cluster, submit, run):
    first = run("-n1")
    second = submit("-n1", "-d", f"afterany:{first}")
    later = submit("-n1", "--begin=now+1hour")
    cluster.kill("controller")
    cluster.start("controller")
    cluster.await_nodes()
    assert cluster.state(second) == "PENDING"
    cluster.cox("cancel", first)
    cluster.wait_state(second, "RUNNING")
    assert cluster.job(later)["view"]["reason"] == "BeginTime"
    assert "earliest start" in cluster.cox("show", "job", later).stdout


def test_a_deadline_ends_a_running_job(cluster, submit):
    job = submit("-n1", "--deadline=now+10")
    cluster.wait_state(job, "DEADLINE")
    assert "RUNNING" in [event["state"] for event in cluster.history(job)]


def test_invalid_dependencies_and_an_unreachable_deadline_are_refused(cluster):
    refused = cluster.cox("submit", "-d", "afterok:99", "--", "true", check=False)
    assert refused.returncode == 1
    assert "--dependency names job 99, which does not exist" in refused.stderr
    refused = cluster.cox("submit", "-d", "after:x", "--", "true", check=False)
    assert 'Job dependency problem: "x" is not the id of a job' in refused.stderr
    refused = cluster.cox("submit", "--deadline=now+60", "-t", "10", "--", "true", check=False)
    assert "it cannot end by its deadline: " in refused.stderr


SUMMER_TIME = "CET-1CEST,M3.5.0,M10.5.0/3"  # UTC+1, in summer UTC+2


@pytest.mark.parametrize("day, utc", [("07-15", "06:00"), ("12-15", "07:00")])
def test_each_date_has_the_utc_offset_of_its_own_day(cluster, monkeypatch, day, utc):
    monkeypatch.setitem(cluster.environment, "TZ", SUMMER_TIME)
    year = datetime.date.today().year + 2
    begin, moved = f"{year}-{day}T08:00:00", f"{year + 1}-{day}T08:00:00"
    job = int(cluster.slurm("sbatch", "--parsable", f"--begin={begin}", "--wrap=true").stdout)
    cluster.accepted.add(job)
    stored = f"SELECT begin_at AT TIME ZONE 'UTC' FROM cox.job WHERE id = {job}"
    assert cluster.sql(stored) == [[f"{year}-{day} {utc}:00"]]
    assert cluster.slurm("squeue", "-h", "-j", job, "-o", "%S").stdout == begin + "\n"
    cluster.cox("update", job, f"StartTime={moved}")
    assert cluster.sql(stored) == [[f"{year + 1}-{day} {utc}:00"]]
    assert cluster.slurm("scancel", job).returncode == 0
