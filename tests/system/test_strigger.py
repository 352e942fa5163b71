"""strigger with real daemons and real programs."""

import contextlib
import getpass
from pathlib import Path

import pytest

CLUSTER = {"nodes": 2, "cpus": 2, "settings": {"kill_wait": "1s"}}
HEAD = ["TRIG_ID", "RES_TYPE", "RES_ID", "TYPE", "OFFSET", "USER", "FLAGS", "PROGRAM"]


@pytest.fixture
def strigger(cluster):
    """strigger(WORD...) runs the command, which must succeed. No trigger is left at the end."""
    def run(*words, check=True):
        done = cluster.slurm("strigger", *words)
        assert not check or done.returncode == 0, done.stdout + done.stderr
        return done

    yield run
    run("--clear", "-Q", f"--user={getpass.getuser()}")
    for node in ("n1", "n2"):
        cluster.cox("resume", node, check=False)


@pytest.fixture
def program(folder):
    """program("name"): returns a program that appends its arguments to the file NAME.runs."""
    def write(name):
        file = folder / name
        file.write_text(f'#!/bin/sh\necho "$*" >> {folder}/{name}.runs\n')
        file.chmod(0o755)
        return file

    return write


def runs(program):
    file = program.with_name(program.name + ".runs")
    return file.read_text().splitlines() if file.exists() else []


def rows(strigger, *words):
    return [line.split() for line in strigger("--get", *words).stdout.splitlines()]


def test_a_trigger_runs_its_program_when_the_job_ends(cluster, strigger, program, folder):
    at_end, early = program("at_end"), program("early")
    job = cluster.submit("-n1", "-D", folder, "--wrap", "while [ ! -e go ]; do sleep 0.05; done")
    cluster.wait_state(job, "RUNNING")
    done = strigger("--set", f"--jobid={job}", "--fini", f"--program={at_end} well done")
    assert (done.stdout, done.stderr) == ("", "")
    strigger("--set", f"--jobid={job}", "--down", f"--program={early}")
    listed = rows(strigger, f"--jobid={job}")
    assert listed[0] == HEAD
    assert listed[1][1:] == ["job", str(job), "fini", "0", getpass.getuser(), str(at_end), "well",
                             "done"]
    assert rows(strigger, "-N", "--fini", f"--jobid={job}") == [listed[1]]
    again = strigger("--set", f"--jobid={job}", "--down", f"--program={early}", check=False)
    assert again.returncode == 1
    assert again.stderr.startswith("slurm_set_trigger: Duplicate event trigger\n")
    assert runs(at_end) == []
    (folder / "go").touch()
    cluster.wait_for(lambda: runs(at_end) == [f"well done {job}"], "the program to run")
    cluster.wait_for(lambda: rows(strigger) == [], "the triggers to be deleted")
    assert runs(early) == []
    late = strigger("--set", f"--jobid={job}", "--fini", f"--program={at_end}", check=False)
    assert late.stderr.startswith("slurm_set_trigger: Job/step already completing or completed\n")


def test_a_permanent_trigger_runs_its_program_at_each_drain_of_a_node(cluster, strigger, program):
    drained = program("drained")
    strigger("--set", "--node=n[1-2]", "--drained", "--flags=PERM", f"--program={drained}")
    number = rows(strigger, "-N")[0][0]
    assert rows(strigger, "-N")[0][1:] == ["node", "n[1-2]", "drained", "0", getpass.getuser(),
                                           "PERM", str(drained)]
    cluster.cox("drain", "n1", "n2", "--reason", "a fan")
    cluster.wait_for(lambda: runs(drained) == ["n[1-2]"], "one run for both nodes")
    cluster.cox("resume", "n2")
    cluster.cox("drain", "n2", "--reason", "a fan again")
    cluster.wait_for(lambda: runs(drained) == ["n[1-2]", "n2"], "another run of the program")
    strigger("--clear", f"--id={number}")
    assert rows(strigger) == []
    gone = strigger("--clear", f"--id={number}", check=False)
    assert gone.returncode == 1
    assert gone.stderr.startswith("slurm_clear_trigger: there is no such trigger\n")


def test_a_trigger_event_before_a_crash_runs_its_program_once(cluster, strigger, program):
    drained, started = program("drained"), program("started")
    strigger("--set", "--drained", f"--program={drained}")
    strigger("--set", "--primary_slurmctld_resumed_operation", "--flags=PERM",
             f"--program={started}")
    cluster.cox("drain", "n1", "--reason", "a fan")
    cluster.kill("controller")
    cluster.start("controller")
    cluster.wait_for(lambda: runs(drained) == ["n1"], "the program to run")
    cluster.wait_for(lambda: runs(started) == ["primary_slurmctld_resumed_operation"],
                     "the event of the controller")
    cluster.kill("controller")
    cluster.start("controller")
    cluster.wait_for(lambda: len(runs(started)) == 2, "the event of the next controller")
    assert runs(drained) == ["n1"]
    assert "trigger=" in cluster.log_text("controller")
    cluster.await_nodes()


def states_of_children(pid):
    """Returns the state of each child of the process: "Z" is a zombie."""
    stats = []
    for file in Path("/proc").glob("[0-9]*/stat"):
        with contextlib.suppress(OSError):
            stats.append(file.read_text().rpartition(")")[2].split())
    return [state for state, parent, *_ in stats if parent == str(pid)]


def test_a_program_that_ends_after_a_reconfigure_leaves_no_zombie(cluster, strigger, program,
                                                                  folder):
    slow, go = program("slow"), folder / "go-on"
    slow.write_text(slow.read_text() + f"while [ ! -e {go} ]; do sleep 0.05; done\n")
    job = cluster.submit("--hold", "--", "true")
    strigger("--set", f"--jobid={job}", "--fini", f"--program={slow}")
    cluster.cox("cancel", job)
    cluster.wait_for(lambda: runs(slow), "the program to run")
    controller = cluster.pid("controller")
    cluster.slurm("scontrol", "reconfigure")
    assert cluster.pid("controller") == controller, "the program has replaced itself"
    assert len(states_of_children(controller)) == 1
    go.touch()
    cluster.wait_for(lambda: states_of_children(controller) == [], "the ended program to go")


def test_invalid_triggers_are_refused(cluster, strigger, program, folder):
    ok = program("ok")
    for words, why in (
            (["--set", "--down", "--program=relative"], "must start with"),
            (["--set", "--down", f"--program={folder}/nosuch"], "file not found"),
            (["--set", "--down", f"--program={folder}"], "not regular file"),
            (["--set", "--node=n9", "--down", f"--program={ok}"], "Invalid node name specified"),
            (["--set", "--jobid=99999", "--fini", f"--program={ok}"], "Invalid job id specified"),
            (["--set", "--backup_slurmctld_failure", f"--program={ok}"], "is not supported"),
            (["--clear", "--user=no-such-user"], "Invalid user no-such-user"),
            (["--get", "-M", "elsewhere"], "No cluster 'elsewhere' known by database.")):
        done = strigger(*words, check=False)
        assert done.returncode == 1 and why in done.stderr, (words, done.stderr)
    assert rows(strigger) == []
