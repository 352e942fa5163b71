"""Commands that people type: cox, Slurm's names for it, and SQL. Answers as text and as JSON."""

import getpass
import json
import re
import select
import signal
import subprocess

from patience import DEADLINE_S
import pytest
from cluster import toml_value

CLUSTER = {"nodes": 3, "cpus": 2, "features": ["fast=n[1-2]"], "settings": {"kill_wait": "1s"}}
SLURM_NAMES = ("sbatch", "squeue", "scancel", "sinfo")


@pytest.fixture
def folder(tmp_path):
    tmp_path.chmod(0o755)
    return tmp_path


@pytest.fixture
def slurm(cluster, folder):
    """slurm(NAME, WORD...): runs cox by one of Slurm's names."""
    for name in SLURM_NAMES:
        link = folder / name
        if not link.is_symlink():
            link.symlink_to(cluster.bin / "cox")

    def call(name, *words, text=None):
        return subprocess.run([folder / name, *map(str, words)], env=cluster.environment, text=True,
                              cwd=folder, input=text or "", capture_output=True, timeout=DEADLINE_S)
    return call


@pytest.fixture
def three(cluster, folder):
    """Three jobs: one that has ended, one that runs, one that waits."""
    ended = cluster.submit("-n1", "-J", "ended", "-D", folder, "--", "echo", "done")
    cluster.wait_state(ended, "COMPLETED")
    running = cluster.submit("-N3", "-n6", "-J", "running", "-t", "30", "-D", folder, "--", "sleep",
                             "1000")
    cluster.wait_state(running, "RUNNING")
    waiting = cluster.submit("-N2", "-n2", "-J", "waiting", "-D", folder, "--", "true")
    cluster.wait_for(lambda: cluster.job(waiting)["view"]["reason"] == "Resources",
                     "the pending reason")
    return ended, running, waiting


# ---- cox -----------------------------------------------------------------------------------------

def test_cox_queue_lists_and_filters_jobs(cluster, three):
    ended, running, waiting = three
    lines = cluster.cox("queue").stdout.splitlines()
    assert [line.split()[0] for line in lines if line.split()[0].isdigit()] in (
        [str(running), str(waiting)], [str(waiting), str(running)])
    everything = cluster.cox("queue", "--all").stdout
    assert re.search(rf"^ *{ended} .*COMPLETED", everything, re.MULTILINE), everything
    jobs = cluster.cox_json("queue")["jobs"]
    assert sorted(view["job"]["id"] for view in jobs) == [running, waiting]
    by_id = {view["job"]["id"]: view for view in jobs}
    assert by_id[running]["nodes"] == ["n1", "n2", "n3"] and by_id[running]["ran_ms"] >= 0
    assert 0 < by_id[running]["left_ms"] <= 1_800_000
    assert by_id[waiting]["reason"] == "Resources" and by_id[waiting]["reason_detail"]
    pending = cluster.cox_json("queue", "--states", "PENDING")["jobs"]
    assert [view["job"]["id"] for view in pending] == [waiting]
    assert cluster.cox_json("queue", "--user", "nobody-at-all")["jobs"] == []
    assert len(cluster.cox_json("queue", "--me")["jobs"]) == 2
    assert cluster.cox("queue", 99999999, check=False).returncode == 1


def test_an_empty_cox_queue_names_what_was_asked_for(cluster, three):
    assert cluster.cox("queue", "-u", "nosuch", "-p", "nope").stdout == (
        "No jobs of user nosuch in partition nope.\n")


