"""The rank of this process, read from the environment."""

from dataclasses import dataclass


@dataclass(frozen=True)
class Place:
    """A process of a training, and the task of the scheduler that it belongs to.

    Usually each rank is a task. A launcher such as torchrun is one task that starts several ranks;
    these save into one folder, and one of them reports it.
    """

    rank: int = 0
    world_size: int = 1
    local_rank: int = 0
    task: int = 0  # the scheduler's number of the task that this process belongs to
    tasks: int = 1

    @property
    def shares_task(self):
        return self.world_size > self.tasks

    @property
    def reports(self):
        """Returns whether this process reports saves for its task. Of several workers it is the
        first."""
        return not self.shares_task or self.local_rank == 0


def number_in(environment, *names):
    """Returns the number in the first of these variables that has one, else None."""
    for name in names:
        text = environment.get(name, "")
        if text.isdecimal():
            return int(text)
    return None


def place_from(environment):
    """Returns the place of this process. torchrun and the ranks of a gang have RANK; tasks of srun
    have only Slurm's variables."""
    is_task = "SLURM_STEP_ID" in environment
    tasks = number_in(environment, "SLURM_STEP_NUM_TASKS", "SLURM_NTASKS") if is_task else None
    rank, world_size = number_in(environment, "RANK"), number_in(environment, "WORLD_SIZE")
    if rank is None or world_size is None:
        rank = number_in(environment, "SLURM_PROCID") if is_task else None
        world_size = tasks
    rank, world_size = rank or 0, world_size or 1
    local_rank = number_in(environment, "LOCAL_RANK", "SLURM_LOCALID") or 0
    if not has_scheduler(environment):
        return Place(rank, world_size, local_rank, task=rank, tasks=world_size)
    return Place(rank, world_size, local_rank, number_in(environment, "COX_RANK") or 0, tasks or 1)


def has_scheduler(environment):
    """Returns whether this process runs under Coxswain, in a cluster that keeps checkpoints."""
    return all(environment.get(name) for name in ("COX_SUPERVISOR_SOCKET", "COX_CHECKPOINT_DIR"))
