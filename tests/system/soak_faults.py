"""The soak's faults: random faults of real processes, each mended after a while.

A fault takes its victim out of `whole`, and the mend puts it back: a member of `whole` must run.
"""

import heapq
import signal
import threading
import time

from patience import DEADLINE_S

PAUSE_S = (0.5, 4.0)      # between two faults
SHORT_S = (0.1, 3.0)      # range of the time until a fault is mended, for most faults
PAST_THE_LEASE_S = 16.0   # longer than the controller and supervisors wait for a silent node
PAST_THE_LEASE = 0.06     # the share of faults of workers that last PAST_THE_LEASE_S
DATABASE = "PostgreSQL"


class Faults:
    def __init__(self, cluster, chance):
        self.cluster, self.chance = cluster, chance
        self.nodes = [f"n{number}" for number in range(1, cluster.nodes + 1)]
        self.whole = {*self.nodes, *cluster.controllers, DATABASE}
        self.count, self.last = 0, "none"
        # Heap of faults to mend: (time, number of the fault, victim, function that mends it).
        self.mends = []
        self.broken = None  # the exception that ended the thread
        self.over = threading.Event()
        self.thread = threading.Thread(target=self.go_on)

    def begin(self):
        self.thread.start()
        return self

    def end(self):
        """Stops making faults and mends all of them. Raises what went wrong in the thread."""
        self.over.set()
        if self.thread.is_alive():
            self.thread.join()
        while self.mends:
            self.mend_next()
        if self.broken:
            raise self.broken

    def go_on(self):
        try:
            next_fault = time.monotonic()
            while not self.over.wait(0.05):
                now = time.monotonic()
                if self.mends and self.mends[0][0] <= now:
                    self.mend_next()
                elif now >= next_fault:
                    self.make_fault()
                    next_fault = time.monotonic() + self.chance.uniform(*PAUSE_S)
        except Exception as error:  # end() raises it in the main thread
            self.broken = error

    def mend_next(self):
        _, _, victim, how = heapq.heappop(self.mends)
        how()
        self.whole.add(victim)

    def schedule_mend(self, victim, how, after_s):
        heapq.heappush(self.mends, (time.monotonic() + after_s, self.count, victim, how))

    # ---- kinds --------------------------------------------------------------------------------

    def make_fault(self):
        kinds = {self.kill_worker: 5, self.pause_worker: 4, self.kill_controller: 4,
                 self.stop_controller: 2, self.pause_controller: 3, self.restart_database: 3,
                 self.kill_database: 2, self.kill_supervisor: 3, self.kill_rank: 2}
        kind, = self.chance.choices(list(kinds), kinds.values())
        victim = kind()
        if victim:
            self.count += 1
            self.last = f"{kind.__name__} {victim}".replace("_", " ")

    def take_victim(self, victims):
        """Takes a random victim out of `whole` and returns it, or None if none of them is whole."""
        there = sorted(self.whole & set(victims))
        victim = self.chance.choice(there) if there else None
        self.whole.discard(victim)
        return victim

    def away_s(self):
        long = self.chance.random() < PAST_THE_LEASE
        return PAST_THE_LEASE_S if long else self.chance.uniform(*SHORT_S)

    def end_daemon(self, victims, number):
        victim = self.take_victim(victims)
        if victim:
            self.cluster.kill(victim, number)
            self.schedule_mend(victim, lambda: self.cluster.start(victim), self.away_s())
        return victim

    def pause_daemon(self, victims):
        victim = self.take_victim(victims)
        if victim:
            self.cluster.kill(victim, signal.SIGSTOP)
            self.schedule_mend(victim, lambda: self.cluster.kill(victim, signal.SIGCONT),
                               self.away_s())
        return victim

    def kill_worker(self):
        return self.end_daemon(self.nodes, signal.SIGKILL)

    def pause_worker(self):
        return self.pause_daemon(self.nodes)

    def kill_controller(self):
        return self.end_daemon(self.cluster.controllers, signal.SIGKILL)

    def stop_controller(self):
        return self.end_daemon(self.cluster.controllers, signal.SIGTERM)

    def pause_controller(self):
        return self.pause_daemon(self.cluster.controllers)

    def restart_database(self):
        victim = self.take_victim([DATABASE])
        if victim:
            self.cluster.pg_ctl("restart", "-m", self.chance.choice(("fast", "immediate")))
            self.whole.add(victim)
        return victim

    def kill_database(self):
        victim = self.take_victim([DATABASE])
        if victim:
            self.cluster.postgres_process().kill(signal.SIGKILL)
            self.schedule_mend(victim, self.start_database, self.chance.uniform(*SHORT_S))
        return victim

    def start_database(self):
        """Starts PostgreSQL. Tries again while backends of the killed server still hold its shared
        memory."""
        end = time.monotonic() + DEADLINE_S
        while time.monotonic() < end:
            try:
                return self.cluster.pg_ctl("start")
            except Exception:
                time.sleep(0.2)
        return self.cluster.pg_ctl("start")

    def kill_supervisor(self):
        files = sorted(self.cluster.dir.glob("spool/n*/*.*/identity"))
        if not files:
            return None
        attempt = self.chance.choice(files).parent
        job, number = attempt.name.split(".")
        found = self.cluster.supervisor(int(job), int(number), attempt.parent.name)
        if found is None or not found.is_alive():
            return None
        found.kill(signal.SIGKILL)
        return f"of {attempt.name} on {attempt.parent.name}"

    def kill_rank(self):
        ranks = sorted(self.cluster.own_processes(), key=lambda process: process.pid)
        if not ranks:
            return None
        rank = self.chance.choice(ranks)
        rank.kill(signal.SIGKILL)
        return f"of process {rank.pid}"
