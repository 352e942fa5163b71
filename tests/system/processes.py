"""Processes of this machine, by pid and start time, so that a reused pid is not confused."""

import os


def start_time_of(pid):
    """Returns the start time in clock ticks since boot; None if there is no such process, or it is
    a zombie."""
    try:
        with open(f"/proc/{pid}/stat", encoding="utf-8", errors="replace") as file:
            text = file.read()
    except (FileNotFoundError, ProcessLookupError):
        return None
    fields = text[text.rindex(")") + 2:].split()
    # While a thread is left the process has its sockets, even if its first thread is a zombie.
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
            with open(f"/proc/{self.pid}/{name}", "rb", buffering=0) as file:
                return file.readall()
        except OSError:
            return b""

    def environ(self):
        """Returns the variables with which the process was started, each between NUL bytes."""
        return bytes(1) + self.read("environ")

    def parent(self):
        """Returns the pid of the parent process, or 0 if the process is gone."""
        text = self.read("stat").decode(errors="replace")
        return int(text[text.rindex(")") + 2:].split()[1]) if text else 0

    def cmdline(self):
        return self.read("cmdline")


def processes_with(condition):
    """Returns all live processes for which the condition holds. It is called after each test, so it
    reads the start times of these only: of all processes they would take 0.1 s."""
    found = []
    for name in os.listdir("/proc"):
        if name.isdigit() and condition(Process(int(name), None)):
            process = Process(int(name), start_time_of(int(name)))
            if process.start_time is not None:
                found.append(process)
    return found
