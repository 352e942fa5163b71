"""Jobs of programs/counter.py: the traces of their ranks, and checks of these traces."""

from collections import namedtuple

Line = namedtuple("Line", "attempt rank what at pid")


class CounterJob:
    """One submitted job whose ranks count training steps. A test that acts on a running job with
    few steps lets its ranks pause, so that the job does not end before."""

    def __init__(self, cluster, folder, *options, steps=None, save_every=0, step_time=0.05,
                 ignore=False, pause_at=None, submit=True):
        self.cluster, self.folder = cluster, folder
        self.options = ["-D", folder, "--checkpoint-signal=USR1", *options]
        self.words = [folder, "--step-time", step_time, "--save-every", save_every]
        self.words += ["--steps", steps] if steps else []
        self.words += ["--ignore"] if ignore else []
        self.words += ["--pause-at", pause_at] if pause_at else []
        if submit:
            self.id = cluster.submit_python("counter.py", self.options, *self.words)

    def trace(self):
        file = self.folder / f"trace.{self.id}"
        if not file.exists():
            return []
        # A rank may be writing the last line.
        whole, _, _ = file.read_text().rpartition("\n")
        words = [text.split() for text in whole.splitlines()]
        return [Line(int(attempt), int(rank), what, float(at), int(pid))
                for attempt, rank, what, at, pid in words]

    def steps(self, rank=0, attempt=None):
        return [int(line.what) for line in self.trace() if line.rank == rank
                and line.what.isdigit() and attempt in (None, line.attempt)]

    def pids(self, attempt):
        """Returns the pid of each rank, by rank."""
        return {line.rank: line.pid for line in self.trace() if line.attempt == attempt}

    def await_steps(self, count, attempt=None, ranks=1):
        """Waits until each rank has done this many more training steps."""
        before = [len(self.steps(rank, attempt)) for rank in range(ranks)]
        self.cluster.wait_for(
            lambda: all(len(self.steps(rank, attempt)) >= before[rank] + count
                        for rank in range(ranks)),
            f"{count} more steps of job {self.id} attempt {attempt or 'any'}")

    def await_total_steps(self, count, ranks=1):
        """Waits until each rank has done so many steps since the job began. Unlike await_steps(),
        it also returns if the ranks have paused."""
        self.cluster.wait_for(lambda: all(len(self.steps(rank)) >= count for rank in range(ranks)),
                              f"{count} steps of job {self.id}")

    def await_state(self, *states):
        return self.cluster.wait_state(self.id, *states)

    def await_attempt(self, number):
        """Waits until the ranks of this attempt work."""
        self.await_steps(1, attempt=number)

    def whys(self):
        return [event["why"] for event in self.cluster.history(self.id)]

    def go_on(self, attempt=1):
        """Lets paused ranks go on, after this attempt has begun."""
        self.cluster.wait_for(lambda: self.pids(attempt), f"attempt {attempt} to begin")
        (self.folder / f"go.{self.id}").touch()

    def check(self):
        """Checks that each rank of each attempt was one process, that no two attempts overlapped,
        and that each attempt resumed from the newest committed checkpoint and repeated none of its
        steps."""
        trace = self.trace()
        numbers = sorted({line.attempt for line in trace})
        for number in numbers:
            begun = [line.rank for line in trace if line.attempt == number and line.what == "begin"]
            assert len(begun) == len(set(begun)), f"ranks of attempt {number} began twice: {begun}"
        for before, after in zip(numbers, numbers[1:]):
            last = max(line.at for line in trace if line.attempt == before)
            first = min(line.at for line in trace if line.attempt == after)
            assert last < first, f"attempts {before} and {after} of job {self.id} overlapped"
        for number, start in self.resumes_checked():
            for rank in {line.rank for line in trace if line.attempt == number}:
                steps = self.steps(rank, number)
                assert steps == list(range(start + 1, start + 1 + len(steps))), \
                    f"attempt {number} rank {rank} from step {start} did {steps}"

    def resumes_checked(self):
        """Returns (attempt, the step from which it resumed) for each attempt. Checks that this was
        the newest step committed when it began."""
        rows = self.cluster.sql(
            f"SELECT attempt, coalesce(resume_step, 0), coalesce((SELECT max(step)"
            f" FROM cox.checkpoint c WHERE c.job_id = a.job_id AND c.committed_at <= a.began_at"
            f" AND NOT c.damaged), 0)"
            f" FROM cox.attempt a WHERE job_id = {self.id} ORDER BY attempt")
        for number, resumed, committed in rows:
            assert resumed == committed, \
                f"attempt {number} resumed from step {resumed}, but {committed} was committed"
        return [(int(number), int(resumed)) for number, resumed, _ in rows]

    def check_ran_once(self, ranks, steps):
        """Checks that the job ran from beginning to end in one attempt: no rank was started
        twice."""
        self.check()
        for rank in range(ranks):
            whats = [line.what for line in self.trace() if line.rank == rank]
            assert whats == ["begin", *map(str, range(1, steps + 1)), "end"]
