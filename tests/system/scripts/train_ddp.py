"""Fits y = a x + b like train.py, with PyTorch's DistributedDataParallel: each rank has its own
share of the data."""

import os

import torch
import torch.distributed as dist
from torch.nn.parallel import DistributedDataParallel

torch.set_num_threads(1)
rank = int(os.environ.get("RANK", os.environ.get("SLURM_PROCID", "0")))
world_size = int(os.environ.get("WORLD_SIZE", os.environ.get("SLURM_NTASKS", "1")))
dist.init_process_group("gloo", rank=rank, world_size=world_size)
torch.manual_seed(0)
model = DistributedDataParallel(torch.nn.Linear(1, 1))
optimizer = torch.optim.SGD(model.parameters(), lr=0.5)
x = torch.arange(8).reshape(8, 1)[rank::world_size] / 8
y = 2 * x + 1
for step in range(40):
    optimizer.zero_grad()
    loss = torch.nn.functional.mse_loss(model(x), y)
    loss.backward()
    optimizer.step()
    if rank == 0 and step % 20 == 0:
        print(f"step {step}: training", flush=True)
total = loss.detach().clone()
dist.all_reduce(total)
if rank == 0:
    converged = total.item() / world_size < 0.01
    print(f"world size {world_size}: loss below 0.01: {converged}", flush=True)
    torch.save(model.module.state_dict(), "model.pt")
dist.destroy_process_group()
