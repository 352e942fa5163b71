"""kill -9 of the controller, at each named crash point and under load: no accepted job is lost,
nothing is started twice, and running jobs are not affected."""

import signal
import time

from patience import DEADLINE_S
import pytest
from ranks import CounterJob

CLUSTER = {"nodes": 2, "cpus": 4, "settings": {"heartbeat": "500ms"}}
JOBS_MAX = 6
STEPS = 4


class Submissions:
    """Clients that submit short gang jobs, one after another, while the controller crashes."""

    def __init__(self, cluster, folder):
        self.cluster, self.folder = cluster, folder
        self.clients = []

    def go_on(self):
        busy = self.clients and self.clients[-1][1].poll() is None
        if busy or len(self.clients) >= JOBS_MAX:
            return
        job = CounterJob(self.cluster, self.folder, "-N2", "-n2", "-J", f"job{len(self.clients)}",
                         steps=STEPS, submit=False)
        self.clients.append((job, self.cluster.popen_python("counter.py", job.options, *job.words)))

    def one_is_accepted(self):
        self.go_on()
        return any(client.poll() == 0 for _, client in self.clients)

    def check(self):
        """Checks that each acknowledged job ran once to its end, and each other job at most
        once."""
        for number, (job, client) in enumerate(self.clients):
            out, err = client.communicate(timeout=DEADLINE_S)
            found = [int(id) for id, in self.cluster.sql(
                f"SELECT id FROM cox.job WHERE name = 'job{number}'"
                f" AND work_dir = '{self.folder}'")]
            assert len(found) <= 1, f"one submission made jobs {found}"
            if client.returncode == 0:
                assert found == [int(out)], f"the client received id {out}, the table has {found}"
            else:
                assert "does not answer" in err, err
            for job.id in found:
                self.cluster.accepted.add(job.id)
                job.await_state("COMPLETED")
                job.check_ran_once(ranks=2, steps=STEPS)


@pytest.mark.parametrize("point, nth", [
    ("controller.before_send", 1), ("controller.before_send", 4), ("controller.before_send", 7),
    ("controller.after_send", 2), ("controller.after_send", 5),
    ("store.before_commit", 1), ("store.before_commit", 3), ("store.before_commit", 6),
    ("store.after_commit", 1), ("store.after_commit", 3), ("store.after_commit", 6)])
def test_a_controller_that_crashes_loses_no_job_and_starts_none_twice(cluster, folder, point, nth):
    old = CounterJob(cluster, folder, "-N1", "-n2")
    old.await_steps(1, ranks=2)
    ranks = cluster.ranks(old.id, 1)
    submissions = Submissions(cluster, folder)
    cluster.kill("controller")
    cluster.start("controller", {"COX_CRASH_AT": f"{point}:{nth}"})

    def crashed():
        submissions.go_on()
        return not cluster.runs("controller")

    cluster.wait_for(crashed, f"the controller to crash {point} for the {nth}. time")
    cluster.start("controller")
    cluster.wait_for(submissions.one_is_accepted, "a submission to be accepted")
    submissions.check()
    assert set(cluster.ranks(old.id, 1)) == set(ranks), "the running job was affected"
    assert cluster.attempt(old.id) == 1
    old.await_steps(1, ranks=2)


def crash_at(cluster, point):
    cluster.kill("controller")
    cluster.start("controller", {"COX_CRASH_AT": point})
    cluster.await_nodes()


def await_crash(cluster):
    cluster.wait_for(lambda: not cluster.runs("controller"), "the controller to crash")


def jobs_named(cluster, name):
    return [int(job) for job, in cluster.sql(f"SELECT id FROM cox.job WHERE name = '{name}'")]


