"""salloc, and srun outside an allocation, with real daemons."""

import errno
import os
import pty
import select
import signal
import subprocess
import time

from patience import DEADLINE_S
import pytest

CLUSTER = {"nodes": 2, "cpus": 4, "settings": {"kill_wait": "2s"}}
NAMES = ("salloc", "srun", "sbatch", "sbcast", "squeue", "scancel")


class Login:
    """A user's shell beside the cluster, with Slurm's commands by their names."""

    def __init__(self, cluster, folder):
        self.cluster, self.folder = cluster, folder
        self.environment = dict(cluster.environment,
                                PATH=f"{folder}:{cluster.environment['PATH']}")
        for name in NAMES:
            (folder / name).symlink_to(cluster.bin / "cox")

    def run(self, *words, timeout_s=DEADLINE_S, **more):
        return subprocess.run([self.folder / words[0], *map(str, words[1:])], cwd=self.folder,
                              env=dict(self.environment, **more), capture_output=True, text=True,
                              stdin=subprocess.DEVNULL, timeout=timeout_s)

    def start(self, *words, **options):
        return subprocess.Popen([self.folder / words[0], *map(str, words[1:])], cwd=self.folder,
                                env=self.environment, text=True,
                                **{"stdin": subprocess.DEVNULL, "stdout": subprocess.PIPE,
                                   "stderr": subprocess.PIPE, **options})

    def job(self, state):
        """Waits until the newest job is in this state, and returns its id."""
        def newest():
            rows = self.cluster.sql("SELECT id, state FROM cox.job ORDER BY id DESC LIMIT 1")
            return int(rows[0][0]) if rows and rows[0][1] == state else None
        return self.cluster.wait_for(newest, f"a job that is {state}")

    def ended(self, job):
        self.cluster.wait_for(lambda: self.cluster.sql(
            f"SELECT 1 FROM cox.job WHERE id = {job} AND ended_at IS NOT NULL"),
            f"job {job} to end")
        return tuple(self.cluster.sql(
            f"SELECT state, exit_code, exit_signal FROM cox.job WHERE id = {job}")[0])


@pytest.fixture
def login(cluster, tmp_path):
    return Login(cluster, tmp_path)


@pytest.mark.parametrize("option, path, why", [
    ("--input", "/nowhere", "No such file or directory"),
    ("--output", "/dev/null/out", "Not a directory"),
    ("--error", "/tmp", "Is a directory")])
def test_srun_submits_nothing_for_a_file_that_it_cannot_open(login, option, path, why):
    done = login.run("srun", "-n1", "--comment=unopened", option, path, "true")
    assert done.returncode == 1 and done.stdout == ""
    assert f"srun: error: cannot open {path}: {why}" in done.stderr
    assert f"name a file that you can {'read' if option == '--input' else 'write'}" in done.stderr
    assert not login.cluster.sql("SELECT id FROM cox.job WHERE comment = 'unopened'")


def test_srun_allocates_nodes_runs_and_releases_them(login):
    done = login.run("srun", "-N2", "-n2", "-l", "--comment=once", "sh", "-c",
                     "echo $SLURMD_NODENAME $SLURM_JOB_NUM_NODES $SLURM_NTASKS $SLURM_STEP_ID")
    assert done.returncode == 0, done.stderr
    assert sorted(done.stdout.splitlines()) == ["0: n1 2 2 0", "1: n2 2 2 0"]
    job = int(login.cluster.sql("SELECT max(id) FROM cox.job WHERE comment = 'once'")[0][0])
    assert login.ended(job) == ("COMPLETED", "0", "0")
    failed = login.run("srun", "sh", "-c", "exit 7")
    assert failed.returncode == 7
    assert login.ended(job + 1) == ("FAILED", "7", "0")
    refused = login.run("srun", "-N99", "true")
    assert refused.returncode == 1
    assert refused.stderr.startswith("srun: error: Unable to allocate resources: ")


