#!/usr/bin/python3
"""Trains a small network on handwritten digits with PyTorch DistributedDataParallel (gloo, CPU).

An example of a gang job that can be stopped at any step and resumed elsewhere. Its weights are bit
for bit those of an uninterrupted run. As a job, four ranks on two nodes:

    cox submit -N2 -n4 --checkpoint-signal=USR1 -- /usr/bin/python3 examples/digits/train.py

Without a cluster, four ranks as children of this process:

    /usr/bin/python3 examples/digits/train.py --standalone-ranks 4

docs/checkpointing.md explains the parts that are marked CHECKPOINT.
"""

import argparse
import datetime
import gzip
import hashlib
import os
import signal
import socket
import struct
import subprocess
import sys
import time
from pathlib import Path

EXIT_SAVED = 75  # the exit code for "saved, run me again"

# CHECKPOINT 1: the handler only sets a flag. It is installed before the slow import of torch, so
# that a request in the first seconds does not end the process.
stop_asked = False


def on_stop(_signal_number, _frame):
    global stop_asked
    stop_asked = True


signal.signal(signal.SIGUSR1, on_stop)
signal.signal(signal.SIGTERM, on_stop)


def parse_arguments():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--steps", type=int, default=600, help="train this many steps")
    parser.add_argument("--batch", type=int, default=32, help="images per rank and step")
    parser.add_argument("--seed", type=int, default=7)
    parser.add_argument("--step-time", type=float, default=0, help="seconds a step takes at least")
    parser.add_argument("--checkpoint-every", type=int, default=0, help="steps; 0: when asked")
    parser.add_argument("--collective-timeout", type=float, default=1800,
                        help="seconds that ranks wait for each other before they fail")
    parser.add_argument("--trace", type=Path, help="folder for one line per step and rank")
    parser.add_argument("--weights", type=Path, help="file for the final weights (rank 0)")
    parser.add_argument("--standalone-ranks", type=int, help="start so many ranks here, no cluster")
    return parser.parse_args()


def read_digits(torch, seed):
    """Returns the images, scaled to 0..1 and shuffled by seed. The last 360 are for the test."""
    with gzip.open(Path(__file__).resolve().parent / "digits.csv.gz", "rt") as file:
        rows = torch.tensor([[float(word) for word in line.split(",")] for line in file])
    order = torch.randperm(len(rows), generator=torch.Generator().manual_seed(seed))
    images, labels = rows[order, :64] / 16, rows[order, 64].long()
    return (images[:-360], labels[:-360]), (images[-360:], labels[-360:])


def batch_of(torch, options, step, rank, world_size, image_count):
    """CHECKPOINT 2: the images of a rank depend on the seed and the step, and on nothing else."""
    generator = torch.Generator().manual_seed(options.seed * 1_000_003 + step)
    order = torch.randperm(image_count, generator=generator)
    return order[rank * options.batch : (rank + 1) * options.batch]


class Training:
    """The model, the optimiser and the generator of random numbers: all that a step changes."""

    def __init__(self, torch, seed, rank):
        self.torch = torch
        torch.manual_seed(seed)
        self.network = torch.nn.Sequential(
            torch.nn.Linear(64, 96), torch.nn.ReLU(), torch.nn.Dropout(0.2),
            torch.nn.Linear(96, 48), torch.nn.ReLU(), torch.nn.Linear(48, 10))
        # CHECKPOINT 3: plain DDP regroups its buckets after the first iteration of a process, which
        # changes the order of summation. With find_unused_parameters it never regroups them.
        self.parallel = torch.nn.parallel.DistributedDataParallel(
            self.network, find_unused_parameters=True)
        self.optimiser = torch.optim.SGD(self.network.parameters(), lr=0.05, momentum=0.9)
        torch.manual_seed(seed * 1_000_003 + rank)  # each rank has its own random dropout

    def step(self, images, labels):
        self.optimiser.zero_grad()
        loss = self.torch.nn.functional.cross_entropy(self.parallel(images), labels)
        loss.backward()
        self.optimiser.step()
        return loss.item()

    # CHECKPOINT 4: the state is more than the weights: also the momentum and the random numbers.
    def save(self, file):
        self.torch.save({"network": self.network.state_dict(),
                         "optimiser": self.optimiser.state_dict(),
                         "random": self.torch.get_rng_state()}, file)

    def load(self, file):
        state = self.torch.load(file)
        self.network.load_state_dict(state["network"])
        self.optimiser.load_state_dict(state["optimiser"])
        self.torch.set_rng_state(state["random"])


def save_checkpoint(training, step, rank):
    """CHECKPOINT 5: each step and rank has a folder, complete before the report, then unchanged."""
    folder = Path(os.environ["COX_CHECKPOINT_DIR"]) / f"step-{step}" / f"rank-{rank}"
    folder.mkdir(parents=True, exist_ok=True)
    training.save(folder / "state.pt")
    if "COX_SUPERVISOR_SOCKET" in os.environ:
        subprocess.run(["cox", "checkpoint", "done", "--step", str(step)], check=True)
    print(f"rank {rank} saved step {step}", flush=True)


