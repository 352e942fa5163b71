"""The agreement of ranks through a process group of PyTorch."""

import pytest

import coxswain
from coxswain.group import agreement
from coxswain.place import Place

torch = pytest.importorskip("torch")
dist = torch.distributed


@pytest.fixture
def group(tmp_path):
    dist.init_process_group("gloo", init_method=f"file://{tmp_path}/ranks", rank=0, world_size=1)
    yield dist.group.WORLD
    dist.destroy_process_group()


def test_all_agreements_reduce_one_tensor_that_stays_alive(group, monkeypatch):
    """A thread of gloo releases a tensor after all_reduce() has returned. If nobody else has it
    then and Python is about to end, PyTorch aborts the process."""
    reduced = []
    all_reduce = dist.all_reduce
    monkeypatch.setattr(dist, "all_reduce", lambda tensor, **options: (
        reduced.append(tensor), all_reduce(tensor, **options)))
    highest = agreement(group, Place())
    assert [highest(2), highest(0), highest(1)] == [2, 0, 1]
    assert all(tensor is reduced[0] for tensor in reduced), "an agreement made another tensor"


@pytest.mark.parametrize("group_has, run_has, words", [
    ((1, 2), {}, r"is rank 1 of 2 in the process group, but rank 0 of 1 in the run"),
    ((0, 2), {}, r"is rank 0 of 2 .* but rank 0 of 1 .* `srun -n2`"),
    ((0, 1), {"RANK": 0, "WORLD_SIZE": 2}, r"is rank 0 of 1 .* but rank 0 of 2"),
    ((1, 2), {"RANK": 0, "WORLD_SIZE": 2}, r"is rank 1 of 2 .* but rank 0 of 2"),
])
def test_a_group_that_numbers_the_ranks_differently_is_refused(
        job, group, monkeypatch, group_has, run_has, words):
    """Processes of torch.multiprocessing.spawn() all have the environment of one rank."""
    job.set(**run_has)
    monkeypatch.setattr(dist, "get_rank", lambda group: group_has[0])
    monkeypatch.setattr(dist, "get_world_size", lambda group: group_has[1])
    run = coxswain.Run()
    with pytest.raises(ValueError, match=words):
        run.group = group
    assert run.group is None


def test_a_group_of_the_ranks_of_the_run_is_taken(job, group):
    run = coxswain.Run()
    run.group = group
    assert run.group is group and not run.should_save()
