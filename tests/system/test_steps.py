"""srun inside an allocation, with real daemons: streams, ends and signals of its tasks."""

import fcntl
import hashlib
import os
import pty
import re
import signal
import struct
import subprocess
import termios
import time

from patience import DEADLINE_S, LONG_DEADLINE_S
import pytest
from allocation import lines_until
from cluster import PYTHON
from processes import processes_with

CLUSTER = {"nodes": 3, "cpus": 4, "settings": {"kill_wait": "2s"}}

# ---- tasks on their nodes -----------------------------------------------------------------------

def test_srun_runs_tasks_on_three_nodes_and_labels_their_output(allocation):
    here = allocation(nodes=3, tasks=12)
    done = here.run("-l", "sh", "-c", "echo $SLURM_PROCID/$SLURM_NTASKS on $SLURMD_NODENAME; "
                                      "echo e$SLURM_PROCID >&2")
    assert done.returncode == 0, done.stderr
    assert sorted(done.stdout.decode().splitlines()) == sorted(
        f"{rank:2}: {rank}/12 on n{rank // 4 + 1}" for rank in range(12))
    assert sorted(done.stderr.decode().splitlines()) == sorted(
        f"{rank:2}: e{rank}" for rank in range(12))
    assert [row[1] for row in here.steps()] == ["COMPLETED"]


def test_a_step_can_use_a_part_of_the_nodes(allocation):
    here = allocation(nodes=3, tasks=3)
    done = here.run("-N2", "-n2", "-w", "n[2-3]", "-l", "sh", "-c",
                    "echo $SLURMD_NODENAME $SLURM_NODEID $SLURM_STEP_NODELIST $SLURM_JOB_NUM_NODES "
                    "$SLURM_STEP_ID")
    assert sorted(done.stdout.splitlines()) == [b"0: n2 0 n[2-3] 3 0", b"1: n3 1 n[2-3] 3 0"], (
        done.stderr)
    one = here.run("-n1", "sh", "-c", "echo $SLURM_NTASKS $SLURM_STEP_ID")
    assert one.stdout == b"1 1\n"
    assert one.stderr == b"srun: Warning: can't run 1 processes on 3 nodes, setting nnodes to 1\n"
    # With only --jobid, a step has one task on each node of the job.
    bare = {name: value for name, value in here.environment.items()
            if not name.startswith("SLURM_")}
    shape = subprocess.run([here.folder / "srun", f"--jobid={here.job}", "-l", "true"], env=bare,
                           cwd=here.folder, capture_output=True, timeout=DEADLINE_S)
    assert shape.returncode == 0, shape.stderr
    assert here.cluster.sql(f"SELECT tasks FROM cox.step WHERE job_id = {here.job} AND number = 2"
                            ) == [["3"]]


def test_the_tasks_of_a_step_can_meet_at_a_port_of_the_steps_own(allocation):
    here = allocation(nodes=3, tasks=3)
    def places(**environment):
        done = here.run("-N2", "-n2", "-w", "n[2-3]", "sh", "-c", "echo $MASTER_ADDR $MASTER_PORT",
                        **environment)
        assert done.returncode == 0, done.stderr
        place, = set(done.stdout.decode().splitlines())  # the same in both tasks
        return place.split(" ")
    (address, port), (_, next_port) = places(), places()
    assert [[address]] == here.cluster.sql("SELECT address FROM cox.node WHERE name = 'n2'")
    assert port.isdigit() and next_port.isdigit() and port != next_port
    assert places(MASTER_PORT="29500") == [address, "29500"]


def test_multi_prog_runs_a_program_of_its_own_in_each_task(allocation):
    here = allocation(tasks=4)
    (here.folder / "programs").write_text("0 echo master\n1-2 echo worker %t %o\n* echo other\n")
    done = here.run("-l", "--multi-prog", "programs")
    assert sorted(done.stdout.decode().splitlines()) == [
        "0: master", "1: worker 1 0", "2: worker 2 1", "3: other"]


