"""Agreement of ranks: each rank gives a number, and all ranks get the highest."""

import sys


def agreement(group):
    """Returns the function for a PyTorch process group, or `group` itself if it is a function."""
    if group is None or callable(group):
        return group
    return TorchAgreement(group)


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
