"""When a job is asked to save, which of its processes are signalled, and how a job requeues
itself."""

import os
import signal
import socket
import subprocess

from patience import DEADLINE_S
import pytest
from cluster import PROGRAMS, PYTHON

CLUSTER = {"nodes": 1, "settings": {"kill_wait": "6s"}}
LIMIT_S = 8  # long enough for Python on a slow machine to install its handler
# Seconds by which a run may look shorter than its time limit. The limit passes by the node's clock.
# The rows have the time at which the controller learned of the start, which is later on a busy
# machine. A limit that is wrongly reduced by the time to save would be shorter by kill_wait, 6 s.
CLOCKS_S = 3


@pytest.fixture
def folder(tmp_path, cluster):
    """A folder in which jobs may write, with Slurm's commands."""
    tmp_path.chmod(0o777)
    for name in ("srun", "scontrol"):
        (tmp_path / name).symlink_to(cluster.bin / "cox")
    return tmp_path


def ran_s(cluster, job):
    """Returns how long each ended attempt ran before it was asked to stop, in seconds."""
    rows = cluster.sql("SELECT extract(epoch FROM stop_asked_at - went_at) FROM cox.attempt"
                       f" WHERE job_id = {job} AND ended_at IS NOT NULL ORDER BY attempt")
    return [float(seconds) for seconds, in rows]


def checkpoints(cluster, job):
    rows = cluster.sql(f"SELECT state FROM cox.checkpoints WHERE job_id = {job}")
    return [state for state, in rows]


def test_a_job_that_saves_runs_for_its_whole_time_limit(cluster, folder):
    job = cluster.submit_python("obedient.py", ["-n1", "-D", folder, "-t", f"0:0{LIMIT_S}",
                                                "--checkpoint-signal=USR1"], "save")
    cluster.wait_state(job, "TIMEOUT")
    assert ran_s(cluster, job)[0] >= LIMIT_S - CLOCKS_S
    assert checkpoints(cluster, job) == ["good"]


def test_each_attempt_with_requeue_on_timeout_runs_for_its_whole_time_limit(cluster, folder):
    job = cluster.submit_python("obedient.py", [
        "-n1", "-D", folder, "-t", f"0:0{LIMIT_S}", "--checkpoint-signal=USR1",
        "--requeue-on-timeout"], "save")
    cluster.wait_for(lambda: len(ran_s(cluster, job)) >= 2, "two attempts to end")
    ran = ran_s(cluster, job)
    cluster.cox("cancel", job)
    cluster.wait_state(job, "CANCELLED")
    assert min(ran) >= LIMIT_S - CLOCKS_S, ran


def test_option_signal_sends_its_signal_before_the_time_limit(cluster, folder):
    job = cluster.submit_python("obedient.py", [
        "-n1", "-D", folder, "-t", "0:14", "--signal=USR1@6", "--checkpoint-signal=TERM"], "save")
    cluster.wait_state(job, "TIMEOUT")
    assert 14 - 6 - CLOCKS_S <= ran_s(cluster, job)[0] < 14
    assert f'"signals": [{signal.SIGUSR1.value}]' in (folder / "stop.1.0").read_text()


@pytest.mark.parametrize("how", ["scancel", "limit", "preempt"])
def test_a_job_requeues_itself_in_its_handler_as_submitit_does(cluster, folder, how):
    record = folder / "record"
    script = folder / "job.sh"
    program = f"{PYTHON} {PROGRAMS / 'self_requeue.py'} {record}"
    limit = "0:14" if how == "limit" else "5:00"
    script.write_text(f"#!/bin/bash\n#SBATCH --signal=USR2@6\n#SBATCH -t {limit}\n"
                      f"#SBATCH -D {folder}\nPATH={folder}:$PATH\nsrun {program}\n")
    job = cluster.submit(script)  # not by sbatch, which would round the time limit up to a minute
    cluster.wait_for(lambda: record.exists() and "ready" in record.read_text(),
                     "the task to begin")
    if how == "scancel":
        cluster.slurm("scancel", "--signal=USR2", job)
    if how == "preempt":
        cluster.cox("preempt", job)
    cluster.wait_state(job, "COMPLETED")
    lines = record.read_text().split()
    assert lines.count("USR2") == 1 and lines[-1] == "resumed", lines
    # The script ends at SIGTERM, and its step with it, so the task may not write its next lines.
    assert set(lines) <= {"ready", "USR2", "requeued", "TERM", "resumed"}, lines


def test_a_requeue_asks_a_job_with_a_checkpoint_signal_to_save(cluster, folder):
    job = cluster.submit_python("obedient.py", ["-n1", "-D", folder, "--checkpoint-signal=USR1"],
                                "save")
    cluster.wait_for((folder / "begin.1.0").exists, "the rank to begin")
    cluster.cox("hold", job)
    cluster.slurm("scontrol", "requeue", job)
    cluster.wait_state(job, "PENDING")
    assert checkpoints(cluster, job) == ["good"]
    cluster.cox("cancel", job)


@pytest.mark.parametrize("form", ["gang", "steps", "script"])
def test_helper_processes_of_a_rank_survive_the_checkpoint_signal(cluster, folder, form):
    outcome = folder / "outcome"
    words = [PYTHON, PROGRAMS / "with_helper.py", outcome]
    options = ["-n1", "-D", folder, "--checkpoint-signal=USR1"]
    if form == "gang":
        job = cluster.submit(*options, "--", *words)
    else:
        script = folder / "job.sh"
        begin = "srun" if form == "steps" else "exec"
        script.write_text(f"#!/bin/bash\nPATH={folder}:$PATH\n"
                          f"{begin} {' '.join(map(str, words))}\n")
        job = cluster.submit(*options, script)
    cluster.wait_for((folder / "outcome.ready").exists, "the rank to begin")
    cluster.cox("hold", job)
    cluster.cox("preempt", job)
    cluster.wait_state(job, "PENDING")
    assert outcome.read_text() == "runs"
    assert checkpoints(cluster, job) == ["good"]
    cluster.cox("cancel", job)


