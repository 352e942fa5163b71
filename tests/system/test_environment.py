"""The SLURM_* variables of scripts, tasks, shells and array tasks, as Slurm 22.05 set them for the
same commands. Left out are variables on which nobody relies: SLURM_CONF, SLURM_NODE_ALIASES,
SLURM_WORKING_CLUSTER, SLURM_PRIO_PROCESS of a script."""

import getpass
import os
import re
import socket
import subprocess

from patience import DEADLINE_S
import pytest

CLUSTER = {"nodes": 2, "cpus": 4, "gpus": ("h100:2",)}
NAMES = ("sbatch", "srun", "salloc", "scontrol")
ONE_HOST = socket.gethostname()

# Columns of values: the script, task 2 of srun and the shell of salloc, all with -N2 -n3 -t10; and
# task 5 of an array, with -a 3-7:2. A dash: the variable is not set. Text in /.../ is a pattern;
# JOB is the job's id.
TABLE = """
ENVIRONMENT                 BATCH       BATCH       -            BATCH
SLURMD_NODENAME             n1          n2          -            /n[12]/
SLURM_ARRAY_JOB_ID          -           -           -            ARRAY
SLURM_ARRAY_TASK_COUNT      -           -           -            3
SLURM_ARRAY_TASK_ID         -           -           -            5
SLURM_ARRAY_TASK_MAX        -           -           -            7
SLURM_ARRAY_TASK_MIN        -           -           -            3
SLURM_ARRAY_TASK_STEP       -           -           -            2
SLURM_CLUSTER_NAME          CLUSTER     CLUSTER     CLUSTER      CLUSTER
SLURM_CPUS_ON_NODE          2           1           -            1
SLURM_CPUS_PER_TASK         -           -           -            -
SLURM_DISTRIBUTION          -           block       -            -
SLURM_EXPORT_ENV            -           -           -            -
SLURM_GTIDS                 0           2           -            0
SLURM_JOBID                 JOB         JOB         JOB          JOB
SLURM_JOB_ACCOUNT           -           -           -            -
SLURM_JOB_CPUS_PER_NODE     2,1         2,1         2,1          1
SLURM_JOB_END_TIME          END         END         END          -
SLURM_JOB_GID               GID         GID         GID          GID
SLURM_JOB_ID                JOB         JOB         JOB          JOB
SLURM_JOB_NAME              train       train       interactive  train
SLURM_JOB_NODELIST          n[1-2]      n[1-2]      n[1-2]       /n[12]/
SLURM_JOB_NUM_NODES         2           2           2            1
SLURM_JOB_PARTITION         PARTITION   PARTITION   PARTITION    PARTITION
SLURM_JOB_QOS               standard    standard    standard     standard
SLURM_JOB_START_TIME        /[0-9]+/    /[0-9]+/    /[0-9]+/     /[0-9]+/
SLURM_JOB_UID               UID         UID         UID          UID
SLURM_JOB_USER              USER        USER        USER         USER
SLURM_LAUNCH_NODE_IPADDR    -           /[0-9.]+/   -            -
SLURM_LOCALID               0           0           -            0
SLURM_MEM_PER_NODE          -           -           -            -
SLURM_NNODES                2           2           2            1
SLURM_NODEID                0           1           -            0
SLURM_NODELIST              n[1-2]      n[1-2]      n[1-2]       /n[12]/
SLURM_NPROCS                3           3           3            -
SLURM_NTASKS                3           3           3            -
SLURM_NTASKS_PER_NODE       -           -           -            -
SLURM_OPEN_MODE             -           -           -            -
SLURM_PRIO_PROCESS          -           /-?[0-9]+/  -            -
SLURM_PROCID                0           2           -            0
SLURM_RESTART_COUNT         -           -           -            -
SLURM_SRUN_COMM_HOST        -           /[0-9.]+/   -            -
SLURM_SRUN_COMM_PORT        -           /[0-9]+/    -            -
SLURM_STEPID                -           0           -            -
SLURM_STEP_ID               -           0           -            -
SLURM_STEP_LAUNCHER_PORT    -           /[0-9]+/    -            -
SLURM_STEP_NODELIST         -           n[1-2]      -            -
SLURM_STEP_NUM_NODES        -           2           -            -
SLURM_STEP_NUM_TASKS        -           3           -            -
SLURM_STEP_TASKS_PER_NODE   -           2,1         -            -
SLURM_SUBMIT_DIR            FOLDER      FOLDER      FOLDER       FOLDER
SLURM_SUBMIT_HOST           HOST        HOST        HOST         HOST
SLURM_TASKS_PER_NODE        2,1         2,1         2,1          1
SLURM_TASK_PID              /[0-9]+/    /[0-9]+/    -            /[0-9]+/
SLURM_TOPOLOGY_ADDR         n1          n2          -            /n[12]/
SLURM_TOPOLOGY_ADDR_PATTERN node        node        -            node
SLURM_UMASK                 -           /0[0-7]{3}/ -            -
CUDA_VISIBLE_DEVICES        //          //          -            //
SRUN_DEBUG                  -           3           -            -
"""

