"""Save requests of the scheduler: a file with the reason, then a signal."""

import os
import signal
import threading
import weakref
from pathlib import Path

# The signals that are handled if $COX_CHECKPOINT_SIGNAL names none: those that jobs usually choose,
# and SIGTERM, which ends every job.
USUAL_SIGNALS = (signal.SIGUSR1, signal.SIGUSR2, signal.SIGTERM)
# For these reasons an attempt ends without waiting for a save.
REASONS_TO_END = ("cancel", "jobended", "launchundone", "nodelost", "outofmemory", "rankfailed")


def chosen_signals(environment):
    """Returns the signals that ask this job to save, from $COX_CHECKPOINT_SIGNAL."""
    chosen = []
    for word in environment.get("COX_CHECKPOINT_SIGNAL", "").split(","):
        if word.isdecimal():
            chosen.append(int(word))
        elif hasattr(signal, f"SIG{word}"):
            chosen.append(getattr(signal, f"SIG{word}"))
    return chosen


class StopRequest:
    """Holds whether the scheduler wants this process to save and stop.

    The scheduler writes the reason into a file before it sends the signal, so a process that gets
    no signal (its launcher gets it) or has a handler of its own still notices the request.
    """

    def __init__(self, environment):
        self._environment = environment
        file = environment.get("COX_STOP_REASON_FILE")
        self._file = Path(file) if file else None
        self._told = None       # the reason in the file, once it was read
        self._signal = None     # the newest signal
        self._previous = {}     # {signal: its handler before ours}
        self._handler = None

    def listen(self):
        """Handles the signals that ask to save. Leaves out a signal that the program ignores or
        handles in C."""
        if threading.current_thread() is not threading.main_thread():
            return  # Python allows handlers only in the main thread; the file shows the request
                    # anyway
        self._handler = self._on_signal
        chosen = chosen_signals(self._environment)
        for number in chosen or USUAL_SIGNALS:
            previous = signal.getsignal(number)
            # If the job chose no signal, a program that handles SIGUSR1 or SIGUSR2 itself uses it
            # for something else.
            is_foreign = is_of_program(previous) and not chosen and number != signal.SIGTERM
            if previous in (None, signal.SIG_IGN) or is_foreign:
                continue
            self._previous[number] = previous
            signal.signal(number, self._handler)
        request = weakref.ref(self)
        os.register_at_fork(after_in_child=lambda: forget_signals(request))

    def _on_signal(self, number, frame):
        previous = self._previous.get(number)
        is_end = self.reason in REASONS_TO_END
        if not is_end:
            self._signal = number
        if callable(previous) and previous is not signal.default_int_handler:
            previous(number, frame)
        elif is_end:
            signal.signal(number, signal.SIG_DFL)
            os.kill(os.getpid(), number)

    def ignore_signals(self):
        """Ignores the signals from now on: this process has saved, and ends. Python gives up its
        handlers before it ends, and a late signal would end it with another exit code."""
        if threading.current_thread() is not threading.main_thread():
            return
        for number in self._previous:
            if signal.getsignal(number) == self._handler:
                signal.signal(number, signal.SIG_IGN)

    def forget_signals(self):
        """Restores the former handlers in a forked child, so that SIGTERM ends it as its parent
        expects."""
        for number, previous in self._previous.items():
            if signal.getsignal(number) == self._handler:
                signal.signal(number, previous)

    @property
    def reason(self):
        """Returns the scheduler's reason ("preempt"), else the signal's name, else None."""
        if self._told is None and self._file is not None:
            try:
                self._told = self._file.read_text().strip() or None
            except OSError:
                pass
        if self._told is not None or self._signal is None:
            return self._told
        return signal.Signals(self._signal).name

    def __bool__(self):
        reason = self.reason
        return reason is not None and reason not in REASONS_TO_END


def is_of_program(handler):
    return callable(handler) and not isinstance(getattr(handler, "__self__", None), StopRequest)


def forget_signals(reference):
    request = reference()
    if request is not None:
        request.forget_signals()