def test_salloc_runs_a_command_in_the_allocation_and_exits_with_its_code(login):
    done = login.run("salloc", "-N2", "-n3", "sh", "-c",
                     "echo job $SLURM_JOB_ID on $SLURM_JOB_NODELIST of $SLURM_TASKS_PER_NODE;"
                     "srun sh -c 'echo $SLURM_PROCID of $SLURM_NTASKS'; exit 5")
    assert done.returncode == 5, done.stderr
    lines = done.stdout.splitlines()
    job = int(lines[0].split()[1])
    assert lines[0] == f"job {job} on n[1-2] of 2,1"
    assert sorted(lines[1:]) == ["0 of 3", "1 of 3", "2 of 3"]
    said = done.stderr.splitlines()
    assert f"salloc: Granted job allocation {job}" in said
    assert said[-1] == f"salloc: Relinquishing job allocation {job}"
    assert login.ended(job) == ("FAILED", "5", "0")


def test_a_queued_srun_says_so_and_cancels_its_job_when_interrupted(login):
    first = login.start("salloc", "-N2", "--exclusive", "sleep", "1000")
    holder = login.job("RUNNING")
    waiting = login.start("srun", "-n1", "hostname")
    job = login.job("PENDING")
    assert job == holder + 1
    assert waiting.stderr.readline() == f"srun: job {job} queued and waiting for resources\n"
    waiting.send_signal(signal.SIGINT)
    assert waiting.stderr.read() == (f"srun: Job allocation {job} has been revoked\n"
                                     f"srun: Force Terminated JobId={job}\n")
    assert waiting.wait(DEADLINE_S) == 1
    assert login.ended(job)[0] == "CANCELLED"
    now = login.run("srun", "-I", "-n1", "hostname")
    assert now.returncode == 1
    assert "Immediate execution impossible" in now.stderr
    first.send_signal(signal.SIGTERM)
    first.wait(DEADLINE_S)
    assert login.ended(holder)[0] in ("FAILED", "COMPLETED")


def test_srun_reports_an_unsatisfiable_dependency_before_it_waits(login):
    failed = login.start("salloc", "-n1", "false")
    failed.communicate(timeout=DEADLINE_S)
    first = login.job("FAILED")
    waiting = login.start("srun", "-n1", "-d", f"afterok:{first}", "hostname")
    job = login.job("PENDING")
    assert waiting.stderr.readline() == (
        f"srun: job {job} waits in vain for job {first} (FAILED) to complete successfully; "
        f"`cox cancel {job}` ends it\n")
    assert waiting.stderr.readline() == f"srun: job {job} queued and waiting for resources\n"
    waiting.send_signal(signal.SIGINT)
    waiting.communicate(timeout=DEADLINE_S)
    assert waiting.returncode == 1


def test_cancelling_an_allocation_ends_the_command_of_salloc(login):
    shell = login.start("salloc", "-Q", "sleep", "1000")
    job = login.job("RUNNING")
    assert login.run("scancel", job).returncode == 0
    assert shell.wait(DEADLINE_S) == 128 + signal.SIGHUP
    assert f"salloc: Job allocation {job} has been revoked." in shell.stderr.read()
    assert login.ended(job)[0] == "CANCELLED"


def test_an_allocation_without_a_shell_serves_steps_until_it_is_cancelled(login):
    done = login.run("salloc", "-n2", "--no-shell")
    assert done.returncode == 0, done.stderr
    job = login.job("RUNNING")
    step = login.run("srun", f"--jobid={job}", "-n2", "sh", "-c", "echo $SLURM_JOB_ID")
    assert step.stdout.splitlines() == [str(job)] * 2, step.stderr
    login.run("scancel", job)
    assert login.ended(job)[0] == "CANCELLED"


