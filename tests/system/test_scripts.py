"""Twenty scripts like those of researchers, run unchanged. The result of each is compared with the
result under Slurm 22.05, which scripts/NAME.slurm has (see script_runs.py)."""

import difflib
import importlib.util
import signal

from patience import LONG_DEADLINE_S
import pytest
import script_runs
from conftest import bring_up, settle

COMMANDS = ("sbatch", "srun", "squeue", "scancel", "sacct", "scontrol", "sbcast")
FIRST_JOB_ID = 71001  # a number that nothing else in the scripts and their output has
MAIL_PROGRAM = """#!/bin/sh
awk '/^To: /{to = $2} /^Subject: /{sub(/^Subject: /, ""); subject = $0}
     END{print subject "|" to}' >> "$(dirname "$0")/mailbox"
"""
TABLES = """
[[partition]]
name = "main"
memory_mb_per_cpu_default = 1000
"""

# By script: the text of Slurm, the text of Coxswain in its place, and the reason.
QOS = ("QOS=normal\n", "QOS=standard\n", "the default QOS has another name")
NO_ALIASES = ("SLURM_NODE_ALIASES=(null)\n", "", "Coxswain never sets it")
FEWER_TASKS = (
    "srun: Warning: can't honor --ntasks-per-node set to 2 which doesn't match the requested tasks "
    "3 with the number of requested nodes 2. Ignoring --ntasks-per-node.\n", "",
    "Slurm 24.11 does not warn either where the nodes have room for more tasks")
JOB_ENDS = "the line of the script reports the end, and srun may be ended before it prints its own"
TASKS_END = "srun: error: NODE1: tasks 0-1: Terminated\n"
DIFFERENCES = {
    "04-requeue": (
        ("srun: Job step aborted: Waiting up to 4 seconds for job step to finish.\n", "", JOB_ENDS),
        ("slurmstepd: error: *** STEP JOB1.0 ON NODE1 CANCELLED AT DATE DUE TO JOB REQUEUE ***\n",
         "", JOB_ENDS),
        ("srun: got SIGCONT\nsrun: forcing job termination\n", "", JOB_ENDS),
        (TASKS_END, "", JOB_ENDS),
    ),
    "05-chain": (
        ("afterok:JOB2:JOB3", "afterok:JOB2,afterok:JOB3", "each job is shown with its condition"),
        ("JOB4|eval|COMPLETED|0:0|1|1\n",
         "JOB4|eval|COMPLETED|0:0|1|1\nJOB5|cleanup|CANCELLED|0:0|0|1\n",
         "Slurm's sacct leaves out a job that was never eligible"),
    ),
    "12-multi-prog": (
        FEWER_TASKS,
        ("no record for task id 1\n", "no record for task id 1\nsrun: error: add a line for it, or "
         "one that begins with * for all others\n", "what to do follows"),
    ),
    "13-stdin-wrap": (
        ('"zero" is not a valid node count\n',
         '"zero" is not a valid node count: the number of nodes: "zero" is not a whole number from '
         "1 to 16384\nsbatch: error: write a number, a range or the accepted numbers, like 4, "
         "4-16 or 4,8,16\n", "what is wrong, and what to do"),
        ("This does not look like a batch script.  The first\nsbatch: error: line must start with "
         "#! followed by the path to an interpreter.\nsbatch: error: For instance: #!/bin/sh\n",
         "This does not look like a batch script: the first line of the script on standard input "
         "does not begin with #! and the path of an interpreter\nsbatch: error: make its first "
         "line #!/bin/sh, or #!/usr/bin/env python3\n", "what is wrong, and what to do"),
        ("Unable to open file no-such-file.sh\n",
         "Unable to open file no-such-file.sh: No such file or directory\nsbatch: error: "
         "name a script that can be read, or give a command: sbatch --wrap='COMMAND'\n",
         "what to do follows"),
    ),
    "14-environment": (
        QOS,
        NO_ALIASES,
        ("CUDA_VISIBLE_DEVICES=0,1\n",
         "CUDA_DEVICE_ORDER=PCI_BUS_ID\nCUDA_VISIBLE_DEVICES=0,1\n",
         "the numbers count in this order"),
        ("SLURM_JOB_ACCOUNT=USER\n", "", "the cluster has no accounts"),
        ("SLURM_JOB_CPUS_PER_NODE_PACK_GROUP_0=2(x2)\n", "",
         "a variable of heterogeneous jobs, which Slurm sets in steps of all jobs"),
    ),
    "18-accounting": (
        QOS,
        ("Account=USER", "Account=(null)", "the cluster has no accounts"),
        ("   TRES=cpu=2,mem=400M,node=1,billing=2\n",
         "   ReqTRES=cpu=2,mem=400M,node=1,billing=2\n"
         "   AllocTRES=cpu=2,mem=400M,node=1,billing=2\n", "as Slurm 23.11 and later"),
        ("   Power=\n\n\n", "   Power=\n\n", "as Slurm 23.11 and later"),
    ),
    "19-placement": (
        FEWER_TASKS,
        ("srun: cluster configuration lacks support for cpu binding\n", "",
         "the Slurm of the expected output has no task plugin"),
        ("More processors requested than permitted\n",
         "More processors requested than permitted\nsrun: error: 5 tasks of 1 CPU on 2 nodes asked "
         "for; 2 nodes of the allocation take 4; ask for fewer tasks or less for each, or for a "
         "larger allocation\n", "what is wrong, and what to do"),
    ),
}


