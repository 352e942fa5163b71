"""Rules for submissions: [[submit_rule]] and submit_program, like Slurm's job_submit plugins."""

import itertools

from patience import DEADLINE_S
import pytest
from processes import Process, start_time_of

RULES = '''
[[submit_rule]]
name = "no-names"
match = ["name=forbidden*"]
refuse = "Jobs of this name are not taken."

[[submit_rule]]
name = "long"
match = ["time_limit_s>1:00:00"]
set = ["comment=long"]
'''

# The submit_program. The job's name selects what it does with the submission. Each run appends a
# line to the file `runs`.
JUDGE = '''#!/usr/bin/python3
import json, os, sys, time
here = os.path.dirname(os.path.abspath(__file__))
asked = json.load(sys.stdin)
name = asked["jobs"][0].get("name", "")
with open(here + "/runs", "a") as runs:
    runs.write(f"{os.getpid()} {name} {asked['user']['name']} {asked['dry_run']}\\n")
if name == "fails":
    sys.exit("no such licence server")
if name == "kills":
    os.kill(os.getpid(), 9)
if name == "talks":
    print("hello")
    sys.exit()
if name == "slow":
    time.sleep(1000)
if name.startswith("waits"):
    while not os.path.exists(here + "/go"):
        time.sleep(0.05)
if name == "refused":
    print(json.dumps({"refuse": "Not on Sundays."}))
elif name == "changed":
    print(json.dumps({"jobs": [{"comment": "by the program"}], "note": "Welcome."}))
else:
    print("{}")
'''


@pytest.fixture
def judged(make_cluster, tmp_path):
    """judged(SETTING=...): makes a cluster with the rules RULES and the submit_program JUDGE."""
    program = tmp_path / "judge"
    program.write_text(JUDGE)
    program.chmod(0o755)

    def make(**settings):
        return make_cluster(nodes=1, tables=RULES, settings={
            "submit_program": str(program), **settings})
    return make


def runs(tmp_path, name=""):
    file = tmp_path / "runs"
    lines = file.read_text().splitlines() if file.exists() else []
    return [line for line in lines if name in line]


def submit(cluster, name, *words):
    return cluster.cox("submit", "-n1", f"--job-name={name}", *words, "--", "true", check=False)


def test_submit_rules_and_the_submit_program_change_and_refuse_jobs(judged, tmp_path):
    cluster = judged()
    refused = submit(cluster, "forbidden-1")
    assert refused.returncode == 1
    assert "Jobs of this name are not taken." in refused.stderr
    assert not runs(tmp_path), "the program ran though a rule refuses"

    refused = submit(cluster, "refused")
    assert refused.returncode == 1 and "Not on Sundays." in refused.stderr

    changed = submit(cluster, "changed", "--time=2:00:00")
    assert changed.returncode == 0 and "Welcome." in changed.stderr
    job = changed.stdout.split()[-1]
    assert cluster.job(job)["view"]["job"]["spec"]["comment"] == "by the program"
    cluster.wait_state(job, "COMPLETED")

    script = tmp_path / "script.sh"
    script.write_text("#!/bin/sh\n#SBATCH --time=2:00:00\n#SBATCH --job-name=tested\ntrue\n")
    tested = cluster.cox("submit-rules", "test", script)
    assert "submit_rule no-names: does not apply" in tested.stdout
    assert "submit_rule long: sets comment: (none) -> long" in tested.stdout
    assert "submit_program: accepts the job" in tested.stdout
    tested = cluster.cox("submit-rules", "test", "--job-name=refused", script, check=False)
    assert tested.returncode == 1
    assert "The rules refuse this job: Not on Sundays." in tested.stdout
    tested = cluster.slurm("sbatch", "--test-only", "--job-name=refused", script)
    assert tested.returncode != 0 and "Not on Sundays." in tested.stderr
    assert all(line.endswith("True") for line in runs(tmp_path, "refused")[1:])


def test_a_submit_program_that_fails_refuses_the_job(judged, tmp_path):
    cluster = judged(submit_program_timeout="5s")
    for name, why in (("fails", "exit code 1: no such licence server"), ("kills", "signal 9"),
                      ("talks", "not a JSON object"), ("slow", "it did not end within 5 s")):
        refused = submit(cluster, name)
        assert refused.returncode == 1
        assert "submit_program failed: " in refused.stderr and why in refused.stderr
        assert len(runs(tmp_path, name)) == 1
    assert submit(cluster, "good").returncode == 0, "the next submission was refused too"
    assert cluster.sql("SELECT name FROM cox.job") == [["good"]]


def test_submit_without_program_accepts_jobs_when_the_program_fails(judged):
    cluster = judged(submit_without_program=True)
    accepted = submit(cluster, "fails")
    assert accepted.returncode == 0, accepted.stderr
    job = accepted.stdout.split()[-1]
    assert "the job was accepted without it" in cluster.cox("history", job).stdout


def test_the_controller_answers_others_while_the_submit_program_runs(judged, tmp_path):
    cluster = judged(submit_program_timeout="9s")
    names = (f"waits-{number}" for number in itertools.count())
    # A slow machine may need more than the 9 s after which the program is killed, but not always.
    cluster.wait_for(lambda: answers_others_meanwhile(cluster, tmp_path, next(names)),
                     "others to be answered while the program runs")


def answers_others_meanwhile(cluster, tmp_path, name):
    """Returns whether others are answered before the program that judges this job has ended, and
    whether the job is then accepted."""
    waiting = cluster.popen("submit", "-n1", f"--job-name={name}", "--", "true")
    started = cluster.wait_for(lambda: runs(tmp_path, f" {name} "), "the program to run")
    pid = int(started[0].split()[0])
    program = Process(pid, start_time_of(pid))
    cluster.cox("queue")
    is_good = submit(cluster, "good").returncode == 0
    still_runs = program.is_alive()
    (tmp_path / "go").touch()
    is_accepted = waiting.wait(DEADLINE_S) == 0
    (tmp_path / "go").unlink()
    assert len(runs(tmp_path, f" {name} ")) == 1, "a repeated request started another run"
    return is_good and still_runs and is_accepted


def test_a_submission_during_a_crash_runs_the_submit_program_again_and_is_one_job(judged, tmp_path):
    cluster = judged(submit_program_timeout="9s")
    words = ["submit", "-n1", "--job-name=waits", "--request-id=waits-once", "--", "true"]
    clients = [cluster.popen(*words)]
    cluster.wait_for(lambda: runs(tmp_path, "waits"), "the program to run")
    cluster.kill("controller")
    cluster.start("controller")

    def runs_again():
        if clients[-1].poll() is not None:  # it gives up after 10 s, too early for a slow machine
            clients.append(cluster.popen(*words))
        return len(runs(tmp_path, "waits")) >= 2

    cluster.wait_for(runs_again, "the program to run again")
    (tmp_path / "go").touch()
    if clients[-1].wait(DEADLINE_S) != 0:
        cluster.cox(*words)
    assert cluster.sql("SELECT count(*) FROM cox.job WHERE name = 'waits'") == [["1"]]