def resumed_step(training, rank):
    """Loads the checkpoint to resume from, and returns its step. Returns 0 if there is none."""
    given = os.environ.get("COX_RESUME_FROM")
    if not given:
        return 0
    training.load(Path(given) / f"rank-{rank}" / "state.pt")
    step = int(Path(given).name.removeprefix("step-"))
    print(f"rank {rank} resumes after step {step} from {given}", flush=True)
    return step


def all_agree_to_stop(torch):
    """CHECKPOINT 6: if one rank was asked to stop, all stop, and all after the same step."""
    flag = torch.tensor([int(stop_asked)])
    torch.distributed.all_reduce(flag, op=torch.distributed.ReduceOp.MAX)
    return bool(flag.item())


def open_trace(folder, rank):
    if not folder:
        return None
    folder.mkdir(parents=True, exist_ok=True)
    return open(folder / f"rank-{rank}", "a", encoding="ascii", buffering=1)


def finish(torch, training, test, weights_file):
    """Prints the accuracy of the network, and writes its weights in an exact form. For rank 0."""
    training.network.eval()
    images, labels = test
    right = (training.network(images).argmax(dim=1) == labels).sum().item()
    blob = b""
    for name, tensor in sorted(training.network.state_dict().items()):
        values = tensor.flatten().tolist()
        blob += name.encode() + b"\0" + struct.pack(f"<{len(values)}f", *values)
    print(f"test accuracy {right / len(labels):.4f}")
    print(f"weights sha256 {hashlib.sha256(blob).hexdigest()}", flush=True)
    if weights_file:
        weights_file.write_bytes(blob)


def train(options):
    rank, world_size = int(os.environ["RANK"]), int(os.environ["WORLD_SIZE"])
    attempt = os.environ.get("COX_ATTEMPT_ID", ".1").rpartition(".")[2]
    if os.environ["MASTER_ADDR"].startswith("127."):
        # Without this, gloo would use the network to which the host's name resolves.
        os.environ.setdefault("GLOO_SOCKET_IFNAME", "lo")
    os.environ.setdefault("TORCH_CPP_LOG_LEVEL", "ERROR")  # DDP warns that CHECKPOINT 3 costs time
    os.environ.setdefault("GLOG_minloglevel", "2")
    os.environ.setdefault("USE_LIBUV", "0")  # Debian 13's PyTorch was built without libuv

    import torch

    torch.set_num_threads(1)  # CHECKPOINT 7: with more threads, sums differ between runs
    torch.use_deterministic_algorithms(True)
    patience = datetime.timedelta(seconds=options.collective_timeout)
    # Another rank may start much later than this one, so the first meeting has a time of its own.
    store, rank, world_size = next(torch.distributed.rendezvous("env://"))
    torch.distributed.init_process_group("gloo", store=store, rank=rank, world_size=world_size,
                                         timeout=patience)
    (images, labels), test = read_digits(torch, options.seed)
    training = Training(torch, options.seed, rank)
    trace = open_trace(options.trace, rank)
    for step in range(resumed_step(training, rank) + 1, options.steps + 1):
        began = time.monotonic()
        mine = batch_of(torch, options, step, rank, world_size, len(images))
        loss = training.step(images[mine], labels[mine])
        if trace:
            trace.write(f"{attempt} {step} {loss!r}\n")
        if rank == 0 and step % 50 == 0:
            print(f"step {step} of {options.steps}: loss {loss:.4f}", flush=True)
        if step < options.steps and all_agree_to_stop(torch):
            save_checkpoint(training, step, rank)
            torch.distributed.barrier()
            sys.exit(EXIT_SAVED)
        if options.checkpoint_every and step % options.checkpoint_every == 0:
            save_checkpoint(training, step, rank)
        time.sleep(max(0.0, began + options.step_time - time.monotonic()))
    if rank == 0:
        finish(torch, training, test, options.weights)
    torch.distributed.barrier()


def run_standalone(world_size):
    """Starts the ranks and passes on the request to stop. Exits like the first rank that failed."""
    with socket.create_server(("127.0.0.1", 0)) as probe:
        port = probe.getsockname()[1]
    ranks = []
    for rank in range(world_size):
        environment = dict(os.environ, RANK=str(rank), WORLD_SIZE=str(world_size),
                           MASTER_ADDR="127.0.0.1", MASTER_PORT=str(port))
        ranks.append(subprocess.Popen([sys.executable] + sys.argv, env=environment))
    told = False
    while any(rank.poll() is None for rank in ranks):
        if stop_asked and not told:
            told = True
            for rank in ranks:
                rank.send_signal(signal.SIGUSR1)
        time.sleep(0.05)
    sys.exit(next((rank.returncode for rank in ranks if rank.returncode), 0))


def main():
    options = parse_arguments()
    if options.standalone_ranks and "RANK" not in os.environ:
        run_standalone(options.standalone_ranks)
    train(options)


if __name__ == "__main__":
    main()