def test_output_and_errors_of_a_step_go_to_the_named_files(allocation):
    here = allocation(tasks=2)
    done = here.run("-o", "%j.%s.%t.out", "-e", "%t.err", "sh", "-c",
                    "echo out $SLURM_PROCID; echo err $SLURM_PROCID >&2")
    assert (done.stdout, done.stderr) == (b"", b"")
    assert (here.folder / f"{here.job}.0.1.out").read_text() == "out 1\n"
    assert (here.folder / "0.err").read_text() == "err 0\n"
    here.run("-l", "-o", "all-%s.out", "sh", "-c", "echo $SLURM_PROCID; echo e$SLURM_PROCID >&2")
    assert sorted((here.folder / "all-1.out").read_text().splitlines()) == [
        "0: 0", "0: e0", "1: 1", "1: e1"]
    here.run("--open-mode=append", "-o", "all-1.out", "-n1", "echo", "more")
    assert (here.folder / "all-1.out").read_text().endswith("more\n")


def test_each_srun_of_a_batch_script_is_a_step(cluster, folder):
    """A batch script with srun in it, as users write it."""
    (folder / "srun").symlink_to(cluster.bin / "cox")
    script = folder / "job.sh"
    script.write_text(f"#!/bin/sh\nPATH={folder}:$PATH\nsrun -l hostname >/dev/null && "
                      "srun sh -c 'echo $SLURM_STEP_ID.$SLURM_PROCID'\n")
    job = cluster.submit("-N2", "-n2", "-D", folder, "-o", "out", script)
    cluster.wait_state(job, "COMPLETED")
    assert sorted((folder / "out").read_text().splitlines()) == ["1.0", "1.1"]


# ---- streams ------------------------------------------------------------------------------------

def test_much_binary_output_of_a_step_is_whole_and_in_order(allocation):
    here = allocation(nodes=2, tasks=8)
    program = ("import os, sys; r = int(os.environ['SLURM_PROCID'])\n"
               "for i in range(10 << 10):\n"
               "    os.write(1, bytes([r]) + i.to_bytes(3, 'big') + bytes([r, 0, 255, 10]) * 255)")
    done = here.run("--output=%t.bin", PYTHON, "-c", program)
    assert done.returncode == 0, done.stderr
    alone = here.run("-n1", "-N1", PYTHON, "-c", program)
    assert alone.stdout == (here.folder / "0.bin").read_bytes() and len(alone.stdout) == 10 << 20
    # All tasks write at once to one stream: each task's pieces are there, in order.
    text = ("import os, sys; r = os.environ['SLURM_PROCID']\n"
            "for i in range(20000):\n    sys.stdout.write(f'{r} {i} ' + 'x' * 500 + '\\n')")
    lines = here.run("-l", PYTHON, "-c", text).stdout.decode().splitlines()
    for rank in range(8):
        own = [line.split(" ")[2] for line in lines if line.startswith(f"{rank}: {rank} ")]
        assert own == [str(i) for i in range(20000)]


def test_unbuffered_tasks_write_to_a_terminal_that_changes_no_byte(allocation):
    here = allocation(tasks=1)
    program = ("import sys; print(sys.stdout.isatty(), flush=True); "
               "sys.stdout.buffer.write(bytes(range(256)) * 1000)")
    for options, is_terminal in (([], b"False\n"), (["--unbuffered"], b"True\n")):
        done = here.run("-n1", *options, PYTHON, "-c", program)
        assert done.stdout == is_terminal + bytes(range(256)) * 1000, done.stderr


def test_lines_of_several_tasks_do_not_mix(allocation):
    """Each half of a line is a separate write, and so a separate piece of the stream."""
    here = allocation(tasks=4)
    text = "for i in $(seq 500); do printf $SLURM_PROCID; echo $SLURM_PROCID; done"
    done = here.run("-n4", "sh", "-c", text)
    assert sorted(done.stdout.split()) == [f"{rank}{rank}".encode() for rank in range(4)
                                           for _ in range(500)], done.stderr


