"""Reports progress with `cox progress`. It never delays or fails the training."""

import math
import re
import shutil
import subprocess
import time

SAY_EVERY_S = 10
COMMAND_MAX_S = 60  # one that takes longer is ended
METRICS_MAX = 8
METRIC_NAME = re.compile(r"[A-Za-z0-9_./-]{1,64}")


def number_of(value):
    """Returns the value as a number, or None. Waits for a tensor on a GPU."""
    try:
        return float(value)
    except (TypeError, ValueError, OverflowError, RuntimeError):
        return None


def words_of(step, total, metrics):
    """Returns the options of the command. Values that are no numbers are left out."""
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
        """Reports, unless the last report was a moment ago or there is no scheduler."""
        if self._command is None or not self._is_due(bool(total) and step >= total):
            return
        self._said_at = self._child_since = time.monotonic()
        try:
            self._child = subprocess.Popen(
                [self._command, "progress", *words_of(step, total, metrics)],
                stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        except (OSError, ValueError):
            self._command = None

    def _is_due(self, finished):
        """Returns whether to report: every few seconds and at the end, one command at a time."""
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
