"""Reports progress with `cox progress`. It never fails the training. It delays only its end, for
LAST_MAX_S at most, so that the last report is sent before the job ends."""

import math
import re
import shutil
import subprocess
import time

SAY_EVERY_S = 10
COMMAND_MAX_S = 60  # a `cox progress` that takes longer is killed
LAST_MAX_S = 10
METRICS_MAX = 8
METRIC_NAME = re.compile(r"[A-Za-z0-9_./-]{1,64}")


def number_of(value):
    """Returns the value as a number, or None. Waits for a tensor on a GPU."""
    try:
        return float(value)
    except (TypeError, ValueError, OverflowError, RuntimeError):
        return None


def words_of(step, total, metrics):
    """Returns the options of `cox progress`. Values that are no numbers are left out."""
    words = ["--step", str(int(step))]
    words += ["--total", str(int(total))] if total else []
    said = 0
    for name, value in metrics.items():
        number = number_of(value) if said < METRICS_MAX and METRIC_NAME.fullmatch(name) else None
        if number is not None:
            words += ["--metric", f"{name}={number:.6g}"]
            said += 1
    return words


class ProgressReports:
    def __init__(self, command="cox"):
        self._command = shutil.which(command)
        self._child = None
        self._child_since = self._said_at = -math.inf
        self._finished = False

    def say(self, step, total, metrics):
        """Runs `cox progress`. Does nothing if the last report is less than SAY_EVERY_S old (but
        the end is always due), if its command still runs, or if there is no scheduler."""
        finished = bool(total) and step >= total
        if finished and not self._finished:
            self._wait()
        if self._command is None or not self._is_due(finished):
            return
        self._said_at = self._child_since = time.monotonic()
        try:
            self._child = subprocess.Popen(
                [self._command, "progress", *words_of(step, total, metrics)],
                stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        except (OSError, ValueError):
            self._command = None
        if finished:
            self._wait()  # the end of the rank would end the command too

    def _wait(self):
        """Waits until the command has ended, for at most LAST_MAX_S."""
        try:
            if self._child is not None:
                self._child.wait(LAST_MAX_S)
        except subprocess.TimeoutExpired:
            pass

    def _is_due(self, finished):
        """Returns whether to report now: every SAY_EVERY_S seconds and once at the end, one command
        at a time."""
        now = time.monotonic()
        if now - self._said_at < SAY_EVERY_S and (not finished or self._finished):
            return False
        if self._child is not None and self._child.poll() is None:
            if now - self._child_since > COMMAND_MAX_S:
                self._child.kill()
            return False
        if self._child is not None and self._child.returncode == 2:
            self._command = None  # this version of `cox` has no such command
            return False
        self._finished = finished
        return True
