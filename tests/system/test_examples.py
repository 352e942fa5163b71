"""The scripts of examples/slurm, each run on a private cluster. It must end in the state that its
head names (`# Ends: STATE`, by default COMPLETED), and its files must have the texts that its head
names (`# Prints: TEXT`)."""

import getpass
import re
import shutil
import subprocess
from pathlib import Path

from patience import DEADLINE_S, LONG_DEADLINE_S
import pytest
from cluster import ROOT

EXAMPLES = ROOT / "examples" / "slurm"
SCRIPTS = sorted(EXAMPLES.glob("*.sh"))
NAMES = ("sbatch", "srun", "salloc", "squeue", "scancel", "sinfo", "sacct", "scontrol", "sacctmgr")
TABLES = """
[scheduling]
licences = "matlab:2"

[[partition]]
name = "main"

[[partition]]
name = "short"
time_limit_max = "01:00:00"
"""
CLUSTER = {"nodes": 2, "cpus": 4, "features": ("fast=n1",), "gpus": ("h100:1",),
           "settings": {"kill_wait": "1s"}, "tables": TABLES,
           "environment": {"OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1",
                           "OMPI_MCA_btl": "self,tcp"}}  # both nodes are one host: no shared memory


def said(script, word):
    """Returns the texts that a script's head has after this word."""
    return re.findall(rf"^# {word}: (.*)$", script.read_text(), re.MULTILINE)


@pytest.fixture
def site(cluster, tmp_path):
    """A folder with all the examples, and an environment whose PATH begins with Slurm's names."""
    tmp_path.chmod(0o755)
    names = tmp_path / "bin"
    names.mkdir()
    for name in NAMES:
        (names / name).symlink_to(cluster.bin / "cox")
    shutil.copytree(EXAMPLES, tmp_path / "work")
    environment = dict(cluster.environment, PATH=f"{names}:{cluster.environment['PATH']}")
    return tmp_path / "work", environment


@pytest.fixture
def course(cluster, request):
    """The reservation in which one of the examples runs; other examples run without it."""
    if "--reservation=course" not in request.getfixturevalue("script").read_text():
        yield
        return
    cluster.cox("reserve", "create", "course", "Nodes=n2", f"Users={getpass.getuser()}",
                "Duration=1:00:00")
    yield
    cluster.cox("reserve", "delete", "course")


def live(cluster):
    return cluster.sql("SELECT id FROM cox.queue")


def text_of(folder):
    """Returns the output of all jobs."""
    return "\n".join(f"---- {file.name}\n{file.read_text(errors='replace')}"
                     for file in sorted(folder.glob("*.out")))


def processes_in(folder):
    """Returns the processes whose working folder this is, each with the kernel function that it
    waits in."""
    lines = []
    for process in Path("/proc").glob("[0-9]*"):
        try:
            if (process / "cwd").readlink() == folder:
                command = (process / "cmdline").read_bytes().replace(b"\0", b" ").decode()
                waits = (process / "wchan").read_text()
                lines.append(f"{process.name} waits in {waits}: {command}")
        except OSError:  # it has ended meanwhile
            continue
    return "\n".join(["---- processes", *sorted(lines)])


@pytest.mark.parametrize("script", SCRIPTS, ids=lambda script: script.stem)
def test_each_example_script_ends_and_prints_as_its_head_says(cluster, site, course, script):
    folder, environment = site
    done = subprocess.run(["sbatch", script.name], cwd=folder, env=environment, text=True,
                          capture_output=True, timeout=DEADLINE_S)
    assert re.fullmatch(r"Submitted batch job \d+\n", done.stdout), done.stdout + done.stderr
    job = int(done.stdout.split()[-1])
    cluster.accepted.add(job)
    try:
        cluster.wait_for(lambda: not live(cluster), f"{script.name} and its jobs to end",
                         deadline_s=LONG_DEADLINE_S)
    except AssertionError as error:
        raise AssertionError(f"{error}\n{text_of(folder)}\n{processes_in(folder)}") from None
    written = text_of(folder)
    assert said(script, "Prints"), "the head of the script has no line '# Prints:'"
    for text in said(script, "Prints"):
        assert text in written, f"{text!r} is not in\n{written}\n{cluster.logs()}"
    state = cluster.sql(f"SELECT state FROM cox.job WHERE id = {job}")[0][0]
    assert state == (said(script, "Ends") or ["COMPLETED"])[0], written


def test_all_of_at_least_thirty_examples_are_listed_in_the_readme():
    listed = (ROOT / "examples" / "README.md").read_text()
    assert len(SCRIPTS) >= 30
    for script in SCRIPTS:
        assert f"`slurm/{script.name}`" in listed, script.name
