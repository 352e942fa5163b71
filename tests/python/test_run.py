"""A rank under the scheduler: when and where it saves, what it reports, and how it ends."""

import multiprocessing
import os
import signal
import threading
import time
from pathlib import Path

import pytest
from conftest import gang, run_ranks, torchrun
from patience import DEADLINE_S

import coxswain
from coxswain import run as run_module


def save(run, step, text="x", **options):
    with run.checkpoint(step, **options) as folder:
        (folder / "state").write_text(text)


def test_a_save_gets_its_final_name_when_it_is_complete_and_is_reported(job):
    job.set(COX_RANK=3)
    run = coxswain.Run()
    with run.checkpoint(7) as folder:
        (folder / "state").write_text("seven")
        assert folder.name == "rank-3.part", "an exit with 75 must not take what is half written"
    assert job.saved() == {"step-7/rank-3/state": "seven"}
    assert job.said() == ["3: checkpoint done --step 7"]
    assert run.saved_step == 7


def test_a_save_that_fails_is_discarded_and_not_reported(job):
    run = coxswain.Run()
    with pytest.raises(KeyError), run.checkpoint(7) as folder:
        (folder / "state").write_text("half")
        raise KeyError
    assert job.saved() == {} and job.said() == []
    save(run, 8)
    assert job.saved() == {"step-8/rank-0/state": "x"}


def save_in_another_process(run, step, text):
    """Forks a process that takes itself for the same rank. Returns the error of its save, or ""."""
    context = multiprocessing.get_context("fork")
    told = context.SimpleQueue()

    def work():
        try:
            save(run, step, text)
            told.put("")
        except coxswain.CheckpointError as failure:
            told.put(str(failure))

    process = context.Process(target=work)
    process.start()
    process.join(DEADLINE_S)
    return told.get()


def test_two_processes_of_one_rank_cannot_save_a_step_at_the_same_time(job):
    run, other = coxswain.Run(), coxswain.Run()
    with run.checkpoint(7) as folder:
        (folder / "state").write_text("first")
        assert "another process saves into" in save_in_another_process(other, 7, "second")
    assert job.saved() == {"step-7/rank-0/state": "first"}
    assert job.said() == ["0: checkpoint done --step 7"]


def test_a_save_that_is_being_reported_is_not_overwritten(job, monkeypatch):
    run, other, told = coxswain.Run(), coxswain.Run(), []
    report = coxswain.store.JobStore.report

    def report_slowly(store, step, place):
        monkeypatch.setattr(coxswain.store.JobStore, "report", report)
        told.append(save_in_another_process(other, step, "second"))
        report(store, step, place)

    monkeypatch.setattr(coxswain.store.JobStore, "report", report_slowly)
    save(run, 7, "first")
    assert "step-7/rank-0 now, so two processes" in told[0]
    assert job.saved() == {"step-7/rank-0/state": "first"}


def test_what_a_killed_process_has_left_of_a_save_is_taken_over(job):
    def die():
        with coxswain.Run().checkpoint(7) as folder:
            (folder / "state").write_text("half")
            os.kill(os.getpid(), signal.SIGKILL)

    process = multiprocessing.get_context("fork").Process(target=die)
    process.start()
    process.join(DEADLINE_S)
    assert job.saved() == {"step-7/rank-0.part/state": "half"}
    save(coxswain.Run(), 7, "whole")
    assert job.saved() == {"step-7/rank-0/state": "whole"}


def while_away(job, work):
    """Calls work() on another thread while the shared storage is away, until it waits for it."""
    storage = job.checkpoints.parent
    away = storage.with_name("away")
    storage.rename(away)
    looked = threading.Event()
    isdir = os.path.isdir

    def look(path):
        found = isdir(path)
        if not found:
            looked.set()
        return found

    job.monkeypatch.setattr(os.path, "isdir", look)
    worker = threading.Thread(target=work)
    worker.start()
    assert looked.wait(DEADLINE_S)
    assert not storage.exists(), "the folder was made anew on this machine's disk"
    away.rename(storage)
    worker.join(DEADLINE_S)


