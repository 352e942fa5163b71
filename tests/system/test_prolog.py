"""Programs of the site around jobs and tasks: Slurm's Prolog, Epilog, TaskProlog, TaskEpilog,
PrologSlurmctld and EpilogSlurmctld, and srun's own."""

from pathlib import Path

import pytest
from allocation import Allocation
from conftest import new_folder
from workers import restart_worker

CLUSTER = {"nodes": 2, "cpus": 4}
SETTINGS = ("prolog", "epilog", "task_prolog", "task_epilog")


def write_program(folder, name, script):
    file = folder / name
    file.write_text(f"#!/bin/sh\n{script}\n")
    file.chmod(0o755)
    return file


def reconfigure(cluster, node, timeout="5min", **programs):
    lines = [f'{key} = "{programs.get(key, "")}"' for key in SETTINGS]
    restart_worker(cluster, node, [*lines, f'prolog_epilog_timeout = "{timeout}"'])


@pytest.fixture
def sites(cluster, folder):
    """sites("n1", prolog="echo hello"): sets programs of the site on a worker until the test
    ends."""
    changed = []

    def change(node, timeout="5min", **scripts):
        changed.append(node)
        programs = {key: write_program(folder, f"{key}-{node}", script)
                    for key, script in scripts.items()}
        reconfigure(cluster, node, timeout, **programs)
    yield change
    for node in set(changed):
        cluster.cox("resume", node, check=False)
        reconfigure(cluster, node)


def records(folder):
    file = folder / "records"
    return file.read_text().splitlines() if file.exists() else []


def await_gone(cluster, pid):
    cluster.wait_for(lambda: not (Path("/proc") / pid).exists(), f"process {pid} to end")


def await_drained(cluster, node):
    cluster.wait_for(lambda: cluster.node(node)["drained"], f"{node} to be drained")
    return cluster.node(node)["reason"]


# ---- programs of nodes --------------------------------------------------------------------------

def test_prolog_and_epilog_run_on_each_node_around_the_job(cluster, folder, sites):
    words = "$SLURM_SCRIPT_CONTEXT $SLURM_JOB_ID $SLURM_JOB_USER"
    for node in ("n1", "n2"):
        sites(node, prolog=f"echo {words} >> {folder}/$SLURMD_NODENAME",
              epilog=f"echo {words} $SLURM_JOB_EXIT_CODE2 >> {folder}/$SLURMD_NODENAME")
    job = cluster.submit("-N2", "-n2", "-D", folder, "--", "/bin/sh", "-c",
                         "echo rank $SLURM_JOB_USER >> $SLURMD_NODENAME")
    cluster.wait_state(job, "COMPLETED")
    for node in ("n1", "n2"):
        first, rank, last = (folder / node).read_text().splitlines()
        user = rank.removeprefix("rank ")
        assert first == f"prolog_slurmd {job} {user}"
        assert last == f"epilog_slurmd {job} {user} 0:0"


def test_a_failed_prolog_drains_its_node_and_the_job_runs_elsewhere(cluster, folder, sites):
    sites("n1", prolog="echo no such mount; exit 3", epilog=f"echo epilog >> {folder}/records")
    cluster.cox("drain", "n2", "--reason", "later")
    job = cluster.submit("-N1", "-n1", "-D", folder, "--", "/bin/sh", "-c",
                         f"echo $SLURMD_NODENAME >> {folder}/records")
    assert await_drained(cluster, "n1") == "Prolog error: exit code 3: no such mount"
    assert cluster.node("n1")["drained_by"] == "prolog_epilog"
    # `sinfo` cuts the text at the width that Slurm has.
    assert "Prolog error: exit c " in cluster.slurm("sinfo", "-R").stdout
    cluster.cox("resume", "n2")
    cluster.wait_state(job, "COMPLETED")
    assert records(folder) == ["epilog", "n2"]
    assert "Prolog error: exit code 3: no such mount" in cluster.cox("history", job).stdout


def test_a_failed_epilog_drains_its_node_and_not_the_job(cluster, folder, sites):
    sites("n1", epilog="exit 1")
    job = cluster.submit("-N1", "-n1", "-w", "n1", "-D", folder, "--", "true")
    cluster.wait_state(job, "COMPLETED")
    assert await_drained(cluster, "n1") == "Epilog error: exit code 1"


