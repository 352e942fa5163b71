"""What ./dev soak calls a leak, and that its load tells when it is none."""

import copy
import random
import threading
from types import SimpleNamespace

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


class Hasty(random.Random):
    """Rather acts on a job than submits one, where it can."""

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
    assert done.wait(20)
    return load


def test_what_goes_wrong_with_the_load_is_told(tmp_path, monkeypatch):
    def answer(_):
        raise OSError("no such program")
    load = load_on(tmp_path, monkeypatch, answer)
    with pytest.raises(OSError, match="no such program"):
        load.end()


def test_jobs_may_end_while_somebody_is_about_to_act_on_one(tmp_path, monkeypatch):
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


def test_a_load_of_which_nothing_was_accepted_is_none(tmp_path, monkeypatch):
    load = load_on(tmp_path, monkeypatch, lambda _: SimpleNamespace(returncode=1))
    load.end()
    with pytest.raises(AssertionError, match="no job was accepted"):
        load.check_it_was_one()
