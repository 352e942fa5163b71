"""`cox progress` is run at most every few seconds, and never delays or fails a training."""

import math
import time

import coxswain
import pytest
from conftest import settle
from coxswain import progress
from coxswain.progress import words_of
from patience import DEADLINE_S


def wait_for(condition):
    end = time.perf_counter() + DEADLINE_S  # the fixture `clock` stops time.monotonic()
    while not condition():
        assert time.perf_counter() < end
        time.sleep(0.01)


@pytest.fixture
def clock(monkeypatch):
    now = [0.0]
    monkeypatch.setattr(progress.time, "monotonic", lambda: now[0])
    return now


def test_progress_becomes_arguments_of_cox_progress():
    assert words_of(3, 10, {"loss": 0.25, "val/acc": 1}) == [
        "--step", "3", "--total", "10", "--metric", "loss=0.25", "--metric", "val/acc=1"]
    assert words_of(3, None, {"loss": math.nan}) == ["--step", "3", "--metric", "loss=nan"]
    assert words_of(3, 10, {"note": "good", "a b": 1, "x": None}) == ["--step", "3", "--total",
                                                                     "10"]
    assert words_of(3, 10, {f"m{n}": n for n in range(20)}).count("--metric") == 8


def test_rank_0_reports_progress_at_most_every_few_seconds(job, clock):
    run = coxswain.Run()
    for step in range(5):
        run.progress(step, 100, loss=0.5)
        settle(run)
    assert job.said() == ["0: progress --step 0 --total 100 --metric loss=0.5"]
    clock[0] += progress.SAY_EVERY_S
    run.progress(5, 100)
    settle(run)
    assert job.said()[1:] == ["0: progress --step 5 --total 100"]
    run.progress(100, 100)  # the end is always reported, once
    settle(run)
    run.progress(100, 100)
    settle(run)
    assert job.said()[2:] == ["0: progress --step 100 --total 100"]


def test_a_rank_other_than_0_reports_no_progress(job):
    job.set(RANK=1, WORLD_SIZE=2)
    run = coxswain.Run()
    run.progress(1, 100)
    assert run._progress._child is None, "no command was started"


def test_progress_without_a_scheduler_is_no_error():
    assert coxswain.Run().progress(1, 100, loss=0.5) is None


def test_a_run_does_not_wait_for_cox_progress_and_ends_one_that_hangs(job, clock, monkeypatch):
    monkeypatch.setattr(progress, "LAST_MAX_S", 1000)  # if it waited, the test would hang
    job.notes.with_name("notes.slow").touch()
    run = coxswain.Run()
    run.progress(1, 100)
    clock[0] += progress.SAY_EVERY_S
    run.progress(2, 100)
    child = run._progress._child
    assert child.poll() is None, "it waited for the command"
    wait_for(lambda: len(job.said()) == 1)
    clock[0] += progress.COMMAND_MAX_S
    run.progress(3, 100)
    assert child.wait(DEADLINE_S) != 0, "one that hangs is ended"
    assert len(job.said()) == 1


def test_the_last_report_is_sent_before_the_training_ends(job, monkeypatch):
    monkeypatch.setattr(progress, "LAST_MAX_S", DEADLINE_S)
    job.notes.with_name("notes.late").touch()
    run = coxswain.Run()
    run.progress(99, 100)
    run.progress(100, 100)
    assert job.said() == ["0: progress --step 99 --total 100", "0: progress --step 100 --total 100"]


def test_a_last_report_that_hangs_delays_the_end_by_a_bounded_time(job, monkeypatch):
    monkeypatch.setattr(progress, "LAST_MAX_S", 0.1)
    job.notes.with_name("notes.slow").touch()
    run = coxswain.Run()
    run.progress(100, 100)
    child = run._progress._child
    assert child.poll() is None, "it waited for the command"
    child.kill()


def test_a_cox_that_lacks_the_progress_command_is_run_once(job, clock):
    job.refuse(2)
    run = coxswain.Run()
    for step in range(3):
        run.progress(step, 100)
        settle(run)
        clock[0] += progress.SAY_EVERY_S
    assert len(job.said()) == 1


def test_progress_without_the_cox_program_does_not_fail_the_training(job, tmp_path):
    job.set(PATH=tmp_path / "nothing")
    assert coxswain.Run().progress(1, 100) is None


def test_progress_with_an_invalid_step_does_not_fail_the_training(job):
    run = coxswain.Run()
    run.progress("three", None)
    assert run._progress._child is None, "no command was started"
