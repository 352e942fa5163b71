"""Agreement of ranks: each rank gives a number, and all ranks get the highest."""

import sys


def agreement(group, place):
    """Returns the function for a PyTorch process group, or `group` itself if it is a function."""
    if group is None or callable(group):
        return group
    check_numbers(group, place)
    return TorchAgreement(group)


def check_numbers(group, place):
    """Raises ValueError if the process group numbers the ranks differently than the run does. Files
    have the run's rank in their names, so ranks would overwrite each other's saves."""
    from torch import distributed

    rank, size = distributed.get_rank(group), distributed.get_world_size(group)
    if (rank, size) == (place.rank, place.world_size):
        return
    raise ValueError(
        f"this process is rank {rank} of {size} in the process group, but rank {place.rank} of "
        f"{place.world_size} in the run. The group must have all ranks of the run, with the same "
        f"numbers. Instead of torch.multiprocessing.spawn(), start each rank as a task (`cox "
        f"submit -n{max(size, 1)}`, `srun -n{max(size, 1)}`) or by torchrun")


def world_group():
    """Returns PyTorch's group of all ranks, or None if there is no such group."""
    torch = sys.modules.get("torch")
    if torch is None or not torch.distributed.is_available():
        return None
    return torch.distributed.group.WORLD if torch.distributed.is_initialized() else None


class TorchAgreement:
    def __init__(self, group):
        import torch

        self._distributed, self._group = torch.distributed, group
        backend = str(torch.distributed.get_backend(group))
        # NCCL reduces only tensors in GPU memory.
        on_gpu = "nccl" in backend and "gloo" not in backend
        # One tensor for all calls. A thread of gloo releases a tensor after the call; if it is the
        # last to do so while Python ends, PyTorch aborts the process (pytorch/pytorch#190489).
        self._highest = torch.zeros(
            1, dtype=torch.int64, device=f"cuda:{torch.cuda.current_device()}" if on_gpu else "cpu")

    def __call__(self, number):
        self._highest.fill_(number)
        self._distributed.all_reduce(self._highest, op=self._distributed.ReduceOp.MAX,
                                     group=self._group)
        return int(self._highest.item())