def test_signals_to_a_job_do_not_end_cox_checkpoint_done(cluster, folder):
    """`cox checkpoint done` gets the signals that a job may choose before the supervisor has
    answered, and does not end."""
    path = str(folder / "socket")
    with socket.socket(socket.AF_UNIX) as listener:
        listener.bind(path)
        listener.listen()
        listener.settimeout(DEADLINE_S)
        words = [cluster.bin / "cox", "checkpoint", "done", "--step", "1"]
        environment = {**os.environ, "COX_SUPERVISOR_SOCKET": path, "COX_RANK": "0"}
        with subprocess.Popen(words, env=environment, stderr=subprocess.PIPE) as report:
            connection, _ = listener.accept()
            for number in (signal.SIGUSR1, signal.SIGUSR2, signal.SIGTERM, signal.SIGHUP):
                report.send_signal(number)
            connection.recv(1)
            connection.close()
            assert report.wait(DEADLINE_S) > 0, "a signal ended the report"


SAVER = """#!/bin/sh
trap 'sleep 0.5; touch saved; exit 0' TERM
touch ready
while :; do sleep 0.1; done
"""


def test_a_script_does_not_go_on_after_its_steps_were_asked_to_stop(cluster, folder):
    """What follows srun in the script, such as `rm -r scratch`, is for a training that is done."""
    (folder / "train.sh").write_text("trap 'exit 75' USR1\ntouch ready\n"
                                     "while :; do sleep 0.1; done\n")
    script = folder / "job.sh"
    script.write_text(f"#!/bin/sh\n#SBATCH --checkpoint-signal=USR1\nPATH={folder}:$PATH\n"
                      "srun sh train.sh\ntouch went-on\n")
    job = cluster.submit("-n1", "-D", folder, script)
    cluster.wait_for((folder / "ready").exists, "the step to run")
    cluster.cox("hold", job)
    cluster.cox("preempt", job)
    cluster.wait_state(job, "PENDING")
    assert not (folder / "went-on").exists()
    cluster.cox("cancel", job)


TRAINING = """echo up > up.$1
until [ -e go.$1 ]; do sleep 0.1; done
mkdir -p $COX_CHECKPOINT_DIR/step-$2
echo $1 > $COX_CHECKPOINT_DIR/step-$2/rank-0
cox checkpoint done --step $2 > answer.$1 2>&1
echo $? > code.$1
while :; do sleep 0.1; done
"""


def test_two_trainings_beside_each_other_in_one_job_do_not_resume_from_one_checkpoint(
        cluster, folder):
    (folder / "train.sh").write_text(TRAINING)
    script = folder / "job.sh"
    script.write_text(f"#!/bin/sh\n#SBATCH --checkpoint-signal=USR1\nPATH={folder}:$PATH\n"
                      "srun -n1 --exact sh train.sh a 35 &\nsrun -n1 --exact sh train.sh b 40 &\n"
                      "wait\n")
    job = cluster.submit("-n2", "-D", folder, "-o", "/dev/null", script)
    cluster.wait_for(lambda: all((folder / f"up.{one}").exists() for one in "ab"),
                     "both job steps to run")
    codes = []
    for one in "ab":
        (folder / f"go.{one}").touch()
        code = folder / f"code.{one}"
        codes.append(cluster.wait_for(lambda code=code: code.exists() and code.read_text(),
                                      f"the answer to {one}"))
    refusal = (folder / "answer.b").read_text()
    assert codes == ["0\n", "1\n"] and "has saved in this attempt and runs or ran beside" in refusal
    cluster.cox("preempt", job)
    cluster.wait_for(lambda: cluster.job(job)["view"]["job"]["held"], "the job to be held")
    why = cluster.cox("why", job).stdout
    assert "the checkpoint of step 35 has the work of only one of them" in why
    refused = [event for event in cluster.history(job)
               if event["what"] == "node" and "may not save beside job step" in event["why"]]
    assert len(refused) == 1, cluster.history(job)
    cluster.cox("cancel", job)


@pytest.mark.parametrize("end", ["cancel", "requeue", "script"])
def test_a_step_has_time_to_save_when_its_script_ends_at_once(cluster, folder, end):
    """A shell without a trap dies of SIGTERM, which its step handles."""
    (folder / "saver.sh").write_text(SAVER)
    waits = "until [ -e ready ]; do sleep 0.1; done" if end == "script" else "wait"
    script = folder / "job.sh"
    script.write_text(f"#!/bin/sh\n[ -e ready ] && exit\nPATH={folder}:$PATH\n"
                      f"srun sh saver.sh &\n{waits}\n")
    job = cluster.submit("-n1", "-D", folder, "-o", "out", script)
    cluster.wait_for((folder / "ready").exists, "the step to run")
    if end != "script":
        cluster.cox(end, job)
    cluster.wait_state(job, "CANCELLED" if end == "cancel" else "COMPLETED")
    assert (folder / "saved").exists(), (folder / "out").read_text()
    recorded = cluster.sql(f"SELECT state, exit_signal FROM cox.step WHERE job_id = {job}")
    # Exit code 0 after a request to stop is no success, for a step as for a job.
    assert recorded == [["COMPLETED" if end == "script" else "CANCELLED", "0"]]
