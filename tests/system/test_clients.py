"""Programs of others that use the queue by Slurm's commands, as Debian packages them. Each submits,
waits, reads results, handles a job that fails, and cancels. A program that is not installed is
skipped."""

import importlib.util
import os
import shutil
import subprocess

from patience import LONG_DEADLINE_S
import pytest
from cluster import PYTHON
from real_cluster import SLURM_NAMES

CLUSTER = {"nodes": 3, "cpus": 4, "settings": {"kill_wait": "1s"}}
R_PACKAGES = "/usr/lib/R/site-library"


def needs(program=None, module=None, r_package=None):
    there = (program is None or shutil.which(program),
             module is None or importlib.util.find_spec(module),
             r_package is None or shutil.which("Rscript") and os.path.isdir(
                 f"{R_PACKAGES}/{r_package}"))
    return pytest.mark.skipif(not all(there), reason=f"{program or module or r_package} is missing")


class Client:
    """A user's shell in a folder, where Slurm's names run cox."""

    def __init__(self, cluster, folder):
        self.cluster, self.folder = cluster, folder
        links = folder / "bin"
        links.mkdir()
        for name in SLURM_NAMES:
            (links / name).symlink_to(cluster.bin / "cox")
        self.environment = dict(cluster.environment, USER="root", LOGNAME="root",
                                HOME=str(folder), TMPDIR=str(folder),
                                PATH=f"{links}:{cluster.environment['PATH']}")

    def run(self, *words, code=0, **variables):
        done = subprocess.run([*map(str, words)], cwd=self.folder, text=True, capture_output=True,
                              env=dict(self.environment, **variables), timeout=LONG_DEADLINE_S)
        assert done.returncode == code, f"{done.stdout}{done.stderr}\n{self.cluster.logs()}"
        return done.stdout

    def python(self, program, *words):
        (self.folder / "client.py").write_text(program)
        return self.run(PYTHON, "client.py", *words)

    def r(self, program):
        (self.folder / "client.R").write_text(program)
        return self.run("Rscript", "client.R")

    def put(self, name, text):
        (self.folder / name).write_text(text)
        (self.folder / name).chmod(0o755)

    def states(self, name):
        rows = self.cluster.sql(f"SELECT state FROM cox.job WHERE name LIKE '{name}' ORDER BY id")
        return [state for state, in rows]


@pytest.fixture
def client(cluster, folder):
    return Client(cluster, folder)


# ---- submitit ------------------------------------------------------------------------------------

SUBMITIT = """#!/bin/bash

# Parameters
#SBATCH --array=0-1%2
#SBATCH --comment='a '"'"'quoted'"'"' comment'
#SBATCH --error=FOLDER/%A_%a/%A_%a_0_log.err
#SBATCH --job-name=submitit
#SBATCH --mem=100MB
#SBATCH --nodes=1
#SBATCH --ntasks-per-node=2
#SBATCH --open-mode=append
#SBATCH --output=FOLDER/%A_%a/%A_%a_0_log.out
#SBATCH --signal=USR2@90
#SBATCH --time=5
#SBATCH --wckey=submitit

# command
export SUBMITIT_EXECUTOR=slurm
srun --unbuffered --output FOLDER/%A_%a/%A_%a_%t_log.out --error FOLDER/%A_%a/%A_%a_%t_log.err \
echo rank
"""


def test_an_array_of_submitit_writes_to_output_folders_that_did_not_exist(client, cluster):
    """submitit learns the id from sbatch; the job may have begun by then."""
    client.put("submission.sh", SUBMITIT.replace("FOLDER", str(client.folder)))
    job = int(client.run("sbatch", "submission.sh").split()[3])
    cluster.wait_for(lambda: client.states("submitit") == ["COMPLETED"] * 2,
                     "both tasks to end")
    for task in (0, 1):
        for rank in (0, 1):
            log = client.folder / f"{job}_{task}" / f"{job}_{task}_{rank}_log.out"
            assert log.read_text() == "rank\n"
    printed = client.run("sacct", "-o", "JobID,State,NodeList", "--parsable2", "-j", job)
    assert f"{job}_0|COMPLETED|n" in printed


