"""kill -9 of the controller, at each named crash point and under load: no accepted job is lost,
nothing is started twice, running jobs do not notice."""

import pytest
from ranks import CounterJob

CLUSTER = {"nodes": 2, "cpus": 4, "settings": {"heartbeat": "500ms"}}
JOBS_MAX = 6
STEPS = 4


class Submissions:
    """One client after another, each submitting a short gang job, whatever the controller does."""

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

    def check(self):
        """What was answered is there and ran once to its end; what was not, once at most."""
        for number, (job, client) in enumerate(self.clients):
            out, err = client.communicate(timeout=60)
            found = [int(id) for id, in self.cluster.sql(
                f"SELECT id FROM cox.job WHERE name = 'job{number}'"
                f" AND work_dir = '{self.folder}'")]
            assert len(found) <= 1, f"one submission made jobs {found}"
            if client.returncode == 0:
                assert found == [int(out)], f"the client was told {out}, there is {found}"
            else:
                assert "does not answer" in err, err
            for job.id in found:
                self.cluster.accepted.add(job.id)
                job.await_state("COMPLETED", deadline_s=60)
                job.check_ran_once(ranks=2, steps=STEPS)
        assert any(client.returncode == 0 for _, client in self.clients)


@pytest.mark.parametrize("point, nth", [
    ("controller.before_send", 1), ("controller.before_send", 4), ("controller.before_send", 7),
    ("controller.after_send", 2), ("controller.after_send", 5),
    ("store.before_commit", 1), ("store.before_commit", 3), ("store.before_commit", 6),
    ("store.after_commit", 1), ("store.after_commit", 3), ("store.after_commit", 6)])
def test_a_controller_that_crashes_loses_nothing(cluster, folder, point, nth):
    old = CounterJob(cluster, folder, "-N1", "-n2")
    old.await_steps(1, ranks=2)
    ranks = cluster.ranks(old.id, 1)
    submissions = Submissions(cluster, folder)
    cluster.kill("controller")
    cluster.start("controller", {"COX_CRASH_AT": f"{point}:{nth}"})

    def crashed():
        submissions.go_on()
        return not cluster.runs("controller")

    cluster.wait_for(crashed, 40, f"the controller to crash {point} for the {nth}. time")
    cluster.start("controller")
    submissions.check()
    assert set(cluster.ranks(old.id, 1)) == set(ranks), "the running job noticed"
    assert cluster.attempt(old.id) == 1
    old.await_steps(1, ranks=2)


def test_what_ends_without_a_controller_has_ended(cluster, folder):
    long = CounterJob(cluster, folder, "-N2", "-n2")
    short = CounterJob(cluster, folder, "-N2", "-n2", steps=10)
    saving = CounterJob(cluster, folder, "-N1", "-n1", steps=30, save_every=5)
    for job in (long, short, saving):
        job.await_steps(1)
    supervisors = [cluster.supervisor(short.id, 1, node) for node in ("n1", "n2")]
    cluster.kill("controller")
    cluster.wait_for(lambda: len(short.steps()) == 10 and len(saving.steps()) >= 12, 30,
                     "the jobs to go on by themselves")
    long.await_steps(3, ranks=2)
    cluster.start("controller")
    short.await_state("COMPLETED")
    short.check_ran_once(ranks=2, steps=10)
    saving.await_state("COMPLETED")
    saving.check_ran_once(ranks=1, steps=30)
    steps = [saved["step"] for saved in cluster.job(saving.id)["checkpoints"]]
    assert steps[-2:] == [25, 30] or steps[-2:] == [20, 25], steps
    cluster.wait_for(lambda: not any(each.is_alive() for each in supervisors), 20,
                     "the supervisors to be let go")
    assert cluster.attempt(long.id) == 1


def test_a_controller_killed_while_a_gang_is_stopped(cluster, folder):
    """A preemption that is under way when the controller dies is brought to its end."""
    job = CounterJob(cluster, folder, "-N2", "-n2", steps=80)
    job.await_steps(3, ranks=2)
    cluster.cox("preempt", job.id)
    cluster.kill("controller")
    cluster.start("controller")
    job.await_state("COMPLETED", deadline_s=60)
    job.check()
    assert cluster.attempt(job.id) == 2
    assert cluster.job(job.id)["attempts"][1]["resume"], "it saved and resumes"
    assert job.steps(0) == list(range(1, 81)) and job.steps(1) == list(range(1, 81))


def test_a_second_controller_in_the_same_place_is_refused(cluster, folder):
    job = CounterJob(cluster, folder, "-N2", "-n2")
    job.await_steps(2, ranks=2)
    done = cluster.run_program("cox-controller", "--config", cluster.config)
    assert done.returncode != 0 and "another program listens" in done.stderr, done.stderr
    assert cluster.runs("controller") and cluster.state(job.id) == "RUNNING"
    cluster.cox("cancel", job.id)
    job.await_state("CANCELLED")