# (one more option, the variables that it must set in the script, or with "srun:" in the script's
# first task)
OF_OPTIONS = (
    ("-N2 --ntasks-per-node=2 -c2", "SLURM_NTASKS_PER_NODE=2 SLURM_CPUS_PER_TASK=2 SLURM_NTASKS=4 "
     "SLURM_TASKS_PER_NODE=2(x2) SLURM_JOB_CPUS_PER_NODE=4(x2) srun:SLURM_CPUS_PER_TASK=2 "
     "srun:SLURM_NTASKS_PER_NODE=2"),
    ("-N2 --exclusive", "SLURM_TASKS_PER_NODE=4(x2) SLURM_NTASKS=- srun:SLURM_TASKS_PER_NODE=1(x2) "
     "srun:SLURM_NTASKS=2"),
    ("-N2 --exclusive -c2", "SLURM_TASKS_PER_NODE=2(x2)"),
    ("-N2 --exclusive -n2", "SLURM_TASKS_PER_NODE=1(x2) SLURM_CPUS_ON_NODE=4"),
    ("-N2", "SLURM_NTASKS=- srun:SLURM_NTASKS=2 srun:SLURM_DISTRIBUTION=cyclic"),
    ("-n2 -m cyclic", "SLURM_DISTRIBUTION=cyclic srun:SLURM_DISTRIBUTION=cyclic"),
    ("--mem=100", "SLURM_MEM_PER_NODE=100 SLURM_MEM_PER_CPU=-"),
    ("--mem-per-cpu=100", "SLURM_MEM_PER_CPU=100 SLURM_MEM_PER_NODE=-"),
    ("--hint=nomultithread", "SLURM_HINT=nomultithread SLURM_THREADS_PER_CORE=1"),
    ("--open-mode=append", "SLURM_OPEN_MODE=a srun:SLURM_OPEN_MODE=a"),
    ("--export=ALL,FOO=1", "SLURM_EXPORT_ENV=ALL,FOO=1 FOO=1 srun:FOO=1 "
     "srun:SLURM_EXPORT_ENV=ALL,FOO=1"),
    ("--export=NONE", "SLURM_EXPORT_ENV=NONE FROM_HERE=- srun:SLURM_EXPORT_ENV=NONE srun:HOME=- "
     "SLURM_SUBMIT_DIR=FOLDER HOME=HOME USER=USER"),
    ("--gres=gpu:2", "SLURM_JOB_GPUS=0,1 SLURM_GPUS_ON_NODE=2 CUDA_VISIBLE_DEVICES=0,1 "
     "SLURM_STEP_GPUS=- srun:SLURM_STEP_GPUS=0,1 srun:CUDA_VISIBLE_DEVICES=0,1 "
     "SLURM_GPUS_PER_NODE=-"),
    ("--gpus-per-node=h100:2", "SLURM_GPUS_PER_NODE=h100:2 srun:SLURM_GPUS_PER_NODE=h100:2 "
     "srun:CUDA_VISIBLE_DEVICES=0,1"),
    ("-n2 --ntasks-per-gpu=1", "SLURM_NTASKS_PER_GPU=1 SLURM_GPUS=2 SLURM_NTASKS=2 "
     "CUDA_VISIBLE_DEVICES=0,1 srun:CUDA_VISIBLE_DEVICES=0"),
    ("--gpus=2 --gpus-per-task=1", "SLURM_NTASKS=2 srun:CUDA_VISIBLE_DEVICES=0"),
    ("-m plane=2 -n2", "SLURM_DISTRIBUTION=plane=2 SLURM_DIST_PLANESIZE=2"),
    ("--gpu-freq=high", "SLURM_GPU_FREQ=high"),
)