def test_submitit_requeues_a_job_that_was_signalled(client, cluster):
    """A job of submitit does this on the signal of its time limit or of a preemption."""
    client.put("job.sh", """#!/bin/bash
#SBATCH --open-mode=append --signal=USR2@90 --time=5 --output=log.txt --job-name=again
srun --unbuffered bash -c 'trap "" TERM; trap "" CONT
trap "scontrol requeue $SLURM_JOB_ID; exit 1" USR2
echo run ${SLURM_RESTART_COUNT:-first}
[ -n "$SLURM_RESTART_COUNT" ] || while :; do sleep 0.1; done'
""")
    job = int(client.run("sbatch", "job.sh").split()[3])
    log = client.folder / "log.txt"
    cluster.wait_for(lambda: log.exists() and "run first" in log.read_text(), "the first run")
    client.run("scancel", job, "--signal", "SIGTERM")
    client.run("scancel", job, "--signal", "USR2")
    cluster.wait_state(job, "COMPLETED")
    assert [line for line in log.read_text().splitlines() if line.startswith("run")] == [
        "run first", "run 1"]


# ---- workflows -----------------------------------------------------------------------------------

SNAKEFILE = """
rule report:
    input: expand("part{n}.txt", n=[1, 2, 3])
    output: "report.txt"
    resources: mem_mb=50, runtime=5
    shell: "cat {input} > {output}"
rule part:
    output: "part{n}.txt"
    resources: mem_mb=50, runtime=5
    threads: 2
    shell: "echo part {wildcards.n}, $SLURM_CPUS_PER_TASK cpus > {output}"
rule bad:
    output: "never.txt"
    resources: mem_mb=50, runtime=5
    shell: "exit 7"
"""
SNAKEMAKE = ("snakemake", "--cluster",
             "sbatch --parsable --partition=main --cpus-per-task={threads} --mem={resources.mem_mb}"
             " --job-name=smk-{rule}-%j --output=logs/{rule}-%j.out --time={resources.runtime}",
             "--cluster-status", "./status.sh", "--cluster-cancel", "scancel", "--jobs", "3",
             "--latency-wait", "20")
# Snakemake's documentation has such a script.
SNAKEMAKE_STATUS = """#!/bin/sh
case $(sacct -j "$1" --format State --noheader | head -1 | awk '{print $1}') in
  COMPLETED) echo success ;;
  PENDING | CONFIGURING | COMPLETING | RUNNING | SUSPENDED) echo running ;;
  *) echo failed ;;
esac
"""


@needs(program="snakemake")
def test_snakemake_runs_rules_with_commands_of_a_profile(client):
    client.put("Snakefile", SNAKEFILE)
    client.put("status.sh", SNAKEMAKE_STATUS)
    client.run(*SNAKEMAKE)
    assert (client.folder / "report.txt").read_text() == "".join(
        f"part {n}, 2 cpus\n" for n in (1, 2, 3))
    client.run(*SNAKEMAKE, "never.txt", code=1)
    assert client.states("smk-%") == ["COMPLETED"] * 4 + ["FAILED"]


TOIL = """
import sys
from toil.batchSystems.slurm import SlurmBatchSystem
from toil.common import Toil
from toil.job import Job
SMALL = {"memory": "100M", "cores": 1, "disk": "10M"}
def part(job, number):
    return number * number
def total(job, parts):
    return sum(parts)
def flow(job):
    parts = [job.addChildJobFn(part, number, **SMALL).rv() for number in range(3)]
    return job.addFollowOnJobFn(total, parts, **SMALL).rv()
if __name__ == "__main__":
    print("it would look every", SlurmBatchSystem.getWaitDuration(), "s")
    with Toil(Job.Runner.getDefaultArgumentParser().parse_args()) as toil:
        print("the total is", toil.start(Job.wrapJobFn(flow, **SMALL)))
"""


