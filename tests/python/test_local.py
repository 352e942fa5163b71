"""Runs without a scheduler: saves go into a folder, and a run resumes from the newest complete
one."""

import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest
from conftest import ROOT, run_ranks
from patience import DEADLINE_S

import coxswain

HERE = [{"RANK": rank, "WORLD_SIZE": 2} for rank in range(2)]


def save(run, step, text="x"):
    with run.checkpoint(step) as folder:
        (folder / "state").write_text(text)


def files(folder="checkpoints"):
    return sorted(str(path.relative_to(folder)) for path in Path(folder).rglob("*")
                  if not path.is_dir())


def test_a_run_keeps_its_two_newest_saves_and_resumes_from_the_newest(capfd):
    run = coxswain.Run()
    assert run.step == 0 and run.resume_folder is None
    for step in (1, 2, 3):
        save(run, step, str(step))
    again = coxswain.Run()
    assert again.step == 3 and (again.resume_folder / "state").read_text() == "3"
    told = capfd.readouterr().err
    assert "no scheduler here; resumes after step 3 from checkpoints/step-3" in told
    assert files() == ["step-2/rank-0.done", "step-2/rank-0/state",
                       "step-3/rank-0.done", "step-3/rank-0/state"], "the newest two are kept"


def test_a_half_written_save_is_never_resumed_from():
    save(coxswain.Run(), 1)
    with pytest.raises(OSError), coxswain.Run().checkpoint(2) as folder:
        (folder / "state").write_text("half")
        raise OSError
    assert coxswain.Run().step == 1
    half = Path("checkpoints/step-5/rank-0.part")  # left by a killed process
    half.mkdir(parents=True)
    (half / "state").write_text("half")
    # Left by a process that was killed before it wrote its marker.
    renamed = Path("checkpoints/step-6/rank-0")
    renamed.mkdir(parents=True)
    run = coxswain.Run()
    assert run.step == 1 and not half.exists()
    save(run, 6, "whole")
    assert coxswain.Run().step == 6


def test_a_step_whose_save_or_removal_was_killed_is_removed_later(monkeypatch):
    def killed(*_, **__):
        raise KeyboardInterrupt

    run = coxswain.Run()
    save(run, 1)
    with monkeypatch.context() as patch, pytest.raises(KeyboardInterrupt):
        patch.setattr(coxswain.store.LocalStore, "report", killed)
        save(run, 2)
    assert Path("checkpoints/step-2/rank-0").exists()
    run = coxswain.Run()
    assert run.step == 1 and not Path("checkpoints/step-2").exists()
    save(run, 3)
    with monkeypatch.context() as patch, pytest.raises(KeyboardInterrupt):
        patch.setattr(coxswain.store.shutil, "rmtree", lambda path, ignore_errors:
                      killed() if path.parent.name == "step-1" else None)
        save(run, 4)
    assert Path("checkpoints/step-1/rank-0").exists()
    run = coxswain.Run()
    assert run.step == 4
    save(run, 5)
    assert sorted(os.listdir("checkpoints")) == ["step-4", "step-5"]


def test_a_spawned_process_leaves_an_open_save_and_sigterm_alone(tmp_path):
    """A spawned process runs the first lines of the script again."""
    script = tmp_path / "train.py"
    script.write_text("""if True:
        import coxswain, multiprocessing, signal
        run = coxswain.Run()

        def load():
            print(signal.getsignal(signal.SIGTERM) == signal.SIG_DFL, flush=True)

        if __name__ == "__main__":
            with run.checkpoint(1) as folder:
                (folder / "state").write_text("x")
                worker = multiprocessing.get_context("spawn").Process(target=load)
                worker.start()
                worker.join()
        """)
    environment = dict(os.environ, PYTHONPATH=str(ROOT / "python"))
    done = subprocess.run([sys.executable, script], env=environment, text=True,
                          timeout=DEADLINE_S, capture_output=True, check=False)
    assert (done.returncode, done.stdout) == (0, "True\n"), done.stderr
    assert coxswain.Run().step == 1


def test_folders_of_other_programs_are_not_removed():
    other = Path("checkpoints/step-900")
    other.mkdir(parents=True)
    (other / "model.pt").write_text("not ours")
    (Path("checkpoints") / "best.pt").write_text("not ours")
    run = coxswain.Run()
    for step in (1, 2, 3, 4):
        save(run, step)
    assert {"step-900/model.pt", "best.pt"} <= set(files())


def test_a_run_resumes_only_from_a_step_that_all_ranks_have_saved():
    def both(rank, highest):
        run = coxswain.Run(group=highest)
        run.wait_for_ranks()
        for step in (1, 2):
            if step == 1 or rank == 0:
                save(run, step, f"{step} {rank}")
    assert run_ranks(both, HERE) == [0, 0]
    assert "step-2/rank-0.done" in files()

    def resumed(rank, highest):
        run = coxswain.Run(group=highest)
        assert run.step == 1 and (run.resume_folder / "state").read_text() == f"1 {rank}"
        run.wait_for_ranks()
        assert not Path("checkpoints/step-2").exists()
    assert run_ranks(resumed, HERE) == [0, 0]


def test_an_unfinished_folder_of_a_larger_gang_is_not_resumed():
    save(coxswain.Run(), 1)
    Path("checkpoints/step-2/rank-1").mkdir(parents=True)
    save(coxswain.Run(), 2)
    assert [folder.name for folder in coxswain.Run().resume_folders] == ["rank-0"]


def test_a_step_whose_marker_cannot_be_read_is_not_removed():
    save(coxswain.Run(), 5)
    marker = Path("checkpoints/step-5/rank-0.done")
    text = marker.read_text()
    marker.unlink()
    marker.mkdir()  # reading it fails, also for root
    with pytest.raises(OSError):
        coxswain.Run()
    marker.rmdir()
    marker.write_text(text)
    assert coxswain.Run().step == 5


def test_jobs_of_another_scheduler_do_not_share_a_folder(monkeypatch):
    monkeypatch.setenv("SLURM_JOB_ID", "17")
    save(coxswain.Run(), 1)
    monkeypatch.setenv("SLURM_JOB_ID", "18")
    assert coxswain.Run().step == 0
    assert files() == ["job-17/step-1/rank-0.done", "job-17/step-1/rank-0/state"]


def test_a_cluster_without_a_checkpoint_folder_saves_into_the_given_one(monkeypatch):
    monkeypatch.setenv("COX_SUPERVISOR_SOCKET", "/nowhere")
    save(coxswain.Run(folder="mine"), 1)
    assert files("mine") == ["step-1/rank-0.done", "step-1/rank-0/state"]


def test_the_example_loop_saves_at_sigterm_and_resumes(tmp_path):
    """Runs examples/checkpoint_loop.py like a user does, and ends it by SIGTERM in the middle."""
    words = [sys.executable, ROOT / "examples/checkpoint_loop.py", "--steps", "40",
             "--step-time", "0.02"]
    environment = dict(os.environ, PYTHONPATH=str(ROOT / "python"), PYTHONUNBUFFERED="1")
    first = subprocess.Popen(words, env=environment, text=True, stdout=subprocess.PIPE)
    assert first.stdout.readline() == "step 1\n"
    first.send_signal(signal.SIGTERM)
    first.communicate(timeout=DEADLINE_S)
    assert first.returncode == 75
    second = subprocess.run(words, env=environment, text=True, check=True,
                            timeout=DEADLINE_S, capture_output=True)
    assert "resumes after step" in second.stdout
    assert second.stdout.endswith(f"total {sum(range(41))}\n")