def test_a_slow_reader_of_srun_gets_all_output(allocation):
    """The task has ended. Its output that srun cannot take yet stays in its pipe."""
    here = allocation(tasks=1)
    amount = 8 << 20  # without a reader, the node may send a little less than this
    with here.start("-n1", "head", "-c", amount, "/dev/zero") as step:
        time.sleep(7)  # longer than a node waits for streams that another process holds
        assert step.poll() is None
        read = 0
        while piece := os.read(step.stdout.fileno(), 1 << 20):
            read += len(piece)
            time.sleep(0.01)
        assert (read, step.wait(DEADLINE_S)) == (amount, 0)


def test_the_tasks_end_when_the_reader_of_srun_closes_its_pipe(allocation):
    here = allocation(tasks=1)
    done = subprocess.run(["sh", "-c", f"{here.folder}/srun -n1 yes | head -n1"],
                          timeout=DEADLINE_S,
                          env=here.environment, capture_output=True)
    assert done.stdout == b"y\n"
    here.wait_step(0, "FAILED")


def test_input_of_srun_goes_to_all_tasks_one_task_or_none(allocation):
    here = allocation(nodes=2, tasks=4)
    data = os.urandom(5 << 20)
    done = here.run("-l", "sh", "-c", "md5sum", data=data)
    expected = hashlib.md5(data).hexdigest()
    assert sorted(done.stdout.decode().splitlines()) == [f"{r}: {expected}  -" for r in range(4)]
    one = here.run("--input=2", "-l", "wc", "-c", data=b"12345")
    assert sorted(one.stdout.decode().split("\n"))[1:] == ["0: 0", "1: 0", "2: 5", "3: 0"]
    assert here.run("--input=none", "-n1", "-N1", "cat", data=b"12345").stdout == b""


# ---- ends ---------------------------------------------------------------------------------------

def test_srun_reports_exit_codes_and_signals_of_tasks(allocation):
    here = allocation(nodes=2, tasks=4)
    done = here.run("sh", "-c", "exit $((SLURM_PROCID / 2 * 3))")
    assert done.returncode == 3
    assert done.stderr == b"srun: error: n2: tasks 2-3: Exited with exit code 3\n"
    killed = here.run("sh", "-c", "kill -SEGV $$")
    assert killed.returncode == 128 + signal.SIGSEGV
    assert re.search(rb"srun: error: n1: tasks 0-1: Segmentation fault", killed.stderr)
    missing = here.run("-n1", "-N1", "./no-such-program")
    assert missing.returncode == 127
    assert b"srun: error: n1: task 0: cannot run ./no-such-program: No such file" in missing.stderr
    assert [row[1:] for row in here.steps()] == [["FAILED", "3"], ["FAILED", "0"],
                                                 ["FAILED", "127"]]
    script = here.folder / "script"
    script.write_text("#!/nosuch/python -u\n")
    script.chmod(0o755)
    odd = here.run("-n1", "-N1", "./script")
    assert odd.returncode == 127
    assert b"cannot run ./script: its interpreter /nosuch/python does not exist" in odd.stderr


def test_kill_on_bad_exit_ends_all_tasks_at_the_first_failure(allocation):
    here = allocation(nodes=2, tasks=4)
    done = here.run("-K", "sh", "-c", "test $SLURM_PROCID = 1 && exit 4; sleep 1000")
    assert b"srun: error: n1: task 1: Exited with exit code 4" in done.stderr
    assert b"srun: Terminating StepId=" in done.stderr
    assert done.returncode == 128 + signal.SIGTERM
    assert done.stderr.endswith(b": Terminated\nsrun: Force Terminated StepId=%d.0\n" % here.job)
    here.wait_step(0, "CANCELLED", "FAILED")


