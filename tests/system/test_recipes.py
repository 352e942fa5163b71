"""Tests the recipes of examples/recipes for MPI and for a notebook. test_python_module.py and
tests/python test the recipes of Python's libraries, test_slack.py tests that of Slack."""

import re
import shutil
import subprocess
import urllib.error
import urllib.request

from patience import DEADLINE_S, LONG_DEADLINE_S
import pytest
from cluster import PROGRAMS, ROOT

RECIPES = ROOT / "examples/recipes"
NAMES = ("sbatch", "srun", "scancel")
CLUSTER = {"nodes": 2, "cpus": 4, "settings": {"kill_wait": "2s", "launch_retry_max": "1s"},
           "environment": {"OMPI_MCA_btl": "self,tcp"}}  # over TCP: both nodes are on one host
STEPS, RANKS = 400, 4


@pytest.fixture
def submit(cluster, folder):
    """Submits a recipe with sbatch, in a folder that contains all recipes."""
    names = folder / "bin"
    names.mkdir()
    for name in NAMES:
        (names / name).symlink_to(cluster.bin / "cox")
    # A stand-in; if it is installed, Debian's own runs, also as root.
    if shutil.which("jupyter-notebook") is None:
        (names / "jupyter").symlink_to(PROGRAMS / "jupyter.py")
    (folder / "jupyter_notebook_config.py").write_text("c.NotebookApp.allow_root = True\n")
    shutil.copytree(RECIPES, folder / "recipes")

    def submit(*words, **variables):
        environment = dict(cluster.environment, **variables, JUPYTER_CONFIG_DIR=str(folder),
                           PATH=f"{names}:{cluster.environment['PATH']}")
        done = subprocess.run([names / "sbatch", *words], cwd=folder / "recipes", text=True,
                              env=environment, capture_output=True, timeout=DEADLINE_S)
        assert done.returncode == 0, done.stderr
        job = int(done.stdout.split()[-1])
        cluster.accepted.add(job)
        return job, folder / "recipes"
    return submit


def await_text(cluster, file, pattern):
    def found():
        text = file.read_text(errors="replace") if file.exists() else ""
        return re.search(pattern, text, re.MULTILINE)
    return cluster.wait_for(found, f"{pattern!r} in {file}")


def test_the_mpi_recipe_saves_when_preempted_and_resumes(cluster, submit):
    if shutil.which("mpicc") is None:
        pytest.fail("mpicc is not installed: ./dev test installs it (libopenmpi-dev)")
    job, folder = submit("mpi.sh")
    output = folder / f"mpi-{job}.out"
    await_text(cluster, output, "^step 50$")
    cluster.cox("preempt", job)
    step = await_text(cluster, output, r"^rank 0 resumes after step (\d+)$")[1]
    cluster.wait_state(job, "COMPLETED", deadline_s=LONG_DEADLINE_S)
    text = output.read_text()
    resumed = re.findall(r"^rank (\d) resumes after step (\d+)$", text, re.MULTILINE)
    assert sorted(resumed) == [(str(rank), step) for rank in range(RANKS)], text
    total = sum(range(RANKS + 1)) * STEPS * (STEPS + 1) // 2
    assert f"{RANKS} ranks finished after step {STEPS}, the sum is {total}" in text


def answer(address):
    try:
        with urllib.request.urlopen(address, timeout=DEADLINE_S) as page:
            return page.status
    except urllib.error.HTTPError as error:
        return error.code
    except OSError:
        return 0


def test_the_notebook_recipe_answers_only_with_its_token(cluster, submit):
    job, folder = submit("notebook.sh", LOGIN="login.example.org")
    output = folder / f"notebook-{job}.out"
    tunnel = await_text(cluster, output,
                        r"ssh -N -L (\d+):([\w.-]+):(\d+) \w+@login\.example\.org$")
    token = await_text(cluster, output, r"token=([0-9a-f]{32})$")[1]
    port, host = tunnel[1], tunnel[2]
    assert tunnel[3] == port and output.stat().st_mode & 0o077 == 0
    api = f"http://{host}:{port}/api/status"
    cluster.wait_for(lambda: answer(f"{api}?token={token}") == 200,
                     "the notebook to answer")
    assert answer(api) in (401, 403)
    words = subprocess.run(["ps", "-A", "-o", "args="], capture_output=True, text=True, check=True)
    assert token not in words.stdout
    cluster.cox("cancel", job)
    cluster.wait_state(job, "CANCELLED")
