"""--container-image and --container: tasks run by the site's container_command."""

import json
import shutil
import subprocess

from patience import DEADLINE_S
import pytest
from test_allocations import Login
from workers import restart_worker

CLUSTER = {"nodes": 2, "cpus": 4}
WRAPPER = '''#!/bin/sh
echo "$SLURM_PROCID $*" >> {folder}/wrapped
while [ "$1" != "--" ]; do shift; done
shift
export IN_CONTAINER=yes
exec "$@"
'''
WORDS = ["--mount={mounts}", "--env={environment}", "--gpu={gpus}", "--dir={workdir}",
         "--name={name}", "--image={image}", "--"]
SETTING = "container_command of [worker] is not set"


def set_command(cluster, node, command):
    restart_worker(cluster, node, [f"container_command = {json.dumps(command)}"])
    cluster.wait_for(lambda: ("container" in cluster.node(node)["features"]) == bool(command),
                     f"{node} to report whether it runs containers")


@pytest.fixture
def containers(cluster, folder):
    """Sets a container command on n2 that records its arguments. Yields a function that returns the
    records."""
    wrapper = folder / "wrapper"
    wrapper.write_text(WRAPPER.format(folder=folder))
    wrapper.chmod(0o755)
    set_command(cluster, "n2", [str(wrapper), *WORDS])
    yield lambda: (folder / "wrapped").read_text().splitlines()
    set_command(cluster, "n2", [])


def test_a_refusal_without_a_container_command_names_the_setting(cluster, folder):
    script = folder / "script.sh"
    script.write_text("#!/bin/sh\n#SBATCH --container-image=a\ntrue\n")
    for done in (cluster.cox("submit", "-n1", "--container-image=a", "--", "true", check=False),
                 cluster.cox("submit", "-n1", "--container=/a", "--", "true", check=False),
                 cluster.slurm("sbatch", script),
                 cluster.slurm("srun", "-n1", "--container-image=a", "true")):
        assert done.returncode != 0
        assert SETTING in done.stderr, done.stderr


def test_mounts_without_an_image_have_no_effect(cluster, folder):
    script = folder / "script.sh"
    script.write_text("#!/bin/sh\n#SBATCH --container-mounts=/a\ntrue\n")
    done = cluster.slurm("sbatch", "-D", folder, script)
    assert done.returncode == 0
    assert "--container-mounts has no effect without --container-image" in done.stderr
    cluster.wait_state(int(done.stdout.split()[-1]), "COMPLETED")


def test_each_rank_runs_in_a_container(cluster, folder, containers):
    job = cluster.submit("-n2", "-D", folder, "--container-image=docker://a/b",
                         "--container-mounts=/data,/a:/b:ro", "--container-env=LANG",
                         "--container-workdir=/w", "--container-name=mine", "-o", "out-%t", "--",
                         "/bin/sh", "-c", "echo $RANK $IN_CONTAINER $SLURMD_NODENAME")
    cluster.wait_state(job, "COMPLETED")
    assert (folder / "out-1").read_text() == "1 yes n2\n", "n1 cannot run containers"
    lines = sorted(containers())
    assert [line[0] for line in lines] == ["0", "1"]
    assert ("--mount=/data:/data --mount=/a:/b:ro --env=LANG --dir=/w --name=mine "
            "--image=docker://a/b -- /bin/sh -c") in lines[0]
    assert "--gpu" not in lines[0]


def test_a_script_runs_in_a_container_and_its_exit_code_is_the_jobs(cluster, folder, containers):
    script = folder / "script.sh"
    script.write_text("#!/bin/sh\n#SBATCH --container-image=a -o out\n"
                      "echo $IN_CONTAINER $1\nexit 3\n")
    done = cluster.slurm("sbatch", "-D", folder, script, "word")
    job = int(done.stdout.split()[-1])
    cluster.wait_state(job, "FAILED")
    assert cluster.job(job)["view"]["job"]["exit_code"] == 3
    assert (folder / "out").read_text() == "yes word\n"
    words = containers()[0].split()
    program = words[words.index("--") + 1]
    folder_of_script = program.rpartition("/")[0]
    assert f"--mount={folder_of_script}:{folder_of_script}" in words


def test_tasks_of_srun_run_in_a_container(cluster, tmp_path, containers):
    done = cluster.slurm("srun", "-n2", "--container-image=a", "/bin/sh", "-c",
                         "echo $SLURM_PROCID $IN_CONTAINER")
    assert sorted(done.stdout.splitlines()) == ["0 yes", "1 yes"], done.stderr
    assert len(containers()) == 2

    done = Login(cluster, tmp_path).run("salloc", "-n1", "-w", "n2", "srun", "/bin/sh", "-c",
                                        "echo ${IN_CONTAINER:-none}")
    assert done.stdout == "none\n", done.stderr


def test_an_image_on_a_node_without_containers_names_the_setting(cluster, tmp_path, containers):
    login = Login(cluster, tmp_path)
    done = login.run("salloc", "-n1", "-w", "n1", "srun", "--container-image=a", "true")
    assert done.returncode != 0
    assert SETTING in done.stderr, done.stderr


@pytest.mark.skipif(shutil.which("podman") is None, reason="Podman is not installed")
def test_podman_has_the_options_of_the_example(cluster):
    """Checks without an image that podman has each of the options."""
    done = subprocess.run(["podman", "run", "--help"], capture_output=True, text=True,
                          timeout=DEADLINE_S)
    for option in ("--cgroups", "--network", "--ipc", "--userns", "--env", "--device", "--volume",
                   "--workdir", "--interactive"):
        assert option in done.stdout, option