def test_wait_kills_the_other_tasks_after_the_first_exit(allocation):
    here = allocation(tasks=4)
    done = here.run("-W1", "sh", "-c", "test $SLURM_PROCID = 1 && exit 0; sleep 1000")
    step = b"StepId=%d.0" % here.job
    assert done.stderr.startswith(
        b"srun: First task exited 1s ago\nsrun: " + step + b" tasks 0,2-3: running\nsrun: " + step +
        b" task 1: exited\nsrun: Terminating " + step + b"\nsrun: Job step aborted: Waiting up to "
        b"4 seconds for job step to finish.\n"), done.stderr
    assert b"srun: error: n1: tasks 0,2-3: Killed\n" in done.stderr
    assert done.returncode == 128 + signal.SIGKILL
    here.wait_step(0, "CANCELLED")


def test_a_step_ends_at_its_own_time_limit(allocation):
    here = allocation(tasks=1)
    begun = time.monotonic()
    done = here.run("-n1", "--time=0:2", "sleep", "1000")
    assert time.monotonic() - begun > 1
    assert b"DUE TO TIME LIMIT ***" in done.stderr and done.returncode == 128 + signal.SIGTERM
    here.wait_step(0, "TIMEOUT")


def test_the_second_ctrl_c_ends_the_tasks(allocation):
    here = allocation(tasks=2)
    # The program exits with 5 at SIGTERM too: soon after the end of its step a task gets SIGTERM,
    # which a busy shell may handle before the SIGINT.
    program = "trap 'exit 5' INT TERM; echo ready; while :; do sleep 0.1; done"
    with here.start("sh", "-c", program) as step:
        lines_until(step.stdout, b"ready\nready\n")
        asked = (b"srun: interrupt (one more within 1 sec to abort)\n"
                 b"srun: StepId=%d.0 tasks 0-1: running\n" % here.job)
        step.send_signal(signal.SIGINT)
        assert lines_until(step.stderr, b"running\n") == asked
        step.send_signal(signal.SIGINT)
        rest = step.stderr.readline()
        while asked.startswith(rest):  # on a slow machine more than a second had passed
            assert rest + step.stderr.readline() == asked
            step.send_signal(signal.SIGINT)
            rest = step.stderr.readline()
        rest += step.stderr.read()
        assert rest.startswith(b"srun: sending Ctrl-C to StepId=%d.0\n"
                               b"srun: forcing job termination\n"
                               b"srun: Job step aborted: Waiting up to 4 seconds for job step to "
                               b"finish.\n" % here.job), rest
        assert step.wait(DEADLINE_S) == 5
    here.wait_step(0, "CANCELLED", "FAILED")


def test_the_first_ctrl_c_ends_the_tasks_with_disable_status(allocation):
    here = allocation(tasks=1)
    program = "trap 'exit 5' INT; echo ready; while :; do sleep 0.1; done"
    with here.start("-n1", "-X", "sh", "-c", program) as step:
        lines_until(step.stdout, b"ready\n")
        step.send_signal(signal.SIGINT)
        said = step.stderr.read()
        assert b"srun: sending Ctrl-C to StepId=" in said and b"interrupt" not in said
        assert step.wait(DEADLINE_S) == 5


def test_a_single_ctrl_c_kills_the_tasks_with_quit_on_interrupt(allocation):
    here = allocation(tasks=1)
    program = "trap '' INT TERM; echo ready; while :; do sleep 0.1; done"
    with here.start("-n1", "-q", "-v", "sh", "-c", program) as step:
        lines_until(step.stdout, b"ready\n")
        step.send_signal(signal.SIGINT)
        said = step.stderr.read()
        assert b"srun: forcing job termination\n" in said
        assert b"interrupt" not in said.replace(b"quit-on-interrupt", b"")  # which -v prints
        assert b": task 0: Killed\n" in said
        assert step.wait(DEADLINE_S) == 128 + signal.SIGKILL


def test_srun_forwards_a_signal_to_its_task(allocation):
    here = allocation(tasks=1)
    with here.start("-n1", "sh", "-c", "trap 'exit 6' USR1; echo ready; while :; do sleep 0.1; "
                                       "done") as step:
        lines_until(step.stdout, b"ready\n")
        step.send_signal(signal.SIGUSR1)
        assert step.wait(DEADLINE_S) == 6


