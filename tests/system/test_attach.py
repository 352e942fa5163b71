"""sattach: others look at a running step, and none of them is in its way."""

import hashlib
import re
import subprocess
from pathlib import Path

from allocation import lines_until
from cluster import PYTHON

CLUSTER = {"nodes": 2, "cpus": 4}
FLOOD = Path(__file__).with_name("programs") / "flood.py"
MIB = 1 << 20


def sattach(here, *words, **options):
    return subprocess.Popen([here.folder / "sattach", *map(str, words)], env=here.environment,
                            **{"stdin": subprocess.DEVNULL, "stdout": subprocess.PIPE,
                               "stderr": subprocess.PIPE, **options})


def test_two_look_at_a_step_from_then_on(allocation):
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
            assert (all_of_it.wait(30), one_task.wait(30)) == (3, 3)
            assert b"sattach: error: n2: task 3: Exited with exit code 3\n" in (
                all_of_it.stderr.read())
        assert step.stdout.read().count(b"end\n") == 4
        assert step.wait(30) == 3
    assert here.steps()[0][1:] == ["FAILED", "3"]
    here.wait_step(1, "COMPLETED")
    here.wait_step(2, "COMPLETED")


def test_one_that_does_not_read_holds_nobody_up(allocation):
    """What it is given it gets whole, and what it is not given it is told of. It writes, too."""
    here = allocation(tasks=1)
    with here.start("-n1", PYTHON, FLOOD, 100, "digest", "--wait", stdin=subprocess.PIPE) as step:
        here.wait_step(0, "RUNNING")
        with sattach(here, f"{here.job}.0", stdin=subprocess.PIPE) as slow:
            slow.stdin.write(b"go on\n")
            slow.stdin.flush()
            output = step.stdout.read()
            assert step.wait(30) == 0
            assert hashlib.blake2b(output).hexdigest() == (here.folder / "digest").read_text()
            seen = slow.stdout.read()
            told = slow.stderr.read()
            assert slow.wait(30) == 0
    missing = sum(map(int, re.findall(rb"error: (\d+) bytes of task 0 are missing here", told)))
    assert missing > 0 and len(seen) + missing == 100 * MIB
    assert output.startswith(seen[:MIB])


def test_who_leaves_leaves_the_step_alone(allocation):
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
            assert other.wait(30) == 0
        for number in (1, 2, 3):
            here.wait_step(number, "COMPLETED", "CANCELLED")
        (here.folder / "end").touch()
        step.stdout.read()
        assert step.wait(30) == 0


def test_what_cannot_be_attached_to(allocation):
    here = allocation(nodes=2, tasks=3)
    gate = here.start("-m", "cyclic", "sh", "-c",
                      "echo begun; until [ -e end ]; do sleep 0.1; done")
    lines_until(gate.stdout, b"begun\n")
    assert here.slurm("sattach", "--layout", f"{here.job}.0").stdout == (
        "Job step layout:\n\t3 tasks, 2 nodes (n[1-2])\n\n"
        "\tNode 0 (n1), 2 task(s): 0 2 \n\tNode 1 (n2), 1 task(s): 1 \n")
    (here.folder / "end").touch()
    gate.communicate(timeout=30)
    here.wait_step(0, "COMPLETED")
    for step, why in (("0", "Job/step already completing or completed"),
                      ("7", "Could not get job step info: Invalid job id specified"),
                      ("batch", "what a batch script writes goes to its file")):
        refused = here.slurm("sattach", f"{here.job}.{step}")
        assert refused.returncode == 1 and refused.stderr.startswith(f"sattach: error: {why}")