@pytest.mark.parametrize("client_waits", [True, False], ids=["client-waits", "client-dies"])
def test_f01_a_submission_committed_but_not_answered_is_one_job(cluster, folder, client_waits):
    name = f"unanswered-{client_waits}"
    crash_at(cluster, "controller.before_send@Submitted")
    job = CounterJob(cluster, folder, "-N1", "-n1", "-J", name, steps=STEPS, submit=False)
    client = cluster.popen_python("counter.py", job.options, *job.words)
    await_crash(cluster)
    assert client.poll() is None and len(jobs_named(cluster, name)) == 1
    if not client_waits:
        client.kill()
    cluster.start("controller")
    out, err = client.communicate(timeout=DEADLINE_S)
    job.id, = jobs_named(cluster, name)
    cluster.accepted.add(job.id)
    assert not client_waits or out == f"{job.id}\n", err
    job.await_state("COMPLETED")
    job.check_ran_once(ranks=1, steps=STEPS)


def test_f02_a_gang_placed_right_before_a_crash_runs_each_step_once(cluster, folder):
    crash_at(cluster, "store.after_commit@Start")
    # The job starts in a later turn than that of its submission, so that the client has its answer
    # before the crash.
    job = CounterJob(cluster, folder, "-N2", "-n2", "--hold", steps=STEPS)
    with cluster.popen("release", job.id) as releasing:
        await_crash(cluster)
        releasing.kill()
    assert cluster.sql(f"SELECT state FROM cox.job WHERE id = {job.id}") == [["CONFIGURING"]]
    assert not job.trace()
    cluster.start("controller")
    job.await_state("COMPLETED")  # long before a lease of 15 minutes would end
    assert cluster.attempt(job.id) in (1, 2)
    job.check()
    assert [job.steps(rank) for rank in range(2)] == [[*range(1, STEPS + 1)]] * 2


def test_f03_a_gang_whose_launch_reached_one_node_starts_when_all_are_ready(cluster, folder):
    cluster.kill("n2", signal.SIGSTOP)  # n2 does not receive its Prepare
    job = CounterJob(cluster, folder, "-N2", "-n2", steps=STEPS)
    cluster.wait_for(lambda: cluster.supervisor(job.id, 1, "n1"), "n1 to have a supervisor")
    cluster.kill("controller")
    cluster.kill("n2")  # it never will
    assert not cluster.supervisor(job.id, 1, "n2") and not job.trace()
    cluster.start("controller")
    cluster.wait_for(lambda: cluster.count_responding() >= 1, "n1 to respond")
    assert not job.trace(), "a rank ran before all nodes were ready"
    cluster.start("n2")
    job.await_state("COMPLETED")
    job.check()
    assert [job.steps(rank) for rank in range(2)] == [[*range(1, STEPS + 1)]] * 2


def boot_time_of(cluster, job, column):
    """Returns a time of the job's row, converted to the boot clock, which its ranks trace."""
    (seconds,), = cluster.sql(f"SELECT extract(epoch FROM {column}) FROM cox.job WHERE id = {job}")
    return float(seconds) - time.time() + time.clock_gettime(time.CLOCK_BOOTTIME)


def test_f05_a_job_that_ends_without_a_controller_gets_its_real_end_time(cluster, folder):
    """With the default lease, ranks need no renewal for 15 minutes."""
    good = CounterJob(cluster, folder, "-N2", "-n2", steps=12, pause_at=6)
    bad = cluster.submit("-n1", "-D", folder, "--", "sh", "-c",
                         "echo $$ > runs; sleep 0.5; exit 7")
    good.await_total_steps(1, ranks=2)
    cluster.wait_for(lambda: (folder / "runs").exists(), "the second job to run")
    cluster.kill("controller")
    good.go_on()
    cluster.wait_for(lambda: [line.what for line in good.trace()].count("end") == 2
                     and not cluster.ranks(bad, 1), "both jobs to end")
    end = max(line.at for line in good.trace())
    cluster.wait_for(lambda: time.clock_gettime(time.CLOCK_BOOTTIME) > end + 5,
                     "5 s after the end")
    back = time.clock_gettime(time.CLOCK_BOOTTIME)
    cluster.start("controller")
    good.await_state("COMPLETED")
    cluster.wait_state(bad, "FAILED")
    assert cluster.job(bad)["view"]["job"]["exit_code"] == 7
    assert end - 0.1 < boot_time_of(cluster, good.id, "ended_at") < back
    assert boot_time_of(cluster, bad, "ended_at") < back
    assert boot_time_of(cluster, bad, "started_at") < boot_time_of(cluster, bad, "ended_at")
    assert cluster.attempt(good.id) == cluster.attempt(bad) == 1
    good.check_ran_once(ranks=2, steps=12)


