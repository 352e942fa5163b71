"""A PyTorch process group: the ranks add up their numbers, and rank 0 prints the ranks' hosts."""

import os
import socket

import torch
import torch.distributed as dist

for name, slurm in (("RANK", "SLURM_PROCID"), ("WORLD_SIZE", "SLURM_NTASKS")):
    os.environ.setdefault(name, os.environ.get(slurm, ""))
dist.init_process_group("gloo")
total = torch.tensor([dist.get_rank()])
dist.all_reduce(total)
hosts = [None] * dist.get_world_size()
dist.all_gather_object(hosts, socket.gethostname())
if dist.get_rank() == 0:
    print(f"{len(hosts)} ranks on {' '.join(hosts)}, the sum of all is {total.item()}")
dist.destroy_process_group()
