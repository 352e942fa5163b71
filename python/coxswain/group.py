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

        self._torch, self._group = torch, group
        backend = str(torch.distributed.get_backend(group))
        # NCCL reduces nothing but the memory of GPUs.
        on_gpu = "nccl" in backend and "gloo" not in backend
        self._device = f"cuda:{torch.cuda.current_device()}" if on_gpu else "cpu"

    def __call__(self, number):
        distributed = self._torch.distributed
        highest = self._torch.tensor([number], dtype=self._torch.int64, device=self._device)
        distributed.all_reduce(highest, op=distributed.ReduceOp.MAX, group=self._group)
        return int(highest.item())