def test_the_tasks_end_when_their_srun_is_killed(allocation):
    here = allocation(tasks=2)
    with here.start("sh", "-c", "echo ready; exec sleep 998") as step:
        lines_until(step.stdout, b"ready\nready\n")
        step.kill()
        here.wait_step(0, "FAILED", "CANCELLED")
    assert here.run("-n1", "echo", "next").stdout == b"next\n"


# ---- steps that run at the same time ------------------------------------------------------------

def test_a_step_ends_everywhere_when_a_step_daemon_dies(allocation):
    here = allocation(nodes=2, tasks=2)
    with here.start("-n2", "-l", "sh", "-c", "echo on $SLURMD_NODENAME; exec sleep 1000") as step:
        seen = b""
        while not (b"on n1\n" in seen and b"on n2\n" in seen):
            seen += os.read(step.stdout.fileno(), 100)
        daemon = here.cluster.supervisor(here.job, 1, "n2")
        for process in processes_with(lambda one: one.cmdline().startswith(
                b"cox-stepd\0%d." % here.job) and one.parent() == daemon.pid):
            process.kill(signal.SIGKILL)
        assert step.wait(DEADLINE_S) == 128 + signal.SIGTERM, step.stderr.read()
    assert [row[1] for row in here.steps()] == ["CANCELLED"]


def test_exact_steps_run_at_the_same_time_and_are_cancelled_one_by_one(allocation):
    here = allocation(tasks=4, options=["--mem=100"])
    steps = []
    for _ in range(2):  # one starts after the other, so the steps are numbered in this order
        steps.append(here.start("--exact", "-n2", "sh", "-c", "echo ready; sleep 1000"))
        lines_until(steps[-1].stdout, b"ready\nready\n")
    shown = here.slurm("squeue", "--steps").stdout.splitlines()
    assert shown[0] == "         STEPID     NAME PARTITION     USER      TIME NODELIST"
    assert [line.split()[0] for line in shown[1:]] == [f"{here.job}.0", f"{here.job}.1",
                                                       f"{here.job}.batch"]
    now = here.run("-n1", "--immediate", "true")
    assert now.returncode == 1 and b"Unable to create step for job" in now.stderr
    waits = here.start("--exact", "-n1", "echo", "at last")
    assert b"step creation temporarily disabled, retrying (Requested nodes are busy)\n" in (
        lines_until(waits.stderr, b"busy)\n"))
    assert here.run("--overlap", "-n1", "echo", "shared").stdout == b"shared\n"
    done = here.slurm("scancel", f"{here.job}.0")
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")
    assert steps[0].wait(DEADLINE_S) == 128 + signal.SIGTERM
    out, errors = waits.communicate(timeout=DEADLINE_S)
    assert out == b"at last\n" and b"srun: Step created for StepId=" in errors
    # With --me, scancel first looks up whose step it is.
    here.slurm("scancel", "--me", "--signal=KILL", f"{here.job}.1")
    assert steps[1].wait(DEADLINE_S) == 128 + signal.SIGKILL
    assert here.cluster.state(here.job) == "RUNNING"
    for step in steps:
        step.stdout.close()
        step.stderr.close()
    gone = here.slurm("scancel", f"{here.job}.77")
    assert gone.returncode == 1
    assert gone.stderr.startswith(f"scancel: error: Kill job error on job step id {here.job}.77: ")


def test_scancel_sends_a_signal_to_a_job_or_a_step(allocation):
    here = allocation(tasks=1)
    program = "trap 'echo got; exit 0' USR2; echo ready; while :; do sleep 0.1; done"
    for target in (f"{here.job}", f"{here.job}.1"):
        with here.start("-n1", "sh", "-c", program) as step:
            lines_until(step.stdout, b"ready\n")
            assert here.slurm("scancel", "--signal=USR2", target).stderr == ""
            assert (step.stdout.read(), step.wait(DEADLINE_S)) == (b"got\n", 0)
    assert here.cluster.state(here.job) == "RUNNING"
    here.slurm("scancel", "-b", "--signal", "KILL", here.job)
    here.cluster.wait_state(here.job, "FAILED", "CANCELLED")


