"""Stores checkpoints: with the scheduler, or without one into a folder of this machine.

Both have the same four steps: `open` makes the folder that a task fills, `complete` gives it its
final name, `report` says that this task has saved the step, and `discard` forgets it.
"""

import contextlib
import fcntl
import os
import shutil
import subprocess
import sys
import time
from pathlib import Path

from coxswain import layout

AWAY_MAX_S = 60  # how long a job waits for its folder, as `cox checkpoint done` does
AWAY_AGAIN_S = 0.2
KEPT = 2  # how many complete steps stay in a local folder; the scheduler keeps as many


class CheckpointError(RuntimeError):
    """The supervisor did not accept a checkpoint, or another process saves the same one."""


def flush(path):
    """Flushes a file, or the names in a folder, to the disk."""
    descriptor = os.open(path, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


def flush_all(path):
    """Flushes all files and folders below a folder to the disk."""
    if path.is_dir() and not path.is_symlink():
        for entry in path.iterdir():
            flush_all(entry)
    flush(path)


@contextlib.contextmanager
def locked(folder):
    """Holds the lock on a folder. Raises CheckpointError if another process holds it."""
    descriptor = os.open(folder, os.O_RDONLY | os.O_DIRECTORY)
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        os.close(descriptor)
        raise CheckpointError(
            f"another process saves into {folder} now, so two processes take themselves for the "
            "same rank: start each rank as a task (`cox submit -n2`, `srun -n2`) or by torchrun"
        ) from None
    except OSError:
        pass  # a file system without locks shows nothing
    try:
        yield
    finally:
        # A process that was forked meanwhile has the descriptor too: closing it is not enough.
        with contextlib.suppress(OSError):
            fcntl.flock(descriptor, fcntl.LOCK_UN)
        os.close(descriptor)


@contextlib.contextmanager
def alone_in(part, final_name):
    """Lets one process at a time save a part, also while the part has its final name and is being
    reported. The lock of a process that was killed is gone, so its part is taken over."""
    with locked(part):
        final = part.with_name(final_name)
        if final.is_dir():
            with locked(final):
                pass
        yield


class Store:
    """The base of both stores: a folder with one folder for each step."""

    def __init__(self, folder):
        self.folder = folder

    def open(self, step, task):
        part = self.folder / layout.step_name(step) / layout.part_name(task)
        part.parent.mkdir(exist_ok=True)
        part.mkdir(exist_ok=True)
        return part

    def reach(self):
        """Returns when the folder is there. A folder of this machine is not waited for."""

    def complete(self, step, task):
        """Gives a complete part its final name. Removes the folder of a task that saved nothing."""
        part = self.folder / layout.step_name(step) / layout.part_name(task)
        if not any(part.iterdir()):
            part.rmdir()
            return
        self.flush_part(part)
        final = part.with_name(layout.rank_name(task))
        # Left by an earlier save of this step that was not reported.
        shutil.rmtree(final, ignore_errors=True)
        part.rename(final)

    def discard(self, step, task):
        part = self.folder / layout.step_name(step) / layout.part_name(task)
        shutil.rmtree(part, ignore_errors=True)


class JobStore(Store):
    """The checkpoints of a job: the scheduler keeps and verifies them, and passes them to the next
    attempt."""

    def __init__(self, environment):
        super().__init__(Path(environment["COX_CHECKPOINT_DIR"]))
        given = environment.get("COX_RESUME_FROM")
        self.resume_from = Path(given) if given else None

    def parts(self):
        return layout.parts_of(self.resume_from)

    def reach(self):
        """Waits for the folder of this attempt, which the supervisor has made. It is not made here:
        while the shared storage is away, that would be on this machine's own disk."""
        give_up = time.monotonic() + AWAY_MAX_S
        while not os.path.isdir(self.folder):
            if time.monotonic() >= give_up:
                raise CheckpointError(f"the checkpoint folder {self.folder} is away (waited "
                                      f"{AWAY_MAX_S} s): is the shared storage mounted here?")
            time.sleep(AWAY_AGAIN_S)

    def open(self, step, task):
        self.reach()
        if self.is_sealed(self.folder / layout.step_name(step), task):
            raise CheckpointError(
                f"step {step} was saved already in this attempt, probably by a process before this "
                "one: a training that is started again within an attempt does not resume. End the "
                f"attempt with exit code 75 instead: the next one resumes from step {step}")
        return super().open(step, task)

    @staticmethod
    def is_sealed(step_folder, task):
        """Returns whether the supervisor has taken what this task saved, so that no file of it may
        change any more."""
        return (step_folder / layout.manifest_name(task)).exists()

    def warn_of_saves_before(self, task):
        """Says so if an earlier process of this task has saved steps in this attempt."""
        steps = layout.numbered(self.folder, layout.STEP)
        sealed = [step for step, folder in steps.items() if self.is_sealed(folder, task)]
        if sealed:
            print(f"coxswain: step {max(sealed)} was saved in this attempt before this process "
                  "started. It does not resume from it: a job resumes in its next attempt",
                  file=sys.stderr, flush=True)

    def complete(self, step, task):
        self.reach()
        super().complete(step, task)

    def flush_part(self, part):
        """Does nothing: the supervisor flushes the files before it answers a report."""

    def report(self, step, place):
        self._tell(f"step {step}", "done", "--step", str(step))

    def finish(self):
        self._tell("the end of the work", "finished")

    @staticmethod
    def _tell(what, *words):
        words = ["cox", "checkpoint", *words]
        try:
            done = subprocess.run(words, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
                                  stderr=subprocess.PIPE, text=True, errors="replace", check=False)
        except OSError as failure:
            raise CheckpointError(f"{what} is not reported: {' '.join(words)}: {failure}")
        if done.returncode != 0:
            raise CheckpointError(f"{what} is not reported: {done.stderr.strip()}")


class LocalStore(Store):
    """Stores checkpoints without a scheduler. A rank that has saved a step leaves a marker with the
    number of ranks. The step is complete when all of these ranks have left their markers."""

    def __init__(self, folder):
        super().__init__(Path(folder))
        complete = self.complete_steps()
        self.newest = max(complete, default=-1)
        self.resume_from = complete.get(self.newest)

    def begin(self):
        """Removes incomplete steps of earlier runs, which must not mix with the same steps of this
        run. Runs on rank 0 before the other ranks save."""
        self.remove_incomplete(lambda step: step > self.newest)
        if self.resume_from:
            print(f"coxswain: no scheduler here; resumes after step {self.newest} from "
                  f"{self.resume_from} (to begin anew, remove {self.folder})",
                  file=sys.stderr, flush=True)

    def parts(self):
        """Returns the parts of the ranks that left a marker. An earlier, larger run may have left
        other parts."""
        markers = layout.numbered(self.resume_from, layout.MARKER)
        parts = layout.parts_of(self.resume_from)
        return {rank: part for rank, part in parts.items() if rank in markers}

    def steps(self):
        return layout.numbered(self.folder, layout.STEP)

    def complete_steps(self):
        """Returns {step: folder}."""
        return {step: folder for step, folder in self.steps().items() if is_complete(folder)}

    def remove_incomplete(self, is_meant):
        for step, folder in self.steps().items():
            if is_meant(step) and not is_complete(folder) and layout.is_ours(folder):
                remove_step(folder)

    def open(self, step, task):
        self.folder.mkdir(parents=True, exist_ok=True)
        return super().open(step, task)

    def finish(self):
        """Does nothing: nobody asks."""

    def flush_part(self, part):
        flush_all(part)

    def complete(self, step, task):
        """Creates the unfinished marker first: if a kill prevents the marker, the step is still
        known as ours."""
        (self.folder / layout.step_name(step) / layout.marker_part_name(task)).touch()
        super().complete(step, task)

    def report(self, step, place):
        folder = self.folder / layout.step_name(step)
        part = folder / layout.marker_part_name(place.rank)
        part.write_text(f"{place.world_size}\n")
        flush(part)
        part.rename(folder / layout.marker_name(place.rank))
        flush(folder)
        flush(self.folder)
        if place.rank == 0:
            self.prune()

    def prune(self):
        complete = self.complete_steps()
        kept = sorted(complete)[-KEPT:]
        for step in set(complete) - set(kept):
            remove_step(complete[step])
        self.remove_incomplete(lambda step: bool(kept) and step < kept[0])


def is_complete(step_folder):
    """Returns whether each rank of the run that saved this step has left its marker. A marker that
    cannot be read raises OSError: the step may be complete, so it must not be removed."""
    markers = layout.numbered(step_folder, layout.MARKER)
    try:
        sizes = {int(marker.read_text()) for marker in markers.values()}
    except ValueError:
        return False
    return len(sizes) == 1 and set(markers) == set(range(sizes.pop()))


def remove_step(step_folder):
    """Renames the markers first, so that a half removed step is incomplete, and removes them last,
    so that a later call still knows the step as ours. Leaves all other files, since other programs
    may use a folder `checkpoints` too."""
    for rank, marker in layout.numbered(step_folder, layout.MARKER).items():
        marker.rename(marker.with_name(layout.marker_part_name(rank)))
    entries = sorted(step_folder.iterdir(), key=lambda entry: not entry.is_dir())
    for entry in entries:
        if entry.is_dir() and layout.is_name_of_ours(entry.name):
            shutil.rmtree(entry, ignore_errors=True)
        elif layout.is_name_of_ours(entry.name):
            entry.unlink()
    with contextlib.suppress(OSError):
        step_folder.rmdir()


def local_folder(folder, environment):
    """Returns the folder; under another scheduler, one for each job, since its jobs may share their
    working directory."""
    job = environment.get("SLURM_JOB_ID")
    return Path(folder) / f"job-{job}" if job else Path(folder)
