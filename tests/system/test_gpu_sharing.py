"""The GPUs that a process sees, in gangs and in steps: only its own, none if its job has none, in
the variable of their vendor. A gang has GPUs of one type."""

import signal

import pytest

from cluster import with_value

CLUSTER = {"nodes": 3, "cpus": 4, "gpus": ("h100:2",)}
SEEN = 'echo "$RANK$SLURM_PROCID ${CUDA_VISIBLE_DEVICES-unset} ${ROCR_VISIBLE_DEVICES-unset}"'


@pytest.fixture(autouse=True)
def one_node_of_another_vendor(cluster):
    if "mi300" in cluster.cox("nodes").stdout:
        return
    file = cluster.dir / "workers" / "n3.toml"
    cluster.kill("n3", signal.SIGTERM)
    file.write_text(with_value(file.read_text(), "gres", ["gpu:mi300:2"]))
    cluster.start("n3")
    cluster.wait_for(lambda: "mi300" in cluster.cox("nodes").stdout, "the new type of n3")


def seen_by(cluster, job, ranks):
    """Returns what each rank of a gang printed after its number (RANK or SLURM_PROCID)."""
    cluster.wait_state(job, "COMPLETED")
    lines = [cluster.cox("logs", job, "-r", rank).stdout.strip("\n") for rank in range(ranks)]
    return [line.split(" ", 1)[1] for line in lines]


def gang(cluster, *options, ranks):
    return seen_by(cluster, cluster.submit(*options, "--", "sh", "-c", SEEN), ranks)


def script(cluster, folder, *options, step=()):
    """Returns what the tasks of an srun in a batch script printed."""
    (folder / "srun").exists() or (folder / "srun").symlink_to(cluster.bin / "cox")
    (folder / "job.sh").write_text(f"#!/bin/sh\n{folder}/srun {' '.join(step)} sh -c '{SEEN}'\n")
    job = cluster.submit("-D", folder, "-o", "out", *options, folder / "job.sh")
    cluster.wait_state(job, "COMPLETED")
    lines = sorted((folder / "out").read_text().splitlines())
    return [line.split(" ", 1)[1] for line in lines]


@pytest.mark.parametrize("none", ("--gres=gpu:0", "--gres=none", "-G0", "--gpus-per-node=0"))
def test_a_step_that_asks_for_no_gpu_sees_none(cluster, folder, none):
    all_of_job = script(cluster, folder, "-w", "n1", "-n1", "--gpus=2")
    assert all_of_job == ["0,1 unset"]
    seen = script(cluster, folder, "-w", "n1", "-n1", "--gpus=2", step=(none,))
    assert not any(digit in seen[0] for digit in "01"), seen


def test_ranks_of_a_gang_see_their_own_gpus(cluster):
    assert gang(cluster, "-w", "n1", "-n2", "--gpus-per-task=1", ranks=2) == ["0 unset", "1 unset"]
    by_gpu = gang(cluster, "-w", "n1", "-n4", "--ntasks-per-gpu=2", ranks=4)
    assert by_gpu == ["0 unset", "0 unset", "1 unset", "1 unset"]
    # Two of the three tasks share a node; the third one is alone and sees only its node's GPU.
    uneven = gang(cluster, "-w", "n[1-2]", "-N2", "-n3", "--gpus-per-task=1", ranks=3)
    assert uneven == ["0 unset", "1 unset", "0 unset"]


@pytest.mark.parametrize("count", ("-n2", "--gpus=2"))
@pytest.mark.parametrize("share", ("--ntasks-per-gpu=1", "--gpus-per-task=1"))
def test_tasks_of_a_step_see_their_own_gpus(cluster, folder, count, share):
    assert script(cluster, folder, "-w", "n1", count, share) == ["0 unset", "1 unset"]


def test_gpu_options_of_a_step_override_those_of_its_job(cluster, folder):
    plain = ("-w", "n1", "-n2", "--gres=gpu:2")
    assert script(cluster, folder, *plain) == ["0,1 unset", "0,1 unset"]
    assert script(cluster, folder, *plain, step=["--ntasks-per-gpu=1"]) == ["0 unset", "1 unset"]
    per_gpu = ("-w", "n1", "-n2", "--ntasks-per-gpu=1")
    assert script(cluster, folder, *per_gpu, step=["--gpu-bind=none"]) == ["0,1 unset"] * 2


def test_a_step_with_gpus_per_task_1_sees_one_of_the_two_gpus_of_its_job(cluster, folder):
    assert script(cluster, folder, "-w", "n1", "-n2", "--gpus-per-node=2",
                  step=["-n1", "--gpus-per-task=1"]) == ["0 unset"]


def test_gangs_and_scripts_without_gpus_see_none(cluster, folder):
    assert gang(cluster, "-w", "n1", "-n1", ranks=1) == [" unset"]
    assert script(cluster, folder, "-w", "n1", "-n1") == [" unset"]
    assert gang(cluster, "-w", "n3", "-n1", ranks=1) == ["unset "]


def test_gpus_of_amd_are_shown_by_rocr_visible_devices(cluster, folder):
    assert gang(cluster, "-w", "n3", "-n2", "--gres=gpu:2", ranks=2) == ["unset 0", "unset 1"]
    tasks = script(cluster, folder, "-w", "n3", "-n2", "--ntasks-per-gpu=1")
    assert tasks == ["unset 0", "unset 1"]


def test_a_gang_has_gpus_of_one_type(cluster):
    none = cluster.cox("submit", "-N3", "--gres=gpu:1", "--", "true", check=False)
    assert none.returncode != 0 and "all of its GPUs of one type" in none.stderr
    job = cluster.submit("-N2", "--gres=gpu:1", "--", "true")
    cluster.wait_state(job, "COMPLETED")
    assert sorted(cluster.nodes_of(job)) == ["n1", "n2"]
    mixed = cluster.cox("submit", "-N2", "--gres=gpu:1", "--gpu-type=h100+mi300", "--", "true",
                        check=False)
    assert mixed.returncode != 0 and "two vendors" in mixed.stderr
