"""A real cluster by the administrator's guide: four hosts of namespaces, tcp with keys, and the
configuration where an installation has it."""

import json

import history
import hosts
from patience import DEADLINE_S
import pytest
from ranks import CounterJob
from real_cluster import NODES, RealCluster, SharedFolder


@pytest.fixture(scope="module")
def cluster():
    reason = hosts.why_not()
    if reason:
        pytest.skip(reason)
    made = RealCluster()
    try:
        yield made.up()
    finally:
        made.down()


def counter(cluster, *options, **settings):
    return CounterJob(cluster, SharedFolder(cluster), *options, **settings)


def findings(cluster, host, user=None):
    done = cluster.on(host, "doctor", "--json", user=user, check=False)
    found = json.loads(done.stdout)["findings"]
    return done.returncode, {(each["check"], each["fact"]) for each in found
                             if each["health"] != "ok" and each["check"] != "cgroups"}


def end(cluster, job):
    cluster.cox("cancel", job.id)
    job.await_state("CANCELLED")
    history.check(cluster, resting=False)


def test_every_host_is_a_node_by_its_own_name_and_address(cluster):
    views = cluster.cox_json("nodes")["nodes"]
    assert {view["node"]["name"]: view["node"]["address"] for view in views} == {
        name: cluster.hosts[name].address for name in NODES}
    ranks = cluster.submit("-N3", "-n3", "-D", SharedFolder(cluster), "--", "/bin/sh", "-c",
                           "hostname; id -un; echo $MASTER_ADDR")
    cluster.wait_state(ranks, "COMPLETED")
    said = [cluster.cox("logs", "-r", rank, ranks).stdout.split() for rank in range(3)]
    assert said == [[name, hosts.ACCOUNT, cluster.hosts["n1"].address] for name in NODES]


def test_a_script_runs_as_the_clusters_user(cluster):
    """The worker runs as root, so the job's user can use only those files of the attempt that root
    handed over."""
    folder = SharedFolder(cluster)
    (folder / "hello.sh").write_text("#!/bin/sh\necho $(id -un) on $(hostname)\n")
    job = cluster.submit("-N1", "-n1", "-w", "n3", "-D", folder, f"{folder}/hello.sh")
    cluster.wait_state(job, "COMPLETED")
    assert cluster.cox("logs", job).stdout == f"{hosts.ACCOUNT} on n3\n"


def secret_on(cluster, host):
    """Makes a file on the host that only root can read. Returns its path for jobs."""
    file = cluster.hosts[host].folder / "etc/secret"
    file.write_text("root's alone\n")
    file.chmod(0o600)
    return "/etc/secret"


def test_logs_show_nothing_that_the_jobs_user_may_not_read(cluster):
    """The worker is root. Neither the name of a file as output nor a link in place of the output
    shows root's files, whether the supervisor's folder is there or the worker has forgotten the
    job."""
    secret, folder = secret_on(cluster, "n1"), SharedFolder(cluster)
    named = cluster.submit("-N1", "-n1", "-w", "n1", "-o", secret, "--", "true")
    swap = f"echo before; ln -sf {secret} linked; sleep 60"
    linked = cluster.submit("-N1", "-n1", "-w", "n1", "-D", folder, "-o", "linked", "--",
                            "/bin/sh", "-c", swap)
    cluster.wait_state(named, "FAILED")
    cluster.wait_for(lambda: (folder / "linked").is_symlink(), "the job to make its link")
    for state in ("RUNNING", "CANCELLED"):
        cluster.wait_state(linked, state)
        for job in (named, linked):
            shown = cluster.cox("logs", job, check=False)
            assert shown.returncode == 1 and shown.stdout == ""
            assert "Permission denied" in shown.stderr
        cluster.cox("cancel", linked, check=False)


def test_logs_of_another_node_need_this_hosts_key_there(cluster):
    """The client key of n1 is known on the controller's host, but not on n2. The key of ctl is
    known on every node."""
    folder = SharedFolder(cluster)
    job = cluster.submit("-N1", "-n1", "-w", "n2", "-D", folder, "--", "echo", "there")
    cluster.wait_state(job, "COMPLETED")
    assert cluster.cox("logs", job).stdout == cluster.on("n2", "logs", job).stdout == "there\n"
    refused = cluster.on("n1", "logs", job, check=False)
    assert refused.returncode != 0 and "the worker of n2 does not answer" in refused.stderr
    assert "key_dir on n2 has the .pub file of this host's client key" in refused.stderr


def test_logs_are_shown_after_the_worker_has_forgotten_the_job(cluster):
    """The worker asks the controller whose job wrote which file, also after a restart."""
    folder = SharedFolder(cluster)
    job = cluster.submit("-N1", "-n1", "-w", "n2", "-D", folder, "--", "echo", "kept")
    cluster.wait_state(job, "COMPLETED")
    spool = cluster.hosts["n2"].folder / "spool/coxswain"
    cluster.wait_for(lambda: not list(spool.glob(f"{job}.*")), "the worker to forget the job")
    # The worker of n2 accepts the client key of n2.
    assert cluster.on("n2", "logs", job).stdout == "kept\n"
    cluster.hosts["n2"].run("pkill", "-TERM", "-x", "cox-worker")
    cluster.daemons_running["n2"].wait(DEADLINE_S)
    cluster.start_worker("n2")
    cluster.wait_for(lambda: cluster.cox("logs", job, check=False).stdout == "kept\n",
                     "the new worker to show the output")


def test_doctor_finds_no_problem_on_any_host(cluster):
    # It warns if the controller takes 1 s to answer, as on a busy machine.
    cluster.wait_for(lambda: findings(cluster, "ctl", hosts.ACCOUNT) == (0, set()),
                     "no problem on ctl")
    for name in NODES:
        cluster.wait_for(lambda name=name: findings(cluster, name) == (0, set()),
                         f"no problem on {name}")
        assert "no problems" in cluster.on(name, "config", "check").stdout


def test_a_preempted_gang_resumes_on_other_hosts(cluster):
    job = counter(cluster, "-N2", "-n2", "--exclusive", "-w", "n[1-2]", save_every=5)
    job.await_steps(6, ranks=2)
    assert cluster.nodes_of(job.id) == ["n1", "n2"]
    end(cluster, job)

    job = counter(cluster, "-N2", "-n2", "--exclusive")
    job.await_steps(3, ranks=2)
    before = cluster.nodes_of(job.id)
    cluster.cox("drain", before[0], "--reason", "to be moved")
    cluster.cox("preempt", job.id)
    job.await_attempt(2)
    assert before[0] not in cluster.nodes_of(job.id)
    cluster.cox("resume", before[0])
    assert min(job.steps(0, 2)) > max(job.steps(0, 1)) > 0
    end(cluster, job)
    job.check()