def test_cox_nodes_show_and_why_print_details_of_nodes_and_jobs(cluster, three):
    ended, running, waiting = three
    words = cluster.cox("nodes").stdout
    assert all(name in words for name in ("n1", "n2", "n3", "fast"))
    nodes = cluster.cox_json("nodes")["nodes"]
    assert [view["cpus_used"] for view in nodes] == [2, 2, 2]
    assert nodes[0]["node"]["features"] == ["fast"] and nodes[0]["jobs"] == [running]
    assert "127.0.0.11" in cluster.cox("show", "node", "n1").stdout
    both = cluster.cox("show", "node", "n[1-2]").stdout
    assert "127.0.0.11" in both and "127.0.0.12" in both
    missing = cluster.cox("show", "node", "n4", check=False)
    assert missing.returncode == 1 and "`cox nodes` lists them" in missing.stderr
    words = cluster.cox("show", "job", running).stdout
    assert "RUNNING" in words and "sleep 1000" in words and "n[1-3]" in words
    detail = cluster.cox_json("show", "job", ended)
    assert detail["view"]["job"]["state"] == "COMPLETED"
    assert [rank["exit_code"] for rank in detail["attempts"][0]["ranks"]] == [0]
    assert str(running) in cluster.cox("why", waiting).stdout
    assert cluster.cox_json("why", waiting)["why"]


def test_cox_history_has_every_state_with_its_reason(cluster, three):
    ended = three[0]
    events = cluster.cox_json("history", ended)["events"]
    assert [event["state"] for event in events if event["what"] == "state"] == [
        "PENDING", "CONFIGURING", "RUNNING", "COMPLETING", "COMPLETED"]
    assert all(event["why"] and event["actor"] and event["at"] for event in events)
    assert "COMPLETED" in cluster.cox("history", ended).stdout


def test_cox_wait_shows_the_states_of_a_job_and_exits_with_its_code(cluster, folder):
    job = cluster.submit("-n1", "-D", folder, "--", "/bin/sh", "-c",
                         "until [ -e go ]; do sleep 0.05; done; exit 5")
    waiter = cluster.popen("wait", "--json", job)
    cluster.wait_state(job, "RUNNING")
    (folder / "go").touch()
    out, progress = waiter.communicate(timeout=DEADLINE_S)
    assert waiter.returncode == 5
    assert json.loads(out)["view"]["job"]["state"] == "FAILED"
    assert "FAILED" in progress


LINES = ('i=0; while [ $i -lt 200 ]; do echo "line $i of $RANK"; i=$((i+1)); done;'
         ' echo "error of $RANK" >&2; until [ -e go ]; do sleep 0.05; done; printf "last of $RANK"')


def test_cox_logs_shows_and_follows_the_output_of_ranks(cluster, folder):
    job = cluster.submit("-N2", "-n2", "-D", folder, "-e", "err.%t", "--", "/bin/sh", "-c", LINES)
    cluster.wait_state(job, "RUNNING")
    follower = cluster.popen("logs", "-f", job)
    one = cluster.popen("logs", "-f", "-r", "1", job)
    cluster.wait_for(lambda: "line 199 of 1" in cluster.cox("logs", "-r", 1, job).stdout,
                     "the output of rank 1")
    assert follower.poll() is None
    (folder / "go").touch()
    out, errors = follower.communicate(timeout=DEADLINE_S)
    assert follower.returncode == 0, errors
    for rank in (0, 1):
        mine = [line for line in out.splitlines() if f"of {rank}" in line]
        assert len(mine) == 201
        assert mine[0].endswith(f"line 0 of {rank}") and mine[-1].endswith(f"last of {rank}")
    raw, _ = one.communicate(timeout=DEADLINE_S)
    expected = "".join(f"line {i} of 1\n" for i in range(200)) + "last of 1"
    assert raw == expected  # byte for byte
    assert cluster.cox("logs", "-r", 1, job).stdout == expected
    assert cluster.cox("logs", "-e", "-r", 0, job).stdout == "error of 0\n"
    place = cluster.cox_json("logs", job)
    assert place["path"].endswith(f"slurm-{job}.0.out") and place["ranks"] == 2
    assert cluster.cox("logs", "-r", 2, job, check=False).returncode == 1