def test_a_step_ends_when_its_job_is_cancelled_and_no_new_one_starts(allocation):
    here = allocation(tasks=1)
    with here.start("-n1", "sh", "-c", "echo ready; exec sleep 1000") as step:
        lines_until(step.stdout, b"ready\n")
        here.cluster.cox("cancel", here.job)
        assert step.wait(DEADLINE_S) != 0
    waits = here.run("true")
    assert waits.returncode == 1 and b"srun: error: Unable to create step for job" in waits.stderr


# ---- terminals ----------------------------------------------------------------------------------

def test_pty_gives_the_task_a_terminal(allocation):
    here = allocation(tasks=1)
    ours, theirs = pty.openpty()
    fcntl.ioctl(theirs, termios.TIOCSWINSZ, struct.pack("HHHH", 31, 97, 0, 0))
    before = termios.tcgetattr(theirs)
    with here.start("-n1", "--pty", "sh", "-c", "stty size; stty -echo; echo ready; "
                    "read line; trap 'stty size' WINCH; trap 'exit 7' INT; echo got $line; "
                    "while :; do sleep 0.1; done", stdin=theirs, stdout=theirs,
                    stderr=theirs) as step:
        with os.fdopen(ours, "rb+", buffering=0) as terminal:
            assert b"31 97" in lines_until(terminal, b"ready")
            terminal.write(b"hello\n")
            lines_until(terminal, b"got hello")
            fcntl.ioctl(theirs, termios.TIOCSWINSZ, struct.pack("HHHH", 40, 120, 0, 0))
            step.send_signal(signal.SIGWINCH)
            lines_until(terminal, b"40 120")
            terminal.write(b"\x03")
            assert step.wait(DEADLINE_S) == 7
            assert termios.tcgetattr(theirs) == before
    os.close(theirs)


def test_srun_prints_its_version_and_kinds_of_mpi(allocation):
    here = allocation(tasks=1)
    version = here.run("--version").stdout
    assert version == b"slurm 23.11.10\n"
    assert here.run("--mpi=list").stdout.split()[4:] == [b"none", b"pmi2", b"pmix"]


def test_tasks_of_srun_save_when_preempted_and_resume_in_the_next_attempt(cluster, folder):
    """A script trains with srun: when it is preempted it saves, and its next run resumes."""
    (folder / "srun").symlink_to(cluster.bin / "cox")
    train = folder / "train.sh"
    train.write_text("""#!/bin/sh
echo "$SLURM_PROCID from ${COX_RESUME_FROM##*/}" >> runs
[ -n "$COX_RESUME_FROM" ] && exit 0
trap 'mkdir -p $COX_CHECKPOINT_DIR/step-7; echo $SLURM_PROCID > \
      $COX_CHECKPOINT_DIR/step-7/rank-$SLURM_PROCID; cox checkpoint done --step 7; exit 0' USR1
echo up > up.$SLURM_PROCID
while :; do sleep 0.1; done
""")
    train.chmod(0o755)
    script = folder / "job.sh"
    script.write_text(f"#!/bin/sh\n#SBATCH --checkpoint-signal=USR1\nPATH={folder}:$PATH\n"
                      "srun ./train.sh\n")
    job = cluster.submit("-N2", "-n2", "-D", folder, script)
    cluster.wait_for(lambda: (folder / "up.0").exists() and (folder / "up.1").exists(),
                     "both tasks to run")
    cluster.cox("preempt", job)
    cluster.wait_state(job, "COMPLETED", deadline_s=LONG_DEADLINE_S)
    assert sorted((folder / "runs").read_text().splitlines()) == [
        "0 from ", "0 from step-7", "1 from ", "1 from step-7"]
    assert cluster.sql(f"SELECT step FROM cox.checkpoint WHERE job_id = {job}") == [["7"]]


