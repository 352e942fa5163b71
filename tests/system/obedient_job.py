"""A job of programs/obedient.py, which a test controls by files in its folder."""

import json
from pathlib import Path

GANG = ["-N2", "-n2"]


class ObedientJob:
    """A job of programs/obedient.py in a folder of its own."""

    def __init__(self, cluster, folder, on_stop, *options, gang=GANG):
        self.cluster = cluster
        self.folder = Path(folder)
        self.folder.mkdir(exist_ok=True)
        self.folder.chmod(0o777)
        self.ranks = 1 if "-n1" in gang else 2
        self.id = cluster.submit_python("obedient.py", [*gang, "-D", str(self.folder), *options],
                                        on_stop)

    @classmethod
    def begun(cls, *args, **options):
        """Submits the job and waits until its first attempt has begun."""
        job = cls(*args, **options)
        job.wait_for_file("begin", 1)
        return job

    def read(self, name, attempt, rank):
        return json.loads((self.folder / f"{name}.{attempt}.{rank}").read_text())

    def wait_for_file(self, name, attempt):
        """Waits until each rank has written this file. Returns what they wrote."""
        files = [self.folder / f"{name}.{attempt}.{rank}" for rank in range(self.ranks)]
        self.cluster.wait_for(lambda: all(file.exists() for file in files),
                              f"file {name} of attempt {attempt}")
        return [self.read(name, attempt, rank) for rank in range(self.ranks)]

    def do(self, word):
        (self.folder / word).touch()

    def undo(self, word):
        (self.folder / word).unlink()

    def save(self, step):
        """Makes the ranks save a step without being asked to stop, and waits for its commit."""
        self.do(f"save-{step}")
        self.cluster.wait_for(lambda: step in self.checkpoints(),
                              f"step {step} to be committed")
        self.undo(f"save-{step}")

    def checkpoints(self):
        """Returns the state of each checkpoint, by step."""
        rows = self.cluster.sql(f"SELECT step, state FROM cox.checkpoints WHERE job_id = {self.id}")
        return {int(step): state for step, state in rows}

    def file_of(self, attempt, step, rank):
        root = Path(self.cluster.job(self.id)["job_checkpoint_dir"])
        return root / f"attempt-{attempt}" / f"step-{step}" / f"rank-{rank}" / "state"

    def resumed_from(self, attempt):
        rows = self.cluster.sql("SELECT resume_attempt, resume_step FROM cox.attempt WHERE"
                                f" job_id = {self.id} AND attempt = {attempt}")
        return tuple(int(value) if value else None for value in rows[0])

    def whys(self):
        return [event["why"] for event in self.cluster.history(self.id)]

    def wait_held(self, why):
        """Waits until the controller holds the job for a reason that has this text."""
        held = f"SELECT held_why FROM cox.job WHERE id = {self.id} AND held"
        self.cluster.wait_for(lambda: [row for row in self.cluster.sql(held) if why in row[0]],
                              f"the job to be held: {why}")
        assert why in self.cluster.cox("why", self.id).stdout

    def finish(self):
        self.do("finish")
        self.cluster.wait_state(self.id, "COMPLETED")


def preempt(job):
    """Holds the job, preempts it, and waits until it is PENDING or COMPLETED."""
    job.cluster.cox("hold", job.id)
    job.cluster.cox("preempt", job.id)
    job.cluster.wait_state(job.id, "PENDING", "COMPLETED")
