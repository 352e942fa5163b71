"""Adds up the ranks of a PyTorch process group. srun or torchrun has set their environment."""

import os

import torch
import torch.distributed as dist

for name, slurm in (("RANK", "SLURM_PROCID"), ("WORLD_SIZE", "SLURM_NTASKS")):
    os.environ.setdefault(name, os.environ.get(slurm, ""))
os.environ.setdefault("USE_LIBUV", "0")  # Debian 13's PyTorch was built without libuv
dist.init_process_group("gloo")
total = torch.tensor([dist.get_rank()])
dist.all_reduce(total)
if dist.get_rank() == 0:
    print(f"{dist.get_world_size()} ranks, the sum of all is {total.item()}")
dist.destroy_process_group()
