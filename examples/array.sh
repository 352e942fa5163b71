#!/bin/bash
# A job array: twelve tasks of the same script, four at once, each with its own number.
#   cox submit examples/array.sh        (or: sbatch examples/array.sh)
#   cox queue; cox wait JOB; cat squares-*.log
#SBATCH --job-name=squares
#SBATCH --array=1-12%4
#SBATCH --time=5
#SBATCH --output=squares-%A_%a.log

n=$SLURM_ARRAY_TASK_ID
echo "$n of $SLURM_ARRAY_TASK_MAX: $((n * n))"