def test_a_save_waits_for_the_storage_and_does_not_make_its_folder(job):
    run = coxswain.Run()
    while_away(job, lambda: save(run, 7, "x"))
    assert job.saved() == {"step-7/rank-0/state": "x"}
    assert job.said() == ["0: checkpoint done --step 7"]


def test_a_save_that_is_written_waits_for_the_storage(job):
    run = coxswain.Run()
    saving = run.checkpoint(7)
    folder = saving.__enter__()
    (folder / "state").write_text("x")
    while_away(job, lambda: saving.__exit__(None, None, None))
    assert job.saved() == {"step-7/rank-0/state": "x"}


def test_a_storage_that_stays_away_raises_an_error(job, monkeypatch):
    monkeypatch.setattr(coxswain.store, "AWAY_MAX_S", 0)
    job.checkpoints.parent.rename(job.folder / "away")
    with pytest.raises(coxswain.CheckpointError, match="is away .waited 0 s."):
        save(coxswain.Run(), 7, "x")
    assert not job.checkpoints.parent.exists()
    assert job.said() == []


def test_a_refused_report_of_a_save_raises_an_error(job):
    run = coxswain.Run()
    job.refuse(3)
    with pytest.raises(coxswain.CheckpointError, match="step 7 is not reported: cox: it is refuse"):
        save(run, 7)


def test_a_rank_with_nothing_to_save_reports_without_a_folder(job):
    job.set(**gang(2)[0])
    run = coxswain.Run()
    with run.checkpoint(7):
        pass
    assert job.saved() == {} and job.said() == ["0: checkpoint done --step 7"]
    assert [path.name for path in job.checkpoints.rglob("*")] == ["step-7"]


def test_a_save_that_wrote_elsewhere_raises_an_error(job, monkeypatch):
    monkeypatch.chdir(job.folder)
    run = coxswain.Run()
    with pytest.raises(coxswain.CheckpointError, match="step 7 has no file: save below the folder"):
        with run.checkpoint(7):
            Path("state").write_text("forgot `folder /`")
    assert job.said() == [] and run.saved_step == -1
    save(run, 8)
    assert job.said() == ["0: checkpoint done --step 8"]


def test_a_checkpoint_without_a_folder_of_any_rank_is_not_taken_for_a_new_training(job):
    folder = job.folder / "step-30"
    (folder / "rank0").mkdir(parents=True)
    for there in (folder, job.folder / "step-31"):
        job.set(COX_RESUME_FROM=there)
        with pytest.raises(coxswain.CheckpointError, match="has no folder of any rank"):
            coxswain.Run()


def test_the_end_of_the_work_is_reported_by_rank_0(job):
    coxswain.Run().finish()
    job.set(RANK=1, WORLD_SIZE=2, COX_RANK=1)
    coxswain.Run().finish()
    assert job.said() == ["0: checkpoint finished"]


def test_a_training_that_is_done_does_not_fail_because_its_end_is_not_reported(job, capfd):
    job.refuse(3)
    coxswain.Run().finish()
    told = capfd.readouterr().err
    assert "coxswain: the end of the work is not reported: cox: it is refuse" in told


def test_a_step_not_above_the_last_saved_one_is_refused(job):
    run = coxswain.Run()
    save(run, 7)
    for step in (7, 3):
        with pytest.raises(ValueError, match=f"step {step} is not above step 7"):
            save(run, step)


def resumed(job, step, **parts):
    """Makes the checkpoint of an earlier attempt, with a file in each of these folders, and a run
    that resumes from it."""
    folder = job.folder / "job" / "attempt-0" / f"step-{step}"
    for name, text in parts.items():
        part = folder / name.replace("_", "-").replace("0w", "0/w").replace("1w", "1/w")
        part.mkdir(parents=True)
        (part / "state").write_text(text)
    job.set(COX_RESUME_FROM=folder)
    return coxswain.Run()


def states(run):
    return [(folder / "state").read_text() for folder in run.resume_folders]


def test_a_first_attempt_starts_without_a_checkpoint(job):
    run = coxswain.Run()
    assert (run.step, run.resume_folder, run.resume_folders) == (0, None, [])


