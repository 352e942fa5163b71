"""Hosts of namespaces with broken networks, and a full disk: a node that is cut off, a node whose
messages are lost though it receives others, and a job whose output finds no space."""

import json
import re
from pathlib import Path

import history
import hosts
import pytest
from ranks import CounterJob
from real_cluster import HASTY, NODES, RealCluster, SharedFolder

WRITER = """
import errno, os, time
open("began", "w").close()
try:
    while True:
        os.write(1, bytes(4096))
except OSError as error:
    open("error", "w").write(errno.errorcode[error.errno])
while not os.path.exists("end"):
    time.sleep(0.05)
"""
MIB = 1 << 20
SETTINGS = HASTY + "log_size_max_mb = 1\n"


@pytest.fixture(scope="module")
def whole():
    reason = hosts.why_not()
    if reason:
        pytest.skip(reason)
    made = RealCluster(times=SETTINGS)
    try:
        yield made.up()
    finally:
        made.down()


@pytest.fixture
def cluster(whole):
    yield whole
    whole.wait_for(lambda: sorted(whole.responding()) == list(NODES), "all nodes to respond")
    left = [job for job, in whole.sql("SELECT id FROM cox.job WHERE ended_at IS NULL")]
    if left:
        whole.cox("cancel", *left)
    whole.wait_for(lambda: not whole.sql("SELECT 1 FROM cox.job WHERE ended_at IS NULL"),
                   "all jobs to end")
    history.check(whole, resting=False)


def gang_with_a_checkpoint(cluster):
    job = CounterJob(cluster, SharedFolder(cluster), "-N2", "-n2", "--exclusive", save_every=5)
    job.await_steps(12, ranks=2)
    return job, cluster.nodes_of(job.id)[0]


def saved(cluster, job, attempt):
    return cluster.sql(f"SELECT step FROM cox.checkpoint WHERE job_id = {job.id}"
                       f" AND attempt = {attempt} ORDER BY step")


def check_moved_on(cluster, job, lost):
    """Checks that the job runs elsewhere from a checkpoint, and that its ranks on the cut-off node
    had stopped themselves before."""
    assert lost not in cluster.nodes_of(job.id)
    ends = [line.at for line in job.trace() if line.attempt == 1]
    begins = [line.at for line in job.trace() if line.attempt == 2]
    # An overloaded machine may end the ranks late; lease_margin leaves time for that.
    assert max(ends) < min(begins)
    job.check()
    assert min(job.steps(0, 2)) > 5, "the second attempt did not resume from a checkpoint"


def check_healed(cluster, job, lost, saved_before):
    """Checks that late reports of the lost node on the first attempt change nothing, and that the
    node gets jobs again."""
    cluster.wait_for(lambda: lost in cluster.responding(), f"{lost} to respond again")
    cluster.wait_for(lambda: any(event["what"] == "stale_completion"
                                 for event in cluster.history(job.id)),
                     "the late end to be recorded")
    job.await_steps(3, attempt=2, ranks=2)
    assert cluster.attempt(job.id) == 2 and saved(cluster, job, 1) == saved_before
    trace = job.trace()
    begun = min(line.at for line in trace if line.attempt == 2)
    assert not any(line.attempt == 1 and line.at > begun for line in trace)
    after = CounterJob(cluster, SharedFolder(cluster), "-N1", "-n1", "-w", lost, steps=2)
    cluster.cox("cancel", job.id)
    after.await_state("COMPLETED")


def findings(cluster, host):
    done = cluster.on(host, "doctor", "--json", check=False)
    found = json.loads(done.stdout)["findings"]
    return done.returncode, [each["check"] for each in found
                             if each["health"] != "ok" and each["check"] != "cgroups"]


def test_f08_a_gang_resumes_elsewhere_when_the_cable_of_its_node_is_cut(cluster):
    job, lost = gang_with_a_checkpoint(cluster)
    cluster.cut(lost)
    try:
        cluster.wait_for(lambda: lost not in cluster.responding(), f"{lost} to be silent")
        # Problems are found: no controller answers on that node.
        assert findings(cluster, lost)[0] == 1
        job.await_attempt(2)
        saved_before = saved(cluster, job, 1)
    finally:
        cluster.mend(lost)
    check_moved_on(cluster, job, lost)
    check_healed(cluster, job, lost, saved_before)
    # It warns if the controller takes 1 s to answer, as on a busy machine.
    cluster.wait_for(lambda: findings(cluster, lost) == (0, []), f"no problem on {lost}")


