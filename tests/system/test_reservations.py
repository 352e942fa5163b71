"""Advance reservations on a live cluster: administrators make them and users meet them."""

import pytest

CLUSTER = {"nodes": 2, "cpus": 4, "settings": {"kill_wait": "1s"}}
SLEEP = ["--", "sleep", "1000"]


@pytest.fixture
def submit(cluster, tmp_path):
    """submit(OPTION...): submits a job that sleeps."""
    tmp_path.chmod(0o755)
    return lambda *options: cluster.submit("-D", tmp_path, *options, *SLEEP)


def reason(cluster, job):
    return cluster.job(job)["view"]["reason"]


def nodes_of(cluster, job):
    return cluster.job(job)["view"]["nodes"]


def test_a_reservation_is_created_used_and_deleted_and_bad_changes_are_refused(cluster, submit):
    first = submit("-n1", "--time=60")
    user = cluster.job(first)["view"]["job"]["spec"]["user_name"]
    cluster.cox("cancel", first)
    cluster.wait_state(first, "CANCELLED")
    nodes = sorted(view["node"]["name"] for view in cluster.cox_json("nodes")["nodes"])
    done = cluster.cox("reserve", "create", "class", f"Nodes={nodes[0]}", f"Users={user}",
                       "Duration=2:00:00").stdout
    assert done.startswith(f"class: created on {nodes[0]}, from "), done

    inside = submit("--reservation=class", "-n3", "--time=30")
    cluster.wait_state(inside, "RUNNING")
    assert nodes_of(cluster, inside) == [nodes[0]]
    outside = submit("-n4", "--time=30")
    cluster.wait_state(outside, "RUNNING")
    assert nodes_of(cluster, outside) == [nodes[1]]
    waiting = submit("-n1", "--time=30")
    assert reason(cluster, waiting) == "ReqNodeNotAvail"
    why = cluster.cox("why", waiting).stdout
    assert f"({nodes[0]}) is reserved until" in why and f"class, for user {user}" in why, why

    shown = cluster.cox("show", "reservations").stdout
    assert "class" in shown and "ACTIVE" in shown and "1 run, 0 wait" in shown, shown
    assert "reservations  class\n" in cluster.cox("show", "node", nodes[0]).stdout
    assert cluster.sql("SELECT name, state, nodes, running FROM cox.reservations") == [
        ["class", "ACTIVE", f"{{{nodes[0]}}}", f"{{{inside}}}"]]

    one = cluster.cox("show", "reservation", "class").stdout
    assert f"1: {nodes[0]}\n" in one and f"user {user}\n" in one and f" {inside}\n" in one, one

    cluster.cox("cancel", inside)
    cluster.wait_state(inside, "CANCELLED")
    refused = cluster.cox("reserve", "update", "class", "Users-=nobody", check=False)
    assert "\"nobody\" is not among its Users" in refused.stderr, refused.stderr
    refused = cluster.cox("reserve", "create", f"Nodes={nodes[1]}", "ReservationName=own",
                          f"Users={user}", "Duration=60", check=False)
    assert f"job {outside} of {user} runs on {nodes[1]} until" in refused.stderr, refused.stderr
    unlimited = submit("--reservation=class", "-n1")
    cluster.wait_state(unlimited, "RUNNING")
    shown = cluster.cox("show", "job", unlimited).stdout
    assert "the rest of reservation class" in shown, shown
    cluster.cox("cancel", unlimited)
    cluster.wait_state(unlimited, "CANCELLED")
    assert reason(cluster, waiting) == "ReqNodeNotAvail"
    cluster.cox("reserve", "delete", "class")
    cluster.wait_state(waiting, "RUNNING")
    assert cluster.sql("SELECT what, actor FROM cox.reservation_event ORDER BY sequence") == [
        ["created", f"user {user}"], ["deleted", f"user {user}"]]


def test_a_long_job_waits_for_maintenance_and_a_short_one_runs(cluster, submit):
    cluster.cox("reserve", "create", "maint", "Nodes=ALL", "Flags=MAINT",
                "StartTime=now+30minutes", "Duration=60")
    long = cluster.cox("submit", "--time=60", *SLEEP)
    assert "are reserved from" in long.stderr, long.stderr
    assert ": maint, for maintenance; with --time=29 or less it would start now" in long.stderr
    assert all(len(line) < 200 for line in long.stderr.splitlines()), long.stderr
    job = int(long.stdout.split()[-1])
    assert reason(cluster, job) == "ReqNodeNotAvail"
    why = cluster.cox("why", job).stdout
    assert "or less it would start now and end before reservation maint begins" in why, why
    assert all(len(line) < 200 for line in why.splitlines()), why
    short = submit("--time=10")
    cluster.wait_state(short, "RUNNING")
    refused = cluster.cox("submit", "--reservation=maint", *SLEEP, check=False)
    assert "may not use reservation maint: it is for maintenance" in refused.stderr
    refused = cluster.cox("reserve", "create", "other", "Nodes=ALL", "Users=x", "Duraton=60",
                          check=False)
    assert "did you mean Duration?" in refused.stderr
    cluster.cox("reserve", "update", "maint", "StartTime=now+3hours")
    cluster.wait_state(job, "RUNNING")