def test_a_prolog_that_takes_too_long_is_killed(cluster, folder, sites):
    sites("n1", timeout="1s", prolog=f"echo $$ > {folder}/pid; exec sleep 1000")
    job = cluster.submit("-N1", "-n1", "-w", "n1", "-D", folder, "--", "true")
    assert await_drained(cluster, "n1") == "Prolog error: it did not end within 1 s"
    await_gone(cluster, (folder / "pid").read_text().strip())
    cluster.cox("cancel", job)


def test_a_cancel_waits_for_the_prolog_and_the_epilog_follows(cluster, folder, sites):
    sites("n1", prolog=f"echo prolog >> {folder}/records; "
                       f"while [ ! -e {folder}/go ]; do sleep 0.1; done",
          epilog=f"echo epilog >> {folder}/records")
    job = cluster.submit("-N1", "-n1", "-w", "n1", "-D", folder, "--", "/bin/sh", "-c",
                         "echo rank >> records")
    cluster.wait_for(lambda: records(folder) == ["prolog"], "the prolog to run")
    cluster.cox("cancel", job)
    cluster.wait_state(job, "COMPLETING")
    (folder / "go").touch()
    cluster.wait_state(job, "CANCELLED")
    assert records(folder) == ["prolog", "epilog"]


def test_resources_are_released_after_the_epilog(cluster, folder, sites):
    sites("n1", epilog=f"echo epilog >> {folder}/records; "
                       f"while [ ! -e {folder}/go ]; do sleep 0.1; done")
    whole = ("-N1", "-n1", "-w", "n1", "--exclusive", "-D", folder, "--", "/bin/sh", "-c")
    first = cluster.submit(*whole, "true")
    cluster.wait_for(lambda: records(folder), "the epilog to run")
    second = cluster.submit(*whole, "true")
    assert cluster.state(first) == "COMPLETING"
    assert cluster.state(second) == "PENDING"
    (folder / "go").touch()
    cluster.wait_state(first, "COMPLETED")
    cluster.wait_state(second, "COMPLETED")


# ---- programs of tasks --------------------------------------------------------------------------

def test_task_prolog_and_epilog_run_around_a_batch_script_and_the_tasks_of_its_srun(
        cluster, folder, sites):
    sites("n1", task_prolog="echo export GIVEN=by-site-$SLURM_PROCID\necho print hello",
          task_epilog=f"echo ${{SLURM_STEP_ID:-batch}}.$SLURM_PROCID >> {folder}/records")
    (folder / "srun").symlink_to(cluster.bin / "cox")
    script = write_program(folder, "job.sh", "echo script $GIVEN\nunset GIVEN\n"
                                             "./srun -n2 -l sh -c 'echo $GIVEN'")
    job = cluster.submit("-N1", "-n2", "-w", "n1", "-D", folder, "-o", "out", script)
    cluster.wait_state(job, "COMPLETED")
    lines = (folder / "out").read_text().splitlines()
    assert lines[:2] == ["hello", "script by-site-0"]
    assert sorted(lines[2:]) == ["0: by-site-0", "0: hello", "1: by-site-1", "1: hello"]
    assert sorted(records(folder)[:2]) == ["0.0", "0.1"] and records(folder)[2] == "batch.0"


def test_task_prolog_and_epilog_of_srun_run_inside_those_of_the_site(cluster, folder, sites):
    sites("n1", task_prolog="echo export ORDER=site", task_epilog=f"echo site >> {folder}/records")
    write_program(folder, "first", "echo export ORDER=$ORDER,user\necho unset GONE\nexit 0")
    write_program(folder, "last", f"echo user $SLURM_PROCID >> {folder}/records")
    here = Allocation(cluster, folder, options=("-w", "n1"))
    done = here.run("-n1", "--task-prolog=./first", "--task-epilog", "last", "sh", "-c",
                    "echo $ORDER ${GONE-unset}", GONE="1")
    assert (done.stdout, done.stderr) == (b"site,user unset\n", b"")
    assert records(folder)[:2] == ["user 0", "site"]
    cluster.cox("cancel", here.job)


