"""`cox events`: past events of jobs, and new ones as they happen."""

import json
import select

CLUSTER = {"nodes": 1, "cpus": 2}


def test_cox_events_follow_shows_new_events_as_they_happen_and_no_earlier_ones(cluster):
    before = cluster.submit("-n1", "--", "true")
    cluster.wait_state(before, "COMPLETED")
    follower = cluster.popen("events", "-f", "--json")
    # Only its output shows that `cox events` is connected: jobs are submitted until it prints an
    # event.
    jobs = []
    with follower.stdout as out:
        reader = select.poll()
        reader.register(out, select.POLLIN)
        cluster.wait_for(lambda: jobs.append(cluster.submit("-n1", "--", "true"))
                         or reader.poll(500), "the first event")
        lines = [json.loads(out.readline())]
        last = cluster.submit("-n1", "--", "true")
        while (lines[-1]["job"], lines[-1]["state"]) != (last, "COMPLETED"):
            lines.append(json.loads(out.readline()))
        follower.terminate()
    follower.wait()
    assert before not in {one["job"] for one in lines}, "an earlier event was shown"
    assert [one["state"] for one in lines if one["job"] == last and one["what"] == "state"] == [
        "PENDING", "CONFIGURING", "RUNNING", "COMPLETING", "COMPLETED"]


def test_cox_events_shows_the_past_events_of_a_job(cluster):
    job = cluster.submit("-n1", "--", "true")
    cluster.wait_state(job, "COMPLETED")
    text = cluster.cox("events", job).stdout
    assert text.splitlines()[0].endswith("submitted (user root)")
    assert " COMPLETED " in text.splitlines()[-1]
    assert cluster.cox("events", "--user", "nobody").stdout == ""
