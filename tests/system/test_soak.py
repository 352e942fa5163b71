"""What ./dev soak calls a leak."""

import copy

import pytest
from soak_watch import (CONNECTIONS_MORE, DESCRIPTORS_MORE, MEMORY_MIB_MORE, MEMORY_TIMES,
                        PROCESSES_MORE, Measure, Use, leaks)

BEFORE = Measure({"controller": Use(20, 40), "worker-n1": Use(8, 30)}, ["one", "two"], [], 3)


def grow_memory(after):
    after.uses["controller"].memory_mib = int(20 * MEMORY_TIMES + MEMORY_MIB_MORE) + 1


def grow_descriptors(after):
    after.uses["worker-n1"].descriptors = 30 + DESCRIPTORS_MORE + 1


def grow_processes(after):
    after.processes += ["another"] * (PROCESSES_MORE + 1)


def leave_a_zombie(after):
    after.zombies.append("dead")


def grow_connections(after):
    after.connections += CONNECTIONS_MORE + 1


def lose_a_daemon(after):
    del after.uses["worker-n1"]


@pytest.mark.parametrize("change,word", [
    (grow_memory, "MiB of memory"), (grow_descriptors, "descriptors"),
    (grow_processes, "3 processes"), (leave_a_zombie, "nobody waits for"),
    (grow_connections, "connections"), (lose_a_daemon, "does not run")])
def test_what_grows_beyond_its_bound_has_leaked(change, word):
    after = copy.deepcopy(BEFORE)
    assert leaks(BEFORE, after) == []
    change(after)
    found, = leaks(BEFORE, after)
    assert word in found


def test_what_the_allocator_keeps_is_no_leak():
    after = copy.deepcopy(BEFORE)
    after.uses["controller"] = Use(20 + MEMORY_MIB_MORE, 40 + DESCRIPTORS_MORE)
    after.connections += CONNECTIONS_MORE
    assert leaks(BEFORE, after) == []
