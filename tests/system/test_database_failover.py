"""The database fails over, is slow, cut off or read-only: with a real replica that is promoted, and
a proxy between the controller and its server. Acknowledged jobs are there and end once. Turns that
an asynchronous replica has lost are found, bounded and reported. No running job dies."""

import re
import signal
import threading
import time
from pathlib import Path

from patience import DEADLINE_S, LONG_DEADLINE_S
import pytest
from cluster import toml_value, with_value
from proxy import Proxy
from ranks import CounterJob
from replica import PORT, Replica

SUBMITTERS = 4


@pytest.fixture
def replicated(make_cluster):
    """replicated(OPTION...): makes a cluster whose controllers have a replica in their settings.
    Returns both."""
    def make(**options):
        cluster = make_cluster(nodes=2, cpus=4, **options)
        cluster.beside.append(Replica(cluster))
        replica = cluster.beside[0].start()
        replica.use_both_servers()
        return cluster, replica
    return make


@pytest.fixture
def proxied(make_cluster):
    """proxied(OPTION...): makes a cluster whose controller connects to PostgreSQL through a proxy.
    Returns both."""
    def make(**options):
        cluster = make_cluster(nodes=2, cpus=4, **options)
        text = cluster.config.read_text()
        cluster.database = toml_value(text, "database")
        own = cluster.database.split()[0].split("=")[1]
        folder = Path(own) / "proxy"
        folder.mkdir()
        cluster.beside.append(Proxy(folder, f"{own}/.s.PGSQL.{PORT}"))
        cluster.kill("controller", signal.SIGTERM)
        cluster.config.write_text(with_value(text, "database", cluster.beside[0].conninfo()))
        cluster.start("controller")
        cluster.wait_for(lambda: len(cluster.responding()) == 2, "both nodes to respond")
        return cluster, cluster.beside[0]
    return make


class Load:
    """Threads that submit jobs without end, and keep the acknowledged ids and the refusals."""

    def __init__(self, cluster, folder):
        self.cluster, self.folder = cluster, folder
        self.ids, self.refusals, self.over = [], [], threading.Event()
        self.threads = [threading.Thread(target=self.run) for _ in range(SUBMITTERS)]
        for thread in self.threads:
            thread.start()

    def run(self):
        while not self.over.is_set():
            done = self.cluster.cox("submit", "--parsable", "-n1", "-D", self.folder, "--", "true",
                                    check=False)
            if done.returncode == 0:
                self.ids.append(int(done.stdout))
            else:
                self.refusals.append(done.stderr)

    def await_more(self, count):
        before = len(self.ids)
        self.cluster.wait_for(lambda: len(self.ids) >= before + count,
                              f"{count} more accepted jobs", deadline_s=LONG_DEADLINE_S)

    def end(self):
        self.over.set()
        for thread in self.threads:
            thread.join()
        return self.ids


def failovers(cluster):
    return cluster.sql("SELECT from_timeline, to_timeline, turns_lost, settled_at IS NOT NULL"
                       " FROM cox.failover ORDER BY found_at")


def await_serving(cluster):
    def is_current():
        done = cluster.cox("queue", check=False)
        return done.returncode == 0 and "PostgreSQL does not answer" not in done.stderr

    cluster.wait_for(is_current, "the controller to answer")


def test_f15_a_synchronous_replica_has_every_acknowledged_job(replicated):
    cluster, replica = replicated()
    replica.be_synchronous()
    gang = CounterJob(cluster, cluster.work, "-N2", "-n2")
    gang.await_steps(2, ranks=2)
    ranks = cluster.ranks(gang.id, 1)
    load = Load(cluster, cluster.work)
    load.await_more(10)
    cluster.pg_ctl("stop", "-m", "immediate")
    replica.promote()
    load.await_more(10)
    ids = load.end()
    cluster.accepted.update(ids)

    assert len(set(ids)) == len(ids)
    assert all("PostgreSQL" in why and "try again" in why for why in load.refusals), load.refusals
    listed = ",".join(map(str, ids))
    cluster.wait_for(lambda: cluster.sql(
        f"SELECT count(*) FROM cox.job WHERE id IN ({listed}) AND state = 'COMPLETED'")
        == [[str(len(ids))]], "every acknowledged job to complete", deadline_s=LONG_DEADLINE_S)
    assert cluster.sql(f"SELECT job_id FROM cox.job_event WHERE job_id IN ({listed})"
                       " AND state = 'COMPLETED' AND what = 'state' GROUP BY job_id"
                       " HAVING count(*) <> 1") == []
    assert failovers(cluster) == [["1", "2", "0", "t"]]
    gang.await_steps(2, ranks=2)
    assert set(cluster.ranks(gang.id, 1)) == set(ranks) and cluster.attempt(gang.id) == 1