def test_cox_logs_follows_a_job_into_its_next_attempt(cluster, folder):
    script = ("echo attempt $COX_ATTEMPT_ID; echo error $COX_ATTEMPT_ID >&2; "
              "until [ -e go ]; do sleep 0.05; done")
    job = cluster.submit("-n1", "-D", folder, "-e", "%j.err", "--checkpoint-signal=TERM", "--",
                         "/bin/sh", "-c", script)
    early = cluster.popen("logs", "-f", job)  # maybe before the job has started
    assert select.select([early.stdout], [], [], DEADLINE_S)[0], "no output"
    first = early.stdout.readline()
    assert first.endswith(f"{job}.1\n")
    cluster.cox("requeue", job)
    cluster.wait_for(lambda: cluster.attempt(job) == 2, "a second attempt")
    (folder / "go").touch()
    cluster.wait_state(job, "COMPLETED")
    out, notes = early.communicate(timeout=DEADLINE_S)
    assert out == first.replace(f"{job}.1\n", f"{job}.2\n")  # only the output of the second attempt
    assert "attempt 2 begins here" in notes
    for attempt in (1, 2):  # both attempts are in one file, and each can be shown by itself
        its_own = first.replace(f"{job}.1\n", f"{job}.{attempt}\n")
        assert cluster.cox("logs", "-a", attempt, job).stdout == its_own
        assert cluster.cox("logs", "-a", attempt, "-e", job).stdout == its_own.replace(
            "attempt", "error")
    assert cluster.cox("logs", job).stdout == out


def test_mistyped_commands_and_unknown_jobs_get_hints_and_exit_codes(cluster):
    def says(code, *words):
        done = cluster.cox(*words, check=False)
        assert done.returncode == code, (words, done)
        assert done.stdout == "" and "Traceback" not in done.stderr
        return done.stderr

    assert "did you mean 'cox queue'?" in says(2, "queu")
    assert "cox show job" in says(2, "show")
    assert says(2, "queue", "--no-such-option")
    assert says(2, "show", "job", "seventeen")
    assert "RUNNING" in says(2, "queue", "--states", "RUNING")
    for verb in ("cancel", "hold", "release", "requeue", "preempt"):
        assert "99999999" in says(1, verb, 99999999)
    for words in (["show", "job"], ["history"], ["why"], ["logs"], ["wait"]):
        assert "99999999" in says(1, *words, 99999999)
    assert "`cox nodes` lists them" in says(1, "drain", "n9", "--reason", "x")
    assert says(2, "drain", "n1")
    assert "no/such" in says(1, "--config", "/no/such/file.toml", "queue")
    assert "did you mean 'cox show job'?" in says(2, "show", "jbo", "17")
    assert "did you mean 'cox partition down'?" in says(2, "partition", "dwon")
    assert "neither queued nor recently finished" in says(1, "queue", 99999999)
    folder = cluster.slurm("sbatch", ".")
    assert folder.returncode == 1
    assert "sbatch: error: Unable to open file .: it is a folder\n" in folder.stderr


def test_commands_exit_with_1_without_a_configuration(cluster, tmp_path):
    environment = dict(cluster.environment, HOME=str(tmp_path))
    environment.pop("COX_CONFIG")
    for words in ("queue", "status", "doctor", "config check", "submit -n1 -- true", "wait 1"):
        done = subprocess.run([cluster.bin / "cox", *words.split()], env=environment, text=True,
                              stdin=subprocess.DEVNULL, capture_output=True, timeout=DEADLINE_S)
        assert done.returncode == 1, (words, done)
        assert "there is no configuration" in done.stdout + done.stderr, (words, done)


def test_verbose_scancel_says_that_no_job_matches(cluster):
    done = cluster.slurm("scancel", "-v", "--name=no-such-job")
    assert done.returncode == 0 and done.stdout == ""
    assert done.stderr == ("scancel: error: No active jobs match ALL job filters, including: "
                           "job_name=no-such-job\n")
    assert cluster.slurm("scancel", "--name=no-such-job").stderr == ""
    assert cluster.slurm("scancel", "--help").stdout.startswith("Usage: scancel [OPTIONS] ")
    assert cluster.slurm("squeue", "--help").stdout.startswith("Usage: squeue [OPTIONS]")


