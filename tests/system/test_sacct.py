"""sacct, sstat and seff on a real cluster: the resources that jobs used."""

import getpass
import json
import os
import re
import subprocess

from patience import DEADLINE_S
import pytest

CLUSTER = {"nodes": 2, "cpus": 4, "settings": {"kill_wait": "1s"}}
NAMES = ("sbatch", "scancel", "sacct", "sreport", "sstat", "seff")
BURN = "python3 -c 'import time\nt = time.process_time()\nx = bytearray(64 << 20)\n" \
       "while time.process_time() - t < 0.6: pass'"


@pytest.fixture
def folder(tmp_path):
    tmp_path.chmod(0o755)
    return tmp_path


@pytest.fixture
def slurm(cluster, folder):
    """slurm(NAME, WORD...): runs cox by one of Slurm's names, and returns its output."""
    for name in NAMES:
        (folder / name).symlink_to(cluster.bin / "cox")

    def call(name, *words, text="", check=True):
        done = subprocess.run([folder / name, *map(str, words)], env=cluster.environment, text=True,
                              cwd=folder, input=text, capture_output=True, timeout=DEADLINE_S)
        assert not check or (done.returncode, done.stderr) == (0, ""), done
        return done.stdout if check else done
    return call


def submit(slurm, body, *words):
    return int(slurm("sbatch", "--parsable", *words, text="#!/bin/bash\n" + body + "\n"))


def rows(slurm, *words):
    return [line.split("|") for line in slurm("sacct", "-n", "-P", *words).splitlines()]


def test_sacct_shows_a_job_as_soon_as_its_id_is_printed(cluster, slurm):
    for _ in range(5):
        job = submit(slurm, "true", "--hold")
        assert rows(slurm, "-j", job, "-o", "jobid,state,reason") == [
            [str(job), "PENDING", "JobHeldUser"]]
        slurm("scancel", job)
    uid = os.getuid()
    assert rows(slurm, "-X", "-j", job, "-o", "state,start") == [[f"CANCELLED by {uid}", "None"]]


def test_sacct_shows_the_resources_that_a_job_used(cluster, slurm):
    job = submit(slurm, BURN + "\nexit 3", "-n2", "--mem=200M", "-J", "burns")
    cluster.wait_state(job, "FAILED")
    shown = rows(slurm, "-j", job, "-o", "jobid,jobname,state,exitcode,totalcpu,maxrss,ncpus")
    assert [row[:4] for row in shown] == [
        [str(job), "burns", "FAILED", "3:0"], [f"{job}.batch", "batch", "FAILED", "3:0"],
        [f"{job}.extern", "extern", "COMPLETED", "0:0"]]
    minutes, seconds = shown[1][4].split(":")[-2:]
    assert 0.6 <= int(minutes) * 60 + float(seconds) < 30 and shown[0][4] == shown[1][4]
    assert shown[0][5] == "" and float(shown[1][5].rstrip("KM")) >= 64
    assert shown[2][4] == "00:00:00"
    report = slurm("seff", job)
    assert f"Job ID: {job}\n" in report and "State: FAILED (exit code 3)\n" in report
    assert re.search(r"^CPU Utilized: 00:00:\d\d$", report, re.MULTILINE)
    assert re.search(r"^Memory Utilized: \d+\.\d\d MB$", report, re.MULTILINE)
    everything, = json.loads(slurm("sacct", "--json", "-j", job))["jobs"]
    assert everything["state"]["current"] == ["FAILED"]
    assert [step["step"]["name"] for step in everything["steps"]] == ["batch", "extern"]


def test_sacct_filters_tasks_of_an_array(cluster, slurm):
    job = submit(slurm, "exit $SLURM_ARRAY_TASK_ID", "--array=0-2", "-J", "array")
    cluster.wait_for(lambda: sorted(rows(slurm, "-X", "-j", job, "-o", "jobid,state")) == [
        [f"{job}_0", "COMPLETED"], [f"{job}_1", "FAILED"], [f"{job}_2", "FAILED"]],
                     "all tasks to end")
    assert rows(slurm, "-X", "-j", f"{job}_1", "-o", "exitcode") == [["1:0"]]
    assert len(rows(slurm, "-X", "--name", "array", "-s", "F", "-S", "now-1hour")) == 2
    assert rows(slurm, "-X", "-u", getpass.getuser(), "-S", "now-2days", "-E", "now-1days") == []
    assert rows(slurm, "-a", "-N", "n9") == []
    refused = slurm("sacct", "-o", "nosuch", check=False)
    assert refused.returncode == 1 and "Invalid field requested" in refused.stderr
    unknown = slurm("sacct", "-u", "nobody-at-all", check=False)
    assert unknown.returncode == 1 and "Invalid user id: nobody-at-all" in unknown.stderr


