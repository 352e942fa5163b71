#!/bin/bash
# GNU parallel inside a job: many short commands, as many at once as it has CPUs.
#   sbatch gnu-parallel.sh
# Prints: 20 of 20 done
#SBATCH --job-name=parallel
#SBATCH --ntasks=1
#SBATCH --cpus-per-task=4
#SBATCH --time=5

seq 20 | parallel --will-cite --jobs "$SLURM_CPUS_PER_TASK" \
  'echo {} squared is $(({} * {}))' > squares.txt
echo "$(grep -c squared squares.txt) of 20 done"
