"""PostgreSQL goes away and comes back: the controller waits, reports it, and goes on; no job
dies."""

import re
import signal
import subprocess
import time

import pytest
from patience import DEADLINE_S
from ranks import CounterJob

CLUSTER = {"nodes": 2, "cpus": 4, "lease_s": 6}


def seconds():
    return time.clock_gettime(time.CLOCK_BOOTTIME)


def is_current(done):
    """Returns whether the command was answered and PostgreSQL confirmed the answer."""
    return done.returncode == 0 and "PostgreSQL does not answer" not in done.stderr


def await_database(cluster):
    cluster.wait_for(lambda: is_current(cluster.cox("queue", check=False)),
                     "the controller to work again")


def refusal_of_submit(cluster):
    """Returns the refusal of `cox submit`, or "" if the job is accepted."""
    done = cluster.cox("submit", "--parsable", "-n1", "--", "true", check=False)
    if done.returncode == 0:
        cluster.accepted.add(int(done.stdout))
        return ""
    return done.stderr


def test_f13_a_restart_of_postgresql_affects_no_job(cluster, folder):
    long = CounterJob(cluster, folder, "-N2", "-n2")
    long.await_steps(2, ranks=2)
    short = [CounterJob(cluster, folder, "-N1", "-n1", steps=10) for _ in range(3)]
    cluster.pg_ctl("restart", "-m", "immediate")
    await_database(cluster)
    short.append(CounterJob(cluster, folder, "-N2", "-n2", steps=5))
    cluster.pg_ctl("restart", "-m", "immediate")
    await_database(cluster)
    for job in short:
        job.await_state("COMPLETED")
        job.check()
        assert cluster.attempt(job.id) == 1
    long.await_steps(2, ranks=2)
    assert cluster.attempt(long.id) == 1
    assert cluster.responding() == ["n1", "n2"]


def test_f13_an_outage_longer_than_the_lease_affects_no_job(cluster, folder):
    long = CounterJob(cluster, folder, "-N2", "-n2")
    saving = CounterJob(cluster, folder, "-N2", "-n2", steps=40, save_every=10, pause_at=20)
    for job in (long, saving):
        job.await_total_steps(2, ranks=2)
    ranks = cluster.ranks(long.id, 1)
    times_away = cluster.log_text("controller").count("the database is away")
    postgres = cluster.postgres_process()
    postgres.kill(signal.SIGKILL)
    saving.go_on()
    began = seconds()
    waiting = cluster.popen("submit", "--parsable", "-n1", "-D", str(folder), "--", "true")

    # The controller reports the outage in its log, and in its answers to all later requests.
    cluster.wait_for(
        lambda: cluster.log_text("controller").count("the database is away") > times_away,
        "the controller to log the outage")
    # One submission may have come into the turn that the outage interrupts. Its outcome is unknown,
    # and its client reports so.
    answers = []

    def is_refused():
        answers.append(refusal_of_submit(cluster))
        return "PostgreSQL" in answers[-1] and "try again" in answers[-1]

    cluster.wait_for(is_refused, "submissions to be refused")
    unknown = [answer for answer in answers[:-1] if answer]
    assert len(unknown) <= 1 and all("--request-id=" in answer for answer in unknown), unknown
    status = cluster.cox("status", check=False)
    assert "PostgreSQL" in status.stdout + status.stderr

    # The outage lasts 20 s: two leases and the supervisors' margins. Without renewals by the
    # controller, all ranks would have ended long before.
    cluster.wait_for(lambda: long.trace()[-1].at > began + 20, "the outage to last 20 s")
    assert set(cluster.ranks(long.id, 1)) == set(ranks)
    cluster.pg_ctl("start")
    await_database(cluster)
    assert "the database is back" in cluster.log_text("controller")
    saving.await_state("COMPLETED")
    saving.check_ran_once(ranks=2, steps=40)
    out, err = waiting.communicate(timeout=DEADLINE_S)
    assert (waiting.returncode == 0) == out.strip().isdigit(), out + err
    if waiting.returncode == 0:
        cluster.accepted.add(int(out))
        cluster.wait_state(int(out), "COMPLETED")
    long.await_steps(2, ranks=2)
    assert cluster.attempt(long.id) == 1
    assert not any("lease" in why or "respond" in why for why in long.whys()), long.whys()


