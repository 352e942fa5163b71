"""A job reports its progress, and commands and SQL show it."""

CLUSTER = {"nodes": 1, "cpus": 2}

SAYS = """
cox progress --step 10 --total 40 --metric loss=0.5 &&
  cox progress -s 20 -t 40 -m loss=0.25 -m acc=0.9
echo $? > said; while [ ! -e end ]; do sleep 0.1; done; cox progress -s 40 -t 40
"""


def test_the_progress_that_a_job_reports_is_shown_by_cox_and_sql(cluster, folder):
    job = cluster.submit("-n1", "-D", folder, "--", "/bin/sh", "-c", SAYS)
    said = folder / "said"
    cluster.wait_for(lambda: said.exists() and said.read_text(), "the job to report its progress")
    assert said.read_text() == "0\n"
    cluster.wait_for(lambda: "%" in cluster.cox("queue").stdout,
                     "cox queue to show the progress")
    assert "PROGRESS" in cluster.cox("queue").stdout
    cluster.wait_for(lambda: "step 20 of 40, 50 %" in cluster.cox("show", "job", job).stdout,
                     "the newest progress")
    shown = cluster.cox("show", "job", job).stdout
    assert "; loss=0.25, acc=0.9" in shown
    row = cluster.sql("SELECT step, total, per_cent, metrics->>'loss' FROM cox.progress "
                      f"WHERE id = {job}")
    assert row == [["20", "40", "50", "0.25"]]
    (folder / "end").touch()
    cluster.wait_state(job, "COMPLETED")
    assert cluster.sql(f"SELECT step, per_cent FROM cox.progress WHERE id = {job}") == [
        ["40", "100"]], "the last progress does not come with the end"


def test_cox_progress_refuses_invalid_values_and_use_outside_a_job(cluster):
    outside = cluster.cox("progress", "--step", "1", check=False)
    assert outside.returncode != 0
    assert "this is not a rank of a job" in outside.stderr
    wrong = cluster.cox("progress", "--step", "1", "--metric", "loss=low", check=False)
    assert '"low" is not a number' in wrong.stderr
    assert cluster.cox("progress", "--total", "1", check=False).returncode == wrong.returncode
