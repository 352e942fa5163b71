"""The run of a training: where it resumes, when it saves, and when it stops."""

import contextlib
import dataclasses
import multiprocessing
import os
import sys
import time

from coxswain import layout
from coxswain.group import agreement
from coxswain.place import has_scheduler, number_in, place_from
from coxswain.progress import ProgressReports
from coxswain.request import StopRequest
from coxswain.store import CheckpointError, JobStore, LocalStore, alone_in, local_folder

EXIT_SAVED = 75  # the exit code for "saved, run me again"
SAVE_EVERY_S = 30 * 60
LIMIT_MARGIN_S = 120  # how long before the time limit to save; at most a tenth of the limit
RUN_VARIABLE = "COXSWAIN_RUN"  # pid of the process that made the first Run; spawned processes
                               # inherit it
NOTHING, SAVE, STOP = range(3)  # what a rank proposes for a step; all ranks do the highest of it


class Run:
    """One attempt of a training. Create it before anything slow: from then on, a request to save
    does not end the process.

    group    A process group of PyTorch whose ranks decide together, such as
             `torch.distributed.group.WORLD` (one with gloo spares the GPU a stop in each step); or
             a function that returns the highest of the numbers of all ranks. It may be set later:
             `run.group = ...`. A single rank needs none. ValueError: its ranks are not the run's.
    every    Seconds between saves without a request; None: no such saves.
    folder   Where to save without Coxswain.

    rank, world_size   The rank of this process, and the number of ranks.
    step               The newest step that is done: that of the checkpoint to resume from, or 0.
    """

    def __init__(self, group=None, every=SAVE_EVERY_S, folder="checkpoints"):
        environment = os.environ
        # A process that is spawned to load data runs the script's top level again, and with it this
        # constructor. It must neither handle signals nor remove incomplete steps.
        is_child = multiprocessing.current_process().name != "MainProcess"
        known = environment.setdefault(RUN_VARIABLE, str(os.getpid()))
        is_first = not is_child or known == str(os.getpid())
        self._request = StopRequest(environment)
        if is_first:
            self._request.listen()
        self._place = place_from(environment)
        self._managed = has_scheduler(environment)
        if self._managed:
            self._store = JobStore(environment)
            if is_first:
                self._store.warn_of_saves_before(self._place.task)
        else:
            self._store = LocalStore(local_folder(folder, environment))
            if is_first and self.rank == 0:
                self._store.begin()
        self._parts, self.step, self._saved_step = {}, 0, -1
        if self._store.resume_from is not None:
            self._parts = self._store.parts()
            if not self._parts:
                raise CheckpointError(f"{self._store.resume_from} has no folder of any rank, such "
                                      "as rank-0: there is nothing to resume from")
            self.step = self._saved_step = int(layout.STEP.fullmatch(
                self._store.resume_from.name)[1])
        self._every = every
        self._saved_at, self._save_took_s = time.monotonic(), 0.0
        self._limit_from = number_in(environment, "SLURM_JOB_START_TIME")
        self._limit_at = number_in(environment, "SLURM_JOB_END_TIME")
        self._wanted = None  # what the ranks agreed in should_save() for this step
        self._progress = ProgressReports() if environment.get("COX_SUPERVISOR_SOCKET") else None
        self.group = group

    # ---- rank and number of ranks ---------------------------------------------------------------

    @property
    def rank(self):
        return self._place.rank

    @property
    def world_size(self):
        return self._place.world_size

    @property
    def group(self):
        return self._group

    @group.setter
    def group(self, group):
        self._highest = agreement(group, self._place)
        self._group = group

    def join(self, rank, world_size, local_rank, group):
        """Sets rank and world size, for frameworks whose launchers number the ranks themselves."""
        self._place = dataclasses.replace(self._place, rank=rank, world_size=world_size,
                                          local_rank=local_rank)
        if not self._managed:
            self._place = dataclasses.replace(self._place, task=rank, tasks=world_size)
        self.group = group

    # ---- to resume ------------------------------------------------------------------------------

    @property
    def resume_folder(self):
        """The folder that this rank saved at the step to resume from, or that of rank 0 if this
        rank saved none. None: start anew."""
        return self._parts.get(self.rank, self._parts.get(0))

    @property
    def resume_folders(self):
        """The folders that the ranks saved at the step to resume from, by rank. There may be more
        or fewer of them than there are ranks now."""
        return list(self._parts.values())

    # ---- to save --------------------------------------------------------------------------------

    @property
    def asked(self):
        """Returns whether this rank was asked to save and stop. should_save() decides for
        all ranks together."""
        return bool(self._request)

    @property
    def reason(self):
        """Why the scheduler asks to save: "preempt", "timelimit", ... or a signal's name; None
        without a request."""
        return self._request.reason

    @property
    def saved_step(self):
        """The newest step that was saved, by this attempt or the one before; -1: none."""
        return self._saved_step

    @property
    def stops(self):
        """Returns whether the ranks agreed to stop in their last call of should_save()."""
        return self._wanted == STOP

    def should_save(self):
        """Returns whether to save now: the scheduler asked, the interval is over, or the time limit
        is near. Call it on every rank after each step; all ranks get the same answer."""
        self._wanted = self._agree(STOP if self.asked else SAVE if self._is_due() else NOTHING,
                                   "should_save()")
        return self._wanted > NOTHING

    def _is_due(self):
        if self._every is not None and time.monotonic() - self._saved_at >= self._every:
            return True
        return self._limit_at is not None and time.time() >= self._limit_at - self._margin()

    def _margin(self):
        begun = self._limit_from if self._limit_from is not None else 0
        return max(min(LIMIT_MARGIN_S, (self._limit_at - begun) / 10), 2 * self._save_took_s)

    def _agree(self, number, what):
        if self._highest is not None:
            return self._highest(number)
        if self.world_size > 1:
            raise RuntimeError(
                f"{what} in a training of {self.world_size} ranks needs their process group, so "
                "that all of them save the same step: set run.group = torch.distributed.group."
                "WORLD after init_process_group(), or a function that returns the highest of the "
                "numbers of all ranks")
        return number

    def wait_for_ranks(self):
        """Returns when all ranks have called it."""
        self._agree(NOTHING, "wait_for_ranks()")

    @contextlib.contextmanager
    def checkpoint(self, step, shared=False):
        """Saves a step: `with run.checkpoint(step) as folder:`, on every rank. At its end the
        folder is complete, flushed and reported; if an exception ends it, the folder is discarded.

        Each rank has a folder of its own, and may leave it empty. With `shared` all ranks write
        into one, as torch.distributed.checkpoint does.
        """
        if step <= self._saved_step:
            raise ValueError(f"step {step} is not above step {self._saved_step}, which is already "
                             "saved: steps only go up, and a run that resumes continues them")
        place, began = self._place, time.monotonic()
        task = 0 if shared else place.task
        # Processes that fill one folder wait for each other, and one of them reports.
        together = (shared and place.world_size > 1) or place.shares_task
        part = self._store.open(step, task)
        with contextlib.nullcontext() if together else alone_in(part, layout.rank_name(task)):
            yield from self._save(step, task, part, shared, together)
        self._saved(step, began)

    def _save(self, step, task, part, shared, together):
        """Yields the folder to save into; then completes and reports it."""
        place, folder = self._place, part
        if place.shares_task and not shared:
            folder = part / layout.worker_name(place.rank)
            folder.mkdir(exist_ok=True)
        try:
            yield folder
        except BaseException:
            if not together:
                self._store.discard(step, task)
            raise
        self._store.reach()
        if self.world_size == 1 and not any(folder.iterdir()):
            self._store.discard(step, task)
            raise CheckpointError(f"step {step} has no file: save below the folder that `with "
                                  f"run.checkpoint({step}) as folder` gives, {folder}")
        if folder != part and not any(folder.iterdir()):
            folder.rmdir()  # this worker saved nothing
        if together:
            self._agree(NOTHING, "checkpoint()")
        if place.reports:
            if place.task == task:
                self._store.complete(step, task)
            self._store.report(step, place)
        if together:
            self._agree(NOTHING, "checkpoint()")

    def _saved(self, step, began):
        now = time.monotonic()
        self._saved_step, self._saved_at, self._save_took_s = step, now, now - began
        if self._limit_at is not None and time.time() >= self._limit_at - self._margin():
            self._limit_at = None  # one save near the limit is enough

    # ---- to stop, and to report progress ---------------------------------------------------------

    def stop(self):
        """Ends the process if the scheduler asked for it, so that the job resumes later from what
        was saved; otherwise it returns. Call it on every rank after each save. Without a group,
        each rank decides for itself."""
        wanted, self._wanted = self._wanted, None
        if wanted is None:  # should_save() was not called for this step
            own = STOP if self.asked else NOTHING
            wanted = own if self._highest is None else self._highest(own)
        if wanted != STOP:
            return
        if self._highest is not None:
            self._highest(NOTHING)  # a barrier: the first exit may end ranks that still save
        self._request.ignore_signals()
        sys.exit(EXIT_SAVED)

    def finish(self):
        """Says that the work of the whole job is done. Exit code 0 then means COMPLETED even if the
        scheduler has asked the job to stop meanwhile. Call it on every rank at the end; rank 0
        reports it. An error is only printed: it must not fail a training that is done."""
        if self.rank != 0:
            return
        try:
            self._store.finish()
        except CheckpointError as failure:
            print(f"coxswain: {failure}", file=sys.stderr, flush=True)

    def progress(self, step, total, /, **metrics):
        """Reports progress, at most every few seconds: `run.progress(step, total,
        loss=0.25)`. Only rank 0 reports, and no rank waits for it."""
        if self._progress is not None and self.rank == 0:
            self._progress.say(step, total, metrics)
