#!/bin/bash
# Steps at the same time: --exact gives each only what it asks for; `wait` waits for all.
#   sbatch parallel-steps.sh
# For steps that save nothing: a job has one checkpoint, so run trainings as a job array instead.
# Prints: all three are done
#SBATCH --job-name=steps
#SBATCH --ntasks=3
#SBATCH --time=5

for part in a b c; do
  srun --exact --ntasks=1 bash -c "sleep 1; echo part $part on CPUs of its own" &
done
wait
echo "all three are done"
