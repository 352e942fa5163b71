"""The scripts of examples/slurm, each run as its head says on a private cluster: it ends as it says
(`# Ends: STATE`, else COMPLETED), and its files hold what it says (`# Prints: TEXT`)."""

import getpass
import re
import shutil
import subprocess

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
ENDED_S = 90


def said(script, word):
    """What the head of a script says behind a word, as a list."""
    return re.findall(rf"^# {word}: (.*)$", script.read_text(), re.MULTILINE)


@pytest.fixture
def site(cluster, tmp_path):
    """A folder with all the examples, and a PATH that begins with Slurm's names."""
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
    """The reservation that one of them runs in, and no other meets."""
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
    """All that jobs wrote."""
    return "\n".join(f"---- {file.name}\n{file.read_text(errors='replace')}"
                     for file in sorted(folder.glob("*.out")))


@pytest.mark.parametrize("script", SCRIPTS, ids=lambda script: script.stem)
def test_an_example_does_what_its_head_says(cluster, site, course, script):
    folder, environment = site
    done = subprocess.run(["sbatch", script.name], cwd=folder, env=environment, text=True,
                          capture_output=True, timeout=60)
    assert re.fullmatch(r"Submitted batch job \d+\n", done.stdout), done.stdout + done.stderr
    job = int(done.stdout.split()[-1])
    cluster.accepted.add(job)
    cluster.wait_for(lambda: not live(cluster), ENDED_S, f"{script.name} and its jobs to end")
    written = text_of(folder)
    assert said(script, "Prints"), "its head says nothing of what it prints"
    for text in said(script, "Prints"):
        assert text in written, f"{text!r} is not in\n{written}\n{cluster.logs()}"
    state = cluster.sql(f"SELECT state FROM cox.job WHERE id = {job}")[0][0]
    assert state == (said(script, "Ends") or ["COMPLETED"])[0], written


def test_there_are_thirty_and_the_list_has_them_all():
    listed = (ROOT / "examples" / "README.md").read_text()
    assert len(SCRIPTS) >= 30
    for script in SCRIPTS:
        assert f"`slurm/{script.name}`" in listed, script.name
