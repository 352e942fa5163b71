"""Programs that poll a job until it has ended: between attempts they never see a final state."""

import re
import threading

CLUSTER = {"nodes": 1, "cpus": 2, "settings": {"kill_wait": "1s"}}
FINAL = {"COMPLETED", "FAILED", "CANCELLED", "TIMEOUT", "PREEMPTED", "NODE_FAIL", "BOOT_FAIL",
         "DEADLINE", "OUT_OF_MEMORY", "REVOKED", "SPECIAL_EXIT"}
REQUEUES = 3
SQL = ("SELECT state FROM cox.queue WHERE id = {0}"
       " UNION SELECT state FROM cox.history WHERE id = {0}")


def ways_to_poll(cluster, job):
    """Returns, by name, functions that return the texts in which a poller reads the job's state."""
    number = str(job)
    ways = {
        "squeue": lambda: cluster.slurm("squeue", "-h", "-j", number, "-t", "all", "-o", "%T"),
        "sacct": lambda: cluster.slurm("sacct", "-n", "-P", "-X", "-j", number, "-o", "State"),
        "scontrol": lambda: cluster.slurm("scontrol", "-o", "show", "job", number),
        "cox queue": lambda: cluster.cox("queue", "--all", number),
        "cox show job": lambda: cluster.cox("show", "job", number, "--json"),
    }
    texts = {name: lambda run=run: run().stdout for name, run in ways.items()}
    texts["SQL"] = lambda: str(cluster.sql(SQL.format(number)))
    return texts


def state_in(name, text):
    """Returns the states that the text of this command shows for the job."""
    if name == "scontrol":
        return set(re.findall(r"JobState=(\w+)", text))
    return set(re.findall(r"\b[A-Z][A-Z_]{5,}\b", text)) & (FINAL | {"PENDING", "RUNNING"})


class Pollers:
    """Threads that poll in all ways at once until they are stopped."""

    def __init__(self, ways):
        self.seen = {name: set() for name in ways}
        self.rounds = dict.fromkeys(ways, 0)
        self.end = threading.Event()
        self.threads = [threading.Thread(target=self.poll, args=way) for way in ways.items()]

    def __enter__(self):
        for thread in self.threads:
            thread.start()
        return self

    def __exit__(self, *_):
        self.end.set()
        for thread in self.threads:
            thread.join()

    def poll(self, name, read):
        while not self.end.is_set():
            self.seen[name] |= state_in(name, read())
            self.rounds[name] += 1

    def one_more_round(self, cluster):
        before = dict(self.rounds)
        cluster.wait_for(lambda: all(self.rounds[name] > before[name] + 1 for name in before),
                         "every poller to look again")


def test_between_two_attempts_no_command_shows_a_final_state(cluster):
    job = cluster.submit("-n2", "--qos=besteffort", "--requeue", "--", "sleep", "1000")
    cluster.wait_state(job, "RUNNING")
    with Pollers(ways_to_poll(cluster, job)) as pollers:
        pollers.one_more_round(cluster)
        for attempt in range(2, REQUEUES + 2):
            cluster.cox("requeue", job)
            cluster.wait_for(lambda wanted=attempt: cluster.attempt(job) == wanted
                             and cluster.state(job) == "RUNNING", "the next attempt")
            pollers.one_more_round(cluster)
        urgent = cluster.submit("-n2", "--qos=critical", "--", "sleep", "1000")
        cluster.wait_state(urgent, "RUNNING")
        cluster.wait_state(job, "PENDING")
        pollers.one_more_round(cluster)
        cluster.cox("cancel", urgent)
        cluster.wait_state(job, "RUNNING")
        pollers.one_more_round(cluster)
    for name, seen in pollers.seen.items():
        assert not seen & FINAL, f"{name} showed {seen & FINAL}"
        assert {"PENDING", "RUNNING"} <= seen, f"{name} saw only {seen}"
