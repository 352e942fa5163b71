"""Two controllers on one database: the leader is killed, stopped or paused, and the other one takes
over. Users see no error, running jobs are not affected, and nothing is accepted or started
twice."""

import re
import signal
import subprocess
from concurrent.futures import FIRST_COMPLETED, ThreadPoolExecutor, wait

from patience import DEADLINE_S, LONG_DEADLINE_S
import pytest
from ranks import CounterJob

CLUSTER = {"nodes": 2, "cpus": 4, "controllers": 2, "settings": {"heartbeat": "500ms"}}
NAMES = ("sbatch", "squeue", "scontrol")
THREADS, ROUNDS, SUBMITS_A_ROUND = 4, 4, 15


@pytest.fixture
def slurm(cluster, folder):
    """slurm(NAME, WORD...): runs a command, which must not fail, and returns its output."""
    for name in NAMES:
        (folder / name).symlink_to(cluster.bin / "cox")

    def call(name, *words):
        done = subprocess.run([folder / name, *map(str, words)], env=cluster.environment, text=True,
                              cwd=folder, stdin=subprocess.DEVNULL, capture_output=True,
                              timeout=DEADLINE_S)
        assert done.returncode == 0, f"{name} exited with {done.returncode}: {done.stderr}"
        return done.stdout
    return call


def term(cluster):
    (found,), = cluster.sql("SELECT term FROM cox.turn")
    return int(found)


def serving(cluster):
    """Returns the leader, once it has loaded the state; otherwise None."""
    leader = cluster.leader()
    leads = leader and re.search(rf"leading term={term(cluster)}\b", cluster.log_text(leader))
    return leader if leads else None


def await_leader(cluster, name):
    cluster.wait_for(lambda: serving(cluster) == name, f"{name} to lead")


def leader_and_standby(cluster):
    """Starts controllers that do not run, and returns (leader, standby)."""
    for name in cluster.controllers:
        if not cluster.runs(name):
            cluster.start(name)
    leader = cluster.wait_for(lambda: serving(cluster), "a leader to serve")
    standby, = set(cluster.controllers) - {leader}
    return leader, standby


def await_standing_by(cluster, name, said):
    """Waits until the controller's log has "standing by" after the first `said` characters."""
    cluster.wait_for(lambda: "standing by" in cluster.log_text(name)[said:],
                     f"{name} to stand by")


def jobs_named(cluster, folder, name):
    return [int(job) for job, in cluster.sql(
        f"SELECT id FROM cox.job WHERE name = '{name}' AND work_dir = '{folder}'")]


def check_output(folder, ranks):
    """Checks that each rank's lines are there, in order, without a gap."""
    for rank in range(ranks):
        lines = (folder / f"out.{rank}").read_text().splitlines()
        assert lines and lines == [f"step {n}" for n in range(1, len(lines) + 1)]


def states_in(pings):
    """Returns the state, UP or DOWN, that scontrol ping prints of each controller."""
    lines = pings.splitlines()
    assert [re.match(r"Slurmctld\((\w+)\) at ", line)[1] for line in lines] == ["primary", "backup"]
    return [line.rpartition(" is ")[2] for line in lines]


def test_a_standby_takes_over_from_a_leader_that_is_killed(cluster, folder, slurm):
    leader, standby = leader_and_standby(cluster)
    gang = CounterJob(cluster, folder, "-N2", "-n2", "-c3", "-o", "out.%t")
    gang.await_steps(2, ranks=2)
    ranks, term_before = cluster.ranks(gang.id, 1), term(cluster)
    waiting = CounterJob(cluster, folder, "-N1", "-n1", "-c2", steps=3)
    assert states_in(slurm("scontrol", "ping")) == ["UP", "UP"]

    cluster.kill(leader)
    assert sorted(states_in(slurm("scontrol", "ping"))) == ["DOWN", "UP"]
    listed = slurm("squeue", "-h", "-o", "%i %T").splitlines()  # waits: no controller leads yet
    assert {f"{gang.id} RUNNING", f"{waiting.id} PENDING"} <= set(listed)
    new = int(slurm("sbatch", "--parsable", "-n1", "-c2", "-D", folder, "--wrap=true"))
    cluster.accepted.add(new)
    await_leader(cluster, standby)
    assert term(cluster) == term_before + 1
    said = len(cluster.log_text(leader))
    cluster.start(leader)
    await_standing_by(cluster, leader, said)
    assert cluster.leader() == standby and term(cluster) == term_before + 1

    gang.await_steps(2, ranks=2)
    assert set(cluster.ranks(gang.id, 1)) == set(ranks) and cluster.attempt(gang.id) == 1
    assert cluster.state(waiting.id) == "PENDING"
    cluster.cox("cancel", gang.id)
    waiting.await_state("COMPLETED")
    waiting.check_ran_once(ranks=1, steps=3)
    cluster.wait_state(new, "COMPLETED")
    gang.await_state("CANCELLED")
    gang.check()
    check_output(folder, ranks=2)


