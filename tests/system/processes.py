"""Processes of this machine, named so that a pid that was given to another is noticed."""

import os
from pathlib import Path


def start_time_of(pid):
    """Clock ticks since boot; None when there is no such process, or it only waits to be reaped."""
    try:
        text = Path(f"/proc/{pid}/stat").read_text()
    except (FileNotFoundError, ProcessLookupError):
        return None
    fields = text[text.rindex(")") + 2:].split()
    # As long as one of its threads is left it has its sockets, though the first one is a zombie.
    only_one_thread = int(fields[17]) <= 1
    return None if fields[0] in "ZX" and only_one_thread else int(fields[19])


class Process:
    def __init__(self, pid, start_time):
        self.pid, self.start_time = pid, start_time

    def __eq__(self, other):
        return (self.pid, self.start_time) == (other.pid, other.start_time)

    def __hash__(self):
        return hash((self.pid, self.start_time))

    def __repr__(self):
        return f"{self.pid} ({self.cmdline().replace(bytes(1), b' ').decode(errors='replace')})"

    def is_alive(self):
        return self.start_time is not None and start_time_of(self.pid) == self.start_time

    def kill(self, number):
        if not self.is_alive():
            return
        try:
            os.kill(self.pid, number)
        except ProcessLookupError:
            pass

    def read(self, name):
        try:
            return Path(f"/proc/{self.pid}/{name}").read_bytes()
        except OSError:
            return b""

    def environ(self):
        """The variables it was started with, each between NUL bytes."""
        return bytes(1) + self.read("environ")

    def parent(self):
        """Its parent's pid; 0 when it is gone."""
        text = self.read("stat").decode(errors="replace")
        return int(text[text.rindex(")") + 2:].split()[1]) if text else 0

    def cmdline(self):
        return self.read("cmdline")


def processes_with(condition):
    """All live processes of which the condition holds."""
    found = []
    for name in os.listdir("/proc"):
        if name.isdigit():
            process = Process(int(name), start_time_of(int(name)))
            if process.start_time is not None and condition(process):
                found.append(process)
    return found
