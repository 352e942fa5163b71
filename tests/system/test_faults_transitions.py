"""F4: the controller is killed at each transition of a job: before the turn of the transition is
committed, after the commit before anything is sent, and after all is sent. Another controller
starts at once, and the job must end as without the crash."""

import os
import re
import signal
import subprocess
import threading
import time
from collections import namedtuple
from contextlib import contextmanager

import pytest
from cluster import FINAL_STATES, PROGRAMS, PYTHON, ROOT, with_value
from patience import PATIENCE

CLUSTER = {"nodes": 2, "cpus": 2,
           "settings": {"heartbeat": "250ms", "kill_wait": "1s", "launch_retry_max": "1s",
                        "failures_to_avoid": 0, "failures_to_drain": 0}}
GANG = ["-N2", "-n2", "--checkpoint-signal=USR1"]
POINTS = ["store.before_commit", "store.after_commit", "controller.after_send"]
# A request from before the crash is lost once the next controller has run for so many seconds.
LOST_S = 1.0 * PATIENCE
NO_ANSWER = 3  # the exit code of a command that found no controller for 3 s

Outcome = namedtuple("Outcome", "state exit_code attempts saved")


class Scene:
    """One job of programs/obedient.py, and a controller that crashes once."""

    def __init__(self, cluster, folder, crash_at):
        self.cluster, self.folder, self.job = cluster, folder, 0
        self.ended_before = []  # the final states from which a user has requeued the job
        self.back_at = None  # when the next controller was started
        (folder / "scontrol").symlink_to(cluster.bin / "cox")
        (folder / "cox").symlink_to(cluster.bin / "cox")
        if crash_at:
            cluster.kill("controller")
            cluster.start("controller", {"COX_CRASH_AT": crash_at})
            cluster.await_nodes()
        self.over = threading.Event()
        self.watch = threading.Thread(target=self.revive_once, daemon=True)
        self.watch.start()

    def revive_once(self):
        while not self.over.wait(0.02):
            if not self.cluster.runs("controller"):
                self.cluster.start("controller")
                self.back_at = time.monotonic()
                return

    def end(self):
        self.over.set()
        self.watch.join()

    def is_lost(self, asked_at):
        back = self.back_at
        return back is not None and asked_at < back < time.monotonic() - LOST_S

    def ask(self, *words, retried=False, is_done=lambda: False):
        """Runs a command and returns its output. If its request was lost, it runs the command
        again, like a user, unless is_done() finds that it was carried out. `retried`: the client
        itself retries."""
        asked_at = time.monotonic()
        client = subprocess.Popen([self.folder / words[0], *map(str, words[1:])], text=True,
                                  env=self.cluster.environment, cwd=self.folder,
                                  stdin=subprocess.DEVNULL, stdout=subprocess.PIPE)
        while client.poll() is None and (retried or not self.is_lost(asked_at)):
            time.sleep(0.02)
        is_lost = client.poll() is None or (client.returncode == NO_ANSWER and not retried)
        client.kill()
        printed = client.communicate()[0]
        if not is_lost:
            return printed
        return None if is_done() else self.ask(*words, is_done=is_done)

    def submit(self, on_stop, *options):
        printed = self.ask("cox", "submit", "--parsable", *GANG, "-D", self.folder, *options, "--",
                           PYTHON, PROGRAMS / "obedient.py", on_stop, retried=True)
        self.job = int(printed)
        self.cluster.accepted.add(self.job)
        found = self.cluster.sql(f"SELECT id FROM cox.job WHERE work_dir = '{self.folder}'")
        assert found == [[str(self.job)]], "the table has other jobs than the submitted one"

    def state(self):
        (state,), = self.cluster.sql(f"SELECT state FROM cox.job WHERE id = {self.job}")
        return state

    def await_state(self, *states):
        self.cluster.wait_state(self.job, *states)

    def await_ranks(self, what, attempt=1):
        files = [self.folder / f"{what}.{attempt}.{rank}" for rank in range(2)]
        self.cluster.wait_for(lambda: all(file.exists() for file in files),
                              f"file {what} of attempt {attempt}")

    def is_asked_to_stop(self):
        return self.cluster.sql(f"SELECT 1 FROM cox.job_event WHERE job_id = {self.job}"
                                " AND state = 'SIGNALING'") != []

    def saved(self):
        return [int(step) for step, in self.cluster.sql(
            f"SELECT step FROM cox.checkpoint WHERE job_id = {self.job} ORDER BY step")]

    def do(self, word):
        (self.folder / word).touch()

    def outcome(self):
        self.await_state(*FINAL_STATES)
        (state, code, attempts), = self.cluster.sql(
            f"SELECT state, exit_code, attempt FROM cox.job WHERE id = {self.job}")
        ends = self.cluster.sql(f"SELECT state FROM cox.job_event WHERE job_id = {self.job}"
                                " AND what = 'state' AND state >= 'COMPLETED'"
                                " AND state <> 'SUSPENDED'")
        assert ends == [*self.ended_before, [state]], "the final state is not written once"
        return Outcome(state, int(code), int(attempts), self.saved())


