"""The soak's load: jobs of all kinds, submitted, cancelled, held, requeued and suspended at random.

Every choice comes from the seed; the times at which choices are made come from the machine.
"""

import subprocess
import threading

from cluster import PROGRAMS, PYTHON
from patience import DEADLINE_S

LIVE_MAX = 24          # no job is submitted while so many jobs were live at the last count
PAUSE_S = (0.05, 0.6)  # range of the time between two acts of a user
SRUN = """#!/bin/sh
./srun -n2 true
./srun -n1 sleep 0.2
"""


class Load:
    """Threads that stand for users of the cluster. live: the ids of jobs that have not ended; the
    soak replaces it by a newer list now and then."""

    def __init__(self, cluster, random, people):
        self.cluster, self.live = cluster, []
        self.over = threading.Event()
        self.broken = None  # the exception that ended a thread
        self.counts = {"accepted": 0, "refused": 0, "acts": 0, "unanswered": 0}
        self.lock = threading.Lock()
        self.prepare()
        self.threads = [threading.Thread(target=self.go_on, args=(random(f"person {number}"),))
                        for number in range(people)]
        for thread in self.threads:
            thread.start()

    def prepare(self):
        work = self.cluster.work
        if not (work / "srun").is_symlink():
            (work / "srun").symlink_to(self.cluster.bin / "cox")
            (work / "steps.sh").write_text(SRUN)

    def end(self):
        """Stops submissions and waits for the threads. Raises what went wrong in one of them."""
        self.over.set()
        for thread in self.threads:
            thread.join()
        if self.broken:
            raise self.broken

    def check_jobs_were_accepted(self):
        """Checks that jobs were accepted. Called after end()."""
        assert self.counts["accepted"] > 0, f"no job was accepted: {self.counts}"

    def go_on(self, chance):
        try:
            while not self.over.wait(chance.uniform(*PAUSE_S)):
                live = self.live
                if chance.random() < 0.25 and live:
                    self.act(chance, live)
                elif len(live) < LIVE_MAX:
                    self.submit(chance)
        except Exception as error:  # end() raises it in the main thread
            self.broken = error

    def count(self, what):
        with self.lock:
            self.counts[what] += 1

    def cox(self, *words):
        """Returns the finished command, or None if it did not answer in time."""
        try:
            return self.cluster.cox(*words, check=False, timeout_s=DEADLINE_S)
        except subprocess.TimeoutExpired:
            self.count("unanswered")
            return None

    # ---- jobs ---------------------------------------------------------------------------------

    def submit(self, chance):
        kinds = {self.short: 25, self.plain: 15, self.failing: 3, self.array: 10, self.gang: 15,
                 self.long: 10, self.urgent: 8, self.besteffort: 8, self.gpu: 5, self.steps: 5,
                 self.held: 3}
        make, = chance.choices(list(kinds), kinds.values())
        done = self.cox("submit", "--parsable", *make(chance))
        if done is None:
            return
        if done.returncode == 0:
            with self.lock:
                self.cluster.accepted.add(int(done.stdout))
        self.count("refused" if done.returncode else "accepted")

    def counter(self, chance, options, steps, save_every=0):
        """Returns the words of a job whose ranks trace each step, for the history checker."""
        return ["--checkpoint-signal=USR1", *options, "--", PYTHON, PROGRAMS / "counter.py",
                self.cluster.work, "--steps", chance.randint(*steps), "--step-time", "0.05",
                "--save-every", save_every]

    def short(self, chance):
        return self.counter(chance, ["-n1"], (1, 10))

    def plain(self, _):
        return ["-n1", "--mem=50", "--", "true"]

    def failing(self, _):
        return ["-n1", "--", "sh", "-c", "exit 3"]

    def array(self, chance):
        return self.counter(chance, ["-n1", f"--array=0-{chance.randint(1, 6)}%3"], (1, 6))

    def gang(self, chance):
        nodes = chance.randint(2, 4)
        ranks = nodes * chance.randint(1, 2)
        return self.counter(chance, [f"-N{nodes}", f"-n{ranks}"], (10, 50),
                            chance.choice((0, 5, 10)))

    def long(self, chance):
        return self.counter(chance, ["-n2"], (40, 100), 10)

    def urgent(self, chance):
        return self.counter(chance, ["--qos=critical", "-N3", "-n6"], (5, 20))

    def besteffort(self, chance):
        return self.counter(chance, ["--qos=besteffort", "-N2", "-n4"], (20, 60), 10)

    def gpu(self, chance):
        return self.counter(chance, ["-n1", "--gres=gpu:1"], (5, 20), 5)

    def steps(self, _):
        return ["-n2", self.cluster.work / "steps.sh"]

    def held(self, chance):
        return ["--hold", *self.short(chance)]

    # ---- acts on jobs -------------------------------------------------------------------------

    def act(self, chance, live):
        job = chance.choice(live)
        words = chance.choice((["cancel", job], ["requeue", job], ["preempt", job], ["hold", job],
                               ["release", job], ["release", job], ["suspend", job],
                               ["resume", job], ["resume", job]))
        self.count("acts")
        if words[0] in ("suspend", "resume"):
            self.scontrol(*words)
        else:
            self.cox(*words)

    def scontrol(self, *words):
        try:
            self.cluster.slurm("scontrol", *words)
        except subprocess.TimeoutExpired:
            self.count("unanswered")

    def release_all(self):
        """Releases held jobs and resumes suspended ones (which are held too), so that all jobs can
        end by themselves."""
        for job, in self.cluster.sql("SELECT id FROM cox.job WHERE ended_at IS NULL AND held"):
            self.cox("release", job)
            self.scontrol("resume", job)