def test_salloc_gives_a_shell_the_terminal(login):
    master, slave = pty.openpty()
    shell = subprocess.Popen([login.folder / "salloc"], stdin=slave, stdout=slave, stderr=slave,
                             cwd=login.folder,
                             env=dict(login.environment, SHELL="/bin/sh", PS1="> "),
                             start_new_session=True,
                             preexec_fn=lambda: __import__("fcntl").ioctl(0, 0x540E, 0))
    os.close(slave)
    seen = b""

    def read_until(text):
        nonlocal seen
        end = time.monotonic() + DEADLINE_S
        while text not in seen:
            ready, _, _ = select.select([master], [], [], max(0, end - time.monotonic()))
            assert ready, f"waited in vain for {text}; the terminal shows {seen}"
            seen += os.read(master, 4096)

    read_until(b"> ")
    os.write(master, b"echo in-$SLURM_JOB_NUM_NODES-nodes; tty >/dev/null && echo on-a-tty\n")
    read_until(b"in-1-nodes")
    read_until(b"on-a-tty")
    os.write(master, b"exit 3\n")
    read_until(b"Relinquishing")
    assert shell.wait(DEADLINE_S) == 3
    os.close(master)


def test_sbatch_wait_exits_with_the_jobs_code_and_directives_of_the_script_apply(login):
    script = login.folder / "job.sh"
    script.write_text("#!/bin/sh\n#SBATCH --mem-per-cpu=10 -x n1 --hint=nomultithread\n"
                      "#SBATCH --mail-type=end,fail --comment='for the paper' --wckey=w\n"
                      "echo $SLURM_MEM_PER_CPU $SLURM_MEM_PER_NODE $SLURM_HINT $SLURMD_NODENAME\n"
                      "exit 4\n")
    done = login.run("sbatch", "-W", "-o", "out", script)
    assert done.returncode == 4, done.stderr
    assert done.stdout.startswith("Submitted batch job ")
    assert (login.folder / "out").read_text() == "10 nomultithread n2\n"
    job = int(done.stdout.split()[-1])
    assert login.cluster.sql(
        f"SELECT comment, mail_type, wckey, exclude, stored_options, command_path FROM cox.job "
        f"WHERE id = {job}") == [["for the paper", "END,FAIL", "w", "{n1}",
                                  "{hint=nomultithread}", str(script)]]


def test_verbose_srun_salloc_and_sbatch_print_the_options_in_effect(login):
    done = login.run("srun", "-vv", "-N1", "-n1", "-t3", "true")
    assert done.returncode == 0, done.stderr
    lines = done.stderr.splitlines()
    assert lines[0] == "srun: defined options"
    assert lines[1] == "srun: -------------------- --------------------"
    assert "srun: ntasks              : 1" in lines
    assert "srun: time                : 00:03:00" in lines
    assert "srun: verbose             : 2" in lines
    job = login.job("COMPLETED")
    assert f"srun: jobid {job}: nodes(1):`n1', cpu counts: 1(x1)" in lines, done.stderr
    held = login.run("salloc", "-v", "-n1", "true")
    assert "salloc: verbose             : 1\n" in held.stderr
    script = login.folder / "job.sh"
    script.write_text("#!/bin/sh\n#SBATCH -A nobody-else --tmp=1G\n")
    sent = login.run("sbatch", "-v", "--test-only", script)
    assert "sbatch: account             : nobody-else\n" in sent.stderr
    assert "sbatch: warning: --tmp has no effect here and is ignored\n" in sent.stderr


def test_a_range_of_nodes_without_a_minimum_begins_at_one_node(login):
    """Slurm reads -N-3 as 1 to 3 nodes."""
    done = login.run("srun", "-N-3", "-n4", "-O", "-t1", "--overlap", "hostname")
    assert done.returncode == 0 and len(done.stdout.splitlines()) == 4, done.stderr
    many = login.run("srun", "-N1m", "true")
    assert many.returncode == 1 and "More processors requested than permitted" in many.stderr