class Login:
    def __init__(self, cluster, folder):
        self.cluster, self.folder = cluster, folder
        self.environment = dict(cluster.environment, FROM_HERE="x",
                                PATH=f"{folder}:{cluster.environment['PATH']}")
        # With --export=NONE, a job gets USER from the user database.
        self.environment.pop("USER", None)
        for name in NAMES:
            (folder / name).symlink_to(cluster.bin / "cox")
        self.put("save.sh", "#!/bin/sh\n/usr/bin/env -0 > $1\n")
        self.put("job.sh", f"#!/bin/sh\ncd {folder}\n./save.sh ${{SLURM_ARRAY_TASK_ID}}script\n"
                           f"{folder}/srun /bin/sh -c '{folder}/save.sh task$SLURM_PROCID'\n")

    def put(self, name, text):
        (self.folder / name).write_text(text)
        (self.folder / name).chmod(0o755)

    def run(self, *words):
        done = subprocess.run([self.folder / words[0], *words[1:]], cwd=self.folder, text=True,
                              env=self.environment, capture_output=True, stdin=subprocess.DEVNULL,
                              timeout=DEADLINE_S)
        assert done.returncode == 0, f"{words}: {done.stdout}{done.stderr}{self.cluster.logs()}"
        return done.stdout

    def sbatch(self, *options):
        return int(self.run("sbatch", "-W", "-J", "train", *options, "job.sh").split()[-1])

    def saved(self, name):
        entries = (self.folder / name).read_text().split("\0")
        return dict(entry.split("=", 1) for entry in entries if entry)

    def words(self, job, found):
        """Returns the values of the placeholders of the tables."""
        cluster = self.cluster
        start = int(found.get("SLURM_JOB_START_TIME", 0))
        return {"JOB": str(job), "ARRAY": str(job), "USER": getpass.getuser(), "HOST": ONE_HOST,
                "UID": str(os.getuid()), "GID": str(os.getgid()), "FOLDER": str(self.folder),
                "CLUSTER": cluster.layout["cluster_name"], "END": str(start + 600),
                "PARTITION": cluster.sql(f"SELECT partition FROM cox.job WHERE id = {job}")[0][0],
                "HOME": self.environment.get("HOME", "-")}


@pytest.fixture
def login(cluster, tmp_path):
    return Login(cluster, tmp_path)


def matches(value, wanted, words):
    if wanted == "-":
        return value is None
    if wanted.startswith("/") and wanted.endswith("/"):
        return value is not None and re.fullmatch(wanted[1:-1], value)
    return value == words.get(wanted, wanted)


def differences(found, column, words):
    wrong = []
    for line in TABLE.split("\n"):
        if line and not matches(found.get(line.split()[0]), line.split()[column], words):
            wrong.append((line.split()[0], found.get(line.split()[0]), line.split()[column]))
    return wrong


def test_scripts_tasks_and_shells_have_slurms_variables(login):
    job = login.sbatch("-N2", "-n3", "-t10")
    script, task = login.saved("script"), login.saved("task2")
    assert differences(script, 1, login.words(job, script)) == []
    assert differences(task, 2, login.words(job, task)) == []
    login.run("salloc", "-Q", "-N2", "-n3", "-t10", "./save.sh", "shell")
    shell = login.saved("shell")
    assert differences(shell, 3, login.words(int(shell["SLURM_JOB_ID"]), shell)) == []
    array = login.sbatch("-a", "3-7:2")
    element = login.saved("5script")
    words = dict(login.words(array, element), JOB=element["SLURM_JOB_ID"])
    assert differences(element, 4, words) == []
    ids = {login.saved(f"{number}script")["SLURM_JOB_ID"] for number in (3, 5, 7)}
    assert len(ids) == 3 and str(array) in ids


def test_scripts_and_tasks_have_only_the_listed_slurm_variables(login):
    login.sbatch("-N2", "-n3", "-t10")
    known = {line.split()[0] for line in TABLE.split("\n") if line}
    for name in ("script", "task0"):
        assert {each for each in login.saved(name) if each.startswith("SLURM")} <= known


@pytest.mark.parametrize("options,wanted", OF_OPTIONS, ids=[row[0] for row in OF_OPTIONS])
def test_options_of_sbatch_set_their_variables_in_the_script_and_a_task(login, options, wanted):
    job = login.sbatch(*options.split())
    script, task = login.saved("script"), login.saved("task0")
    for each in wanted.split():
        name, _, value = each.partition("=")
        found = task if name.startswith("srun:") else script
        words = login.words(job, found)
        assert matches(found.get(name.removeprefix("srun:")), value, words), (each, found.get(
            name.removeprefix("srun:")))


def test_a_requeued_job_gets_slurm_restart_count(login):
    login.put("job.sh", f"#!/bin/sh\ncd {login.folder}\n./save.sh run$SLURM_RESTART_COUNT\n"
                        "[ -n \"$SLURM_RESTART_COUNT\" ] && exit\n"
                        "./scontrol requeue $SLURM_JOB_ID; sleep 100\n")
    login.sbatch("--requeue")
    first, second = login.saved("run"), login.saved("run1")
    assert first["SLURM_JOB_ID"] == second["SLURM_JOB_ID"]
    assert "SLURM_RESTART_COUNT" not in first