def test_every_cox_command_has_help(cluster):
    assert "cox submit" in cluster.cox("submit", "--help").stdout
    overview = cluster.cox("--help").stdout
    commands = re.findall(r"^  ([a-z-]+(?: [a-z]+)?)  +[a-z]", overview, re.MULTILINE)
    assert {"queue", "show job", "submit-rules test", "checkpoint done"} <= set(commands)
    for command in commands:
        assert cluster.cox(*command.split(), "--help").stdout, command
    assert cluster.cox("--version").stdout.startswith("cox ")


def test_commands_exit_with_3_without_a_controller(cluster):
    """Commands exit soon with code 3. After a restart of the controller they work as before."""
    cluster.kill("controller", signal.SIGTERM)
    done = cluster.cox("queue", check=False)
    assert done.returncode == 3 and done.stderr.startswith("cox: ")
    assert cluster.cox("submit", "-n1", "--", "true", check=False).returncode == 3
    cluster.start("controller")
    cluster.await_nodes()


def test_cox_status_shows_processes_and_nodes(cluster):
    words = cluster.cox("status", "--dir", cluster.dir).stdout
    assert "3 of 3" in words and "\ncontroller " in words
    assert "\ncontroller " in cluster.cox("status").stdout, "$COX_CONFIG names the same cluster"
    answer = cluster.cox_json("status", "--dir", cluster.dir)
    assert all(process["running"] for process in answer["processes"])
    assert answer["cluster"]["nodes_responding"] == 3


# ---- Slurm's names -------------------------------------------------------------------------------

def test_sbatch_takes_scripts_from_stdin_and_files(cluster, slurm, folder):
    text = "#!/bin/sh\n#SBATCH -J 'from stdin' -n1   # both on one line\necho $SLURM_JOB_NAME $@\n"
    done = slurm("sbatch", "--hold", text=text)
    assert done.stderr == "" and re.fullmatch(r"Submitted batch job [0-9]+\n", done.stdout)
    job = int(done.stdout.split()[3])
    cluster.cox("release", job)
    cluster.wait_state(job, "COMPLETED")
    assert (folder / f"slurm-{job}.out").read_text() == "from stdin\n"
    (folder / "job.sh").write_text(text)
    done = slurm("sbatch", "--parsable", "job.sh", "-n", "word")
    assert re.fullmatch(r"[0-9]+\n", done.stdout)
    cluster.wait_state(int(done.stdout), "COMPLETED")
    assert (folder / f"slurm-{int(done.stdout)}.out").read_text() == "from stdin -n word\n"
    bad = slurm("sbatch", "--no-such-option", "job.sh")
    assert bad.returncode != 0 and bad.stdout == "" and bad.stderr.startswith("sbatch: error: ")
    assert slurm("sbatch", "--version").stdout.startswith("slurm 2")


def test_squeue_prints_slurms_columns_and_formats(cluster, slurm, three):
    ended, running, waiting = three
    user = getpass.getuser()
    lines = slurm("squeue").stdout.splitlines()
    assert lines[0] == ("             JOBID PARTITION     NAME     USER ST       TIME  NODES "
                        "NODELIST(REASON)")
    assert re.fullmatch(rf" *{waiting} +main +waiting +{user:.8} PD +0:00 +2 \(Resources\)",
                        lines[1])
    assert re.fullmatch(rf" *{running} +main +running +{user:.8} +R +[0-9:]+ +3 n\[1-3\]", lines[2])
    form = slurm("squeue", "-h", "-o", "%i|%T|%N|%r", "-j", f"{running},{waiting},99999999")
    assert form.returncode == 0
    assert form.stdout == f"{waiting}|PENDING||Resources\n{running}|RUNNING|n[1-3]|None\n"
    assert slurm("squeue", "-h", "-t", "all", "-o", "%i %t").stdout.splitlines().count(
        f"{ended} CD") == 1
    unknown = slurm("squeue", "-h", "-j", "99999999")
    assert unknown.returncode == 1
    assert unknown.stderr == "slurm_load_jobs error: Invalid job id specified\n"
    assert slurm("squeue", "-h", "-j", str(ended), "-O", "State:|").stdout == ""
    named = slurm("squeue", "--all", "--states=all", "--noconvert", "-h", "-j", str(running), "-O",
                  "JobID:\x1f,NodeList:\x1f,NumCPUs:\x1f,WorkDir:\x1f,Cluster:\x1f")
    assert named.stdout.split("\x1f")[:3] == [str(running), "n[1-3]", "6"]
    jobs = json.loads(slurm("squeue", "--json", "--me", "-t", "R").stdout)["jobs"]
    assert [job["job_id"] for job in jobs] == [running]
    assert jobs[0]["time_limit"] == {"set": True, "infinite": False, "number": 30}
    wrong = slurm("squeue", "--no-such")
    assert wrong.returncode == 1 and wrong.stderr.startswith("squeue: unrecognized option")
    assert slurm("squeue", "-w", "n9").stderr == "squeue: error: Invalid node name n9\n"