def test_jobs_and_attempts_that_an_asynchronous_replica_lost_are_found_and_reported(replicated):
    cluster, replica = replicated()
    folder = cluster.work
    known = CounterJob(cluster, folder, "-N2", "-n2")
    known.await_steps(2, ranks=2)
    known_ranks = cluster.ranks(known.id, 1)
    held = CounterJob(cluster, folder, "-N1", "-n1", "--hold", steps=400)
    cluster.wait_for(lambda: replica.sql(f"SELECT 1 FROM cox.job WHERE id = {held.id}"),
                     "the replica to have the job")
    replica.stop_replication()
    cluster.cox("release", held.id)
    held.await_steps(2)
    lost = CounterJob(cluster, folder, "-N1", "-n1")
    lost.await_steps(2)
    waiting = [cluster.submit("-N2", "-n8", "-D", folder, "--", "true") for _ in range(3)]
    gone = [lost.id, *waiting]
    cluster.accepted -= set(gone)
    (term,), = cluster.sql("SELECT term FROM cox.turn")
    cluster.pg_ctl("stop", "-m", "immediate")
    replica.promote()

    cluster.wait_for(lambda: failovers(cluster) and failovers(cluster)[-1][3] == "t",
                     "the failover to be settled")
    (lost_turns, jobs, attempts, span), = cluster.sql(
        "SELECT turns_lost, jobs_lost, attempts_lost, lost_from < lost_until FROM cox.failover")
    assert int(lost_turns) > 0
    assert jobs == "{" + ",".join(map(str, gone)) + "}" and span == "t"
    assert set(attempts.strip("{}").split(",")) == {f"{held.id}.1", f"{lost.id}.1"}
    assert int(cluster.sql("SELECT term FROM cox.turn")[0][0]) > int(term)
    assert re.search(r"turns_lost=\d+ lost_from=\d.* jobs_lost=4", cluster.log_text("controller"))

    # Attempts that the database does not know are ended, known ones go on, and jobs whose attempt
    # was lost run again.
    for job in (lost, held):
        cluster.wait_for(lambda job=job: not cluster.ranks(job.id, 1),
                         f"attempt {job.id}.1 to end")
    assert any("the failover of the database has lost it" in why for why in held.whys())
    known.await_steps(2, ranks=2)
    assert set(cluster.ranks(known.id, 1)) == set(known_ranks) and cluster.attempt(known.id) == 1
    fresh = CounterJob(cluster, folder, "-N1", "-n1", steps=3)
    assert fresh.id > max(gone)
    fresh.await_state("COMPLETED")
    assert cluster.state(held.id) == "PENDING"
    cluster.cox("release", held.id)
    held.await_state("COMPLETED")
    held.check()
    assert cluster.attempt(held.id) > 1