@pytest.fixture(scope="module")
def site(tmp_path_factory):
    """A folder with the programs of the site: Slurm's names, and the program that gets its mail."""
    folder = tmp_path_factory.mktemp("site")
    folder.chmod(0o755)
    (folder / "mail").write_text(MAIL_PROGRAM)
    (folder / "mail").chmod(0o755)
    return folder


def cluster_like_the_peer(clusters, request, site):
    settings = {"kill_wait": "2s", "mail_program": str(site / "mail")}
    cluster = bring_up(clusters, request, nodes=4, cpus=4, gpus=("h100:2",), settings=settings,
                       tables=TABLES)
    for command in COMMANDS:
        (site / command).symlink_to(cluster.bin / "cox")
    cluster.sql(f"UPDATE cox.turn SET job_id_floor = {FIRST_JOB_ID}")
    cluster.kill("controller", signal.SIGTERM)
    cluster.start("controller")
    cluster.await_nodes()
    return cluster


def run_all(cluster, site, base):
    """Returns the output of each script by name. Without torch, scripts that need it are left
    out."""
    environment = {name: cluster.environment[name] for name in ("HOME", "USER", "COX_CONFIG")
                   if name in cluster.environment}
    environment["PATH"] = f"{site}:{cluster.environment['PATH']}"
    has_torch = importlib.util.find_spec("torch")
    names = [name for name in script_runs.NAMES
             if has_torch or name not in script_runs.NEEDS_TORCH]
    runs = script_runs.start_all(names, base, environment)
    cluster.wait_for(lambda: script_runs.all_ended(runs, environment),
                     lambda: f"the end of {[run.name for run in runs if not run.has_ended()]}",
                     deadline_s=LONG_DEADLINE_S)
    cluster.accepted.update(int(row[0]) for run in runs for row in run.records)
    wanted = sum(slurm_result(name).count("Slurm Job_id=") for name in names)
    cluster.wait_for(lambda: sum(len(run.mails(site / "mailbox")) for run in runs) >= wanted,
                     "all mail")
    return {run.name: run.as_text(site / "mailbox") for run in runs}


@pytest.fixture(scope="module")
def outputs(request, module_clusters, tmp_path_factory, site):
    base = tmp_path_factory.mktemp("runs")
    base.chmod(0o755)
    cluster = cluster_like_the_peer(module_clusters, request, site)
    texts = run_all(cluster, site, base)
    settle(cluster)
    return texts


def slurm_result(name):
    return (script_runs.SCRIPTS / f"{name}.slurm").read_text()


def expected(name):
    """Returns the result under Slurm, with the known differences applied."""
    text = slurm_result(name)
    for there, here, _ in DIFFERENCES.get(name, ()):
        assert there in text, f"Slurm did not print\n{there}"
        text = text.replace(there, here)
    return text


def daemons_last(text):
    """Returns the lines of each part, those of slurmstepd last: it writes while the script runs."""
    parts = [part.splitlines() for part in text.split("==== ")]
    return [line for part in parts
            for line in sorted(part, key=lambda line: line.startswith("slurmstepd: "))]


@pytest.mark.parametrize("name", script_runs.NAMES)
def test_a_script_has_the_same_result_as_with_slurm(outputs, name):
    if name not in outputs:
        pytest.skip("it needs torch")
    made = outputs[name]
    if name == "04-requeue":
        made = made.replace(TASKS_END, "")
    lines = difflib.unified_diff(daemons_last(expected(name)), daemons_last(made), "expected",
                                 "Coxswain", lineterm="")
    difference = "\n".join(lines)
    assert not difference, difference


def test_there_are_twenty_scripts_and_each_has_a_description():
    assert len(script_runs.NAMES) == 20
    for name in script_runs.NAMES:
        lines = (script_runs.SCRIPTS / f"{name}.sh").read_text().splitlines()
        assert lines[0].startswith("#!") and lines[1].startswith("# "), name
