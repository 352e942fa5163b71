"""Which rank a process is, by what its environment says."""

import pytest
from coxswain.place import Place, place_from

COX = {"COX_SUPERVISOR_SOCKET": "/s", "COX_CHECKPOINT_DIR": "/c"}
TASK = {"SLURM_STEP_ID": "0", "SLURM_PROCID": "2", "SLURM_STEP_NUM_TASKS": "4"}


@pytest.mark.parametrize("environment, place", [
    ({}, Place()),
    ({"SLURM_PROCID": "0", "SLURM_NTASKS": "4"}, Place()),  # a batch script, not its tasks
    ({**COX, **TASK, "COX_RANK": "2"}, Place(2, 4, 0, 2, 4)),
    ({**COX, **TASK, "COX_RANK": "2", "RANK": "2", "WORLD_SIZE": "4", "LOCAL_RANK": "1"},
     Place(2, 4, 1, 2, 4)),
    ({**COX, **TASK, "COX_RANK": "2", "RANK": "5", "WORLD_SIZE": "8", "LOCAL_RANK": "1"},
     Place(5, 8, 1, 2, 4)),  # torchrun as a task
    ({**COX, "COX_RANK": "0", "RANK": "1", "WORLD_SIZE": "2", "LOCAL_RANK": "1"},
     Place(1, 2, 1, 0, 1)),  # torchrun in a batch script
    ({**TASK, "SLURM_LOCALID": "1"}, Place(2, 4, 1, 2, 4)),  # another scheduler
    ({"RANK": "1", "WORLD_SIZE": "2", "LOCAL_RANK": "1"}, Place(1, 2, 1, 1, 2)),
    ({"RANK": "1"}, Place()),
    ({"RANK": "one", "WORLD_SIZE": "2"}, Place()),
])
def test_a_rank_finds_its_place(environment, place):
    assert place_from(environment) == place


def test_one_process_of_a_task_reports():
    assert Place(2, 4, 1, 2, 4).reports, "each rank is a task"
    assert Place(4, 8, 0, 2, 4).reports and not Place(5, 8, 1, 2, 4).reports
