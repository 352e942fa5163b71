"""sattach: other users of a running step's output do not disturb the step."""

import array
import fcntl
import hashlib
import os
import re
import signal
import subprocess
import termios
from pathlib import Path

from allocation import lines_until
from cluster import PYTHON
from patience import DEADLINE_S

CLUSTER = {"nodes": 2, "cpus": 4}
FLOOD = Path(__file__).with_name("programs") / "flood.py"
MIB = 1 << 20


def sattach(here, *words, **options):
    return subprocess.Popen([here.folder / "sattach", *map(str, words)], env=here.environment,
                            **{"stdin": subprocess.DEVNULL, "stdout": subprocess.PIPE,
                               "stderr": subprocess.PIPE, **options})


def unread_bytes(pipe):
    count = array.array("i", [0])
    fcntl.ioctl(pipe, termios.FIONREAD, count)
    return count[0]


def test_two_sattach_show_the_later_output_of_a_step(allocation):
    here = allocation(nodes=2, tasks=4)
    program = ("echo begun; until [ -e end ]; do echo tick; sleep 0.1; done; echo end; "
               "exit $SLURM_PROCID")
    with here.start("sh", "-c", program) as step:
        lines_until(step.stdout, b"tick\n")
        with sattach(here, "-l", f"{here.job}.0") as all_of_it, \
                sattach(here, "--output-filter=3", f"{here.job}.0") as one_task:
            for each, tick in ((all_of_it, b"2: tick\n"), (one_task, b"tick\n")):
                lines_until(each.stdout, tick)
            (here.folder / "end").touch()
            shown = all_of_it.stdout.read().decode().splitlines()
            assert sorted(line for line in shown if line.endswith("end")) == [
                f"{rank}: end" for rank in range(4)]
            assert one_task.stdout.read().count(b"end\n") == 1
            assert (all_of_it.wait(DEADLINE_S), one_task.wait(DEADLINE_S)) == (3, 3)
            assert b"sattach: error: n2: task 3: Exited with exit code 3\n" in (
                all_of_it.stderr.read())
        assert step.stdout.read().count(b"end\n") == 4
        assert step.wait(DEADLINE_S) == 3
    assert here.steps()[0][1:] == ["FAILED", "3"]
    here.wait_step(1, "COMPLETED")
    here.wait_step(2, "COMPLETED")


def test_an_sattach_that_does_not_read_delays_no_step_and_counts_the_missed_bytes(allocation):
    """The slow sattach gets whole lines of output, and then the number of bytes that it missed. It
    can also write to the task."""
    here = allocation(tasks=1)
    with here.start("-n1", PYTHON, FLOOD, 100, "digest", "--wait", stdin=subprocess.PIPE) as step:
        here.wait_step(0, "RUNNING")
        with sattach(here, f"{here.job}.0", stdin=subprocess.PIPE) as slow:
            slow.stdin.write(b"go on\n")
            slow.stdin.flush()
            output = step.stdout.read()
            assert step.wait(DEADLINE_S) == 0
            assert hashlib.blake2b(output).hexdigest() == (here.folder / "digest").read_text()
            seen = slow.stdout.read()
            errors = slow.stderr.read()
            assert slow.wait(DEADLINE_S) == 0
    missing = sum(map(int, re.findall(rb"error: (\d+) bytes of task 0 are missing here", errors)))
    assert missing > 0 and len(seen) + missing == 100 * MIB
    assert output.startswith(seen[:MIB])


def test_input_from_sattach_waits_until_the_tasks_start(allocation):
    here = allocation(tasks=1)
    with here.start("-n1", "sh", "-c", "until [ -e end ]; do sleep 0.1; done") as first:
        here.wait_step(0, "RUNNING")
        with here.start("-n1", "head", "-n1") as step:
            lines_until(step.stderr, b"temporarily disabled")
            step.send_signal(signal.SIGSTOP)  # so no task starts, although the step runs
            (here.folder / "end").touch()
            assert first.wait(DEADLINE_S) == 0
            here.wait_step(1, "RUNNING")
            with sattach(here, f"{here.job}.1", stdin=subprocess.PIPE) as other:
                os.write(other.stdin.fileno(), b"go on\n")
                here.cluster.wait_for(lambda: unread_bytes(other.stdin) == 0,
                                      "sattach to read its input")
                step.send_signal(signal.SIGCONT)
                assert step.communicate(timeout=DEADLINE_S)[0] == b"go on\n"
                assert (step.returncode, other.wait(DEADLINE_S)) == (0, 0)


def test_an_sattach_that_ends_does_not_affect_the_step(allocation):
    here = allocation(tasks=1)
    with here.start("-n1", "sh", "-c", "until [ -e end ]; do echo tick; sleep 0.1; done") as step:
        lines_until(step.stdout, b"tick\n")
        for leave in (subprocess.Popen.terminate, subprocess.Popen.kill):
            with sattach(here, f"{here.job}.0") as other:
                lines_until(other.stdout, b"tick\n")
                leave(other)
        with sattach(here, f"{here.job}.0") as other:
            lines_until(other.stdout, b"tick\n")
            other.stdout.close()
            assert other.wait(DEADLINE_S) == 0
        for number in (1, 2, 3):
            here.wait_step(number, "COMPLETED", "CANCELLED")
        (here.folder / "end").touch()
        step.stdout.read()
        assert step.wait(DEADLINE_S) == 0


def test_sattach_prints_the_layout_of_a_step_and_refuses_ended_unknown_and_batch_steps(allocation):
    here = allocation(nodes=2, tasks=3)
    gate = here.start("-m", "cyclic", "sh", "-c",
                      "echo begun; until [ -e end ]; do sleep 0.1; done")
    lines_until(gate.stdout, b"begun\n")
    assert here.slurm("sattach", "--layout", f"{here.job}.0").stdout == (
        "Job step layout:\n\t3 tasks, 2 nodes (n[1-2])\n\n"
        "\tNode 0 (n1), 2 task(s): 0 2 \n\tNode 1 (n2), 1 task(s): 1 \n")
    (here.folder / "end").touch()
    gate.communicate(timeout=DEADLINE_S)
    here.wait_step(0, "COMPLETED")
    for step, why in (("0", "Job/step already completing or completed"),
                      ("7", "Could not get job step info: Invalid job id specified"),
                      ("batch", "a batch script writes to its output file")):
        refused = here.slurm("sattach", f"{here.job}.{step}")
        assert refused.returncode == 1 and refused.stderr.startswith(f"sattach: error: {why}")
