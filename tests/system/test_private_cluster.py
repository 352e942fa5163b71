"""`cox up --config FILE`: a private cluster of different nodes, as docs/user-guide.md shows it."""

import shutil
import signal
import subprocess

import history
from cluster import ROOT, find_programs
from patience import DEADLINE_S

CLUSTER = {"nodes": 4}
MIXED = ROOT / "examples/mixed.toml"


def up(cluster, *words, check=True):
    return cluster.cox("up", "--dir", cluster.dir, *words, check=check)


def ran_on(cluster, *options):
    job = cluster.submit(*options, "--", "true")
    cluster.wait_state(job, "COMPLETED")
    return cluster.nodes_of(job)


def test_cox_up_with_a_configuration_file_gives_the_nodes_different_resources(cluster, folder):
    up(cluster, "--config", MIXED)
    assert ran_on(cluster, "-N2", "-L", "matlab:2", "--gres=gpu:2,fpga:u280:2",
                  "--topology=required:nvlink", "-C", "fast") == ["n1", "n2"]
    assert ran_on(cluster, "-N2", "--gpu-type", "h100", "--gpus-per-node", "2",
                  "--switches", "1") == ["n3", "n4"]
    assert ran_on(cluster, "-n1", "-c", "16") == ["n4"]
    refused = cluster.cox("submit", "-p", "short", "-t", "60", "--", "true", check=False)
    assert "allows at most 00:30:00" in refused.stderr


def test_cox_up_uses_the_last_configuration_file_until_another_is_given(cluster, folder):
    up(cluster, "--config", MIXED)
    runs = {name: cluster.process(name).pid for name in ("controller", "n1", "n4")}
    assert "is running already" in up(cluster).stderr
    wrong = folder / "wrong.toml"
    wrong.write_text("[[node]]\nnodes = \"n1\"\ncpsu = 9\n")
    refused = up(cluster, "--config", wrong, check=False)
    assert refused.returncode == 1 and f"{wrong}:3: " in refused.stderr
    assert runs == {name: cluster.process(name).pid for name in runs}
    assert ran_on(cluster, "-n1", "-L", "matlab:1", "-c", "16") == ["n4"]
    history.check(cluster)
    cluster.judged = int(cluster.sql("SELECT max(id) FROM cox.job")[0][0])
    up(cluster, "--config", "/dev/null")
    refused = cluster.cox("submit", "-L", "matlab:1", "--", "true", check=False)
    assert "the cluster has none" in refused.stderr


def test_cox_up_waits_until_each_node_has_the_checkpoint_folder(cluster):
    cluster.kill("n2", signal.SIGTERM)
    marker = cluster.dir / "checkpoints/.coxswain-cluster"
    hidden = marker.rename(cluster.dir / "checkpoints/hidden")
    starting = cluster.popen("up", "--dir", cluster.dir)
    for line in starting.stderr:
        if line == "4 of 4 nodes respond\n":
            break
    cluster.cox("nodes")
    assert starting.poll() is None, "it has not waited: n2 gets no jobs"
    hidden.rename(marker)
    out, err = starting.communicate(timeout=DEADLINE_S)
    assert starting.returncode == 0, err
    assert "The cluster is up" in out
    assert cluster.sql("SELECT reason FROM cox.nodes WHERE name = 'n2'") == [[""]]