def test_scancel_is_silent_and_accepts_ended_and_unknown_jobs(cluster, slurm, three):
    ended, running, waiting = three
    for words in ([waiting], [running, ended]):
        done = slurm("scancel", *words)
        assert (done.returncode, done.stdout, done.stderr) == (0, "", "")
    cluster.wait_state(running, "CANCELLED")
    assert cluster.state(waiting) == "CANCELLED"
    # An unknown job or an ended one is no error.
    for words in (["-Q", "99999999"], ["99999999"], [ended]):
        done = slurm("scancel", *words)
        assert (done.returncode, done.stdout, done.stderr) == (0, "", "")
    assert slurm("scancel").returncode != 0


def test_sinfo_prints_slurms_columns_and_formats(cluster, slurm, three):
    lines = slurm("sinfo").stdout.splitlines()
    assert lines[0].split() == ["PARTITION", "AVAIL", "TIMELIMIT", "NODES", "STATE", "NODELIST"]
    assert lines[1].split()[0] == "main*" and lines[1].split()[3:] == ["3", "alloc", "n[1-3]"]
    assert slurm("sinfo", "-aho", "%F/%C").stdout == "3/0/0/3/6/0/0/6\n"
    assert slurm("sinfo", "-h", "-N", "-o", "%N %T").stdout == "".join(
        f"n{k} allocated\n" for k in (1, 2, 3))
    assert slurm("sinfo", "-T").stdout == "No reservations in the system\n"


def test_sinfo_shows_the_load_and_the_free_memory_of_nodes(cluster, slurm):
    def known():
        loads = slurm("sinfo", "-h", "-N", "-o", "%N|%O|%e").stdout.split()
        return loads if loads and not any("N/A" in line for line in loads) else None

    cluster.wait_for(known, "each node's first heartbeat")
    for name, load, free in (line.split("|") for line in known()):
        assert 0 <= float(load) and int(free) >= 0, name
    node = cluster.cox_json("show", "node", "n1")
    assert node["load"]["free_memory_mb"] > 0 and node["load_at"] is not None
    assert "memory free" in cluster.cox("show", "node", "n1").stdout
    rows = json.loads(slurm("sinfo", "--json").stdout)["sinfo"]
    assert all(row["memory"]["free"]["minimum"]["set"] for row in rows)


# ---- SQL -----------------------------------------------------------------------------------------

VIEWS = ("queue", "nodes", "attempts", "checkpoints", "events", "history")


def test_sql_views_show_jobs_nodes_and_attempts(cluster, three):
    ended, running, waiting = three
    assert cluster.sql("SELECT id, state, name FROM cox.queue") == [
        [str(running), "RUNNING", "running"], [str(waiting), "PENDING", "waiting"]]
    assert cluster.sql("SELECT name, state, cpus_used FROM cox.nodes") == [
        ["n1", "ALLOCATED", "2"], ["n2", "ALLOCATED", "2"], ["n3", "ALLOCATED", "2"]]
    assert cluster.sql(f"SELECT state, node_list FROM cox.attempts WHERE job_id = {running}") == [
        ["running", "{n1,n2,n3}"]]
    assert cluster.sql(f"SELECT state FROM cox.history WHERE id = {ended}") == [["COMPLETED"]]
    events = cluster.sql(f"SELECT sequence FROM cox.events WHERE job_id = {ended}")
    assert len(events) == len(cluster.history(ended))
    for view in VIEWS:
        cluster.sql(f"SELECT * FROM cox.{view}")