def test_a_leader_that_is_stopped_cleanly_hands_over_before_its_lease_ends(make_cluster):
    """The lease is longer than the test waits, so only the clean stop can end it."""
    cluster = make_cluster(nodes=1, cpus=2, controllers=2, settings={"leader_lease": "60s"})
    leader, standby = leader_and_standby(cluster)
    job = CounterJob(cluster, cluster.work, "-N1", "-n1")
    job.await_steps(2)
    (lease_end,), = cluster.sql("SELECT ends_at FROM cox.leadership")
    term_before = term(cluster)
    cluster.kill(leader, signal.SIGTERM)
    await_leader(cluster, standby)
    assert term(cluster) == term_before + 1
    assert cluster.sql(f"SELECT taken_at < '{lease_end}' FROM cox.turn") == [["t"]]
    other = CounterJob(cluster, cluster.work, "-N1", "-n1", steps=2)
    other.await_state("COMPLETED")
    job.await_steps(2)
    assert cluster.attempt(job.id) == 1


def test_f17_a_paused_leader_that_wakes_stands_by_and_starts_no_job_twice(cluster, folder):
    old, new = leader_and_standby(cluster)
    # Commands ask `old` first, which is silent once it is paused.
    cluster.set_controllers("controller", [old, new])
    first = CounterJob(cluster, folder, "-N2", "-n2", "-c4")
    first.await_steps(1, ranks=2)
    pending = CounterJob(cluster, folder, "-N2", "-n2", "-c4", steps=40)
    pid, said = cluster.pid(old), len(cluster.log_text(old))

    cluster.kill(old, signal.SIGSTOP)
    await_leader(cluster, new)
    term_of_new = term(cluster)
    cluster.cox("cancel", first.id)
    # When `old` wakes, its state is out of date: in it no node has room for this job.
    pending.await_steps(1, ranks=2)
    later = CounterJob(cluster, folder, "-J", "later", "-N1", "-n1", steps=10)

    cluster.kill(old, signal.SIGCONT)
    await_standing_by(cluster, old, said)
    pending.await_state("COMPLETED")
    pending.check_ran_once(ranks=2, steps=40)
    later.await_state("COMPLETED")
    later.check_ran_once(ranks=1, steps=10)
    assert term(cluster) == term_of_new and cluster.leader() == new
    assert cluster.runs(old) and cluster.pid(old) == pid

    cluster.kill(new)
    await_leader(cluster, old)
    assert term(cluster) == term_of_new + 1
    last = CounterJob(cluster, folder, "-N2", "-n2", steps=2)
    last.await_state("COMPLETED")
    assert jobs_named(cluster, folder, "later") == [later.id]
    assert [cluster.attempt(job.id) for job in (pending, later, last)] == [1, 1, 1]


def test_submitters_see_no_error_while_leaders_change(cluster, folder, slurm):
    """In each round but the last, the leader is killed once the first submissions are answered."""
    def submit(name):
        return int(slurm("sbatch", "--parsable", "-n1", "-J", name, "-D", folder, "--wrap=true"))

    answers = {}  # the result of each sbatch, by the job's name
    with ThreadPoolExecutor(THREADS) as submitters:
        for number in range(ROUNDS):
            # Starts the controller again that was killed last.
            leader, standby = leader_and_standby(cluster)
            names = [f"r{number}-{n}" for n in range(SUBMITS_A_ROUND)]
            answers.update((name, submitters.submit(submit, name)) for name in names)
            if number + 1 < ROUNDS:
                answered, _ = wait([answers[name] for name in names], DEADLINE_S, FIRST_COMPLETED)
                assert answered, cluster.logs()
                cluster.kill(leader)
                await_leader(cluster, standby)
    ids = {name: answer.result() for name, answer in answers.items()}
    cluster.accepted.update(ids.values())
    assert len(set(ids.values())) == len(ids) == ROUNDS * SUBMITS_A_ROUND
    found = cluster.sql(f"SELECT name, id FROM cox.job WHERE work_dir = '{folder}'")
    assert sorted((name, int(job)) for name, job in found) == sorted(ids.items())
    cluster.wait_for(lambda: not cluster.sql(
        f"SELECT 1 FROM cox.job WHERE work_dir = '{folder}' AND state <> 'COMPLETED'"),
        "all submitted jobs to complete", deadline_s=LONG_DEADLINE_S)


def test_a_worker_that_connects_to_a_standby_first_finds_the_leader(cluster, folder):
    leader, standby = leader_and_standby(cluster)
    kept = CounterJob(cluster, folder, "-N1", "-n1", "-w", "n2")
    kept.await_steps(1)
    cluster.kill("n2", signal.SIGTERM)
    cluster.set_controllers("n2", [standby, leader])
    cluster.start("n2")
    # The leader must send this job to n2.
    job = CounterJob(cluster, folder, "-N1", "-n1", "-w", "n2", steps=3)
    job.await_state("COMPLETED")
    job.check_ran_once(ranks=1, steps=3)
    assert cluster.leader() == leader and "n2" in cluster.responding()
    kept.await_steps(2)
    assert cluster.attempt(kept.id) == 1