def test_cox_up_waits_until_this_controller_has_heard_each_node(cluster, folder):
    """After an orderly stop the database still says that all nodes respond. Jobs start only on
    those that have said so to the controller that leads."""
    programs, gate = folder / "bin", folder / "gate"
    programs.mkdir()
    shutil.copy(find_programs() / "cox", programs)
    for name in ("cox-controller", "cox-supervisor"):
        (programs / name).symlink_to(find_programs() / name)
    worker = programs / "cox-worker"
    worker.write_text(f"#!/bin/bash\nuntil [ -e {gate} ]; do sleep 0.1; done\n"
                      f"exec {find_programs()}/cox-worker \"$@\"\n")
    worker.chmod(0o755)
    cluster.cox("down", "--dir", cluster.dir)
    starting = subprocess.Popen([programs / "cox", "up", "--dir", cluster.dir], text=True,
                                stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    first = next(line for line in starting.stderr if "of 4 nodes" in line)
    gate.touch()
    out, err = starting.communicate(timeout=DEADLINE_S)
    assert (starting.returncode, first) == (0, "0 of 4 nodes respond\n"), err
    assert "The cluster is up" in out


def test_a_checkpoint_folder_that_is_not_mounted_is_not_made_anew(cluster, folder):
    """Below the place of a shared folder the controller would find no checkpoint, and workers would
    take all of them for damaged or gone."""
    ran_on(cluster, "-n1")
    cluster.cox("down", "--dir", cluster.dir)
    mounted = cluster.dir / "checkpoints"
    away = mounted.rename(cluster.dir / "log/away")
    refused = up(cluster, check=False)
    assert refused.returncode == 1
    assert "there is no " + str(mounted / ".coxswain-cluster") in refused.stderr
    assert not list(mounted.iterdir())
    mounted.rmdir()
    away.rename(mounted)
    up(cluster)


def test_cox_down_believes_neither_a_damaged_nor_a_missing_list_of_processes(cluster):
    pids = cluster.dir / "pids"
    kept = pids.read_text()
    pids.write_text("controller 1\n")
    for command in (("down",), ("down", "--purge"), ("up",), ("status",)):
        refused = cluster.cox(*command, "--dir", cluster.dir, check=False)
        assert (refused.returncode, "is damaged" in refused.stderr) == (1, True), command
    pids.unlink()
    refused = cluster.cox("down", "--purge", "--dir", cluster.dir, check=False)
    assert "a process that is not in " in refused.stderr
    pids.write_text(kept)
    assert cluster.process("controller").is_alive()
    assert "is running already" in up(cluster).stderr


def test_job_ids_have_a_gap_only_if_commits_may_be_lost(cluster, folder):
    def submitted():
        job = cluster.submit("-D", folder, "--", "true")
        cluster.wait_state(job, "COMPLETED")
        return int(job)

    first = submitted()
    for _ in range(2):
        cluster.kill("controller", signal.SIGTERM)
        cluster.start("controller")
        cluster.await_nodes()
    assert submitted() == first + 1
    cluster.cox("down", "--dir", cluster.dir)
    up(cluster)
    assert submitted() == first + 2
    cluster.kill("controller", signal.SIGKILL)
    cluster.start("controller")
    cluster.await_nodes()
    assert submitted() == first + 3
    # If PostgreSQL ends with the controller, it may have lost commits: ids are skipped.
    cluster.kill("controller", signal.SIGKILL)
    cluster.pg_ctl("restart", "-m", "fast")
    cluster.start("controller")
    cluster.await_nodes()
    assert submitted() > first + 4, "an id that was issued before may come again"


def test_cox_up_deletes_no_database_whatever_its_settings_are(cluster):
    """A person may edit postgresql.conf, or it may be away for a moment."""
    job = cluster.submit("--", "true")
    cluster.wait_state(job, "COMPLETED")
    cluster.cox("down", "--dir", cluster.dir)
    settings = cluster.postgres_data() / "postgresql.conf"
    text = settings.read_text()
    settings.unlink()
    refused = up(cluster, check=False)
    assert refused.returncode == 1 and f"cannot read {settings}: No such file" in refused.stderr
    settings.write_text("work_mem = '64MB'\n")
    refused = up(cluster, check=False)
    assert refused.returncode == 1
    assert "has no line \"include = 'coxswain.conf'\"" in refused.stderr
    settings.write_text(text + "work_mem = '64MB'\n")
    up(cluster)
    assert cluster.state(job) == "COMPLETED"
    assert cluster.sql("SHOW work_mem") == [["64MB"]]


def test_cox_down_counts_no_failure_of_a_node(cluster, folder):
    """It ends the supervisors itself. Four failures would drain a node, and the only one of a
    private cluster."""
    failures = "SELECT count(*) FROM cox.node_event WHERE what = 'failure'"
    before = cluster.sql(failures)
    jobs = [cluster.submit("-n1", "-D", folder, "--", "sleep", "1000") for _ in range(4)]
    for job in jobs:
        cluster.wait_state(job, "RUNNING")
    down = cluster.cox("down", "--dir", cluster.dir).stdout
    assert "4 running jobs will be requeued by the next" in down
    up(cluster)
    for job in jobs:
        cluster.wait_for(lambda job=job: cluster.attempt(job) == 2, "the job to start again")
        assert "supervisor lost on node" in cluster.cox("history", job).stdout
    assert cluster.sql(failures) == before
    cluster.cox("cancel", *jobs)


def test_cox_up_removes_no_node_that_runs_a_job(cluster, folder):
    job = cluster.submit("-w", "n4", "-D", folder, "--", "sleep", "1000")
    cluster.wait_state(job, "RUNNING")
    refused = up(cluster, "--nodes", "2", check=False)
    assert refused.returncode == 1
    assert f"node n4, which --nodes leaves out, runs job {job}" in refused.stderr
    assert cluster.state(job) == "RUNNING" and cluster.attempt(job) == 1
    cluster.cox("cancel", job)
