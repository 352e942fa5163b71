"""F24: scancel races with launch, completion and requeue, on real processes. A thousand such races
run on the controller's code without other processes, in tests/controller/cancel_races_test.cpp."""

import random
import time
from concurrent.futures import ThreadPoolExecutor

CLUSTER = {"nodes": 2, "cpus": 16, "settings": {"kill_wait": "1s", "launch_retry_max": "1s"}}
RACES, AT_ONCE = 48, 6
DELAY_MAX_S = 0.6  # the longest delay of the cancel; most jobs that are not cancelled end sooner
SEED = 20261123


class Race:
    def __init__(self, cluster, folder, number, seed):
        self.cluster, self.number, self.draw = cluster, number, random.Random(f"{seed}/{number}")
        self.file = folder / f"began.{number}"
        self.options = ["-N2", "-n2"] if self.draw.random() < 0.5 else ["-N1", "-n1"]
        self.options += ["-D", folder, "-o", "/dev/null", "--", "sh", "-c",
                         f"date +%s.%N >> {self.file}; sleep {self.duration_s():.2f}"]

    def duration_s(self):
        """Returns the job's duration in seconds. One job in five lasts longer than the slowest
        cancel, and the first always completes, even on a slow machine."""
        if self.number == 0:
            return 0
        return self.draw.uniform(0, 0.3) if self.draw.random() < 0.8 else 60

    def run(self):
        self.job = self.cluster.submit(*self.options)
        if self.draw.random() < 0.4:
            time.sleep(self.draw.uniform(0, DELAY_MAX_S / 2))
            self.cluster.cox("requeue", self.job, check=False)  # the job may have ended
        time.sleep(self.draw.uniform(0, DELAY_MAX_S / 2))
        if self.number == 0:
            self.cluster.wait_state(self.job, "COMPLETED")
        self.cluster.cox("cancel", self.job)
        (self.attempt,), = self.cluster.sql(
            f"SELECT attempt FROM cox.job WHERE id = {self.job}")
        return self

    def check(self):
        state = self.cluster.wait_state(self.job, "CANCELLED", "COMPLETED")
        assert self.cluster.sql(f"SELECT attempt FROM cox.job WHERE id = {self.job}") == [
            [self.attempt]], f"job {self.job} was launched again after it was cancelled"
        self.begun_before_its_end = self.begun()
        return state

    def begun(self):
        return self.file.read_text().split() if self.file.exists() else []


def test_f24_a_cancelled_job_ends_and_never_runs_again(cluster, folder):
    print(f"seed {SEED}")
    races = [Race(cluster, folder, number, SEED) for number in range(RACES)]
    with ThreadPoolExecutor(AT_ONCE) as people:
        done = list(people.map(Race.run, races))
    ends = [race.check() for race in done]
    assert {"CANCELLED", "COMPLETED"} == set(ends), "the races had only one kind of end"
    cluster.wait_for(lambda: not cluster.own_processes(), "all processes to end")
    assert all(race.begun() == race.begun_before_its_end for race in races), "a job ran again"