def test_a_task_whose_prolog_fails_does_not_run(cluster, folder, sites):
    sites("n1")
    write_program(folder, "fails", "echo all is lost >&2; exit 7")
    here = Allocation(cluster, folder, options=("-w", "n1"))
    done = here.run("-n1", "--task-prolog=./fails", "echo", "ran")
    assert done.returncode == 7 and done.stdout == b""
    assert b"slurmstepd: error: --task-prolog failed status=7" in done.stderr
    assert b"all is lost" in done.stderr
    missing = here.run("-n1", "echo", "ran", SLURM_TASK_PROLOG="/nowhere/prolog")
    assert missing.returncode == 1
    assert (b"slurmstepd: error: user task_prolog can not be executed (/nowhere/prolog) "
            b"No such file or directory") in missing.stderr
    cluster.cox("cancel", here.job)


def test_a_task_epilog_that_hangs_is_killed_with_its_children(cluster, folder, sites):
    sites("n1")
    write_program(folder, "hangs", "sleep 1000 & echo $! > child; wait")
    here = Allocation(cluster, folder, options=("-w", "n1"))
    done = here.run("-n1", "--task-epilog=./hangs", "sh", "-c", "exit 3")
    assert done.returncode == 3
    await_gone(cluster, (folder / "child").read_text().strip())
    cluster.cox("cancel", here.job)


def test_srun_runs_its_prolog_and_epilog_on_its_own_host(cluster, folder, sites):
    sites("n1")
    write_program(folder, "before", "echo $SLURM_SCRIPT_CONTEXT $SLURM_JOB_ID \"$@\"")
    here = Allocation(cluster, folder, options=("-w", "n1"))
    done = here.run("-n1", "--prolog=./before", "--epilog=./before", "echo", "the step")
    words = f"{here.job} echo the step"
    assert done.stdout.decode().splitlines() == [f"prolog_srun {words}", "the step",
                                                 f"epilog_srun {words}"]
    denied = here.run("-n1", "--prolog=none", "--epilog=/nowhere", "echo", "2", SLURM_PROLOG="x")
    assert denied.returncode == 0 and denied.stdout == b"2\n"
    assert denied.stderr == b"srun: Access denied for /nowhere: No such file or directory\n"
    cluster.cox("cancel", here.job)


# ---- programs of the controller -----------------------------------------------------------------

def test_prolog_and_epilog_programs_of_the_controller_run_around_the_job(make_cluster, tmp_path):
    prolog = write_program(tmp_path, "prolog", f"[ ! -e {tmp_path}/broken ] || "
                           "{ echo no licence; exit 2; }\n"
                           f"echo $SLURM_SCRIPT_CONTEXT $SLURM_JOB_ID $SLURM_JOB_NODELIST "
                           f">> {tmp_path}/records")
    epilog = write_program(tmp_path, "epilog", "echo $SLURM_SCRIPT_CONTEXT $SLURM_JOB_ID "
                           f"$SLURM_JOB_EXIT_CODE2 >> {tmp_path}/records")
    cluster = make_cluster(nodes=1, settings={"prolog_program": str(prolog),
                                              "epilog_program": str(epilog)})
    job = cluster.submit("-N1", "-n1", "-D", new_folder(cluster), "--", "/bin/sh", "-c",
                         f"echo rank >> {tmp_path}/records; exit 4")
    cluster.wait_state(job, "FAILED")
    cluster.wait_for(lambda: len(records(tmp_path)) == 3, "the epilog to run")
    assert records(tmp_path) == [f"prolog_slurmctld {job} n1", "rank",
                                 f"epilog_slurmctld {job} 4:0"]
    config = cluster.slurm("scontrol", "show", "config").stdout
    assert f"PrologSlurmctld         = {prolog}\n" in config
    assert f"EpilogSlurmctld         = {epilog}\n" in config
    (tmp_path / "broken").touch()
    again = cluster.submit("-N1", "-n1", "--", "true")
    cluster.wait_for(lambda: "prolog_program failed: exit code 2: no licence"
                     in cluster.cox("history", again).stdout, "the prolog to fail")
    (tmp_path / "broken").unlink()
    cluster.wait_state(again, "COMPLETED")
