"""The agreement of ranks through a process group of PyTorch."""

import pytest

from coxswain.group import agreement

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
    highest = agreement(group)
    assert [highest(2), highest(0), highest(1)] == [2, 0, 1]
    assert all(tensor is reduced[0] for tensor in reduced), "an agreement made another tensor"