def test_f15_controllers_leave_a_former_primary_that_still_answers(replicated):
    cluster, replica = replicated(controllers=2)
    job = CounterJob(cluster, cluster.work, "-N2", "-n2")
    job.await_steps(2, ranks=2)
    replica.promote()
    cluster.wait_for(lambda: failovers(cluster) and failovers(cluster)[-1][3] == "t",
                     "the controller to write to the promoted server")

    def asked_there():
        return [query for query, in cluster.sql(
            "SELECT query FROM pg_stat_activity WHERE application_name = 'cox-controller'",
            replica.primary)]
    looks = "the timeline to which the server writes"
    cluster.wait_for(lambda: all(looks in query for query in asked_there()),
                     "the controllers to do no more than look at its timeline")
    truth = "SELECT term, turn, session FROM cox.turn"
    lease = "SELECT holder, ends_at FROM cox.leadership"
    before = cluster.sql(truth, replica.primary), cluster.sql(lease, replica.primary)
    done = [CounterJob(cluster, cluster.work, "-N1", "-n1", steps=3) for _ in range(5)]
    for each in done:
        each.await_state("COMPLETED")
        # The controllers read a job's history only from the database.
        assert cluster.history(each.id)
    # A controller that starts leaves the former primary too, though that server is the first in its
    # connection string.
    for name in cluster.controllers:
        cluster.kill(name)
        cluster.start(name)
    await_serving(cluster)
    last = CounterJob(cluster, cluster.work, "-N1", "-n1", steps=3)
    last.await_state("COMPLETED")
    assert (cluster.sql(truth, replica.primary), cluster.sql(lease, replica.primary)) == before
    job.await_steps(2, ranks=2)
    assert cluster.attempt(job.id) == 1


def test_f14_a_submission_whose_commit_reply_is_lost_becomes_one_job(proxied):
    cluster, proxy = proxied()
    for number in range(3):
        proxy.drop_reply_of("job_insert")
        job = cluster.submit("-n1", "-J", f"cut{number}", "-D", cluster.work, "--", "true")
        assert proxy.cuts == number + 1
        assert cluster.sql(f"SELECT id FROM cox.job WHERE name = 'cut{number}'") == [[str(job)]]
        cluster.wait_state(job, "COMPLETED")
        assert cluster.attempt(job) == 1


def test_f16_a_slow_database_ends_no_job(proxied):
    cluster, proxy = proxied(lease_s=6)
    job = CounterJob(cluster, cluster.work, "-N2", "-n2")
    job.await_steps(2, ranks=2)
    proxy.delay_s = 5
    began = time.clock_gettime(time.CLOCK_BOOTTIME)
    waiting = cluster.popen("submit", "--parsable", "-n1", "-D", cluster.work, "--", "true")
    cluster.wait_for(lambda: job.trace()[-1].at > began + 20, "three leases to pass")
    proxy.delay_s = 0
    out, err = waiting.communicate(timeout=DEADLINE_S)
    assert waiting.returncode == 0 or "PostgreSQL" in err, err
    if waiting.returncode == 0:
        cluster.accepted.add(int(out))
        cluster.wait_state(int(out), "COMPLETED")
    job.await_steps(2, ranks=2)
    assert cluster.attempt(job.id) == 1
    assert sorted(cluster.responding()) == ["n1", "n2"]
    assert not any("lease" in why or "respond" in why for why in job.whys()), job.whys()


def test_a_new_reason_for_an_outage_of_the_database_is_reported(proxied):
    cluster, proxy = proxied()
    job = CounterJob(cluster, cluster.work, "-N2", "-n2")
    job.await_steps(2, ranks=2)

    def refusal():
        done = cluster.cox("submit", "--parsable", "-n1", "--", "true", check=False)
        if done.returncode == 0:
            cluster.accepted.add(int(done.stdout))
        return done.stderr

    proxy.refuses = True
    proxy.close_all()
    cluster.wait_for(lambda: "PostgreSQL" in refusal(), "the refusal to name PostgreSQL")
    cluster.sql("ALTER DATABASE coxswain SET default_transaction_read_only = on")
    proxy.refuses = False
    why = cluster.wait_for(lambda: "read-only" in (said := refusal()) and said,
                           "the refusal to name the second reason")
    assert "PostgreSQL" in why and "try again" in why
    away = re.findall(r"the database is away message=(.*)", cluster.log_text("controller"))
    assert any("read-only" in reason for reason in away) and len(set(away)) > 1
    cluster.sql("ALTER DATABASE coxswain RESET default_transaction_read_only",
                cluster.database + " options='-c default_transaction_read_only=off'")
    await_serving(cluster)
    last = CounterJob(cluster, cluster.work, "-N1", "-n1", steps=3)
    last.await_state("COMPLETED")
    job.await_steps(2, ranks=2)
    assert cluster.attempt(job.id) == 1
