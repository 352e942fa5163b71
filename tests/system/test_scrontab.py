"""scrontab: a crontab is installed, edited, listed and removed. Its job runs each minute, also
after a takeover, and scancel ends it only with --cron."""

import os
import pty
import re
import signal
import subprocess
import time

from patience import DEADLINE_S
import pytest

CLUSTER = {"nodes": 2, "cpus": 2, "controllers": 2,
           "settings": {"heartbeat": "500ms", "kill_wait": "1s"}}
NAMES = ("scrontab", "scancel", "scontrol", "squeue")


@pytest.fixture
def slurm(cluster, folder):
    """slurm("scrontab -l") runs a shell line that may use Slurm's names of commands."""
    for name in NAMES:
        (folder / name).symlink_to(cluster.bin / "cox")

    def run(line, text=""):
        path = f"{folder}:{cluster.environment['PATH']}"
        return subprocess.run(["sh", "-c", line], text=True, cwd=folder, input=text,
                              timeout=DEADLINE_S,
                              env=cluster.environment | {"PATH": path}, capture_output=True)
    yield run
    run("scrontab -r")


def edited(cluster, folder, editor, answers="", **variables):
    """Runs scrontab -e at a terminal; returns its output and its exit code."""
    (folder / "editor").write_text(f"#!/bin/sh\n{editor}\n")
    (folder / "editor").chmod(0o755)
    ours, its = pty.openpty()
    os.write(ours, answers.encode())
    with subprocess.Popen([folder / "scrontab", "-e"], stdin=its, stdout=subprocess.PIPE,
                          stderr=subprocess.STDOUT, text=True, cwd=folder,
                          env=cluster.environment | {"VISUAL": str(folder / "editor")} |
                          variables) as child:
        out, _ = child.communicate(timeout=DEADLINE_S)
    os.close(ours)
    os.close(its)
    return out, child.returncode


def start_ahead(cluster, name, job):
    """Starts a controller whose wall clock is so much ahead that the job may begin at once."""
    (left,), = cluster.sql("SELECT ceil(extract(epoch FROM begin_at - clock_timestamp()))::int"
                           f" FROM cox.job WHERE id = {job}")
    cluster.start(name, {"COX_CLOCK_AHEAD_S": left})


def start_with_a_new_minute(cluster):
    """Starts the controllers anew, with a wall clock that has just begun a minute: the first job of
    a crontab begins almost a minute later."""
    for name in cluster.controllers:
        cluster.kill(name, signal.SIGTERM)
    for name in cluster.controllers:
        cluster.start(name, {"COX_CLOCK_AHEAD_S": str(60 - int(time.time()) % 60)})
        cluster.await_nodes()


def lines(cluster):
    return cluster.sql("SELECT last_line, schedule, job_id, state FROM cox.crontabs")


def test_a_crontab_line_runs_each_minute_also_after_a_takeover(cluster, slurm, folder):
    crontab = (f"# mine\nWHERE={folder}\n#SCRON --chdir={folder} -J beat\n"
               "#SCRON --time=5\n* * * * * echo $SLURM_JOB_ID $HOME >> $WHERE/beats\n")
    (folder / "mine.cron").write_text(crontab)
    start_with_a_new_minute(cluster)
    done = slurm("scrontab mine.cron")
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")
    assert slurm("scrontab -l").stdout == crontab
    (line, schedule, first, state), = lines(cluster)
    assert (line, schedule, state) == ("5", "* * * * *", "PENDING")
    shown = slurm(f"scontrol show job {first}").stdout
    assert 'CronJob=Yes CrontabSpec="* * * * *"' in shown
    assert "JobName=beat" in shown and "Reason=BeginTime" in shown
    refused = slurm(f"scancel {first}")
    assert refused.returncode == 1
    assert refused.stderr == (f"scancel: error: Kill job error on job id {first}: "
                              "Cannot cancel scrontab jobs without --cron flag.\n")
    refused = slurm(f"scontrol update JobId={first} TimeLimit=10")
    assert "Cannot modify scrontab jobs through scontrol" in refused.stdout + refused.stderr
    for name in cluster.controllers:
        cluster.kill(name, signal.SIGTERM)
    start_ahead(cluster, "controller", first)
    cluster.wait_state(first, "COMPLETED")
    assert (folder / "beats").read_text().split()[0] == first
    (_, _, second, _), = lines(cluster)
    assert int(second) > int(first), "the next job was not made in the same transaction"
    start_ahead(cluster, "controller2", second)
    cluster.kill("controller")
    cluster.wait_for(lambda: cluster.leader() == "controller2", "the standby to lead")
    cluster.wait_state(second, "COMPLETED")
    cluster.start("controller")
    ran = [beat.split()[0] for beat in (folder / "beats").read_text().splitlines()]
    made = [job for job, in cluster.sql("SELECT id FROM cox.job WHERE name = 'beat' ORDER BY id")]
    # On a slow machine a third minute may have begun.
    assert ran[:2] == [first, second] and ran == made[:len(ran)], "a job has not run once"
    (_, _, third, _), = lines(cluster)
    done = slurm(f"scancel --cron {third}")
    assert (done.returncode, done.stderr) == (0, "")
    cluster.wait_state(third, "CANCELLED", "COMPLETED")
    assert lines(cluster) == []
    kept = slurm("scrontab -l").stdout.splitlines()
    assert kept[2] == f"#DISABLED: #SCRON --chdir={folder} -J beat"
    assert kept[4].startswith("#DISABLED: * * * * * echo")