def test_a_rank_resumes_from_its_own_part_of_the_checkpoint(job):
    job.set(RANK=1, WORLD_SIZE=2, COX_RANK=1)
    run = resumed(job, 40, rank_0="zero", rank_1="one")
    assert run.step == 40 and (run.resume_folder / "state").read_text() == "one"


def test_a_rank_that_saved_nothing_resumes_from_rank_0(job):
    """This happens with --checkpoint-by=rank0, and in a gang that has grown."""
    job.set(RANK=5, WORLD_SIZE=8, COX_RANK=5)
    run = resumed(job, 40, rank_0="zero", rank_1="one")
    assert (run.resume_folder / "state").read_text() == "zero"
    assert states(run) == ["zero", "one"]


def test_folders_to_resume_from_are_ordered_by_rank(job):
    run = resumed(job, 40, rank_10="ten", rank_2="two", rank_0="zero")
    assert states(run) == ["zero", "two", "ten"]


def test_saves_of_torchrun_workers_are_found_whatever_task_runs_them(job):
    job.set(RANK=2, WORLD_SIZE=3, LOCAL_RANK=0, COX_RANK=0)
    run = resumed(job, 40, rank_0worker_0="zero", rank_0worker_1="one", rank_1worker_2="two")
    assert (run.resume_folder / "state").read_text() == "two"
    assert states(run) == ["zero", "one", "two"]


# ---- when ---------------------------------------------------------------------------------------

def test_a_rank_saves_when_asked_and_exits_with_75(job):
    run = coxswain.Run(every=None)
    assert not run.should_save() and run.stop() is None
    job.ask()
    assert run.should_save() and run.stops and run.reason == "preempt"
    save(run, 3)
    with pytest.raises(SystemExit) as ended:
        run.stop()
    assert ended.value.code == 75


def test_a_rank_asked_after_its_save_saves_the_next_step_before_it_stops(job):
    """A save counts as lost if no report of it follows the request, so the ranks save once more."""
    run = coxswain.Run(every=0)
    assert run.should_save()
    save(run, 3)
    job.ask()
    assert run.stop() is None
    assert run.should_save()
    save(run, 4)
    with pytest.raises(SystemExit):
        run.stop()


def test_stop_ends_a_program_that_saves_without_should_save_once_it_is_asked(job):
    run = coxswain.Run()
    save(run, 20)
    assert run.stop() is None
    save(run, 40)
    job.ask()
    with pytest.raises(SystemExit):
        run.stop()


def test_the_interval_of_saves_counts_from_the_last_save(job, monkeypatch):
    now = [100.0]
    monkeypatch.setattr(run_module.time, "monotonic", lambda: now[0])
    run = coxswain.Run(every=60)
    now[0] += 59
    assert not run.should_save()
    now[0] += 1
    assert run.should_save() and not run.stops
    save(run, 1)
    assert not run.should_save()
    now[0] += 60
    assert run.should_save()


@pytest.mark.parametrize("limit_s, before_s", [(3600, 120), (600, 60)])
def test_a_rank_saves_once_near_the_time_limit(job, monkeypatch, limit_s, before_s):
    now = [1_000_000.0]
    monkeypatch.setattr(run_module.time, "time", lambda: now[0])
    job.set(SLURM_JOB_START_TIME=1_000_000, SLURM_JOB_END_TIME=1_000_000 + limit_s)
    run = coxswain.Run(every=None)
    now[0] += limit_s - before_s - 1
    assert not run.should_save()
    now[0] += 1
    assert run.should_save() and not run.stops
    save(run, 1)
    assert not run.should_save()


def test_a_rank_whose_saves_are_slow_saves_earlier_before_the_time_limit(job, monkeypatch):
    now, clock = [1_000_000.0], [0.0]
    monkeypatch.setattr(run_module.time, "time", lambda: now[0])
    monkeypatch.setattr(run_module.time, "monotonic", lambda: clock[0])
    job.set(SLURM_JOB_START_TIME=1_000_000, SLURM_JOB_END_TIME=1_003_600)
    run = coxswain.Run(every=None)
    with run.checkpoint(1) as folder:
        (folder / "state").touch()
        clock[0] += 200
    now[0] += 3600 - 401
    assert not run.should_save()
    now[0] += 1
    assert run.should_save()


