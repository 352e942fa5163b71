#!/bin/bash
# Nodes by their features: one that is fast, and not the other.
#   sbatch constraint.sh
# Prints: on n1
#SBATCH --job-name=fast
#SBATCH --constraint=fast
#SBATCH --exclude=n2
#SBATCH --time=5

echo "on $SLURM_JOB_NODELIST"