def test_a_job_that_ends_without_a_controller_is_completed(cluster, folder):
    long = CounterJob(cluster, folder, "-N2", "-n2")
    long.await_steps(1)
    saving = CounterJob(cluster, folder, "-N1", "-n1", steps=30, save_every=5, pause_at=8)
    saving.await_total_steps(1)
    short = CounterJob(cluster, folder, "-N2", "-n2", steps=10, pause_at=5)
    short.await_total_steps(1, ranks=2)
    supervisors = [cluster.supervisor(short.id, 1, node) for node in ("n1", "n2")]
    cluster.kill("controller")
    short.go_on()
    saving.go_on()
    cluster.wait_for(lambda: len(short.steps()) == 10 and len(saving.steps()) >= 12,
                     "the jobs to go on without a controller")
    long.await_steps(3, ranks=2)
    cluster.start("controller")
    short.await_state("COMPLETED")
    short.check_ran_once(ranks=2, steps=10)
    saving.await_state("COMPLETED")
    saving.check_ran_once(ranks=1, steps=30)
    steps = [int(step) for step, in cluster.sql(
        f"SELECT step FROM cox.checkpoint WHERE job_id = {saving.id} ORDER BY step")]
    assert steps[-2:] == [25, 30] or steps[-2:] == [20, 25], steps
    cluster.wait_for(lambda: not any(each.is_alive() for each in supervisors),
                     "the supervisors to end")
    assert cluster.attempt(long.id) == 1


def test_a_preemption_survives_a_kill_of_the_controller(cluster, folder):
    """A preemption under way when the controller dies is completed."""
    job = CounterJob(cluster, folder, "-N2", "-n2", steps=80, pause_at=40)
    job.await_total_steps(3, ranks=2)
    cluster.cox("preempt", job.id)
    cluster.kill("controller")
    cluster.start("controller")
    job.go_on(attempt=2)
    job.await_state("COMPLETED")
    job.check()
    assert cluster.attempt(job.id) == 2
    assert cluster.job(job.id)["attempts"][1]["resume"], "attempt 2 resumes from no checkpoint"
    assert job.steps(0) == list(range(1, 81)) and job.steps(1) == list(range(1, 81))


def test_a_second_controller_at_the_same_address_is_refused(cluster, folder):
    job = CounterJob(cluster, folder, "-N2", "-n2")
    job.await_steps(2, ranks=2)
    done = cluster.run_program("cox-controller", "--config", cluster.config)
    assert done.returncode != 0 and "another program listens" in done.stderr, done.stderr
    assert cluster.runs("controller") and cluster.state(job.id) == "RUNNING"
    cluster.cox("cancel", job.id)
    job.await_state("CANCELLED")


def test_a_controller_that_the_database_refuses_tries_for_seconds_before_it_gives_up(cluster):
    """The refusal may be the last answer of a server that is being replaced. So the controller
    tries three times, 1 s apart, while both workers send hellos."""
    cluster.kill("controller")
    cluster.sql("SET cox.writer = 'test';"
                " UPDATE cox.schema_version SET checksum = 'x' || checksum WHERE version = 100")
    try:
        began = time.monotonic()
        cluster.start("controller")
        cluster.wait_for(lambda: not cluster.runs("controller"), "the controller to give up")
        assert time.monotonic() - began > 2.5
        assert "applied to this database with another text" in cluster.log_text("controller")
    finally:
        cluster.sql("SET cox.writer = 'test';"
                    " UPDATE cox.schema_version SET checksum = substr(checksum, 2)"
                    " WHERE version = 100")
    cluster.start("controller")
    cluster.wait_for(lambda: sorted(cluster.responding()) == ["n1", "n2"],
                     "both nodes to respond")
