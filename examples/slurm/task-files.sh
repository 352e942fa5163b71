#!/bin/bash
# A file for each task's output, and a step that ends at once when one of its tasks fails.
#   sbatch task-files.sh
# Prints: the step was ended at once
#SBATCH --job-name=files
#SBATCH --ntasks=3
#SBATCH --time=5

srun --output=task-%t.out bash -c 'echo written by $SLURM_PROCID'
srun --kill-on-bad-exit=1 bash -c '[ $SLURM_PROCID = 1 ] && exit 7; sleep 100' ||
  echo "the step was ended at once, with $?"
cat task-[0-2].out
