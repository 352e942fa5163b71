"""--cpu-bind and --gpu-bind of srun: the CPUs and GPUs that tasks really get."""

import json
import os
import re

from cluster import PYTHON

MACHINE = sorted(os.sched_getaffinity(0))
CLUSTER = {"nodes": 1, "cpus": len(MACHINE) + 1, "gpus": ["h100:4"]}  # one CPU more than there are

WHAT_IT_HAS = ("import json, os, sys; "
               "print(json.dumps([int(os.environ['SLURM_PROCID']), "
               "sorted(os.sched_getaffinity(0)), {name: value for name, value in "
               "os.environ.items() if name.startswith('SLURM_CPU_BIND')}]))")


def tasks_of(done):
    assert done.returncode == 0, done.stderr
    return [(cpus, variables) for _, cpus, variables in
            sorted(json.loads(line) for line in done.stdout.splitlines())]


def mask(cpus):
    return f"{sum(1 << cpu for cpu in cpus):#x}"


def test_cpu_bind_threads_gives_each_task_a_cpu_of_its_own_and_reports_it(allocation):
    here = allocation(tasks=len(MACHINE))
    done = here.run("--cpu-bind=verbose,threads", PYTHON, "-c", WHAT_IT_HAS)
    tasks = tasks_of(done)
    assert sorted(cpus for cpus, _ in tasks) == [[cpu] for cpu in MACHINE]
    masks = ",".join(mask(cpus) for cpus, _ in tasks)
    assert tasks[0][1] == {"SLURM_CPU_BIND": f"verbose,threads,mask_cpu:{masks}",
                           "SLURM_CPU_BIND_VERBOSE": "verbose",
                           "SLURM_CPU_BIND_TYPE": "threads,mask_cpu:",
                           "SLURM_CPU_BIND_LIST": masks}
    line = r"^cpu-bind-threads=MASK - n1, task  (\d)  \1 \[\d+\]: mask (\S+) set$"
    reported = sorted(re.findall(line, done.stderr.decode(), re.MULTILINE))
    assert reported == [(str(rank), mask(cpus)) for rank, (cpus, _) in enumerate(tasks)]


def test_cpu_bind_accepts_a_map_or_none_and_slurm_cpu_bind_a_mask(allocation):
    here = allocation(tasks=len(MACHINE))
    last = MACHINE[-1]
    cpus, variables = tasks_of(here.run("-n1", f"--cpu-bind=map_cpu:{last}", PYTHON, "-c",
                                        WHAT_IT_HAS))[0]
    assert cpus == [last] and variables["SLURM_CPU_BIND"] == f"quiet,map_cpu:{last}"
    assert tasks_of(here.run("-n1", PYTHON, "-c", WHAT_IT_HAS))[0] == (MACHINE, {})
    named = here.run("-n1", PYTHON, "-c", WHAT_IT_HAS, SLURM_CPU_BIND=f"v,mask_cpu:{mask([last])}")
    assert tasks_of(named)[0][0] == [last]
    assert re.search(rb"^cpu-bind=MASK - n1, task  0  0 \[\d+\]: mask \S+ set$", named.stderr, re.M)
    assert tasks_of(here.run("-n1", "--cpu-bind=none", PYTHON, "-c", WHAT_IT_HAS,
                             SLURM_CPU_BIND="rank"))[0][0] == MACHINE


def test_jobs_that_run_on_a_node_at_the_same_time_have_different_cpus(allocation):
    bound = []
    jobs = [allocation(tasks=1) for _ in MACHINE]
    # The CPUs of each job stay in use: its step daemon holds them until the job ends.
    for here in jobs:
        bound += tasks_of(here.run("--cpu-bind=cores", PYTHON, "-c", WHAT_IT_HAS))[0][0]
    assert sorted(bound) == MACHINE


def test_a_job_gets_the_cpus_of_a_suspended_one_which_has_them_again_when_it_resumes(allocation):
    """A job that starts while another one is suspended gets the CPUs of that one. When the
    suspended job resumes, it has its own CPUs again."""
    def bound(here):
        return sorted(cpu for cpus, _ in tasks_of(here.run("--cpu-bind=cores", PYTHON, "-c",
                                                           WHAT_IT_HAS)) for cpu in cpus)

    first = allocation(tasks=len(MACHINE))
    assert bound(first) == MACHINE
    assert first.slurm("scontrol", "suspend", first.job).returncode == 0
    guest = allocation(tasks=len(MACHINE))
    assert bound(guest) == MACHINE
    guest.cluster.cox("cancel", guest.job)
    guest.cluster.wait_state(guest.job, "CANCELLED")
    assert first.slurm("scontrol", "resume", first.job).returncode == 0
    first.cluster.wait_state(first.job, "RUNNING")
    assert bound(first) == MACHINE


def test_an_impossible_cpu_bind_or_gpu_bind_is_refused(allocation):
    here = allocation(tasks=len(MACHINE) + 1)  # one CPU more than the machine has
    done = here.run("--cpu-bind=cores", "true")
    assert done.returncode == 1
    assert b"--cpu-bind is not possible on this node: the job was granted %d CPUs, but only %d " \
        b"of the machine's %d are free" % (len(MACHINE) + 1, len(MACHINE), len(MACHINE)) in (
            done.stderr)
    assert here.run("--cpu-bind=none", "true").returncode == 0
    here.cluster.cox("cancel", here.job)
    here = allocation(tasks=1, options=["--gpus=2"])
    other = here.run("-n1", "--cpu-bind=map_cpu:900", "true")
    assert other.returncode == 1 and b"--cpu-bind names CPU 900, but on this node" in other.stderr
    # Two unknown words, and a GPU that the node lacks.
    for word, code in (("--cpu-bind=hyperthreads", 255), ("--gpu-bind=nearest", 255),
                       ("--gpu-bind=map_gpu:2", 1)):
        assert here.run("-n1", word, "true").returncode == code


def test_gpu_bind_sets_which_gpus_each_task_sees(allocation):
    here = allocation(tasks=2, options=["--gpus=3"])
    job = here.run("-n1", "sh", "-c", "echo $CUDA_VISIBLE_DEVICES").stdout.decode().strip()
    devices = job.split(",")
    assert len(devices) == 3

    def seen(*words):
        done = here.run("-n2", "-l", *words, "sh", "-c", "echo $CUDA_VISIBLE_DEVICES")
        assert done.returncode == 0, done.stderr
        return [line.split(" ")[1] for line in sorted(done.stdout.decode().splitlines())]
    assert seen("--gpu-bind=single:1") == devices[:2]
    assert seen("--gpu-bind=map_gpu:2,0") == [devices[2], devices[0]]
    assert seen("--gpu-bind=mask_gpu:0x6,0x1") == [",".join(devices[1:]), devices[0]]
    assert seen("--gpu-bind=per_task:1") == devices[:2]
    assert seen("--gpu-bind=none") == [job, job]