def test_an_invalid_crontab_is_refused_and_the_installed_one_stays(cluster, slurm):
    assert slurm("scrontab -", "0 5 1 1 * true\n").returncode == 0
    before = lines(cluster)
    wrong = slurm("scrontab", "# a comment\n61 * * * * true\n")
    assert (wrong.returncode, wrong.stdout) == (1, "There are errors in your crontab.\n")
    assert wrong.stderr.startswith('scrontab: error: line 2: "61" is not a valid minute')
    wrong = slurm("scrontab", "@daily true\n#SCRON -p nowhere\n@hourly true\n")
    assert wrong.returncode == 1
    assert wrong.stdout.startswith(
        "There was an issue with the job submission on lines 2-3\n"
        "The error code return was: Invalid partition name specified\n"
        'The error message was: there is no partition "nowhere"')
    wrong = slurm("scrontab", "#SCRON --array=1-3\n@daily true\n")
    assert "option --array is not allowed in a crontab" in wrong.stderr
    assert slurm("scrontab -u nobody-here -l").stderr.startswith(
        "scrontab: error: Could not find user nobody-here")
    assert lines(cluster) == before
    assert slurm("scrontab -l").stdout == "0 5 1 1 * true\n"
    assert slurm("scrontab -r").returncode == 0
    (state,), = cluster.sql(f"SELECT state FROM cox.job WHERE id = {before[0][2]}")
    assert state == "CANCELLED"
    none = slurm("scrontab -l")
    assert none.returncode == 1 and re.fullmatch(r"no crontab for \S+\n", none.stdout)


def test_scrontab_e_installs_the_edited_crontab(cluster, slurm, folder):
    out, code = edited(cluster, folder, 'cat "$1" > seen; echo "@daily true" >> "$1"')
    assert (out, code) == ("", 0)
    assert (folder / "seen").read_text().startswith("# Jobs that are repeated.")
    assert slurm("scrontab -l").stdout.endswith("@daily true\n")
    out, code = edited(cluster, folder, "true")
    assert (out, code) == ("scrontab: No modification made\n", 0)
    out, code = edited(cluster, folder, "true", TMPDIR="/nowhere")
    assert "cannot write /nowhere/scrontab-" in out and code == 1
    assert "set TMPDIR to a folder in which you may create files" in out and "--dir" not in out
    out, code = edited(cluster, folder, "exit 3")
    assert "editor returned non-zero exit code" in out and code == 1
    (folder / "wrong").write_text("@hourly a\n61 * * * * b\n")
    out, code = edited(cluster, folder, 'cp wrong "$1"', answers="n\n")
    assert "The failed line(s) is commented out with #BAD:" in out and code == 0
    assert slurm("scrontab -l").stdout.endswith("@daily true\n"), "the crontab was changed"
    marks = 'if [ -e again ]; then cp "$1" marked; else touch again; cp wrong "$1"; exit; fi\n'
    out, code = edited(cluster, folder, marks + 'echo "# as it is" >> "$1"', answers="y\n")
    assert code == 0, out
    assert (folder / "marked").read_text() == "@hourly a\n#BAD: 61 * * * * b\n"
    assert slurm("scrontab -l").stdout == "@hourly a\n#BAD: 61 * * * * b\n# as it is\n"
    assert [schedule for _, schedule, _, _ in lines(cluster)] == ["0 * * * *"]
