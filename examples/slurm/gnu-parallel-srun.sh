#!/bin/bash
# GNU parallel with a step for each command: they spread over all nodes of the job.
#   sbatch gnu-parallel-srun.sh
# Prints: 6 steps
#SBATCH --job-name=parallel-srun
#SBATCH --nodes=2
#SBATCH --ntasks=4
#SBATCH --time=5

seq 6 | parallel --will-cite --jobs "$SLURM_NTASKS" \
  srun --exact --nodes=1 --ntasks=1 --input=none echo step {} > steps.txt
echo "$(grep -c step steps.txt) steps"
