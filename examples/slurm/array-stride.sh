#!/bin/bash
# An array with a stride and a limit: tasks 0, 3, 6 and 9, two at once.
#   sbatch array-stride.sh
# Prints: task 9 of 4, the last is 9
#SBATCH --job-name=stride
#SBATCH --array=0-9:3%2
#SBATCH --time=5
#SBATCH --output=stride-%A_%a.out

echo "task $SLURM_ARRAY_TASK_ID of $SLURM_ARRAY_TASK_COUNT, the last is $SLURM_ARRAY_TASK_MAX"
