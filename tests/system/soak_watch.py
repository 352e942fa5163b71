"""The resources that the daemons of a cluster use (memory, descriptors, processes), and their
limits.

They are measured while no job is left, so that the load does not count: first after the warm-up,
then after each round. A daemon that has grown beyond its limit since the warm-up has leaked.
"""

import os
from pathlib import Path

from processes import Process

# The allowed growth since the warm-up.
MEMORY_MIB_MORE, MEMORY_TIMES = 24, 1.5  # allocators keep some of what the load took
DESCRIPTORS_MORE = 16
PROCESSES_MORE = 0      # processes of our programs, all daemons together
CONNECTIONS_MORE = 2    # to PostgreSQL


class Use:
    """The resources that one daemon uses at one moment."""

    def __init__(self, memory_mib, descriptors):
        self.memory_mib, self.descriptors = memory_mib, descriptors

    def __str__(self):
        return f"{self.memory_mib} MiB, {self.descriptors} descriptors"


def use_of(process):
    """Returns the resources that the process uses, or None if it is gone."""
    try:
        lines = process.read("status").decode().splitlines()
        kib = next(int(line.split()[1]) for line in lines if line.startswith("RssAnon"))
        return Use(kib // 1024, len(os.listdir(f"/proc/{process.pid}/fd")))
    except (OSError, StopIteration):
        return None


class Measure:
    """A measurement. uses: {daemon: Use}. processes, zombies, connections: of all daemons
    together."""

    def __init__(self, uses, processes, zombies, connections):
        self.uses, self.processes = uses, processes
        self.zombies, self.connections = zombies, connections

    def __str__(self):
        uses = "; ".join(f"{name} {use}" for name, use in sorted(self.uses.items()))
        return f"{uses}; {len(self.processes)} processes, {self.connections} connections"


def processes_of(cluster):
    """Returns (the processes that run a program of the cluster, their zombies). It finds the first
    by their executable, the zombies by their parent."""
    running, dead = [], []
    for name in os.listdir("/proc"):
        if not name.isdigit():
            continue
        process = Process(int(name), None)
        state = process.read("stat").rpartition(b") ")[2][:1]
        try:
            program = Path(os.readlink(f"/proc/{name}/exe"))
        except OSError:
            program = None
        if state == b"Z":
            dead.append(process)
        elif program and program.parent == cluster.bin and belongs(process, cluster):
            running.append(process)
    parents = {process.pid for process in running}
    return running, [process for process in dead if process.parent() in parents]


def belongs(process, cluster):
    """Returns whether the process has an argument or a variable with the cluster's folder."""
    folder = str(cluster.dir).encode()
    return folder in process.cmdline() or folder in process.environ()


def measure(cluster):
    uses = {name: use_of(process) for name, process in cluster.daemons().items()}
    running, zombies = processes_of(cluster)
    (connections,), = cluster.sql("SELECT count(*) FROM pg_stat_activity"
                                  " WHERE backend_type = 'client backend'")
    return Measure({name: use for name, use in uses.items() if use}, running, zombies,
                   int(connections))


def leaks(before, after):
    """Returns a text for each resource that has grown beyond its limit."""
    found = []
    for name, use in after.uses.items():
        was = before.uses[name]
        memory = was.memory_mib * MEMORY_TIMES + MEMORY_MIB_MORE
        if use.memory_mib > memory:
            found.append(f"{name} takes {use.memory_mib} MiB of memory, {was.memory_mib} after the"
                         f" warm-up: more than {memory:.0f}")
        descriptors = was.descriptors + DESCRIPTORS_MORE
        if use.descriptors > descriptors:
            found.append(f"{name} has {use.descriptors} descriptors, {was.descriptors} after the"
                         f" warm-up: more than {descriptors}")
    for name in set(before.uses) - set(after.uses):
        found.append(f"{name} does not run")
    if len(after.processes) > len(before.processes) + PROCESSES_MORE:
        found.append(f"{len(after.processes)} processes, {len(before.processes)} after the warm-up:"
                     f" {after.processes}")
    if after.zombies:
        found.append(f"zombies: {after.zombies}")
    if after.connections > before.connections + CONNECTIONS_MORE:
        found.append(f"{after.connections} connections to PostgreSQL, {before.connections} after"
                     " the warm-up")
    return found