# ---- several ranks ------------------------------------------------------------------------------

def test_several_ranks_without_a_process_group_get_an_error_that_names_it(job):
    job.set(RANK=0, WORLD_SIZE=2)
    run = coxswain.Run()
    with pytest.raises(RuntimeError, match="needs their process group"):
        run.should_save()


def train(ask_at, steps=100, **options):
    """Returns the work of a rank: it trains, and is asked to save at its own step."""
    def work(rank, highest):
        run = coxswain.Run(group=highest, every=None)
        for step in range(run.step + 1, steps):
            if step == ask_at[rank]:
                run._request._told = "preempt"
            if run.should_save():
                time.sleep(0.05 * rank)  # the ranks save at different speeds
                with run.checkpoint(step, **options) as folder:
                    (folder / f"state-{run.rank}").write_text(f"{step} {run.rank}")
                run.stop()
    return work


def test_all_ranks_save_the_same_step(job):
    codes = run_ranks(train([30, 7, 90]), gang(3))
    assert codes == [75] * 3
    assert job.saved() == {f"step-7/rank-{rank}/state-{rank}": f"7 {rank}" for rank in range(3)}
    assert sorted(job.said()) == [f"{rank}: checkpoint done --step 7" for rank in range(3)]


def test_a_shared_folder_has_the_files_of_all_ranks_and_each_rank_reports_it(job):
    codes = run_ranks(train([7, 8, 9], shared=True), gang(3))
    assert codes == [75] * 3
    assert job.saved() == {f"step-7/rank-0/state-{rank}": f"7 {rank}" for rank in range(3)}
    assert sorted(job.said()) == [f"{rank}: checkpoint done --step 7" for rank in range(3)]


def test_workers_of_torchrun_save_for_their_task(job):
    codes = run_ranks(train([30, 30, 7, 30]), torchrun(tasks=2, workers=2))
    assert codes == [75] * 4
    assert job.saved() == {f"step-7/rank-{rank // 2}/worker-{rank}/state-{rank}": f"7 {rank}"
                           for rank in range(4)}
    assert sorted(job.said()) == [f"{task}: checkpoint done --step 7" for task in range(2)]


def test_torchrun_workers_that_save_nothing_have_no_folder(job):
    def work(rank, highest):
        run = coxswain.Run(group=highest)
        with run.checkpoint(1) as folder:
            if rank == 0:
                (folder / "state").write_text("of all")
    assert run_ranks(work, torchrun(tasks=2, workers=2)) == [0] * 4
    assert [str(path.relative_to(job.checkpoints)) for path in sorted(job.checkpoints.rglob("*"))
            ] == ["step-1", "step-1/rank-0", "step-1/rank-0/worker-0",
                  "step-1/rank-0/worker-0/state"]
    assert sorted(job.said()) == ["0: checkpoint done --step 1", "1: checkpoint done --step 1"]
    job.begin_anew()
    job.set(RANK=3, WORLD_SIZE=4, COX_RANK=1)
    assert (coxswain.Run().resume_folder / "state").read_text() == "of all"


def test_workers_of_torchrun_save_into_one_shared_folder(job):
    codes = run_ranks(train([7] * 4, shared=True), torchrun(tasks=2, workers=2))
    assert codes == [75] * 4
    assert job.saved() == {f"step-7/rank-0/state-{rank}": f"7 {rank}" for rank in range(4)}
    assert sorted(job.said()) == [f"{task}: checkpoint done --step 7" for task in range(2)]


def test_a_training_that_is_started_again_does_not_overwrite_what_it_has_saved(job, capfd):
    save(coxswain.Run(), 7, "seven")
    (job.checkpoints / "step-7" / "rank-0.manifest").touch()
    again = coxswain.Run()
    assert "step 7 was saved in this attempt before this process started" in capfd.readouterr().err
    with pytest.raises(coxswain.CheckpointError, match="exit code 75"):
        save(again, 7, "anew")
    assert job.saved()["step-7/rank-0/state"] == "seven"
    assert job.said() == ["0: checkpoint done --step 7"]