def test_sstat_shows_running_steps(cluster, slurm):
    job = submit(slurm, "sleep 1000 & sleep 1000", "-n1")
    cluster.wait_state(job, "RUNNING")
    shown = cluster.wait_for(lambda: [
        line for line in slurm("sstat", "-n", "-P", "-j", f"{job}.batch", "-o",
                               "jobid,nodelist,ntasks,pids").splitlines()
        if line.count(",") >= 2], "the processes of the step")[0]
    step, node, tasks, pids = shown.split("|")
    assert (step, tasks) == (f"{job}.batch", "1") and node in ("n1", "n2")
    commands = [open(f"/proc/{pid}/cmdline").read() for pid in pids.split(",")]
    assert sum(command.startswith("sleep") for command in commands) == 2
    none = slurm("sstat", "-j", job, check=False)
    assert none.returncode == 1 and f"no steps running for job {job}" in none.stderr
    slurm("scancel", job)
    cluster.wait_state(job, "CANCELLED")
    assert rows(slurm, "-j", job, "-o", "jobid,state,exitcode") == [
        [str(job), f"CANCELLED by {os.getuid()}", "0:0"],
        [f"{job}.batch", "CANCELLED", "0:15"], [f"{job}.extern", "COMPLETED", "0:0"]]


def test_sstat_counts_reads_without_a_disk_like_slurm(cluster, slurm):
    read = 20 << 20
    job = submit(slurm, "exec python3 -c 'import time\n"
                        f"open(\"/dev/zero\", \"rb\").read({read})\ntime.sleep(1000)'", "-n1")
    cluster.wait_state(job, "RUNNING")
    cluster.wait_for(lambda: any(
        int(line or 0) >= read for line in slurm("sstat", "-n", "-P", "--noconvert", "-j",
                                                 f"{job}.batch", "-o",
                                                 "maxdiskread").splitlines()),
                                                 "the bytes that the job has read")
    slurm("scancel", job)


def test_sacct_shows_which_task_of_a_step_used_the_most(cluster, slurm, folder):
    (folder / "srun").symlink_to(cluster.bin / "cox")
    (folder / "task.py").write_text("""import os
rank = int(os.environ["SLURM_PROCID"])
open(f"node.{rank}", "w").write(os.environ["SLURMD_NODENAME"])
if rank == 1:
    open("/dev/null", "wb").write(bytes(30 << 20))
if rank == 2:
    held = open("/dev/zero", "rb").read(300 << 20)
""")
    job = submit(slurm, "./srun -n3 python3 task.py", "-N2", "-n3")
    cluster.wait_state(job, "COMPLETED")
    nodes = [(folder / f"node.{rank}").read_text() for rank in range(3)]
    shown = rows(slurm, "-j", f"{job}.0", "--noconvert", "-o",
                 "maxrsstask,maxrssnode,maxdiskreadtask,maxdiskreadnode,maxdiskwritetask,"
                 "maxdiskwritenode,maxrss,maxdiskread,maxdiskwrite,averss,mincputask")
    assert shown[0][:6] == ["2", nodes[2], "2", nodes[2], "1", nodes[1]], shown
    held, read, written, mean = map(int, shown[0][6:10])
    assert held >= 300 << 20 and read >= 300 << 20 and written >= 30 << 20
    assert held / 3 <= mean < held and shown[0][10] in ("0", "1", "2")


def cpu_minutes_of(cluster):
    """Returns the CPU minutes of two nodes with 4 CPUs each, since the database was made."""
    [[lived_s]] = cluster.sql("SELECT extract(epoch FROM now() - min(applied_at))"
                              " FROM cox.schema_version")
    return 2 * 4 * float(lived_s) / 60


def test_sreport_sums_the_resources_of_attempts(cluster, slurm):
    job = submit(slurm, "sleep 2", "-n2")
    cluster.wait_state(job, "COMPLETED")
    since = ("start=now-1days", "end=now")
    [[held]] = cluster.sql(
        "SELECT sum(n.cpus * extract(epoch FROM a.ended_at - a.began_at)) FROM cox.attempt a"
        " JOIN cox.attempt_node n USING (job_id, attempt)")
    used = slurm("sreport", "-nP", "-t", "seconds", "user", "top", *since, "format=login,used")
    login, seconds = used.strip().split("|")
    # "now" is a whole second, so up to a second of each of the two CPUs is not counted yet.
    missing = float(held) - float(seconds)
    assert login == getpass.getuser() and -0.5 <= missing <= 2.5, (used, held)
    before = cpu_minutes_of(cluster)
    shown = slurm("sreport", "cluster", "utilization", *since).splitlines()
    assert shown[1].startswith("Cluster Utilization ") and shown[2] == (
        "Usage reported in CPU Minutes")
    assert shown[4].split() == ["Cluster", "Allocated", "Down", "PLND", "Down", "Idle", "Planned",
                                "Reported"]
    cells = shown[6].split()
    # sreport rounds to minutes.
    assert before - 2 <= int(cells[-1]) <= cpu_minutes_of(cluster) + 2
    sizes = slurm("sreport", "-nP", "job", "sizesbyaccount", "printjobcount", *since)
    assert int(sizes.split("|")[2]) >= 1, sizes
    refused = slurm("sreport", "cluster", "frob", check=False)
    assert refused.returncode == 1 and "Not valid report frob" in refused.stderr
