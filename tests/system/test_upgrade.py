"""A cluster is upgraded program by program while jobs run and wait, by the section "Upgrade" of
docs/administrator-guide.md. The newer controller has a newer schema (tests/system/next)."""

import re
import signal
import subprocess
from collections import Counter

from conftest import new_folder
from patience import DEADLINE_S, LONG_DEADLINE_S
from ranks import CounterJob

NEXT = "cox-controller-next"
NEXT_SCHEMA = 900
SETTINGS = {"heartbeat": "500ms", "leader_lease": "5s"}
RUNNING, QUEUED = 20, 200
# A job that traces its begin, waits until the file "go" is there, and traces its end.
WAITS = ('echo "$SLURM_JOB_ID begin" >> trace; while ! [ -e go ]; do sleep 0.5; done;'
         ' echo "$SLURM_JOB_ID end" >> trace')


def value(cluster, query):
    (found,), = cluster.sql(query)
    return found


def schema(cluster):
    return int(value(cluster, "SELECT max(version) FROM cox.schema_version"))


def await_leader(cluster, *names):
    """Waits until one of these controllers leads and has loaded the state. Returns its name."""
    def serving():
        leader = cluster.leader()
        term = value(cluster, "SELECT term FROM cox.turn")
        leads = leader and re.search(rf"leading term={term}\b", cluster.log_text(leader))
        return leader if leads and leader in names else None

    return cluster.wait_for(serving, f"{' or '.join(names)} to lead")


def replace(cluster, name, program=None, meanwhile=lambda: None):
    cluster.kill(name, signal.SIGTERM)
    meanwhile()
    said = len(cluster.log_text(name))
    cluster.start(name, program=program)
    if name in cluster.controllers:
        cluster.wait_for(lambda: re.search("standing by|leading", cluster.log_text(name)[said:]),
                         f"{name} to stand by or lead")
    else:
        cluster.wait_for(lambda: name in cluster.responding(), f"{name} to respond")


def await_log(cluster, name, words, said=0):
    cluster.wait_for(lambda: words in cluster.log_text(name)[said:], f"{name} to log {words}")


def ping(cluster):
    """Returns what scontrol ping prints, and its errors."""
    program = cluster.dir / "scontrol"
    if not program.exists():
        program.symlink_to(cluster.bin / "cox")
    done = subprocess.run([program, "ping"], env=cluster.environment, text=True, timeout=DEADLINE_S,
                          stdin=subprocess.DEVNULL, capture_output=True)
    return done.stdout, done.stderr


def supervisors(cluster):
    """Returns the identities of all supervisors; a restarted one would have another identity."""
    return {file.read_text() for file in cluster.dir.glob("spool/*/*/identity")}


def test_a_newer_leader_migrates_the_schema_while_older_ones_stand_by(make_cluster):
    cluster = make_cluster(nodes=2, cpus=4, controllers=3, settings=SETTINGS)
    old_leader, newer, older = "controller", "controller2", "controller3"
    await_leader(cluster, old_leader)
    gang = CounterJob(cluster, new_folder(cluster), "-N2", "-n2")
    gang.await_steps(2, ranks=2)
    ranks, schema_before = set(cluster.ranks(gang.id, 1)), schema(cluster)

    replace(cluster, newer, NEXT)
    # A newer controller migrates the schema only once it leads.
    assert schema(cluster) == schema_before
    cluster.kill(older, signal.SIGSTOP)  # otherwise `older` might take over
    cluster.kill(old_leader, signal.SIGTERM)
    cluster.wait_for(lambda: cluster.leader() == newer, "the newer controller to take over")
    assert schema(cluster) == schema_before
    said = len(cluster.log_text(older))
    cluster.kill(older, signal.SIGCONT)
    # Two controllers of the old version, `older` and `old_leader`, run while `newer` migrates the
    # schema.
    cluster.start(old_leader)
    await_leader(cluster, newer)
    assert schema(cluster) == NEXT_SCHEMA
    # A view of the newer schema.
    assert value(cluster, "SELECT state FROM cox.next_remarks") == "RUNNING"

    why = f"the database has schema version {NEXT_SCHEMA}, this program knows only up to"
    for name in (older, old_leader):
        await_log(cluster, name, f'cannot_lead="{why}', said if name == older else 0)
    out, err = ping(cluster)
    assert len(re.findall("is UP", out)) == 3 and len(re.findall(f"cannot lead: {why}", err)) == 2
    done = CounterJob(cluster, new_folder(cluster), "-N1", "-n1", steps=3)
    done.await_state("COMPLETED")  # its workers have the old version

    cluster.kill(newer)
    turn = value(cluster, "SELECT t::text FROM cox.turn t")
    lease = value(cluster, "SELECT l::text FROM cox.leadership l")
    cluster.wait_for(lambda: value(cluster, "SELECT ends_at < clock_timestamp() - interval '4 s'"
                                            " FROM cox.leadership") == "t",
                     "the lease to have ended 4 s ago")
    assert value(cluster, "SELECT l::text FROM cox.leadership l") == lease
    assert value(cluster, "SELECT t::text FROM cox.turn t") == turn
    assert cluster.runs(older) and cluster.runs(old_leader)

    gang.await_steps(2, ranks=2)
    cluster.start(newer, program=NEXT)
    await_leader(cluster, newer)
    replace(cluster, older, NEXT)
    replace(cluster, newer, NEXT)
    await_leader(cluster, newer, older)
    gang.await_steps(2, ranks=2)
    assert set(cluster.ranks(gang.id, 1)) == ranks and cluster.attempt(gang.id) == 1


def test_all_controllers_and_workers_are_replaced_and_no_job_is_lost_or_restarted(make_cluster):
    cluster = make_cluster(nodes=4, cpus=RUNNING // 4, controllers=2, settings=SETTINGS)
    folder = new_folder(cluster)

    def submit():
        return cluster.submit("-n1", "-c1", "-D", folder, "-o", "/dev/null", "--", "sh", "-c",
                              WAITS)

    def trace():
        file = folder / "trace"
        return file.read_text().splitlines() if file.exists() else []

    jobs = [submit() for _ in range(RUNNING)]
    cluster.wait_for(lambda: len(trace()) == RUNNING, "all jobs to run")
    jobs += [submit() for _ in range(QUEUED)]
    identities = supervisors(cluster)

    leader = await_leader(cluster, *cluster.controllers)
    standby, = set(cluster.controllers) - {leader}
    replace(cluster, standby, NEXT)
    jobs.append(submit())
    replace(cluster, leader, NEXT, meanwhile=lambda: await_leader(cluster, standby))
    jobs.append(submit())
    for number in range(1, cluster.nodes + 1):
        replace(cluster, f"n{number}")
        jobs.append(submit())
    assert schema(cluster) == NEXT_SCHEMA
    states = cluster.sql("SELECT state, count(*) FROM cox.job GROUP BY state ORDER BY state")
    assert states == [["PENDING", str(len(jobs) - RUNNING)], ["RUNNING", str(RUNNING)]]
    assert len(trace()) == RUNNING and supervisors(cluster) == identities

    (folder / "go").touch()
    cluster.wait_for(lambda: not cluster.sql(
        "SELECT 1 FROM cox.job WHERE state <> 'COMPLETED'"), "all jobs to complete",
        deadline_s=LONG_DEADLINE_S)
    assert Counter(trace()) == Counter(f"{job} {what}" for job in jobs for what in ("begin", "end"))
    assert value(cluster, "SELECT max(attempt) FROM cox.attempt") == "1"
