#!/usr/bin/python3
"""FSDP with torch.distributed.checkpoint: each rank saves its shards, any number of ranks resumes.

    cox submit -N1-4 --checkpoint-signal=USR1 -- /usr/bin/python3 examples/recipes/fsdp.py

Needs PyTorch 2.6, and GPUs. The lines of Coxswain are marked.
"""

import argparse
import os
import time

import coxswain

run = coxswain.Run()  # Coxswain: before the slow import of torch

import torch  # noqa: E402
import torch.distributed as dist  # noqa: E402
import torch.distributed.checkpoint as dcp  # noqa: E402
from torch.distributed.checkpoint.state_dict import get_state_dict, set_state_dict  # noqa: E402
from torch.distributed.fsdp import fully_shard  # noqa: E402

BATCH = 48  # samples in a step, of all ranks together


def parse_arguments():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--steps", type=int, default=500)
    parser.add_argument("--step-time", type=float, default=0, help="seconds more a step")
    return parser.parse_args()


def join_ranks():
    address = os.environ.get("SLURM_LAUNCH_NODE_IPADDR", "127.0.0.1")
    address = os.environ.setdefault("MASTER_ADDR", address)
    os.environ.setdefault("MASTER_PORT", "29500")
    os.environ.setdefault("USE_LIBUV", "0")  # Debian 13's PyTorch was built without libuv
    if address.startswith("127."):
        # Without this, gloo would use the network to which the host's name resolves.
        os.environ.setdefault("GLOO_SOCKET_IFNAME", "lo")
    if torch.cuda.is_available():
        torch.cuda.set_device(int(os.environ.get("LOCAL_RANK", 0)) % torch.cuda.device_count())
    backend = "nccl" if torch.cuda.is_available() else "gloo"
    dist.init_process_group(backend, rank=run.rank, world_size=run.world_size)
    return "cuda" if backend == "nccl" else "cpu"


def batch_of(step, device):
    """Returns this rank's part of the samples of a step. The samples depend only on the step."""
    generator = torch.Generator().manual_seed(step)
    samples = torch.randn(BATCH, 16, generator=generator)
    labels = (samples.sum(dim=1) > 0).long()
    mine = slice(run.rank, None, run.world_size)
    return samples[mine].to(device), labels[mine].to(device)


def weight_of(model):
    """Returns a number that differs between models and is the same on all ranks."""
    return sum(weight.full_tensor().abs().sum().item() for weight in model.parameters())


def main():
    options = parse_arguments()
    torch.set_num_threads(1)
    device = join_ranks()
    run.group = dist.group.WORLD  # Coxswain: all ranks save the same step
    torch.manual_seed(7)
    model = torch.nn.Sequential(torch.nn.Linear(16, 64), torch.nn.ReLU(), torch.nn.Linear(64, 2))
    fully_shard(model.to(device))
    optimizer = torch.optim.AdamW(model.parameters(), lr=0.01)

    if run.resume_folder:  # Coxswain: each rank reads its shards, from whichever ranks saved them
        weights, moments = get_state_dict(model, optimizer)
        dcp.load({"model": weights, "optimizer": moments}, checkpoint_id=run.resume_folder)
        set_state_dict(model, optimizer, model_state_dict=weights, optim_state_dict=moments)
        print(f"rank {run.rank} of {run.world_size} resumes after step {run.step}, weights "
              f"{weight_of(model):.6f}", flush=True)

    for step in range(run.step + 1, options.steps + 1):
        samples, labels = batch_of(step, device)
        loss = torch.nn.functional.cross_entropy(model(samples), labels)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        time.sleep(options.step_time)

        run.progress(step, options.steps, loss=loss)  # Coxswain
        if run.should_save():
            weights, moments = get_state_dict(model, optimizer)
            with run.checkpoint(step, shared=True) as folder:  # all ranks write into one folder
                dcp.save({"model": weights, "optimizer": moments}, checkpoint_id=folder)
            run.stop()
        if run.rank == 0 and step % 50 == 0:
            print(f"step {step} of {options.steps}: loss {loss.item():.4f}", flush=True)

    print(f"rank {run.rank} has finished, weights {weight_of(model):.6f}")
    dist.destroy_process_group()


main()
