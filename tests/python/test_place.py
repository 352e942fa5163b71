"""The rank of a process, from its environment."""

import pytest
from coxswain.place import Place, place_from

COX = {"COX_SUPERVISOR_SOCKET": "/s", "COX_CHECKPOINT_DIR": "/c"}
TASK = {"SLURM_STEP_ID": "0", "SLURM_PROCID": "2", "SLURM_STEP_NUM_TASKS": "4"}


@pytest.mark.parametrize("environment, place", [
    ({}, Place()),
    # The batch script itself, which is none of the 4 ranks.
    ({"SLURM_PROCID": "0", "SLURM_NTASKS": "4"}, Place()),
    ({**COX, **TASK, "COX_RANK": "2"}, Place(2, 4, 0, 2, 4)),
    ({**COX, **TASK, "COX_RANK": "2", "RANK": "2", "WORLD_SIZE": "4", "LOCAL_RANK": "1"},
     Place(2, 4, 1, 2, 4)),
    ({**COX, **TASK, "COX_RANK": "2", "RANK": "5", "WORLD_SIZE": "8", "LOCAL_RANK": "1"},
     Place(5, 8, 1, 2, 4)),  # a rank of torchrun, which is a task of srun
    ({**COX, "COX_RANK": "0", "RANK": "1", "WORLD_SIZE": "2", "LOCAL_RANK": "1"},
     Place(1, 2, 1, 0, 1)),  # a rank of torchrun, which a batch script starts
    ({**TASK, "SLURM_LOCALID": "1"}, Place(2, 4, 1, 2, 4)),  # another scheduler
    ({"RANK": "1", "WORLD_SIZE": "2", "LOCAL_RANK": "1"}, Place(1, 2, 1, 1, 2)),
    ({"RANK": "1"}, Place()),
    ({"RANK": "one", "WORLD_SIZE": "2"}, Place()),
])
def test_rank_and_number_of_ranks_are_read_from_the_environment(environment, place):
    assert place_from(environment) == place


def test_only_one_process_of_a_task_reports_checkpoints():
    assert Place(2, 4, 1, 2, 4).reports, "each rank is a task"
    assert Place(4, 8, 0, 2, 4).reports and not Place(5, 8, 1, 2, 4).reports