@needs(module="toil")
def test_toil_runs_a_workflow(client):
    """toil reads SchedulerTimeSlice from scontrol, unless an option sets its polling interval, as
    here."""
    printed = client.python(TOIL, f"file:{client.folder}/store", "--batchSystem", "slurm",
                            "--disableCaching", "--statePollingWait", "1")
    assert "it would look every 36 s" in printed and "the total is 5" in printed
    states = client.states("toil_job_%")
    assert states and set(states) == {"COMPLETED"}


NIPYPE = """
import nipype.pipeline.engine as pe
from nipype import config
from nipype.interfaces.utility import Function
config.update_config({"execution": {"poll_sleep_duration": "1", "crashdump_dir": "crash"}})
def square(x):
    return x * x
def add(xs):
    return sum(xs)
def fail():
    raise ValueError("it fails")
def node(kind, name, function, given, gives):
    return kind(Function(input_names=given, output_names=gives, function=function), name=name)
options = {"plugin": "SLURM", "plugin_args": {
    "sbatch_args": "--partition=main --time=5", "template": "#!/bin/bash\\n#SBATCH --mem=200\\n"}}
flow = pe.Workflow("flow", base_dir=".")
squares = node(pe.Node, "square", square, ["x"], ["y"])
squares.iterables = ("x", [1, 2, 3])
total = pe.JoinNode(Function(input_names=["xs"], output_names=["total"], function=add),
                    joinsource="square", joinfield="xs", name="total")
flow.connect(squares, "y", total, "xs")
done = flow.run(**options)
print("the total is", [one.result.outputs.total for one in done.nodes() if one.name == "total"])
bad = pe.Workflow("bad", base_dir=".")
bad.add_nodes([node(pe.Node, "fail", fail, [], [])])
try:
    bad.run(**options)
except RuntimeError as error:
    print("it says:", str(error).strip().splitlines()[-1])
"""


@needs(module="nipype")
def test_nipype_runs_a_workflow(client):
    printed = client.python(NIPYPE)
    assert "the total is [14]" in printed
    assert "it says: " in printed
    assert len(client.states("%.flow.root")) == 4


# ---- engines -------------------------------------------------------------------------------------

IPYPARALLEL = f"""
import ipyparallel
from ipyparallel.cluster.launcher import SlurmEngineSetLauncher
cluster = ipyparallel.Cluster(engine_launcher_class=SlurmEngineSetLauncher, n=4,
                              controller_ip="127.0.0.1", profile_dir="profile")
cluster.config.SlurmEngineSetLauncher.queue = "main"
cluster.config.SlurmEngineSetLauncher.timelimit = "5"
cluster.start_cluster_sync()
client = cluster.connect_client_sync()
client.wait_for_engines(4, timeout={LONG_DEADLINE_S})
ranks = client[:].apply_sync(lambda: __import__("os").environ["SLURM_PROCID"])
print("ranks", sorted(ranks), "squares", client[:].map_sync(lambda x: x * x, range(5)))
cluster.stop_cluster_sync()
"""


@needs(module="ipyparallel")
def test_ipyparallel_starts_engines(client, cluster):
    (client.folder / "profile").mkdir()
    printed = client.python(IPYPARALLEL)
    assert "ranks ['0', '1', '2', '3'] squares [0, 1, 4, 9, 16]" in printed
    cluster.wait_for(lambda: client.states("ipy-engine-%") == ["CANCELLED"],
                     "the job of the engines to end")


# ---- R -------------------------------------------------------------------------------------------

RSLURM = """
library(rslurm)
answer <- function(a, b) c(sum = a + b)
many <- slurm_apply(answer, data.frame(a = 1:4, b = 11:14), jobname = "many", nodes = 2,
                    cpus_per_node = 2, slurm_options = list(time = "5", partition = "main"))
cat("sums", get_slurm_out(many, outtype = "table", wait = TRUE)$sum, "\\n")
bad <- slurm_call(function(x) stop("it fails"), list(x = 1), jobname = "bad")
get_slurm_out(bad, outtype = "raw", wait = TRUE)
cat("of the bad one:", unlist(get_job_status(bad)$log), "\\n")
long <- slurm_call(function(x) Sys.sleep(600), list(x = 1), jobname = "long")
cat("has ended:", get_job_status(long)$completed, "")
cancel_slurm(long)
while (!get_job_status(long)$completed) Sys.sleep(0.2)
cat(get_job_status(long)$completed, "\\n")
"""


