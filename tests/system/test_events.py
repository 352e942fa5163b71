"""`cox events`: what has happened to jobs, and what happens."""

import json
import select

CLUSTER = {"nodes": 1, "cpus": 2}


def test_events_are_streamed_as_they_happen(cluster):
    before = cluster.submit("-n1", "--", "true")
    cluster.wait_state(before, "COMPLETED")
    follower = cluster.popen("events", "-f", "--json")
    # Nothing says that it is connected but what it prints: jobs are submitted until it does.
    jobs = []
    with follower.stdout as out:
        reader = select.poll()
        reader.register(out, select.POLLIN)
        cluster.wait_for(lambda: jobs.append(cluster.submit("-n1", "--", "true"))
                         or reader.poll(500), 60, "the first event")
        lines = [json.loads(out.readline())]
        last = cluster.submit("-n1", "--", "true")
        while (lines[-1]["job"], lines[-1]["state"]) != (last, "COMPLETED"):
            lines.append(json.loads(out.readline()))
        follower.terminate()
    follower.wait()
    assert before not in {one["job"] for one in lines}, "only what happens from now on"
    assert [one["state"] for one in lines if one["job"] == last and one["what"] == "state"] == [
        "PENDING", "CONFIGURING", "RUNNING", "COMPLETING", "COMPLETED"]


def test_what_has_happened_lately_is_told_without_following(cluster):
    job = cluster.submit("-n1", "--", "true")
    cluster.wait_state(job, "COMPLETED")
    text = cluster.cox("events", job).stdout
    assert text.splitlines()[0].endswith("submitted (user root)")
    assert " COMPLETED " in text.splitlines()[-1]
    assert cluster.cox("events", "--user", "nobody").stdout == ""
