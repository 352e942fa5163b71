#!/bin/bash
# An array, and a job that adds up its results after all of its tasks have completed.
#   sbatch array-gather.sh
# Prints: the sum is 30
#SBATCH --job-name=gather
#SBATCH --time=5

array=$(sbatch --parsable --array=1-4 --time=5 --job-name=square --output=/dev/null \
  --wrap='echo $((SLURM_ARRAY_TASK_ID * SLURM_ARRAY_TASK_ID)) > square-$SLURM_ARRAY_TASK_ID.txt')
sbatch --dependency=afterok:"$array" --time=5 --job-name=sum --output=sum-%j.out \
  --wrap='awk "{sum += \$1} END {print \"the sum is\", sum}" square-*.txt'