def restart_worker(cluster, node, text):
    """Restarts the worker with this text as its configuration."""
    cluster.kill(node, signal.SIGTERM)
    cluster.config_of(node).write_text(text)
    cluster.start(node)


@contextmanager
def other_supervisor(cluster, node, program):
    """Makes the node's worker start another program as supervisor, until the context ends."""
    before = cluster.config_of(node).read_text()
    restart_worker(cluster, node, with_value(before, "supervisor_program", str(program)))
    try:
        yield
    finally:
        restart_worker(cluster, node, before)


# ---- the courses of a job ------------------------------------------------------------------------

def completes(scene):
    scene.submit("save")
    scene.await_ranks("begin")
    scene.do("finish")


def saves(scene):
    scene.submit("save")
    scene.await_ranks("begin")
    scene.do("save-5")
    scene.cluster.wait_for(lambda: scene.saved() == [5], "step 5 to be committed")
    scene.do("finish")


def fails(scene):
    scene.submit("save")
    scene.await_ranks("begin")
    scene.do("quit-3")


def is_preempted_and_resumes(scene):
    scene.submit("save")
    scene.await_ranks("begin")
    scene.ask("cox", "preempt", scene.job, is_done=scene.is_asked_to_stop)
    scene.await_ranks("begin", 2)
    assert scene.saved() == [10]
    scene.do("finish")


def is_preempted_for_good(scene):
    scene.submit("save", "--no-requeue")
    scene.await_ranks("begin")
    scene.ask("cox", "preempt", scene.job)


def is_cancelled(scene):
    scene.submit("ignore")
    scene.await_ranks("begin")
    scene.ask("cox", "cancel", scene.job)


def is_cancelled_while_held(scene):
    scene.submit("save", "--hold")
    scene.ask("cox", "cancel", scene.job)


def runs_out_of_time(scene):
    """Uses --signal: without it, a job that is asked to save at its time limit first has its grace
    time of 60 s."""
    scene.submit("ignore", "-t", "0:02", "--signal=USR1@1")


def reaches_its_deadline(scene):
    scene.submit("ignore", "--deadline=now+3")


def starts_on_one_node_only(scene):
    fails_once = scene.folder / "supervisor"
    fails_once.write_text(f"#!/bin/sh\nmkdir {scene.folder}/failed && exit 1\n"
                          f"exec {scene.cluster.bin}/cox-supervisor \"$@\"\n")
    fails_once.chmod(0o755)
    with other_supervisor(scene.cluster, "n2", fails_once):
        scene.submit("save")
        scene.await_ranks("begin", 2)
    scene.do("finish")


def is_requeued_after_its_end(scene):
    """A user requeues the job after it has ended."""
    scene.submit("fail")
    scene.await_ranks("begin")
    scene.do("save-5")
    scene.cluster.wait_for(lambda: scene.saved() == [5], "step 5 to be committed")
    scene.ask("cox", "cancel", scene.job)
    scene.await_state("CANCELLED")
    scene.ended_before = [["CANCELLED"]]
    scene.ask("cox", "requeue", scene.job, is_done=lambda: scene.state() != "CANCELLED")
    scene.await_ranks("begin", 2)
    scene.do("finish")


def is_held_and_released(scene):
    scene.submit("save", "--hold")
    scene.ask("cox", "release", scene.job)
    scene.await_ranks("begin")
    scene.ask("cox", "hold", scene.job)
    scene.ask("cox", "requeue", scene.job)
    scene.await_state("PENDING")
    scene.ask("cox", "release", scene.job)
    scene.await_ranks("begin", 2)
    scene.do("finish")


