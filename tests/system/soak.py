"""./dev soak --minutes N [--seed S]: random load and random faults on a real cluster for a long
time.

It works in rounds of load and faults. At the end of a round the faults stop, and every job must end
by itself. Then the history checker (history.py) judges the whole history, and no daemon may have
grown (soak_watch.py). The first round has no faults and is the warm-up. A failure prints the seed
and keeps the cluster's folder.
"""

import argparse
import random
import shutil
import sys
import tempfile
import time
from pathlib import Path

import history
from cluster import Cluster
from patience import LONG_DEADLINE_S
from soak_faults import DATABASE, Faults
from soak_load import Load
from soak_watch import leaks, measure, use_of

NODES, CPUS, PEOPLE = 4, 4, 3
WARM_UP_S, ROUND_S = 12, 120
PROGRESS_S = 5
# Short times, for a soak of minutes.
SETTINGS = {"heartbeat": "300ms", "node_timeout": "1500ms", "lease": "3s", "lease_grace": "2s",
            "lease_margin": "1s", "kill_wait": "1s", "launch_retry_max": "1s",
            "leader_lease": "2s", "min_job_age": "2s", "failures_to_avoid": 0,
            "failures_to_drain": 0}
GRACE_MS = 3000


class Broken(Exception):
    pass


class Soak:
    def __init__(self, minutes, seed, folder):
        self.seed, self.folder = seed, folder
        self.began = time.monotonic()
        self.until = self.began + minutes * 60
        self.cluster = Cluster(folder, nodes=NODES, cpus=CPUS, gpus=["h100:2"], lease_s=3,
                               settings=SETTINGS, controllers=2)
        # judged: the history of all jobs up to this id has been checked
        self.round, self.judged = 0, 0
        self.totals = {}
        self.faults_made = 0
        self.base = None

    def chance(self, what):
        """Returns a random stream of this name. It follows from the seed, and differs in every
        round."""
        return random.Random(f"{self.seed} {self.round} {what}")

    def say(self, text):
        at = int(time.monotonic() - self.began)
        print(f"{at // 60:3}:{at % 60:02} {text}", flush=True)

    def run(self):
        self.cluster.up()
        self.cluster.sql(f"UPDATE cox.qos SET grace_ms = {GRACE_MS}")
        self.one_round(WARM_UP_S, with_faults=False)
        while time.monotonic() < self.until or self.round < 2:
            self.one_round(min(ROUND_S, max(WARM_UP_S, self.until - time.monotonic())))
        history.check(self.cluster)
        self.say(f"the whole history of {self.totals['accepted']} jobs in {self.round} rounds is"
                 f" legal; {self.faults_made} faults; at rest {measure(self.cluster)}")

    # ---- a round ------------------------------------------------------------------------------

    def one_round(self, length_s, with_faults=True):
        self.round += 1
        faults = Faults(self.cluster, self.chance("faults"))
        load = Load(self.cluster, self.chance, PEOPLE)
        if with_faults:
            faults.begin()
        try:
            self.watch(load, faults, time.monotonic() + length_s)
        finally:
            load.over.set()
            faults.end()
            load.end()
        load.check_jobs_were_accepted()
        for what, count in load.counts.items():
            self.totals[what] = self.totals.get(what, 0) + count
        self.faults_made += faults.count
        self.come_to_rest(load, faults)
        history.check(self.cluster, after=self.judged)
        (newest,), = self.cluster.sql("SELECT coalesce(max(id), 0) FROM cox.job")
        self.say(f"round {self.round}: at rest; the history of jobs {self.judged + 1} to {newest}"
                 " is legal")
        self.judged = int(newest)
        self.look_for_leaks()

    def watch(self, load, faults, until):
        reported = 0
        while time.monotonic() < until and not faults.broken and not load.broken:
            self.count_live(load)
            self.look_for_crashes(faults)
            if time.monotonic() - reported >= PROGRESS_S:
                self.report_progress(load, faults)
                reported = time.monotonic()
            time.sleep(0.5)

    def count_live(self, load):
        try:
            rows = self.cluster.sql("SELECT id FROM cox.job WHERE ended_at IS NULL ORDER BY id")
        except AssertionError:  # PostgreSQL is away
            return False
        load.live = [int(job) for job, in rows]
        return True

    def look_for_crashes(self, faults):
        """Checks that every daemon runs, except those that a fault has stopped."""
        for name in (*self.cluster.controllers, *faults.nodes):
            if name in faults.whole and not self.cluster.runs(name) and name in faults.whole:
                raise Broken(f"{name} ended by itself\n{self.cluster.log_text(name)[-3000:]}")

    def report_progress(self, load, faults):
        uses = [f"{name} {use}" for name in self.cluster.controllers
                if (use := use_of(self.cluster.process(name)))]
        away = "" if DATABASE in faults.whole else " (PostgreSQL is away)"
        self.say(f"round {self.round}: {load.counts['accepted']} jobs, {len(load.live)} live{away};"
                 f" {load.counts['acts']} acts; {faults.count} faults, the last: {faults.last};"
                 f" {'; '.join(uses)}")

    # ---- the end of a round -------------------------------------------------------------------

    def come_to_rest(self, load, faults):
        began, reported = time.monotonic(), 0
        self.cluster.wait_for(lambda: set(self.cluster.responding()) == set(faults.nodes),
                              "all nodes to respond", LONG_DEADLINE_S)
        while not self.count_live(load) or load.live:
            load.release_all()
            if time.monotonic() - began > LONG_DEADLINE_S:
                raise Broken(f"jobs {load.live} have not ended after {LONG_DEADLINE_S:g} s"
                             f" without faults\n{self.cluster.logs(30)}")
            if time.monotonic() - reported >= PROGRESS_S:
                self.say(f"round {self.round}: no more faults; {len(load.live)} jobs left")
                reported = time.monotonic()
            time.sleep(0.5)
        self.cluster.wait_for(lambda: not self.cluster.own_processes(), "processes of jobs to end")
        for name in self.cluster.controllers:
            self.cluster.wait_for(lambda its=name: self.cluster.runs(its), f"{name} to run")

    def look_for_leaks(self):
        if self.base is None:
            self.base = measure(self.cluster)
            self.say(f"after the warm-up: {self.base}")
            return
        found = []

        def given_back():
            found[:] = leaks(self.base, measure(self.cluster))
            return not found
        try:
            self.cluster.wait_for(given_back, "the daemons to release resources")
        except AssertionError:
            raise Broken("\n".join(["leaks:", *found])) from None
        self.say(f"round {self.round}: nothing has leaked")


def main():
    parser = argparse.ArgumentParser(prog="./dev soak", description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--minutes", type=float, required=True, help="of load and faults")
    parser.add_argument("--seed", type=int, default=random.SystemRandom().randrange(10 ** 6))
    options = parser.parse_args()
    again = f"./dev soak --minutes {options.minutes:g} --seed {options.seed}"
    print(f"soak: seed {options.seed}; to repeat it: {again}", flush=True)
    folder = Path(tempfile.mkdtemp(prefix="cox-soak-"))
    folder.chmod(0o755)
    soak = Soak(options.minutes, options.seed, folder)
    try:
        soak.run()
    except (Exception, KeyboardInterrupt) as error:
        soak.cluster.down()
        print(f"soak: FAILED: {type(error).__name__}: {error}\nfolder: {folder}\n"
              f"to repeat it: {again}", flush=True)
        return 1
    soak.cluster.down()
    shutil.rmtree(folder)
    print(f"soak: passed: {soak.totals}", flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())