def test_f09_a_node_that_hears_the_controller_but_is_not_heard_is_treated_as_cut_off(cluster):
    job, lost = gang_with_a_checkpoint(cluster)
    node, controller = cluster.hosts[lost], cluster.hosts["ctl"]
    node.lose_packets_to(controller)
    try:
        job.await_attempt(2)
        assert lost not in cluster.responding()
        saved_before = saved(cluster, job, 1)
    finally:
        node.deliver_packets_to(controller)
    check_moved_on(cluster, job, lost)
    check_healed(cluster, job, lost, saved_before)


def test_f18_a_full_disk_of_output_is_shown_and_affects_only_the_job_that_filled_it(cluster):
    folder = SharedFolder(cluster)
    (folder / "full").mkdir()
    host = cluster.hosts["n3"]
    host.run("mount", "-t", "tmpfs", "-o", "size=256k,mode=1777", "tmpfs", f"{folder}/full")
    (folder / "writer.py").write_text(WRITER)
    job = cluster.submit("-N1", "-n1", "-w", "n3", "-D", folder, "-o", f"{folder}/full/out", "--",
                         "/usr/bin/python3", f"{folder}/writer.py")
    cluster.wait_for((folder / "error").exists, "the job to fill the disk")
    beside = CounterJob(cluster, folder, "-N1", "-n1", "-w", "n3", steps=3)
    beside.await_state("COMPLETED")
    assert (folder / "error").read_text() == "ENOSPC"
    assert cluster.state(job) == "RUNNING" and "n3" in cluster.responding()
    said = f"no room for output: the disk of {folder}/full/out is full"

    def shown():
        return cluster.slurm("scontrol", "show", "job", job).stdout

    def node_events():
        return [event["why"] for event in cluster.history(job) if event["what"] == "node"]
    cluster.wait_for(lambda: f"SystemComment=n3: {said}\n" in shown(),
                     "the job to show the full disk")
    assert said in cluster.cox("show", "job", job).stdout and said in cluster.cox("why", job).stdout
    assert node_events() == [said]
    host.run("truncate", "-s", "0", f"{folder}/full/out")
    cluster.wait_for(lambda: "SystemComment" not in shown(), "the comment to be removed")
    assert node_events() == [said, f"no longer: {said}"] and cluster.state(job) == "RUNNING"
    (folder / "end").touch()
    cluster.wait_state(job, "COMPLETED")
    host.run("umount", f"{folder}/full")


def test_output_is_bounded_on_a_disk_that_cannot_release_a_part_of_a_file(cluster):
    folder, seen = SharedFolder(cluster), Path("/srv/jobs/plain")
    (folder / "plain").mkdir()
    host = cluster.hosts["n3"]
    host.run("mount", "-t", "ramfs", "-o", "mode=1777", "ramfs", seen)
    job = cluster.submit_python("writer.py", ["-N1", "-n1", "-w", "n3", "-D", seen, "-o", "out"])

    def is_done(number):
        if host.run("test", "-e", seen / f"wrote-{number}", check=False).returncode != 0:
            return False
        return int(host.run("stat", "-c", "%s", seen / "out").stdout) <= MIB
    for number in range(3):
        host.run("touch", seen / f"write-{number}")
        cluster.wait_for(lambda: is_done(number), "the output file to be truncated")
    host.run("touch", seen / "end")
    cluster.wait_state(job, "COMPLETED")
    text = host.run("cat", seen / "out").stdout
    assert text.startswith("line 0 ")
    removed, = re.findall(r"^\[coxswain: (\d+) bytes of output were removed here", text, re.M)
    assert 3 * MIB < int(removed) <= 2 * 3 * MIB, "not the bytes of both streams in three turns"
    host.run("umount", seen)