def test_a_step_resumes_only_from_what_a_step_with_the_same_command_saved(cluster, folder):
    """A script has two trainings, one after the other, and is preempted in the second one."""
    (folder / "srun").symlink_to(cluster.bin / "cox")
    train = folder / "train.sh"
    train.write_text("""#!/bin/sh
echo "$1 from ${COX_RESUME_FROM##*/}" >> runs
if [ $1 = a ] && [ -z "$COX_RESUME_FROM" ]; then
  mkdir -p $COX_CHECKPOINT_DIR/step-30
  echo a > $COX_CHECKPOINT_DIR/step-30/rank-0
  cox checkpoint done --step 30
elif [ $1 = b ] && [ ! -e up ]; then
  trap 'exit 0' USR1
  echo up > up
  while :; do sleep 0.1; done
fi
""")
    train.chmod(0o755)
    script = folder / "job.sh"
    script.write_text(f"#!/bin/sh\n#SBATCH --checkpoint-signal=USR1\nPATH={folder}:$PATH\n"
                      'echo "script from ${COX_RESUME_FROM##*/}" >> runs\n'
                      "srun ./train.sh a; srun ./train.sh b 2>> warnings\n")
    job = cluster.submit("-n1", "-D", folder, script)
    cluster.wait_for((folder / "up").exists, "the second training to run")
    cluster.cox("preempt", job)
    cluster.wait_state(job, "COMPLETED", deadline_s=LONG_DEADLINE_S)
    assert (folder / "runs").read_text().splitlines() == [
        "script from ", "a from ", "b from ", "script from step-30", "a from step-30", "b from "]
    assert cluster.sql(f"SELECT step, job_step FROM cox.checkpoint WHERE job_id = {job}") == [
        ["30", "0"]]
    notes = [event["why"] for event in cluster.history(job) if event["what"] == "checkpoint"]
    why = ("job step 1 is not given the checkpoint of step 30, since job step 0 of attempt 1 has "
           "saved it with another command line; run each training as a job of its own")
    assert notes[1:] == [why]
    assert f"srun: warning: {why}\n" in (folder / "warnings").read_text()


@pytest.mark.parametrize("last", ["exit $?", "echo finished"])
def test_a_save_of_one_task_alone_is_not_committed(cluster, folder, last):
    """The script ends with srun's 75, or runs another command and ends with 0."""
    (folder / "srun").symlink_to(cluster.bin / "cox")
    train = folder / "train.sh"
    train.write_text("""#!/bin/sh
save() {
  if [ $SLURM_PROCID = 0 ]; then
    mkdir -p $COX_CHECKPOINT_DIR/step-7
    echo 0 > $COX_CHECKPOINT_DIR/step-7/rank-0
    cox checkpoint done --step 7
  fi
  exit 75
}
trap save USR1
echo up > up.$SLURM_PROCID
while :; do sleep 0.1; done
""")
    train.chmod(0o755)
    script = folder / "job.sh"
    script.write_text(f"#!/bin/sh\n#SBATCH --checkpoint-signal=USR1\nPATH={folder}:$PATH\n"
                      f"srun ./train.sh\n{last}\n")
    job = cluster.submit("-N2", "-n2", "-D", folder, script)
    cluster.wait_for(lambda: (folder / "up.0").exists() and (folder / "up.1").exists(),
                     "both tasks to run")
    cluster.cox("hold", job)
    cluster.cox("preempt", job)
    cluster.wait_state(job, "PENDING")
    assert cluster.sql(f"SELECT step FROM cox.checkpoint WHERE job_id = {job}") == []
    lost, = [event["why"] for event in cluster.history(job) if event["what"] == "lost_save"]
    assert "node n1 of job step 0 saved step 7, node n2 of job step 0 reported no save" in lost
    cluster.cox("cancel", job)
