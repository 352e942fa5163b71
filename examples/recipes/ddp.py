#!/usr/bin/python3
"""PyTorch DistributedDataParallel, on CPUs or GPUs. The lines of Coxswain are marked.

    cox submit -N2 -n4 --checkpoint-signal=USR1 -- /usr/bin/python3 examples/recipes/ddp.py

All ranks have the same weights, so rank 0 saves for all of them, and the training resumes with any
number of ranks: `-N1-4` without `-n` lets it grow and shrink. Tasks of srun and the workers of
torchrun (torchrun.sh) run the same script.
"""

import argparse
import os
import time

import coxswain

run = coxswain.Run()  # Coxswain: before the slow import of torch

import torch  # noqa: E402
import torch.distributed as dist  # noqa: E402

BATCH = 48  # images in a step, of all ranks together


def parse_arguments():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--steps", type=int, default=500)
    parser.add_argument("--step-time", type=float, default=0, help="seconds more a step")
    return parser.parse_args()


def join_ranks():
    """Joins the process group. Tasks of srun have no RANK and WORLD_SIZE, so rank and size come
    from the run. Coxswain sets MASTER_ADDR and MASTER_PORT; the values here are for others."""
    address = os.environ.get("SLURM_LAUNCH_NODE_IPADDR", "127.0.0.1")
    address = os.environ.setdefault("MASTER_ADDR", address)
    os.environ.setdefault("MASTER_PORT", "29500")
    os.environ.setdefault("USE_LIBUV", "0")  # Debian 13's PyTorch was built without libuv
    if address.startswith("127."):
        # Without this, gloo would use the network to which the host's name resolves.
        os.environ.setdefault("GLOO_SOCKET_IFNAME", "lo")
    backend = "nccl" if torch.cuda.is_available() else "gloo"
    if backend == "nccl":
        torch.cuda.set_device(int(os.environ.get("LOCAL_RANK", 0)) % torch.cuda.device_count())
    dist.init_process_group(backend, rank=run.rank, world_size=run.world_size)
    return "cuda" if backend == "nccl" else "cpu"


def batch_of(step, device):
    """Returns this rank's part of the images of a step. The images depend only on the step."""
    generator = torch.Generator().manual_seed(step)
    images = torch.randn(BATCH, 16, generator=generator)
    labels = (images.sum(dim=1) > 0).long()
    mine = slice(run.rank, None, run.world_size)
    return images[mine].to(device), labels[mine].to(device)


def main():
    options = parse_arguments()
    torch.set_num_threads(1)
    device = join_ranks()
    run.group = dist.group.WORLD  # Coxswain: all ranks save the same step
    torch.manual_seed(7)
    network = torch.nn.Sequential(torch.nn.Linear(16, 32), torch.nn.ReLU(), torch.nn.Linear(32, 2))
    model = torch.nn.parallel.DistributedDataParallel(network.to(device))
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1, momentum=0.9)

    if run.resume_folder:  # Coxswain
        state = torch.load(run.resume_folder / "state.pt", map_location=device)
        network.load_state_dict(state["network"])
        optimizer.load_state_dict(state["optimizer"])
        print(f"rank {run.rank} of {run.world_size} resumes after step {run.step}", flush=True)

    for step in range(run.step + 1, options.steps + 1):
        images, labels = batch_of(step, device)
        loss = torch.nn.functional.cross_entropy(model(images), labels)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        time.sleep(options.step_time)

        run.progress(step, options.steps, loss=loss)  # Coxswain
        if run.should_save():
            with run.checkpoint(step) as folder:
                if run.rank == 0:
                    torch.save({"network": network.state_dict(),
                                "optimizer": optimizer.state_dict()}, folder / "state.pt")
            run.stop()
        if run.rank == 0 and step % 50 == 0:
            print(f"step {step} of {options.steps}: loss {loss.item():.4f}", flush=True)

    if run.rank == 0:
        print(f"finished, weights {sum(p.abs().sum() for p in network.parameters()).item():.6f}")
    dist.destroy_process_group()


main()