def is_suspended_and_resumed(scene):
    scene.submit("save")
    scene.await_ranks("begin")
    scene.ask("scontrol", "suspend", scene.job)
    scene.await_state("SUSPENDED")
    scene.ask("scontrol", "resume", scene.job)
    scene.await_state("RUNNING")
    scene.do("finish")


def loses_a_node(scene):
    scene.submit("save", "--no-requeue")
    scene.await_ranks("begin")
    scene.cluster.supervisor(scene.job, 1, "n1").kill(signal.SIGKILL)


COMPLETED = Outcome("COMPLETED", 0, 1, [])
RESUMED = Outcome("COMPLETED", 0, 2, [10])
CANCELLED = Outcome("CANCELLED", 0, 1, [])
# {case: (what the turn holds (controller/change/turn_words.h), what happens, how it ends)}
CASES = {
    "submit": ("Submitted", completes, COMPLETED),
    "allocation": ("Start", completes, COMPLETED),
    "running": ("GangReady", completes, COMPLETED),
    "completing": ("EndBegan", completes, COMPLETED),
    "completed": ("EndedCompleted", completes, COMPLETED),
    "checkpoint": ("checkpoint", saves, Outcome("COMPLETED", 0, 1, [5])),
    "failed": ("EndedFailed", fails, Outcome("FAILED", 3, 1, [])),
    "signaling": ("StopAsked", is_preempted_and_resumes, RESUMED),
    "requeue": ("Requeued", is_preempted_and_resumes, RESUMED),
    "preempted": ("EndedPreempted", is_preempted_for_good, Outcome("PREEMPTED", 0, 1, [10])),
    "cancel": ("EndedCancelled", is_cancelled, CANCELLED),
    "cancel-pending": ("EndedCancelled", is_cancelled_while_held, Outcome("CANCELLED", 0, 0, [])),
    "launch": ("LaunchUndone", starts_on_one_node_only, Outcome("COMPLETED", 0, 2, [])),
    "deadline": ("EndedDeadline", reaches_its_deadline, Outcome("DEADLINE", 0, 1, [])),
    "timeout": ("EndedTimeout", runs_out_of_time, Outcome("TIMEOUT", 0, 1, [])),
    "hold": ("hold", is_held_and_released, RESUMED),
    "release": ("release", is_held_and_released, RESUMED),
    "suspend": ("SuspendAsked", is_suspended_and_resumed, COMPLETED),
    "resume": ("ResumeAsked", is_suspended_and_resumed, COMPLETED),
    "requeue-ended": ("RequeuedAfterEnd", is_requeued_after_its_end,
                      Outcome("COMPLETED", 0, 2, [5])),
    "node-fail": ("EndedNodeFail", loses_a_node, Outcome("NODE_FAIL", 0, 1, [])),
}
# Transitions without a case. The turn of EndedOutOfMemory has the same changes as that of "failed",
# and the case would need a kernel that kills by cgroup.
NOT_HERE = {"EndedOutOfMemory"}


def test_f04_every_transition_of_a_jobs_state_is_tested():
    text = (ROOT / "common/job/job_state.h").read_text()
    table = re.search(r"to_array<Transition>\(\{(.*?)\}\);", text, re.DOTALL)[1]
    triggers = set(re.findall(r"\{\w+, (\w+), \w+\}", table))
    assert triggers == {at for at, *_ in CASES.values() if at[0].isupper()} - {"Submitted"} \
        | NOT_HERE


def crashes():
    """Returns the pairs of a case and a point to test: each case once, and each point with a third
    of the cases. The simulator kills controllers at these points, too. With --long, these are all
    pairs and, in addition, each case without a crash."""
    if os.environ.get("COX_LONG_TESTS"):
        return [(case, point) for case in CASES for point in (None, *POINTS)]
    return [(case, POINTS[number % len(POINTS)]) for number, case in enumerate(CASES)]


@pytest.mark.parametrize("case,point", crashes(), ids=lambda each: each or "undisturbed")
def test_f04_a_job_ends_the_same_if_the_controller_is_killed(cluster, folder, case, point):
    at, act, ends = CASES[case]
    scene = Scene(cluster, folder, point and f"{point}@{at}")
    try:
        act(scene)
        cluster.wait_for(lambda: not point or scene.back_at, "the controller to crash")
        assert scene.outcome() == ends
    finally:
        scene.end()
    assert point or scene.back_at is None, "the undisturbed controller crashed"