@needs(r_package="rslurm")
def test_rslurm_runs_functions(client):
    printed = client.r(RSLURM)
    assert "sums 12 14 16 18 \n" in printed
    assert "of the bad one: Error in (function (x)  : it fails" in printed
    assert "has ended: FALSE TRUE \n" in printed
    assert client.states("long") == ["CANCELLED"]


BATCHTOOLS = """
library(batchtools)
registry <- makeRegistry("registry", seed = 1)
registry$cluster.functions <- makeClusterFunctionsSlurm("slurm-simple", scheduler.latency = 0.2)
saveRegistry(registry)
resources <- list(walltime = 300, memory = 100, ncpus = 1, partition = "main")
batchMap(function(x) { if (x == 3) stop("three is bad"); x^2 }, x = 1:4)
submitJobs(resources = resources)
waitForJobs(sleep = 0.5)
cat("squares", unlist(reduceResultsList(findDone())), "errors", findErrors()$job.id, "\\n")
clearRegistry()
batchMap(function(x) Sys.sleep(600), x = 1:2)
submitJobs(resources = resources)
while (nrow(findRunning()) < 2) Sys.sleep(0.2)
killJobs()
cat("on the system:", nrow(findOnSystem()), "\\n")
"""


@needs(r_package="batchtools")
def test_batchtools_runs_and_kills_jobs(client):
    printed = client.r(BATCHTOOLS)
    assert "squares 1 4 16 errors 3 \n" in printed
    assert "on the system: 0 \n" in printed
    assert client.states("job%") == ["COMPLETED"] * 4 + ["CANCELLED"] * 2


FUTURE = """
library(future.batchtools)
plan(batchtools_slurm, template = "R_PACKAGES/batchtools/templates/slurm-simple.tmpl",
     resources = list(walltime = 300, memory = 100, ncpus = 1, partition = "main"))
each <- lapply(1:3, function(i) future(i^2))
cat("squares", sapply(each, value), "\\n")
cat(tryCatch(value(future(stop("it fails"))), error = function(e) conditionMessage(e)), "\\n")
""".replace("R_PACKAGES", R_PACKAGES)


@needs(r_package="future.batchtools")
def test_futures_of_r_run_as_jobs(client):
    printed = client.r(FUTURE)
    assert "squares 1 4 9 \n" in printed and "it fails" in printed


# ---- groups of nodes -----------------------------------------------------------------------------

@needs(program="nodeset")
def test_clustershell_finds_groups_of_nodes(client, cluster):
    """ClusterShell's own bindings to Slurm: groups by partition, by state, by job and by user."""
    groups = client.folder / "groups.conf.d"
    groups.mkdir()
    shutil.copy("/etc/clustershell/groups.conf.d/slurm.conf.example", groups / "slurm.conf")
    client.put("groups.conf", f"[Main]\ndefault: sp\nconfdir: {groups}\n")
    job = int(client.run("sbatch", "--parsable", "-N2", "-o", "/dev/null", "--wrap", "sleep 1000"))
    cluster.wait_state(job, "RUNNING")

    def nodes(*words, **expected):
        return client.run("nodeset", *words, CLUSTERSHELL_CFGDIR=str(client.folder), **expected)

    assert nodes("-l", "-s", "sp") == "@sp:main\n" and nodes("-f", "-a", "-s", "sp") == "n[1-3]\n"
    assert nodes("-l", "-s", "st") == "@st:idle\n@st:mixed\n"
    assert nodes("-f", "@st:idle") == "n3\n"
    assert nodes("-f", f"@sj:{job}") == nodes("-f", "@su:root") == "n[1-2]\n"
    assert nodes("-ll", "-s", "sj") == f"@sj:{job} n[1-2]\n"
    assert nodes("-l", "-s", "st", "n1") == "@st:mixed\n"
    nodes("-f", "@sj:99999", code=1)