def test_every_table_and_column_of_the_database_has_a_comment(cluster):
    bare = cluster.sql("""
        SELECT c.relname, a.attname FROM pg_attribute a JOIN pg_class c ON c.oid = a.attrelid
          WHERE c.relnamespace = 'cox'::regnamespace AND c.relkind IN ('r', 'v', 'p')
            AND NOT c.relispartition AND a.attnum > 0 AND NOT a.attisdropped
            AND coalesce(col_description(c.oid, a.attnum), '') = ''""")
    assert bare == []
    assert cluster.sql("""
        SELECT relname FROM pg_class WHERE relnamespace = 'cox'::regnamespace
          AND relkind IN ('r', 'v', 'p') AND coalesce(obj_description(oid, 'pg_class'), '') = ''
        """) == []


def test_the_reader_role_can_only_read(cluster):
    def as_reader(text):
        return cluster.sql(f"SET LOCAL SESSION AUTHORIZATION cox_reader; {text}")

    assert as_reader("SELECT count(*) FROM cox.queue")
    for view in VIEWS:
        as_reader(f"SELECT * FROM cox.{view} LIMIT 1")
    for text in ("UPDATE cox.job SET name = 'x'", "DELETE FROM cox.job_event",
                 "INSERT INTO cox.qos (name, tier) VALUES ('x', 1)", "DROP TABLE cox.job",
                 "SELECT * FROM cox.blob", "CREATE TABLE cox.mine (x int)"):
        with pytest.raises(AssertionError, match="permission denied|must be owner|read-only"):
            as_reader(text)
    settings = dict(row[0].split("=") for row in cluster.sql(
        "SELECT unnest(rolconfig) FROM pg_roles WHERE rolname = 'cox_reader'"))
    assert settings["statement_timeout"] == "30s"
    assert settings["idle_in_transaction_session_timeout"] == "60s"
    assert settings["default_transaction_read_only"] == "on"


def test_the_table_of_job_events_is_append_only(cluster, three):
    for text in ("UPDATE cox.job_event SET why = 'x'", "DELETE FROM cox.job_event"):
        with pytest.raises(AssertionError, match="append-only"):
            cluster.sql(text)


def test_sql_writes_to_tables_of_the_controller_are_refused_with_the_command_to_use(cluster, three):
    for text, command in (("UPDATE cox.job SET held = true", "cox hold"),
                          ("UPDATE cox.node SET drained = false", "cox resume"),
                          ("UPDATE cox.association SET shares = 5", "cox.sacctmgr"),
                          ("DELETE FROM cox.leadership", "end the one that does")):
        with pytest.raises(AssertionError, match=f"(?s)only the controller writes.*{command}"):
            cluster.sql(text)
    assert cluster.sql("SELECT count(*) FROM cox.job WHERE held") == [["0"]]


def test_a_dump_is_restored_although_only_the_controller_writes(cluster, three, folder):
    asked = toml_value(cluster.config.read_text(), "database")
    restored = re.sub(r"dbname=\S+", "dbname=restored", asked)
    assert restored != asked
    cluster.sql("CREATE DATABASE restored")
    dump = subprocess.run(["pg_dump", "-d", asked], capture_output=True, check=True,
                          timeout=DEADLINE_S)
    subprocess.run(["psql", "-X", "-q", "-v", "ON_ERROR_STOP=1", "-d", restored],
                   input=dump.stdout, stdout=subprocess.DEVNULL, check=True, timeout=DEADLINE_S)
    count = "SELECT count(*) FROM cox.job"
    assert cluster.sql(count, restored) == cluster.sql(count) != [["0"]]
    with pytest.raises(AssertionError, match="only the controller writes"):
        cluster.sql("UPDATE cox.job SET held = true", restored)
    cluster.sql("DROP DATABASE restored")


