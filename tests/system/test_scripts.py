"""Twenty scripts as researchers keep them, run unchanged. What became of each is compared with what
Slurm 22.05 made of it, which scripts/NAME.slurm holds (see script_runs.py)."""

import difflib
import importlib.util

import pytest
import script_runs
from conftest import bring_up, settle

COMMANDS = ("sbatch", "srun", "squeue", "scancel", "sacct", "scontrol", "sbcast")
FIRST_JOB_ID = 71001  # a number that nothing else in the scripts and their output has
ALL_END_S = 90
MAIL_PROGRAM = """#!/bin/sh
awk '/^To: /{to = $2} /^Subject: /{sub(/^Subject: /, ""); subject = $0}
     END{print subject "|" to}' >> "$(dirname "$0")/mailbox"
"""
TABLES = """
[[partition]]
name = "main"
memory_mb_per_cpu_default = 1000
"""

DIFFERENCES = {}


@pytest.fixture(scope="module")
def site(tmp_path_factory):
    """A folder with the programs of the site: Slurm's names, and the one that takes its mail."""
    folder = tmp_path_factory.mktemp("site")
    folder.chmod(0o755)
    (folder / "mail").write_text(MAIL_PROGRAM)
    (folder / "mail").chmod(0o755)
    return folder


def cluster_like_the_peer(clusters, tmp_path_factory, site):
    cluster = bring_up(clusters, tmp_path_factory, nodes=4, cpus=4, gpus=("h100:2",))
    cluster.settings = {"kill_wait": "2s", "mail_program": str(site / "mail")}
    cluster.tables = TABLES
    for command in COMMANDS:
        (site / command).symlink_to(cluster.bin / "cox")
    cluster.sql(f"UPDATE cox.turn SET job_id_floor = {FIRST_JOB_ID}")
    cluster.change_settings()
    return cluster


def run_all(cluster, site, base):
    """The output by name. Without torch it lacks that of the scripts that need it."""
    environment = {name: cluster.environment[name] for name in ("HOME", "LANG", "USER", "COX_CONFIG")
                   if name in cluster.environment}
    environment["PATH"] = f"{site}:{cluster.environment['PATH']}"
    has_torch = importlib.util.find_spec("torch")
    names = [name for name in script_runs.NAMES
             if has_torch or name not in script_runs.NEEDS_TORCH]
    runs = script_runs.start_all(names, base, environment)
    cluster.wait_for(lambda: script_runs.all_ended(runs, environment), ALL_END_S,
                     f"the jobs to end of {[run.name for run in runs if not run.has_ended()]}")
    cluster.accepted.update(int(row[0]) for run in runs for row in run.records)
    wanted = sum(slurms(name).count("Slurm Job_id=") for name in names)
    cluster.wait_for(lambda: sum(len(run.mails(site / "mailbox")) for run in runs) >= wanted, 20,
                     "all mail")
    return {run.name: run.as_text(site / "mailbox") for run in runs}


@pytest.fixture(scope="module")
def outputs(module_clusters, tmp_path_factory, site):
    base = tmp_path_factory.mktemp("runs")
    base.chmod(0o755)
    cluster = cluster_like_the_peer(module_clusters, tmp_path_factory, site)
    texts = run_all(cluster, site, base)
    settle(cluster)
    return texts


def slurms(name):
    return (script_runs.SCRIPTS / f"{name}.slurm").read_text()


def expected(name):
    """What Slurm made of it, but for the differences that are known."""
    text = slurms(name)
    for there, here, _ in DIFFERENCES.get(name, ()):
        assert there in text, f"Slurm did not print\n{there}"
        text = text.replace(there, here)
    return text


@pytest.mark.parametrize("name", script_runs.NAMES)
def test_a_script_does_what_it_does_with_slurm(outputs, name):
    if name not in outputs:
        pytest.skip("it needs torch")
    lines = difflib.unified_diff(expected(name).splitlines(), outputs[name].splitlines(),
                                 "expected", "Coxswain", lineterm="")
    difference = "\n".join(lines)
    if difference:
        print(outputs[name])
    assert not difference, difference


def test_there_are_twenty_and_each_says_what_it_is():
    assert len(script_runs.NAMES) == 20
    for name in script_runs.NAMES:
        lines = (script_runs.SCRIPTS / f"{name}.sh").read_text().splitlines()
        assert lines[0].startswith("#!") and lines[1].startswith("# "), name
