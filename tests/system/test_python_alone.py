"""The Python module `coxswain` without Coxswain: the unchanged recipes save into a folder and
resume from there, also with another number of ranks."""

import re
import shutil
import signal
import subprocess

from patience import LONG_DEADLINE_S
import pytest
from cluster import PYTHON, ROOT
from lone_ranks import LoneRanks, weights

RECIPES = ROOT / "examples/recipes"
STEPS = ("--steps", 200)
SLOWLY = (*STEPS, "--step-time", "0.05")

# PyTorch 2.6 can shard on CPUs too, but its streams for CPUs lack these methods.
CPU_STREAMS = """
import torch.cpu

class Event:
    def record(self, stream=None): pass
    def wait(self, stream=None): pass
    def query(self): return True
    def synchronize(self): pass

if not hasattr(torch.cpu.Stream, "record_event"):
    torch.cpu.Event = Event
    torch.cpu.Stream.record_event = lambda self, event=None: Event()
    torch.cpu.Stream.wait_event = lambda self, event: None
    torch.cpu.Stream.wait_stream = lambda self, stream: None
"""


def stop_at_step_50(ranks):
    """Asks one rank to stop. All ranks save the same step, and the test finds out which one."""
    ranks.await_text("^step 50 ")
    ranks.processes[-1].send_signal(signal.SIGTERM)
    ranks.end(exit_code=75)


def test_ddp_without_coxswain_resumes_with_the_same_and_with_fewer_ranks(tmp_path):
    (tmp_path / "whole").mkdir()
    whole = LoneRanks(tmp_path / "whole", 2, RECIPES / "ddp.py", *STEPS).end()
    stop_at_step_50(LoneRanks(tmp_path, 2, RECIPES / "ddp.py", *SLOWLY))
    steps = list((tmp_path / "checkpoints").glob("step-*"))
    assert len(steps) == 1
    step = steps[0].name.removeprefix("step-")
    shutil.copytree(tmp_path / "checkpoints", tmp_path / "again" / "checkpoints")
    same = LoneRanks(tmp_path / "again", 2, RECIPES / "ddp.py", *STEPS).end()
    assert f"rank 1 of 2 resumes after step {step}\n" in same
    assert weights(same) == weights(whole)
    fewer = LoneRanks(tmp_path, 1, RECIPES / "ddp.py", *STEPS).end()
    assert f"rank 0 of 1 resumes after step {step}\n" in fewer
    # One rank adds in another order than two.
    assert weights(fewer) == pytest.approx(weights(whole), rel=1e-5)


def shards(tmp_path):
    """Returns a folder with a module that adds what PyTorch lacks. Skips the test if PyTorch is too
    old for the recipe."""
    tried = subprocess.run([PYTHON, "-c", "from torch.distributed.fsdp import fully_shard"],
                           capture_output=True, timeout=LONG_DEADLINE_S, check=False)
    if tried.returncode != 0:
        pytest.skip("PyTorch is older than 2.6")
    folder = tmp_path / "streams"
    folder.mkdir()
    (folder / "sitecustomize.py").write_text(CPU_STREAMS)
    return folder


def test_fsdp_shards_without_coxswain_resume_with_fewer_and_with_more_ranks(tmp_path):
    def start(folder, ranks, *words):
        return LoneRanks(folder, ranks, RECIPES / "fsdp.py", *words, more_modules=[streams])

    streams = shards(tmp_path)
    stop_at_step_50(start(tmp_path, 2, *SLOWLY))
    found = {}
    for ranks in (1, 2, 3):
        folder = tmp_path / f"by-{ranks}"
        shutil.copytree(tmp_path / "checkpoints", folder / "checkpoints")
        text = start(folder, ranks, *STEPS).end()
        lines = re.findall(r"^rank (\d) of \d resumes after step (\d+), weights ([\d.]+)$", text,
                           re.MULTILINE)
        assert sorted(int(rank) for rank, _, _ in lines) == list(range(ranks)), text
        found[ranks] = {(step, float(weight)) for _, step, weight in lines}
        assert "finished, weights" in text
    assert len(found[2]) == 1
    (step, weight), = found[2]
    for ranks in (1, 3):
        assert all(other == step and value == pytest.approx(weight, rel=1e-5)
                   for other, value in found[ranks])
