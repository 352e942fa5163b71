"""Save requests of the scheduler: a file with the reason, then a signal."""

import os
import signal
import threading
import weakref
from pathlib import Path

# Without a word about which signal it is: what jobs choose, and what every job gets at the end.
USUAL_SIGNALS = (signal.SIGUSR1, signal.SIGUSR2, signal.SIGTERM)
# The attempt ends for these reasons, and nobody waits for a save.
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
    no signal (its launcher gets it) or has a handler of its own still hears of the request.
    """

    def __init__(self, environment):
        self._environment = environment
        file = environment.get("COX_STOP_REASON_FILE")
        self._file = Path(file) if file else None
        self._told = None       # the reason, once it was read
        self._signal = None     # the newest signal
        self._previous = {}     # signal: the handler before ours
        self._handler = None

    def listen(self):
        """Handles the signals. A signal that the program ignores or handles in C is left alone."""
        if threading.current_thread() is not threading.main_thread():
            return  # Python takes handlers from the main thread only; the file tells all the same
        self._handler = self._on_signal
        chosen = chosen_signals(self._environment)
        for number in chosen or USUAL_SIGNALS:
            previous = signal.getsignal(number)
            # A program that handles SIGUSR1 without being told to uses it for something else.
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

    def forget_signals(self):
        """Lets SIGTERM end a forked child, as its parent expects."""
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