def test_a_submission_retried_after_a_crash_before_the_answer_makes_one_job(cluster, folder):
    """The controller dies after the commit of the job, before it answers; the client retries."""
    name = f"once in {folder.name}"
    locker = subprocess.Popen(["psql", "-X", "-q", "-d", toml_value(cluster.config.read_text(),
                               "database")], stdin=subprocess.PIPE, text=True)
    locker.stdin.write("BEGIN; LOCK TABLE cox.job IN SHARE MODE;\n")
    locker.stdin.flush()
    locks = ("SELECT 1 FROM pg_locks WHERE relation = 'cox.job'::regclass AND {} granted"
             " AND mode = '{}'")
    cluster.wait_for(lambda: cluster.sql(locks.format("", "ShareLock")),
                     "our lock to be granted")
    client = cluster.popen("submit", "--json", "-n1", "-J", name, "-D", folder, "--", "true")
    cluster.wait_for(lambda: cluster.sql(locks.format("NOT", "RowExclusiveLock")),
                     "the controller to wait for the lock")
    # The controller has sent its turn to PostgreSQL, with the commit.
    cluster.kill("controller", signal.SIGSTOP)
    locker.communicate("ROLLBACK;\n", timeout=DEADLINE_S)
    cluster.wait_for(lambda: cluster.sql(f"SELECT 1 FROM cox.job WHERE name = '{name}'"),
                     "the job to be committed")
    cluster.kill("controller")
    cluster.start("controller")
    out, errors = client.communicate(timeout=DEADLINE_S)
    assert client.returncode == 0, errors
    answer = json.loads(out)
    assert answer["again"]
    cluster.wait_state(answer["id"], "COMPLETED")
    assert cluster.sql(f"SELECT count(*) FROM cox.job WHERE name = '{name}'") == [["1"]]


# ---- private clusters ----------------------------------------------------------------------------

def test_cox_up_refuses_a_folder_with_other_files(cluster, tmp_path):
    (tmp_path / "thesis.txt").write_text("years of work")
    refused = cluster.cox("up", "--dir", tmp_path, check=False)
    assert refused.returncode == 1
    assert "thesis.txt" in refused.stderr and "--dir" in refused.stderr
    assert [path.name for path in tmp_path.iterdir()] == ["thesis.txt"]


def test_cox_down_reports_how_many_jobs_will_be_requeued(cluster, tmp_path):
    own = tmp_path / "own"
    cluster.cox("up", "--dir", own, "--nodes", 1, "--cpus", 4)

    def ask(*words):
        return cluster.cox("--config", own / "coxswain.toml", *words, check=False)

    def begin(*words):
        job = json.loads(ask("submit", "--json", "-n1", "-D", tmp_path, *words).stdout)["id"]
        cluster.wait_for(lambda: state(job) == "RUNNING", "the job to run")
        return job

    def state(job):
        return json.loads(ask("--json", "show", "job", job).stdout)["view"]["job"]["state"]

    try:
        begin("--", "sleep", "1000")
        begin("--no-requeue", "--", "sleep", "1000")
        deaf = begin("--", "sh", "-c", "trap '' TERM; echo deaf; while :; do sleep 1; done")
        cluster.wait_for(lambda: "deaf" in ask("logs", deaf).stdout,
                         "the job to ignore SIGTERM")
        assert ask("cancel", deaf).returncode == 0
        cluster.wait_for(lambda: state(deaf) == "COMPLETING", "the job to be completing")
        down = cluster.cox("down", "--dir", own).stdout
        assert f"1 running job will be requeued by the next 'cox up --dir {own}'.\n" in down
        assert "2 jobs were already ending, or had been submitted with --no-requeue.\n" in down
    finally:
        cluster.cox("down", "--purge", "--dir", own)


def test_cox_down_purge_keeps_files_that_cox_up_did_not_make(cluster, tmp_path):
    own = tmp_path / "own"
    cluster.cox("up", "--dir", own, "--nodes", 1)
    (own / "thesis.txt").write_text("years of work")
    done = cluster.cox("down", "--purge", "--dir", own)
    assert "Other files in the folder are kept" in done.stdout
    assert [path.name for path in own.iterdir()] == ["thesis.txt"]