def test_srun_with_1_to_64_nodes_runs_a_task_on_each_of_the_two_nodes_there_are(login):
    done = login.run("srun", "-v", "-N1-64", "sh", "-c", "echo $SLURMD_NODENAME")
    assert done.returncode == 0 and sorted(done.stdout.split()) == ["n1", "n2"], done.stderr
    job = login.job("COMPLETED")
    assert f"srun: launching StepId={job}.0 on host n1, 1 tasks: 0\n" in done.stderr


def test_an_exclusive_srun_with_only_cpus_per_task_fills_its_node_with_tasks(login):
    done = login.run("srun", "-N1", "--exclusive", "-c2", "sh", "-c", "echo $SLURM_PROCID")
    assert sorted(done.stdout.split()) == ["0", "1"], done.stderr


def test_an_overcommitted_job_runs_all_its_tasks_on_one_cpu_a_node(login):
    script = login.folder / "many.sh"
    script.write_text(f"#!/bin/sh\n#SBATCH -O -N2 -n10 -o many.out\n{login.folder}/srun hostname\n")
    assert login.run("sbatch", script).returncode == 0
    job = login.job("COMPLETED")
    assert len((login.folder / "many.out").read_text().splitlines()) == 10
    held = login.cluster.sql(f"SELECT sum(cpus) FROM cox.attempt_node WHERE job_id = {job}")
    assert held == [["2"]]
    gang = login.cluster.cox("submit", "-O", "-n9", "--", "true", check=False)
    assert gang.returncode != 0 and "--overcommit (-O) is only for batch scripts" in gang.stderr
    shared = login.run("srun", "true", SLURM_OVERCOMMIT="1", SLURM_NPROCS="12")
    assert shared.returncode == 0, shared.stderr


def test_scancel_signal_is_retried_until_a_pending_job_runs(login):
    script = login.folder / "asks.sh"
    # It has no trap, since the signal may come as soon as the shell starts.
    script.write_text("#!/bin/sh\nwhile :; do sleep 0.1; done\n")
    busy = [login.start("salloc", "-N2", "--exclusive", "sleep", "1000")]
    login.job("RUNNING")
    sent = login.run("sbatch", "-n1", "-o", "asks.out", script)
    job = int(sent.stdout.split()[-1])
    signalling = login.start("scancel", "-v", "--batch", "--signal=USR1", job)
    line = next(each for each in iter(signalling.stderr.readline, "") if "retrying" in each)
    assert line == "scancel: Job is in transitional state, retrying\n"
    for each in busy:
        each.terminate()
        each.wait(DEADLINE_S)
    assert signalling.wait(DEADLINE_S) == 0, signalling.stderr.read()
    assert login.ended(job) == ("FAILED", "0", str(int(signal.SIGUSR1)))


def test_sbcast_copies_a_file_to_the_nodes_of_a_job(login):
    data = os.urandom(3_000_000)
    (login.folder / "data").write_bytes(data)
    (login.folder / "data").chmod(0o750)
    there = login.folder / "there"
    done = login.run("salloc", "-Q", "-N2", "-n2", login.folder / "sbcast", "-fp", "data", there)
    assert done.returncode == 0, done.stderr
    assert there.read_bytes() == data
    assert there.stat().st_mode & 0o777 == 0o750
    again = login.run("salloc", "-Q", "-wn1", login.folder / "sbcast", "data", there)
    assert again.returncode == errno.EEXIST
    assert "sbcast: error: REQUEST_FILE_BCAST(n1): File exists\n" in again.stderr
    assert "CANCELLED" not in again.stderr and "srun" not in again.stderr
    assert [path.name for path in login.folder.iterdir() if ".sbcast." in path.name] == []
    outside = login.run("sbcast", "data", there)
    assert "neither --jobid nor SLURM_JOB_ID is set" in outside.stderr
