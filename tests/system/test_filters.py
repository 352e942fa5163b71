"""A filter that matches nothing: a listing shows nothing, and a command that changes something
changes nothing. A filter that is read and then ignored would show, or end, what was not meant."""

import pytest

CLUSTER = {"nodes": 2, "cpus": 2}
HOUR = ["Start=now-1hours", "End=now"]
LISTINGS = [
    *(["squeue", "-h", *words] for words in (
        ["-A", "nope"], ["-j", "999"], ["-L", "nope"], ["-n", "nope"], ["-w", "n2"],
        ["-p", "nope"], ["-q", "nope"], ["-R", "nope"], ["-t", "CG"], ["-u", "nobody"],
        ["--me", "-u", "nobody"], ["--start", "-A", "nope"])),
    *(["squeue", "-h", "-s", *words] for words in (
        ["-A", "nope"], ["-n", "nope"], ["-w", "n2"], ["-p", "nope"], ["-q", "nope"],
        ["-R", "nope"], ["-u", "nobody"], ["-L", "nope"])),
    *(["sacct", "-n", *many, *words] for many in ([], ["-D"]) for words in (
        ["-u", "nobody"], ["-g", "daemon"], ["-A", "nope"], ["-r", "nope"], ["-q", "nope"],
        ["--name", "nope"], ["-W", "nope"], ["-C", "nope"], ["-R", "nope"], ["-N", "n2"],
        ["-i", "2-4"], ["-I", "9"], ["-k", "10"], ["-s", "CA"], ["-s", "RQ"], ["-j", "999"],
        ["-S", "2020-01-01", "-E", "2020-01-02"], ["-j", "{job}", "-A", "nope"])),
    *(["sprio", "-h", *words] for words in (["-j", "999"], ["-p", "nope"], ["-u", "nobody"])),
    *(["sshare", "-n", *words] for words in (["-A", "nope"], ["-U", "-u", "nobody"])),
    *(["sinfo", "-h", "-N", *words] for words in (["-p", "nope"], ["-t", "drain"], ["-d"])),
    *(["strigger", "--get", "-N", *words] for words in (
        ["-j", "999"], ["--user", "nobody"], ["-i", "77"], ["--up"], ["--node=n2"])),
    *(["sreport", "-n", "-Q", *report, *HOUR, word]
      for report in (["cluster", "AccountUtilizationByUser"], ["job", "SizesByAccount"],
                     ["user", "TopUsage"])
      for word in ("Accounts=nope", "Users=nobody", "Partitions=nope", "Nodes=nope", "Jobs=999")),
]
CHANGES = [
    *(["scancel", *words] for words in (
        ["-A", "nope"], ["-n", "nope"], ["-w", "n2"], ["-p", "nope"], ["-q", "nope"],
        ["-R", "nope"], ["-t", "S"], ["-u", "nobody"], ["--wckey", "nope"], ["-M", "nope", "{job}"],
        ["-n", "nope", "{job}"], ["-w", "n2", "{job}"], ["-t", "PD", "{job}"],
        ["-u", "nobody", "{job}"])),
    *(["strigger", "--clear", *words] for words in (
        ["-j", "999"], ["--user", "nobody"], ["-i", "77"], ["-i", "{trigger}", "-j", "999"],
        ["-i", "{trigger}", "--up"], ["-i", "{trigger}", "--node=n2"],
        ["-i", "{trigger}", "--user", "nobody"])),
    *(["sacctmgr", "-i", *words, condition]
      for words in (["delete", "account", "where", "name=physics"],
                    ["modify", "account", "set", "fairshare=7", "where", "name=physics"])
      for condition in ("cluster=nope", "description=nope", "parent=nope", "user=nope")),
]


@pytest.fixture
def busy(cluster):
    """A job with a script runs on n1, and there are a trigger and an account. Yields their ids."""
    assert cluster.slurm("sacctmgr", "-i", "add", "account", "physics").returncode == 0
    job = cluster.submit("-w", "n1", "--wrap", "sleep 1000")
    cluster.wait_for(lambda: f"{job}.batch" in cluster.slurm("squeue", "-h", "-s").stdout,
                     "the job to run")
    done = cluster.slurm("strigger", "--set", "--node=n1", "--down", "--program=/bin/true")
    assert done.returncode == 0, done.stderr
    trigger = cluster.slurm("strigger", "--get", "-N").stdout.split()[0]
    yield {"job": job, "trigger": trigger}
    cluster.slurm("strigger", "--clear", "-i", trigger)
    cluster.cox("cancel", job)
    cluster.wait_state(job, "CANCELLED")
    cluster.slurm("sacctmgr", "-i", "delete", "account", "physics")


def ask(cluster, words, ids):
    return cluster.slurm(*(word.format_map(ids) for word in words)).stdout


def shown(cluster):
    return [cluster.slurm(*words).stdout for words in (
        ["squeue", "-h", "-o", "%i %T"], ["squeue", "-h", "-s", "-o", "%i"],
        ["strigger", "--get", "-N"],
        ["sacctmgr", "-nP", "show", "assoc", "format=account,user,fairshare"])]


def test_a_listing_whose_filter_matches_nothing_shows_nothing(cluster, busy):
    assert [words for words in LISTINGS if ask(cluster, words, busy)] == []


def test_a_change_whose_filter_matches_nothing_changes_nothing(cluster, busy):
    before = shown(cluster)
    assert all(before), "there is something to change"
    for words in CHANGES:
        ask(cluster, words, busy)
        assert shown(cluster) == before, words
