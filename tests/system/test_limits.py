"""Limits of QOS that an administrator sets with SQL on a live cluster."""

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


def test_a_limit_of_a_qos_that_sql_sets_takes_effect_at_once_and_is_explained(cluster, submit):
    first = submit("-n2")
    cluster.wait_state(first, "RUNNING")
    cluster.sql("UPDATE cox.qos SET max_tres_per_user = 'cpu=3' WHERE name = 'standard'")
    cluster.wait_for(lambda: "MaxTRESPerUser=cpu=3" in cluster.cox("show", "qos").stdout,
                     "the controller to read the limit")
    second = submit("-n2")
    cluster.wait_for(lambda: reason(cluster, second) == "QOSMaxCpuPerUserLimit",
                     "the limit to be the pending reason")
    user = cluster.job(second)["view"]["job"]["spec"]["user_name"]
    why = cluster.cox("why", second).stdout
    assert (f"QOS standard: MaxTRESPerUser cpu of user {user} is 3: 2 in use by job {first} of "
            f"{user}, and it asks for 2") in why, why
    assert cluster.sql("SELECT user_name, submitted, running, cpus, max_tres FROM cox.qos_usage"
                       " WHERE qos = 'standard'") == [
                           ["", "2", "1", "2", ""], [user, "2", "1", "2", "cpu=3"]]
    assert cluster.sql("SELECT reason, owner, limit_name, most, used, jobs, user_names, cpus"
                       " FROM cox.limit_waits") == [
                           ["QOSMaxCpuPerUserLimit", f"QOS standard, user {user}",
                            "MaxTRESPerUser cpu", "3", f"2 in use by job {first} of {user}", "1",
                            f"{{{user}}}", "2"]]
    other = submit("-n2", "--qos=critical")
    cluster.wait_state(other, "RUNNING")
    refused = cluster.cox("submit", "-n4", "--", "true", check=False)
    assert refused.returncode == 1
    assert "QOS standard has MaxTRESPerUser=cpu=3, and the job asks for 4" in refused.stderr
    cluster.sql("UPDATE cox.qos SET max_tres_per_user = '' WHERE name = 'standard'")
    cluster.wait_state(second, "RUNNING")
