"""Tests ./dev soak itself: it finds leaks of daemons, and errors of its own load."""

import copy
import random
import threading
from types import SimpleNamespace

from patience import DEADLINE_S
import pytest
import soak_load
from soak_load import Load
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
    (grow_processes, "3 processes"), (leave_a_zombie, "zombies"),
    (grow_connections, "connections"), (lose_a_daemon, "does not run")])
def test_the_soak_reports_growth_beyond_a_limit_as_a_leak(change, word):
    after = copy.deepcopy(BEFORE)
    assert leaks(BEFORE, after) == []
    change(after)
    found, = leaks(BEFORE, after)
    assert word in found


def test_the_soak_reports_no_leak_if_growth_is_within_the_limits():
    after = copy.deepcopy(BEFORE)
    after.uses["controller"] = Use(20 + MEMORY_MIB_MORE, 40 + DESCRIPTORS_MORE)
    after.connections += CONNECTIONS_MORE
    assert leaks(BEFORE, after) == []


class Hasty(random.Random):
    """Random choices that make the load act on a job, rather than submit one, if it can."""

    def random(self):
        return 0.2


def load_on(tmp_path, monkeypatch, answer, kind=Load):
    monkeypatch.setattr(soak_load, "PAUSE_S", (0, 0.001))
    done = threading.Event()

    def cox(*words, **_):
        try:
            return answer(words)
        finally:
            done.set()
    cluster = SimpleNamespace(work=tmp_path, bin=tmp_path, accepted=set(), cox=cox,
                              slurm=lambda *words: done.set())
    load = kind(cluster, Hasty, 1)
    assert done.wait(DEADLINE_S)
    return load


def test_an_error_in_the_load_of_the_soak_is_raised(tmp_path, monkeypatch):
    def answer(_):
        raise OSError("no such program")
    load = load_on(tmp_path, monkeypatch, answer)
    with pytest.raises(OSError, match="no such program"):
        load.end()


def test_the_load_of_the_soak_goes_on_if_a_job_ends_before_it_acts_on_it(tmp_path, monkeypatch):
    class Changing(Load):
        looks = 0

        @property
        def live(self):
            self.looks += 1
            return [7] if self.looks % 2 else []

        @live.setter
        def live(self, _):
            pass
    load = load_on(tmp_path, monkeypatch, lambda _: SimpleNamespace(returncode=1), Changing)
    load.end()
    assert load.counts["acts"] > 0


def test_a_soak_in_which_no_job_was_accepted_fails(tmp_path, monkeypatch):
    load = load_on(tmp_path, monkeypatch, lambda _: SimpleNamespace(returncode=1))
    load.end()
    with pytest.raises(AssertionError, match="no job was accepted"):
        load.check_jobs_were_accepted()