def test_a_controller_started_before_its_database_waits(make_cluster):
    # The default lease: ranks need no renewal during the test.
    cluster = make_cluster(nodes=2, cpus=4)
    folder = cluster.work
    job = CounterJob(cluster, folder, "-N2", "-n2")
    job.await_steps(2, ranks=2)
    cluster.pg_ctl("stop", "-m", "immediate")
    cluster.kill("controller")
    cluster.start("controller")
    cluster.wait_for(lambda: "waiting for PostgreSQL" in cluster.log_text("controller"),
                     "the controller to log that it waits")
    named = "the controller runs but does not lead: it waits for PostgreSQL: "
    cluster.wait_for(lambda: named in cluster.cox("queue", check=False).stderr,
                     "a command to name the database as the cause")
    cluster.pg_ctl("start")
    other = cluster.wait_for(lambda: cluster.responding() == ["n1", "n2"] and
                             CounterJob(cluster, folder, "-N2", "-n2", steps=3),
                             "both nodes to respond")
    other.await_state("COMPLETED")
    assert cluster.attempt(job.id) == 1
    job.await_steps(2, ranks=2)


def test_cox_wait_and_cox_logs_survive_an_outage_of_the_database(cluster, folder):
    job = cluster.submit("-n1", "-D", folder, "--", "sh", "-c",
                         "echo one; while [ ! -e end ]; do sleep 0.05; done; echo two")
    cluster.wait_state(job, "RUNNING")
    waiting, following = cluster.popen("wait", job), cluster.popen("logs", "-f", job)
    assert waiting.stderr.readline()  # `cox wait` has its first answer
    assert following.stdout.readline() == "one\n"
    cluster.pg_ctl("stop", "-m", "immediate")
    while "still waiting" not in waiting.stderr.readline():
        assert waiting.poll() is None
    began = seconds()
    cluster.wait_for(lambda: seconds() > began + 3, "3 s, in which cox logs polls too")
    (folder / "end").touch()
    cluster.pg_ctl("start")
    out, err = following.communicate(timeout=DEADLINE_S)
    assert (following.returncode, out) == (0, "two\n"), err
    _, err = waiting.communicate(timeout=DEADLINE_S)
    assert waiting.returncode == 0, err


def stop_database(cluster):
    """Stops PostgreSQL and waits until the controller has noticed."""
    cluster.pg_ctl("stop", "-m", "immediate")
    cluster.wait_for(lambda: "PostgreSQL does not answer" in
                     cluster.cox("queue", check=False).stderr,
                     "the controller to notice the outage")


def read_until(process, text):
    """Reads standard error up to a line with the text, and checks that the process still runs."""
    while text not in (line := process.stderr.readline()):
        assert line, f"{process.args} exited with {process.wait(DEADLINE_S)}"
    assert process.poll() is None


def test_a_cox_wait_that_begins_in_an_outage_of_the_database_survives_it(cluster, folder):
    job = cluster.submit("-n1", "-D", folder, "--", "sh", "-c",
                         "while [ ! -e end ]; do sleep 0.05; done; exit 4")
    cluster.wait_state(job, "RUNNING")
    stop_database(cluster)
    waiting = cluster.popen("wait", job)
    read_until(waiting, "still waiting")
    (folder / "end").touch()
    cluster.pg_ctl("start")
    _, err = waiting.communicate(timeout=DEADLINE_S)
    assert waiting.returncode == 4, err


def srun_that_ends_in_an_outage(cluster, folder, exit_code):
    """Returns the job of an srun outside an allocation, and the srun, which waits to release it."""
    command = f"echo ready; while [ ! -e {folder}/end ]; do sleep 0.05; done; exit {exit_code}"
    step = subprocess.Popen(["srun", "-n1", "sh", "-c", command], executable=cluster.bin / "cox",
                            env=cluster.environment, cwd=folder, stdin=subprocess.DEVNULL,
                            stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    assert step.stdout.readline() == "ready\n"
    job = int(cluster.sql("SELECT max(id) FROM cox.job")[0][0])
    stop_database(cluster)
    (folder / "end").touch()
    read_until(step, f"still waiting to release the allocation of job {job}")
    return job, step


def test_srun_releases_its_allocation_after_an_outage_of_the_database(cluster, folder):
    job, step = srun_that_ends_in_an_outage(cluster, folder, exit_code=7)
    cluster.pg_ctl("start")
    _, err = step.communicate(timeout=DEADLINE_S)
    assert step.returncode == 7, err
    cluster.wait_state(job, "FAILED")
    assert cluster.sql(f"SELECT exit_code FROM cox.job WHERE id = {job}") == [["7"]]


def test_an_srun_interrupted_in_an_outage_says_how_to_release_its_allocation(cluster, folder):
    job, step = srun_that_ends_in_an_outage(cluster, folder, exit_code=0)
    step.send_signal(signal.SIGINT)
    _, err = step.communicate(timeout=DEADLINE_S)
    assert step.returncode == 128 + signal.SIGINT, err
    assert f"`scancel {job}` releases it" in err
    cluster.pg_ctl("start")
    await_database(cluster)
    assert cluster.slurm("scancel", job).returncode == 0
    cluster.wait_state(job, "CANCELLED")


def test_a_submission_that_is_refused_never_runs(cluster, folder):
    """PostgreSQL dies under submissions. Each is refused for good or accepted, or its client says
    that the outcome is unknown and shows the command that finds it out."""
    cluster.wait_for(lambda: cluster.responding() == ["n1", "n2"], "both nodes to respond")
    cluster.postgres_process().kill(signal.SIGKILL)
    words = ["--parsable", "-n1", "-D", str(folder)]
    asked = {name: cluster.popen("submit", *words, f"--job-name={name}", "--", "true")
             for name in ("ask0", "ask1", "ask2", "ask3", "ask4", "ask5")}
    began = seconds()
    cluster.wait_for(lambda: seconds() > began + 6,
                     "6 s, in which clients repeat their requests")
    cluster.pg_ctl("start")
    accepted = set()
    for name, process in asked.items():
        out, err = process.communicate(timeout=DEADLINE_S)
        if process.returncode == 0:
            accepted.add(name)
            cluster.accepted.add(int(out))
            continue
        assert ("this request was not and will not be carried out" in err
                or "--request-id=" in err), err
        if found := re.search(r"--request-id=(\S+)", err):
            words_again = [*words, f"--job-name={name}", found.group(0)]
            again = cluster.cox("submit", *words_again, "--", "true")
            accepted.add(name)
            cluster.accepted.add(int(again.stdout))
    await_database(cluster)
    names = [name for name, in cluster.sql("SELECT name FROM cox.job WHERE name LIKE 'ask%'")]
    assert sorted(names) == sorted(accepted)
    assert accepted != set(asked), "no submission was refused"


def test_commands_show_the_state_in_memory_while_postgresql_is_away(cluster, folder):
    job = cluster.submit("-n1", "-D", folder, "--", "sleep", "1000")
    waiting = cluster.submit("--hold", "-n1", "-D", folder, "--", "true")
    cluster.wait_state(job, "RUNNING")
    cluster.pg_ctl("stop", "-m", "immediate")
    cluster.wait_for(lambda: "PostgreSQL does not answer" in
                     cluster.cox("queue", check=False).stderr,
                     "the controller to notice the outage")
    began = seconds()
    cluster.wait_for(lambda: seconds() > began + 3,
                     "3 s, in which requests for changes are refused")
    shown = {"queue": cluster.cox("queue"), "status": cluster.cox("status"),
             "why": cluster.cox("why", waiting), "nodes": cluster.cox("nodes"),
             "squeue": cluster.slurm("squeue", "-h", "-o", "%i %T"),
             "sinfo": cluster.slurm("sinfo", "-h"),
             "scontrol": cluster.slurm("scontrol", "show", "job", job)}
    for name, done in shown.items():
        assert done.returncode == 0, (name, done.stderr)
        warning = "PostgreSQL does not answer; this is the state of"
        assert warning in done.stderr, (name, done.stderr)
    assert f"{job} RUNNING" in shown["squeue"].stdout
    assert "JobState=RUNNING" in shown["scontrol"].stdout
    assert "away since" in shown["status"].stdout
    refused = cluster.slurm("sacct", "-j", job)
    assert refused.returncode != 0 and "PostgreSQL has not answered" in refused.stderr
    cluster.pg_ctl("start")
    await_database(cluster)
    cluster.cox("cancel", job, waiting)


def test_a_column_that_the_site_adds_to_our_tables_changes_nothing(cluster, folder):
    tables = [row[0] for row in cluster.sql(
        "SELECT oid::regclass FROM pg_class WHERE relnamespace = 'cox'::regnamespace"
        " AND relkind IN ('r', 'p') AND NOT relispartition")]
    for change in ("ADD COLUMN site_note text", "DROP COLUMN site_note"):
        for table in tables:
            cluster.sql(f"ALTER TABLE {table} {change}")
        job = CounterJob(cluster, folder, "-N2", "-n2", steps=20, save_every=10)
        job.await_state("COMPLETED")
        job.check()
        shown = cluster.slurm("sacct", "-n", "-X", "-j", job.id, "-o", "state")
        assert shown.stdout.split() == ["COMPLETED"], shown


SITE_CHECK = ("ALTER TABLE cox.attempt ADD CONSTRAINT site CHECK (attempt > 99) NOT VALID",
              "ALTER TABLE cox.attempt DROP CONSTRAINT site")
SITE_COLUMN = ("ALTER TABLE cox.attempt ADD COLUMN site text NOT NULL DEFAULT ''; "
               "ALTER TABLE cox.attempt ALTER COLUMN site DROP DEFAULT",
               "ALTER TABLE cox.attempt DROP COLUMN site")
SITE_TRIGGER = ("CREATE FUNCTION public.site() RETURNS trigger LANGUAGE plpgsql AS "
                "$$BEGIN RAISE EXCEPTION 'not on a Monday'; END$$; CREATE TRIGGER site"
                " BEFORE INSERT ON cox.attempt FOR EACH ROW EXECUTE FUNCTION public.site()",
                "DROP FUNCTION public.site() CASCADE")


@pytest.mark.parametrize("rule, undo", [SITE_CHECK, SITE_COLUMN, SITE_TRIGGER],
                         ids=["check", "column", "trigger"])
def test_a_database_that_refuses_the_controllers_writes_is_named(cluster, folder, rule, undo):
    """A site that adds a rule to a table of ours may stop every start of a job."""
    cluster.sql(rule)
    job = cluster.submit("-D", folder, "-n1", "--", "true")
    named = "refuses writes since "
    cluster.wait_for(
        lambda: cluster.cox_json("status")["cluster"]["database"].startswith(named),
        "cox status to name the refusal")
    assert "PostgreSQL " + named in cluster.cox("why", job).stdout
    doctor = cluster.cox("doctor", check=False)
    assert doctor.returncode == 1 and "its database " + named in doctor.stdout
    cluster.sql(undo)
    cluster.wait_state(job, "COMPLETED")
